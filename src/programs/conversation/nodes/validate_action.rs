//! Checks the planned action against the observed page (S1.22, S1.23). An invalid action never reaches the
//! policy gate (C23). An element that was observed before and is now covered, hidden or collapsed still
//! exists, so the page reports later why it cannot be acted on.

use crate::browser::error::ErrorCode;
use crate::engine::program::ProgramError;
use crate::page::observation::{Line, Observation};
use crate::page::request_body::{BodyValue, mask_secrets};
use crate::page::text;
use crate::page::tools::arguments::check_arguments;
use crate::planning::ActionStatus;
use crate::programs::conversation::acting::file_list;
use crate::programs::conversation::acting::finish_action::{message_for_people, not_done_event};
use crate::programs::conversation::calls::agent_calls;
use crate::programs::conversation::calls::agent_calls::DependencyStatus;
use crate::programs::conversation::calls::call_effects::fill_templates;
use crate::programs::conversation::effects;
use crate::programs::conversation::planning::available_actions;
use crate::programs::conversation::progress_event;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::protocol::Locale;
use crate::secrets::named_secrets::NamedSecrets;
use crate::texts;
use crate::turn::action::{Action, AgentAction, PageAction};
use crate::turn::internal_action::InternalAction;
use crate::turn::page_input::fields::FieldValue;
use crate::turn::page_input::tool_arguments::list_values;
use crate::turn::{Call, named_secret, typed_secret};
pub use Outcome::*;
use serde_json::{Map, Value};

outcomes! {
    pub enum Outcome {
        Valid,
        Invalid,
        TooManyInvalid,
        /// The action depends on a task that is under way.
        NotYet,
        /// The action depends on one that did not succeed.
        Never,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let planned = cx.planned_turn()?.clone();
    // The parameters may refer to the result of the dependency.
    match agent_calls::check_dependency(cx, &planned) {
        DependencyStatus::Met => {}
        DependencyStatus::UnderWay => return Ok(NotYet),
        DependencyStatus::Failed => return Ok(Never),
    }
    let observed = cx.working_set.observation();
    let (page, locale) = (observed.as_ref().map(|observed| observed.observation.as_ref()), cx.state.locale);
    let checked = check_planned_action(cx, &planned, page);
    let action = match checked.and_then(|action| check_secret_name(action, &cx.deps.named_secrets, locale)) {
        Ok(action) => action,
        Err(message) => return Ok(refuse(cx, &planned, message)),
    };
    let fault = match find_missing_file(cx, &action) {
        Some(message) => Some(message),
        None => check_page(cx, &action, page).await?,
    };
    if let Some(message) = fault {
        if action.eids().iter().any(|eid| page.is_some_and(|page| page.line(*eid).is_none())) {
            // The planner knew the element from an earlier page text, so it is shown the page as it is now.
            cx.change(ConversationChange::NeedsObserve);
        }
        return Ok(refuse(cx, &planned, message));
    }
    cx.change(ConversationChange::Valid(action));
    Ok(Valid)
}

/// Returns what the action lacks on the page.
async fn check_page(
    cx: &VisitContext,
    action: &Action,
    page: Option<&Observation>,
) -> Result<Option<String>, ProgramError> {
    let locale = cx.state.locale;
    if matches!(action, Action::Page(_)) && cx.deps.browsers.is_none() {
        return Ok(Some(texts::page::no_page_to_act_on(locale).to_owned()));
    }
    if matches!(action, Action::Page(PageAction::Point(_)))
        && (page.is_none() || !cx.working_set.shows_picture())
    {
        return Ok(Some(texts::page::no_picture_for_points(locale).to_owned()));
    }
    for eid in action.eids() {
        let Some(page) = page else { return Ok(Some(texts::page::no_page_to_act_on(locale).to_owned())) };
        let fault = match page.line(eid) {
            Some(line) => match text_refusal(action, eid, line, locale) {
                Some(fault) => Some(fault),
                None if needs_enabled(action) && line.attributes.disabled => {
                    check_enabled(cx, line, eid).await?
                }
                None => None,
            },
            None => check_exists(cx, eid).await?,
        };
        if fault.is_some() {
            return Ok(fault);
        }
    }
    Ok(None)
}

/// Returns an error if an element outside the observation does not exist.
async fn check_exists(cx: &VisitContext, eid: u32) -> Result<Option<String>, ProgramError> {
    let dead =
        matches!(effects::examine_element(cx, eid).await?, Err(fault) if fault.code == ErrorCode::DeadEid);
    Ok(dead.then(|| texts::page::no_element(eid, cx.state.locale)))
}

/// Returns an error if an element that was observed as disabled still is, with the fields that block it.
async fn check_enabled(cx: &VisitContext, line: &Line, eid: u32) -> Result<Option<String>, ProgramError> {
    let locale = cx.state.locale;
    let missing_fields = match effects::examine_element(cx, eid).await? {
        Ok(target) if !target.disabled => return Ok(None),
        Ok(target) => target.lacks,
        Err(_) => Vec::new(),
    };
    let fault = texts::page::is_disabled(&text::describe(line), locale);
    if missing_fields.is_empty() {
        return Ok(Some(fault));
    }
    Ok(Some(format!("{fault} ({})", texts::page::not_filled_in(&missing_fields.join(", "), locale))))
}

/// Returns an error if a file to upload or to read does not exist.
fn find_missing_file(cx: &VisitContext, action: &Action) -> Option<String> {
    let files = match action {
        Action::Page(PageAction::Upload { files, .. }) => files.as_slice(),
        Action::Agent(AgentAction::Inner(InternalAction::ReadFile { file, .. })) if !file.is_empty() => {
            std::slice::from_ref(file)
        }
        _ => return None,
    };
    let stored = effects::list_files(cx);
    let missing = files.iter().find(|file| stored.iter().all(|stored| stored.name != **file))?;
    // A note to the planner lists all files, so the first part is enough.
    let listing = file_list::list_files(&stored).into_iter().next().unwrap_or_else(|| String::from("-"));
    Some(texts::page::no_file_of_run(missing, &listing, cx.state.locale))
}

/// Refuses the action. Too many invalid actions in a row end the work.
fn refuse(cx: &mut VisitContext, planned: &TurnProgress, message: String) -> Outcome {
    let code = "invalid_action";
    let shown_message = message_for_people(cx, code, &message);
    cx.push_event(not_done_event(planned, code, &shown_message));
    let outcome = ActionStatus::Failed { code: code.to_owned(), message };
    cx.change(ConversationChange::Invalid(planned.result(outcome, None)));
    progress_event::push_progress(cx);
    if cx.state.invalid_actions >= cx.deps.limits.invalid_actions { TooManyInvalid } else { Invalid }
}

/// Returns the action of the call that is due, if the page allows it.
fn check_planned_action(
    cx: &VisitContext,
    planned: &TurnProgress,
    page: Option<&Observation>,
) -> Result<Action, String> {
    let locale = cx.state.locale;
    if let Some(fault) = &planned.fault {
        return Err(fault.clone());
    }
    let turn = &planned.turn;
    let Some(call) = planned.call() else {
        return if turn.stop || turn.response.is_some() {
            Ok(Action::Agent(AgentAction::Stop { response: turn.response.clone() }))
        } else {
            Err(texts::page::turn_without_action(locale).to_owned())
        };
    };
    let action = parse_action(cx, call)?;
    if let (Action::Page(PageAction::Dialog { .. }), None) =
        (&action, page.and_then(|page| page.dialog.as_ref()))
    {
        return Err(texts::page::no_open_dialog(locale).to_owned());
    }
    let action = choose_in_lists(check_tool_call(action, page, locale)?, page);
    agent_calls::read_jobs(cx, planned, &action).map(|_| action)
}

/// Returns the action with a text for a list that takes no text read as one of its options.
fn choose_in_lists(action: Action, page: Option<&Observation>) -> Action {
    let is_list = |eid: u32| {
        page.and_then(|page| page.line(eid)).is_some_and(|line| {
            matches!(line.role.as_str(), "combobox" | "listbox") && !line.attributes.editable
        })
    };
    match action {
        Action::Page(PageAction::Fill { mut fields, submit }) => {
            for field in fields.iter_mut().filter(|field| is_list(field.eid)) {
                if let FieldValue::Text(text) = &field.value {
                    field.value = FieldValue::Options(vec![text.clone()]);
                }
            }
            Action::Page(PageAction::Fill { fields, submit })
        }
        Action::Page(PageAction::Type { eid, text, submit: false, .. }) if is_list(eid) => {
            Action::Page(PageAction::Select { eid, options: vec![text] })
        }
        action => action,
    }
}

/// Returns the call of a page's tool with its arguments as the tool's schema wants them; other actions as they are.
fn check_tool_call(action: Action, page: Option<&Observation>, locale: Locale) -> Result<Action, String> {
    let Action::Page(PageAction::Tool { name, arguments }) = action else { return Ok(action) };
    let Some(page) = page else { return Err(texts::page::no_page_to_act_on(locale).to_owned()) };
    let Some(tool) = page.tool(&name) else {
        let known: Vec<String> = page.tools.iter().map(|tool| text::quoted(&tool.name)).collect();
        return Err(texts::page::no_page_tool(&text::quoted(&name), &known.join(", "), locale));
    };
    if let Some(place) = find_secret(&arguments) {
        return Err(texts::page::secret_for_page_tool(&place, locale));
    }
    match check_arguments(&tool.schema, &arguments) {
        Ok(arguments) => Ok(Action::Page(PageAction::Tool { name, arguments })),
        Err(faults) => Err(texts::page::page_tool_arguments(&text::quoted(&name), &faults, locale)),
    }
}

/// Returns the place of a secret among the arguments: only fields of the page take secrets, where nobody else sees them.
fn find_secret(arguments: &Map<String, Value>) -> Option<String> {
    list_values(arguments).into_iter().find_map(|(place, value)| {
        let mut shown = [BodyValue::text(place, value)];
        let before = shown[0].value.clone();
        let is_placeholder =
            named_secret::contains_placeholder(&before) || !typed_secret::placeholders(&before).is_empty();
        mask_secrets(&mut shown);
        let [shown] = shown;
        (is_placeholder || shown.value != before).then_some(shown.name)
    })
}

/// Returns the action with its `${{ }}` templates filled in (S4.18). Inputs of agents are filled in when the
/// agents start, which may be later. Scripts and plain commands are taken literally.
fn parse_action(cx: &VisitContext, call: &Call) -> Result<Action, String> {
    let parse = |call: &Call| {
        Action::parse_with(call, &available_actions::available_actions(cx), &cx.deps.calls.tools)
            .map_err(|fault| fault.to_string())
    };
    let from_model = cx.deps.asks_model();
    match parse(call) {
        read if !from_model => read,
        Ok(action) if action.is_call() => Ok(action),
        read => {
            let params = fill_templates(&cx.state, &call.params, &cx.state.calls)?;
            if params == call.params { read } else { parse(&Call { params, ..call.clone() }) }
        }
    }
}

/// Checks the name of a secret: an unknown name would be typed as text, and the site would receive it.
fn check_secret_name(action: Action, keys: &NamedSecrets, locale: Locale) -> Result<Action, String> {
    let typed = action.typed_texts();
    let Some((_, text)) = typed.iter().find(|(_, text)| named_secret::contains_placeholder(text)) else {
        return Ok(action);
    };
    let names: Vec<String> = keys.names().map(named_secret::placeholder).collect();
    let names =
        if names.is_empty() { texts::page::no_secret_names(locale).to_owned() } else { names.join(", ") };
    match named_secret::name_in(text) {
        Some(name) if keys.has(name) => Ok(action),
        Some(_) => Err(texts::page::unknown_secret(&names, locale)),
        None => Err(texts::page::secret_beside_text(&names, locale)),
    }
}

fn needs_enabled(action: &Action) -> bool {
    // An earlier field of `fill` may enable a later one.
    !matches!(
        action,
        Action::Page(
            PageAction::Extract { .. }
                | PageAction::Scroll { .. }
                | PageAction::Hover { .. }
                | PageAction::Fill { .. }
        )
    )
}

/// Reports whether the action types text into the element.
fn types_into(action: &Action, eid: u32) -> bool {
    action.typed_texts().iter().any(|(field, _)| *field == Some(eid))
}

/// Returns why text cannot be typed into the element.
fn text_refusal(action: &Action, eid: u32, line: &Line, locale: Locale) -> Option<String> {
    if !types_into(action, eid) || line.attributes.disabled {
        return None;
    }
    let element = text::describe(line);
    if line.attributes.readonly {
        Some(texts::page::is_read_only(&element, locale))
    } else if !accepts_text(line) {
        Some(texts::page::takes_no_text(&element, locale))
    } else {
        None
    }
}

/// Reports whether the element takes text. A slider takes values as well, although nothing is typed into it.
fn accepts_text(line: &Line) -> bool {
    line.attributes.editable
        || matches!(line.role.as_str(), "textbox" | "searchbox" | "spinbutton" | "slider")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::observation::{Attributes, Line};
    use crate::turn::page_input::fields::FieldInput;

    // S1.22
    #[test]
    fn a_text_for_a_list_that_takes_none_chooses_an_option() {
        let line = |eid: u32, role: &str, editable: bool| Line {
            eid: Some(eid),
            role: role.into(),
            attributes: Attributes { editable, ..Attributes::default() },
            ..Line::default()
        };
        let lines = vec![line(1, "combobox", false), line(2, "combobox", true), line(3, "textbox", true)];
        let page = Observation { lines, ..Observation::default() };
        let typed = |eid: u32| {
            let text = String::from("Lviv");
            Action::Page(PageAction::Type { eid, text, clear: true, submit: false })
        };
        let options = vec![String::from("Lviv")];
        assert_eq!(
            choose_in_lists(typed(1), Some(&page)),
            Action::Page(PageAction::Select { eid: 1, options: options.clone() })
        );
        for eid in [2, 3] {
            assert_eq!(choose_in_lists(typed(eid), Some(&page)), typed(eid), "{eid}");
        }
        let field = |value: FieldValue| {
            Action::Page(PageAction::Fill { fields: vec![FieldInput { eid: 1, value }], submit: false })
        };
        let filled = choose_in_lists(field(FieldValue::Text(String::from("Lviv"))), Some(&page));
        assert_eq!(filled, field(FieldValue::Options(options)));
    }
}
