//! Pictures of runs.

use super::Engine;
use super::fixtures::{add_root, ignore};
use askfirst::ids::RunId;
use askfirst::store::error::StoreError;
use std::path::Path;

/// Number of files below a folder.
pub fn files_below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { 1 }).sum()
}

pub async fn pictures_are_numbered_and_stored_once(engine: &impl Engine) {
    let store = engine.open(ignore());
    let (run, other) = (add_root(&*store, "one").await, add_root(&*store, "other").await);
    for (owner, jpeg, number) in [(&run, "same", 1), (&run, "own", 2), (&other, "same", 1)] {
        assert_eq!(store.add_picture(owner.clone(), jpeg.into()).await.unwrap(), number);
    }
    assert_eq!(store.picture(run.clone(), 2).await.unwrap(), Some(b"own".to_vec()));
    assert_eq!(store.picture(other, 1).await.unwrap(), Some(b"same".to_vec()));
    assert_eq!(store.picture(run.clone(), 3).await.unwrap(), None);
    assert_eq!(files_below(&engine.folder().join("pictures")), 2);
    let adding = (0..8).map(|_| store.add_picture(run.clone(), b"more".to_vec()));
    let mut numbers: Vec<u64> =
        futures_util::future::join_all(adding).await.into_iter().map(Result::unwrap).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [3, 4, 5, 6, 7, 8, 9, 10]);
    let nobody = store.add_picture(RunId::from("nobody"), b"x".to_vec()).await;
    assert!(matches!(nobody, Err(StoreError::NoRun)), "{nobody:?}");
}

// S1.38: a picture that is still being taken has its number, and who asks for it gets it.
pub async fn a_picture_is_waited_for_while_it_is_taken(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    let (taken, failed) = (
        store.reserve_picture(run.clone()).await.unwrap(),
        store.reserve_picture(run.clone()).await.unwrap(),
    );
    assert_eq!((taken, failed), (1, 2));
    let reading = store.picture(run.clone(), taken);
    let filling = store.fill_picture(run.clone(), taken, Some(b"jpeg".to_vec()));
    let (read, filled) = futures_util::join!(reading, filling);
    assert_eq!((read.unwrap().unwrap(), filled.unwrap()), (b"jpeg".to_vec(), ()));
    store.fill_picture(run.clone(), failed, None).await.unwrap();
    assert_eq!(store.picture(run.clone(), failed).await.unwrap(), None);
    assert_eq!(store.add_picture(run.clone(), b"next".to_vec()).await.unwrap(), 3);
    // After a restart nobody takes the picture any more, and nobody waits for it.
    let open = store.reserve_picture(run.clone()).await.unwrap();
    drop(store);
    assert_eq!(engine.open(ignore()).picture(run, open).await.unwrap(), None);
}

pub async fn a_picture_of_a_deleted_run_leaves_no_file(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    let late = store.reserve_picture(run.clone()).await.unwrap();
    store.delete_tree(run.clone()).await.unwrap();
    store.fill_picture(run.clone(), late, Some(b"late".to_vec())).await.unwrap();
    let added = store.add_picture(run, b"later".to_vec()).await;
    assert!(matches!(added, Err(StoreError::NoRun)), "{added:?}");
    store.remove_leftover_pictures().await.unwrap();
    assert_eq!(files_below(&engine.folder().join("pictures")), 0);
}
