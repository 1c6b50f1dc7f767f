//! Check of the store of pictures and files, if the settings name one.

use crate::blobs::{BlobError, BlobStore};
use crate::cli::doctor::finding::Finding;
use crate::config::secret::Secret;
use crate::ids;
use crate::protocol::Locale;
use crate::texts::terminal::doctor as texts;
use std::time::Duration;

/// Time limit of the check.
const TIMEOUT: Duration = Duration::from_secs(8);

/// Stores a blob, reads it and removes it. `None` if pictures and files are in the data folder.
pub async fn check(url: Option<&Secret>, locale: Locale) -> Option<Finding> {
    let tried = tokio::time::timeout(TIMEOUT, try_store(url.map(Secret::expose).unwrap_or_default())).await;
    match tried {
        Ok(Ok(false)) => None,
        Ok(Ok(true)) => Some(Finding::good("blobs", texts::blobs_work(locale))),
        Ok(Err(fault)) => {
            Some(Finding::missing("blobs", fault.to_string(), texts::correct_blobs_url(locale)))
        }
        Err(_) => {
            Some(Finding::missing("blobs", texts::blobs_are_silent(locale), texts::correct_blobs_url(locale)))
        }
    }
}

async fn try_store(url: &str) -> Result<bool, BlobError> {
    let Some(blobs) = BlobStore::open(url)? else { return Ok(false) };
    let name = format!("doctor/{}", ids::token());
    blobs.put(&name, b"askfirst".to_vec()).await?;
    let read = blobs.get(&name).await;
    blobs.remove(&name).await?;
    read.map(|_| true)
}
