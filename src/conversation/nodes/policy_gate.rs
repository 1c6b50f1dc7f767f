//! Asks the gate about the action (S1.24), and makes the question if a person must be asked. It is
//! judged by what the page is at this moment; what the model says of its action plays no part.

use crate::browser::{Browser, Crop, Examine};
use crate::clock::Moment;
use crate::conversation::cx::Cx;
use crate::conversation::state::{Approval, Change, Planned};
use crate::conversation::words;
use crate::gate::grants::{self, Grant, Scope};
use crate::gate::{Ask as GateAsk, Context, Decision, PageRef, Verdict, hosts};
use crate::model::{ActionResult, Entry, Outcome as ResultOutcome, Speaker};
use crate::page::target::{self, Target};
use crate::program::{Ask, ProgramError};
use crate::protocol::server::{Event, Fact};
use crate::protocol::{QuestionKind, Remember, Status};
use crate::store::rows::GrantRow;
use crate::turn::action::Action;
pub use Outcome::*;
use actix::Addr;
use serde_json::{Map, Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Allowed,
    NeedsConfirmation,
    /// The person must do something on the page.
    NeedsHands,
    /// The agent asks the person something.
    NeedsAnswer,
    /// The element went away between the look and now.
    Gone,
    Denied,
}

pub async fn visit(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let planned = cx.planned()?.clone();
    let Some(action) = planned.action.clone() else {
        return Err(ProgramError::Failed(String::from("the planned action was not validated")));
    };
    match &action {
        Action::Stop { .. } => return Ok(Allowed),
        Action::NeedUser { text } => {
            cx.ask = Some(plain(
                QuestionKind::Manual,
                words::hands_needed(cx.state.locale),
                text,
                json!({"text": text}),
            ));
            return Ok(NeedsHands);
        }
        Action::AskUser { question, answer_key, options } => {
            let payload = json!({"question": question, "answer_key": answer_key, "options": options});
            cx.ask =
                Some(plain(QuestionKind::Question, words::answer_needed(cx.state.locale), question, payload));
            return Ok(NeedsAnswer);
        }
        _ => {}
    }
    let target = match about(cx, &action) {
        None => None,
        Some(eid) => match cx.browser().await?.send(Examine { eid }).await {
            Ok(Ok(target)) => Some(target),
            Ok(Err(fault)) => return Ok(gone(cx, &planned, &action, fault.code.word(), fault.message)),
            Err(_) => {
                return Ok(gone(cx, &planned, &action, "browser_crashed", String::from("the browser closed")));
            }
        },
    };
    cx.desk.examine(target.clone());
    let mut page = cx.desk.look().map(|seen| PageRef::of(&seen.observation)).unwrap_or_default();
    if let Some(target) = &target {
        // The page may have moved on since the look; the element says where it stands now.
        page.url.clone_from(&target.page);
    }
    let context = context(cx);
    let ask = GateAsk { action: &action, target: target.as_ref(), page: &page, context: &context };
    let verdict = cx.deps.gate.assess(&ask, Moment::now());
    let granted = verdict.decision == Decision::RequiresConfirmation && granted(cx, &verdict).await?;
    tell(cx, &planned, &verdict, granted);
    if verdict.effect.reaches_outside() {
        cx.change(Change::Effect);
    }
    match verdict.decision {
        Decision::Allow => Ok(Allowed),
        Decision::RequiresConfirmation if granted => Ok(Allowed),
        Decision::RequiresConfirmation => {
            let browser = cx.browser().await?;
            question(cx, &browser, &planned, &action, target, &page, &verdict).await?;
            Ok(NeedsConfirmation)
        }
        Decision::Deny => {
            deny(cx, &planned, &action, &verdict);
            Ok(Denied)
        }
    }
}

/// The element that the action is about; for a key press, the focused one.
fn about(cx: &Cx, action: &Action) -> Option<u32> {
    if let Action::Press { .. } = action {
        let look = cx.desk.look()?;
        return look.observation.lines.iter().find(|line| line.attributes.focused)?.eid;
    }
    action.eid()
}

fn context(cx: &Cx) -> Context {
    let said = cx.state.messages.iter().filter_map(|entry| match entry {
        Entry::Said { by: Speaker::Person, text } => Some(hosts::named_in(text)),
        Entry::Said { by: Speaker::Agent, .. } | Entry::Acted { .. } => None,
    });
    Context {
        allowed_hosts: cx.deps.allowed_hosts.clone().unwrap_or_default(),
        named_hosts: said.flatten().collect(),
        private_hosts: cx.deps.private_hosts.clone(),
        own_origin: cx.deps.own_origin.clone(),
    }
}

async fn granted(cx: &Cx, verdict: &Verdict) -> Result<bool, ProgramError> {
    let now = Moment::now();
    let held = cx.deps.store.grants(now).await?;
    let covers = |row: &GrantRow| {
        let Some(grant) = grant_of(row) else { return false };
        let reach = match grant.scope {
            Scope::Run => Remember::Run,
            Scope::Site => Remember::Site,
        };
        verdict.may_remember(reach) && grants::covers(&grant, &cx.root, &verdict.origin, &verdict.rule, now)
    };
    Ok(held.iter().any(covers))
}

fn grant_of(row: &GrantRow) -> Option<Grant> {
    Some(Grant {
        id: row.id.clone(),
        scope: [Scope::Run, Scope::Site].into_iter().find(|scope| scope.as_str() == row.scope)?,
        run_id: row.run.clone()?,
        origin: row.origin.clone()?,
        rule: row.rule.clone(),
        created_at: row.created_at,
        expires_at: row.expires_at,
    })
}

/// The decision, for those who watch and for the audit log.
fn tell(cx: &mut Cx, planned: &Planned, verdict: &Verdict, granted: bool) {
    let decision = verdict.decision.as_str();
    cx.fact(Fact::Event(Event::Policy {
        decision: String::from(if granted { "allow" } else { decision }),
        rule: verdict.rule.clone(),
        risk: verdict.risk.as_str().to_owned(),
        effect: verdict.effect.as_str().to_owned(),
        action_id: planned.action_id.clone(),
    }));
    cx.record.audit.push(json!({
        "action_id": planned.action_id,
        "action": planned.action.as_ref().map(Action::name),
        "decision": if granted { "allow" } else { decision },
        "rule": verdict.rule,
        "risk": verdict.risk.as_str(),
        "effect": verdict.effect.as_str(),
        "origin": verdict.origin,
        "by": if granted { "grant" } else { "policy" },
        "picture": cx.state.last_screenshot,
    }));
}

async fn question(
    cx: &mut Cx,
    browser: &Addr<Browser>,
    planned: &Planned,
    action: &Action,
    target: Option<Target>,
    page: &PageRef,
    verdict: &Verdict,
) -> Result<(), ProgramError> {
    let picture = match browser.send(Crop { eid: target.as_ref().map(|target| target.eid) }).await {
        Ok(Ok(jpeg)) => Some(cx.journal.picture(jpeg.to_vec()).await?),
        // Without a picture the question is still asked: its words carry the facts.
        Ok(Err(_)) | Err(_) => cx.state.last_screenshot.clone(),
    };
    let locale = cx.state.locale;
    let blank = Target::default();
    let fingerprint = target::fingerprint(&page.url, action, target.as_ref().unwrap_or(&blank));
    let values: Map<String, Value> =
        verdict.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let mut whole = json!(action);
    whole["action_id"] = json!(planned.action_id);
    let payload = json!({
        "action": whole,
        "effect": verdict.sentence(locale),
        "effect_class": verdict.effect.as_str(),
        "risk": verdict.risk.as_str(),
        "rule": verdict.rule,
        "page": {"url": page.url, "title": page.title, "origin": verdict.origin},
        "target": target.as_ref().map(|t| json!({"eid": t.eid, "role": t.role, "name": t.name, "frame": t.frame})),
        "values": values,
        "screenshot": picture,
        "fingerprint": fingerprint,
    });
    let timeout = cx.deps.confirm_timeout_s;
    cx.ask = Some(Ask {
        kind: QuestionKind::Confirm,
        reason: verdict.reason(locale).to_owned(),
        text: verdict.sentence(locale).to_owned(),
        payload,
        remember: verdict.remember.clone(),
        expires_at: (timeout > 0).then(|| Moment::now().plus_seconds(timeout)),
        on_expire: Status::Cancelled,
    });
    cx.change(Change::Asked(Approval {
        fingerprint,
        target,
        url: page.url.clone(),
        origin: verdict.origin.clone(),
        rule: verdict.rule.clone(),
        remember: verdict.remember.clone(),
        given: false,
    }));
    Ok(())
}

fn plain(kind: QuestionKind, reason: &str, text: &str, payload: Value) -> Ask {
    Ask {
        kind,
        reason: reason.to_owned(),
        text: text.to_owned(),
        payload,
        remember: Vec::new(),
        expires_at: None,
        on_expire: Status::Cancelled,
    }
}

fn gone(cx: &mut Cx, planned: &Planned, action: &Action, code: &str, message: String) -> Outcome {
    cx.change(Change::NeedsObserve);
    fail(cx, planned, action, code, message);
    Gone
}

fn deny(cx: &mut Cx, planned: &Planned, action: &Action, verdict: &Verdict) {
    let message = verdict.reason(cx.state.locale).to_owned();
    fail(cx, planned, action, "denied", message);
}

fn fail(cx: &mut Cx, planned: &Planned, action: &Action, code: &str, message: String) {
    let failure = crate::protocol::server::Failure { code: code.to_owned(), message: message.clone() };
    cx.fact(Fact::Event(Event::ActionFinished {
        action_id: planned.action_id.clone(),
        action: action.name().to_owned(),
        ok: false,
        result: None,
        error: Some(failure),
        took_ms: 0,
        dropped: Vec::new(),
    }));
    cx.change(Change::Finished {
        result: ActionResult {
            action_id: planned.action_id.clone(),
            action: action.name().to_owned(),
            outcome: ResultOutcome::Failed { code: code.to_owned(), message },
            returned: None,
        },
        dropped: Vec::new(),
        counts: false,
    });
}
