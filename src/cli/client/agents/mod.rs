//! `askfirst agents`: list, show, check, create, export and import agents.

pub(crate) mod carrying;
pub(crate) mod checking;
pub(crate) mod documents;
pub(crate) mod listing;
pub(crate) mod skeleton;

use crate::cli::args::agents::AgentsCommand;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};

pub async fn carry_out(api: &Api, order: AgentsCommand) -> Result<Exit, ClientError> {
    match order {
        AgentsCommand::List(list) => listing::list(api, list.json).await,
        AgentsCommand::Show(show) => listing::show(api, &show).await,
        AgentsCommand::Validate(order) => checking::validate(api, &order).await,
        AgentsCommand::New(order) => skeleton::new(api, &order).await,
        AgentsCommand::Export(order) => carrying::export(api, &order).await,
        AgentsCommand::Import(order) => carrying::import(api, &order).await,
    }
}
