//! Texts of a question for approval: the sentence that describes the effect, made from the page and never
//! from a model's words, and the values to be sent.

use crate::files::StoredFile;
use crate::gate::effect::classify::with_first_consequential_part;
use crate::gate::effect::picked_options::with_picked_words;
use crate::gate::host_kinds;
use crate::gate::meaning::effect_class::{ActionProperties, EffectClass};
use crate::gate::meaning::intent::Intent;
use crate::gate::request::AssessmentRequest;
use crate::gate::verdict::Texts;
use crate::gate::wording::normalize::visible_line;
use crate::gate::wording::{money, name_intents};
use crate::page::request_body::{BodyValue, is_opaque_token, mask_secrets};
use crate::page::target::{DialogAround, Field, Form, Target};
use crate::protocol::Locale;
use crate::texts::{gate, quote};
use crate::turn::action::{Action, PageAction};
use crate::turn::page_input::fields::{FieldInput, FieldValue};
use crate::turn::page_input::points::PointAction;
use crate::turn::page_input::tool_arguments::list_values;
use crate::turn::typed_secret::MASK;
use serde_json::{Map, Value};
use url::Url;

/// Longest name or text of a page, in characters.
const LONGEST: usize = 80;
/// Longest text next to a target that a sentence names, in characters.
const NEAR: usize = 40;
/// Longest title of a thing or dialog, in characters.
const THING: usize = 120;
/// Longest text of a dialog, in characters.
const DIALOG: usize = 400;
/// Longest value, in characters. A cut value ends with `…`.
const VALUE: usize = 20_000;

/// Returns the names and values of the fields to be sent, in the form's order.
pub fn values(request: &AssessmentRequest<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let fields = request.target.into_iter().flat_map(fields_to_send);
    let typed = entered_values(request);
    for field in fields {
        let shown = field.filled
            && !matches!(field.kind.as_str(), "hidden" | "submit" | "button" | "image" | "reset");
        if !shown || typed.iter().any(|(own, _)| *own == field_title(field)) {
            continue;
        }
        let (name, value) = field_text(field, &found);
        found.push((name, value));
    }
    found.extend(typed);
    found
}

/// Returns the names and values that the action itself enters.
fn entered_values(request: &AssessmentRequest<'_>) -> Vec<(String, String)> {
    match request.action {
        Action::Page(PageAction::Fill { fields, .. }) => {
            fields.iter().filter_map(|field| filled_value(field, request.target?)).collect()
        }
        Action::Page(PageAction::Tool { arguments, .. }) => argument_values(arguments),
        _ => Vec::from_iter(entered_value(request)),
    }
}

/// Returns the arguments of a tool of the page, with what looks like a secret masked.
fn argument_values(arguments: &Map<String, Value>) -> Vec<(String, String)> {
    let listed = list_values(arguments).into_iter();
    let mut values: Vec<BodyValue> = listed.map(|(name, value)| BodyValue::text(name, value)).collect();
    mask_secrets(&mut values);
    let lines = |value: BodyValue| (visible_line(&value.name, LONGEST), visible_line(&value.value, VALUE));
    values.into_iter().map(lines).collect()
}

/// Returns the name of an element as that of a field.
fn entry_name(target: &Target) -> String {
    target.own_field().map_or_else(|| visible_line(&target.name, LONGEST), field_title)
}

fn entered_text(target: &Target, text: &str) -> (String, String) {
    let shown = if target.is_secret() { MASK.to_owned() } else { visible_line(text, VALUE) };
    (entry_name(target), shown)
}

fn filled_value(field: &FieldInput, target: &Target) -> Option<(String, String)> {
    let target = target.element(field.eid)?;
    Some(match &field.value {
        FieldValue::Text(text) => entered_text(target, text),
        FieldValue::Options(options) => (entry_name(target), visible_line(&options.join(", "), VALUE)),
        FieldValue::Checked(checked) => (entry_name(target), String::from(if *checked { "✓" } else { "—" })),
    })
}

/// Returns the name and value that an action on one element enters.
fn entered_value(request: &AssessmentRequest<'_>) -> Option<(String, String)> {
    let Action::Page(action) = request.action else { return None };
    match action {
        PageAction::Type { text, .. } | PageAction::Point(PointAction::Type { text, .. }) => {
            Some(entered_text(request.target?, text))
        }
        PageAction::Select { options, .. } => {
            Some((entry_name(request.target?), visible_line(&options.join(", "), VALUE)))
        }
        PageAction::Upload { files, .. } => {
            let named = entry_name(request.target?);
            let files: Vec<String> = files.iter().map(|file| with_size(file, request)).collect();
            Some((
                if named.is_empty() { String::from("file") } else { named },
                visible_line(&files.join(", "), VALUE),
            ))
        }
        PageAction::Dialog { accept: true, text: Some(text) } => {
            Some((visible_line(&request.target?.name, LONGEST), visible_line(text, VALUE)))
        }
        PageAction::Click { .. }
        | PageAction::Point(_)
        | PageAction::Fill { .. }
        | PageAction::Press { .. }
        | PageAction::Hover { .. }
        | PageAction::Drag { .. }
        | PageAction::SelectText { .. }
        | PageAction::Dialog { .. }
        | PageAction::Tool { .. }
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Find { .. }
        | PageAction::Extract { .. } => None,
    }
}

/// Returns the name of a file with its size.
fn with_size(file: &str, request: &AssessmentRequest<'_>) -> String {
    let stored = request.context.files.iter().find(|stored| stored.name == file);
    stored.map_or_else(|| file.to_owned(), StoredFile::display)
}

/// Returns the name of a field as a person sees it.
pub(crate) fn field_title(field: &Field) -> String {
    visible_line(if field.label.is_empty() { &field.name } else { &field.label }, LONGEST)
}

/// Returns the name and value of a field as a person sees them. A choice shows the page's label, not its
/// submitted value.
fn field_text(field: &Field, before: &[(String, String)]) -> (String, String) {
    let named = !field.label.is_empty() && !field.secret && !field.card;
    let group = visible_line(&field.group, LONGEST);
    let is_free = !group.is_empty() && before.iter().all(|(name, _)| *name != group);
    match field.kind.as_str() {
        "radio" if named && is_free => (group, visible_line(&field.label, VALUE)),
        "radio" | "checkbox" if named => (field_title(field), String::from("✓")),
        _ => (field_title(field), value(field)),
    }
}

fn value(field: &Field) -> String {
    if field.secret || field.card || field.kind == "password" {
        MASK.to_owned()
    } else {
        visible_line(&field.value, VALUE)
    }
}

/// Describes the effect in both languages.
pub fn sentence(facts: &ActionProperties, request: &AssessmentRequest<'_>) -> Texts {
    Texts::write(|locale| with_first_consequential_part(request, |part| describe_action(facts, part, locale)))
}

fn describe_action(facts: &ActionProperties, request: &AssessmentRequest<'_>, locale: Locale) -> String {
    let here = Url::parse(&request.page.url).ok();
    let away = facts.other_origin || matches!(facts.effect, EffectClass::Navigate | EffectClass::Download);
    let at = if away { facts.url.as_ref() } else { here.as_ref().or(facts.url.as_ref()) };
    let (mut text, means) = describe_effect(facts, request, locale);
    if let Some(at) = at.map(display_address).filter(|at| !at.is_empty()) {
        let to_page = facts.effect == EffectClass::Navigate;
        text.push_str(&if to_page { gate::at_page(&at, locale) } else { gate::at_site(&at, locale) });
    }
    if let Some(total) = total(facts, request) {
        text.push_str(&gate::for_total(&total, locale));
    }
    if let Some(means) = means {
        text.push_str(&format!(" ({means})"));
    }
    if facts.effect == EffectClass::Unknown {
        text.push_str(gate::effect_unclear(locale));
    }
    if let (true, Some(here)) = (facts.other_origin, here.as_ref()) {
        text.push_str(&gate::leaves_site(&display_address(here), locale));
    }
    text
}

fn display_address(url: &Url) -> String {
    if url.has_host() { host_kinds::display_host(url) } else { visible_line(url.as_str(), LONGEST) }
}

/// Returns the description of the effect, and in brackets the gesture. Where the effect is unclear or a form
/// is sent, the pressed element is named first, because its name says more.
fn describe_effect(
    facts: &ActionProperties,
    request: &AssessmentRequest<'_>,
    locale: Locale,
) -> (String, Option<String>) {
    let deed = deed_phrase(facts, locale);
    let is_click = matches!(
        request.action,
        Action::Page(PageAction::Click { .. } | PageAction::Point(PointAction::Click { .. }))
    );
    let name = request.target.map(|target| visible_line(&target.name, LONGEST)).unwrap_or_default();
    // A section's long text identifies the element less well than its own name.
    let is_short = request
        .target
        .is_some_and(|target| !target.subject.is_empty() || target.near.chars().count() <= NEAR);
    let beside = describe_nearby(request, locale).filter(|_| is_short);
    if facts.effect == EffectClass::Unknown {
        (describe_gesture(request, &name, locale), beside.filter(|_| is_click))
    } else if deed == gate::submit_form(locale) && is_click && !name.is_empty() {
        (gate::submit_form_named(&name, locale), beside)
    } else {
        (deed.to_owned(), describe_target(request, locale))
    }
}

/// Describes the gesture itself, for actions whose effect is unclear.
fn describe_gesture(request: &AssessmentRequest<'_>, name: &str, locale: Locale) -> String {
    let Action::Page(action) = request.action else { return gate::perform_action(locale).to_owned() };
    match action {
        PageAction::Click { .. } | PageAction::Point(PointAction::Click { .. }) if name.is_empty() => {
            gate::click_unnamed(locale).to_owned()
        }
        PageAction::Click { .. } | PageAction::Point(PointAction::Click { .. }) => gate::click(name, locale),
        PageAction::SelectText { text } => gate::select_text(&visible_line(text, LONGEST), locale),
        PageAction::Press { key } => gate::press_key(&visible_line(key, LONGEST), name, locale),
        PageAction::Type { submit, .. } | PageAction::Point(PointAction::Type { submit, .. }) => match submit
        {
            true => gate::press_enter(name, locale),
            false => gate::enter_text(name, locale),
        },
        PageAction::Upload { .. } => gate::attach_file(name, locale),
        PageAction::Dialog { .. } => gate::accept_dialog(name, locale),
        PageAction::Tool { .. } => gate::call_page_tool(name, locale),
        PageAction::Drag { .. } | PageAction::Point(PointAction::Drag { .. }) => {
            gate::drag(&dragged_name(request.target), name, locale)
        }
        PageAction::Select { .. }
        | PageAction::Fill { .. }
        | PageAction::Hover { .. }
        | PageAction::Point(PointAction::Hover { .. })
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Find { .. }
        | PageAction::Extract { .. } => gate::perform_action(locale).to_owned(),
    }
}

/// Describes the thing that the target belongs to, or the text next to it, if that differs from the target's name.
fn describe_nearby(request: &AssessmentRequest<'_>, locale: Locale) -> Option<String> {
    let target = request.target?;
    let thing = Some(&target.subject).filter(|thing| tells_thing(thing));
    let near = thing.or(Some(&target.near).filter(|near| target.form.is_none() && is_title(near)))?;
    let name = visible_line(&target.name, LONGEST);
    let near = without_name(&visible_line(&without_secrets(near), LONGEST), &name);
    let tells = !near.is_empty() && !name.contains(&near);
    tells.then(|| gate::next_to(&near, locale))
}

/// True if a text may name a thing: the name of another button beside it ("Delete") does not.
fn tells_thing(text: &str) -> bool {
    let name = name_intents::read_name(text);
    let is_order = name.count() == 1 && name.link_intent().is_some_and(|intent| intent < Intent::Plain);
    !text.trim().is_empty() && !is_order
}

/// True if a text around an element may be a title: one of a whole part of a page says nothing.
fn is_title(text: &str) -> bool {
    visible_line(text, THING).chars().count() <= LONGEST
}

/// Describes the gesture. The name of the pressed element is quoted, because it comes from the page.
pub(crate) fn describe_target(request: &AssessmentRequest<'_>, locale: Locale) -> Option<String> {
    with_first_consequential_part(request, |part| describe_part(part, locale))
}

fn describe_part(request: &AssessmentRequest<'_>, locale: Locale) -> Option<String> {
    let (Action::Page(action), Some(target)) = (request.action, request.target) else { return None };
    let name = visible_line(&target.name, LONGEST);
    match action {
        PageAction::Click { .. } | PageAction::Point(PointAction::Click { .. }) => {
            let named =
                if name.is_empty() { gate::unnamed_button(locale).to_owned() } else { quote(&name, locale) };
            Some(match describe_nearby(request, locale) {
                Some(nearby) => format!("{named}, {nearby}"),
                None => named,
            })
        }
        PageAction::SelectText { text } => Some(gate::select_text(&visible_line(text, LONGEST), locale)),
        PageAction::Press { key } => Some(gate::by_key(&visible_line(key, LONGEST), &name, locale)),
        PageAction::Upload { .. } => Some(gate::into_field(&name, locale)),
        PageAction::Drag { .. } | PageAction::Point(PointAction::Drag { .. }) => {
            let onto = visible_line(&thing_or_name(target), LONGEST);
            Some(gate::by_dragging(&dragged_name(request.target), &onto, locale))
        }
        PageAction::Dialog { .. } => Some(gate::by_dialog(&name, locale)),
        PageAction::Tool { .. } => Some(gate::by_page_tool(&name, locale)),
        PageAction::Type { submit, .. } | PageAction::Point(PointAction::Type { submit, .. }) => {
            Some(if *submit { gate::by_enter(&name, locale) } else { gate::by_typing(&name, locale) })
        }
        PageAction::Select { .. }
        | PageAction::Fill { .. }
        | PageAction::Hover { .. }
        | PageAction::Point(PointAction::Hover { .. })
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Find { .. }
        | PageAction::Extract { .. } => None,
    }
}

/// Returns the name of the element that is dragged.
fn dragged_name(target: Option<&Target>) -> String {
    let held = target.and_then(|target| target.dragged.as_deref());
    visible_line(&held.map(thing_or_name).unwrap_or_default(), LONGEST)
}

/// Describes the effect in words.
pub(crate) fn deed_phrase(facts: &ActionProperties, locale: Locale) -> &'static str {
    let by_class = class_phrase(facts.effect, locale);
    let Some(intent) = facts.intent else { return by_class };
    match (facts.effect, intent) {
        (EffectClass::Purchase, Intent::Order) => gate::place_order(locale),
        (EffectClass::Purchase, Intent::Pay) => gate::pay(locale),
        (EffectClass::Purchase, Intent::Buy) => gate::buy(locale),
        (EffectClass::Purchase, Intent::Book) => gate::book(locale),
        (EffectClass::Purchase, Intent::Subscribe) => gate::take_paid_subscription(locale),
        (EffectClass::Purchase, Intent::Transfer) => gate::transfer_money(locale),
        (EffectClass::Submit, Intent::Subscribe) => gate::subscribe(locale),
        (EffectClass::Submit, Intent::Save) => gate::save_changes(locale),
        (EffectClass::Submit, Intent::Cart) => gate::change_cart(locale),
        (EffectClass::Delete, Intent::DeleteAccount) => gate::delete_account(locale),
        (EffectClass::Account, Intent::Register) => gate::create_account(locale),
        (EffectClass::Account, Intent::SignOut) => gate::sign_out(locale),
        (EffectClass::Account, Intent::Unsubscribe) => gate::cancel_subscription(locale),
        (EffectClass::Account, Intent::Password) => gate::change_password(locale),
        (EffectClass::Permission, Intent::Revoke) => gate::revoke_access(locale),
        (EffectClass::Credentials, Intent::Register) => gate::create_account(locale),
        (EffectClass::Credentials, Intent::Password) => gate::change_password(locale),
        (EffectClass::Credentials | EffectClass::Account, Intent::Save) => gate::save_password(locale),
        (EffectClass::Credentials, Intent::SignInWith) => gate::sign_in_with_service(locale),
        (EffectClass::Message, Intent::Post) => gate::publish(locale),
        _ => by_class,
    }
}

fn class_phrase(effect: EffectClass, locale: Locale) -> &'static str {
    match effect {
        EffectClass::Read => gate::read(locale),
        EffectClass::Navigate => gate::open(locale),
        EffectClass::Input => gate::change_view(locale),
        EffectClass::Submit => gate::submit_form(locale),
        EffectClass::Message => gate::send_message(locale),
        EffectClass::Purchase => gate::buy_or_order(locale),
        EffectClass::Delete => gate::delete(locale),
        EffectClass::Account => gate::change_account(locale),
        EffectClass::Permission => gate::give_access(locale),
        EffectClass::Credentials => gate::sign_in_with_password(locale),
        EffectClass::Upload => gate::upload_file(locale),
        EffectClass::Download => gate::download_file(locale),
        EffectClass::Shell => gate::run_command(locale),
        EffectClass::Python => gate::run_python(locale),
        EffectClass::Compute => gate::compute(locale),
        EffectClass::AgentCall => gate::call_agent(locale),
        EffectClass::Tool => gate::call_tool(locale),
        EffectClass::Unknown => gate::perform_action(locale),
    }
}

/// Returns the sum to pay, if the action spends money: what the control itself says, what is sent, or what the form
/// calls its total. An amount that only stands nearby may be a balance.
fn total(facts: &ActionProperties, request: &AssessmentRequest<'_>) -> Option<String> {
    if facts.effect != EffectClass::Purchase {
        return None;
    }
    let target = request.target?;
    let form = target.form.as_ref().map(|form| form.text.as_str()).unwrap_or_default();
    money::amount_in_name(&target.name)
        .or_else(|| sent_sum(request, target, false))
        .or_else(|| money::total_in_lines(form))
        .or_else(|| sent_sum(request, target, true))
}

/// Returns the sum in a value that the action enters, or in the fields of the form that a person sees, or in hidden
/// ones.
fn sent_sum(request: &AssessmentRequest<'_>, target: &Target, is_hidden: bool) -> Option<String> {
    let fields: Vec<&Field> =
        fields_to_send(target).filter(|field| field.filled && !field.secret && !field.card).collect();
    let coin = fields.iter().filter(|field| field.name.to_lowercase().contains("currency"));
    let currency = coin.map(|field| field.value.trim()).find(|code| (1..=4).contains(&code.chars().count()));
    let text = target.form.as_ref().map(|form| form.text.as_str()).unwrap_or_default();
    let typed = if is_hidden || target.is_secret() { Vec::new() } else { entered_values(request) };
    let own: Vec<String> = typed.iter().map(|(name, _)| name.clone()).collect();
    let shown = fields
        .iter()
        .filter(|field| (field.kind == "hidden") == is_hidden && !own.contains(&field_title(field)))
        .map(|field| (format!("{} {}", field.label, field.name), field.value.clone()));
    typed
        .into_iter()
        .chain(shown)
        .find_map(|(name, value)| money::amount_in_field(&name, &value, currency, text))
}

fn fields_to_send(target: &Target) -> impl Iterator<Item = &Field> {
    target.form.iter().flat_map(|form| &form.fields).chain(&target.loose)
}

/// Returns the row, list item or card that a control belongs to, or else the text around it, what its form asks, or the
/// page's heading; empty if that says no more than the control's name or the page's title. The text around a form's
/// button is the whole form. Of a drop it is what is dropped.
pub fn subject_of(target: &Target, page_title: &str) -> String {
    let dragged = target.dragged.as_deref().map(thing_or_name);
    let name = visible_line(&target.name, THING);
    let around =
        [&target.near, &target.context].into_iter().filter(|text| target.form.is_none() && is_title(text));
    let asked = target.form.as_ref().and_then(question_in_form);
    dragged
        .as_deref()
        .into_iter()
        .chain(Some(target.subject.as_str()).filter(|thing| tells_thing(thing)))
        .chain(around.map(String::as_str))
        .chain(asked)
        .chain([target.heading.as_str()])
        .map(|text| without_name(&visible_line(&without_secrets(text), THING), &name))
        .find(|text| !text.is_empty() && *text != page_title.trim() && *text != name)
        .unwrap_or_default()
}

/// Returns the row, list item or card of an element, or else its name.
fn thing_or_name(target: &Target) -> String {
    let thing = Some(target.subject.as_str()).filter(|thing| tells_thing(thing));
    thing.unwrap_or_else(|| target.display_name()).to_owned()
}

/// Returns the line of a form that asks: "Delete the lamp – are you sure?".
fn question_in_form(form: &Form) -> Option<&str> {
    form.text.lines().find(|line| line.trim_end().ends_with('?') && line.split_whitespace().count() > 2)
}

/// Returns the text of a thing without the name of the control in it, which may repeat the thing's own name. A question
/// stays whole.
fn without_name(text: &str, name: &str) -> String {
    if name.is_empty() || text.ends_with('?') {
        return text.to_owned();
    }
    let rest = text.strip_suffix(name).or_else(|| text.strip_prefix(name)).unwrap_or(text);
    rest.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '|' | '·' | '–' | '-' | ','))
        .to_owned()
}

/// Returns the hidden fields of a form that say something, with secrets masked: not tokens against forgery or generated
/// ids.
pub fn hidden_values(target: &Target) -> Vec<(String, String)> {
    let fields = target.form.iter().flat_map(|form| &form.fields);
    let shown = |field: &&Field| {
        field.kind == "hidden"
            && field.filled
            && !(field.secret || field.card)
            && !field.value.is_empty()
            && !is_opaque_token(&field.name, &field.value)
    };
    let mut values: Vec<BodyValue> =
        fields.filter(shown).map(|field| BodyValue::text(field.name.clone(), field.value.clone())).collect();
    mask_secrets(&mut values);
    let lines = |value: BodyValue| {
        let shown = visible_line(&value.value, VALUE);
        (visible_line(&value.name, LONGEST), with_picked_words(Some(target), &value.name, shown))
    };
    values.into_iter().map(lines).collect()
}

/// Returns the dialog that contains a control, as a person is shown it.
pub fn dialog_of(target: &Target) -> Option<DialogAround> {
    let dialog = target.dialog.as_ref()?;
    Some(DialogAround {
        title: visible_line(&without_secrets(&dialog.title), THING),
        text: visible_line(&without_secrets(&dialog.text), DIALOG),
    })
}

/// Returns a text of the page with what looks like a secret masked.
fn without_secrets(text: &str) -> String {
    let mut value = [BodyValue::text("text", text)];
    mask_secrets(&mut value);
    let [value] = value;
    value.value
}
