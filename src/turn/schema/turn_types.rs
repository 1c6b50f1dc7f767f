//! Types of the turn that is requested from a model. They are never built; only their schemas are generated.
//! Their doc comments become the property descriptions that the model reads.
#![allow(dead_code, reason = "only their schemas are used")]

use crate::turn::action::TabOperation;
use crate::turn::internal_action::{PremoveOperation, TaskOperation};
use schemars::JsonSchema;

#[derive(JsonSchema)]
pub struct AskedTurn {
    status: Status,
    context: AskedContext,
    /// One or two short sentences each.
    thoughts: Vec<AskedThought>,
    step_ref: Option<u32>,
    /// What the page will show if the action works.
    expected_outcome: Option<String>,
    /// 0 to 1.
    confidence: Option<f64>,
    /// True when the work is done or cannot be done.
    stop: bool,
    /// What the person reads: with `stop` the last word, before it only what they should know at once; else null.
    response: Option<String>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    Success,
    Executing,
    Error,
    TaskStarted,
}

#[derive(JsonSchema)]
pub struct AskedContext {
    knowledge_relics: Vec<String>,
    variables: Vec<Variable>,
}

#[derive(JsonSchema)]
pub struct Variable {
    name: String,
    value: String,
}

#[derive(JsonSchema)]
pub struct AskedThought {
    /// PLAN, OBSERVATION, DECISION, ASSUMPTION, or another word.
    r#type: String,
    content: String,
}

#[derive(JsonSchema)]
pub struct AskedCall {
    action_id: Option<String>,
    r#type: Kind,
    execution: Execution,
    depends_on: Option<String>,
    display: Option<Display>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Tool,
    Internal,
    Relic,
    Monument,
}

#[derive(JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Execution {
    Sync,
    Async,
}

#[derive(JsonSchema)]
pub struct Display {
    r#type: DisplayKind,
    label: String,
    estimated_duration_seconds: Option<f64>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisplayKind {
    ProgressBar,
    StatusMessage,
}

/// for back, forward, reload
#[derive(JsonSchema)]
pub struct Nothing {}

/// for navigate
#[derive(JsonSchema)]
pub struct Navigate {
    url: String,
}

/// for click
#[derive(JsonSchema)]
pub struct Click {
    eid: u32,
    button: Option<MouseButton>,
    count: Option<u32>,
    /// Keys held meanwhile.
    modifiers: Option<Vec<HeldKey>>,
    /// Milliseconds between press and release.
    hold_ms: Option<u32>,
}

#[derive(JsonSchema)]
pub enum HeldKey {
    Control,
    Shift,
    Alt,
    Meta,
}

/// for click and hover where there is no element
#[derive(JsonSchema)]
pub struct AtPoint {
    /// In the last picture.
    x: f64,
    y: f64,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MouseButton {
    Left,
    Middle,
    Right,
}

/// for type
#[derive(JsonSchema)]
pub struct Type {
    eid: u32,
    text: String,
    /// Null means true: what stood there goes.
    clear: Option<bool>,
    /// Presses Enter afterwards.
    submit: Option<bool>,
}

/// for type where there is no element
#[derive(JsonSchema)]
pub struct TypeAtPoint {
    /// In the last picture.
    x: f64,
    y: f64,
    text: String,
}

/// for fill
#[derive(JsonSchema)]
pub struct Fill {
    fields: Vec<FilledField>,
    /// Presses Enter in the last text field.
    submit: Option<bool>,
}

/// Element with one of text, option and checked; the others are null.
#[derive(JsonSchema)]
pub struct FilledField {
    eid: u32,
    text: Option<String>,
    option: Option<String>,
    checked: Option<bool>,
}

/// for select
#[derive(JsonSchema)]
pub struct Select {
    eid: u32,
    /// Label or value; a list only where many may be chosen, empty for none of them.
    option: OneOrMany,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// for press
#[derive(JsonSchema)]
pub struct Press {
    /// As Enter or Control+A.
    key: String,
}

/// for hover
#[derive(JsonSchema)]
pub struct Hover {
    eid: u32,
}

/// for drag
#[derive(JsonSchema)]
pub struct Drag {
    from_eid: u32,
    to_eid: u32,
}

/// for drag where there is no element
#[derive(JsonSchema)]
pub struct DragBetweenPoints {
    from: Point,
    to: Point,
}

#[derive(JsonSchema)]
pub struct Point {
    x: f64,
    y: f64,
}

/// for upload
#[derive(JsonSchema)]
pub struct Upload {
    eid: u32,
    /// The name of a file of this run; a list only where many may be given.
    file: OneOrMany,
}

/// for dialog
#[derive(JsonSchema)]
pub struct Dialog {
    accept: bool,
    /// For one that asks for words.
    text: Option<String>,
}

/// for tab
#[derive(JsonSchema)]
pub struct Tab {
    operation: TabOperation,
    /// From 1; null is the one in front.
    tab: Option<u32>,
    /// For a new one.
    url: Option<String>,
}

/// for scroll
#[derive(JsonSchema)]
pub struct Scroll {
    direction: Way,
    /// In pages; null means 1.
    amount: Option<f64>,
    /// A scrollable element; null is the page.
    eid: Option<u32>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    Up,
    Down,
    Left,
    Right,
    Top,
    Bottom,
}

/// for wait
#[derive(JsonSchema)]
pub struct Wait {
    seconds: Option<f64>,
    /// Waits until this shows.
    text: Option<String>,
    /// Waits until this does not show any more.
    gone: Option<String>,
}

/// for find
#[derive(JsonSchema)]
pub struct Find {
    /// Words of a name or text.
    text: String,
    role: Option<String>,
}

/// for extract
#[derive(JsonSchema)]
pub struct Extract {
    /// Null reads the whole page.
    eid: Option<u32>,
    /// JSON Schema of the rows to read out of a table or list, as text.
    schema: Option<String>,
    /// json and csv write the rows into a file.
    r#as: Option<RowsFormat>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowsFormat {
    Text,
    Json,
    Csv,
}

/// for extract of a PDF of this run
#[derive(JsonSchema)]
pub struct ExtractFile {
    /// Its name.
    file: String,
    /// As 1-3.
    pages: Option<String>,
    r#as: Option<PageFormat>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageFormat {
    Text,
    Picture,
}

/// for page_tool
#[derive(JsonSchema)]
pub struct PageTool {
    name: String,
    /// JSON of an object.
    arguments: String,
}

/// for need_user
#[derive(JsonSchema)]
pub struct NeedUser {
    /// What the person must do on the page.
    text: String,
}

/// for ask_user
#[derive(JsonSchema)]
pub struct AskUser {
    question: String,
    answer_key: String,
    options: Option<Vec<String>>,
}

/// for stop
#[derive(JsonSchema)]
pub struct Stop {
    response: Option<String>,
}

/// for task_manager
#[derive(JsonSchema)]
pub struct TaskManager {
    operation: TaskOperation,
    /// Null only to list them all.
    task_id: Option<String>,
}

/// for recall
#[derive(JsonSchema)]
pub struct Recall {
    query: String,
    /// Null means all.
    relics: Option<Vec<String>>,
}

/// for premove
#[derive(JsonSchema)]
pub struct Premove {
    operation: PremoveOperation,
    name: Option<String>,
    /// Whom to call before every plan.
    agent: Option<String>,
    /// JSON of a map.
    params: Option<String>,
}

/// for replan
#[derive(JsonSchema)]
pub struct Replan {
    reason: String,
}
