//! Observes the page: screenshot and text of the same moment, sent and stored together or not at all (S1.12,
//! S1.20, S1.38). A page on a forbidden host is left and shown to nobody.

use super::change::{ConversationChange, ObservationSummary as Kept};
use super::cx::Cx;
use crate::browser::Perform;
use crate::browser::fault::Code;
use crate::gate::hosts::{self, HostKind};
use crate::page::{Observation, text};
use crate::program::ProgramError;
use crate::protocol::server::{Event, Fact};
use crate::turn::action::Action;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    Seen,
    /// The page cannot be observed now; the planner receives the reason.
    Unseen,
}

/// Observes the page, and sends and stores the observation.
pub async fn look(cx: &mut Cx) -> Result<Looked, ProgramError> {
    let looked = match cx.desk.take_ahead() {
        Some(seen) => Ok(seen),
        None => cx.look().await?,
    };
    let seen = match looked {
        Ok(seen) => seen,
        // The page crashed during the observation; a new one has been opened.
        Err(fault) if fault.code == Code::BrowserCrashed => match cx.look().await? {
            Ok(seen) => seen,
            Err(fault) => return Ok(unseen(cx, &fault.message)),
        },
        Err(fault) => return Ok(unseen(cx, &fault.message)),
    };
    if closed(cx, &seen.observation.url) {
        return leave(cx).await;
    }
    let picture = cx.pictured(&seen).await?;
    keep(cx, &seen.observation, picture);
    Ok(Looked::Seen)
}

/// Sends and stores an observation.
fn keep(cx: &mut Cx, look: &Observation, picture: String) {
    cx.fact(Fact::Event(Event::Observation {
        look: look.look,
        url: look.url.clone(),
        title: look.title.clone(),
        tab: format!("{}/{}", look.tab.0, look.tab.1),
        chars: text::write(look, "").len(),
        picture: Some(picture.clone()),
    }));
    cx.record.url = Some(look.url.clone());
    cx.change(ConversationChange::Observed {
        seen: Kept {
            look: look.look,
            url: look.url.clone(),
            title: look.title.clone(),
            heading: heading(look),
            digest: look.digest(),
        },
        picture: Some(picture),
    });
}

/// Returns the main heading of the page.
fn heading(look: &Observation) -> String {
    let headings = || look.lines.iter().filter(|line| line.role == "heading" && !line.name.is_empty());
    let first = headings().find(|line| line.attributes.level == Some(1)).or_else(|| headings().next());
    first.map(|line| text::cut(&line.name)).unwrap_or_default()
}

/// Reports whether the page is on a forbidden host, whether by a redirect or by a script.
fn closed(cx: &Cx, url: &str) -> bool {
    let kind = hosts::read(url).map(hosts::home).and_then(|url| hosts::kind(&url, &cx.hosts()));
    match kind {
        Some(HostKind::Private | HostKind::Metadata | HostKind::Service) => true,
        Some(HostKind::Public | HostKind::Listed | HostKind::Own) | None => false,
    }
}

/// Leaves the page. Nothing of it is shown to the planner or stored.
async fn leave(cx: &mut Cx) -> Result<Looked, ProgramError> {
    let blank = Action::Navigate { url: String::from("about:blank") };
    cx.left(Perform { for_good: true, ..Perform::new(blank) }).await?;
    Ok(unseen(cx, "it led to an address that is closed to the agent, and was left"))
}

fn unseen(cx: &mut Cx, why: &str) -> Looked {
    cx.desk.forget_look();
    cx.change(ConversationChange::Dropped { why: String::from("the page cannot be looked at") });
    cx.change(ConversationChange::Note(format!("the page could not be looked at: {why}")));
    Looked::Unseen
}
