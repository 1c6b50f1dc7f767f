//! Looks at the page: screenshot and text of the same moment, told and kept together or not at all (S1.12,
//! S1.20, S1.38). What lies where the agent must not be is left, and shown to nobody.

use super::change::{Change, Seen as Kept};
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
    /// The page cannot be looked at now; the planner is told why.
    Unseen,
}

/// A fresh look, told and kept.
pub async fn look(cx: &mut Cx) -> Result<Looked, ProgramError> {
    let looked = match cx.desk.take_ahead() {
        Some(seen) => Ok(seen),
        None => cx.look().await?,
    };
    let seen = match looked {
        Ok(seen) => seen,
        // The page died under the look: there is a new one to look at.
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

/// What is told and kept of a look.
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
    cx.change(Change::Observed {
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

/// What the page says it is about.
fn heading(look: &Observation) -> String {
    let headings = || look.lines.iter().filter(|line| line.role == "heading" && !line.name.is_empty());
    let first = headings().find(|line| line.attributes.level == Some(1)).or_else(|| headings().next());
    first.map(|line| text::cut(&line.name)).unwrap_or_default()
}

/// Whether the page lies where the agent must not be, however it got there (a redirect, a script).
fn closed(cx: &Cx, url: &str) -> bool {
    let kind = hosts::read(url).map(hosts::home).and_then(|url| hosts::kind(&url, &cx.hosts()));
    match kind {
        Some(HostKind::Private | HostKind::Metadata | HostKind::Service) => true,
        Some(HostKind::Public | HostKind::Listed | HostKind::Own) | None => false,
    }
}

/// Nothing of it is shown to the planner or kept.
async fn leave(cx: &mut Cx) -> Result<Looked, ProgramError> {
    let blank = Action::Navigate { url: String::from("about:blank") };
    cx.left(Perform { for_good: true, ..Perform::of(blank) }).await?;
    Ok(unseen(cx, "it led to an address that is closed to the agent, and was left"))
}

fn unseen(cx: &mut Cx, why: &str) -> Looked {
    cx.desk.forget_look();
    cx.change(Change::Dropped { why: String::from("the page cannot be looked at") });
    cx.change(Change::Note(format!("the page could not be looked at: {why}")));
    Looked::Unseen
}
