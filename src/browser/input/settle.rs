//! Waiting after an action until the page shows its result: two animation frames on a still page, until the
//! response is shown on a page that sent requests, and never without a limit.

use crate::browser::cdp::message::CdpEvents;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::action_trace::{ActionTrace, TracedAction};
use crate::browser::input::activity::{Activity, DocumentProgress};
use crate::browser::network::url_policy;
use crate::browser::page::frames::query_all;
use crate::browser::page::tab::Tab;
use crate::clock::Stopwatch;
use crate::protocol::action_effect::ActionEffect;
use chromiumoxide::cdp::browser_protocol::page::StopLoadingParams;
use futures_util::FutureExt;
use futures_util::future::{Fuse, FusedFuture, LocalBoxFuture, join};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Milliseconds for which pending requests keep a loaded page from counting as settled.
const NETWORK_MS: u64 = 3000;
/// Milliseconds without a change after which a page that changed counts as settled.
const QUIET_MS: u64 = 60;
/// Milliseconds after which the wait for a constantly changing page ends.
const RESTLESS_MS: u64 = 1500;
/// Milliseconds for which a loaded page may show nothing while its scripts still ask for its content.
const FIRST_CONTENT_MS: u64 = 5000;
/// Milliseconds after which a page without content is looked at again.
const CONTENT_CHECK_MS: u64 = 150;

const BUSY: &str = "the page still changes or waits for answers; wait if what you need is not here yet";
const LOADING: &str = "the page shows that it is still loading; wait if what you need is not here yet";

/// Time within which a step in the history or a reload begins, if at all.
const NAVIGATION_START_TIMEOUT: Duration = Duration::from_secs(1);

/// Reason why the wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// The page did not change for two animation frames.
    Still,
    /// The page changed and came to rest.
    Quiet,
    /// The page still changes or waits for responses when the time is up.
    Busy,
    /// The page shows that it is still loading when the time is up.
    Loading,
    /// Another document was loaded and came to rest.
    Loaded,
    /// The page has opened a dialog and waits for the answer.
    #[serde(rename = "asks")]
    DialogOpen,
    /// A request of the page waits for a person.
    RequestHeld,
}

impl Settled {
    pub fn word(self) -> &'static str {
        match self {
            Self::Still => "still",
            Self::Quiet => "quiet",
            Self::Busy => "busy",
            Self::Loading => "loading",
            Self::Loaded => "loaded",
            Self::DialogOpen => "dialog",
            Self::RequestHeld => "held",
        }
    }

    /// Returns what the model is told of a page that has not come to rest.
    pub(super) fn note(self) -> Option<&'static str> {
        match self {
            Self::Busy => Some(BUSY),
            Self::Loading => Some(LOADING),
            Self::Still | Self::Quiet | Self::Loaded | Self::DialogOpen | Self::RequestHeld => None,
        }
    }
}

/// Wait for a page to settle. Created before the action, so that no event is missed.
#[derive(Debug)]
pub struct SettleWait {
    tab: Tab,
    events: CdpEvents,
    pub activity: Activity,
    began: Stopwatch,
    pub load_timeout: Duration,
    navigated: bool,
    /// Set if the result says what the action did.
    pub traced: Option<TracedAction>,
    /// Traces of the action in the page and its frames, as of the last wait.
    pub traces: Vec<ActionTrace>,
    /// Effects that the action reports itself, not found by tracing.
    pub effects: Vec<ActionEffect>,
    /// Measures the time spent on the loaded document, against `NETWORK_MS`.
    document_clock: Stopwatch,
    /// Content missing at the last wait.
    missing_content: Option<MissingContent>,
}

/// The settled page.
#[derive(Clone, Debug, PartialEq)]
pub struct SettledPage {
    pub settled: Settled,
    pub url: String,
    pub title: String,
}

/// Kind of page that has been loaded and has no content yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MissingContent {
    /// It shows nothing.
    Empty,
    /// It shows nothing but that it is loading.
    Loading,
}

/// Reply of the page script, a list of these values in this order.
#[derive(Debug, Deserialize)]
struct QuietReply {
    why: String,
    url: String,
    title: String,
    /// True if the page is about to close itself.
    closes: bool,
    trace: Option<ActionTrace>,
    /// Set for another document than before that has no content yet.
    missing_content: Option<MissingContent>,
}

/// The world of the page script, while it is made in a document that is being read.
type WorldPreparation = Fuse<LocalBoxFuture<'static, ()>>;

/// Time to wait for the world of the page script once the document is there.
const PREPARATION_TIMEOUT: Duration = Duration::from_millis(200);
/// Time within which a page that closed itself is gone.
const CLOSING: Duration = Duration::from_secs(2);

impl SettleWait {
    pub fn begin(tab: &Tab, load_timeout: Duration) -> Self {
        Self::with_events(tab, tab.session.listen(), load_timeout)
    }

    /// Starts a wait with a subscription to events that began earlier.
    pub fn with_events(tab: &Tab, events: CdpEvents, load_timeout: Duration) -> Self {
        for page in std::iter::once(tab.clone())
            .chain(tab.frames.covered().into_iter().map(|frame| tab.for_frame(frame)))
        {
            page.post_call("beginWait()");
        }
        let activity = Activity::with_session(tab.session.id(), tab.target.clone(), tab.policy.clone());
        let now = Stopwatch::start();
        Self {
            tab: tab.clone(),
            events,
            activity,
            began: now,
            load_timeout,
            navigated: false,
            traced: None,
            traces: Vec::new(),
            effects: Vec::new(),
            document_clock: now,
            missing_content: None,
        }
    }

    /// Takes the result of a navigation command: whether another document will arrive.
    pub fn expect(&mut self, is_coming: bool) {
        self.drain();
        if is_coming && self.activity.document == DocumentProgress::Kept {
            self.activity.document = DocumentProgress::Asked;
        }
    }

    /// Waits up to a second until the page begins to navigate.
    pub async fn wait_for_navigation_start(&mut self) {
        let moved = async {
            let still = |activity: &Activity| {
                activity.document == DocumentProgress::Kept && activity.blocked.is_none()
            };
            while still(&self.activity) && !self.activity.moved_within {
                match self.events.recv().await {
                    Some(event) => self.activity.handle_event(&event),
                    None => return,
                }
            }
        };
        let _ = tokio::time::timeout(NAVIGATION_START_TIMEOUT, moved).await;
    }

    /// Waits until the page has settled. If the future is dropped early, the load in progress is stopped.
    pub async fn settle(&mut self) -> Result<SettledPage, PageError> {
        self.drain();
        self.document_clock = Stopwatch::start();
        if !self.activity.is_navigating() {
            // A load that begins now gets the full load timeout.
            self.began = self.document_clock;
        }
        loop {
            self.drain();
            self.wait_for_document().await?;
            let rest = self.wait_for_quiet().await?;
            if self.activity.is_navigating() {
                continue;
            }
            let over = self.document_clock.millis() > NETWORK_MS && !self.activity.awaits_released();
            if let Some(rest) = rest.filter(|_| over || !self.activity.is_waiting()) {
                // Some failures are reported only after the event that they explain.
                self.failure()?;
                if self.awaits_content() {
                    self.wait_for_content().await;
                    continue;
                }
                let rest = SettledPage { settled: self.settled_without_content(rest.settled), ..rest };
                let is_loaded = self.navigated
                    && !matches!(
                        (rest.settled, self.missing_content),
                        (Settled::Loading, _) | (Settled::Busy, Some(_))
                    );
                let settled = if is_loaded { Settled::Loaded } else { rest.settled };
                return Ok(SettledPage { settled, ..rest });
            }
            self.wait_for_requests().await;
        }
    }

    /// Reports whether a loaded page shows nothing yet but is expected to: it shows a loading sign or has open requests.
    fn awaits_content(&self) -> bool {
        let will_come = match self.missing_content {
            None => false,
            Some(MissingContent::Loading) => true,
            Some(MissingContent::Empty) => self.activity.has_open_request(),
        };
        will_come && self.document_clock.millis() < FIRST_CONTENT_MS
    }

    /// Waits a moment for the first content of the page.
    async fn wait_for_content(&mut self) {
        let moment = Stopwatch::start();
        while !self.activity.is_navigating() {
            let left = Duration::from_millis(CONTENT_CHECK_MS.saturating_sub(moment.millis()));
            match tokio::time::timeout(left, self.events.recv()).await {
                Ok(Some(event)) => self.activity.handle_event(&event),
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Corrects how a page came to rest that shows nothing when the time is up.
    fn settled_without_content(&self, settled: Settled) -> Settled {
        match self.missing_content {
            Some(MissingContent::Loading) => Settled::Loading,
            Some(MissingContent::Empty) if self.activity.has_open_request() => Settled::Busy,
            Some(MissingContent::Empty) | None => settled,
        }
    }

    pub(in crate::browser) fn drain(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.activity.handle_event(&event);
        }
    }

    /// Waits until a requested document has arrived and been parsed.
    async fn wait_for_document(&mut self) -> Result<(), PageError> {
        if !self.activity.is_navigating() {
            return self.failure();
        }
        let stop = StopLoadingOnDrop::new(&self.tab);
        let left = self.load_timeout.saturating_sub(Duration::from_millis(self.began.millis()));
        let mut preparing = WorldPreparation::terminated();
        match tokio::time::timeout(left, self.load_document(&mut preparing)).await {
            Ok(result) => {
                stop.cancel();
                result?;
            }
            Err(_) => return Err(self.too_slow()),
        }
        if !preparing.is_terminated() {
            let _ = tokio::time::timeout(PREPARATION_TIMEOUT, preparing).await;
        }
        self.navigated = self.activity.document != DocumentProgress::Kept;
        self.document_clock = Stopwatch::start();
        self.failure()
    }

    /// Handles events until the document has been parsed. The world of the page script is made meanwhile, by `preparing`.
    async fn load_document(&mut self, preparing: &mut WorldPreparation) -> Result<(), PageError> {
        let mut arrived = self.activity.document == DocumentProgress::Reading;
        let mut is_kept = true;
        while self.activity.is_navigating() {
            if std::mem::take(&mut arrived) {
                *preparing = self.prepare_world();
                is_kept = false;
            }
            let event = tokio::select! {
                event = self.events.recv() => event,
                () = &mut *preparing => continue,
            };
            let Some(event) = event else { return Err(self.tab.session.end_reason().await) };
            self.activity.handle_event(&event);
            arrived = Activity::is_new_document(&event);
        }
        if is_kept || arrived {
            // The world may be that of another document, which the history keeps alive.
            *preparing = WorldPreparation::terminated();
            self.tab.forget_world();
        }
        Ok(())
    }

    /// Makes the world of the page script in a document that has just arrived. A failure shows at the first script.
    fn prepare_world(&self) -> WorldPreparation {
        self.tab.forget_world();
        let tab = self.tab.clone();
        let prepared: LocalBoxFuture<'static, ()> = Box::pin(async move { drop(tab.ensure_world().await) });
        prepared.fuse()
    }

    /// Returns an error if the requested document did not arrive.
    pub fn failure(&self) -> Result<(), PageError> {
        if let Some(message) = &self.activity.blocked {
            return Err(url_policy::fault(message.clone()));
        }
        match &self.activity.failed {
            Some(why) => Err(PageError::new(ErrorCode::NavigationFailed, why.clone())),
            None => Ok(()),
        }
    }

    fn too_slow(&self) -> PageError {
        let seconds = self.load_timeout.as_secs();
        let what = match self.activity.document {
            DocumentProgress::Reading => "began to load and did not get done",
            DocumentProgress::Asked
            | DocumentProgress::Kept
            | DocumentProgress::Parsed
            | DocumentProgress::Loaded => "did not answer",
        };
        PageError::new(
            ErrorCode::Timeout,
            format!("the page {what} within {seconds} s; try again later, or go elsewhere"),
        )
    }

    /// Reports how the page came to rest; `None` if another document replaced it meanwhile.
    async fn wait_for_quiet(&mut self) -> Result<Option<SettledPage>, PageError> {
        let tab = self.tab.clone();
        // Also fetches address and title, to save a round trip.
        let missing_content = if self.navigated { "askfirst.lackingContent()" } else { "null" };
        let call = format!(
            "askfirst.quiet({{quietMs: {QUIET_MS}, maxMs: {RESTLESS_MS}}})\
             .then((rest) => rest.error ? rest : [rest.why, location.href, document.title, closed, \
             askfirst.traceSoFar(), {missing_content}])"
        );
        let quiet = async {
            let (rest, frames) =
                join(tab.run_once::<QuietReply>(&call), query_all::wait_for_quiet_frames(&tab, QUIET_MS))
                    .await;
            rest.map(|rest| (if frames.changed { rest.with_frame_change() } else { rest }, frames.traces))
        };
        tokio::pin!(quiet);
        while !self.activity.is_navigating() {
            tokio::select! {
                biased;
                event = self.events.recv() => match event {
                    Some(event) => self.activity.handle_event(&event),
                    None => return Err(self.tab.session.end_reason().await),
                },
                rest = &mut quiet => return match rest {
                    Ok((quiet, _)) if quiet.closes => Err(self.closed_tab_error().await),
                    Ok((mut quiet, frames)) => {
                        self.traces = quiet.trace.take().into_iter().chain(frames).collect();
                        self.missing_content = quiet.missing_content;
                        Ok(Some(quiet.into()))
                    }
                    Err(fault) if fault.is_lost_document() => {
                        self.tab.forget_world();
                        Ok(None)
                    }
                    Err(fault) => Err(fault),
                },
            }
        }
        Ok(None)
    }

    async fn closed_tab_error(&mut self) -> PageError {
        let end = async { while self.events.recv().await.is_some() {} };
        match tokio::time::timeout(CLOSING, end).await {
            Ok(()) => self.tab.session.end_reason().await,
            Err(_) => PageError::tab_closed(),
        }
    }

    /// Waits for pending requests, at most until the page's time is up.
    async fn wait_for_requests(&mut self) {
        while self.activity.is_waiting() && !self.activity.is_navigating() {
            let left = match self.activity.awaits_released() {
                true => NETWORK_MS,
                false => NETWORK_MS.saturating_sub(self.document_clock.millis()),
            };
            // A request becomes a long poll by age, without an event, so the loop checks every 250 ms.
            match tokio::time::timeout(Duration::from_millis(left.min(250)), self.events.recv()).await {
                Ok(Some(event)) => self.activity.handle_event(&event),
                Ok(None) => return,
                Err(_) if left == 0 => return,
                Err(_) => {}
            }
        }
    }
}

impl QuietReply {
    /// Corrects "still" to "quiet", because a frame within the page changed.
    fn with_frame_change(mut self) -> Self {
        if self.why == Settled::Still.word() {
            Settled::Quiet.word().clone_into(&mut self.why);
        }
        self
    }
}

impl From<QuietReply> for SettledPage {
    fn from(QuietReply { why, url, title, .. }: QuietReply) -> Self {
        let settled = match why.as_str() {
            "still" => Settled::Still,
            "quiet" => Settled::Quiet,
            "loading" => Settled::Loading,
            _ => Settled::Busy,
        };
        Self { settled, url, title }
    }
}

/// Stops the load when dropped, unless the page waits for an answer.
pub(super) struct StopLoadingOnDrop(Option<Tab>);

impl StopLoadingOnDrop {
    pub(super) fn new(tab: &Tab) -> Self {
        Self(Some(tab.clone()))
    }

    /// Lets the load continue, or be over.
    pub(super) fn cancel(mut self) {
        self.0 = None;
    }
}

impl Drop for StopLoadingOnDrop {
    fn drop(&mut self) {
        // The load waits for the answer.
        if let Some(tab) = self.0.as_ref().filter(|tab| !tab.waits_for_answer()) {
            tab.session.post(StopLoadingParams::default());
        }
    }
}
