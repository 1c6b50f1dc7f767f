//! `askfirst agents`.
use super::api::Api;
use super::{ClientError, Exit};
use crate::cli::agents::Order;

pub async fn carry_out(_api: &Api, _order: Order) -> Result<Exit, ClientError> {
    Err(ClientError::Usage(String::from("this version does not do that yet")))
}
