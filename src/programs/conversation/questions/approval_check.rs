//! Checks right before the effect whether an approved action still is what the person saw.

use crate::engine::program::ProgramError;
use crate::page::fingerprint::fingerprint;
use crate::page::observation::Observation;
use crate::page::target::Target;
use crate::page::target_changes::{describe_changes, without_late_messages};
use crate::page::text::quoted;
use crate::page::url::strip_fragment;
use crate::programs::conversation::effects;
use crate::programs::conversation::state::changes::Approval;
use crate::programs::conversation::visit_context::VisitContext;
use crate::turn::action::{Action, BrowserAction, PageAction};

/// The greatest number of elements with the same role and name that are examined.
const MAX_NAMESAKES: usize = 8;

pub enum ApprovalCheck {
    /// The fingerprint is the same. The action has the current number of its element.
    Same(Action),
    /// A description of the difference.
    Changed(String),
}

/// Compares page, element, form and values with what was approved. After a restart the page has been opened
/// again and its elements have new numbers, so the element is found by role and name.
pub async fn check_approval(
    cx: &VisitContext,
    approval: &Approval,
    action: Action,
) -> Result<ApprovalCheck, ProgramError> {
    if let Action::Page(PageAction::Dialog { .. }) = action {
        return check_dialog(cx, approval, action).await;
    }
    if let Action::Page(PageAction::Tool { name, .. }) = &action {
        return check_tool(cx, approval, name.clone(), action).await;
    }
    let Some(before) = &approval.target else {
        return check_untargeted(cx, approval, action).await;
    };
    if let Some(examined) = examine_place(cx, &action).await? {
        return Ok(compare_with_approved(cx, approval, before, (action, examined)));
    }
    let mut examined = None;
    if let Ok(target) = effects::examine_target(cx, &action, before.eid).await? {
        if is_as_approved(approval, before, &action, &target) {
            cx.working_set.set_target(Some(target));
            return Ok(ApprovalCheck::Same(action));
        }
        examined = Some(target);
    }
    let observed = match effects::observe_quietly(cx).await? {
        Ok(observed) => observed,
        Err(fault) => return Ok(ApprovalCheck::Changed(fault.message)),
    };
    let now = &observed.observation.url;
    if !is_same_page(now, &approval.url) {
        return Ok(ApprovalCheck::Changed(format!("the page is now {}", quoted(now))));
    }
    if let Some(why) = lost_gesture(&action, before, examined.as_ref()) {
        return Ok(ApprovalCheck::Changed(why));
    }
    find_approved_element(cx, approval, &observed.observation, before, action, examined).await
}

/// True if an element is what the person approved, or only messages in live regions have come beside it since.
fn is_as_approved(approval: &Approval, before: &Target, action: &Action, now: &Target) -> bool {
    let agrees = |now: &Target| fingerprint(&now.page, action, now) == approval.fingerprint;
    agrees(now) || without_late_messages(before, now).is_some_and(|now| agrees(&now))
}

/// Returns why an action is not found again on a page that was opened anew, if it needs more than one element or the
/// focus.
fn lost_gesture(action: &Action, before: &Target, examined: Option<&Target>) -> Option<String> {
    let lost = || String::from("the page was opened again: nothing is focused or held");
    match (action, examined) {
        (Action::Page(PageAction::Drag { .. } | PageAction::Fill { .. }), Some(now)) => {
            Some(difference_text(before, now))
        }
        (Action::Page(PageAction::Press { .. } | PageAction::Drag { .. } | PageAction::Fill { .. }), _) => {
            Some(lost())
        }
        _ => None,
    }
}

/// Examines what an action without the number of an element is about: what lies at its points, or holds its words. `None` for
/// other actions.
async fn examine_place(cx: &VisitContext, action: &Action) -> Result<Option<Option<Target>>, ProgramError> {
    Ok(match action {
        Action::Page(PageAction::Point(pointed)) => {
            Some(effects::examine_points(cx, pointed).await?.ok().flatten())
        }
        Action::Page(PageAction::SelectText { text }) => Some(effects::examine_text(cx, text).await?.ok()),
        _ => None,
    })
}

/// Compares what was approved with what was examined anew at the same place.
fn compare_with_approved(
    cx: &VisitContext,
    approval: &Approval,
    before: &Target,
    (action, examined): (Action, Option<Target>),
) -> ApprovalCheck {
    match examined {
        Some(now) if is_as_approved(approval, before, &action, &now) => {
            cx.working_set.set_target(Some(now));
            ApprovalCheck::Same(action)
        }
        Some(now) => ApprovalCheck::Changed(difference_text(before, &now)),
        None => ApprovalCheck::Changed(String::from("what it was about is not there any more")),
    }
}

/// Compares a dialog: it is the same if it asks the same on the same page.
async fn check_dialog(
    cx: &VisitContext,
    approval: &Approval,
    action: Action,
) -> Result<ApprovalCheck, ProgramError> {
    if let Err(fault) = effects::observe(cx).await? {
        return Ok(ApprovalCheck::Changed(fault.message));
    }
    let now = cx.working_set.dialog();
    let same = now.as_ref().is_some_and(|now| fingerprint(&now.page, &action, now) == approval.fingerprint);
    cx.working_set.set_target(now);
    let dialog_changed =
        || ApprovalCheck::Changed(String::from("the dialog is closed, or asks something else"));
    Ok(if same { ApprovalCheck::Same(action) } else { dialog_changed() })
}

/// Compares a tool of the page: it is the same if the same page declares it the same way.
async fn check_tool(
    cx: &VisitContext,
    approval: &Approval,
    name: String,
    action: Action,
) -> Result<ApprovalCheck, ProgramError> {
    if let Err(fault) = effects::observe(cx).await? {
        return Ok(ApprovalCheck::Changed(fault.message));
    }
    let now = cx.working_set.tool(&name);
    let same = now.as_ref().is_some_and(|now| fingerprint(&now.page, &action, now) == approval.fingerprint);
    let is_there = now.is_some();
    cx.working_set.set_target(now);
    Ok(match (same, is_there) {
        (true, _) => ApprovalCheck::Same(action),
        (false, true) => ApprovalCheck::Changed(String::from("the page declares its tool otherwise")),
        (false, false) => ApprovalCheck::Changed(String::from("the page has no such tool any more")),
    })
}

/// Finds the approved element among those with the same role and name.
async fn find_approved_element(
    cx: &VisitContext,
    approval: &Approval,
    observed: &Observation,
    before: &Target,
    action: Action,
    mut examined: Option<Target>,
) -> Result<ApprovalCheck, ProgramError> {
    for eid in find_namesakes(observed, before) {
        let renamed = action.clone().with_eid(eid);
        let Ok(target) = effects::examine_target(cx, &renamed, eid).await? else { continue };
        if is_as_approved(approval, before, &renamed, &target) {
            cx.working_set.set_target(Some(target));
            return Ok(ApprovalCheck::Same(renamed));
        }
        examined.get_or_insert(target);
    }
    Ok(ApprovalCheck::Changed(match examined {
        Some(now) => difference_text(before, &now),
        None => format!("{} is gone", quoted(&before.name)),
    }))
}

async fn check_untargeted(
    cx: &VisitContext,
    approval: &Approval,
    action: Action,
) -> Result<ApprovalCheck, ProgramError> {
    let blank = Target::default();
    let same = fingerprint(&approval.url, &action, &blank) == approval.fingerprint;
    // The destination was judged when it was named, so the current page does not matter.
    let is_here = matches!(action, Action::Browser(BrowserAction::Navigate { .. }))
        || is_on_page(cx, &approval.url).await?;
    Ok(if same && is_here {
        ApprovalCheck::Same(action)
    } else {
        ApprovalCheck::Changed(String::from("the page is another one"))
    })
}

/// Reports whether the page in front is the one on which the action was approved.
async fn is_on_page(cx: &VisitContext, url: &str) -> Result<bool, ProgramError> {
    Ok(effects::observe_quietly(cx).await?.is_ok_and(|observed| is_same_page(&observed.observation.url, url)))
}

fn is_same_page(one: &str, other: &str) -> bool {
    strip_fragment(one) == strip_fragment(other)
}

fn find_namesakes<'a>(observed: &'a Observation, before: &'a Target) -> impl Iterator<Item = u32> + 'a {
    observed
        .lines
        .iter()
        .filter(|line| line.role == before.role && line.name == before.name)
        .filter_map(|line| line.eid)
        .take(MAX_NAMESAKES)
}

fn difference_text(before: &Target, now: &Target) -> String {
    let changed = describe_changes(before, now);
    if changed.is_empty() { String::from("its values or its place changed") } else { changed.join("; ") }
}
