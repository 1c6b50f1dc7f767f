//! Opening of the store that the settings name. One on a server is shared: the service joins the nodes that work on it.

use crate::app::error::AppError;
use crate::blobs::BlobStore;
use crate::config::secret::Secret;
use crate::config::{NodeRole, Settings};
use crate::ids;
use crate::store::postgres::connection::store::PostgresStore;
use crate::store::postgres::upkeep::node::{ClusterNode, NodeSettings};
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::{Store, StoreObserver};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A store with the service's part in it.
pub struct OpenedStore {
    pub store: Arc<dyn Store>,
    /// This service among those that share the store. One in the data folder is of this service alone: the folder is locked.
    pub node: Option<ClusterNode>,
}

/// Opens the store of blobs that the settings name; `None` for the data folder.
pub fn open_blobs(settings: &Settings) -> Result<Option<BlobStore>, AppError> {
    let url = settings.blobs.url.as_ref().map(Secret::expose).unwrap_or_default();
    BlobStore::open(url).map_err(|fault| AppError::Blobs(fault.to_string()))
}

/// Opens the store. `takes_over` is true if the service takes over runs of others.
pub async fn open(
    settings: &Settings,
    blobs: Option<BlobStore>,
    observer: StoreObserver,
    takes_over: bool,
) -> Result<OpenedStore, AppError> {
    let Some(url) = &settings.store.url else {
        let store = Arc::new(SqliteStore::open(&settings.data_dir, observer)?);
        blobs.into_iter().for_each(|blobs| store.share_pictures(blobs));
        return Ok(OpenedStore { store, node: None });
    };
    let store = PostgresStore::open(url.expose(), &settings.data_dir, observer)?;
    blobs.into_iter().for_each(|blobs| store.share_pictures(blobs));
    let folder = folder_id(&settings.data_dir)
        .map_err(|source| AppError::DataFolder { path: settings.data_dir.display().to_string(), source })?;
    let cluster = &settings.cluster;
    let node_settings = NodeSettings {
        folder,
        machine: machine_name(),
        address: cluster.address.clone().unwrap_or_default(),
        role: cluster.role.word(),
        works: cluster.role != NodeRole::Web,
        capacity: if takes_over { usize::try_from(cluster.capacity).unwrap_or(usize::MAX) } else { 0 },
        ttl: Duration::from_secs(cluster.ttl_s),
    };
    let node = store.join(node_settings).await?;
    Ok(OpenedStore { store: Arc::new(store), node: Some(node) })
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
