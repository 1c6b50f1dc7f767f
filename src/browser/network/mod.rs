//! Addresses that pages may reach: the URL policy, paused requests, and the egress proxy.

pub(crate) mod called_method;
pub mod chromium_policy;
pub mod egress_proxy;
pub(crate) mod interception;
pub(crate) mod forwarding;
pub(crate) mod leased_stream;
pub(crate) mod history;
pub mod request_judge;
pub(crate) mod server_connector;
pub mod url_policy;
