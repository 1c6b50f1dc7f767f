//! Nodes that ask a person.

pub mod approve_plan;
pub mod budget;
pub mod confirm;
pub mod flow_consent;
pub mod held_request;
pub mod manual;
pub mod question;
