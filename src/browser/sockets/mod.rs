//! Messages of sockets, data channels and transports. A wrapper in each document and worker holds them until they are
//! judged, like the requests that Chromium pauses; what gets around it is noticed by Chromium's own reports.

pub mod guard;
pub mod message_report;
pub mod sent_frames;
