//! A request that a page sends, as it is judged before it leaves. Pure data.

pub mod request_shape;

use serde::{Deserialize, Serialize};

/// Method of a message that leaves by a socket, a data channel or a transport.
pub const MESSAGE: &str = "MESSAGE";

/// Stands for the address of a document that does not tell its own; no document has it.
pub const HIDDEN_DOCUMENT: &str = "hidden:";
/// Size of a body that Chromium does not report, in bytes.
pub const WITHHELD_SIZE: u64 = 1;

/// A request of a page, frame or worker. Addresses are complete, so they may contain secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutgoingRequest {
    /// In upper case.
    pub method: String,
    pub url: String,
    /// Address or origin of the document or worker that sends it; empty if it is the page, [`HIDDEN_DOCUMENT`] if it is
    /// a frame that does not tell.
    pub document: String,
    /// Address of the top page; empty for a worker that belongs to no page.
    pub page: String,
    pub kind: RequestKind,
    /// `Content-Type` header; empty if absent.
    pub content_type: String,
    /// Body as far as Chromium reports it; never stored.
    #[serde(skip)]
    pub body: Option<Vec<u8>>,
    /// Size of the body in bytes, if known.
    pub size: Option<u64>,
}

/// Kind of a request, by what sends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// The page itself goes to another document.
    Navigation,
    FrameNavigation,
    Fetch,
    Beacon,
    Image,
    EventSource,
    Socket,
    #[default]
    Other,
}

impl RequestKind {
    /// Reads CDP's resource type.
    pub fn from_resource_type(resource_type: &str, is_main_frame: bool) -> Self {
        match resource_type {
            "Document" if is_main_frame => Self::Navigation,
            "Document" => Self::FrameNavigation,
            "XHR" | "Fetch" => Self::Fetch,
            "Ping" => Self::Beacon,
            "Image" => Self::Image,
            "EventSource" => Self::EventSource,
            "WebSocket" => Self::Socket,
            _ => Self::Other,
        }
    }

    /// True for a request that opens a document.
    pub fn is_navigation(self) -> bool {
        matches!(self, Self::Navigation | Self::FrameNavigation)
    }
}

impl OutgoingRequest {
    /// True for a message of a socket.
    pub fn is_message(&self) -> bool {
        self.method == MESSAGE
    }

    /// True if the method promises to change nothing (RFC 9110, section 9.2.1). Only a script of the page sends
    /// `OPTIONS` with a body, and a server may do anything with it.
    pub fn is_safe_method(&self) -> bool {
        let has_body = self.body.is_some() || self.size.is_some_and(|size| size > 0);
        match self.method.as_str() {
            "GET" | "HEAD" => true,
            "OPTIONS" | "TRACE" => !has_body,
            _ => false,
        }
    }
}
