//! Shape of a request that a page is about to send, as the browser pauses it.

use serde::{Deserialize, Serialize};

/// A request that has not left yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutgoingRequest {
    /// Method in upper case.
    pub method: String,
    /// Absolute URL.
    pub url: String,
    /// Address of the document or worker that sends it; empty if unknown.
    pub document: String,
    /// Address of the top page.
    pub page: String,
    pub kind: RequestKind,
    /// `Content-Type` header; empty if absent.
    pub content_type: String,
    /// Body as far as the browser gives it; Chromium leaves the contents of files out. Base64 in JSON.
    #[serde(with = "body_base64", skip_serializing_if = "Option::is_none")]
    pub body: Option<Vec<u8>>,
    /// Size of the whole body in bytes, if known.
    pub size: Option<u64>,
}

/// Way in which a request is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// Loads the top page.
    Navigation,
    /// Loads the page of a frame.
    FrameNavigation,
    /// `fetch` and `XMLHttpRequest`.
    Fetch,
    /// `navigator.sendBeacon`, and the `ping` attribute of links.
    Beacon,
    Image,
    EventSource,
    Socket,
    /// Sent by a worker or service worker, or loads its script.
    Worker,
    #[default]
    Other,
}

impl RequestKind {
    /// Returns the kind for a `ResourceType` of the DevTools protocol. A worker has no resource type of its own:
    /// the browser sets [`RequestKind::Worker`] by the target that sends.
    pub fn from_resource_type(resource_type: &str, is_main_frame: bool) -> Self {
        match resource_type {
            "Document" if is_main_frame => Self::Navigation,
            "Document" => Self::FrameNavigation,
            "XHR" | "Fetch" => Self::Fetch,
            "Ping" => Self::Beacon,
            "Image" => Self::Image,
            "EventSource" => Self::EventSource,
            "WebSocket" => Self::Socket,
            // Stylesheet, Media, Font, Script, TextTrack, Prefetch, Manifest, SignedExchange, CSPViolationReport,
            // Preflight, Other
            _ => Self::Other,
        }
    }

    /// Reports whether a document is loaded, in the top page or in a frame.
    pub fn is_navigation(self) -> bool {
        matches!(self, Self::Navigation | Self::FrameNavigation)
    }
}

/// Body as base64 text.
mod body_base64 {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(body: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
        match body {
            Some(bytes) => serializer.serialize_some(&STANDARD.encode(bytes)),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| STANDARD.decode(text).map_err(D::Error::custom)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_survives_json_with_any_body() {
        for body in [None, Some(Vec::new()), Some(vec![0, 159, 146, 150, 255])] {
            let request = OutgoingRequest {
                method: String::from("POST"),
                url: String::from("https://shop.test/cart"),
                kind: RequestKind::Fetch,
                body,
                size: Some(5),
                ..OutgoingRequest::default()
            };
            let json = serde_json::to_string(&request).unwrap();
            assert_eq!(serde_json::from_str::<OutgoingRequest>(&json).unwrap(), request, "{json}");
        }
        assert!(serde_json::from_str::<OutgoingRequest>(r#"{"body": "no base64!"}"#).is_err());
        assert_eq!(serde_json::from_str::<OutgoingRequest>("{}").unwrap(), OutgoingRequest::default());
    }

    #[test]
    fn resource_types_have_kinds() {
        for (name, is_main_frame, kind) in [
            ("Document", true, RequestKind::Navigation),
            ("Document", false, RequestKind::FrameNavigation),
            ("XHR", true, RequestKind::Fetch),
            ("Fetch", false, RequestKind::Fetch),
            ("Ping", true, RequestKind::Beacon),
            ("Image", true, RequestKind::Image),
            ("EventSource", true, RequestKind::EventSource),
            ("WebSocket", true, RequestKind::Socket),
            ("CSPViolationReport", true, RequestKind::Other),
            ("a type of tomorrow", true, RequestKind::Other),
        ] {
            assert_eq!(RequestKind::from_resource_type(name, is_main_frame), kind, "{name}");
        }
        assert!(RequestKind::FrameNavigation.is_navigation() && !RequestKind::Fetch.is_navigation());
    }
}
