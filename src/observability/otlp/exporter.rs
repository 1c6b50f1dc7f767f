//! Sends the spans of ended runs to a collector. The store serves as the queue: a file remembers the time up
//! to which runs have been sent, and later runs are still to be sent. Neither an unavailable collector nor a
//! restart loses spans, and no run waits for the export. At most one request is in progress.

use crate::clock::Moment;
use crate::config::Telemetry;
use crate::config::secret::Secret;
use crate::engine::registry::feed::AnyRunEnded;
use crate::ids::RunId;
use crate::observability::otlp::conventions::ContentExport;
use crate::observability::otlp::protobuf::ExportSource;
use crate::observability::otlp::spans::spans;
use crate::observability::otlp::{conventions, protobuf};
use crate::observability::timeline;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::trace::TraceBounds;
use actix::prelude::*;
use reqwest::header::CONTENT_TYPE;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Timeout of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// First and last pause after a failure. The pause doubles after each failure.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LAST_WAIT: Duration = Duration::from_secs(60);
/// Maximum number of runs waiting to be sent. If there are more, the oldest are skipped.
const BACKLOG: usize = 10_000;
const PAGE: usize = 256;
/// Limits of one export: the run itself without its children, and its newest steps.
const BOUNDS: TraceBounds = TraceBounds { runs: 1, steps: 5_000 };
/// Maximum number of spans in a request.
const AT_ONCE: usize = 2_000;

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the collector does not answer: {0}")]
    Away(String),
    #[error("the collector refuses: status {0}")]
    Refused(u16),
    #[error("what has been exported cannot be remembered: {0}")]
    Unwritten(#[from] std::io::Error),
}

/// Requests an export of everything that has ended. The reply comes when all is sent, or cannot be sent now.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Flush;

/// Retry after a failure.
#[derive(Message)]
#[rtype(result = "()")]
struct Retry;

pub struct Exporter {
    work: Arc<ExportJob>,
    under_way: bool,
    /// True if another run ended during the export.
    more: bool,
    wait: Duration,
    waits: Option<SpawnHandle>,
    flushing: Vec<tokio::sync::oneshot::Sender<()>>,
}

/// Dependencies of the export.
struct ExportJob {
    store: Arc<dyn Store>,
    http: reqwest::Client,
    url: String,
    headers: Vec<(String, Secret)>,
    contents: ContentExport,
    file: PathBuf,
}

/// Progress of the export: all runs that ended before `ended_at`, and these that ended at that time.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct ExportProgress {
    ended_at: i64,
    runs: BTreeSet<RunId>,
}

impl Exporter {
    /// Returns `None` if no collector is set, or if the client cannot be created, which is logged.
    pub fn from_settings(
        settings: &Telemetry,
        data_dir: &std::path::Path,
        store: Arc<dyn Store>,
    ) -> Option<Self> {
        let endpoint = settings.otlp_endpoint.as_deref()?.trim_end_matches('/');
        let url = match endpoint.ends_with("/v1/traces") {
            true => endpoint.to_owned(),
            false => format!("{endpoint}/v1/traces"),
        };
        let headers = settings.otlp_headers.as_ref().map(|text| pairs(text.expose())).unwrap_or_default();
        let http = reqwest::Client::builder().timeout(REQUEST_TIMEOUT).build();
        let http = http.inspect_err(|fault| tracing::error!(%fault, "no spans are exported")).ok()?;
        let contents = if settings.otlp_content { ContentExport::Included } else { ContentExport::Omitted };
        let file = data_dir.join("otlp.json");
        let work = Arc::new(ExportJob { store, http, url, headers, contents, file });
        Some(Self {
            work,
            under_way: false,
            more: false,
            wait: FIRST_WAIT,
            waits: None,
            flushing: Vec::new(),
        })
    }

    fn begin(&mut self, ctx: &mut Context<Self>) {
        if std::mem::replace(&mut self.under_way, true) {
            self.more = true;
            return;
        }
        self.waits.take().map(|timer| ctx.cancel_future(timer));
        self.more = false;
        let work = Arc::clone(&self.work);
        let sent = async move { work.all().await };
        ctx.spawn(sent.into_actor(self).map(|sent, exporter, ctx| exporter.finish_sending(sent, ctx)));
    }

    fn finish_sending(&mut self, sent: Result<(), ExportError>, ctx: &mut Context<Self>) {
        self.under_way = false;
        match sent {
            Ok(()) => self.wait = FIRST_WAIT,
            Err(fault) => {
                tracing::warn!(%fault, url = self.work.url, "spans not exported; they are tried again");
                self.waits = Some(ctx.notify_later(Retry, self.wait));
                self.wait = (self.wait * 2).min(LAST_WAIT);
            }
        }
        if self.more && self.waits.is_none() {
            return self.begin(ctx);
        }
        for waiter in self.flushing.drain(..) {
            // The receiver may have stopped waiting.
            let _ = waiter.send(());
        }
    }
}

impl Actor for Exporter {
    type Context = Context<Self>;

    /// Exports the runs that ended before the start.
    fn started(&mut self, ctx: &mut Self::Context) {
        self.begin(ctx);
    }
}

impl Handler<AnyRunEnded> for Exporter {
    type Result = ();

    fn handle(&mut self, _: AnyRunEnded, ctx: &mut Self::Context) {
        // During a pause after a failure, the timer starts the next export.
        if self.waits.is_none() {
            self.begin(ctx);
        }
    }
}

impl Handler<Retry> for Exporter {
    type Result = ();

    fn handle(&mut self, _: Retry, ctx: &mut Self::Context) {
        self.waits = None;
        self.begin(ctx);
    }
}

impl Handler<Flush> for Exporter {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Flush, ctx: &mut Self::Context) -> Self::Result {
        let (done, wait) = tokio::sync::oneshot::channel();
        self.flushing.push(done);
        self.begin(ctx);
        Box::pin(async move { drop(wait.await) })
    }
}

impl ExportJob {
    /// Sends all ended runs that have not been sent, the oldest first.
    async fn all(&self) -> Result<(), ExportError> {
        let Some(mut sent) = self.load_progress().await? else {
            // On the first export, runs that ended earlier are not sent.
            return self
                .remember(&ExportProgress { ended_at: Moment::now().millis(), runs: BTreeSet::new() })
                .await;
        };
        for (run, ended_at) in self.unsent_runs(&sent).await? {
            self.export(&run).await?;
            if ended_at.millis() > sent.ended_at {
                sent = ExportProgress { ended_at: ended_at.millis(), runs: BTreeSet::new() };
            }
            sent.runs.insert(run);
            self.remember(&sent).await?;
        }
        Ok(())
    }

    async fn export(&self, run: &RunId) -> Result<(), ExportError> {
        let (row, timeline) =
            (self.store.run(run.clone()).await?, timeline::read_timeline(&*self.store, run, BOUNDS).await?);
        // A reopened run is exported when it ends again.
        let Some((row, timeline)) = row.zip(timeline).filter(|(row, _)| row.ended_at.is_some()) else {
            return Ok(());
        };
        let known = self.store.last_exported_step(run.clone()).await?;
        let all = spans(&row, &timeline, known, self.contents);
        for some in all.chunks(AT_ONCE) {
            self.send(protobuf::request(&sender(), some)).await?;
        }
        Ok(self.store.set_last_exported_step(run.clone(), row.last_step).await?)
    }

    async fn unsent_runs(&self, sent: &ExportProgress) -> Result<Vec<(RunId, Moment)>, ExportError> {
        let mut unsent = Vec::new();
        loop {
            let page = self.store.latest_ended_runs(unsent.len(), PAGE).await?;
            let full = page.len() == PAGE;
            let fresh = page.into_iter().take_while(|(_, at)| at.millis() >= sent.ended_at);
            let before = unsent.len();
            unsent.extend(fresh);
            if !full || unsent.len() - before < PAGE {
                break;
            }
            if unsent.len() >= BACKLOG {
                tracing::warn!(
                    runs = BACKLOG,
                    "more runs ended than spans are kept for; the oldest are passed over"
                );
                break;
            }
        }
        unsent.retain(|(run, at)| at.millis() > sent.ended_at || !sent.runs.contains(run));
        unsent.reverse();
        Ok(unsent)
    }

    async fn send(&self, body: Vec<u8>) -> Result<(), ExportError> {
        let mut request = self.http.post(&self.url).header(CONTENT_TYPE, "application/x-protobuf").body(body);
        for (name, value) in &self.headers {
            request = request.header(name, value.expose());
        }
        let answer =
            request.send().await.map_err(|fault| ExportError::Away(fault.without_url().to_string()))?;
        match answer.status().as_u16() {
            200..300 => Ok(()),
            // Retryable status codes of the OTLP specification.
            status @ (429 | 502 | 503 | 504) => Err(ExportError::Refused(status)),
            status => {
                tracing::error!(status, "the collector refuses the spans of a run; they are given up");
                Ok(())
            }
        }
    }

    async fn load_progress(&self) -> Result<Option<ExportProgress>, ExportError> {
        match tokio::fs::read(&self.file).await {
            // An unreadable file counts as missing.
            Ok(text) => Ok(serde_json::from_slice(&text).ok()),
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Writes the progress atomically.
    async fn remember(&self, sent: &ExportProgress) -> Result<(), ExportError> {
        let beside = self.file.with_extension("json.new");
        tokio::fs::write(&beside, serde_json::json!(sent).to_string()).await?;
        Ok(tokio::fs::rename(&beside, &self.file).await?)
    }
}

fn sender() -> ExportSource<'static> {
    ExportSource {
        resource: conventions::resource(),
        scope: "askfirst",
        version: env!("CARGO_PKG_VERSION"),
        schema_url: conventions::SCHEMA_URL,
    }
}

/// Parses headers in the format of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,other=value`.
fn pairs(text: &str) -> Vec<(String, Secret)> {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().to_owned(), Secret::new(value.trim())))
    };
    text.split(',').filter_map(pair).collect()
}
