//! Schemas of bodies, for the OpenAPI document. The values are built elsewhere (`registry::view`, `registry::feed`, …);
//! a test checks every response against these schemas.
#![allow(dead_code, reason = "only their derive reads them")]

use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// An error (RFC 9457).
#[derive(ToSchema)]
pub struct Fault {
    r#type: String,
    title: String,
    status: u16,
    /// The error and what to do about it.
    detail: String,
    /// Stable code for programs: `unknown_run`, `already_resolved`, …
    code: String,
}

/// A page of a list.
#[derive(ToSchema)]
pub struct Page<T: ToSchema> {
    items: Vec<T>,
    /// Cursor of the next page; null on the last page.
    #[schema(required)]
    cursor: Option<String>,
}

/// A file of a run.
#[derive(ToSchema)]
pub struct RunFile {
    name: String,
    size: u64,
    /// Time of its arrival, RFC 3339.
    #[schema(required)]
    at: Option<String>,
}

#[derive(ToSchema)]
pub struct GivenFile {
    /// Name under which it is stored.
    name: String,
    size: u64,
}

/// An uploaded file that no run has taken yet.
#[derive(ToSchema)]
pub struct StagedFile {
    /// Id to pass in `files` of a new run.
    id: String,
    name: String,
    size: u64,
}

#[derive(ToSchema)]
pub struct Started {
    run_id: String,
    status: String,
}

/// A run in a list.
#[derive(ToSchema)]
pub struct RunRow {
    run_id: String,
    root_run_id: String,
    #[schema(required)]
    parent_run_id: Option<String>,
    agent: String,
    /// Title of the task; the person's own if they gave one.
    title: String,
    /// True if a person gave the title.
    own_title: bool,
    /// True if the task is pinned above all others.
    pinned: bool,
    archived: bool,
    /// private or team
    visibility: String,
    /// Number of runs above it in its tree.
    depth: u32,
    /// Model chosen for this run and all runs below it; null if none was chosen. `version` is the content
    /// hash of the agent's file that the run uses.
    #[schema(required)]
    model: Option<String>,
    #[schema(required)]
    version: Option<String>,
    /// queued, running, waiting, paused, succeeded, partial, failed, skipped, cancelled, denied, blocked,
    /// exhausted
    status: String,
    node: String,
    created_at: String,
    updated_at: String,
    #[schema(required)]
    ended_at: Option<String>,
    #[schema(required)]
    outcome: Option<String>,
    steps: u32,
    tokens: u64,
    /// Reference of the question that the run waits for.
    #[schema(required)]
    question: Option<String>,
}

/// A run with all its data.
#[derive(ToSchema)]
pub struct Run {
    #[serde(flatten)]
    row: RunRow,
    input: BTreeMap<String, Value>,
    /// Object that was passed when the run was started.
    #[schema(required, value_type = Option<Object>)]
    metadata: Option<Value>,
    #[schema(required)]
    url: Option<String>,
    #[schema(required)]
    final_response: Option<String>,
    vars: BTreeMap<String, Value>,
    /// Model usage of the run itself.
    usage: Usage,
    /// Model usage of the run and all runs below it.
    tree_usage: Usage,
    /// Open questions of the run's tree.
    questions: Vec<Question>,
    #[schema(required, value_type = Option<Object>)]
    plan: Option<Value>,
    /// Plan that `agent_orchestrate` carries out, whoever made it; set once the plan has been checked.
    #[schema(required)]
    planned: Option<Vec<Value>>,
    tasks: Vec<Value>,
    lease: Lease,
    /// Limits of the run by the names of the settings; null if its agent no longer exists.
    #[schema(required, value_type = Option<Object>)]
    limits: Option<Value>,
    last_seq: u64,
}

/// The session of the person who controls the page.
#[derive(ToSchema)]
pub struct Lease {
    #[schema(required)]
    holder: Option<String>,
}

#[derive(ToSchema)]
pub struct TraceStep {
    n: u64,
    node: String,
    outcome: String,
    at: String,
    took_ms: u64,
    changes: Value,
}

/// An event as a frame: `type` and its fields in one flat object.
#[derive(ToSchema)]
pub struct Fact {
    r#type: String,
    run_id: String,
    root_run_id: String,
    /// Counts from 1 without gaps within a run tree.
    seq: u64,
    at: String,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

/// A question, with the fields of the `agent_question` frame.
#[derive(ToSchema)]
pub struct Question {
    r#type: String,
    reference: String,
    /// confirm, manual, question, approve_plan, budget
    kind: String,
    reason: String,
    text: String,
    payload: Value,
    /// Scopes that may be remembered: once, run, site.
    remember: Vec<String>,
    expires_at: Option<String>,
    on_expire: String,
    run_id: String,
    root_run_id: String,
    /// Its position in the event log.
    seq: u64,
    at: String,
}

/// Title and agent of a task.
#[derive(ToSchema)]
pub struct TaskName {
    title: String,
    agent: String,
}

/// A page of the list of open questions.
#[derive(ToSchema)]
pub struct WaitingQuestions {
    items: Vec<Question>,
    /// Cursor of the next page; null on the last page.
    #[schema(required)]
    cursor: Option<String>,
    /// Total number of open questions.
    total: u64,
    /// Tasks that these questions belong to, by `root_run_id`.
    tasks: BTreeMap<String, TaskName>,
}

/// The client that an answer came from.
#[derive(ToSchema)]
pub struct Caller {
    /// Id that the client chose; else `token`, or its address.
    id: String,
    /// page, api, mcp, openai, cli
    kind: String,
    #[schema(required)]
    name: Option<String>,
    /// True if it is the client of this request, which names itself by `X-Askfirst-Client: page/<id> <name>`.
    you: Option<bool>,
}

/// An answer: one of `confirmed`, `text`, `done`.
#[derive(ToSchema)]
pub struct Answer {
    confirmed: Option<bool>,
    /// With `confirmed`: once (the default), run, site.
    remember: Option<String>,
    /// With `confirmed: false`: what to do instead.
    comment: Option<String>,
    text: Option<String>,
    done: Option<bool>,
    /// With `done`: a message for the agent.
    message: Option<String>,
}

#[derive(ToSchema)]
pub struct Resolved {
    reference: String,
    #[schema(required)]
    run_id: Option<String>,
    by: String,
    client: Caller,
    answer: Answer,
}

#[derive(ToSchema)]
pub struct Agent {
    name: String,
    title_ua: String,
    title_en: String,
    description_ua: String,
    description_en: String,
    /// atomic or composite
    kind: String,
    /// llm, python, shell, browser, orchestration; null for lanes
    #[schema(required)]
    executor: Option<String>,
    /// True if its runs take further messages.
    converses: bool,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
    locals: Vec<Value>,
    /// With `faulty=true`: errors of a file that is not a valid agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    faults: Option<Vec<Value>>,
}

/// Result of a run: outputs, log and error.
#[derive(ToSchema)]
pub struct Outcome {
    /// True if the run succeeded.
    ok: bool,
    vars: BTreeMap<String, Value>,
    /// Events of the run, one line each.
    log: Vec<String>,
    #[schema(required)]
    error: Option<String>,
    run_id: String,
    status: String,
    questions: Vec<Question>,
}

/// Execution of an agent: input, outputs and times of a run.
#[derive(ToSchema)]
pub struct ExecutionRecord {
    exec_id: String,
    run_id: String,
    #[schema(required)]
    parent_exec_id: Option<String>,
    agent_id: String,
    status: String,
    success: bool,
    input: BTreeMap<String, Value>,
    outputs: BTreeMap<String, Value>,
    #[schema(required, value_type = Option<Object>)]
    error: Option<Value>,
    questions: Vec<Question>,
    created_at: String,
    #[schema(required)]
    ended_at: Option<String>,
}

/// A permission that a person gave.
#[derive(ToSchema)]
pub struct Grant {
    id: String,
    /// run or site
    scope: String,
    #[schema(required)]
    run_id: Option<String>,
    #[schema(required)]
    origin: Option<String>,
    rule: String,
    /// Scope: `origin`, `method`, `path`, `fields`, `role`; null for one that covers nothing any more.
    #[schema(required)]
    covers: Option<serde_json::Value>,
    created_at: String,
    expires_at: String,
}

#[derive(ToSchema)]
pub struct Revoked {
    id: String,
    revoked: bool,
}

/// A decision; its other fields depend on what was decided.
#[derive(ToSchema)]
pub struct Decision {
    /// Counts up over the whole log.
    id: i64,
    at: String,
    run_id: String,
    /// Title of the task when the decision was logged.
    #[schema(required)]
    title: Option<String>,
    /// Origin of the page that the question was about.
    #[schema(required)]
    origin: Option<String>,
    /// Values about to be sent, as they were shown: secrets are masked.
    #[schema(required, value_type = Option<Object>)]
    values: Option<Value>,
    /// user, client:<name>, policy, grant; approval for a request that was approved before it left
    by: String,
    /// The client that answered.
    #[schema(required)]
    client: Option<Caller>,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

#[derive(ToSchema)]
pub struct SchemaRow {
    name: String,
    url: String,
}

#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct Usage {
    model_calls: u64,
    /// Number of calls whose price is unknown.
    unpriced_calls: u64,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    /// Cost of the other calls, in the currency of the settings; null if there were calls but no price is
    /// known.
    #[schema(required)]
    cost: Option<f64>,
}

/// Model usage of an agent's own runs.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct AgentUsage {
    agent: String,
    runs: u64,
    usage: Usage,
}

/// Model usage of all agents.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct UsageByAgent {
    /// Currency of all costs.
    currency: String,
    items: Vec<AgentUsage>,
    total: Usage,
    #[schema(required)]
    cursor: Option<String>,
}
