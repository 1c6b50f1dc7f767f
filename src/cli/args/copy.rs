//! Arguments of `askfirst copy`.

use crate::cli::args::shared_args::CommonArgs;
use clap::Args;

/// Copies of the store.
#[derive(Clone, Debug, Args)]
pub struct Copy {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Store to copy: a data folder, or the URL of a PostgreSQL database [default: the store of the settings].
    #[arg(long, value_name = "STORE", required_unless_present = "to")]
    pub from: Option<String>,
    /// Empty store to copy into: a data folder, or a URL [default: the store of the settings].
    #[arg(long, value_name = "STORE")]
    pub to: Option<String>,
}
