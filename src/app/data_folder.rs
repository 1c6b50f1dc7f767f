//! The data folder of a running service: private, locked while the service lives, with a file that tells
//! commands where the service is.

use crate::app::error::AppError;
use crate::cli::client::service_address;
use crate::cli::client::service_address::AddressFile;
use crate::config::Settings;
use crate::http::guard::Guard;
use std::fs::{File, TryLockError};
use std::path::PathBuf;

/// The locked data folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Declared before the lock, so that it is dropped first.
    serving: Option<AddressFile>,
    _lock: File,
}

impl Folder {
    /// Creates and locks the data folder. Fails if another service uses it.
    pub fn take(settings: &Settings) -> Result<Self, AppError> {
        make_private(settings)?;
        let lock = lock(settings)?;
        // A killed service may have left a stale file.
        service_address::forget(&settings.data_dir);
        Ok(Self { path: settings.data_dir.clone(), serving: None, _lock: lock })
    }

    /// Publishes the address of the service, so that commands find it.
    pub fn announce(&mut self, guard: &Guard) -> Result<(), AppError> {
        self.serving = Some(AddressFile::announce(
            &self.path,
            guard.base(),
            guard.token(),
            guard.printable_token().is_some(),
        )?);
        Ok(())
    }

    /// Withdraws the address.
    pub fn withdraw(&mut self) {
        self.serving = None;
    }
}

/// Creates the folder for the owner only: it holds cookies and pictures of pages.
fn make_private(settings: &Settings) -> Result<(), AppError> {
    let path = &settings.data_dir;
    let created = std::fs::create_dir_all(path).and_then(|()| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))?;
        }
        Ok(())
    });
    created.map_err(|source| AppError::DataFolder { path: path.display().to_string(), source })
}

/// Locks the folder. Two services on one folder would both step the same runs.
fn lock(settings: &Settings) -> Result<File, AppError> {
    let path = settings.data_dir.join("lock");
    let to_error = |source| AppError::DataFolder { path: settings.data_dir.display().to_string(), source };
    let file = File::create(&path).map_err(to_error)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(AppError::InUse { path: settings.data_dir.display().to_string() })
        }
        Err(TryLockError::Error(source)) => Err(to_error(source)),
    }
}
