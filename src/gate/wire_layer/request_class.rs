//! Class of a request's effect: by its method, its address, its values, and the control that caused it. Of several,
//! the gravest counts.

use crate::browser::network::request_judge::RequestTiming;
use crate::gate::effect::classify;
use crate::gate::host_kinds;
use crate::gate::meaning::effect_class::{ActionProperties, EffectClass, EffectTrait, FieldKind};
use crate::gate::meaning::intent::Intent;
use crate::gate::request::AssessmentRequest;
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wire_layer::reading::{RequestReading, push_words};
use crate::gate::wording::{address_effects, name_effects, name_intents, paths};
use crate::page::request_body::call_names::orders_deletion;
use crate::page::request_body::{BodyValue, ValueKind, is_card_number, is_secret_name};
use crate::page::target::Target;
use crate::turn::action::{Action, PageAction};
use crate::turn::typed_secret::MASK;

/// Class of a request.
#[derive(Clone, Debug)]
pub struct RequestClass {
    /// Properties by which the rules decide.
    pub facts: ActionProperties,
}

/// Classes from the gravest down. A request of no class changes something.
const BY_GRAVITY: [EffectClass; 9] = [
    EffectClass::Purchase,
    EffectClass::Credentials,
    EffectClass::Permission,
    EffectClass::Delete,
    EffectClass::Account,
    EffectClass::Upload,
    EffectClass::Message,
    EffectClass::Submit,
    EffectClass::Unknown,
];

type ClassAndIntent = (EffectClass, Option<Intent>);

impl RequestClass {
    /// Classifies a request.
    pub fn classify(proposed: &ProposedRequest, reading: &RequestReading) -> Self {
        let caused = caused_properties(proposed);
        let cart = is_cart(reading);
        let kinds = field_kinds(reading);
        // The control says best what is meant, if several of one class are found.
        let said = caused.as_ref().map(|caused| (caused.effect, caused.intent));
        // An application stores its own state beside an upload.
        let said = said
            .filter(|(effect, _)| *effect != EffectClass::Upload || sends_file(proposed, reading, &kinds))
            .filter(|said| !is_talk_by_key_alone(said, proposed));
        let saves = said.is_some_and(|(_, intent)| intent == Some(Intent::Save));
        let mut found: Vec<ClassAndIntent> = said.into_iter().collect();
        found.extend(stated_effects(reading, saves));
        found.extend(value_effect(&kinds).map(|found| with_said_intent(found, said)));
        let is_ordered = |value: &BodyValue| orders_deletion(&value.name, &value.value);
        if (proposed.request.method == "DELETE" && !cart) || reading.values.iter().any(is_ordered) {
            found.push((EffectClass::Delete, Some(Intent::Delete)));
        }
        let (effect, intent) = gravest(found, cart);
        let trait_of = |caused: &ActionProperties| caused.effect_trait.filter(|_| caused.effect == effect);
        // A name of a cart lets nothing pass: the rule `cart` of the wire judges the address.
        let effect_trait = caused.as_ref().and_then(trait_of).filter(|found| *found != EffectTrait::Cart);
        let url = reading.url.clone();
        let host = url.as_ref().and_then(|url| host_kinds::host_kind(url, &proposed.context));
        Self {
            facts: ActionProperties {
                effect,
                intent,
                effect_trait,
                fields: kinds,
                method: Some(proposed.request.method.to_ascii_lowercase()),
                host,
                new_host: false,
                other_origin: !reading.is_same_site,
                origin: url.as_ref().map(host_kinds::origin).unwrap_or_default(),
                name: caused.map(|caused| caused.name).unwrap_or_default(),
                url,
            },
        }
    }
}

/// True if nothing but Enter in a field says that a message is sent, and the request changes a thing that is there: a file
/// that is renamed in a list.
fn is_talk_by_key_alone((effect, intent): &ClassAndIntent, proposed: &ProposedRequest) -> bool {
    let is_field = proposed.cause.proposed.target.as_ref().is_some_and(|target| target.editable);
    let changes = matches!(proposed.request.method.as_str(), "PUT" | "PATCH");
    *effect == EffectClass::Message && *intent == Some(Intent::Send) && is_field && changes
}

/// Returns the properties of the action that caused the request; `None` if it came before any.
fn caused_properties(proposed: &ProposedRequest) -> Option<ActionProperties> {
    if proposed.timing == RequestTiming::BeforeAction {
        return None;
    }
    let cause = AssessmentRequest::from(&proposed.cause.proposed);
    Some(classify::classify(&cause))
}

fn gravest(found: Vec<ClassAndIntent>, cart: bool) -> ClassAndIntent {
    let by_class = BY_GRAVITY.iter().find_map(|class| found.iter().find(|(effect, _)| effect == class));
    match by_class {
        Some((EffectClass::Delete, _)) if cart => (EffectClass::Submit, Some(Intent::Cart)),
        Some((EffectClass::Unknown, _)) | None => (EffectClass::Submit, None),
        Some((effect, intent)) => (*effect, *intent),
    }
}

/// Returns what a password is sent for, if the control says it: to create an account, not to sign in.
fn with_said_intent((effect, intent): ClassAndIntent, said: Option<ClassAndIntent>) -> ClassAndIntent {
    let tells = |intent: &Intent| matches!(intent, Intent::Register | Intent::Password | Intent::Save);
    let said =
        said.and_then(|(_, intent)| intent).filter(tells).filter(|_| effect == EffectClass::Credentials);
    (effect, said.or(intent))
}

/// Returns the effects that the address and the operation state. A button that saves does not do what the address calls
/// the thing that it saves: `/orders/12`.
fn stated_effects(reading: &RequestReading, saves: bool) -> impl Iterator<Item = ClassAndIntent> {
    let last = reading.url.as_ref().and_then(|url| url.path_segments()?.rfind(|part| !part.is_empty()));
    let is_id = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit());
    let is_of_thing = saves && last.is_some_and(is_id);
    let is_step = paths::is_checkout_step(&reading.words);
    let signs_in = carries_credentials(reading);
    let by_words = reading
        .words
        .iter()
        .filter(move |word| {
            !(is_of_thing && matches!(word.as_str(), "orders" | "order" | "messages" | "posts"))
        })
        .filter(move |word| signs_in || !matches!(word.as_str(), "session" | "sessions"))
        .filter_map(|word| paths::segment_intent(word))
        .filter(move |intent| !(is_step && *intent == Intent::Order));
    let by_address = reading.url.as_ref().and_then(address_effects::address_effect);
    by_words.chain(by_address).filter_map(|intent| Some((name_effects::intent_effect(intent)?, Some(intent))))
}

/// True if the values may sign somebody in: a session without any is one of work, such as that of a notebook.
fn carries_credentials(reading: &RequestReading) -> bool {
    const NAMES: [&str; 12] = [
        "user",
        "login",
        "email",
        "mail",
        "phone",
        "code",
        "credential",
        "assertion",
        "pass",
        "pin",
        "token",
        "auth",
    ];
    reading.is_opaque
        || reading.values.is_empty()
        || reading.values.iter().any(|value| {
            let mut words = Vec::new();
            push_words(&mut words, value.name.rsplit('.').next().unwrap_or_default());
            is_secret_name(&value.name)
                || words.iter().any(|word| NAMES.iter().any(|name| word.starts_with(name)))
        })
}

/// Returns the kinds of fields among the values.
pub(crate) fn field_kinds(reading: &RequestReading) -> Vec<FieldKind> {
    let mut kinds = Vec::new();
    for value in &reading.values {
        let is_password = is_secret_name(&value.name)
            && ["pass", "pwd", "otp", "pin"]
                .iter()
                .any(|part| value.name.to_ascii_lowercase().contains(part));
        let is_plain = value.value.chars().all(|c| c.is_ascii_digit() || c == ' ' || c == '-');
        let is_card = value.value != MASK && is_plain && is_card_number(&value.value);
        let kind = match value.kind {
            ValueKind::File { .. } => FieldKind::File,
            _ if is_card => FieldKind::Card,
            _ if is_password && !value.value.is_empty() => FieldKind::Password,
            _ => continue,
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// True if the request may carry a file that the action gives to the page.
fn sends_file(proposed: &ProposedRequest, reading: &RequestReading, kinds: &[FieldKind]) -> bool {
    let Action::Page(PageAction::Upload { files, .. }) = &proposed.cause.proposed.action else { return true };
    let is_name = |value: &BodyValue| files.contains(&value.value);
    reading.is_opaque || kinds.contains(&FieldKind::File) || reading.body_values().iter().any(is_name)
}

fn value_effect(kinds: &[FieldKind]) -> Option<ClassAndIntent> {
    if kinds.contains(&FieldKind::Card) {
        Some((EffectClass::Purchase, Some(Intent::Pay)))
    } else if kinds.contains(&FieldKind::Password) {
        Some((EffectClass::Credentials, Some(Intent::SignIn)))
    } else if kinds.contains(&FieldKind::File) {
        Some((EffectClass::Upload, Some(Intent::Upload)))
    } else {
        None
    }
}

/// True if the request is about the visitor's own cart: its address says so, and says nothing graver.
fn is_cart(reading: &RequestReading) -> bool {
    let intents: Vec<Intent> = reading.words.iter().filter_map(|word| paths::segment_intent(word)).collect();
    let by_address = intents.contains(&Intent::Cart);
    let graver = |intent: &Intent| !matches!(intent, Intent::Cart | Intent::Delete | Intent::Filter);
    by_address && !intents.iter().any(graver) && !states_payment(reading)
}

fn states_payment(reading: &RequestReading) -> bool {
    reading
        .words
        .iter()
        .any(|word| matches!(word.as_str(), "pay" | "payment" | "checkout" | "order" | "charge"))
}

/// True if fetching does something: the address says so, or a form with an effect is sent by its address.
pub(crate) fn is_effectful_fetch(proposed: &ProposedRequest, reading: &RequestReading) -> bool {
    if reading.url.as_ref().is_some_and(|url| address_effects::address_effect(url).is_some_and(has_effect)) {
        return true;
    }
    proposed.timing != RequestTiming::BeforeAction
        && proposed.request.kind.is_navigation()
        && sends_effectful_form(proposed)
}

fn has_effect(intent: Intent) -> bool {
    name_effects::intent_effect(intent).is_some() && !matches!(intent, Intent::Cart | Intent::Download)
}

/// True if the action sends a form by GET whose button, or the question around a vague button, names an effect
/// ("Delete your account? Yes").
fn sends_effectful_form(proposed: &ProposedRequest) -> bool {
    let cause = &proposed.cause.proposed;
    let Some(target) = cause.target.as_ref().filter(|target| target.submits || target.sends_itself) else {
        return false;
    };
    let Some(form) = target.form.as_ref().filter(|form| form.method.eq_ignore_ascii_case("get")) else {
        return false;
    };
    let named = name_effects::read_graver_name(&target.name, &target.other_name).button_intent();
    match named.filter(|intent| !intent.is_vague()) {
        Some(intent) => has_effect(intent) && !matches!(intent, Intent::SignIn | Intent::Save),
        None if form.fields.iter().any(is_typed_field) => false,
        None => asked_around(target, &form.name),
    }
}

/// True if people type into the field: its form asks for words to look for.
fn is_typed_field(field: &crate::page::target::Field) -> bool {
    matches!(field.kind.as_str(), "text" | "search" | "number" | "date" | "select" | "select-one")
}

fn asked_around(target: &Target, form_name: &str) -> bool {
    let texts = [target.context.as_str(), form_name];
    let read = texts.into_iter().filter_map(|text| name_intents::read_name(text).button_intent());
    read.into_iter().any(|intent| {
        matches!(
            intent,
            Intent::DeleteAccount
                | Intent::Delete
                | Intent::Unsubscribe
                | Intent::Transfer
                | Intent::Pay
                | Intent::Order
                | Intent::Grant
                | Intent::SignOut
        )
    })
}
