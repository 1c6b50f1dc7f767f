//! Identity of the client that an answer came from, for viewers and the audit log.
//!
//! A browser tab of the UI generates an id and keeps it as long as the tab lives, across reloads. It sends
//! the id in `hello` (`client: {id, name}`) and with every HTTP request in the header [`HEADER`] as
//! `page/<id> <name>`; other clients may use `api` or `cli` in place of `page`. The id identifies; it proves
//! nothing and grants nothing. The client is stored with the answer, and [`mark_own`] adds `you` for the
//! client that answered.

use crate::text::invisible_chars;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::net::IpAddr;

/// Header that names the client of an HTTP request: `page/<id> <name>`.
pub const HEADER: &str = "x-askfirst-client";

const LONGEST_ID: usize = 64;
const LONGEST_NAME: usize = 80;

/// Start of a stored event that says who answered a question.
const RESOLVED: &str = r#"{"type":"question_resolved""#;

/// Interface that a client uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CallerKind {
    #[default]
    Page,
    Api,
    Mcp,
    Openai,
    Cli,
}

impl CallerKind {
    /// Parses the kinds that a client may claim; the service sets the others by the interface that is used.
    fn from_client_word(word: &str) -> Option<Self> {
        match word {
            "page" => Some(Self::Page),
            "api" => Some(Self::Api),
            "cli" => Some(Self::Cli),
            _ => None,
        }
    }

    /// Returns the kind as it is written on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Api => "api",
            Self::Mcp => "mcp",
            Self::Openai => "openai",
            Self::Cli => "cli",
        }
    }
}

/// A client: id, kind and optional display name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Caller {
    pub id: String,
    #[serde(default)]
    pub kind: CallerKind,
    #[serde(default)]
    pub name: Option<String>,
    /// True if this client is the receiver's own; never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub you: Option<bool>,
}

impl Caller {
    /// Creates a caller. Cuts long texts and removes characters that control a terminal.
    pub fn new(kind: CallerKind, id: &str, name: Option<&str>) -> Self {
        let name = name
            .map(|name| plain(name.trim(), LONGEST_NAME))
            .filter(|name| invisible_chars::has_visible_char(name));
        Self { id: plain(id.trim(), LONGEST_ID), kind, name, you: None }
    }

    /// Parses the value of [`HEADER`]; `None` if it names no client.
    pub fn from_header(value: &str) -> Option<Self> {
        let (kind, rest) = value.trim().split_once('/')?;
        let (id, name) = rest.split_once(' ').map_or((rest, None), |(id, name)| (id, Some(name)));
        let caller = Self::new(CallerKind::from_client_word(kind)?, id, name);
        (!caller.id.is_empty()).then_some(caller)
    }

    /// Returns the client that a `hello` names, else a page with the id `unnamed`.
    pub fn from_hello(hello: Option<Self>, unnamed: &str, name: Option<&str>) -> Self {
        match hello {
            Some(hello) if !hello.id.trim().is_empty() => {
                let kind = CallerKind::from_client_word(hello.kind.word()).unwrap_or_default();
                Self::new(kind, &hello.id, hello.name.as_deref().or(name))
            }
            _ => Self::new(CallerKind::Page, unnamed, name),
        }
    }

    /// True if the client is a program: it uses an interface for programs, names itself as one, or shows the
    /// token. A caller of the API that does none of this is known by its address alone, and counts as the
    /// person, as the page and the command line do.
    pub fn is_program(&self) -> bool {
        match self.kind {
            CallerKind::Mcp | CallerKind::Openai => true,
            CallerKind::Api => !self.id.is_empty() && self.id.parse::<IpAddr>().is_err(),
            CallerKind::Page | CallerKind::Cli => false,
        }
    }

    /// True if both are programs and may be the same one. The id of a session changes with each connection, so
    /// an equal name suffices.
    pub fn is_same_program(&self, other: &Self) -> bool {
        let has_same_name = self.name.as_ref().is_some_and(|name| other.name.as_ref() == Some(name));
        self.is_program() && other.is_program() && (self.id == other.id || has_same_name)
    }

    /// Returns the name of a program as answers are recorded: its own name, else its kind.
    pub fn program_name(&self) -> &str {
        self.name.as_deref().unwrap_or(self.kind.word())
    }
}

fn plain(text: &str, longest: usize) -> String {
    text.chars().filter(|c| !invisible_chars::is_display_control(*c)).take(longest).collect()
}

/// Adds `client.you` to an event frame if the receiver's own client answered the question.
pub fn mark_own(frame: String, receiver: &str) -> String {
    if receiver.is_empty() || !frame.starts_with(RESOLVED) {
        return frame;
    }
    let Ok(mut fact) = serde_json::from_str::<Value>(&frame) else { return frame };
    if mark(&mut fact, receiver) { fact.to_string() } else { frame }
}

/// Sets `client.you` if the `client` of an object is the receiver. Returns true if so.
pub fn mark(object: &mut Value, receiver: &str) -> bool {
    let own = !receiver.is_empty() && object["client"]["id"] == receiver;
    if own {
        object["client"]["you"] = json!(true);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_a_client_or_none() {
        let named = |value| Caller::from_header(value).map(|one| (one.kind.word(), one.id, one.name));
        let known = |kind, id: &str, name: Option<&str>| Some((kind, id.to_owned(), name.map(str::to_owned)));
        for (value, expected) in [
            ("page/3f2a Chrome, Linux", known("page", "3f2a", Some("Chrome, Linux"))),
            ("cli/7", known("cli", "7", None)),
            ("api/x  ", known("api", "x", None)),
            // A client cannot claim these kinds.
            ("mcp/1 x", None),
            ("openai/1 x", None),
            ("page/", None),
            ("page", None),
            ("", None),
        ] {
            assert_eq!(named(value), expected, "{value}");
        }
        let long =
            Caller::new(CallerKind::Api, &"i".repeat(900), Some(&format!("\u{1b}[31m{}", "n".repeat(900))));
        assert_eq!((long.id.len(), long.name.map(|name| name.len())), (LONGEST_ID, Some(LONGEST_NAME)));
    }

    // A caller that neither names itself nor shows the token is the person (docs/protocol.md, "Who answers").
    #[test]
    fn programs_are_told_from_people() {
        use CallerKind::{Api, Cli, Mcp, Openai, Page};
        for (kind, id, expected) in [
            (Page, "w1", false),
            (Cli, "c1", false),
            (Api, "127.0.0.1", false),
            (Api, "2001:db8::7", false),
            (Api, "", false),
            (Api, "token", true),
            (Api, "nightly", true),
            (Mcp, "5e1f", true),
            (Openai, "127.0.0.1", true),
        ] {
            assert_eq!(Caller::new(kind, id, None).is_program(), expected, "{kind:?} {id}");
        }
    }

    #[test]
    fn a_program_stays_the_same_with_another_session_or_interface() {
        let one = Caller::new(CallerKind::Mcp, "s1", Some("desk"));
        for (other, expected) in [
            (Caller::new(CallerKind::Mcp, "s2", Some("desk")), true),
            (Caller::new(CallerKind::Api, "s1", None), true),
            (Caller::new(CallerKind::Api, "s2", Some("desk")), true),
            (Caller::new(CallerKind::Mcp, "s2", Some("other")), false),
            (Caller::new(CallerKind::Mcp, "s2", None), false),
            (Caller::new(CallerKind::Page, "s1", Some("desk")), false),
        ] {
            assert_eq!(one.is_same_program(&other), expected, "{other:?}");
        }
    }

    // `you` is set for the client that answered, and for no other (docs/protocol.md).
    #[test]
    fn only_the_receivers_own_answer_is_marked() {
        let fact =
            r#"{"type":"question_resolved","by":"user","client":{"id":"w1","kind":"page","name":null}}"#;
        assert_eq!(mark_own(fact.to_owned(), "w2"), fact);
        assert_eq!(mark_own(fact.to_owned(), ""), fact);
        let own: Value = serde_json::from_str(&mark_own(fact.to_owned(), "w1")).unwrap();
        assert_eq!(own["client"]["you"], true);
        let message = r#"{"type":"agent_message","client":{"id":"w1"}}"#;
        assert_eq!(mark_own(message.to_owned(), "w1"), message);
        let policy = r#"{"type":"question_resolved","by":"expired","client":null}"#;
        assert_eq!(mark_own(policy.to_owned(), "w1"), policy);
    }
}
