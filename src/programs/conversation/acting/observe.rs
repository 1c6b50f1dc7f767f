//! Observes the page: screenshot and text of the same moment, sent and stored together or not at all (S1.12,
//! S1.20, S1.38). A page on a forbidden host is left and shown to nobody.

use crate::browser::error::ErrorCode;
use crate::engine::program::ProgramError;
use crate::gate::host_kinds;
use crate::gate::host_kinds::HostKind;
use crate::page::observation::Observation;
use crate::page::text;
use crate::page::url::parse_typed_url;
use crate::programs::conversation::effects;
use crate::programs::conversation::host_context;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::turn_progress::ObservationSummary;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObserveResult {
    Seen,
    /// The page cannot be observed now; the planner receives the reason.
    Unseen,
}

/// Observes the page, and sends and stores the observation.
pub async fn observe_page(cx: &mut VisitContext) -> Result<ObserveResult, ProgramError> {
    let result = match cx.working_set.take_observation_ahead() {
        Some(observed) => Ok(observed),
        None => effects::observe(cx).await?,
    };
    let observed = match result {
        Ok(observed) => observed,
        // The page crashed during the observation; a new one has been opened.
        Err(fault) if fault.code == ErrorCode::BrowserCrashed => match effects::observe(cx).await? {
            Ok(observed) => observed,
            Err(fault) => return Ok(observation_failed(cx, &fault.message)),
        },
        Err(fault) => return Ok(observation_failed(cx, &fault.message)),
    };
    if is_forbidden(cx, &observed.observation.url) {
        return leave_forbidden_page(cx).await;
    }
    let picture = effects::store_picture(cx, &observed).await?;
    store_observation(cx, &observed.observation, picture);
    Ok(ObserveResult::Seen)
}

/// Sends and stores an observation.
fn store_observation(cx: &mut VisitContext, observation: &Observation, picture: String) {
    cx.push_event(Fact::Event(Event::Observation {
        look: observation.number,
        url: observation.url.clone(),
        title: observation.title.clone(),
        tab: format!("{}/{}", observation.tab.0, observation.tab.1),
        chars: text::write(observation, "").len(),
        picture: Some(picture.clone()),
    }));
    cx.record.report.url = Some(observation.url.clone());
    cx.change(ConversationChange::Observed {
        seen: ObservationSummary {
            number: observation.number,
            url: observation.url.clone(),
            title: observation.title.clone(),
            heading: main_heading(observation),
            digest: observation.digest(),
        },
        picture: Some(picture),
    });
}

/// Returns the main heading of the page.
fn main_heading(observation: &Observation) -> String {
    let headings = || observation.lines.iter().filter(|line| line.role == "heading" && !line.name.is_empty());
    let first = headings().find(|line| line.attributes.level == Some(1)).or_else(|| headings().next());
    first.map(|line| text::short_name(&line.name)).unwrap_or_default()
}

/// Reports whether the page is on a forbidden host, whether by a redirect or by a script.
pub(crate) fn is_forbidden(cx: &VisitContext, url: &str) -> bool {
    let kind = parse_typed_url(url)
        .map(host_kinds::page_url)
        .and_then(|url| host_kinds::host_kind(&url, &host_context::hosts(cx)));
    match kind {
        Some(HostKind::Private | HostKind::Metadata | HostKind::Service) => true,
        Some(HostKind::Public | HostKind::Listed | HostKind::Demo) | None => false,
    }
}

/// Leaves the page. Nothing of it is shown to the planner or stored.
async fn leave_forbidden_page(cx: &mut VisitContext) -> Result<ObserveResult, ProgramError> {
    effects::leave_page(cx).await?;
    Ok(observation_failed(cx, "it led to an address that is closed to the agent, and was left"))
}

fn observation_failed(cx: &mut VisitContext, why: &str) -> ObserveResult {
    cx.working_set.clear_observation();
    cx.change(ConversationChange::Dropped { why: String::from("the page cannot be observed") });
    cx.change(ConversationChange::Note(format!("the page could not be observed: {why}")));
    ObserveResult::Unseen
}
