//! `askfirst copy`: copies a store into an empty one and compares them.

use crate::cli::args::copy::Copy;
use crate::cli::client::error::Exit;
use crate::cli::client::follow::terminal_output::{print, print_error};
use crate::cli::client::terminal_language::terminal;
use crate::config::Settings;
use crate::store::copying;
use crate::store::copying::side::{CopyError, StoreLocation};
use crate::texts::terminal::copied_store;
use std::path::PathBuf;

/// Runs the command. Blocks until the copy is made or refused, and returns the exit code.
pub fn command(settings: &Settings, arguments: &Copy) -> u8 {
    match copy(settings, arguments) {
        Ok(()) => Exit::Succeeded as u8,
        Err(fault) => {
            print_error(&fault);
            Exit::Failed as u8
        }
    }
}

fn copy(settings: &Settings, arguments: &Copy) -> Result<(), CopyError> {
    let location = |named: &Option<String>| match named {
        Some(named) => read_location(named),
        None => Ok(settings_location(settings)),
    };
    let tables = copying::copy(&location(&arguments.from)?, &location(&arguments.to)?)?;
    tables.iter().for_each(|table| print(&format!("{}: {}\n", table.name, table.rows)));
    let rows = tables.iter().map(|table| table.rows).sum();
    print(&format!("{}\n", copied_store(rows, tables.len() as u64, terminal())));
    Ok(())
}

/// Reads the name of a store: a URL, or a folder.
fn read_location(named: &str) -> Result<StoreLocation, CopyError> {
    if ["postgres://", "postgresql://"].iter().any(|scheme| named.starts_with(scheme)) {
        return Ok(StoreLocation::Url(named.to_owned()));
    }
    let folder = named.strip_prefix("sqlite:").unwrap_or(named);
    let is_scheme = |start: &str| start.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    let scheme = folder.trim_start().split_once(':').map(|(start, _)| start);
    if folder.trim().is_empty() || scheme.is_some_and(|start| start.len() > 1 && is_scheme(start)) {
        // The text may contain a password.
        return Err(CopyError::Location);
    }
    Ok(StoreLocation::Folder(PathBuf::from(folder)))
}

fn settings_location(settings: &Settings) -> StoreLocation {
    match &settings.store.url {
        Some(url) => StoreLocation::Url(url.expose().to_owned()),
        None => StoreLocation::Folder(settings.data_dir.clone()),
    }
}
