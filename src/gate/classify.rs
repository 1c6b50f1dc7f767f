//! Classification of actions: derives the properties that rules match on from an action and its page, such as
//! the form's method and fields, the element's role and name, and the destination. Pure.
//!
//! A form that would be sent is judged by its fields and its button. A link is judged by its destination,
//! unless its name is an imperative ("Delete account"). Any other pressable element is judged by its name. An
//! action that cannot be classified is `Unknown`, and the gate asks about it.

use super::effect::{ActionProperties, EffectClass, EffectTrait, Sense};
use super::hosts::{self, HostKind};
use super::words::Intent;
use super::{Ask, element, form, keys, paths};
use crate::page::dialog::LEAVE;
use crate::page::target::Target;
use crate::turn::action::{Action, Button, TabOperation};
use crate::turn::inner::{InternalAction, PremoveOperation};
use url::Url;

/// Returns the properties of an action.
pub fn classify(ask: &Ask<'_>) -> ActionProperties {
    let sense = sense(ask);
    let page = Url::parse(&ask.page.url).ok().map(hosts::home);
    let leads = leads_to(ask, &sense);
    let leaves = leads.is_some();
    let place = match leads {
        Some(url) => Some(url),
        None if stays_here(ask.action) => page.clone(),
        None => None,
    };
    let host = place.as_ref().and_then(|url| hosts::kind(url, ask.context));
    let form = ask.target.filter(|_| sense.sends).and_then(|target| target.form.as_ref());
    let foreign = |url: &Url| page.as_ref().is_some_and(|page| page.origin() != url.origin());
    let opens = matches!(sense.effect, EffectClass::Navigate | EffectClass::Read) && !sense.sends;
    let at = if opens { place.as_ref() } else { page.as_ref().or(place.as_ref()) };
    ActionProperties {
        effect: sense.effect,
        intent: sense.intent,
        about: sense.about,
        fields: form.map(form::kinds).unwrap_or_default(),
        method: form.map(|form| form.method.to_ascii_lowercase()),
        new_host: leaves && place.as_ref().is_some_and(|url| is_new(url, host, page.as_ref(), ask)),
        other_origin: leaves && sense.sends && place.as_ref().is_some_and(foreign),
        origin: at.map(hosts::origin).unwrap_or_default(),
        name: ask.target.map(|target| super::fold::words(&target.name)).unwrap_or_default(),
        host,
        place,
    }
}

fn sense(ask: &Ask<'_>) -> Sense {
    match ask.action {
        Action::Navigate { url } => navigate(url),
        Action::Back | Action::Forward | Action::Reload => Sense::plain(EffectClass::Navigate),
        Action::Click { button: Button::Right, .. } => Sense::plain(EffectClass::Input),
        Action::Click { button: Button::Left | Button::Middle, .. } => ask
            .target
            .map_or_else(|| Sense::plain(EffectClass::Unknown), |target| element::click(target, ask)),
        Action::Type { submit: false, .. } => by_itself_or(EffectClass::Input, ask),
        Action::Select { options, .. } => choose(options, ask),
        Action::Type { submit: true, .. } => {
            ask.target.map_or_else(|| Sense::plain(EffectClass::Unknown), |target| keys::enter(target, ask))
        }
        Action::Upload { .. } => Sense::new(EffectClass::Upload, Some(Intent::Upload)),
        Action::Press { key } => keys::press(key, ask),
        Action::Hover { .. } => by_itself_or(EffectClass::Read, ask),
        Action::Drag { .. } => drop_on(ask),
        Action::Dialog { accept: false, .. } => Sense::plain(EffectClass::Read),
        Action::Dialog { accept: true, .. } => accept(ask),
        Action::Tab { operation: TabOperation::New, url: Some(url), .. } => navigate(url),
        Action::Tab { .. } => Sense::plain(EffectClass::Navigate),
        Action::Scroll { .. }
        | Action::Wait { .. }
        | Action::Extract { .. }
        | Action::NeedUser { .. }
        | Action::AskUser { .. }
        | Action::Stop { .. } => Sense::plain(EffectClass::Read),
        Action::Inner(inner) => Sense::plain(within(inner)),
    }
}

/// Returns the effect of an inner action. Setting a premove counts as a call, because the premove is called
/// before every plan.
fn within(inner: &InternalAction) -> EffectClass {
    match inner {
        InternalAction::Agent { .. } | InternalAction::Premove { operation: PremoveOperation::Set, .. } => {
            EffectClass::AgentCall
        }
        InternalAction::Group { .. }
        | InternalAction::TaskManager { .. }
        | InternalAction::Recall { .. }
        | InternalAction::Premove { .. }
        | InternalAction::Replan { .. } => EffectClass::Read,
    }
}

/// Judges a drop by the name of the drop target: "Trash", "Publish".
fn drop_on(ask: &Ask<'_>) -> Sense {
    let named = ask.target.and_then(|target| element::dropped_on(target, ask));
    named.unwrap_or_else(|| by_itself_or(EffectClass::Input, ask))
}

/// Judges the acceptance of a dialog: "OK" does what the dialog asks.
fn accept(ask: &Ask<'_>) -> Sense {
    let Some(dialog) = ask.target else { return Sense::plain(EffectClass::Unknown) };
    if dialog.kind == LEAVE {
        // The action that leaves the page was judged before the dialog opened.
        return Sense::plain(EffectClass::Navigate);
    }
    let button = Target {
        role: String::from("button"),
        tag: String::from("button"),
        name: String::from("OK"),
        context: dialog.name.clone(),
        near: dialog.name.clone(),
        ..dialog.clone()
    };
    element::click(&button, ask)
}

/// Returns the effect of a form that the control's own attributes send, or `plain` if they send none.
fn by_itself_or(plain: EffectClass, ask: &Ask<'_>) -> Sense {
    ask.target.and_then(|target| form::by_itself(target, ask)).unwrap_or(Sense::plain(plain))
}

/// Judges a choice of options. A choice in a native list is input. A list made by the page is clicked, and so
/// is each option; since a page may call anything an option, each one is judged as a click.
fn choose(options: &[String], ask: &Ask<'_>) -> Sense {
    let plain = by_itself_or(EffectClass::Input, ask);
    let Some(list) = ask.target.filter(|target| target.tag != "select") else { return plain };
    let option = |name: &String| Target {
        role: String::from("option"),
        tag: String::from("div"),
        name: name.clone(),
        also: String::new(),
        ..list.clone()
    };
    let clicked = std::iter::once(list.clone()).chain(options.iter().map(option));
    let senses = clicked.map(|target| element::click(&target, &Ask { target: Some(&target), ..*ask }));
    let mut grave = senses.filter(|sense| !matches!(sense.effect, EffectClass::Input | EffectClass::Read));
    grave.next().unwrap_or(plain)
}

fn navigate(text: &str) -> Sense {
    let Some(url) = hosts::read(text) else { return Sense::plain(EffectClass::Unknown) };
    if element::is_program(&url) {
        return Sense::plain(EffectClass::Download).about(EffectTrait::Executable);
    }
    paths::opening(&url)
}

/// Returns the destination of the action, if it has one.
fn leads_to(ask: &Ask<'_>, sense: &Sense) -> Option<Url> {
    if let Action::Navigate { url } | Action::Tab { operation: TabOperation::New, url: Some(url), .. } =
        ask.action
    {
        return hosts::read(url);
    }
    let target = ask.target?;
    let destination = match (ask.action, sense.sends) {
        (_, true) => {
            let action =
                target.form.as_ref().map(|form| form.action.as_str()).filter(|action| !action.is_empty());
            target.destination.as_deref().or(action)
        }
        (Action::Click { button: Button::Left | Button::Middle, .. } | Action::Press { .. }, false)
            if sense.effect != EffectClass::Input =>
        {
            target.destination.as_deref().filter(|_| element::is_link(target))
        }
        (_, false) => None,
    }?;
    let base = Url::parse(&ask.page.url).ok();
    Url::options().base_url(base.as_ref()).parse(destination).ok().filter(|url| url.scheme() != "javascript")
}

/// True if the action takes effect on the current page. Actions that leave a page are never judged by it.
fn stays_here(action: &Action) -> bool {
    match action {
        Action::Click { .. }
        | Action::Type { .. }
        | Action::Select { .. }
        | Action::Press { .. }
        | Action::Hover { .. }
        | Action::Drag { .. }
        | Action::Upload { .. }
        | Action::Dialog { .. }
        | Action::Scroll { .. }
        | Action::Extract { .. } => true,
        Action::Navigate { .. }
        | Action::Back
        | Action::Forward
        | Action::Reload
        | Action::Wait { .. }
        | Action::Tab { .. }
        | Action::NeedUser { .. }
        | Action::AskUser { .. }
        | Action::Stop { .. }
        | Action::Inner(_) => false,
    }
}

/// True if the agent has `allowed_hosts`, this host is not among them, and the page is not on it already.
fn is_new(url: &Url, host: Option<HostKind>, page: Option<&Url>, ask: &Ask<'_>) -> bool {
    let context = ask.context;
    if context.allowed_hosts.is_empty() || page.is_some_and(|page| page.host() == url.host()) {
        return false;
    }
    match host {
        Some(HostKind::Public | HostKind::Private | HostKind::Metadata) => {
            !hosts::lists(&context.allowed_hosts, url) && !hosts::lists(&context.named_hosts, url)
        }
        Some(HostKind::Listed | HostKind::Own | HostKind::Service) | None => false,
    }
}
