//! `askfirst agents`: list, show, check, create, export and import agents.

pub(crate) mod agent_documents;
pub(crate) mod agent_list;
pub(crate) mod export_import;
pub(crate) mod file_checks;
pub(crate) mod skeleton;

use crate::cli::args::agents::AgentsCommand;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};

pub async fn carry_out(api: &Api, order: AgentsCommand) -> Result<Exit, ClientError> {
    match order {
        AgentsCommand::List(list) => agent_list::list(api, list.json).await,
        AgentsCommand::Show(show) => agent_list::show(api, &show).await,
        AgentsCommand::Validate(order) => file_checks::validate(api, &order).await,
        AgentsCommand::New(order) => skeleton::new(api, &order).await,
        AgentsCommand::Export(order) => export_import::export(api, &order).await,
        AgentsCommand::Import(order) => export_import::import(api, &order).await,
    }
}
