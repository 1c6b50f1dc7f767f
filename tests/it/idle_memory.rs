//! Memory of a service that has nothing to do.
#![cfg(target_os = "linux")]

use crate::support::app::{PATIENCE, Process};

/// Kilobytes of the program's code that are mapped, and how many there are.
fn code(pid: u32) -> (u64, u64) {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/smaps")).unwrap();
    let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap();
    let mut lines = maps.lines();
    lines.find(|line| line.contains(" r-xp ") && line.ends_with(program.to_str().unwrap())).unwrap();
    let mut number = |key: &str| {
        let line = lines.find_map(|line| line.strip_prefix(key)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    let size = number("Size:");
    (number("Rss:"), size)
}

// Code used only at the start makes up most of the memory of an idle service.
#[actix_web::test]
async fn code_pages_of_the_start_are_released() {
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(folder.path(), &[]).await;
    let given_back = async {
        loop {
            let (mapped, all) = code(service.pid);
            if mapped < all / 3 {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    if tokio::time::timeout(PATIENCE, given_back).await.is_err() {
        panic!("of the code are mapped: {:?} kB", code(service.pid));
    }
    // Released pages are loaded again on use.
    let page = reqwest::get(&service.base).await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("<html"));
    assert!(service.terminate().await.success());
}
