//! Opening of the store that the settings name, and its claim for this service.

use crate::app::error::AppError;
use crate::config::Settings;
use crate::ids;
use crate::store::postgres::connection::store::PostgresStore;
use crate::store::postgres::upkeep::claim::{ServiceIdentity, StoreClaim};
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::{Store, StoreObserver};
use std::path::Path;
use std::sync::Arc;

/// A store that this service alone works on.
pub struct OpenedStore {
    pub store: Arc<dyn Store>,
    /// Claim on a store on a server. One in the data folder needs none: the folder is locked.
    pub claim: Option<StoreClaim>,
}

/// Opens the store. Waits if another service may have left it without giving it back.
pub async fn open(settings: &Settings, observer: StoreObserver) -> Result<OpenedStore, AppError> {
    let Some(url) = &settings.store.url else {
        let store = Arc::new(SqliteStore::open(&settings.data_dir, observer)?);
        return Ok(OpenedStore { store, claim: None });
    };
    let store = PostgresStore::open(url.expose(), &settings.data_dir, observer)?;
    let folder = folder_id(&settings.data_dir)
        .map_err(|source| AppError::DataFolder { path: settings.data_dir.display().to_string(), source })?;
    let claim = store.claim(ServiceIdentity { folder, machine: machine_name() }).await?;
    Ok(OpenedStore { store: Arc::new(store), claim: Some(claim) })
}

/// Returns the id of the data folder, which it gets at the first call.
fn folder_id(data_dir: &Path) -> std::io::Result<String> {
    let path = data_dir.join("folder-id");
    match std::fs::read_to_string(&path) {
        Ok(id) if !id.trim().is_empty() => Ok(id.trim().to_owned()),
        Ok(_) | Err(_) => {
            let id = ids::token();
            std::fs::write(path, &id)?;
            Ok(id)
        }
    }
}

fn machine_name() -> String {
    nix::unistd::gethostname()
        .map_or_else(|_| String::from("a machine without a name"), |name| name.to_string_lossy().into_owned())
}
