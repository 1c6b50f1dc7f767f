//! `askfirst agents`: list, show, check, create, export and import agents.

pub(crate) mod agent_documents;
pub(crate) mod agent_list;
pub(crate) mod export_import;
pub(crate) mod file_checks;
pub(crate) mod skeleton;

use crate::cli::args::agents::AgentsCommand;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};

pub async fn carry_out(api: &Api, command: AgentsCommand) -> Result<Exit, ClientError> {
    match command {
        AgentsCommand::List(list) => agent_list::list(api, list.json).await,
        AgentsCommand::Show(show) => agent_list::show(api, &show).await,
        AgentsCommand::Validate(args) => file_checks::validate(api, &args).await,
        AgentsCommand::New(args) => skeleton::new(api, &args).await,
        AgentsCommand::Export(args) => export_import::export(api, &args).await,
        AgentsCommand::Import(args) => export_import::import(api, &args).await,
    }
}
