//! Handlers that observe the page: with its picture, or with the picture still to come.

use crate::browser::actor::{Browser, BrowserShared, ObservationState};
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::messages::{Observe, ObservedPage, PictureTime};
use crate::browser::observe;
use crate::browser::observe::marks::elements_to_mark;
use crate::browser::observe::{ObservedSecrets, crop, walker_result};
use crate::browser::page::context::PageContext;
use crate::browser::page::tab::Tab;
use crate::browser::pending_picture::{PendingPicture, TakenPicture};
use crate::page::observation::{Observation, PageDialog, UnshownLines};
use crate::page::tools::lines::tool_lines;
use actix::{AsyncContext, Context, Handler, WrapFuture};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedMutexGuard, oneshot};

const SCRIPTS_STOPPED_NOTE: &str = "the page did not answer; its scripts were stopped";

/// Time limit for a picture that nobody waits for; until then, no action begins.
const PICTURE_TIMEOUT: Duration = Duration::from_secs(3);

/// The observation state, which the observation under way holds.
type ObservationTurn = OwnedMutexGuard<ObservationState>;

/// An observation, and the picture that is still to be taken of it.
struct Observed {
    page: ObservedPage,
    next_picture: Option<NextPicture>,
}

/// Picture to take before anything else happens to the page.
struct NextPicture {
    tab: Tab,
    secrets: ObservedSecrets,
    /// Elements whose boxes are read with it.
    eids: Vec<u32>,
    sender: oneshot::Sender<TakenPicture>,
}

impl Handler<Observe> for Browser {
    type Result = CancelOnDrop<Result<ObservedPage, PageError>>;

    fn handle(&mut self, Observe { picture }: Observe, ctx: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let (shared, known) = (self.shared.clone(), self.known_observations);
        let is_later = matches!(picture, PictureTime::After | PictureTime::AfterWithBoxes);
        let later = is_later.then(|| self.prepare_picture(ctx));
        CancelOnDrop::by(async move {
            let mut turn = begin_turn(&shared, known).await;
            let Observed { page, next_picture } = observe_page(&shared, &mut turn, picture).await?;
            if let Some((next, later)) = next_picture.zip(later) {
                // Keeps the turn, so that no action comes between the text and its picture.
                let _ = later.send((next, turn));
            }
            Ok(page)
        })
    }
}

impl Browser {
    /// Starts a future that takes the picture of an observation. It belongs to the actor and ends with it: the picture
    /// is taken even if nobody waits for the observation any more.
    fn prepare_picture(&self, ctx: &mut Context<Self>) -> oneshot::Sender<(NextPicture, ObservationTurn)> {
        let (sender, receiver) = oneshot::channel();
        let taking = async move {
            // A failed observation has no picture.
            if let Ok((next, turn)) = receiver.await {
                take_picture(next, turn).await;
            }
        };
        ctx.spawn(taking.into_actor(self));
        sender
    }
}

async fn begin_turn(shared: &BrowserShared, known_observations: u64) -> ObservationTurn {
    let mut state = Arc::clone(&shared.turn).lock_owned().await;
    state.observations = state.observations.max(known_observations);
    state
}

async fn take_picture(next: NextPicture, mut state: ObservationTurn) {
    let NextPicture { tab, secrets, eids, sender } = next;
    let taken = tokio::time::timeout(PICTURE_TIMEOUT, observe::take_picture(&tab, &secrets, &eids)).await;
    match taken.unwrap_or_else(|_| Err(PageError::new(ErrorCode::Timeout, "the picture took too long"))) {
        Ok(taken) => {
            state.picture = Some(taken.jpeg.clone());
            let _ = sender.send(taken);
        }
        // Dropping the sender tells that there is none.
        Err(fault) => {
            state.picture = None;
            tracing::debug!(code = fault.code.word(), "no picture of the observation");
        }
    }
}

/// Observes the page. If the page has just gone, observes its successor; if it does not yield, stops its
/// scripts and tries again.
async fn observe_page(
    shared: &BrowserShared,
    state: &mut ObservationState,
    picture: PictureTime,
) -> Result<Observed, PageError> {
    match observe_once(shared, state, picture).await {
        Err(fault) if fault.code == ErrorCode::Unresponsive => {
            let context = shared.open_context().await?;
            if !context.current()?.stop_scripts().await {
                return Err(fault);
            }
            context.notes.add(String::from(SCRIPTS_STOPPED_NOTE));
            observe_once(shared, state, picture).await
        }
        Err(fault) if matches!(fault.code, ErrorCode::BrowserCrashed | ErrorCode::NoPage) => {
            observe_once(shared, state, picture).await
        }
        result => result,
    }
}

async fn observe_once(
    shared: &BrowserShared,
    state: &mut ObservationState,
    picture: PictureTime,
) -> Result<Observed, PageError> {
    let context = shared.open_context().await?;
    context.tabs.drop_initial_events();
    if let Some(held) = context.pending_dialog().open_dialog() {
        return observe_dialog(shared, state, &context, held.dialog).await;
    }
    let tab = context.current()?;
    // Chromium draws hardly any frames of a tab behind others, as a middle click opens one. In another Chromium somebody
    // else may be looking at the windows.
    if context.tabs.note_look(&tab.target) && context.attaches {
        tab.bring_to_front();
    }
    let observed = observe_tab(&tab, state, shared.config.page_tokens, picture).await;
    let mut observed = match (observed, context.pending_dialog().open_dialog()) {
        (Err(fault), Some(held)) if fault.code == ErrorCode::DialogOpen => {
            return observe_dialog(shared, state, &context, held.dialog).await;
        }
        (observed, _) => observed?,
    };
    state.observations += 1;
    let observation = Arc::make_mut(&mut observed.page.observation);
    add_tools(&context, observation);
    observation.number = state.observations;
    observation.tab = context.tabs.position();
    observation.tabs = context.read_titles().await;
    observation.lines.extend(context.notes.read().into_iter().map(walker_result::note));
    Ok(observed)
}

/// Adds the tools that the page in front declares.
fn add_tools(context: &PageContext, observation: &mut Observation) {
    let Ok(tab) = context.current() else { return };
    let offered = context.tools.list(tab.session.id(), &tab.target);
    observation.lines.extend(tool_lines(&offered.tools, offered.left_out));
    observation.tools = offered.tools;
}

/// Observes the page without its number, its tab and the notes.
async fn observe_tab(
    tab: &Tab,
    state: &mut ObservationState,
    budget: usize,
    picture: PictureTime,
) -> Result<Observed, PageError> {
    match picture {
        PictureTime::Now => {
            let observed = observe::observe(tab, state.next_eid, budget).await?;
            state.next_eid = observed.next_eid.max(state.next_eid);
            state.picture = Some(observed.jpeg.clone());
            let taken = PendingPicture::taken(observed.jpeg);
            let page = ObservedPage { observation: Arc::new(observed.observation), picture: taken };
            Ok(Observed { page, next_picture: None })
        }
        PictureTime::NowWithBoxes => {
            let (observed, taken) = observe::observe_with_boxes(tab, state.next_eid, budget).await?;
            state.next_eid = observed.next_eid.max(state.next_eid);
            state.picture = Some(taken.jpeg.clone());
            let picture = PendingPicture::with_boxes(taken);
            let page = ObservedPage { observation: Arc::new(observed.observation), picture };
            Ok(Observed { page, next_picture: None })
        }
        PictureTime::After | PictureTime::AfterWithBoxes | PictureTime::Never => {
            let observed = observe::observe_text(tab, state.next_eid, budget).await?;
            state.next_eid = observed.next_eid.max(state.next_eid);
            let (sender, pending) = PendingPicture::pending();
            let has_boxes = picture == PictureTime::AfterWithBoxes;
            let eids = if has_boxes { elements_to_mark(&observed.observation) } else { Vec::new() };
            let next_picture = (picture != PictureTime::Never).then(|| NextPicture {
                tab: tab.clone(),
                secrets: observed.secrets,
                eids,
                sender,
            });
            let page = ObservedPage { observation: Arc::new(observed.observation), picture: pending };
            Ok(Observed { page, next_picture })
        }
    }
}

/// Returns the observation of a page with an open dialog: the dialog, and the screenshot from before.
async fn observe_dialog(
    shared: &BrowserShared,
    state: &mut ObservationState,
    context: &PageContext,
    dialog: PageDialog,
) -> Result<Observed, PageError> {
    let (url, title) = context.read_address().await?;
    state.observations += 1;
    let mut lines = dialog.lines();
    lines.extend(context.notes.read().into_iter().map(walker_result::note));
    let observation = Observation {
        number: state.observations,
        url,
        title,
        tab: context.tabs.position(),
        tabs: context.read_titles().await,
        viewport: shared.config.viewport,
        scroll: (0, 0),
        scroll_across: (0, 0),
        lines,
        tools: Vec::new(),
        dialog: Some(dialog),
        document: String::new(),
        unshown: UnshownLines::default(),
    };
    let jpeg = state.picture.clone().map_or_else(|| crop::blank_picture(shared.config.viewport), Ok)?;
    let page = ObservedPage { observation: Arc::new(observation), picture: PendingPicture::taken(jpeg) };
    Ok(Observed { page, next_picture: None })
}
