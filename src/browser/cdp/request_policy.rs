//! Decisions about the requests of pages, which the connection asks for and does not make itself.

use crate::browser::cdp::message::{CdpEvent, RawCommand};
use std::fmt::Debug;

/// Decision on a paused request.
#[derive(Debug)]
pub enum PausedDecision {
    /// It leaves, by this reply.
    Continue(RawCommand),
    /// It is refused, by this reply.
    Refuse(RawCommand),
    /// It may have an effect: the owner of the page judges it and replies later.
    Judge,
}

/// A paused request that its page's owner judges.
#[derive(Debug)]
pub struct PausedRequest {
    pub event: CdpEvent,
    /// Target id of the page that sends it; `None` for a worker that belongs to no page.
    pub page: Option<String>,
    /// True for a request of the page itself, false for one of a frame or worker.
    pub is_main_frame: bool,
}

/// Policy for the pages of one Chromium, or of one of its contexts.
pub trait RequestPolicy: Debug + Send + Sync {
    /// Decides on a paused request. `is_main_frame` is true for a request of the page itself, false for one of
    /// a frame.
    fn decide_paused_request(&self, paused: &CdpEvent, is_main_frame: bool) -> PausedDecision;

    /// Hands a request to the owner of the page. Returns it if nobody judges the requests of these pages.
    fn forward_for_judgement(&self, paused: PausedRequest) -> Result<(), PausedRequest>;

    /// Returns the reply to an authentication challenge.
    fn answer_challenge(&self, challenge: &CdpEvent) -> RawCommand;

    /// Stores what a person typed, if the event reports that.
    fn store_typed(&self, event: &CdpEvent);
}
