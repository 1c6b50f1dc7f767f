//! OpenTelemetry: the spans of runs for a collector, over HTTP as protobuf. They are derived from what is stored
//! (`timeline`), not from what the process remembers, so a restart loses none and a whole run tree is one trace.

mod conventions;
mod exporter;
mod openings;
mod span;
mod spans;
#[cfg(test)]
mod tests;
mod wire;

pub use exporter::Exporter;

use crate::config::Settings;
use crate::run::feed::{Feed, HearEnds};
use crate::store::Store;
use actix::prelude::*;
use exporter::Flush;
use std::sync::Arc;
use std::time::Duration;

/// What has ended just before the service does gets so long; what is not sent by then is sent by the next one.
const GRACE: Duration = Duration::from_millis(1_500);

/// Sends the spans of each run that ends from now on; nobody, if no collector is set.
pub fn start(settings: &Settings, store: &Arc<dyn Store>, feed: &Addr<Feed>) -> Option<Addr<Exporter>> {
    let exporter = Exporter::of(&settings.telemetry, &settings.data_dir, Arc::clone(store))?.start();
    feed.do_send(HearEnds(exporter.clone().recipient()));
    Some(exporter)
}

/// Returns when all has been sent, or the time for that is up.
pub async fn flushed(exporter: Option<Addr<Exporter>>) {
    if let Some(exporter) = exporter {
        let _ = tokio::time::timeout(GRACE, exporter.send(Flush)).await;
    }
}
