//! What an action would do, as words that rules are written in: classes of effect, what is special
//! about one, and the facts of a single case. `classify` finds them.

use super::hosts::HostKind;
use super::words::Intent;
use serde::{Deserialize, Serialize};
use url::Url;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Looks, and changes nothing.
    Read,
    /// Opens a page.
    Navigate,
    /// Changes only what is shown or typed here.
    Input,
    /// Sends a form or changes something, of no more special kind.
    Submit,
    /// Speaks to somebody: sends, posts, publishes.
    Message,
    /// Spends money or binds to do so.
    Purchase,
    /// Takes something away.
    Delete,
    /// Makes or changes an account, or ends its session.
    Account,
    /// Lets somebody or something in.
    Permission,
    /// Hands over a password or identity.
    Credentials,
    Upload,
    Download,
    Shell,
    Python,
    /// Code in the sandbox without files, network or variables: a function of its inputs.
    Compute,
    AgentCall,
    /// A tool of another server, of which nobody knows what it does.
    Tool,
    Unknown,
}

impl EffectClass {
    /// Purchases, credentials and code are asked about each time.
    pub fn may_last(self) -> bool {
        match self {
            Self::Purchase | Self::Credentials | Self::Shell | Self::Python | Self::Tool => false,
            Self::Read
            | Self::Navigate
            | Self::Input
            | Self::Submit
            | Self::Message
            | Self::Delete
            | Self::Account
            | Self::Permission
            | Self::Upload
            | Self::Download
            | Self::Compute
            | Self::AgentCall
            | Self::Unknown => true,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Navigate => "navigate",
            Self::Input => "input",
            Self::Submit => "submit",
            Self::Message => "message",
            Self::Purchase => "purchase",
            Self::Delete => "delete",
            Self::Account => "account",
            Self::Permission => "permission",
            Self::Credentials => "credentials",
            Self::Upload => "upload",
            Self::Download => "download",
            Self::Shell => "shell",
            Self::Python => "python",
            Self::Compute => "compute",
            Self::AgentCall => "agent_call",
            Self::Tool => "tool",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the world outside may be different afterwards: such an action is tried at most once
    /// and has an intent and a receipt (C11).
    pub fn reaches_outside(self) -> bool {
        match self {
            Self::Read | Self::Navigate | Self::Input | Self::Compute => false,
            Self::Submit
            | Self::Message
            | Self::Purchase
            | Self::Delete
            | Self::Account
            | Self::Permission
            | Self::Credentials
            | Self::Upload
            | Self::Download
            | Self::Shell
            | Self::Python
            | Self::AgentCall
            | Self::Tool
            | Self::Unknown => true,
        }
    }
}

/// What is special about an effect, for rules to name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// Only the visitor's own cart, list or view.
    Cart,
    /// A program, or something that runs.
    Executable,
    /// The whole account.
    WholeAccount,
    /// Ends the session.
    SignOut,
    /// Identity from another service ("Sign in with …").
    OtherIdentity,
}

/// What a form has among its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    Password,
    Card,
    File,
    /// Room for words to somebody.
    Message,
    /// Name, e-mail, telephone, address.
    Personal,
}

/// Everything that rules may ask about.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    pub effect: EffectClass,
    /// The finer sense of a name, for the sentence that people read.
    pub intent: Option<Intent>,
    pub about: Option<About>,
    pub fields: Vec<FieldKind>,
    /// Of the form that would be sent.
    pub method: Option<String>,
    /// Where it leads, or else where it happens.
    pub place: Option<Url>,
    pub host: Option<HostKind>,
    /// Leads to a host that the run was not given.
    pub new_host: bool,
    /// Sends to another origin than the page's.
    pub other_origin: bool,
    /// Where the effect takes place, as an origin.
    pub origin: String,
    /// The name of what is pressed, as plain words.
    pub name: String,
}

impl Facts {
    /// The facts of an effect without a page.
    pub fn bare(effect: EffectClass) -> Self {
        Self {
            effect,
            intent: None,
            about: None,
            fields: Vec::new(),
            method: None,
            place: None,
            host: None,
            new_host: false,
            other_origin: false,
            origin: String::new(),
            name: String::new(),
        }
    }
}

/// What was found out before the place is looked at.
#[derive(Clone, Debug)]
pub(super) struct Sense {
    pub effect: EffectClass,
    pub intent: Option<Intent>,
    pub about: Option<About>,
    /// Whether it sends the target's form.
    pub sends: bool,
}

impl Sense {
    pub fn new(effect: EffectClass, intent: Option<Intent>) -> Self {
        Self { effect, intent, about: None, sends: false }
    }

    pub fn plain(effect: EffectClass) -> Self {
        Self::new(effect, None)
    }

    pub fn about(mut self, about: About) -> Self {
        self.about = Some(about);
        self
    }

    pub fn sending(mut self) -> Self {
        self.sends = true;
        self
    }
}
