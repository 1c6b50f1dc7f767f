//! Checks the planned action against the observed page (S1.22, S1.23). An invalid action never reaches the
//! policy gate (C23). An element that was observed before and is now covered, hidden or collapsed still
//! exists, so the page reports later why it cannot be acted on.

use crate::browser::error::ErrorCode;
use crate::engine::program::ProgramError;
use crate::page::observation::{Line, Observation};
use crate::page::text;
use crate::planning::ActionOutcome as ResultOutcome;
use crate::programs::conversation::acting::undone::not_done_event;
use crate::programs::conversation::calls::calling;
use crate::programs::conversation::calls::calling::DependencyStatus;
use crate::programs::conversation::calls::follows::fill_templates;
use crate::programs::conversation::change::ConversationChange;
use crate::programs::conversation::cx::VisitContext;
use crate::programs::conversation::planning::planned::TurnProgress;
use crate::programs::conversation::words;
use crate::protocol::Locale;
use crate::secrets::named_secrets::NamedSecrets;
use crate::turn::action::Action;
use crate::turn::inner::InternalAction;
use crate::turn::{Call, named_secret};
pub use Outcome::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Valid,
    Invalid,
    TooManyInvalid,
    /// The action depends on a task that is under way.
    NotYet,
    /// The action depends on one that did not succeed.
    Never,
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let planned = cx.planned()?.clone();
    // The parameters may refer to the result of the dependency.
    match calling::check_dependency(cx, &planned) {
        DependencyStatus::Met => {}
        DependencyStatus::UnderWay => return Ok(NotYet),
        DependencyStatus::Failed => return Ok(Never),
    }
    let look = cx.desk.observation();
    let (page, locale) = (look.as_ref().map(|seen| seen.observation.as_ref()), cx.state.locale);
    let checked = check(cx, &planned, page);
    let action = match checked.and_then(|action| named_well(action, &cx.deps.keys, locale)) {
        Ok(action) => action,
        Err(message) => return Ok(refused(cx, &planned, message)),
    };
    let lacking = match no_file(cx, &action) {
        Some(message) => Some(message),
        None => lacking(cx, &action, page).await?,
    };
    if let Some(message) = lacking {
        return Ok(refused(cx, &planned, message));
    }
    cx.change(ConversationChange::Valid(action));
    Ok(Valid)
}

/// Returns what the action lacks on the page.
async fn lacking(
    cx: &VisitContext,
    action: &Action,
    page: Option<&Observation>,
) -> Result<Option<String>, ProgramError> {
    let locale = cx.state.locale;
    for eid in action.eids() {
        let Some(page) = page else { return Ok(Some(no_page(locale))) };
        let fault = match page.line(eid) {
            Some(line) => match unfit(action, line, locale) {
                Some(words) => Some(format!("{} {words}", text::describe(line))),
                None if acts(action) && line.attributes.disabled => disabled(cx, line, eid).await?,
                None => None,
            },
            None => gone(cx, eid).await?,
        };
        if fault.is_some() {
            return Ok(fault);
        }
    }
    Ok(None)
}

/// Returns an error if an element outside the observation does not exist.
async fn gone(cx: &VisitContext, eid: u32) -> Result<Option<String>, ProgramError> {
    let dead = matches!(cx.examine_element(eid).await?, Err(fault) if fault.code == ErrorCode::DeadEid);
    Ok(dead.then(|| {
        cx.state.locale.pick(
            &format!("на сторінці зараз немає елемента [{eid}]; візьміть число в дужках із тексту сторінки"),
            &format!("there is no element [{eid}] on the page as it is now; use a number in brackets from the page text"),
        ).to_owned()
    }))
}

/// Returns an error if an element that was observed as disabled still is, with the fields that block it.
async fn disabled(cx: &VisitContext, line: &Line, eid: u32) -> Result<Option<String>, ProgramError> {
    let locale = cx.state.locale;
    let lacks = match cx.examine_element(eid).await? {
        Ok(target) if !target.disabled => return Ok(None),
        Ok(target) => target.lacks,
        Err(_) => Vec::new(),
    };
    let said = locale.pick(
        "неактивний елемент; спершу треба зробити щось інше",
        "is disabled; something else has to be done first",
    );
    let why = match lacks.is_empty() {
        true => String::new(),
        false => {
            format!(
                " ({}: {})",
                locale.pick("не заповнено як слід", "not filled in correctly"),
                lacks.join(", ")
            )
        }
    };
    Ok(Some(format!("{} {said}{why}", text::describe(line))))
}

/// Returns an error if a file to upload does not exist.
fn no_file(cx: &VisitContext, action: &Action) -> Option<String> {
    let Action::Upload { files, .. } = action else { return None };
    let kept = cx.list_files();
    let missing = files.iter().find(|file| kept.iter().all(|kept| kept.name != **file))?;
    // A note to the planner lists all files, so the first part is enough.
    let there = words::list_files(&kept).into_iter().next().unwrap_or_else(|| String::from("-"));
    Some(match cx.state.locale {
        Locale::Uk => format!(
            "у цього запуску немає файла «{missing}»; є: {there}; попросіть людину додати його (need_user)"
        ),
        Locale::En => format!(
            "this run has no file \"{missing}\"; it has: {there}; ask the person to add it (need_user)"
        ),
    })
}

fn refused(cx: &mut VisitContext, planned: &TurnProgress, message: String) -> Outcome {
    refuse(cx, planned, message);
    let enough = cx.state.invalid_actions >= cx.deps.limits.invalid_actions;
    if enough { TooManyInvalid } else { Invalid }
}

fn refuse(cx: &mut VisitContext, planned: &TurnProgress, message: String) {
    let code = "invalid_action";
    cx.push_event(not_done_event(planned, code, &message));
    let outcome = ResultOutcome::Failed { code: code.to_owned(), message };
    cx.change(ConversationChange::Invalid(planned.result(outcome, None)));
    cx.push_progress();
}

/// Returns the action of the call that is due, if the page allows it.
fn check(cx: &VisitContext, planned: &TurnProgress, page: Option<&Observation>) -> Result<Action, String> {
    let locale = cx.state.locale;
    if let Some(fault) = &planned.fault {
        return Err(fault.clone());
    }
    let say = |uk: &str, en: &str| locale.pick(uk, en).to_owned();
    let turn = &planned.turn;
    let Some(call) = planned.call() else {
        return if turn.stop || turn.response.is_some() {
            Ok(Action::Stop { response: turn.response.clone() })
        } else {
            Err(say(
                "відповідь не має дії і не завершує роботу; потрібна одна дія або `stop`: true",
                "the turn has no action and does not stop; give one action, or `stop`: true",
            ))
        };
    };
    let action = parsed(cx, call)?;
    if let (Action::Dialog { .. }, None) = (&action, page.and_then(|page| page.dialog.as_ref())) {
        return Err(say(
            "сторінка зараз нічого не питає: відкритого діалогу немає",
            "the page asks nothing now: there is no open dialog",
        ));
    }
    calling::read_jobs(cx, planned, &action).map(|_| action)
}

/// Returns the action with its `${{ }}` templates filled in (S4.18). Inputs of agents are filled in when the
/// agents start, which may be later. Scripts and plain commands are taken literally.
fn parsed(cx: &VisitContext, call: &Call) -> Result<Action, String> {
    let parse = |call: &Call| {
        Action::parse_with(call, &cx.available_actions(), &cx.deps.calls.tools)
            .map_err(|fault| fault.to_string())
    };
    let written = cx.deps.asks_model();
    match parse(call) {
        read if !written => read,
        Ok(action @ Action::Inner(InternalAction::Agent { .. } | InternalAction::Group { .. })) => Ok(action),
        read => {
            let params = fill_templates(&cx.state, &call.params, &cx.state.calls)?;
            if params == call.params { read } else { parse(&Call { params, ..call.clone() }) }
        }
    }
}

/// Checks the name of a secret: an unknown name would be typed as text, and the site would receive it.
fn named_well(action: Action, keys: &NamedSecrets, locale: Locale) -> Result<Action, String> {
    let Action::Type { text, .. } = &action else { return Ok(action) };
    if !named_secret::contains_placeholder(text) {
        return Ok(action);
    }
    let names: Vec<String> = keys.names().map(named_secret::placeholder).collect();
    let known =
        if names.is_empty() { String::from(locale.pick("жодного", "none")) } else { names.join(", ") };
    let said = match named_secret::name_in(text) {
        Some(name) if keys.has(name) => return Ok(action),
        Some(_) => locale.pick("секрету з такою назвою немає", "there is no secret of that name"),
        None => locale.pick(
            "назва секрету має бути всім текстом, без іншого поруч",
            "a secret's name must be the whole text, with nothing beside it",
        ),
    };
    Err(format!("{said}; {}: {known}", locale.pick("відомі", "known ones")))
}

fn no_page(locale: Locale) -> String {
    let said = locale.pick(
        "немає сторінки, на якій діяти; спершу відкрийте її (navigate)",
        "there is no page to act on; navigate first",
    );
    said.to_owned()
}

fn acts(action: &Action) -> bool {
    !matches!(action, Action::Extract { .. } | Action::Scroll { .. } | Action::Hover { .. })
}

/// Returns why text cannot be typed into the element.
fn unfit(action: &Action, line: &Line, locale: Locale) -> Option<&'static str> {
    if !matches!(action, Action::Type { .. }) || line.attributes.disabled {
        return None;
    }
    let (uk, en) = if line.attributes.readonly {
        ("лише для читання", "is read-only")
    } else if !takes_text(line) {
        (
            "не приймає тексту; вводити можна в textbox, searchbox, combobox, spinbutton або slider",
            "takes no text; type into a textbox, searchbox, combobox, spinbutton or slider",
        )
    } else {
        return None;
    };
    Some(locale.pick(uk, en))
}

/// Reports whether the element takes text. A slider takes values as well, although nothing is typed into it.
fn takes_text(line: &Line) -> bool {
    line.attributes.editable
        || matches!(line.role.as_str(), "textbox" | "searchbox" | "spinbutton" | "slider")
}
