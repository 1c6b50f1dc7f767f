//! Request for an assessment: the action, its element, the page, and the task.

use crate::gate::host_kinds::HostContext;
use crate::page::observation::Observation;
use crate::page::target::Target;
use crate::turn::action::Action;
use url::Url;

/// Request to assess an action. The target of `press` is the focused element, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct AssessmentRequest<'a> {
    pub action: &'a Action,
    pub target: Option<&'a Target>,
    pub page: &'a PageRef,
    /// Hosts of the run and of the settings.
    pub context: &'a HostContext,
}

/// An action on a page with all that the gate judges it by, as it is sent to the actor.
#[derive(Clone, Debug)]
pub struct ProposedAction {
    pub action: Action,
    pub target: Option<Target>,
    pub page: PageRef,
    pub context: HostContext,
}

impl<'a> From<&'a ProposedAction> for AssessmentRequest<'a> {
    fn from(sent: &'a ProposedAction) -> Self {
        let ProposedAction { action, target, page, context } = sent;
        Self { action, target: target.as_ref(), page, context }
    }
}

/// Relevant state of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageRef {
    pub url: String,
    pub title: String,
    /// True if a password, code or card field is visible.
    pub secrets: bool,
    /// True if a field has been typed into, so that there is something to send.
    pub filled: bool,
    /// True if messages of its sockets get around the gate, so that names decide before the press.
    pub names_decide: bool,
}

impl PageRef {
    /// Returns the URL to which a link or form of the page leads; `None` if it is not valid.
    pub(crate) fn resolve(&self, destination: &str) -> Option<Url> {
        let base = Url::parse(&self.url).ok();
        Url::options().base_url(base.as_ref()).parse(destination).ok()
    }

    /// Extracts the state from an observation.
    pub fn from_observation(observation: &Observation) -> Self {
        let attributes = || observation.lines.iter().map(|line| &line.attributes);
        Self {
            url: observation.url.clone(),
            title: observation.title.clone(),
            secrets: attributes().any(|a| a.secret),
            filled: attributes()
                .any(|a| a.editable && a.value.as_deref().is_some_and(|value| !value.is_empty())),
            names_decide: false,
        }
    }
}
