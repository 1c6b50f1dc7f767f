//! The question about a navigation by which a page would take text that an agent typed to another site.

use crate::gate::flow::crossing::Flow;
use crate::gate::grants::covers::Covers;
use crate::gate::meaning::effect_class::EffectClass;
use crate::gate::verdict::{Risk, Texts};
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
    let (request, cause) = (&proposed.request, &proposed.cause.proposed);
    let values = comparable_values(&RequestReading::read(proposed).values);
    HeldQuestion {
        caused_by: Some(proposed.cause.action_id.clone()),
        action: cause.action.clone(),
        subject: String::new(),
        target: cause.target.clone(),
        page_url: request.page.clone(),
        page_title: cause.page.title.clone(),
        sentence: Texts::write(|locale| gate::take_text(&flow.from.join(", "), &flow.to, locale)),
        reason: Texts::write(gate::flow_reason),
        rule: String::from("flow"),
        risk: Risk::High,
        effect: EffectClass::Submit.as_str().to_owned(),
        remember: vec![Remember::Once],
        origin: flow.to.clone(),
        request: shown_request(proposed, flow.to.clone()),
        values: Vec::new(),
        changed: Vec::new(),
        unchanged: 0,
        together: String::new(),
        covers: Covers::default(),
        approved: ApprovedRequest {
            method: request.method.clone(),
            url: request.url.clone(),
            values,
            digest: String::new(),
        },
        flow: Some(flow),
    }
}
