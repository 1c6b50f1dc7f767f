//! `askfirst agents`: list, show, check, create, export and import agents.

mod carrying;
mod checking;
mod documents;
mod listing;
mod skeleton;

use super::api::Api;
use super::{ClientError, Exit};
use crate::cli::agents::AgentsCommand;

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
