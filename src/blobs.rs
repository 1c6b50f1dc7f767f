//! Blobs: pictures and files of runs, where all nodes of a cluster reach them (`blobs.url`): a folder that they share, or a bucket
//! of S3 or of what speaks its protocol. Without one, they are in the data folder only.

use crate::clock::Stopwatch;
use futures_util::TryStreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::buffered::BufWriter;
use object_store::local::LocalFileSystem;
use object_store::path::Path as BlobPath;
use object_store::{ClientOptions, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig};
use percent_encoding::percent_decode_str;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use url::Url;

/// Time for which a store that is away is waited for, in seconds, and the pause between two attempts.
const PATIENCE_SECONDS: f64 = 600.0;
const RETRY_PAUSE: Duration = Duration::from_secs(2);

/// Time limits of requests to a bucket, and of their repetitions.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
const RETRY_TIMEOUT: Duration = Duration::from_secs(20);

/// A store of blobs that several nodes share.
#[derive(Clone, Debug)]
pub struct BlobStore {
    store: Arc<dyn ObjectStore>,
    /// Name under which all blobs are.
    root: BlobPath,
}

/// Error of a store of blobs.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    #[error("blobs.url cannot be used: {0}")]
    Address(String),
    #[error("the store of blobs (blobs.url) fails: {0}; check that it can be reached, and its keys")]
    Failed(#[from] object_store::Error),
    #[error("a file of blobs cannot be read or written: {0}")]
    Disk(#[from] std::io::Error),
}

impl BlobStore {
    /// Opens the store at `url`; `None` for `file:`, which is the data folder.
    pub fn open(url: &str) -> Result<Option<Self>, BlobError> {
        let wrong = |reason: String| BlobError::Address(reason);
        if ["", "file:", "file://"].contains(&url.trim()) {
            return Ok(None);
        }
        let parsed = Url::parse(url).map_err(|fault| wrong(fault.to_string()))?;
        match parsed.scheme() {
            "file" => {
                let is_whole = url.starts_with("file:///") && parsed.path() != "/";
                let folder = parsed.to_file_path().ok().filter(|_| is_whole);
                let folder =
                    folder.ok_or_else(|| wrong(String::from("write a folder as file:///path/to/it")))?;
                std::fs::create_dir_all(&folder)?;
                let store = LocalFileSystem::new_with_prefix(&folder)?.with_automatic_cleanup(true);
                Ok(Some(Self { store: Arc::new(store), root: BlobPath::default() }))
            }
            "s3" => open_bucket(&parsed).map(Some),
            other => Err(wrong(format!("`{other}:` is neither file: nor s3:"))),
        }
    }

    /// Stores a blob, in place of an earlier one of this name.
    pub async fn put(&self, name: &str, content: Vec<u8>) -> Result<(), BlobError> {
        self.store.put(&self.path(name), PutPayload::from(content)).await?;
        Ok(())
    }

    /// Stores a file as a blob.
    pub async fn put_file(&self, name: &str, file: &Path) -> Result<(), BlobError> {
        let mut from = tokio::fs::File::open(file).await?;
        let mut to = BufWriter::new(Arc::clone(&self.store), self.path(name));
        tokio::io::copy(&mut from, &mut to).await?;
        to.shutdown().await?;
        Ok(())
    }

    /// Reads a blob; `None` if there is none.
    pub async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        match self.store.get(&self.path(name)).await {
            Ok(found) => Ok(Some(found.bytes().await?.to_vec())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Writes a blob to a file, by way of `part`, so that the file exists only once it is whole. Returns false if there is no
    /// such blob.
    pub async fn get_file(&self, name: &str, part: &Path, file: &Path) -> Result<bool, BlobError> {
        let found = match self.store.get(&self.path(name)).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(false),
            Err(fault) => return Err(fault.into()),
        };
        let mut to = tokio::fs::File::create(part).await?;
        let mut pieces = found.into_stream();
        while let Some(piece) = pieces.try_next().await? {
            to.write_all(&piece).await?;
        }
        to.flush().await?;
        tokio::fs::rename(part, file).await?;
        Ok(true)
    }

    /// True if there is a blob of this name.
    pub async fn has(&self, name: &str) -> Result<bool, BlobError> {
        match self.store.head(&self.path(name)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Lists the names of the blobs in a folder, without those of folders in it.
    pub async fn list(&self, folder: &str) -> Result<Vec<String>, BlobError> {
        let found = self.store.list_with_delimiter(Some(&self.path(folder))).await?;
        let name = |blob: &ObjectMeta| {
            let written = blob.location.filename()?;
            Some(percent_decode_str(written).decode_utf8_lossy().into_owned())
        };
        Ok(found.objects.iter().filter_map(name).collect())
    }

    /// Removes a blob. A missing one is no error.
    pub async fn remove(&self, name: &str) -> Result<(), BlobError> {
        match self.store.delete(&self.path(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Removes all blobs whose names begin with that of a folder.
    pub async fn remove_folder(&self, folder: &str) -> Result<(), BlobError> {
        let mut found = self.store.list(Some(&self.path(folder)));
        while let Some(blob) = found.try_next().await? {
            self.store.delete(&blob.location).await?;
        }
        Ok(())
    }

    /// Returns the path of a name, whose parts are separated by slashes and may have any characters.
    fn path(&self, name: &str) -> BlobPath {
        name.split('/').fold(self.root.clone(), |path, part| path.join(part))
    }
}

/// Waits for a store of blobs that is away, for ten minutes at most, as writes wait for the database.
pub struct Patience(Stopwatch);

impl Patience {
    pub fn start() -> Self {
        Self(Stopwatch::start())
    }

    /// Waits before the next attempt. Returns the error if there is to be none: the time is over, or it is no error of the store.
    pub async fn pause_after(&self, fault: BlobError) -> Result<(), BlobError> {
        if self.0.seconds() >= PATIENCE_SECONDS || !matches!(fault, BlobError::Failed(_)) {
            return Err(fault);
        }
        tracing::warn!(%fault, "the store of blobs is tried again");
        tokio::time::sleep(RETRY_PAUSE).await;
        Ok(())
    }
}

/// Opens a bucket. Keys, region and endpoint are those of the usual variables (`AWS_ACCESS_KEY_ID` and others), or of the URL.
fn open_bucket(url: &Url) -> Result<BlobStore, BlobError> {
    let bucket = url.host_str().filter(|bucket| !bucket.is_empty());
    let bucket =
        bucket.ok_or_else(|| BlobError::Address(String::from("write a bucket as s3://BUCKET/FOLDER")))?;
    if !url.username().is_empty() || url.password().is_some() {
        // The text may contain a secret.
        let reason = "keys before an @ are not read; write s3://BUCKET/FOLDER, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
        return Err(BlobError::Address(String::from(reason)));
    }
    let retries = RetryConfig { max_retries: 5, retry_timeout: RETRY_TIMEOUT, ..RetryConfig::default() };
    let options = ClientOptions::new().with_connect_timeout(CONNECT_TIMEOUT).with_timeout(REQUEST_TIMEOUT);
    let builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
    let mut builder = builder.with_retry(retries).with_client_options(options);
    for (name, value) in url.query_pairs() {
        builder = match name.as_ref() {
            "endpoint" => builder.with_allow_http(value.starts_with("http://")).with_endpoint(value),
            "region" => builder.with_region(value),
            "access_key_id" => builder.with_access_key_id(value),
            "secret_access_key" => builder.with_secret_access_key(value),
            other => {
                let reason =
                    format!("`{other}` is none of endpoint, region, access_key_id and secret_access_key");
                return Err(BlobError::Address(reason));
            }
        };
    }
    let root = BlobPath::parse(url.path().trim_matches('/'))
        .map_err(|fault| BlobError::Address(fault.to_string()))?;
    Ok(BlobStore { store: Arc::new(builder.build()?), root })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_refused_with_a_reason() {
        for own in ["file:", "file://", " "] {
            assert!(BlobStore::open(own).unwrap().is_none(), "{own}");
        }
        for (url, reason) in [
            ("ftp://x/y", "neither file: nor s3:"),
            ("s3:///x", "s3://BUCKET/FOLDER"),
            ("s3://b/x?colour=red", "`colour` is none of"),
            ("s3://name:hidden@b/x", "AWS_SECRET_ACCESS_KEY"),
            ("nothing", "relative URL"),
            ("file:blobs", "file:///path"),
            ("file:///", "file:///path"),
        ] {
            let fault = BlobStore::open(url).unwrap_err().to_string();
            assert!(fault.contains(reason) && fault.contains("blobs.url"), "{url}: {fault}");
            assert!(!fault.contains("hidden"), "{fault}");
        }
    }

    #[tokio::test]
    async fn blobs_of_a_folder_are_stored_listed_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let url = Url::from_file_path(folder.path().join("shared")).unwrap();
        let blobs = BlobStore::open(url.as_str()).unwrap().unwrap();
        blobs.put("runs/r1/звіт 1.txt", b"one".to_vec()).await.unwrap();
        blobs.put("runs/r1/deeper/two", b"two".to_vec()).await.unwrap();
        let file = folder.path().join("three");
        std::fs::write(&file, "three").unwrap();
        blobs.put_file("runs/r1/three %2F #?.csv", &file).await.unwrap();
        let mut names = blobs.list("runs/r1").await.unwrap();
        names.sort();
        assert_eq!(names, ["three %2F #?.csv", "звіт 1.txt"]);
        assert_eq!(blobs.get("runs/r1/звіт 1.txt").await.unwrap().unwrap(), b"one");
        assert!(blobs.has("runs/r1/three %2F #?.csv").await.unwrap());
        let (part, copy) = (folder.path().join("part"), folder.path().join("copy"));
        assert!(blobs.get_file("runs/r1/three %2F #?.csv", &part, &copy).await.unwrap());
        assert_eq!(std::fs::read_to_string(copy).unwrap(), "three");
        assert!(!blobs.get_file("runs/r1/none", &part, &file).await.unwrap());
        blobs.remove_folder("runs/r1").await.unwrap();
        blobs.remove("runs/r1/none").await.unwrap();
        assert!(blobs.get("runs/r1/deeper/two").await.unwrap().is_none());
    }
}
