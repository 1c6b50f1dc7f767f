//! Effects of clicks on links, buttons and other elements.

use crate::files::runnable::has_runnable_address_ending;
use crate::gate::effect::form;
use crate::gate::meaning::effect_class::{EffectClass, EffectJudgement, EffectTrait};
use crate::gate::meaning::intent::Intent;
use crate::gate::request::AssessmentRequest;
use crate::gate::wording::money;
use crate::gate::wording::name_intents::NameIntents;
use crate::gate::wording::{name_effects, name_intents, paths};
use crate::page::target::Target;
use url::Url;

/// Judges a click, or a key press equivalent to one.
pub(crate) fn judge_click(target: &Target, request: &AssessmentRequest<'_>) -> EffectJudgement {
    match &target.form {
        // A click into a field only places the cursor, although Enter in it would send.
        Some(form) if target.submits && form.method != "dialog" && !is_typed_into(target) => {
            form::judge_sending(
                form,
                &name_effects::read_graver_name(&target.name, &target.other_name),
                target,
                request,
            )
        }
        Some(_) | None => {
            form::judge_self_sending(target, request).unwrap_or_else(|| judge_press(target, request))
        }
    }
}

/// Judges a click on an element that sends no form.
pub(crate) fn judge_press(target: &Target, request: &AssessmentRequest<'_>) -> EffectJudgement {
    if target.kind == "file" {
        return EffectJudgement::new(EffectClass::Upload, Some(Intent::Upload));
    }
    let intents = name_effects::read_graver_name(&target.name, &target.other_name);
    match link_destination(target, request) {
        Some(url) => judge_link(&url, &intents, target, request),
        None => judge_button(&intents, target, request),
    }
}

/// Returns the effect of dropping something on the element, if its name states one.
pub(crate) fn judge_drop(target: &Target, request: &AssessmentRequest<'_>) -> Option<EffectJudgement> {
    let intents = name_effects::read_graver_name(&target.name, &target.other_name);
    let intent = intents.button_intent().filter(|intent| !intent.is_vague())?;
    name_effects::named_effect(intent, target, request)
}

/// True if the element is a link. Does not check that it has a destination.
pub(crate) fn is_link(target: &Target) -> bool {
    matches!(target.tag.as_str(), "a" | "area") || target.role == "link"
}

/// Returns the destination of a link; `None` for a link that only starts a script.
fn link_destination(target: &Target, request: &AssessmentRequest<'_>) -> Option<Url> {
    let destination = target.destination.as_deref().filter(|_| is_link(target))?.trim();
    let url = request.page.resolve(destination)?;
    let script = url.scheme() == "javascript" || url.fragment() == Some("");
    (!script).then_some(url)
}

fn judge_link(
    url: &Url,
    intents: &NameIntents,
    target: &Target,
    request: &AssessmentRequest<'_>,
) -> EffectJudgement {
    if is_executable_url(url) {
        return EffectJudgement::new(EffectClass::Download, Some(Intent::Download))
            .with_trait(EffectTrait::Executable);
    }
    match url.scheme() {
        "mailto" | "tel" | "sms" => return EffectJudgement::plain(EffectClass::Input),
        "blob" | "data" => return EffectJudgement::new(EffectClass::Download, Some(Intent::Download)),
        _ if target.download => return EffectJudgement::new(EffectClass::Download, Some(Intent::Download)),
        _ => {}
    }
    let unnamed = || if intents.has_words() { None } else { path_intent(url) };
    let order = intents.link_intent().filter(|intent| acts_by_link(*intent)).or_else(unnamed);
    match order.and_then(|intent| name_effects::named_effect(intent, target, request)) {
        Some(judgement) => judgement,
        None => paths::judge_opening(url),
    }
}

/// Returns the meaning of a URL for a link without a name: an icon that leads to `/items/3/delete`.
fn path_intent(url: &Url) -> Option<Intent> {
    let last = url.path_segments()?.next_back()?.to_ascii_lowercase();
    paths::segment_intent(&last)
        .filter(|intent| matches!(intent, Intent::Delete | Intent::SignOut | Intent::Unsubscribe))
}

/// True for effects that links have in practice. Others ("Sign in", "Checkout") are pages to open.
fn acts_by_link(intent: Intent) -> bool {
    matches!(
        intent,
        Intent::DeleteAccount
            | Intent::Transfer
            | Intent::Pay
            | Intent::Order
            | Intent::Buy
            | Intent::Unsubscribe
            | Intent::Delete
            | Intent::Grant
            | Intent::Revoke
            | Intent::SignInWith
            | Intent::SignOut
            | Intent::Cart
    )
}

fn judge_button(intents: &NameIntents, target: &Target, request: &AssessmentRequest<'_>) -> EffectJudgement {
    let named = intents.button_intent();
    if is_typed_into(target) || is_native_choice(target) {
        return EffectJudgement::plain(EffectClass::Input);
    }
    // A page may give any role to any element. A choice that is not a native control and is named after an
    // effect has that effect.
    if is_sent_later(target) && named.and_then(name_effects::intent_effect).is_none() {
        return EffectJudgement::plain(EffectClass::Input);
    }
    if named.is_none_or(Intent::is_vague) && name_effects::is_about_cookies(intents, target) {
        return EffectJudgement::new(EffectClass::Input, Some(Intent::Consent));
    }
    match named {
        Some(Intent::Commit) => judge_confirmation(target, request),
        Some(Intent::Step) if request.page.filled => judge_confirmation(target, request),
        Some(intent) => name_effects::named_effect(intent, target, request)
            .unwrap_or_else(|| EffectJudgement::new(EffectClass::Input, named)),
        None if opens(target) || is_description(intents, target) => {
            EffectJudgement::plain(EffectClass::Input)
        }
        None => target
            .form
            .as_ref()
            .and_then(form::judge_secret_fields)
            .unwrap_or_else(|| EffectJudgement::plain(EffectClass::Unknown)),
    }
}

/// Judges a confirmation: "Yes" in a dialog does what the dialog asks; beside a password it sends that.
fn judge_confirmation(target: &Target, request: &AssessmentRequest<'_>) -> EffectJudgement {
    let titled = name_intents::read_name(&target.context)
        .button_intent()
        .filter(|intent| !intent.is_vague() && *intent != Intent::Cart)
        .and_then(|intent| name_effects::named_effect(intent, target, request))
        .filter(|judgement| judgement.effect != EffectClass::Input);
    titled
        .or_else(|| target.form.as_ref().and_then(form::judge_secret_fields))
        .unwrap_or_else(|| EffectJudgement::new(EffectClass::Submit, Some(Intent::Commit)))
}

/// True if the name describes a thing instead of giving an imperative: a sign ("×", "12"), a picture, a card
/// whose whole text is its name. Pressing such an element opens or selects it. Excludes names with a price,
/// which may be payments, and truncated names, whose ends are unknown.
fn is_description(intents: &NameIntents, target: &Target) -> bool {
    const CARD_WORDS: usize = 4;
    const BUTTON_WORDS: usize = 7;
    let sign = !intents.has_words() && target.name.contains(|c: char| !c.is_whitespace());
    let cut = target.name.ends_with('…');
    let price = !money::amounts(&target.name).is_empty();
    let long = match target.role.as_str() {
        "img" | "figure" | "image" => 0,
        "button" | "link" | "menuitem" | "switch" => BUTTON_WORDS,
        _ => CARD_WORDS,
    };
    !price && !cut && (sign || intents.count() >= long)
}

/// True if a press only places the cursor in the element. Buttons and links never qualify, whatever their
/// attributes.
fn is_typed_into(target: &Target) -> bool {
    let pressed = matches!(target.tag.as_str(), "button" | "a" | "area" | "summary" | "label");
    let own = matches!(target.tag.as_str(), "input" | "textarea");
    target.editable
        && !pressed
        && (own || matches!(target.role.as_str(), "textbox" | "searchbox" | "combobox"))
}

/// True for a native control that is chosen or typed into. A label counts as its control.
fn is_native_choice(target: &Target) -> bool {
    let kind = target.kind.as_str();
    let acts = matches!(kind, "submit" | "button" | "image" | "reset" | "file");
    match target.tag.as_str() {
        "input" => !acts && (is_sent_later(target) || matches!(kind, "checkbox" | "radio")),
        "select" | "option" | "textarea" => true,
        "label" => !acts && !kind.is_empty(),
        _ => false,
    }
}

/// True for choices, which something else sends. A switch is not one, because it acts at once.
fn is_sent_later(target: &Target) -> bool {
    matches!(
        target.role.as_str(),
        "textbox"
            | "searchbox"
            | "spinbutton"
            | "slider"
            | "combobox"
            | "listbox"
            | "option"
            | "radio"
            | "checkbox"
            | "menuitemradio"
            | "menuitemcheckbox"
            | "tab"
            | "treeitem"
            | "gridcell"
            | "columnheader"
            | "rowheader"
            | "scrollbar"
    ) || matches!(target.tag.as_str(), "summary" | "select" | "option" | "textarea" | "video" | "audio")
}

/// True if the element declares that it opens or toggles something on the page.
fn opens(target: &Target) -> bool {
    target.opens || (target.role == "switch" && target.form.is_some())
}

/// True if the URL leads to a file that runs when opened.
pub(crate) fn is_executable_url(url: &Url) -> bool {
    let last = url.path_segments().and_then(|mut parts| parts.next_back().map(str::to_ascii_lowercase));
    last.is_some_and(|name| has_runnable_address_ending(&name))
        || url.query_pairs().any(|(key, value)| {
            matches!(&*key, "file" | "filename" | "name" | "download") && has_runnable_address_ending(&value)
        })
}
