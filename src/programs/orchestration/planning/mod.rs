//! Plans from a caller or a model: the request to the model, and the node that asks for a plan.

pub(crate) mod plan_source;
pub mod request;
