//! OpenTelemetry export: spans of runs for a collector, as protobuf over HTTP. Spans are derived from stored
//! rows (`timeline`) and not from process memory, so a restart loses none. A run tree is one trace.

pub(crate) mod open_periods;
pub(crate) mod conventions;
pub(crate) mod exporter;
pub(crate) mod span;
pub(crate) mod spans;
#[cfg(test)]
mod tests;
pub(crate) mod protobuf;

use crate::config::Settings;
use crate::engine::registry::feed::{Feed, SubscribeEnds};
use crate::observability::otlp::exporter::Exporter;
use crate::observability::otlp::exporter::Flush;
use crate::store::Store;
use actix::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// Time at shutdown to send the last spans. The next process sends the rest.
const GRACE: Duration = Duration::from_millis(1_500);

/// Starts the exporter of runs that end from now on. Returns `None` if no collector is set.
pub fn start(settings: &Settings, store: &Arc<dyn Store>, feed: &Addr<Feed>) -> Option<Addr<Exporter>> {
    let exporter =
        Exporter::from_settings(&settings.telemetry, &settings.data_dir, Arc::clone(store))?.start();
    feed.do_send(SubscribeEnds(exporter.clone().recipient()));
    Some(exporter)
}

/// Waits until all spans are sent, or the time is up.
pub async fn flush(exporter: Option<Addr<Exporter>>) {
    if let Some(exporter) = exporter {
        let _ = tokio::time::timeout(GRACE, exporter.send(Flush)).await;
    }
}
