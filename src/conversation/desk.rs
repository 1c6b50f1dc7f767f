//! What a conversation has in hand while it works and never stores: its place among those who work
//! in browsers, its browser, its last look. All of it can be had again, so all of it is dropped when
//! the run comes to rest.

use super::waiting;
use crate::browser::snapshot::Snapshot;
use crate::browser::supervisor::places::{Enter, Place};
use crate::browser::supervisor::{Open, Supervisor};
use crate::browser::{Browser, BrowserFact, Seen};
use crate::ids::RunId;
use crate::page::delta;
use crate::page::target::Target;
use crate::program::ProgramError;
use crate::program::journal::Journal;
use crate::protocol::Locale;
use crate::store::Store;
use crate::vault::Vault;
use actix::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// What it takes to open a browser.
pub struct Browsers {
    pub supervisor: Addr<Supervisor>,
    /// The lasting profile that the agent names.
    pub profile: Option<String>,
    pub store: Arc<dyn Store>,
    /// The language that pages are asked for in, where that is not the person's.
    pub language: Option<Locale>,
}

/// One visit at a time uses it; the mutex is never held across an await.
#[derive(Default)]
pub struct Desk(Mutex<InHand>);

#[derive(Default)]
struct InHand {
    place: Option<Place>,
    browser: Option<Addr<Browser>>,
    look: Option<Arc<Seen>>,
    /// The look in hand was taken ahead of `maybe_observe`.
    ahead: bool,
    /// The whole look that the planner was shown last.
    shown: Option<Shown>,
    /// The element that the planned action is about, as the gate saw it.
    examined: Option<Target>,
    /// What it downloads was judged, and allowed.
    download: bool,
    /// The element of which the planner was told last that it is another one now.
    changed: Option<u32>,
    /// Relics that could be recalled when they were looked at last.
    relics: Option<Vec<String>>,
    /// The page's snapshot as it was stored last.
    kept: Option<Value>,
}

/// A whole look that the planner was shown.
#[derive(Clone)]
pub struct Shown {
    pub look: Arc<Seen>,
    /// So much of the history came before it.
    pub at: usize,
    /// Looks since, itself included.
    times: u64,
}

impl Desk {
    /// The planner is about to be shown the look in hand: the whole look that it knows already and what
    /// changed since, or none where it is to be shown as a whole. `at` is the length of the history, `gone`
    /// by how much a summary has shortened it: what was shown before that is in it no more.
    pub fn show(&self, at: usize, gone: usize, full_every: u64) -> Option<(Shown, String)> {
        let mut hand = self.hand();
        let look = hand.look.clone()?;
        let known = hand.shown.as_mut().filter(|shown| shown.times < full_every);
        let told = known.and_then(|shown| {
            let at = shown.at.checked_sub(gone).filter(|at| *at > 0 || gone == 0)?;
            let changes = delta::changes(&shown.look.observation, &look.observation)?;
            shown.times += 1;
            Some((Shown { at, ..shown.clone() }, changes))
        });
        if told.is_none() {
            hand.shown = Some(Shown { look, at: at + gone, times: 1 });
        }
        told
    }

    pub fn look(&self) -> Option<Arc<Seen>> {
        self.hand().look.clone()
    }

    pub fn lay_down(&self, look: Arc<Seen>) {
        self.hand().look = Some(look);
    }

    /// The look in hand is of the page as the last action left it.
    pub fn looked_ahead(&self) {
        self.hand().ahead = true;
    }

    /// That look, once.
    pub fn take_ahead(&self) -> Option<Arc<Seen>> {
        let mut hand = self.hand();
        std::mem::take(&mut hand.ahead).then(|| hand.look.clone()).flatten()
    }

    pub fn forget_look(&self) {
        let mut hand = self.hand();
        (hand.look, hand.ahead) = (None, false);
    }

    pub fn examine(&self, target: Option<Target>) {
        let mut hand = self.hand();
        (hand.examined, hand.download) = (target, false);
    }

    /// It is another one now than the planner was shown. True if that has been told of it just before.
    pub fn changes_again(&self, eid: u32) -> bool {
        self.hand().changed.replace(eid) == Some(eid)
    }

    /// All is as the planner was shown it.
    pub fn stands_still(&self) {
        self.hand().changed = None;
    }

    pub fn let_download(&self, allowed: bool) {
        self.hand().download = allowed;
    }

    pub fn knows(&self, relics: Vec<String>) {
        self.hand().relics = Some(relics);
    }

    /// What can be recalled; none: nobody has looked yet.
    pub fn relics(&self) -> Option<Vec<String>> {
        self.hand().relics.clone()
    }

    pub fn may_download(&self) -> bool {
        self.hand().download
    }

    pub fn examined(&self) -> Option<Target> {
        self.hand().examined.clone()
    }

    /// The examined element for those who watch: its box in 0..1 of the viewport; of a checkbox or switch, whether
    /// it is on before the action.
    pub fn target_fact(&self, (width, height): (u32, u32)) -> Option<Value> {
        let target = self.examined()?;
        let [x, y, w, h] = target.bounds;
        let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
        let bounds = [x / width, y / height, w / width, h / height];
        let mut fact = json!({
            "eid": target.eid, "role": target.role, "name": target.name, "frame": target.frame, "box": bounds,
        });
        if matches!(target.role.as_str(), "checkbox" | "switch" | "menuitemcheckbox") {
            let look = self.hand().look.clone();
            let line = look.as_ref().and_then(|seen| seen.observation.line(target.eid));
            fact["checked"] = json!(line.map(|line| line.attributes.checked));
        }
        Some(fact)
    }

    /// Whether this snapshot is another than the one before; it counts as stored from now on.
    pub fn is_new(&self, snapshot: &Value) -> bool {
        let mut hand = self.hand();
        let new = hand.kept.as_ref() != Some(snapshot);
        if new {
            hand.kept = Some(snapshot.clone());
        }
        new
    }

    /// The run's browser, opened if need be (where its snapshot says), and a place to work in it.
    pub async fn browser(
        &self,
        browsers: &Browsers,
        root: &RunId,
        witness: Witness,
    ) -> Result<Addr<Browser>, ProgramError> {
        if let Some(browser) = self.hand().browser.clone().filter(Addr::connected) {
            return Ok(browser);
        }
        if self.hand().place.is_none() {
            let enter = Enter { owner: root.clone(), profile: browsers.profile.clone() };
            let (journal, locale) = (&witness.journal, witness.locale);
            let place = waiting::place(&browsers.supervisor, enter, journal, locale).await?;
            self.hand().place = Some(place);
        }
        let snapshot = browsers.store.browser(root.clone()).await?;
        let snapshot = snapshot.and_then(|snapshot| serde_json::from_value(snapshot).ok());
        let languages = Some(browsers.language.unwrap_or(witness.locale).languages());
        let looks = witness.looks;
        let facts = witness.start().recipient();
        let open = Open { owner: root.clone(), snapshot, facts, languages, looks };
        let opened = browsers.supervisor.send(open).await;
        let browser = opened
            .map_err(|_| waiting::stopping())?
            .map_err(|fault| ProgramError::Failed(fault.to_string()))?;
        self.hand().browser = Some(browser.clone());
        Ok(browser)
    }

    fn hand(&self) -> std::sync::MutexGuard<'_, InHand> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the viewers of a run what befell its browser by itself.
pub struct Witness {
    pub journal: Journal,
    pub vault: Arc<Vault>,
    pub locale: Locale,
    /// The number of the last look at it.
    pub looks: u64,
}

impl Actor for Witness {
    type Context = Context<Self>;
}

impl Handler<BrowserFact> for Witness {
    type Result = ();

    fn handle(&mut self, fact: BrowserFact, ctx: &mut Self::Context) {
        match fact {
            BrowserFact::Crashed { reason } => self.crashed(&reason, ctx),
            BrowserFact::Kept { snapshot } => self.keep(*snapshot, ctx),
            BrowserFact::Reopened { .. } | BrowserFact::Navigated { .. } => {}
        }
    }
}

impl Witness {
    fn crashed(&self, reason: &str, ctx: &mut Context<Self>) {
        tracing::warn!(%reason, "browser crashed");
        let text = self.locale.pick(
            "Браузер раптово закрився. Відкриваю сторінку знову і дивлюся, що на ній.",
            "The browser closed unexpectedly. Opening the page again to see what is on it.",
        );
        let (journal, message) = (self.journal.clone(), waiting::said(text));
        let told = async move { journal.note(vec![message]).await };
        ctx.spawn(told.into_actor(self).map(|told, _, _| {
            if let Err(fault) = told {
                tracing::warn!(%fault, "crash not told");
            }
        }));
    }

    fn keep(&self, snapshot: Snapshot, ctx: &mut Context<Self>) {
        let (journal, mut page) = (self.journal.clone(), json!(snapshot));
        self.vault.clean_page(&mut page);
        let kept = async move { journal.page(page).await };
        ctx.spawn(kept.into_actor(self).map(|kept, _, _| {
            if let Err(fault) = kept {
                tracing::warn!(%fault, "where the page stands was not kept");
            }
        }));
    }
}
