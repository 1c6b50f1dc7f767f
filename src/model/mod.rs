//! What plans the next step: a model behind an OpenAI-compatible endpoint, or, without one, the
//! command planner, which reads plain orders. Both answer with the same `Turn`, and nothing after
//! them knows which one it was. Planning has no effect outside: dropping its future leaves nothing
//! half done, it only aborts the HTTP request.

mod advice;
mod bounded;
pub mod commands;
pub mod connection;
pub mod endpoint;
mod estimate;
mod items;
pub mod json;
mod kept;
mod ladder;
pub mod openai;
pub mod orchestration;
mod ordered;
mod prompt;
mod reply;
pub mod roles;
pub mod writer;

use crate::config;
use crate::page::Observation;
use crate::plan::Item;
use crate::protocol::Locale;
use crate::turn::Turn;
use crate::turn::tools::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// One piece of a conversation, in order of time. An action and its result are one piece, so that
/// no cut through a long history can part them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    Said {
        by: Speaker,
        text: String,
    },
    Acted {
        turn: Turn,
        results: Vec<ActionResult>,
    },
    /// An ASYNC action of an earlier turn has ended.
    Ended {
        result: ActionResult,
    },
    /// So many of the oldest pieces, told in short (S2.32).
    Summary {
        text: String,
        entries: u64,
    },
    /// What an agent found before a plan was asked for (S4.31): untrusted.
    Premove {
        name: String,
        text: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    Person,
    Agent,
}

/// What became of one action of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionResult {
    pub action_id: String,
    pub action: String,
    pub outcome: Outcome,
    /// What `extract` read, what an agent returned: untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<String>,
    /// What the person answered, in their own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Ok,
    Failed { code: String, message: String },
    Dropped { why: String },
}

/// The failure code of an action whose approval was void because the page had changed under it.
pub const APPROVAL_VOID: &str = "approval_void";
/// The failure code of an action that a crash interrupted between its intent and its receipt.
pub const OUTCOME_UNKNOWN: &str = "outcome_unknown";
/// The failure code of an action without effect on the world that a pause or a crash interrupted.
pub const INTERRUPTED: &str = "interrupted";

/// The failure code of typing a secret that went with the process that knew it.
pub const SECRET_GONE: &str = "secret_gone";
/// The failure code of typing a secret where none is asked for.
pub const SECRET_MISPLACED: &str = "secret_misplaced";

/// All that a planner may know.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanRequest<'a> {
    pub locale: Locale,
    /// The model that the agent's file names.
    pub prefers: Option<&'a Preferred>,
    /// What the agent is for; the same during the whole run.
    pub goal: Option<&'a str>,
    /// Secrets that may be typed by name, each with where; the same during the whole run.
    pub secrets: &'a [String],
    pub history: &'a [Entry],
    pub page: Option<&'a Observation>,
    /// Where only what changed of the page is shown.
    pub since: Option<Since<'a>>,
    /// The screenshot of `page` as JPEG, for agents with `vision` only.
    pub picture: Option<&'a [u8]>,
    /// Names of the actions that this agent may do now.
    pub actions: &'a [&'a str],
    /// Whether it may think once more before it acts (S4.32).
    pub thoughts: bool,
    /// Agents that it may call; the same during the whole run.
    pub tools: &'a [Tool],
    /// The plan that it works at.
    pub plan: Option<PlanView<'a>>,
    /// What the person answered, by its keys.
    pub answers: Option<&'a Map<String, Value>>,
    /// What the conversation remembers (S4.4), for parameters of tools.
    pub variables: Option<&'a Map<String, Value>>,
    /// Names of the run's files, for orders; models are told of them in `notes`.
    pub files: &'a [String],
    /// What the planner must be told besides, as "outcome unknown, look".
    pub notes: &'a [String],
}

/// What an agent's file says of its model; absent: the settings'.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preferred {
    pub model: Option<String>,
    pub temperature: Option<f64>,
}

/// Of a plan, what a turn is planned by (S2.9).
#[derive(Clone, Copy, Debug)]
pub struct PlanView<'a> {
    pub mission: &'a str,
    pub items: &'a [Item],
    /// The position of the one under way.
    pub current: Option<u32>,
}

/// A whole look that was shown earlier, which stays in the request, and what changed since.
#[derive(Clone, Copy, Debug)]
pub struct Since<'a> {
    pub look: &'a Observation,
    /// So much of the history came before it.
    pub at: usize,
    /// Lines as `page::delta` writes them.
    pub changes: &'a str,
}

/// A planner's answer, with what each model call that led to it has cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    pub turn: Turn,
    pub usage: Vec<Usage>,
}

/// What one model call has cost (`usage` of PROTOCOL section 6).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    pub role: String,
    pub model: String,
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// As the endpoint tells it, else by the price table; none where neither does.
    pub cost: Option<f64>,
    /// What the cost is in, where there is one.
    pub currency: Option<String>,
    /// The endpoint does not tell the tokens: they are guessed by the length of what was sent and said.
    #[serde(default)]
    pub estimated: bool,
}

/// Why there is no turn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// The model answered, twice, but not with a turn. Counts as an invalid action.
    #[error("{message}")]
    Invalid { message: String, usage: Vec<Usage> },
    /// There is no answer to be had. Ends the run; the message says what to do, in its language.
    #[error("{message}")]
    Unavailable { message: String, usage: Vec<Usage> },
}

impl PlanError {
    /// The calls that were paid for all the same.
    pub fn usage(&self) -> &[Usage] {
        match self {
            Self::Invalid { usage, .. } | Self::Unavailable { usage, .. } => usage,
        }
    }
}

/// The planner of a run: chosen when the run begins, or is taken up again. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Planner {
    Commands,
    Model(Arc<openai::ModelPlanner>),
}

impl Planner {
    /// A model where one is configured, else plain orders.
    pub fn new(settings: &config::Model) -> Result<Self, endpoint::SetupError> {
        if settings.configured() {
            Ok(Self::Model(Arc::new(openai::ModelPlanner::new(settings)?)))
        } else {
            Ok(Self::Commands)
        }
    }

    /// The word for it in `GET /api/settings`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Model(_) => "model",
        }
    }

    /// The model that plans, if one does.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Commands => None,
            Self::Model(planner) => Some(planner.model()),
        }
    }

    pub async fn plan(&self, request: &PlanRequest<'_>) -> Result<Planned, PlanError> {
        match self {
            Self::Commands => Ok(Planned { turn: commands::plan(request), usage: Vec::new() }),
            Self::Model(planner) => planner.plan(request).await,
        }
    }
}
