//! The working set of a conversation, which is never stored: its browser slot, its browser and its last
//! observation. All of it can be obtained again, so it is dropped when the run comes to rest.

use crate::browser::actor::Browser;
use crate::browser::messages::{BrowserEvent, ObservedPage};
use crate::browser::pool::messages::OpenBrowser;
use crate::browser::pool::slots::{RequestSlot, Slot, SlotReply, WaitReason};
use crate::browser::pool::supervisor::Supervisor;
use crate::browser::snapshot::Snapshot;
use crate::engine::program::ProgramError;
use crate::engine::program::journal::Journal;
use crate::ids::RunId;
use crate::page::target::Target;
use crate::planning::PagePicture;
use crate::programs::conversation::agent_message::agent_message;
use crate::protocol::Locale;
use crate::secrets::vault::Vault;
use crate::store::Store;
use crate::texts;
use actix::prelude::*;
use actix_web::web::Bytes;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// Greatest number of pages of files that one turn is shown.
const MOST_PAGE_PICTURES: usize = 8;

/// The settings and services needed to open a browser.
pub struct BrowserSettings {
    pub supervisor: Addr<Supervisor>,
    /// The persistent profile that the agent names.
    pub profile: Option<String>,
    pub store: Arc<dyn Store>,
    /// The language in which pages are requested, if it is not the person's.
    pub language: Option<Locale>,
}

/// The working set. One visit at a time uses it; the mutex is never held across an await.
#[derive(Default)]
pub struct WorkingSet(Mutex<WorkingSetState>);

#[derive(Default)]
struct WorkingSetState {
    slot: Option<Slot>,
    browser: Option<Addr<Browser>>,
    observed: Option<Arc<ObservedPage>>,
    /// True if the observation was taken ahead of `maybe_observe`.
    ahead: bool,
    /// The target of the planned action, as the gate examined it.
    examined: Option<Target>,
    /// The element that was last reported to the planner as changed.
    changed: Option<u32>,
    /// Relics that could be recalled at the last check.
    relics: Option<Vec<String>>,
    /// Pages of files that the turn under way asked to see.
    page_pictures: Vec<PagePicture>,
    /// True if the last request showed the picture of the page.
    shows_picture: bool,
    /// The page's snapshot as it was last stored.
    stored_snapshot: Option<Value>,
}

impl WorkingSet {
    pub fn observation(&self) -> Option<Arc<ObservedPage>> {
        self.lock_state().observed.clone()
    }

    /// Returns the picture of the observation if the model is sent pictures.
    pub async fn picture_for_model(&self, is_sent_pictures: bool) -> Option<Bytes> {
        self.observation().filter(|_| is_sent_pictures)?.picture.wait().await
    }

    /// Records whether the request shows the picture of the page.
    pub fn set_shows_picture(&self, shows: bool) {
        self.lock_state().shows_picture = shows;
    }

    /// Reports whether the last request showed the picture of the page.
    pub fn shows_picture(&self) -> bool {
        self.lock_state().shows_picture
    }

    /// Adds pages of files for the next turn; the newest are kept.
    pub fn add_page_pictures(&self, pictures: Vec<PagePicture>) {
        let mut state = self.lock_state();
        state.page_pictures.extend(pictures);
        let surplus = state.page_pictures.len().saturating_sub(MOST_PAGE_PICTURES);
        state.page_pictures.drain(..surplus);
    }

    /// Returns the pages of files for the next turn.
    pub fn page_pictures(&self) -> Vec<PagePicture> {
        self.lock_state().page_pictures.clone()
    }

    /// Forgets the pages of files: the turn that asked for them is over.
    pub fn clear_page_pictures(&self) {
        self.lock_state().page_pictures.clear();
    }

    /// Returns the dialog in the observation as a target for the gate's decision.
    pub fn dialog(&self) -> Option<Target> {
        let observed = self.observation()?;
        Some(observed.observation.dialog.as_ref()?.target(&observed.observation.url))
    }

    /// Returns a tool that the observed page declares as a target for the gate's decision.
    pub fn tool(&self, name: &str) -> Option<Target> {
        let observed = self.observation()?;
        Some(observed.observation.tool(name)?.target(&observed.observation.url))
    }

    pub fn set_observation(&self, observed: Arc<ObservedPage>) {
        self.lock_state().observed = Some(observed);
    }

    /// Marks the observation as one of the page as the last action left it.
    pub fn mark_observed_ahead(&self) {
        self.lock_state().ahead = true;
    }

    /// Returns that observation, once.
    pub fn take_observation_ahead(&self) -> Option<Arc<ObservedPage>> {
        let mut state = self.lock_state();
        std::mem::take(&mut state.ahead).then(|| state.observed.clone()).flatten()
    }

    pub fn clear_observation(&self) {
        let mut state = self.lock_state();
        (state.observed, state.ahead) = (None, false);
    }

    pub fn set_target(&self, target: Option<Target>) {
        self.lock_state().examined = target;
    }

    /// Records that the element differs from what the planner was shown. Returns true if the same element was
    /// the last one recorded.
    pub fn record_changed(&self, eid: u32) -> bool {
        self.lock_state().changed.replace(eid) == Some(eid)
    }

    /// Clears the record, because everything is as the planner was shown.
    pub fn clear_changed(&self) {
        self.lock_state().changed = None;
    }

    pub fn set_relics(&self, relics: Vec<String>) {
        self.lock_state().relics = Some(relics);
    }

    /// Returns the relics that can be recalled; `None` before the first check.
    pub fn relics(&self) -> Option<Vec<String>> {
        self.lock_state().relics.clone()
    }

    pub fn target(&self) -> Option<Target> {
        self.lock_state().examined.clone()
    }

    /// Returns the examined element for viewers: its box in 0..1 of the viewport, and for a checkbox or
    /// switch whether it is on before the action.
    pub fn target_json(&self, (width, height): (u32, u32)) -> Option<Value> {
        let target = self.target()?;
        let [x, y, w, h] = target.bounds;
        let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
        let bounds = [x / width, y / height, w / width, h / height];
        let mut fact = json!({
            "eid": target.eid, "role": target.role, "name": target.name, "frame": target.frame, "box": bounds,
        });
        if matches!(target.role.as_str(), "checkbox" | "switch" | "menuitemcheckbox") {
            let observed = self.lock_state().observed.clone();
            let line = observed.as_ref().and_then(|observed| observed.observation.line(target.eid));
            fact["checked"] = json!(line.map(|line| line.attributes.checked));
        }
        let named = |one: &Target| json!({"eid": one.eid, "role": one.role, "name": one.name});
        if !target.others.is_empty() {
            fact["others"] = target.others.iter().map(named).collect();
        }
        if let Some(dragged) = &target.dragged {
            fact["dragged"] = named(dragged);
        }
        Some(fact)
    }

    /// Reports whether this snapshot differs from the last one, and records it as stored.
    pub fn record_snapshot(&self, snapshot: &Value) -> bool {
        let mut state = self.lock_state();
        let new = state.stored_snapshot.as_ref() != Some(snapshot);
        if new {
            state.stored_snapshot = Some(snapshot.clone());
        }
        new
    }

    /// Returns the run's browser if it is open.
    pub fn open_browser(&self) -> Option<Addr<Browser>> {
        self.lock_state().browser.clone().filter(Addr::connected)
    }

    /// Returns the run's browser. If needed, acquires a slot and opens the browser at its snapshot.
    pub async fn browser(
        &self,
        browsers: &BrowserSettings,
        root: &RunId,
        events: BrowserEvents,
    ) -> Result<Addr<Browser>, ProgramError> {
        if let Some(browser) = self.lock_state().browser.clone().filter(Addr::connected) {
            return Ok(browser);
        }
        if self.lock_state().slot.is_none() {
            let request = RequestSlot { owner: root.clone(), profile: browsers.profile.clone() };
            let (journal, locale) = (&events.journal, events.locale);
            let slot = acquire_slot(&browsers.supervisor, request, journal, locale).await?;
            self.lock_state().slot = Some(slot);
        }
        let snapshot = browsers.store.browser(root.clone()).await?;
        let snapshot = snapshot.and_then(|snapshot| serde_json::from_value(snapshot).ok());
        let languages = Some(browsers.language.unwrap_or(events.locale).languages());
        let observations = events.last_observation;
        let events = events.start().recipient();
        let open = OpenBrowser { owner: root.clone(), snapshot, events, languages, observations };
        let opened = browsers.supervisor.send(open).await;
        let browser = opened
            .map_err(|_| ProgramError::service_stopping())?
            .map_err(|fault| ProgramError::Failed(fault.to_string()))?;
        self.lock_state().browser = Some(browser.clone());
        Ok(browser)
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, WorkingSetState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for a browser slot, without a time limit. Dropping the future leaves the queue.
async fn acquire_slot(
    supervisor: &Addr<Supervisor>,
    enter: RequestSlot,
    journal: &Journal,
    locale: Locale,
) -> Result<Slot, ProgramError> {
    let entry = supervisor.send(enter).await.map_err(|_| ProgramError::service_stopping())?;
    match entry.map_err(|fault| ProgramError::Failed(fault.to_string()))? {
        SlotReply::Assigned(slot) => Ok(slot),
        SlotReply::Queued { why, slot } => {
            journal.store_events(vec![agent_message(&waiting_text(&why, locale))]).await?;
            slot.await.map_err(|_| ProgramError::service_stopping())
        }
    }
}

fn waiting_text(why: &WaitReason, locale: Locale) -> String {
    match why {
        WaitReason::Full { slots, ahead } => texts::page::waiting_for_browser(*slots, *ahead, locale),
        WaitReason::Profile(name) => texts::page::waiting_for_profile(name, locale),
    }
}

/// Reports crashes of a run's browser to its viewers, and stores the snapshots that the browser sends.
pub struct BrowserEvents {
    pub journal: Journal,
    pub vault: Arc<Vault>,
    pub locale: Locale,
    /// The number of the last observation.
    pub last_observation: u64,
}

impl Actor for BrowserEvents {
    type Context = Context<Self>;
}

impl Handler<BrowserEvent> for BrowserEvents {
    type Result = ();

    fn handle(&mut self, fact: BrowserEvent, ctx: &mut Self::Context) {
        match fact {
            BrowserEvent::Crashed { reason } => self.report_crash(&reason, ctx),
            BrowserEvent::SnapshotTaken { snapshot } => self.store_snapshot(*snapshot, ctx),
            BrowserEvent::Reopened { .. } | BrowserEvent::Navigated { .. } => {}
        }
    }
}

impl BrowserEvents {
    fn report_crash(&self, reason: &str, ctx: &mut Context<Self>) {
        tracing::warn!(%reason, "browser crashed");
        let text = texts::page::browser_crashed(self.locale);
        let (journal, message) = (self.journal.clone(), agent_message(text));
        let stored = async move { journal.store_events(vec![message]).await };
        ctx.spawn(stored.into_actor(self).map(|stored, _, _| {
            if let Err(fault) = stored {
                tracing::warn!(%fault, "crash not reported");
            }
        }));
    }

    fn store_snapshot(&self, snapshot: Snapshot, ctx: &mut Context<Self>) {
        let (journal, mut page) = (self.journal.clone(), json!(snapshot));
        self.vault.clean_page(&mut page);
        let stored = async move { journal.store_snapshot(page).await };
        ctx.spawn(stored.into_actor(self).map(|stored, _, _| {
            if let Err(fault) = stored {
                tracing::warn!(%fault, "page snapshot not stored");
            }
        }));
    }
}
