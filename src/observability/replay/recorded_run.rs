//! The recording of a run tree as one JSON document: exported from the store, and read by the replay.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::recordings::{CallRow, CallText};
use crate::store::rows::{ListSettings, RunFilter, RunRow, StepRow};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Limit of the query. No run tree has as many runs.
const MOST: usize = 1_000_000;

/// A recorded run.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    pub row: RunRow,
    pub beginning: Option<Value>,
    pub steps: Vec<StepRow>,
    /// Inputs of each step, by its number.
    pub step_inputs: HashMap<u64, Value>,
    pub calls: Vec<RecordedCall>,
}

/// A recorded model call of a step.
#[derive(Clone, Debug)]
pub struct RecordedCall {
    pub step: u64,
    pub role: String,
    /// Null if only answers are recorded.
    pub request: Value,
    /// `{"answer": …}` or `{"fault": …}`.
    pub result: Value,
}

/// Returns the run and all runs below it, callers first.
pub async fn tree(store: &dyn Store, run: &RunRow) -> Result<Vec<RunRow>, StoreError> {
    let filter = RunFilter { root: Some(run.root.clone()), limit: MOST, ..RunFilter::default() };
    let mut all = store.runs(filter).await?;
    all.sort_by(|a, b| (a.depth, &a.id).cmp(&(b.depth, &b.id)));
    let mut ours = HashSet::from([run.id.clone()]);
    all.retain(|row| {
        let below = row.parent.as_ref().is_some_and(|parent| ours.contains(parent));
        if below {
            ours.insert(row.id.clone());
        }
        below || row.id == run.id
    });
    Ok(all)
}

/// Exports these runs. A text that occurs in several requests is stored once.
pub async fn export(store: &dyn Store, tree: &[RunRow]) -> Result<Value, StoreError> {
    let (mut texts, mut runs) = (Texts::default(), Vec::new());
    for row in tree {
        let id = &row.id;
        let steps: Vec<Value> = store.steps(id.clone()).await?.iter().map(step).collect();
        let step_inputs = store.step_inputs(id.clone()).await?;
        let step_inputs: Vec<Value> =
            step_inputs.into_iter().map(|(step, body)| json!({"step": step, "body": body})).collect();
        let mut calls = Vec::new();
        for entry in store.calls(id.clone()).await? {
            let Some((row, text)) = store.call(id.clone(), entry.n).await? else { continue };
            calls.push(call(&row, text, &mut texts));
        }
        runs.push(json!({
            "row": run(row),
            "beginning": store.initial_state(id.clone()).await?,
            "steps": steps,
            "heard": step_inputs,
            "calls": calls,
        }));
    }
    Ok(json!({"runs": runs, "texts": texts.all}))
}

/// Parses a document. Returns `None` if it has another format.
pub fn read(document: &Value) -> Option<Vec<RecordedRun>> {
    let texts = document["texts"].as_array()?;
    document["runs"].as_array()?.iter().map(|run| parse_run(run, texts)).collect()
}

#[derive(Default)]
struct Texts {
    all: Vec<Value>,
    indexes: HashMap<String, usize>,
}

impl Texts {
    fn intern_text(&mut self, text: Value) -> usize {
        let all = &mut self.all;
        *self.indexes.entry(text.to_string()).or_insert_with(|| {
            all.push(text);
            all.len() - 1
        })
    }
}

fn step(step: &StepRow) -> Value {
    json!({
        "n": step.n, "node": step.node, "outcome": step.outcome, "at": step.at.rfc3339(),
        "took_ms": step.took_ms, "changes": step.changes,
    })
}

fn call(row: &CallRow, text: CallText, texts: &mut Texts) -> Value {
    let messages: Vec<usize> = text.messages.into_iter().map(|message| texts.intern_text(message)).collect();
    let request = (!text.request.is_null()).then(|| texts.intern_text(text.request));
    json!({
        "n": row.n, "step": row.step, "role": row.role, "model": row.model, "at": row.at.rfc3339(),
        "took_ms": row.took_ms, "error": row.error, "dropped": row.dropped, "cost": row.cost,
        "currency": row.currency,
        "tokens": {"input": row.input, "cached": row.cached, "output": row.output},
        "messages": messages, "request": request, "answer": text.answer, "fault": text.fault,
    })
}

fn run(row: &RunRow) -> Value {
    json!({
        "run_id": row.id, "root_run_id": row.root, "parent_run_id": row.parent, "depth": row.depth,
        "agent": row.agent, "version": row.version, "model": row.model, "program": row.program, "title": row.title,
        "input": row.input, "status": row.status, "node": row.node, "response": row.response,
        "vars": row.vars, "url": row.url, "ordinal": row.ordinal, "beyond": row.exceeded_limit,
        "bounds": row.bounds, "plan": row.plan, "progress": row.progress, "cause": row.cause,
        "metadata": row.metadata,
        "steps": row.tool_steps, "last_step": row.last_step,
        "created_at": row.created_at.rfc3339(), "updated_at": row.updated_at.rfc3339(),
        "ended_at": row.ended_at.map(Moment::rfc3339), "deadline": row.deadline.map(Moment::rfc3339),
    })
}

fn parse_run(run: &Value, texts: &[Value]) -> Option<RecordedRun> {
    let list = |name: &str| run[name].as_array();
    Some(RecordedRun {
        row: row(&run["row"])?,
        beginning: Some(run["beginning"].clone()).filter(|state| !state.is_null()),
        steps: list("steps")?.iter().map(step_row).collect::<Option<_>>()?,
        step_inputs: list("heard")?
            .iter()
            .map(|inputs| Some((inputs["step"].as_u64()?, inputs["body"].clone())))
            .collect::<Option<_>>()?,
        calls: list("calls")?
            .iter()
            .filter(|call| call["dropped"] != true)
            .map(|call| parse_call(call, texts))
            .collect::<Option<_>>()?,
    })
}

fn step_row(step: &Value) -> Option<StepRow> {
    Some(StepRow {
        n: step["n"].as_u64()?,
        node: text(&step["node"])?,
        outcome: text(&step["outcome"])?,
        at: moment(&step["at"])?,
        took_ms: step["took_ms"].as_u64()?,
        changes: step["changes"].clone(),
    })
}

fn parse_call(call: &Value, texts: &[Value]) -> Option<RecordedCall> {
    let at = |index: &Value| texts.get(usize::try_from(index.as_u64()?).ok()?).cloned();
    let mut request = if call["request"].is_null() { Value::Null } else { at(&call["request"])? };
    if let Value::Object(members) = &mut request {
        let messages = call["messages"].as_array()?.iter().map(at).collect::<Option<Vec<Value>>>()?;
        members.insert(String::from("messages"), Value::Array(messages));
    }
    let result = if call["fault"].is_null() {
        json!({"answer": call["answer"]})
    } else {
        json!({"fault": call["fault"]})
    };
    Some(RecordedCall { step: call["step"].as_u64()?, role: text(&call["role"])?, request, result })
}

fn row(row: &Value) -> Option<RunRow> {
    let id = |name: &str| text(&row[name]).map(RunId::from);
    let some = |name: &str| Some(row[name].clone()).filter(|value| !value.is_null());
    let number = |name: &str| row[name].as_u64();
    Some(RunRow {
        id: id("run_id")?,
        root: id("root_run_id")?,
        parent: id("parent_run_id"),
        depth: u32::try_from(number("depth")?).ok()?,
        agent: text(&row["agent"])?,
        program: text(&row["program"])?,
        title: text(&row["title"])?,
        input: members(&row["input"]),
        status: text(&row["status"])?,
        node: text(&row["node"])?,
        question: None,
        created_at: moment(&row["created_at"])?,
        updated_at: moment(&row["updated_at"])?,
        ended_at: moment(&row["ended_at"]),
        response: text(&row["response"]),
        vars: members(&row["vars"]),
        tool_steps: u32::try_from(number("steps")?).ok()?,
        last_step: number("last_step")?,
        usage: Default::default(),
        url: text(&row["url"]),
        version: text(&row["version"]),
        model: text(&row["model"]),
        ordinal: number("ordinal")?,
        exceeded_limit: number("beyond"),
        bounds: row["bounds"].clone(),
        deadline: moment(&row["deadline"]),
        plan: some("plan"),
        progress: row["progress"].as_f64(),
        cause: some("cause"),
        metadata: some("metadata"),
        list_settings: ListSettings::default(),
    })
}

fn members(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn moment(value: &Value) -> Option<Moment> {
    Moment::from_rfc3339(value.as_str()?)
}
