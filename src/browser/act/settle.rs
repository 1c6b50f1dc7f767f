//! After an action: waits until the page shows what came of it. Two frames on a still page; on a
//! page that went to the network until the answer is on it; never for ever.

use super::activity::{Activity, Document};
use crate::browser::closed;
use crate::browser::fault::{Code, Fault};
use crate::browser::frames::whole;
use crate::browser::tab::Tab;
use crate::browser::wire::Events;
use crate::clock::Stopwatch;
use chromiumoxide::cdp::browser_protocol::page::StopLoadingParams;
use futures_util::future::join;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long the network may keep a page that is there from counting as settled.
const NETWORK_MS: u64 = 3000;
/// No change for so long after a change is rest.
const QUIET_MS: u64 = 60;
/// A page that changes all the time is left after that.
const RESTLESS_MS: u64 = 1500;

/// A history entry or a reload begins within that time, or not at all.
const SET_OUT: Duration = Duration::from_secs(1);

/// Why the wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// Nothing moved for two frames.
    Still,
    /// It changed and came to rest.
    Quiet,
    /// It still changes, or answers are still to come; it was left so.
    Busy,
    /// Another document came and came to rest.
    Loaded,
    /// The page has opened a dialog, and waits.
    Asks,
}

impl Settled {
    pub fn word(self) -> &'static str {
        match self {
            Self::Still => "still",
            Self::Quiet => "quiet",
            Self::Busy => "busy",
            Self::Loaded => "loaded",
            Self::Asks => "dialog",
        }
    }
}

/// Listens from before the action on, so that nothing is missed.
#[derive(Debug)]
pub struct Settling {
    tab: Tab,
    events: Events,
    pub activity: Activity,
    began: Stopwatch,
    pub load_timeout: Duration,
    navigated: bool,
    /// Since the document is there: what is left of the patience with a restless one.
    patience: Stopwatch,
}

/// The page at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    pub settled: Settled,
    pub url: String,
    pub title: String,
}

/// What the page script says of it: why, address, title, whether the page is about to close itself.
#[derive(Debug, Deserialize)]
struct Quiet(String, String, String, bool);

/// A page that closed itself is gone within that time.
const CLOSING: Duration = Duration::from_secs(2);

impl Settling {
    pub fn begin(tab: &Tab, load_timeout: Duration) -> Self {
        Self::over(tab, tab.listen(), load_timeout)
    }

    /// With events that were gathered since earlier.
    pub fn over(tab: &Tab, events: Events, load_timeout: Duration) -> Self {
        let activity = Activity::of(tab.session.id(), tab.target.clone(), tab.session.closed().clone());
        let now = Stopwatch::start();
        Self { tab: tab.clone(), events, activity, began: now, load_timeout, navigated: false, patience: now }
    }

    /// The answer to an order to navigate: with a loader, another document comes.
    pub fn expect(&mut self, loader: Option<&str>) {
        self.drain();
        if loader.is_some() && self.activity.document == Document::Kept {
            self.activity.document = Document::Asked;
        }
    }

    /// Waits a moment for the page to set out for where it was sent.
    pub async fn set_out(&mut self) {
        let moved = async {
            let still =
                |activity: &Activity| activity.document == Document::Kept && activity.blocked.is_none();
            while still(&self.activity) && !self.activity.moved_within {
                match self.events.recv().await {
                    Some(event) => self.activity.hear(&event),
                    None => return,
                }
            }
        };
        let _ = tokio::time::timeout(SET_OUT, moved).await;
    }

    /// Waits for rest. Dropped before its end it stops what is being loaded.
    pub async fn settle(&mut self) -> Result<Rest, Fault> {
        self.drain();
        self.patience = Stopwatch::start();
        if !self.activity.is_navigating() {
            // A load that begins from here on has all its time.
            self.began = self.patience;
        }
        loop {
            self.drain();
            self.document().await?;
            let rest = self.rest().await?;
            if self.activity.is_navigating() {
                continue;
            }
            let over = self.patience.millis() > NETWORK_MS;
            if let Some(rest) = rest.filter(|_| over || !self.activity.is_waiting()) {
                // What is only told of comes after what it was told for.
                self.failure()?;
                let settled = if self.navigated { Settled::Loaded } else { rest.settled };
                return Ok(Rest { settled, ..rest });
            }
            self.network().await;
        }
    }

    fn drain(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.activity.hear(&event);
        }
    }

    /// Waits until a document that was asked for has come and been read.
    pub async fn document(&mut self) -> Result<(), Fault> {
        if !self.activity.is_navigating() {
            return self.failure();
        }
        let mut stop = StopLoading(Some(self.tab.clone()));
        let left = self.load_timeout.saturating_sub(Duration::from_millis(self.began.millis()));
        let coming = async {
            while self.activity.is_navigating() {
                match self.events.recv().await {
                    Some(event) => self.activity.hear(&event),
                    None => return Err(self.tab.session.end().await),
                }
            }
            Ok(())
        };
        match tokio::time::timeout(left, coming).await {
            Ok(result) => {
                stop.0 = None;
                result?;
            }
            Err(_) => return Err(self.too_slow()),
        }
        self.tab.forget_world();
        self.navigated = self.activity.document != Document::Kept;
        self.patience = Stopwatch::start();
        self.failure()
    }

    /// Why no document came from where the page was sent.
    pub fn failure(&self) -> Result<(), Fault> {
        if let Some(told) = &self.activity.blocked {
            return Err(closed::fault(told.clone()));
        }
        match &self.activity.failed {
            Some(why) => Err(Fault::new(Code::NavigationFailed, why.clone())),
            None => Ok(()),
        }
    }

    fn too_slow(&self) -> Fault {
        let seconds = self.load_timeout.as_secs();
        let what = match self.activity.document {
            Document::Reading => "began to load and did not get done",
            Document::Asked | Document::Kept | Document::Parsed | Document::Loaded => "did not answer",
        };
        Fault::new(
            Code::Timeout,
            format!("the page {what} within {seconds} s; try again later, or go elsewhere"),
        )
    }

    /// How the page came to rest; nothing if another document took its place meanwhile.
    async fn rest(&mut self) -> Result<Option<Rest>, Fault> {
        let tab = self.tab.clone();
        // Address and title with it, for one round trip.
        let call = format!(
            "askfirst.quiet({{quietMs: {QUIET_MS}, maxMs: {RESTLESS_MS}}})\
             .then((rest) => rest.error ? rest : [rest.why, location.href, document.title, closed])"
        );
        let quiet = async {
            let (rest, stirred) = join(tab.run_once::<Quiet>(&call), whole::quiet(&tab, QUIET_MS)).await;
            rest.map(|rest| if stirred { rest.stirred() } else { rest })
        };
        tokio::pin!(quiet);
        while !self.activity.is_navigating() {
            tokio::select! {
                biased;
                event = self.events.recv() => match event {
                    Some(event) => self.activity.hear(&event),
                    None => return Err(self.tab.session.end().await),
                },
                rest = &mut quiet => return match rest {
                    Ok(Quiet(_, _, _, true)) => Err(self.gone().await),
                    Ok(quiet) => Ok(Some(quiet.into())),
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

    async fn gone(&mut self) -> Fault {
        let end = async { while self.events.recv().await.is_some() {} };
        match tokio::time::timeout(CLOSING, end).await {
            Ok(()) => self.tab.session.end().await,
            Err(_) => Fault::tab_closed(),
        }
    }

    /// Waits for what is on its way from the network, as long as the patience lasts.
    async fn network(&mut self) {
        while self.activity.is_waiting() && !self.activity.is_navigating() {
            let left = NETWORK_MS.saturating_sub(self.patience.millis());
            // Long polls grow old without an event, so it looks by itself from time to time.
            match tokio::time::timeout(Duration::from_millis(left.min(250)), self.events.recv()).await {
                Ok(Some(event)) => self.activity.hear(&event),
                Ok(None) => return,
                Err(_) if left == 0 => return,
                Err(_) => {}
            }
        }
    }
}

impl Quiet {
    /// The page itself stood still, a frame in it did not.
    fn stirred(mut self) -> Self {
        if self.0 == Settled::Still.word() {
            Settled::Quiet.word().clone_into(&mut self.0);
        }
        self
    }
}

impl From<Quiet> for Rest {
    fn from(Quiet(why, url, title, _): Quiet) -> Self {
        let settled = match why.as_str() {
            "still" => Settled::Still,
            "quiet" => Settled::Quiet,
            _ => Settled::Busy,
        };
        Self { settled, url, title }
    }
}

/// A load that nobody waits for any more is stopped.
struct StopLoading(Option<Tab>);

impl Drop for StopLoading {
    fn drop(&mut self) {
        // One that asks something is waited for by whoever answers.
        if let Some(tab) = self.0.as_ref().filter(|tab| !tab.asks()) {
            tab.session.post(StopLoadingParams::default());
        }
    }
}
