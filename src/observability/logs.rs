//! Logs: structured, to standard error, as text for people or as JSON. Secrets do not reach them, because
//! `config::secret::Secret` prints as a mask.

use crate::config::{LogFormat, Telemetry};
use tracing::{Level, Subscriber};
use tracing_subscriber::filter::{EnvFilter, ParseError, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

/// Levels of verbose libraries: only their warnings or errors are logged. A filter in the settings replaces
/// this.
const QUIET: &str = "chromiumoxide=error,hyper=warn,reqwest=warn,actix_server=warn,mio=warn";
/// Libraries whose logs of the wire contain text typed into pages and values passed over MCP. They never log
/// below warning level, whatever the filter.
const WIRE: [&str; 5] = ["chromiumoxide", "tungstenite", "async_tungstenite", "tokio_tungstenite", "rmcp"];

#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    #[error("`telemetry.level` is neither a level nor a filter: {0}; try info or info,askfirst=debug")]
    Filter(#[from] ParseError),
    #[error("logs were already started in this process: {0}")]
    Twice(#[from] TryInitError),
}

/// Installs the log subscriber of this process.
pub fn start(settings: &Telemetry) -> Result<(), TelemetryError> {
    subscriber(settings, std::io::stderr)?.try_init()?;
    Ok(())
}

/// Builds the subscriber that `start` installs, with any writer.
pub fn subscriber<W>(
    settings: &Telemetry,
    writer: W,
) -> Result<Box<dyn Subscriber + Send + Sync>, TelemetryError>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let quiet_wire = filter_fn(|about| *about.level() <= Level::WARN || !is_of_wire(about.target()));
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    let registry = tracing_subscriber::registry().with(filter(&settings.level)?).with(quiet_wire);
    Ok(match settings.log {
        LogFormat::Human => Box::new(registry.with(lines.with_ansi(false))),
        LogFormat::Json => Box::new(registry.with(lines.json().flatten_event(true))),
    })
}

/// Compares whole crate names: a target is the crate name itself or starts with it and `::`.
fn is_of_wire(target: &str) -> bool {
    let is_wire =
        |name: &str| target.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
    WIRE.into_iter().any(is_wire)
}

/// Parses the level setting. A text with `=` or `,` is a complete filter. Anything else must be a level,
/// which also quiets verbose libraries; for an invalid one the fallback returns the error.
fn filter(level: &str) -> Result<EnvFilter, ParseError> {
    if level.contains(['=', ',']) {
        return EnvFilter::try_new(level);
    }
    level.parse::<tracing::level_filters::LevelFilter>().map_or_else(
        |_| EnvFilter::try_new(format!("askfirst={level}")),
        |word| EnvFilter::try_new(format!("{word},{QUIET}")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::recording::Recording;
    use crate::config::secret::Secret;
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    /// A writer whose lines can be read afterwards.
    #[derive(Clone, Default)]
    struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for SharedBuffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn settings(log: LogFormat, level: &str) -> Telemetry {
        let level = level.to_owned();
        Telemetry {
            log,
            level,
            otlp_endpoint: None,
            otlp_headers: None,
            otlp_content: false,
            record_model: Recording::All,
        }
    }

    fn capture_log(log: LogFormat, level: &str, speak: impl FnOnce()) -> String {
        let paper = SharedBuffer::default();
        let writer = paper.clone();
        let settings = settings(log, level);
        let subscriber = subscriber(&settings, move || writer.clone()).unwrap();
        tracing::subscriber::with_default(subscriber, speak);
        let bytes = paper.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn json_lines_carry_fields_and_no_secret() {
        let key = Secret::new("sk-very-secret");
        let text =
            capture_log(LogFormat::Json, "info", || tracing::info!(run_id = "r1", ?key, "run started"));
        let line: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
        assert_eq!((&line["message"], &line["run_id"]), (&"run started".into(), &"r1".into()));
        assert_eq!((&line["level"], &line["key"]), (&"INFO".into(), &"••••".into()));
        assert!(!text.contains("sk-very-secret"));
    }

    #[test]
    fn log_levels_and_filters_apply() {
        let speak = || {
            tracing::debug!("fine");
            tracing::info!("plain");
            tracing::warn!(target: "chromiumoxide::handler", "chatter");
        };
        let plain = capture_log(LogFormat::Human, "info", speak);
        assert!(plain.contains("plain") && !plain.contains("fine") && !plain.contains("chatter"), "{plain}");
        assert!(capture_log(LogFormat::Human, "debug", speak).contains("fine"));
        assert!(capture_log(LogFormat::Human, "info,chromiumoxide=warn", speak).contains("chatter"));
        assert_eq!(capture_log(LogFormat::Human, "off", speak), "");
    }

    // The messages to Chromium contain text that is typed into pages.
    #[test]
    fn no_log_filter_records_messages_to_chromium() {
        let speak = || {
            tracing::trace!(target: "tungstenite::protocol", "hunter2");
            tracing::trace!(target: "chromiumoxide::conn", "hunter2");
            tracing::info!(target: "chromiumoxide", "hunter2");
            tracing::trace!(target: "rmcp::service", "hunter2");
            tracing::info_span!(target: "chromiumoxide::conn", "sent", text = "hunter2").in_scope(|| ());
            tracing::debug!("ours");
        };
        for level in [
            "trace",
            "trace,askfirst=debug",
            "debug,chromiumoxide=trace,tungstenite=trace",
            "debug,chromiumoxide::conn=trace,tungstenite::protocol=trace",
            "debug,[sent]=trace",
        ] {
            let output = capture_log(LogFormat::Human, level, speak);
            assert!(output.contains("ours") && !output.contains("hunter2"), "{level}: {output}");
        }
    }

    #[test]
    fn an_unknown_log_level_is_refused_by_name() {
        let settings = settings(LogFormat::Human, "loud");
        let complaint = subscriber(&settings, io::stderr).err().unwrap().to_string();
        assert!(complaint.contains("telemetry.level"), "{complaint}");
    }
}
