//! The shapes of bodies, for the OpenAPI document. What is sent is made where it belongs (`run::view`,
//! `run::feed`, …); a test holds every answer against these.
#![allow(dead_code, reason = "only their derive reads them")]

use super::usage::Usage;
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// An error (RFC 9457).
#[derive(ToSchema)]
pub struct Fault {
    r#type: String,
    title: String,
    status: u16,
    /// What is wrong and what to do about it.
    detail: String,
    /// A word that programs may rely on: `unknown_run`, `already_resolved`, …
    code: String,
}

/// A part of a list.
#[derive(ToSchema)]
pub struct Page<T: ToSchema> {
    items: Vec<T>,
    /// For the next part; none if this is the last.
    #[schema(required)]
    cursor: Option<String>,
}

/// A file of a run.
#[derive(ToSchema)]
pub struct RunFile {
    name: String,
    size: u64,
    /// When it came; RFC 3339.
    #[schema(required)]
    at: Option<String>,
}

#[derive(ToSchema)]
pub struct GivenFile {
    /// As it is called here.
    name: String,
    size: u64,
}

/// A file that waits for its run.
#[derive(ToSchema)]
pub struct StagedFile {
    /// Goes into `files` of a new run.
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
    /// Title of the task; the person's own where they gave one.
    title: String,
    /// True where a person gave the title.
    own_title: bool,
    /// True where it is pinned above all others.
    pinned: bool,
    archived: bool,
    /// private or team
    visibility: String,
    /// How many runs stand above it.
    depth: u32,
    /// The version of the agent's file that it keeps: a content hash.
    /// The model that was chosen for it and all below it; none where nobody chose.
    #[schema(required)]
    model: Option<String>,
    #[schema(required)]
    version: Option<String>,
    /// queued, running, waiting, paused, succeeded, partial, failed, skipped, cancelled, denied, blocked, exhausted
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
    /// The reference of the question that it waits for.
    #[schema(required)]
    question: Option<String>,
}

/// A run, whole.
#[derive(ToSchema)]
pub struct Run {
    #[serde(flatten)]
    row: RunRow,
    input: BTreeMap<String, Value>,
    /// What whoever started it keeps with it.
    #[schema(required, value_type = Option<Object>)]
    metadata: Option<Value>,
    #[schema(required)]
    url: Option<String>,
    #[schema(required)]
    final_response: Option<String>,
    vars: BTreeMap<String, Value>,
    /// Of its own model calls.
    usage: Usage,
    /// Of those, and of all runs below it.
    tree_usage: Usage,
    /// Open questions of the run's tree.
    questions: Vec<Question>,
    #[schema(required, value_type = Option<Object>)]
    plan: Option<Value>,
    /// What `agent_orchestrate` carries out, whoever planned it, as soon as that is checked.
    #[schema(required)]
    planned: Option<Vec<Value>>,
    tasks: Vec<Value>,
    lease: Lease,
    /// What the run may use, by the names of the settings; none if its agent is gone.
    #[schema(required, value_type = Option<Object>)]
    limits: Option<Value>,
    last_seq: u64,
}

/// Who has the hands on the page.
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

/// A fact as a frame: `type` and its fields, in one flat object.
#[derive(ToSchema)]
pub struct Fact {
    r#type: String,
    run_id: String,
    root_run_id: String,
    /// 1, 2, 3 … without gaps in each run tree.
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
    /// What may be remembered: once, run, site.
    remember: Vec<String>,
    expires_at: Option<String>,
    on_expire: String,
    run_id: String,
    root_run_id: String,
    /// Its place in the log of facts.
    seq: u64,
    at: String,
}

/// Title and agent of a task.
#[derive(ToSchema)]
pub struct TaskName {
    title: String,
    agent: String,
}

/// A part of the list of open questions.
#[derive(ToSchema)]
pub struct WaitingQuestions {
    items: Vec<Question>,
    /// For the next part; none if this is the last.
    #[schema(required)]
    cursor: Option<String>,
    /// Number of all of them.
    total: u64,
    /// The tasks that these questions belong to, by `root_run_id`.
    tasks: BTreeMap<String, TaskName>,
}

/// The client that an answer came from.
#[derive(ToSchema)]
pub struct Caller {
    /// Made by the client itself; else `token`, or its address.
    id: String,
    /// page, api, mcp, openai, cli
    kind: String,
    #[schema(required)]
    name: Option<String>,
    /// True where it is who asks: the request names itself by `X-Askfirst-Client: page/<id> <name>`.
    you: Option<bool>,
}

/// One of `confirmed`, `text`, `done`.
#[derive(ToSchema)]
pub struct Answer {
    confirmed: Option<bool>,
    /// With `confirmed`: once (as if absent), run, site.
    remember: Option<String>,
    /// With `confirmed: false`: what to do instead.
    comment: Option<String>,
    text: Option<String>,
    done: Option<bool>,
    /// With `done`.
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
    /// llm, python, shell, browser, orchestration; none for lanes
    #[schema(required)]
    executor: Option<String>,
    /// Whether its runs take further messages.
    converses: bool,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
    locals: Vec<Value>,
    /// With `faulty=true`: what is wrong with a file that is no agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    faults: Option<Vec<Value>>,
}

/// What came of a run (document 000).
#[derive(ToSchema)]
pub struct Outcome {
    /// Whether it succeeded.
    ok: bool,
    vars: BTreeMap<String, Value>,
    /// What happened, line by line.
    log: Vec<String>,
    #[schema(required)]
    error: Option<String>,
    run_id: String,
    status: String,
    questions: Vec<Question>,
}

/// What came of a run (document 003).
#[derive(ToSchema)]
pub struct Executed {
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
    created_at: String,
    expires_at: String,
}

#[derive(ToSchema)]
pub struct Revoked {
    id: String,
    revoked: bool,
}

/// A decision; its other fields are those of what was decided.
#[derive(ToSchema)]
pub struct Decision {
    /// Counts up over the whole log.
    id: i64,
    at: String,
    run_id: String,
    /// Title of the task when the row was written.
    #[schema(required)]
    title: Option<String>,
    /// Origin of the page that the question was about.
    #[schema(required)]
    origin: Option<String>,
    /// Values about to be sent, as they were shown: secrets are masked.
    #[schema(required, value_type = Option<Object>)]
    values: Option<Value>,
    /// user, policy, grant
    by: String,
    /// Client that answered.
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
