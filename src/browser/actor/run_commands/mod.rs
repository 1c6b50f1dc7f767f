//! Handlers of the run's commands: examine, perform, crop, snapshot, close. `observe_page` observes.

mod observe_page;

use crate::browser::actor::{Browser, snapshot};
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::pointer;
use crate::browser::messages::{
    CheckActionable, Close, Crop, ElementBoxes, Examine, ExaminePoint, ExamineText, Perform, RestrictUrls,
    SetEventRecipient, SnapshotNow,
};
use crate::browser::observe::crop;
use crate::browser::page::cookies;
use crate::browser::snapshot::Snapshot;
use crate::browser::{input, observe};
use crate::page::target::Target;
use crate::turn::action::{Action, BrowserAction};
use actix::{ActorContext, ActorFutureExt, AsyncContext, Context, Handler, Message, WrapFuture};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Time within which Chromium's end follows that of its page.
const CRASH_GRACE: Duration = Duration::from_millis(300);
/// Time for the picture of the last observation before the page is closed.
const LAST_PICTURE: Duration = Duration::from_secs(1);
const SNAPSHOT_DELAY: Duration = Duration::from_millis(300);

/// Schedules a snapshot shortly after an action.
#[derive(Message)]
#[rtype(result = "()")]
struct ScheduleSnapshot;

/// A new snapshot.
#[derive(Message)]
#[rtype(result = "()")]
struct SnapshotTaken(Snapshot);

impl Handler<Examine> for Browser {
    type Result = CancelOnDrop<Result<Target, PageError>>;

    fn handle(&mut self, Examine { eid }: Examine, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let shared = self.shared.clone();
        CancelOnDrop::by(async move { observe::examine(&shared.open_context().await?.current()?, eid).await })
    }
}

impl Handler<ElementBoxes> for Browser {
    type Result = CancelOnDrop<Result<Vec<(u32, [f64; 4])>, PageError>>;

    fn handle(&mut self, ElementBoxes { eids }: ElementBoxes, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let shared = self.shared.clone();
        CancelOnDrop::by(async move {
            observe::element_boxes(&shared.open_context().await?.current()?, &eids).await
        })
    }
}

impl Handler<ExaminePoint> for Browser {
    type Result = CancelOnDrop<Result<Option<Target>, PageError>>;

    fn handle(&mut self, ExaminePoint { x, y }: ExaminePoint, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let shared = self.shared.clone();
        CancelOnDrop::by(async move {
            observe::examine_point(&shared.open_context().await?.current()?, x, y).await
        })
    }
}

impl Handler<ExamineText> for Browser {
    type Result = CancelOnDrop<Result<Target, PageError>>;

    fn handle(&mut self, ExamineText { text }: ExamineText, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let shared = self.shared.clone();
        CancelOnDrop::by(async move {
            observe::examine_text(&shared.open_context().await?.current()?, &text).await
        })
    }
}

impl Handler<Perform> for Browser {
    type Result = CancelOnDrop<Result<input::ActionOutcome, PageError>>;

    fn handle(&mut self, Perform { action, options }: Perform, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let shared = self.shared.clone();
        CancelOnDrop::by(async move {
            let _turn = shared.turn.lock().await;
            let changes = action.changes_page();
            let is_tab = matches!(action, Action::Browser(BrowserAction::Tab { .. }));
            let context = shared.open_context().await?;
            let limit = shared.config.load_timeout;
            let done = match input::perform(Rc::clone(&context), action, options, limit).await {
                // The page did not close by itself: all of Chromium ended.
                Err(fault)
                    if fault.code == ErrorCode::NoPage
                        && context.connection.closes_within(CRASH_GRACE).await =>
                {
                    return Err(PageError::crashed());
                }
                done => done?,
            };
            if changes {
                shared.me.do_send(ScheduleSnapshot);
            }
            if is_tab {
                shared.me.do_send(TabMayHaveChanged);
            }
            Ok(done)
        })
    }
}

impl Handler<Crop> for Browser {
    type Result = CancelOnDrop<Result<crop::Cropped, crop::NoPicture>>;

    fn handle(&mut self, Crop { eid, bounds }: Crop, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault.into()));
        }
        let shared = self.shared.clone();
        CancelOnDrop::by(async move {
            let context = shared.open_context().await?;
            if !context.held_requests.hold_navigation() {
                return crop::crop(&context.current()?, eid).await;
            }
            let picture = shared.turn.lock().await.picture.clone();
            crop::crop_stored(picture.ok_or(crop::NoPicture::Blank)?, bounds, shared.config.viewport).await
        })
    }
}

impl Handler<SnapshotNow> for Browser {
    type Result = CancelOnDrop<Result<Snapshot, PageError>>;

    fn handle(&mut self, _: SnapshotNow, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let shared = self.shared.clone();
        CancelOnDrop::by(async move {
            let context = shared.open_context().await?;
            if context.held_requests.hold_navigation() {
                return Err(PageError::new(ErrorCode::Timeout, "the next document of the page is held"));
            }
            let snapshot = snapshot::take(&context).await?;
            shared.me.do_send(SnapshotTaken(snapshot.clone()));
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
        self.update_screencast(ctx);
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
        if let Some(before) = self.snapshot_timer.take() {
            ctx.cancel_future(before);
        }
        self.snapshot_timer = Some(ctx.run_later(SNAPSHOT_DELAY, Self::take_snapshot));
    }
}

impl Browser {
    fn take_snapshot(&mut self, ctx: &mut Context<Self>) {
        let free = self.takeover.check_free().is_ok();
        let Some(context) = self.shared.context.borrow().clone().filter(|_| free) else { return };
        self.refresh(&context, ctx);
        let taken = async move { snapshot::take(&context).await };
        ctx.spawn(taken.into_actor(self).map(|taken, this, _| match taken {
            // Taken across the beginning of a take-over, the snapshot may hold the person's data.
            Ok(_) if this.takeover.check_free().is_err() => {}
            Ok(snapshot) => this.store_snapshot(snapshot),
            // The message is not logged: with a dialog open it contains text of the page.
            Err(fault) => tracing::debug!(run_id = %this.owner, code = fault.code.word(), "no snapshot"),
        }));
    }
}

impl Handler<RestrictUrls> for Browser {
    type Result = ();

    fn handle(&mut self, RestrictUrls { check }: RestrictUrls, _: &mut Context<Self>) {
        self.url_check = check;
        self.apply_restrictions();
    }
}

impl Browser {
    /// Applies the run's restrictions on addresses, except during a take-over.
    pub(super) fn apply_restrictions(&self) {
        self.limits.send_replace(self.url_check.clone().filter(|_| self.takeover.holder().is_none()));
    }
}

impl Handler<SetEventRecipient> for Browser {
    type Result = ();

    fn handle(
        &mut self,
        SetEventRecipient { events, observations }: SetEventRecipient,
        _: &mut Context<Self>,
    ) {
        self.events = Some(events);
        self.known_observations = self.known_observations.max(observations);
    }
}

impl Handler<Close> for Browser {
    type Result = CancelOnDrop<()>;

    fn handle(&mut self, _: Close, ctx: &mut Context<Self>) -> Self::Result {
        let dismissal = self.takeover.end_subscriptions();
        self.run_takeover([dismissal], ctx);
        let context = self.shared.context.replace(None);
        let me = ctx.address();
        let turn = Arc::clone(&self.shared.turn);
        CancelOnDrop::by(async move {
            // The picture of the last observation may still be taken.
            let _turn = tokio::time::timeout(LAST_PICTURE, turn.lock()).await;
            if let Some(context) = context {
                if let Some(profile) = &context.profile_folder
                    && let Ok(all) = cookies::read(&context).await
                {
                    cookies::save_profile_cookies(profile, &all);
                }
                context.close().await;
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

impl Handler<CheckActionable> for Browser {
    type Result = CancelOnDrop<Result<(), PageError>>;

    fn handle(&mut self, CheckActionable { eid }: CheckActionable, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let shared = self.shared.clone();
        CancelOnDrop::by(async move {
            let _turn = shared.turn.lock().await;
            pointer::wait_until_ready(&shared.open_context().await?.current()?, eid).await.map(|_| ())
        })
    }
}
