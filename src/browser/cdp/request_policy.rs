//! Decisions about the requests of pages, which the connection asks for and does not make itself.

use crate::browser::cdp::message::{CdpEvent, RawCommand};
use std::fmt::Debug;

/// Policy for the pages of one Chromium, or of one of its contexts.
pub trait RequestPolicy: Debug + Send + Sync {
    /// Returns the reply to a paused request, and whether the request is allowed. `is_main_frame` is true for
    /// a request of the page itself, false for one of a frame.
    fn decide_paused_request(&self, paused: &CdpEvent, is_main_frame: bool) -> (RawCommand, bool);

    /// Returns the reply to an authentication challenge.
    fn answer_challenge(&self, challenge: &CdpEvent) -> RawCommand;

    /// Stores what a person typed, if the event reports that.
    fn store_typed(&self, event: &CdpEvent);
}
