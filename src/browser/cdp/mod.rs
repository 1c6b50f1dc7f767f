//! The Chrome DevTools Protocol: messages, and the connection that carries them.

pub mod connection;
pub(crate) mod driver;
pub(crate) mod frame_places;
pub(crate) mod incoming;
pub mod message;
pub mod request_policy;
pub(crate) mod socket;
