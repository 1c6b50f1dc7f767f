//! The data folder as one service has it: private, locked for as long as it lives, and with a word for commands
//! where the service is.

use super::AppError;
use crate::client::serving::{self, Serving};
use crate::config::Settings;
use crate::http::guard::Guard;
use std::fs::{File, TryLockError};
use std::path::PathBuf;

/// A folder that is nobody else's.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Goes before the lock does.
    serving: Option<Serving>,
    _lock: File,
}

impl Folder {
    pub fn take(settings: &Settings) -> Result<Self, AppError> {
        make_private(settings)?;
        let lock = lock(settings)?;
        // What one left that was killed leads nowhere, or to somebody else.
        serving::forget(&settings.data_dir);
        Ok(Self { path: settings.data_dir.clone(), serving: None, _lock: lock })
    }

    /// From now on commands find the service.
    pub fn announce(&mut self, guard: &Guard) -> Result<(), AppError> {
        self.serving = Some(Serving::announce(
            &self.path,
            guard.base(),
            guard.token(),
            guard.printable_token().is_some(),
        )?);
        Ok(())
    }

    /// From now on they do not.
    pub fn withdraw(&mut self) {
        self.serving = None;
    }
}

/// Others on this machine have no business in it: it holds cookies and pictures of pages.
fn make_private(settings: &Settings) -> Result<(), AppError> {
    let path = &settings.data_dir;
    let made = std::fs::create_dir_all(path).and_then(|()| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))?;
        }
        Ok(())
    });
    made.map_err(|source| AppError::DataFolder { path: path.display().to_string(), source })
}

/// Two services on one folder would both step the same runs.
fn lock(settings: &Settings) -> Result<File, AppError> {
    let path = settings.data_dir.join("lock");
    let refused = |source| AppError::DataFolder { path: settings.data_dir.display().to_string(), source };
    let file = File::create(&path).map_err(refused)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(AppError::InUse { path: settings.data_dir.display().to_string() })
        }
        Err(TryLockError::Error(source)) => Err(refused(source)),
    }
}
