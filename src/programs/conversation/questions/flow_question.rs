//! The question about text that an action takes from one site to another (the flow layer of the gate).

use crate::clock::Moment;
use crate::engine::program::{ProgramError, QuestionDraft};
use crate::gate::flow::crossing::Flow;
use crate::gate::verdict::Decision;
use crate::page::target::Target;
use crate::programs::conversation::questions::{picture, show_picture};
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::{Locale, QuestionKind, Remember, Status};
use crate::texts::{gate, in_both_languages};
use crate::turn::action::{Action, BrowserAction, PageAction};
use crate::turn::page_input::points::PointAction;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Asks whether the text may go. Asked once for a pair of sites in a run.
pub async fn ask_about_flow(
    cx: &mut VisitContext,
    action: &Action,
    target: Option<&Target>,
    flow: &Flow,
) -> Result<(), ProgramError> {
    let pictured = picture(cx, target).await?;
    let mut payload = payload(cx, action, target, flow)?;
    show_picture(&mut payload, pictured);
    cx.record.audit.push(json!({
        "action_id": payload["action"]["action_id"],
        "action": action.name(),
        "decision": Decision::RequiresConfirmation.as_str(),
        "rule": payload["rule"],
        "risk": payload["risk"],
        "effect": payload["effect_class"],
        "origin": flow.to,
        "values": {},
        "by": "policy",
        "flow": flow,
        "picture": cx.state.last_screenshot,
    }));
    let (locale, timeout) = (cx.state.locale, cx.deps.confirm_timeout_s);
    cx.ask = Some(QuestionDraft {
        kind: QuestionKind::Confirm,
        reason: gate::flow_reason(locale).to_owned(),
        text: sentence(flow, locale),
        payload,
        remember: vec![Remember::Once],
        expires_at: (timeout > 0).then(|| Moment::now().plus_seconds(timeout)),
        on_expire: Status::Cancelled,
    });
    cx.change(ConversationChange::FlowAsked(flow.pairs().collect()));
    Ok(())
}

/// Adds the flow to the open question about the action that takes the text: one question is about both.
pub fn add_flow(cx: &mut VisitContext, action: &Action, flow: &Flow) {
    if let Some(ask) = &mut cx.ask {
        ask.payload["flow"] = flow_json(flow, action);
    }
    cx.change(ConversationChange::FlowAsked(flow.pairs().collect()));
}

/// Records the person's consent to the pairs of sites that they were asked about.
pub fn consent(cx: &mut VisitContext) {
    cx.deps.texts.add_consents(cx.state.asked_flow.iter().cloned());
    cx.change(ConversationChange::FlowConsented);
}

fn sentence(flow: &Flow, locale: Locale) -> String {
    gate::take_text(&flow.from.join(", "), &flow.to, locale)
}

/// Returns the flow with the whole text that an approval lets go, of which `text` is the part from elsewhere.
fn flow_json(flow: &Flow, action: &Action) -> Value {
    let tool_call;
    let whole = match action {
        Action::Page(
            PageAction::Type { text, .. }
            | PageAction::Point(PointAction::Type { text, .. })
            | PageAction::Dialog { text: Some(text), .. },
        ) => Some(text),
        Action::Browser(BrowserAction::Navigate { url } | BrowserAction::Tab { url: Some(url), .. }) => {
            Some(url)
        }
        Action::Page(PageAction::Tool { arguments, .. }) => {
            tool_call = json!(arguments).to_string();
            Some(&tool_call)
        }
        Action::Page(_) | Action::Browser(_) | Action::Person(_) | Action::Agent(_) => None,
    };
    let mut shown = json!(flow);
    if let Some(whole) = whole {
        shown["whole"] = json!(whole);
    }
    shown
}

fn payload(
    cx: &VisitContext,
    action: &Action,
    target: Option<&Target>,
    flow: &Flow,
) -> Result<Value, ProgramError> {
    let mut shown_action = json!(action);
    shown_action["action_id"] = json!(cx.planned_turn()?.action_id);
    let page = cx.state.last_observation.as_ref();
    let fingerprint = format!("{:x}", Sha256::digest(json!([flow, &shown_action]).to_string()));
    Ok(json!({
        "layer": "flow",
        "action": shown_action,
        "effect": sentence(flow, cx.state.locale),
        "effect_class": "submit",
        "risk": "high",
        "rule": "flow",
        "page": {
            "url": page.map(|page| &page.url),
            "title": page.map(|page| &page.title),
            "origin": flow.to,
        },
        "target": target.and_then(|_| cx.working_set.target_json(cx.deps.view.viewport)),
        "values": {},
        "flow": flow_json(flow, action),
        "fingerprint": fingerprint,
        "texts": in_both_languages(|locale| {
            json!({"text": sentence(flow, locale), "reason": gate::flow_reason(locale)})
        }),
    }))
}
