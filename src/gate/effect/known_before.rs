//! Effects that are known before the action, or that no request shows: about these the person is asked before the
//! press. All others are asked about when a request is about to leave.

use crate::gate::effect::page_tool::needs_question_first;
use crate::gate::meaning::effect_class::{ActionProperties, EffectClass};
use crate::gate::request::AssessmentRequest;
use crate::page::target::Form;
use crate::turn::action::{Action, PageAction};
use crate::turn::page_input::points::PointAction;

/// True if the question must come before the action. `is_harmless_form` tells whether the wire lets the form pass.
pub(crate) fn is_effect_known(
    facts: &ActionProperties,
    request: &AssessmentRequest<'_>,
    is_harmless_form: impl Fn() -> bool,
) -> bool {
    match facts.effect {
        // A rule that asks about these names them itself.
        EffectClass::Read
        | EffectClass::Navigate
        | EffectClass::Input
        | EffectClass::Download
        | EffectClass::Shell
        | EffectClass::Python
        | EffectClass::Compute
        | EffectClass::AgentCall
        | EffectClass::Tool => true,
        EffectClass::Upload if is_upload(request) => !is_in_posted_form(request),
        EffectClass::Upload
        | EffectClass::Submit
        | EffectClass::Message
        | EffectClass::Purchase
        | EffectClass::Delete
        | EffectClass::Account
        | EffectClass::Permission
        | EffectClass::Credentials
        | EffectClass::Unknown => {
            facts.new_host
                || request.page.names_decide
                || leaves_the_web(facts)
                || (is_script_tool(request) && needs_question_first(facts.effect))
                || (sends_native_form(request) && !is_harmless_form())
        }
    }
}

/// True if the form has a list of several choices, which pages often make as they send it: two lists with arrows between
/// them. What leaves is known only then.
fn has_list_of_choices(form: &Form) -> bool {
    form.fields.iter().any(|field| field.kind == "select-multiple")
}

fn is_upload(request: &AssessmentRequest<'_>) -> bool {
    matches!(request.action, Action::Page(PageAction::Upload { .. }))
}

/// True if the file is chosen in a form that is sent by a press: that press asks about form and file together.
fn is_in_posted_form(request: &AssessmentRequest<'_>) -> bool {
    let Some(target) = request.target.filter(|target| !target.sends_itself) else { return false };
    target.form.as_ref().is_some_and(|form| is_posted(form) && !has_list_of_choices(form))
}

fn is_posted(form: &Form) -> bool {
    form.method.eq_ignore_ascii_case("post") && !form.action.is_empty()
}

/// True for a call of a tool that a script declared. What a form is about to send is known only when it leaves.
fn is_script_tool(request: &AssessmentRequest<'_>) -> bool {
    matches!(request.action, Action::Page(PageAction::Tool { .. }))
        && request.target.is_none_or(|tool| !tool.submits)
}

/// True if the address is none that a page is fetched from: another program would open it.
fn leaves_the_web(facts: &ActionProperties) -> bool {
    facts.url.as_ref().is_some_and(|url| !matches!(url.scheme(), "http" | "https" | "about" | "blob"))
}

/// True if the action sends a form of the page by POST to an address that the form names.
fn sends_native_form(request: &AssessmentRequest<'_>) -> bool {
    let Some(target) = request.target.filter(|target| target.submits) else { return false };
    // A key may be handled by the page instead: Enter in a search box of a form chooses a suggestion.
    let is_pressed = matches!(
        request.action,
        Action::Page(PageAction::Click { .. } | PageAction::Point(PointAction::Click { .. }))
    );
    is_pressed && target.form.as_ref().is_some_and(|form| is_posted(form) && !has_list_of_choices(form))
}
