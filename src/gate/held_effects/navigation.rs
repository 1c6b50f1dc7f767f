//! The question about a navigation by which a page would take text that an agent typed to another site.

use crate::gate::flow::crossing::Flow;
use crate::gate::meaning::effect_class::EffectClass;
use crate::gate::verdict::{Decision, Risk, Texts, Verdict};
use crate::gate::wire_layer::comparison::comparable_values;
use crate::gate::wire_layer::proposed_request::{ApprovedRequest, ProposedRequest};
use crate::gate::wire_layer::question::{HeldQuestion, shown_request};
use crate::gate::wire_layer::reading::RequestReading;
use crate::page::site::is_same_site;
use crate::protocol::Remember;
use crate::texts::gate;
use url::Url;

/// Returns the address of a navigation that leaves the site of its page.
pub fn leaving_address(proposed: &ProposedRequest) -> Option<Url> {
    let request = &proposed.request;
    let url = Url::parse(&request.url).ok().filter(|_| request.kind.is_navigation())?;
    let stays = |from: &String| Url::parse(from).is_ok_and(|from| is_same_site(&from, &url));
    (![&request.page, &request.document].into_iter().any(stays)).then_some(url)
}

/// Makes the question about a navigation that carries text to another site.
pub fn ask_about_navigation(proposed: &ProposedRequest, flow: Flow) -> HeldQuestion {
    let request = &proposed.request;
    let values = comparable_values(&RequestReading::read(proposed).values);
    let asked = Verdict {
        decision: Decision::RequiresConfirmation,
        rule: String::from("flow"),
        risk: Risk::High,
        effect: EffectClass::Submit,
        reason: Texts::write(gate::flow_reason),
        remember: vec![Remember::Once],
        origin: flow.to.clone(),
        values: Vec::new(),
        new_host: None,
        is_known_before: false,
        sentence: Texts::write(|locale| gate::take_text(&flow.from.join(", "), &flow.to, locale)),
    };
    let approved = ApprovedRequest {
        method: request.method.clone(),
        url: request.url.clone(),
        values,
        digest: String::new(),
    };
    let shown = shown_request(proposed, flow.to.clone());
    let question = HeldQuestion::about(&proposed.cause, &asked, &request.page, shown, approved);
    HeldQuestion { flow: Some(flow), ..question }
}
