//! Classes of effects, and the properties of an action by which they are recognized.

use crate::gate::host_kinds::HostKind;
use crate::gate::meaning::intent::Intent;
use serde::{Deserialize, Serialize};
use url::Url;

/// Class of an action's effect; the main property by which rules decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Looks and changes nothing.
    Read,
    /// Opens a page.
    Navigate,
    /// Changes only what is shown or typed on the page.
    Input,
    /// Sends a form or makes a change of no more specific class.
    Submit,
    /// Sends or publishes something to others.
    Message,
    /// Spends money, or commits to spending it.
    Purchase,
    /// Deletes something.
    Delete,
    /// Creates or changes an account, or ends its session.
    Account,
    /// Grants access to a person or program.
    Permission,
    /// Reveals a password or identity.
    Credentials,
    Upload,
    Download,
    Shell,
    Python,
    /// Sandboxed code without files, network or variables: a function of its inputs.
    Compute,
    AgentCall,
    /// Calls a tool of another server, with unknown effect.
    Tool,
    Unknown,
}

impl EffectClass {
    /// True if an approval may be remembered. Purchases, credentials and code are asked about each time.
    pub fn may_be_remembered(self) -> bool {
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

    /// Returns the class as rules, events and the audit log name it.
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

    /// True if the action may change the outside world. Such an action is attempted at most once, and has an
    /// intent and a receipt (C11).
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

/// Special traits of effects that rules can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectTrait {
    /// Only the visitor's own cart, list or view.
    Cart,
    /// An executable file or program.
    Executable,
    /// The whole account.
    WholeAccount,
    /// The end of the session.
    SignOut,
    /// Identity from another service ("Sign in with …").
    OtherIdentity,
}

/// Kinds of form fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    Password,
    Card,
    File,
    /// Text for other people.
    Message,
    /// Name, e-mail, telephone number, address.
    Personal,
}

/// Properties of an action that rules can match on.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionProperties {
    pub effect: EffectClass,
    /// Finer meaning of the name, for the sentence shown to people.
    pub intent: Option<Intent>,
    pub effect_trait: Option<EffectTrait>,
    /// Kinds of the fields in the form that would be sent.
    pub fields: Vec<FieldKind>,
    /// Method of the form that would be sent.
    pub method: Option<String>,
    /// Destination, or the current page if there is none.
    pub url: Option<Url>,
    /// Kind of the host of `url`.
    pub host: Option<HostKind>,
    /// True if the destination host is not among the run's hosts.
    pub new_host: bool,
    /// True if data is sent to another origin than the page's.
    pub other_origin: bool,
    /// Origin at which the effect takes place.
    pub origin: String,
    /// Normalized name of the pressed element.
    pub name: String,
}

impl ActionProperties {
    /// Returns the properties of an effect without a page.
    pub fn without_page(effect: EffectClass) -> Self {
        Self {
            effect,
            intent: None,
            effect_trait: None,
            fields: Vec::new(),
            method: None,
            url: None,
            host: None,
            new_host: false,
            other_origin: false,
            origin: String::new(),
            name: String::new(),
        }
    }
}

/// Classification of an action before its destination is known.
#[derive(Clone, Debug)]
pub(crate) struct EffectJudgement {
    pub effect: EffectClass,
    pub intent: Option<Intent>,
    pub effect_trait: Option<EffectTrait>,
    /// True if the target's form is sent.
    pub sends: bool,
}

impl EffectJudgement {
    /// Creates a judgement that sends no form.
    pub fn new(effect: EffectClass, intent: Option<Intent>) -> Self {
        Self { effect, intent, effect_trait: None, sends: false }
    }

    /// Creates a judgement without a finer meaning.
    pub fn plain(effect: EffectClass) -> Self {
        Self::new(effect, None)
    }

    /// Adds a trait that rules can match on.
    pub fn with_trait(mut self, effect_trait: EffectTrait) -> Self {
        self.effect_trait = Some(effect_trait);
        self
    }

    /// Marks that the target's form is sent.
    pub fn sending(mut self) -> Self {
        self.sends = true;
        self
    }
}
