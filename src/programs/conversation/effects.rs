//! The effects of a visit: its requests to the browser and the service. All of them go through `record`, so
//! that a replayed step gets the recorded answers and touches nothing.

use crate::agent_spec::types::conversation_parts::VisionMode;
use crate::browser::actor::Browser;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::Bounds;
use crate::browser::input::ActionOptions;
use crate::browser::input::outcome::ActionOutcome;
use crate::browser::input::reading::extract_rows::{self, FoundRows};
use crate::browser::messages::{
    CheckActionable, Crop, ElementBoxes, Examine, ExaminePoint, ExamineText, FailRequests, JudgeRequests,
    ListHeldRequests, Observe, ObservedPage, Perform, PictureTime, ReleaseOutcome, ReleaseRequests,
    RestrictUrls, SnapshotNow,
};
use crate::browser::network::request_judge::RequestJudge;
use crate::browser::network::url_policy::UrlCheck;
use crate::browser::observe::crop::{Cropped, NoPicture};
use crate::browser::page::held_requests::HeldBatch;
use crate::browser::pending_picture::PendingPicture;
use crate::engine::program::ProgramError;
use crate::files::StoredFile;
use crate::gate::action_judge::ActionJudge;
use crate::gate::{host_kinds, url_refusals};
use crate::page::observation::Observation;
use crate::page::page_tool::TOOL;
use crate::page::target::Target;
use crate::page::url::parse_typed_url;
use crate::programs::conversation::host_context;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::conversation::working_set::BrowserEvents;
use crate::record::{self, SkipEmpty};
use crate::turn::action::{Action, BrowserAction, PageAction, RowFormat};
use crate::turn::page_input::points::{PicturePoint, PointAction};
use actix::dev::ToEnvelope;
use actix::{Actor, Addr, Handler, MailboxError, Message};
use actix_web::web::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;

/// A stored picture of the surroundings of an element.
#[derive(Debug, Serialize, Deserialize)]
pub struct CroppedPicture {
    pub picture: String,
    /// The element's box as x, y, width and height in 0..1 of the viewport.
    pub bounds: Option<[f64; 4]>,
}

type BrowserResult<T> = Result<Result<T, PageError>, ProgramError>;

async fn run_browser(cx: &VisitContext) -> Result<Addr<Browser>, ProgramError> {
    let last_observation = cx.state.last_observation.as_ref().map_or(0, |observed| observed.number);
    let (journal, vault) = (cx.journal.clone(), Arc::clone(&cx.deps.vault));
    let events = BrowserEvents { journal, vault, locale: cx.state.locale, last_observation };
    let no_browser = || ProgramError::Failed(String::from("this agent works in no browser"));
    cx.working_set.browser(cx.deps.browsers.as_ref().ok_or_else(no_browser)?, &cx.root, events).await
}

/// Returns the browser that `hold_browser` has fixed for this visit, so that an effect cannot happen in another
/// one; otherwise the run's browser.
async fn held_browser(cx: &VisitContext) -> Result<Addr<Browser>, ProgramError> {
    match cx.held_browser.get() {
        Some(browser) => Ok(browser.clone()),
        None => run_browser(cx).await,
    }
}

async fn ask_browser<M, T, E>(cx: &VisitContext, message: M) -> Result<Result<T, E>, ProgramError>
where
    M: Message<Result = Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<PageError> + Send + 'static,
    Browser: Handler<M>,
    <Browser as Actor>::Context: ToEnvelope<Browser, M>,
{
    Ok(flatten_mailbox_error(held_browser(cx).await?.send(message).await))
}

/// Observes the page and puts the observation into the working set.
pub async fn observe(cx: &VisitContext) -> BrowserResult<Arc<ObservedPage>> {
    cx.working_set.clear_observation();
    let observing = async {
        let browser = run_browser(cx).await?;
        // Only a model that is sent the picture waits for it.
        let picture = match cx.deps.view.vision {
            VisionMode::Always => PictureTime::NowWithBoxes,
            VisionMode::Auto => PictureTime::AfterWithBoxes,
            VisionMode::Off => PictureTime::After,
        };
        let observed = flatten_mailbox_error(browser.send(Observe { picture }).await);
        Ok(observed.map(|observed| match cx.deps.vault.redact_observation(&observed.observation) {
            Some(redacted) => ObservedPage { observation: Arc::new(redacted), ..observed },
            None => observed,
        }))
    };
    Ok(record_observation(observing).await?.map(|observed| {
        let observed = Arc::new(observed);
        cx.deps.texts.add_page(&cx.run, &observed.observation);
        cx.working_set.set_observation(Arc::clone(&observed));
        observed
    }))
}

/// Observes the page without a picture and without changing the working set.
pub async fn observe_quietly(cx: &VisitContext) -> BrowserResult<ObservedPage> {
    record_observation(ask_browser(cx, Observe { picture: PictureTime::Never })).await
}

/// Examines an element.
pub async fn examine_element(cx: &VisitContext, eid: u32) -> BrowserResult<Target> {
    let what = format!("examine {eid}");
    let examined = record::record_input(&what, async {
        Ok::<_, ProgramError>(ask_browser(cx, Examine { eid }).await?.map(SkipEmpty))
    });
    Ok(examined.await?.map(|SkipEmpty(target)| target))
}

/// Returns the boxes of elements in CSS pixels of the viewport.
pub async fn element_boxes(cx: &VisitContext, eids: Vec<u32>) -> BrowserResult<Vec<(u32, Bounds)>> {
    record::record_input("boxes of elements", ask_browser(cx, ElementBoxes { eids })).await
}

/// Examines the element on which the action takes effect, and the others that it acts on. The gate's
/// verdict and the approval are based on them.
pub async fn examine_target(cx: &VisitContext, action: &Action, eid: u32) -> BrowserResult<Target> {
    let mut target = match examine_element(cx, eid).await? {
        Ok(target) => target,
        Err(fault) => return Ok(Err(fault)),
    };
    if let Action::Page(PageAction::Drag { from_eid, .. }) = action {
        match examine_element(cx, *from_eid).await? {
            Ok(dragged) => target.dragged = Some(Box::new(dragged)),
            Err(fault) => return Ok(Err(fault)),
        }
    }
    if let Action::Page(PageAction::Fill { fields, .. }) = action {
        for other in fields.iter().map(|field| field.eid).filter(|other| *other != eid) {
            match examine_element(cx, other).await? {
                Ok(examined) => target.others.push(examined),
                Err(fault) => return Ok(Err(fault)),
            }
        }
    }
    Ok(Ok(target))
}

/// Examines what lies at the points of an action: the element on which it takes effect, and the one that is dragged.
pub async fn examine_points(cx: &VisitContext, action: &PointAction) -> BrowserResult<Option<Target>> {
    let mut found = Vec::new();
    for PicturePoint { x, y } in action.points() {
        let what = format!("examine {x} {y}");
        let examined = record::record_input(&what, async {
            Ok::<_, ProgramError>(ask_browser(cx, ExaminePoint { x, y }).await?.map(SkipEmpty))
        });
        match examined.await? {
            Ok(SkipEmpty(target)) => found.push(target),
            Err(fault) => return Ok(Err(fault)),
        }
    }
    let mut found = found.into_iter();
    let (target, dragged) = (found.next().flatten(), found.next().flatten());
    Ok(Ok(target.map(|target| Target { dragged: dragged.map(Box::new), ..target })))
}

/// Examines what holds words that are to be selected.
pub async fn examine_text(cx: &VisitContext, text: &str) -> BrowserResult<Target> {
    let what = format!("examine text {text}");
    let examined = record::record_input(&what, async {
        Ok::<_, ProgramError>(ask_browser(cx, ExamineText { text: text.to_owned() }).await?.map(SkipEmpty))
    });
    Ok(examined.await?.map(|SkipEmpty(target)| target))
}

/// Checks that the element can be acted on.
pub async fn check_reachable(cx: &VisitContext, eid: u32) -> BrowserResult<()> {
    record::record_input(&format!("reach {eid}"), ask_browser(cx, CheckActionable { eid })).await
}

/// Fixes the browser for this visit.
pub async fn hold_browser(cx: &VisitContext) -> Result<(), ProgramError> {
    let opened = record::record_input("open", async {
        let _ = cx.held_browser.set(run_browser(cx).await?);
        Ok(())
    });
    opened.await
}

/// Performs an action in the browser. `judge` judges the requests that it causes.
pub async fn perform_in_browser(
    cx: &VisitContext,
    action: Perform,
    judge: Arc<ActionJudge>,
) -> BrowserResult<ActionOutcome> {
    record::record_input("perform", async {
        let browser = held_browser(cx).await?;
        browser.do_send(url_policy(cx));
        let acts_on_page = matches!(&action.action, Action::Page(acted) if acted.sends_input());
        let may_repeat = acts_on_page && !matches!(&action.action, Action::Page(acted) if acted.only_looks());
        let is_new_request = cx.state.tool_steps == 0;
        browser.do_send(JudgeRequests { judge, acts_on_page, may_repeat, is_new_request });
        Ok(interrupted_result(browser.send(action).await, cx.state.has_outside_effect))
    })
    .await
}

/// Returns the URL policy for navigations that pages start themselves or that an action causes. The host
/// of the current page is allowed.
fn url_policy(cx: &VisitContext) -> RestrictUrls {
    let mut context = host_context::hosts(cx);
    let current_url = cx
        .state
        .last_observation
        .as_ref()
        .and_then(|observed| parse_typed_url(&observed.url))
        .map(host_kinds::page_url);
    context.named_hosts.extend(current_url.as_ref().map(host_kinds::display_host));
    let is_restricted = !context.allowed_hosts.is_empty();
    let judge = move |url: &str| url_refusals::new_host_refusal(url, &context);
    RestrictUrls { check: is_restricted.then(|| Arc::new(judge) as Arc<UrlCheck>) }
}

/// Returns the requests of the page that wait for the person; `None` if there are none. `before_end` is true if the run
/// ends then.
pub async fn list_held_requests(
    cx: &VisitContext,
    before_end: bool,
) -> Result<Option<HeldBatch>, ProgramError> {
    record::record_input("held", async {
        Ok(held_browser(cx).await?.send(ListHeldRequests { before_end }).await.unwrap_or_default())
    })
    .await
}

/// Lets held requests leave. A browser that was opened since holds none of them.
pub async fn release_requests(
    cx: &VisitContext,
    batch: HeldBatch,
    judge: Arc<dyn RequestJudge>,
) -> BrowserResult<ReleaseOutcome> {
    record::record_input("release", async {
        let browser = held_browser(cx).await?;
        browser.do_send(JudgeRequests {
            judge,
            acts_on_page: false,
            may_repeat: false,
            is_new_request: false,
        });
        // They may have left before.
        Ok(interrupted_result(browser.send(ReleaseRequests { batch }).await, true))
    })
    .await
}

/// Fails held requests: nothing of them leaves.
pub async fn fail_requests(cx: &VisitContext, batch: HeldBatch) -> Result<(), ProgramError> {
    record::record_input("fail requests", async {
        // An error says that the browser is gone, and the requests with it.
        let _ = held_browser(cx).await?.send(FailRequests { batch }).await;
        Ok(())
    })
    .await
}

/// Leaves the page for a blank one.
pub async fn leave_page(cx: &VisitContext) -> Result<(), ProgramError> {
    record::record_input("leave", async {
        let action = Action::Browser(BrowserAction::Navigate { url: String::from("about:blank") });
        let options = ActionOptions { skip_leave_dialog: true, ..ActionOptions::default() };
        // A failure is ignored: the caller drops the observation in either case.
        let _ = ask_browser(cx, Perform { action, options }).await?;
        Ok(())
    })
    .await
}

/// Captures the surroundings of an element. Returns the stored picture and the element's box in 0..1 of
/// the viewport, or the reason why there is no picture.
pub async fn crop_picture(
    cx: &VisitContext,
    target: Option<&Target>,
) -> Result<Result<CroppedPicture, NoPicture>, ProgramError> {
    // A tool of the page is no element: its question shows the whole page.
    let target = target.filter(|target| target.role != TOOL);
    let crop = Crop { eid: target.map(|target| target.eid), bounds: target.map(|target| target.bounds) };
    record::record_input("crop", async {
        let Cropped { jpeg, bounds, viewport: [width, height] } = match ask_browser(cx, crop).await? {
            Ok(cropped) => cropped,
            Err(why) => return Ok(Err(why)),
        };
        let picture = cx.journal.store_picture(jpeg.to_vec()).await?;
        let (width, height) = (width.max(1.0), height.max(1.0));
        let bounds = bounds.map(|[x, y, w, h]| [x / width, y / height, w / width, h / height]);
        Ok(Ok(CroppedPicture { picture, bounds }))
    })
    .await
}

/// Stores the picture of an observation, as soon as it is taken, and returns the path at which it will be served.
pub async fn store_picture(cx: &VisitContext, observed: &ObservedPage) -> Result<String, ProgramError> {
    let picture = observed.picture.clone();
    let jpeg = async move { picture.wait().await.map(|jpeg| jpeg.to_vec()) };
    record::record_input("picture", async { Ok(cx.journal.store_pending_picture(jpeg).await?) }).await
}

/// Stores a snapshot from which another Chromium can open this page again, if it differs from the last
/// one.
pub async fn store_snapshot(cx: &mut VisitContext) -> Result<(), ProgramError> {
    let mut snapshot = None;
    let kept = record::record_input("keep page", async {
        snapshot = ask_browser(cx, SnapshotNow).await?.ok().map(|snapshot| json!(snapshot));
        Ok::<_, ProgramError>(())
    });
    kept.await?;
    if let Some(snapshot) = snapshot.filter(|snapshot| cx.working_set.record_snapshot(snapshot)) {
        cx.record.browser = Some(snapshot);
    }
    Ok(())
}

/// Delays the recording of the step if the page has a secret field: the page may show a value that is
/// known to be a secret only after it was typed.
pub fn delay_recording_of_secrets(cx: &VisitContext) {
    let asks =
        |observed: &Arc<ObservedPage>| observed.observation.lines.iter().any(|line| line.attributes.secret);
    if cx.working_set.observation().as_ref().is_some_and(asks) {
        record::hold_back();
    }
}

/// Stores rows as a file of the run tree. Returns the text of the file, too.
pub async fn store_rows(
    cx: &VisitContext,
    found: &FoundRows,
    format: Option<RowFormat>,
) -> BrowserResult<(String, StoredFile)> {
    let files = cx.deps.files.run_files(&cx.root);
    let found = found.clone();
    record::record_input("store rows", async {
        let stored = tokio::task::spawn_blocking(move || {
            extract_rows::store_rows(&found, format, |name, text| files.write_text(name, text))
        });
        stored.await.map_err(|fault| ProgramError::Failed(fault.to_string()))
    })
    .await
}

/// Returns the files of the run tree.
pub fn list_files(cx: &VisitContext) -> Vec<StoredFile> {
    record::record_value("files", || cx.deps.files.run_files(&cx.root).list())
}

fn flatten_mailbox_error<T, E: From<PageError>>(answer: Result<Result<T, E>, MailboxError>) -> Result<T, E> {
    answer.unwrap_or_else(|_| Err(PageError::crashed().into()))
}

/// Returns the result of an order to the browser. If the browser ended meanwhile, also without an answer, an order that may
/// have an effect outside of it has an unknown outcome.
fn interrupted_result<T>(
    answer: Result<Result<T, PageError>, MailboxError>,
    may_have_effect: bool,
) -> Result<T, PageError> {
    flatten_mailbox_error(answer).map_err(|fault: PageError| match fault.code {
        ErrorCode::BrowserCrashed if may_have_effect => PageError::outcome_unknown(),
        _ => fault,
    })
}

/// Records an observation without its picture, which is stored separately.
async fn record_observation(
    observing: impl Future<Output = BrowserResult<ObservedPage>>,
) -> BrowserResult<ObservedPage> {
    // A replayed observation has an empty picture, so that the request goes to the same model.
    let mut picture = PendingPicture::taken(Bytes::new());
    let recorded = record::record_input("look", async {
        Ok::<_, ProgramError>(observing.await?.map(|observed| {
            picture = observed.picture;
            SkipEmpty(Observation::clone(&observed.observation))
        }))
    });
    let recorded = recorded.await?;
    Ok(recorded.map(|SkipEmpty(observation)| ObservedPage { observation: Arc::new(observation), picture }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_whose_browser_ended_has_an_unknown_outcome() {
        for is_closed in [false, true] {
            let end = || match is_closed {
                true => Err(MailboxError::Closed),
                false => Ok(Err::<(), _>(PageError::crashed())),
            };
            assert_eq!(interrupted_result(end(), true).unwrap_err().code, ErrorCode::OutcomeUnknown);
            assert_eq!(interrupted_result(end(), false).unwrap_err().code, ErrorCode::BrowserCrashed);
        }
        let closed = interrupted_result::<()>(Ok(Err(PageError::tab_closed())), true);
        assert_eq!(closed.unwrap_err().code, ErrorCode::NoPage);
    }
}
