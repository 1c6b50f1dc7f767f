//! Parts of `fill`: the single actions that it stands for. It is judged as the gravest of them.

use crate::gate::request::AssessmentRequest;
use crate::page::target::Target;
use crate::turn::action::{Action, PageAction, last_field};
use crate::turn::page_input::fields::{FieldInput, FieldValue};
use crate::turn::page_input::mouse::ClickInput;

/// Returns the single actions that an action stands for, with their elements; empty for all but `fill`.
pub(crate) fn parts<'a>(request: &AssessmentRequest<'a>) -> Vec<(Action, Option<&'a Target>)> {
    let Action::Page(PageAction::Fill { fields, submit }) = request.action else { return Vec::new() };
    let entered_in = last_field(fields).filter(|_| *submit).map(|field| field.eid);
    let part = |field: &FieldInput| {
        let action = Action::Page(single_action(field, entered_in == Some(field.eid)));
        (action, request.target.and_then(|target| target.element(field.eid)))
    };
    let mut all: Vec<(Action, Option<&Target>)> = fields.iter().map(part).collect();
    // Enter in a field that takes no text is a key of its own.
    if let Some(last) = last_field(fields).filter(|last| *submit && last.text().is_none()) {
        let target = request.target.and_then(|target| target.element(last.eid));
        all.push((Action::Page(PageAction::Press { key: String::from("Enter") }), target));
    }
    all
}

fn single_action(field: &FieldInput, submit: bool) -> PageAction {
    let eid = field.eid;
    match &field.value {
        FieldValue::Text(text) => PageAction::Type { eid, text: text.clone(), clear: true, submit },
        FieldValue::Options(options) => PageAction::Select { eid, options: options.clone() },
        FieldValue::Checked(_) => PageAction::Click { eid, click: ClickInput::once() },
    }
}
