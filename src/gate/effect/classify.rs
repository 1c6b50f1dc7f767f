//! Classification of actions: derives the properties that rules match on from an action and its page, such as
//! the form's method and fields, the element's role and name, and the destination. Pure.
//!
//! A form that would be sent is judged by its fields and its button. A link is judged by its destination,
//! unless its name is an imperative ("Delete account"). Any other pressable element is judged by its name. An
//! action that cannot be classified is `Unknown`, and the gate asks about it.

use crate::gate::effect::{element, fill_parts, form, keys, page_tool};
use crate::gate::host_kinds;
use crate::gate::host_kinds::HostKind;
use crate::gate::meaning::effect_class::{ActionProperties, EffectClass, EffectJudgement, EffectTrait};
use crate::gate::meaning::intent::Intent;
use crate::gate::request::AssessmentRequest;
use crate::gate::wording::{normalize, paths};
use crate::page::observation::LEAVE;
use crate::page::target::Target;
use crate::page::url::parse_typed_url;
use crate::turn::action::{Action, AgentAction, BrowserAction, PageAction, TabOperation};
use crate::turn::internal_action::{InternalAction, PremoveOperation};
use crate::turn::page_input::mouse::{Button, ClickInput, Modifier};
use crate::turn::page_input::points::PointAction;
use url::Url;

/// Returns the properties of an action; of an action on several elements those of its first consequential part.
pub fn classify(request: &AssessmentRequest<'_>) -> ActionProperties {
    with_first_consequential_part(request, classify_single)
}

/// Calls `read` with the first of the actions that this one stands for that does more than enter something, else with the
/// last.
pub(crate) fn with_first_consequential_part<R>(
    request: &AssessmentRequest<'_>,
    read: impl FnOnce(&AssessmentRequest<'_>) -> R,
) -> R {
    let parts = fill_parts::parts(request);
    let requests: Vec<AssessmentRequest<'_>> = parts
        .iter()
        .map(|(action, target)| AssessmentRequest { action, target: *target, ..*request })
        .collect();
    let is_consequential = |part: &&AssessmentRequest<'_>| {
        !matches!(judge_effect(part).effect, EffectClass::Input | EffectClass::Read)
    };
    read(requests.iter().find(is_consequential).or(requests.last()).unwrap_or(request))
}

fn classify_single(request: &AssessmentRequest<'_>) -> ActionProperties {
    let judgement = judge_effect(request);
    let page = Url::parse(&request.page.url).ok().map(host_kinds::page_url);
    let leads = destination(request, &judgement);
    let leaves = leads.is_some();
    let url = match leads {
        Some(url) => Some(url),
        None if acts_on_page(request.action) => page.clone(),
        None => None,
    };
    let host = url.as_ref().and_then(|url| host_kinds::host_kind(url, request.context));
    let form = request.target.filter(|_| judgement.sends).and_then(|target| target.form.as_ref());
    let foreign = |url: &Url| page.as_ref().is_some_and(|page| page.origin() != url.origin());
    let opens = matches!(judgement.effect, EffectClass::Navigate | EffectClass::Read) && !judgement.sends;
    let at = if opens { url.as_ref() } else { page.as_ref().or(url.as_ref()) };
    ActionProperties {
        effect: judgement.effect,
        intent: judgement.intent,
        effect_trait: judgement.effect_trait,
        fields: form.map(form::field_kinds).unwrap_or_default(),
        method: form.map(|form| form.method.to_ascii_lowercase()),
        new_host: leaves && url.as_ref().is_some_and(|url| is_new_host(url, host, page.as_ref(), request)),
        other_origin: leaves && judgement.sends && url.as_ref().is_some_and(foreign),
        origin: at.map(host_kinds::origin).unwrap_or_default(),
        name: request.target.map(|target| normalize::normalize_name(&target.name)).unwrap_or_default(),
        host,
        url,
    }
}

fn judge_effect(request: &AssessmentRequest<'_>) -> EffectJudgement {
    match request.action {
        Action::Page(action) => judge_page_action(action, request),
        Action::Browser(
            BrowserAction::Navigate { url }
            | BrowserAction::Tab { operation: TabOperation::New, url: Some(url), .. },
        ) => judge_navigation(url),
        Action::Browser(_) => EffectJudgement::plain(EffectClass::Navigate),
        Action::Person(_) | Action::Agent(AgentAction::Stop { .. }) => {
            EffectJudgement::plain(EffectClass::Read)
        }
        Action::Agent(AgentAction::Inner(inner)) => EffectJudgement::plain(inner_effect(inner)),
    }
}

fn judge_page_action(action: &PageAction, request: &AssessmentRequest<'_>) -> EffectJudgement {
    match action {
        PageAction::Click { click, .. } => judge_click(click, request),
        PageAction::Point(action) => judge_point_action(action, request),
        // Judged by its parts.
        PageAction::Fill { .. } => EffectJudgement::plain(EffectClass::Unknown),
        PageAction::Type { submit: false, .. } => judge_self_sending(EffectClass::Input, request),
        PageAction::Select { options, .. } => judge_choice(options, request),
        PageAction::Type { submit: true, .. } => request.target.map_or_else(
            || EffectJudgement::plain(EffectClass::Unknown),
            |target| keys::judge_enter(target, request),
        ),
        PageAction::Upload { .. } => EffectJudgement::new(EffectClass::Upload, Some(Intent::Upload)),
        PageAction::Press { key } => keys::judge_key(key, request),
        PageAction::Hover { .. } => judge_self_sending(EffectClass::Read, request),
        PageAction::Drag { .. } => judge_drop(request),
        // The page may treat releasing the button as a click.
        PageAction::SelectText { .. } => judge_click(&ClickInput::once(), request),
        PageAction::Dialog { accept: false, .. } => EffectJudgement::plain(EffectClass::Read),
        PageAction::Dialog { accept: true, .. } => judge_accept(request),
        PageAction::Tool { .. } => page_tool::judge_call(request),
        PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Find { .. }
        | PageAction::Extract { .. } => EffectJudgement::plain(EffectClass::Read),
    }
}

/// Judges a click. A right click opens a menu; Alt saves what a link leads to.
fn judge_click(click: &ClickInput, request: &AssessmentRequest<'_>) -> EffectJudgement {
    if click.button == Button::Right {
        return EffectJudgement::plain(EffectClass::Input);
    }
    let Some(target) = request.target else { return EffectJudgement::plain(EffectClass::Unknown) };
    let saves = click.modifiers.contains(&Modifier::Alt) && element::is_link(target);
    let saved = Target { download: target.download || saves, ..target.clone() };
    element::judge_click(&saved, &AssessmentRequest { target: Some(&saved), ..*request })
}

/// Judges an action at a point by the element there. A drawing does not say what a press on it does.
fn judge_point_action(action: &PointAction, request: &AssessmentRequest<'_>) -> EffectJudgement {
    let unknown = EffectJudgement::plain(EffectClass::Unknown);
    let Some(target) = request.target else { return unknown };
    let judged = match action {
        PointAction::Click { click, .. } => judge_click(click, request),
        PointAction::Hover { .. } => return judge_self_sending(EffectClass::Read, request),
        PointAction::Drag { .. } => judge_drop(request),
        PointAction::Type { submit: false, .. } => judge_self_sending(EffectClass::Input, request),
        PointAction::Type { submit: true, .. } => keys::judge_enter(target, request),
    };
    if judged.effect == EffectClass::Input && is_drawing(target) { unknown } else { judged }
}

/// True for elements whose content is drawn, and for those without a name.
fn is_drawing(target: &Target) -> bool {
    matches!(target.tag.as_str(), "" | "canvas" | "img" | "svg" | "video" | "object" | "embed" | "iframe")
        || (target.name.trim().is_empty() && !target.editable)
}

/// Returns the effect of an inner action. Setting a premove counts as a call, because the premove is called
/// before every plan.
fn inner_effect(inner: &InternalAction) -> EffectClass {
    match inner {
        InternalAction::Agent { .. } | InternalAction::Premove { operation: PremoveOperation::Set, .. } => {
            EffectClass::AgentCall
        }
        InternalAction::Group { .. }
        | InternalAction::TaskManager { .. }
        | InternalAction::Recall { .. }
        | InternalAction::ReadFile { .. }
        | InternalAction::Premove { .. }
        | InternalAction::Replan { .. } => EffectClass::Read,
    }
}

/// Judges a drop by the name of the drop target: "Trash", "Publish".
fn judge_drop(request: &AssessmentRequest<'_>) -> EffectJudgement {
    let named = request.target.and_then(|target| element::judge_drop(target, request));
    named.unwrap_or_else(|| judge_self_sending(EffectClass::Input, request))
}

/// Judges the acceptance of a dialog: "OK" does what the dialog asks.
fn judge_accept(request: &AssessmentRequest<'_>) -> EffectJudgement {
    let Some(dialog) = request.target else { return EffectJudgement::plain(EffectClass::Unknown) };
    if dialog.kind == LEAVE {
        // The action that leaves the page was judged before the dialog opened.
        return EffectJudgement::plain(EffectClass::Navigate);
    }
    let button = Target {
        role: String::from("button"),
        tag: String::from("button"),
        name: String::from("OK"),
        context: dialog.name.clone(),
        near: dialog.name.clone(),
        ..dialog.clone()
    };
    element::judge_click(&button, request)
}

/// Returns the effect of a form that the control's own attributes send, or `plain` if they send none.
fn judge_self_sending(plain: EffectClass, request: &AssessmentRequest<'_>) -> EffectJudgement {
    request
        .target
        .and_then(|target| form::judge_self_sending(target, request))
        .unwrap_or(EffectJudgement::plain(plain))
}

/// Judges a choice of options. A choice in a native list is input. A list made by the page is clicked, and so
/// is each option; since a page may call anything an option, each one is judged as a click.
fn judge_choice(options: &[String], request: &AssessmentRequest<'_>) -> EffectJudgement {
    let plain = judge_self_sending(EffectClass::Input, request);
    let Some(list) = request.target.filter(|target| target.tag != "select") else { return plain };
    let option = |name: &String| Target {
        role: String::from("option"),
        tag: String::from("div"),
        name: name.clone(),
        other_name: String::new(),
        ..list.clone()
    };
    let clicked = std::iter::once(list.clone()).chain(options.iter().map(option));
    let judgements = clicked.map(|target| {
        element::judge_click(&target, &AssessmentRequest { target: Some(&target), ..*request })
    });
    let mut grave =
        judgements.filter(|judgement| !matches!(judgement.effect, EffectClass::Input | EffectClass::Read));
    grave.next().unwrap_or(plain)
}

fn judge_navigation(text: &str) -> EffectJudgement {
    let Some(url) = parse_typed_url(text) else {
        return EffectJudgement::plain(EffectClass::Unknown);
    };
    if element::is_executable_url(&url) {
        return EffectJudgement::plain(EffectClass::Download).with_trait(EffectTrait::Executable);
    }
    paths::judge_opening(&url)
}

/// Returns the destination of the action, if it has one.
fn destination(request: &AssessmentRequest<'_>, judgement: &EffectJudgement) -> Option<Url> {
    if let Action::Browser(
        BrowserAction::Navigate { url }
        | BrowserAction::Tab { operation: TabOperation::New, url: Some(url), .. },
    ) = request.action
    {
        return parse_typed_url(url);
    }
    let target = request.target?;
    let destination = match (request.action, judgement.sends) {
        (_, true) => {
            let action =
                target.form.as_ref().map(|form| form.action.as_str()).filter(|action| !action.is_empty());
            target.destination.as_deref().or(action)
        }
        (
            Action::Page(
                PageAction::Click { click: ClickInput { button: Button::Left | Button::Middle, .. }, .. }
                | PageAction::Point(PointAction::Click {
                    click: ClickInput { button: Button::Left | Button::Middle, .. },
                    ..
                })
                | PageAction::Press { .. },
            ),
            false,
        ) if judgement.effect != EffectClass::Input => {
            target.destination.as_deref().filter(|_| element::is_link(target))
        }
        (_, false) => None,
    }?;
    request.page.resolve(destination).filter(|url| url.scheme() != "javascript")
}

/// True if the action takes effect on the current page. Actions that leave a page are never judged by it.
fn acts_on_page(action: &Action) -> bool {
    match action {
        Action::Page(action) => !matches!(action, PageAction::Wait { .. }),
        Action::Browser(_) | Action::Person(_) | Action::Agent(_) => false,
    }
}

/// True if the agent may not use this host without asking, and the page is not on it already. The service itself
/// is never new, because a rule of its own denies it.
fn is_new_host(
    url: &Url,
    host: Option<HostKind>,
    page: Option<&Url>,
    request: &AssessmentRequest<'_>,
) -> bool {
    if host == Some(HostKind::Service) {
        return false;
    }
    let is_other_host = page.is_none_or(|page| page.host() != url.host());
    (is_other_host && host_kinds::is_new_host(url, host, request.context)) || adds_values(url, request)
}

/// True for an address with a query that the agent writes itself, at a host that the person has approved without one.
fn adds_values(url: &Url, request: &AssessmentRequest<'_>) -> bool {
    matches!(request.action, Action::Browser(_))
        && url.query().is_some_and(|query| !query.is_empty())
        && host_kinds::list_contains(&request.context.approved_hosts, url)
}
