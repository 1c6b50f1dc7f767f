//! Arguments that most commands share.

use crate::config::layers::Flags;
use clap::Args;
use std::path::PathBuf;

/// Options for the settings and the data folder; the same for every command.
#[derive(Clone, Debug, Args)]
pub struct CommonArgs {
    /// Folder for the store, runs, screenshots, downloads and profiles.
    #[arg(long, value_name = "DIR", global = true)]
    pub data_dir: Option<PathBuf>,
    /// A TOML file with settings that override the defaults.
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
}

impl CommonArgs {
    pub(crate) fn flags(&self) -> Flags {
        Flags { config: self.config.clone(), data_dir: self.data_dir.clone(), host: None, port: None }
    }
}
