//! Observations of pages: pure data, no browser. `text` writes one for a reader (a model or a person),
//! `delta` only its changes, `target` holds the facts about one element for the gate.

pub mod target_changes;
pub mod observation;
pub mod delta;
pub(crate) mod digest;
pub mod extracted_rows;
pub mod json_schema;
pub mod fingerprint;
pub mod page_tool;
pub(crate) mod quote;
pub mod masked_address;
pub mod outgoing_request;
pub mod request_body;
pub mod site;
pub mod socket_message;
pub mod target;
pub mod text;
pub mod tools;
pub mod url;
