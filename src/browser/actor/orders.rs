//! Handlers of the run's commands: observe, examine, perform, crop, snapshot, close.

use crate::browser::actor::{Browser, BrowserShared, ObservationState, snapshot};
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::pointer;
use crate::browser::messages::{
    CheckActionable, Close, Crop, Examine, ObservationWithScreenshot, Observe, Perform, RestrictUrls,
    SetEventRecipient, SnapshotNow,
};
use crate::browser::observe::{crop, walker_result};
use crate::browser::page::context::PageContext;
use crate::browser::page::cookies;
use crate::browser::snapshot::Snapshot;
use crate::browser::{input, observe};
use crate::page::observation::{Observation, PageDialog};
use crate::page::target::Target;
use crate::turn::action::{Action, BrowserAction};
use actix::{ActorContext, ActorFutureExt, AsyncContext, Context, Handler, Message, WrapFuture};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

const STOPPED: &str = "the page did not answer; its scripts were stopped";
/// Time within which Chromium's end follows that of its page.
const GOING: Duration = Duration::from_millis(300);
const KEEP_AFTER: Duration = Duration::from_millis(300);

/// Schedules a snapshot shortly after an action.
#[derive(Message)]
#[rtype(result = "()")]
struct ScheduleSnapshot;

/// A new snapshot.
#[derive(Message)]
#[rtype(result = "()")]
struct SnapshotTaken(Snapshot);

impl Handler<Observe> for Browser {
    type Result = CancelOnDrop<Result<ObservationWithScreenshot, PageError>>;

    fn handle(&mut self, _: Observe, _: &mut Context<Self>) -> Self::Result {
        match self.holding.check_free() {
            Err(fault) => CancelOnDrop::now(Err(fault)),
            Ok(()) => CancelOnDrop::by(look(self.here.clone(), self.known_looks)),
        }
    }
}

impl Handler<Examine> for Browser {
    type Result = CancelOnDrop<Result<Target, PageError>>;

    fn handle(&mut self, Examine { eid }: Examine, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.holding.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let here = self.here.clone();
        CancelOnDrop::by(async move { observe::examine(&here.window().await?.current()?, eid).await })
    }
}

impl Handler<Perform> for Browser {
    type Result = CancelOnDrop<Result<input::ActionOutcome, PageError>>;

    fn handle(&mut self, Perform { action, options }: Perform, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.holding.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let here = self.here.clone();
        CancelOnDrop::by(async move {
            let _turn = here.turn.lock().await;
            let changes = action.changes_page();
            let is_tab = matches!(action, Action::Browser(BrowserAction::Tab { .. }));
            let window = here.window().await?;
            let limit = here.config.load_timeout;
            let done = match input::perform(Rc::clone(&window), action, options, limit).await {
                // The page did not close by itself: all of Chromium ended.
                Err(fault) if fault.code == ErrorCode::NoPage && window.link.closes_within(GOING).await => {
                    return Err(PageError::crashed());
                }
                done => done?,
            };
            if changes {
                here.me.do_send(ScheduleSnapshot);
            }
            if is_tab {
                here.me.do_send(TabMayHaveChanged);
            }
            Ok(done)
        })
    }
}

impl Handler<Crop> for Browser {
    type Result = CancelOnDrop<Result<crop::Cropped, crop::NoPicture>>;

    fn handle(&mut self, Crop { eid }: Crop, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.holding.check_free() {
            return CancelOnDrop::now(Err(fault.into()));
        }
        let here = self.here.clone();
        CancelOnDrop::by(async move { crop::crop(&here.window().await?.current()?, eid).await })
    }
}

impl Handler<SnapshotNow> for Browser {
    type Result = CancelOnDrop<Result<Snapshot, PageError>>;

    fn handle(&mut self, _: SnapshotNow, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.holding.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let here = self.here.clone();
        CancelOnDrop::by(async move {
            let snapshot = snapshot::take(&*here.window().await?).await?;
            here.me.do_send(SnapshotTaken(snapshot.clone()));
            Ok(snapshot)
        })
    }
}

/// Reports that another tab may be in front.
#[derive(Message)]
#[rtype(result = "()")]
struct TabMayHaveChanged;

impl Handler<TabMayHaveChanged> for Browser {
    type Result = ();

    fn handle(&mut self, _: TabMayHaveChanged, ctx: &mut Context<Self>) {
        self.update_cast(ctx);
    }
}

impl Handler<SnapshotTaken> for Browser {
    type Result = ();

    fn handle(&mut self, SnapshotTaken(snapshot): SnapshotTaken, _: &mut Context<Self>) {
        self.store_snapshot(snapshot);
    }
}

impl Handler<ScheduleSnapshot> for Browser {
    type Result = ();

    fn handle(&mut self, _: ScheduleSnapshot, ctx: &mut Context<Self>) {
        // Delayed, so as not to slow down the run's next observation.
        if let Some(before) = self.keeping.take() {
            ctx.cancel_future(before);
        }
        self.keeping = Some(ctx.run_later(KEEP_AFTER, Self::take_snapshot));
    }
}

impl Browser {
    fn take_snapshot(&mut self, ctx: &mut Context<Self>) {
        let free = self.holding.check_free().is_ok();
        let Some(window) = self.here.window.borrow().clone().filter(|_| free) else { return };
        self.refresh(&window, ctx);
        let taken = async move { snapshot::take(&window).await };
        ctx.spawn(taken.into_actor(self).map(|taken, this, _| match taken {
            // Taken across the beginning of a take-over, the snapshot may hold the person's data.
            Ok(_) if this.holding.check_free().is_err() => {}
            Ok(snapshot) => this.store_snapshot(snapshot),
            // The message is not logged: with a dialog open it contains text of the page.
            Err(fault) => tracing::debug!(run_id = %this.owner, code = fault.code.word(), "no snapshot"),
        }));
    }
}

impl Handler<RestrictUrls> for Browser {
    type Result = ();

    fn handle(&mut self, RestrictUrls { judge }: RestrictUrls, _: &mut Context<Self>) {
        self.within = judge;
        self.apply_restrictions();
    }
}

impl Browser {
    /// Applies the run's restrictions on addresses, except during a take-over.
    pub(crate) fn apply_restrictions(&self) {
        self.limits.send_replace(self.within.clone().filter(|_| self.holding.holder().is_none()));
    }
}

impl Handler<SetEventRecipient> for Browser {
    type Result = ();

    fn handle(&mut self, SetEventRecipient { facts, looks }: SetEventRecipient, _: &mut Context<Self>) {
        self.facts = Some(facts);
        self.known_looks = self.known_looks.max(looks);
    }
}

impl Handler<Close> for Browser {
    type Result = CancelOnDrop<()>;

    fn handle(&mut self, _: Close, ctx: &mut Context<Self>) -> Self::Result {
        self.end_dialog_subscription();
        let window = self.here.window.replace(None);
        let me = ctx.address();
        CancelOnDrop::by(async move {
            if let Some(window) = window {
                if let Some(profile) = &window.lasting
                    && let Ok(all) = cookies::read(&window).await
                {
                    cookies::save_profile_cookies(profile, &all);
                }
                window.close().await;
            }
            me.do_send(StopActor);
        })
    }
}

/// Stops the actor after the context is closed.
#[derive(Message)]
#[rtype(result = "()")]
struct StopActor;

impl Handler<StopActor> for Browser {
    type Result = ();

    fn handle(&mut self, _: StopActor, ctx: &mut Context<Self>) {
        ctx.stop();
    }
}

/// Observes the page. If the page has just gone, observes its successor; if it does not yield, stops its
/// scripts and tries again.
async fn look(here: BrowserShared, known_looks: u64) -> Result<ObservationWithScreenshot, PageError> {
    let mut state = here.turn.lock().await;
    state.looks = state.looks.max(known_looks);
    match look_once(&here, &mut state).await {
        Err(fault) if fault.code == ErrorCode::Unresponsive => {
            let window = here.window().await?;
            if !window.current()?.stop_scripts().await {
                return Err(fault);
            }
            window.note(String::from(STOPPED));
            look_once(&here, &mut state).await
        }
        Err(fault) if matches!(fault.code, ErrorCode::BrowserCrashed | ErrorCode::NoPage) => {
            look_once(&here, &mut state).await
        }
        result => result,
    }
}

async fn look_once(
    here: &BrowserShared,
    state: &mut ObservationState,
) -> Result<ObservationWithScreenshot, PageError> {
    let window = here.window().await?;
    window.drop_initial_events();
    if let Some(held) = window.asking.held() {
        return observe_dialog(here, state, &window, held.dialog).await;
    }
    let looked = observe::look(&window.current()?, state.next_eid, here.config.page_tokens).await;
    let glance = match (looked, window.asking.held()) {
        (Err(fault), Some(held)) if fault.code == ErrorCode::DialogOpen => {
            return observe_dialog(here, state, &window, held.dialog).await;
        }
        (looked, _) => looked?,
    };
    state.next_eid = glance.next_eid.max(state.next_eid);
    state.looks += 1;
    let mut observation = glance.observation;
    observation.look = state.looks;
    observation.tab = window.tab_position();
    observation.lines.extend(window.read_notes().into_iter().map(walker_result::note));
    state.picture = Some(glance.jpeg.clone());
    Ok(ObservationWithScreenshot { observation: Arc::new(observation), jpeg: glance.jpeg })
}

/// Returns the observation of a page with an open dialog: the dialog, and the screenshot from before.
async fn observe_dialog(
    here: &BrowserShared,
    state: &mut ObservationState,
    window: &PageContext,
    dialog: PageDialog,
) -> Result<ObservationWithScreenshot, PageError> {
    let (url, title) = window.shown().await?;
    state.looks += 1;
    let mut lines = dialog.lines();
    lines.extend(window.read_notes().into_iter().map(walker_result::note));
    let observation = Observation {
        look: state.looks,
        url,
        title,
        tab: window.tab_position(),
        viewport: here.config.viewport,
        scroll: (0, 0),
        lines,
        dialog: Some(dialog),
    };
    let jpeg = state.picture.clone().map_or_else(|| crop::blank(here.config.viewport), Ok)?;
    Ok(ObservationWithScreenshot { observation: Arc::new(observation), jpeg })
}

impl Handler<CheckActionable> for Browser {
    type Result = CancelOnDrop<Result<(), PageError>>;

    fn handle(&mut self, CheckActionable { eid }: CheckActionable, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.holding.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let here = self.here.clone();
        CancelOnDrop::by(async move {
            let _turn = here.turn.lock().await;
            pointer::ready(&here.window().await?.current()?, eid).await.map(|_| ())
        })
    }
}
