//! `askfirst agents`: list, show, check, create, export and import agents.

mod carrying;
mod checking;
mod documents;
mod listing;
mod skeleton;

use super::api::Api;
use super::{ClientError, Exit};
use crate::cli::agents::Order;

pub async fn carry_out(api: &Api, order: Order) -> Result<Exit, ClientError> {
    match order {
        Order::List(list) => listing::list(api, list.json).await,
        Order::Show(show) => listing::show(api, &show).await,
        Order::Validate(order) => checking::validate(api, &order).await,
        Order::New(order) => skeleton::new(api, &order).await,
        Order::Export(order) => carrying::export(api, &order).await,
        Order::Import(order) => carrying::import(api, &order).await,
    }
}
