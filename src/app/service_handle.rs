//! Connects a command to a service: the running service of the data folder, or else one that the command
//! starts for itself. Further commands on the same folder are guests of that service, which waits for them
//! before it ends: each guest holds a shared lock, and the host takes the lock exclusively.

use crate::app;
use crate::app::Purpose;
use crate::app::error::AppError;
use crate::cli::args::Command;
use crate::cli::client;
use crate::cli::client::api::{Access, Api};
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::interrupt::InterruptSignal;
use crate::cli::client::follow::{interrupt, terminal_output};
use crate::cli::client::service_address;
use crate::config::Settings;
use crate::config::proxies::BasePath;
use actix_web::dev::ServerHandle;
use actix_web::rt::task::JoinHandle;
use serde_json::Value;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum wait for a service that holds the folder to publish its address or to release the folder.
const SERVICE_TIMEOUT: Duration = Duration::from_secs(15);
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
const GUESTS: &str = "guests";

/// The service that a command uses.
enum ServiceHandle {
    /// A running service, with the lock that keeps it from ending.
    Guest(Access, #[expect(dead_code, reason = "held, not read")] File),
    Host(Access, OwnService),
}

/// A service that the command started.
struct OwnService {
    handle: ServerHandle,
    served: JoinHandle<Result<(), AppError>>,
    data_dir: PathBuf,
    guests: File,
}

#[derive(Debug, thiserror::Error)]
enum HandleError {
    #[error(transparent)]
    App(#[from] AppError),
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// Runs a command. Returns the exit code of the process.
pub async fn run_command(settings: Settings, command: Command) -> u8 {
    let may_start = !matches!(command, Command::Drain(_));
    let result = with_service(&settings, may_start, async |api, interrupted| {
        client::carry_out(api, command, interrupted).await
    });
    result.await.unwrap_or_else(|exit| exit) as u8
}

/// Returns the answer of the service to a GET request.
pub async fn fetch(settings: &Settings, path: &str) -> Result<Value, Exit> {
    let request = with_service(settings, true, async |api, mut interrupted: InterruptSignal| {
        tokio::select! {
            reply = api.get(path) => reply,
            () = interrupted.once() => Err(ClientError::Interrupted),
        }
    });
    request.await?.map_err(|fault| {
        client::follow::terminal_output::print_error(&fault);
        fault.exit()
    })
}

/// Runs `work` with a service, or returns the exit code if there is none. `may_start` tells whether one is started if none
/// runs.
async fn with_service<T>(
    settings: &Settings,
    may_start: bool,
    work: impl AsyncFnOnce(&Api, InterruptSignal) -> T,
) -> Result<T, Exit> {
    let exit =
        match interrupt::run_interruptible(|interrupted| use_service(settings, may_start, work, interrupted))
            .await
        {
            Ok(Some(Ok(Some(done)))) => return Ok(done),
            Ok(Some(Ok(None)) | None) => Exit::Cancelled,
            Ok(Some(Err(fault))) => {
                client::follow::terminal_output::print_error(&fault);
                match fault {
                    HandleError::App(_) => Exit::Failed,
                    HandleError::Client(fault) => fault.exit(),
                }
            }
            Err(fault) => {
                client::follow::terminal_output::print_error(&fault);
                Exit::Failed
            }
        };
    Err(exit)
}

async fn use_service<T>(
    settings: &Settings,
    may_start: bool,
    work: impl AsyncFnOnce(&Api, InterruptSignal) -> T,
    mut interrupted: InterruptSignal,
) -> Result<Option<T>, HandleError> {
    let service = tokio::select! {
        found = find(settings, may_start) => found?,
        () = interrupted.once() => return Ok(None),
    };
    let (ServiceHandle::Guest(access, _) | ServiceHandle::Host(access, _)) = &service;
    let api = Api::new(access.clone())?;
    let done = work(&api, interrupted.clone()).await;
    // Its open connections would delay the end of the service.
    drop(api);
    if let ServiceHandle::Host(_, own) = service {
        own.end(interrupted).await?;
    }
    Ok(Some(done))
}

async fn find(settings: &Settings, may_start: bool) -> Result<ServiceHandle, HandleError> {
    if may_start {
        return find_or_start(settings).await;
    }
    let path = settings.data_dir.display().to_string();
    match settings.data_dir.is_dir() {
        true => join_running(&settings.data_dir).await?.ok_or_else(|| AppError::NotRunning { path }.into()),
        false => Err(AppError::NotRunning { path }.into()),
    }
}

/// Joins the service of the data folder, or starts one if there is none.
async fn find_or_start(settings: &Settings) -> Result<ServiceHandle, HandleError> {
    let search = async {
        loop {
            match host(settings).await {
                Err(HandleError::App(AppError::InUse { .. })) => {}
                done => return done,
            }
            if let Some(guest) = join_running(&settings.data_dir).await? {
                return Ok(guest);
            }
            // The service is just starting or ending.
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    };
    tokio::time::timeout(SERVICE_TIMEOUT, search).await.unwrap_or_else(|_| {
        let path = settings.data_dir.display().to_string();
        Err(AppError::Silent { path }.into())
    })
}

async fn join_running(data_dir: &Path) -> Result<Option<ServiceHandle>, HandleError> {
    let lock = open_guest_lock(data_dir)?;
    match lock.try_lock_shared() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(fault)) => return Err(AppError::Server(fault).into()),
    }
    let Some(access) = service_address::find(data_dir) else { return Ok(None) };
    let is_answering = Api::new(access.clone())?.answers().await;
    Ok(is_answering.then_some(ServiceHandle::Guest(access, lock)))
}

async fn host(settings: &Settings) -> Result<ServiceHandle, HandleError> {
    let mut own = settings.clone();
    // A service for one command serves this machine only.
    own.server.host = String::from("127.0.0.1");
    own.server.port = 0;
    own.server.allowed_hosts = Vec::new();
    own.server.base_path = BasePath::default();
    let running = app::start_with_purpose(own, Purpose::Command).await?;
    let data_dir = settings.data_dir.clone();
    let silent = || AppError::Silent { path: data_dir.display().to_string() };
    let access = service_address::find(&data_dir).ok_or_else(silent)?;
    let (guests, handle) = (open_guest_lock(&data_dir)?, running.handle.clone());
    let served = actix_web::rt::spawn(running.serve());
    Ok(ServiceHandle::Host(access, OwnService { handle, served, data_dir, guests }))
}

fn open_guest_lock(data_dir: &Path) -> Result<File, AppError> {
    Ok(File::create(data_dir.join(GUESTS))?)
}

impl OwnService {
    /// Withdraws the service, waits for its guests, and ends everything that was started.
    async fn end(self, mut interrupted: InterruptSignal) -> Result<(), AppError> {
        service_address::forget(&self.data_dir);
        let before = interrupted.is_interrupted();
        tokio::select! {
            () = self.wait_for_guests() => {}
            // An earlier interrupt was meant for the command's own work.
            () = interrupted.once(), if !before => {}
        }
        self.handle.stop(true).await;
        self.served.await.map_err(std::io::Error::other)?
    }

    async fn wait_for_guests(&self) {
        let mut notice_sent = false;
        while let Err(TryLockError::WouldBlock) = self.guests.try_lock() {
            if !std::mem::replace(&mut notice_sent, true) {
                terminal_output::note(
                    "another command works with this service; it ends with that, or with Ctrl-C",
                );
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }
}
