//! Tools of the documents of one page context, and the calls of them that are under way.

use crate::browser::cdp::connection::{Connection, Session};
use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::injected::model_context_alias;
use crate::browser::page_tools::call_result::{CallEnd, read_response};
use crate::page::json_schema::length::parse_bounded;
use crate::page::page_tool::{FormTool, LONGEST_SCHEMA, MOST_TOOLS, PageTool};
use crate::page::text::quoted;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use tokio::sync::watch;

/// Most tools that are kept of one document, whatever it declares.
const MOST_KEPT: usize = 200;
/// Most frames of a session whose tools are kept beside those of the page itself.
const MOST_FRAMES_WITH_TOOLS: usize = 20;
/// Most frames of a session whose origins are kept.
const MOST_FRAMES: usize = 500;
/// Number of reports about the tools of one document, after which Chromium reports none any more: a page that declares
/// and withdraws tools without end would keep the service busy.
const MOST_REPORTS: usize = 1_000;
/// Responses that are kept until the call that waits for one has its number.
const MOST_RESPONSES: usize = 16;

/// Type of a navigation to a document that Chromium kept, with its tools.
const RESTORED: &str = "BackForwardCacheRestore";

/// Tools of a page context.
#[derive(Debug, Default)]
pub struct PageTools {
    sessions: RefCell<HashMap<String, SessionTools>>,
    calls: watch::Sender<Calls>,
}

/// Tools of the documents of one session.
#[derive(Debug, Default)]
struct SessionTools {
    /// In the order of their declaration.
    declared: Vec<DeclaredTool>,
    /// Origins of the documents by frame.
    origins: HashMap<String, String>,
    /// Frame of the page itself, once it has navigated.
    page_frame: Option<String>,
    /// Number of reports about tools since the page's document began.
    reports: usize,
}

/// A tool as a document declares it.
#[derive(Clone, Debug)]
struct DeclaredTool {
    frame: String,
    name: String,
    /// `None` if it cannot be offered.
    tool: Option<PageTool>,
}

/// The call under way, and the ends of calls that nobody has taken yet.
#[derive(Debug, Default)]
struct Calls {
    pending: Option<PendingCall>,
    ended: VecDeque<(String, CallEnd)>,
}

/// A call of a tool that has not returned.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingCall {
    pub id: String,
    pub tool: String,
    session: String,
    frame: String,
    /// True for a form that is filled in and not sent: it returns when its button is pressed.
    pub waits_for_button: bool,
    /// True once an action ended without its end.
    pub is_late: bool,
}

/// A tool as the planner was shown it.
#[derive(Clone, Copy, Debug)]
pub struct ShownTool<'a> {
    pub name: &'a str,
    /// Digest of its declaration then.
    pub digest: &'a str,
}

/// Tools that a page offers, and the number of those that it declares besides.
#[derive(Debug, Default, PartialEq)]
pub struct OfferedTools {
    pub tools: Vec<PageTool>,
    pub left_out: usize,
}

/// Has Chromium report the tools of a page, before its first script. A Chromium without such tools refuses that.
pub fn watch_tools(session: &Session) {
    session.post(RawCommand::new("WebMCP.enable", json!({})));
    let script = json!({"source": model_context_alias(), "runImmediately": true});
    session.post(RawCommand::new("Page.addScriptToEvaluateOnNewDocument", script));
}

impl PageTools {
    /// Follows what Chromium reports about the tools of a session.
    pub fn handle_event(&self, event: &CdpEvent, connection: &Connection) {
        let session = event.session.as_deref().unwrap_or_default();
        match event.method.as_str() {
            "WebMCP.toolsAdded" | "WebMCP.toolsRemoved" if !self.accepts_report(session, connection) => {}
            "WebMCP.toolsAdded" => self.add_tools(session, event),
            "WebMCP.toolsRemoved" => self.remove_tools(session, event),
            "WebMCP.toolResponded" => {
                self.end_call(event.text("/invocationId"), read_response(&event.params));
            }
            "Page.frameNavigated" => {
                let (frame, origin) = (event.text("/frame/id"), event.text("/frame/securityOrigin"));
                let is_page = event.params.pointer("/frame/parentId").is_none();
                self.forget_document(session, frame, is_page);
                if is_page {
                    self.accept_reports_again(session, connection);
                }
                self.with_session(session, |kept| {
                    if kept.origins.len() < MOST_FRAMES || kept.origins.contains_key(frame) {
                        kept.origins.insert(frame.to_owned(), origin.to_owned());
                    }
                });
                if event.text("/type") == RESTORED {
                    // Chromium reported the tools of this document before, among those of the one that it follows.
                    let session = connection.session(session.to_owned());
                    session.post(RawCommand::new("WebMCP.disable", json!({})));
                    session.post(RawCommand::new("WebMCP.enable", json!({})));
                }
            }
            "Page.frameDetached" => {
                self.forget_document(session, event.text("/frameId"), false);
                self.with_session(session, |kept| kept.origins.remove(event.text("/frameId")));
            }
            "Target.detachedFromTarget" => {
                self.sessions.borrow_mut().remove(event.text("/sessionId"));
            }
            _ => {}
        }
    }

    fn with_session<R>(&self, session: &str, change: impl FnOnce(&mut SessionTools) -> R) {
        change(self.sessions.borrow_mut().entry(session.to_owned()).or_default());
    }

    /// Counts a report about tools. Returns false if there were too many, and has Chromium send no more.
    fn accepts_report(&self, session: &str, connection: &Connection) -> bool {
        let mut reports = 0;
        self.with_session(session, |kept| {
            kept.reports += 1;
            reports = kept.reports;
        });
        if reports == MOST_REPORTS + 1 {
            connection.session(session.to_owned()).post(RawCommand::new("WebMCP.disable", json!({})));
        }
        reports <= MOST_REPORTS
    }

    fn accept_reports_again(&self, session: &str, connection: &Connection) {
        let mut reports = 0;
        self.with_session(session, |kept| reports = std::mem::take(&mut kept.reports));
        if reports > MOST_REPORTS {
            connection.session(session.to_owned()).post(RawCommand::new("WebMCP.enable", json!({})));
        }
    }

    fn add_tools(&self, session: &str, event: &CdpEvent) {
        let added = event.params.pointer("/tools").and_then(Value::as_array);
        self.with_session(session, |kept| {
            for declared in added.into_iter().flatten().filter_map(read_declaration) {
                let is_same =
                    |other: &DeclaredTool| (&other.frame, &other.name) == (&declared.frame, &declared.name);
                match kept.declared.iter().position(is_same) {
                    Some(at) => kept.declared[at] = declared,
                    None if kept.has_room(&declared.frame) => kept.declared.push(declared),
                    None => {}
                }
            }
        });
    }

    fn remove_tools(&self, session: &str, event: &CdpEvent) {
        let removed = event.params.pointer("/tools").and_then(Value::as_array);
        let names: Vec<(&str, &str)> = removed.into_iter().flatten().map(name_and_frame).collect();
        self.with_session(session, |kept| {
            kept.declared.retain(|tool| !names.contains(&(tool.name.as_str(), tool.frame.as_str())));
        });
    }

    /// Forgets the tools of a document that is gone, and ends the call of one. A new document in the page itself takes
    /// its frames with it.
    fn forget_document(&self, session: &str, frame: &str, is_page: bool) {
        self.with_session(session, |kept| {
            kept.declared.retain(|tool| !is_page && tool.frame != frame);
            if is_page {
                kept.origins.clear();
                kept.page_frame = Some(frame.to_owned());
            }
        });
        let pending = self.calls.borrow().pending.clone();
        if let Some(call) = pending.filter(|call| call.session == session && (is_page || call.frame == frame))
        {
            self.end_call(&call.id, CallEnd::DocumentLeft);
        }
    }

    /// Returns the tools of a page: of the document in front, and of frames with the same origin. Of two with the same
    /// name the page's own counts.
    pub fn list(&self, session: &str, main_frame: &str) -> OfferedTools {
        let sessions = self.sessions.borrow();
        let Some(kept) = sessions.get(session) else { return OfferedTools::default() };
        let mut offered = OfferedTools::default();
        for (_, tool) in kept.callable(main_frame) {
            let is_named = |other: &PageTool| other.name == tool.name;
            if offered.tools.len() < MOST_TOOLS && !offered.tools.iter().any(is_named) {
                offered.tools.push(tool.clone());
            }
        }
        offered.left_out = kept.declared.len().saturating_sub(offered.tools.len());
        offered
    }

    /// Starts a call, if the tool still is what the planner was shown.
    pub async fn call(
        &self,
        session: &Session,
        main_frame: &str,
        tool: ShownTool<'_>,
        arguments: &Map<String, Value>,
    ) -> Result<(), PageError> {
        let id = session.id().to_owned();
        let (frame, form) = self.find(&id, main_frame, tool)?;
        self.calls.send_modify(|calls| calls.pending = None);
        let params = json!({"frameId": frame, "toolName": tool.name, "input": arguments});
        let reply = session.call(RawCommand::new("WebMCP.invokeTool", params)).await.map_err(|fault| {
            if fault.code == ErrorCode::Protocol { missing_tool_error(tool.name) } else { fault }
        })?;
        let invocation = reply.pointer("/invocationId").and_then(Value::as_str).unwrap_or_default();
        let pending = PendingCall {
            id: invocation.to_owned(),
            tool: tool.name.to_owned(),
            session: id,
            frame,
            waits_for_button: form.is_some_and(|form| !form.submits),
            is_late: false,
        };
        self.calls.send_modify(|calls| calls.pending = Some(pending));
        Ok(())
    }

    /// Returns the frame of a tool, and the form that it is.
    fn find(
        &self,
        session: &str,
        main_frame: &str,
        ShownTool { name, digest }: ShownTool<'_>,
    ) -> Result<(String, Option<FormTool>), PageError> {
        let sessions = self.sessions.borrow();
        let mut named = sessions
            .get(session)
            .into_iter()
            .flat_map(|kept| kept.callable(main_frame))
            .filter(|(_, tool)| tool.name == name)
            .peekable();
        if named.peek().is_none() {
            return Err(missing_tool_error(name));
        }
        let shown = named.find(|(_, tool)| tool.digest == digest);
        let (frame, tool) = shown.ok_or_else(|| {
            let message = format!(
                "the page declares the tool {} otherwise than it was shown; nothing was called: look again",
                quoted(name)
            );
            PageError::new(ErrorCode::StaleTool, message)
        })?;
        Ok((frame.to_owned(), tool.form))
    }

    /// Returns the call that has not returned.
    pub fn pending(&self) -> Option<PendingCall> {
        self.calls.borrow().pending.clone()
    }

    /// Marks the call as late: its action has ended, and its result will become a note.
    pub fn mark_late(&self) {
        self.calls.send_modify(|calls| {
            if let Some(call) = &mut calls.pending {
                call.is_late = true;
            }
        });
    }

    /// Forgets the call under way: the person declined what it was about to send.
    pub fn forget_call(&self) {
        self.calls.send_modify(|calls| calls.pending = None);
    }

    /// Takes the end of the call under way, if it has ended.
    pub fn take_end(&self) -> Option<(PendingCall, CallEnd)> {
        let mut taken = None;
        self.calls.send_if_modified(|calls| {
            let Some(call) = &calls.pending else { return false };
            let Some(at) = calls.ended.iter().position(|(id, _)| *id == call.id) else { return false };
            let end = calls.ended.remove(at).map(|(_, end)| end);
            calls.ended.clear();
            taken = calls.pending.take().zip(end);
            true
        });
        taken
    }

    /// Waits for the running call to end; returns immediately if none is running.
    pub async fn wait_for_end(&self) {
        let mut calls = self.calls.subscribe();
        let ended = |calls: &Calls| {
            calls.pending.as_ref().is_none_or(|call| calls.ended.iter().any(|(id, _)| *id == call.id))
        };
        let _ = calls.wait_for(ended).await;
    }

    fn end_call(&self, id: &str, end: CallEnd) {
        self.calls.send_modify(|calls| {
            if let Some((_, known)) = calls.ended.iter_mut().find(|(other, _)| other == id) {
                // The document that followed may say what came of it.
                if *known == CallEnd::DocumentLeft && end.has_text() {
                    *known = end;
                }
                return;
            }
            calls.ended.push_back((id.to_owned(), end));
            if calls.ended.len() > MOST_RESPONSES {
                calls.ended.pop_front();
            }
        });
    }
}

impl SessionTools {
    /// Reports whether another tool of a frame is kept. Frames cannot take the room of the page's own tools.
    fn has_room(&self, frame: &str) -> bool {
        let mut others: HashSet<&str> = HashSet::new();
        let mut own = 0;
        for tool in &self.declared {
            if tool.frame == frame {
                own += 1;
            } else if Some(&tool.frame) != self.page_frame.as_ref() {
                others.insert(&tool.frame);
            }
        }
        let is_page = self.page_frame.as_deref() == Some(frame);
        own < MOST_KEPT && (own > 0 || is_page || others.len() < MOST_FRAMES_WITH_TOOLS)
    }

    /// Returns the tools that may be called, with their frames: those of the page before those of its frames.
    fn callable<'a>(&'a self, main_frame: &'a str) -> impl Iterator<Item = (&'a str, &'a PageTool)> {
        let origin = self.origins.get(main_frame).filter(|origin| !is_opaque(origin));
        let is_own = move |frame: &str| frame == main_frame;
        let is_same_origin =
            move |frame: &str| !is_own(frame) && origin.is_some() && self.origins.get(frame) == origin;
        let read = |declared: &'a DeclaredTool| Some((declared.frame.as_str(), declared.tool.as_ref()?));
        let own = self.declared.iter().filter(move |tool| is_own(&tool.frame)).filter_map(read);
        own.chain(self.declared.iter().filter(move |tool| is_same_origin(&tool.frame)).filter_map(read))
    }
}

fn is_opaque(origin: &str) -> bool {
    matches!(origin, "" | "null" | "://")
}

fn missing_tool_error(name: &str) -> PageError {
    let message = format!("the page has no tool {} any more; look again", quoted(name));
    PageError::new(ErrorCode::StaleTool, message)
}

fn name_and_frame(tool: &Value) -> (&str, &str) {
    (tool["name"].as_str().unwrap_or_default(), tool["frameId"].as_str().unwrap_or_default())
}

/// Reads one tool of the event. Its hints are not read: a page may claim anything about itself.
fn read_declaration(tool: &Value) -> Option<DeclaredTool> {
    let (name, frame) = name_and_frame(tool);
    if name.is_empty() || frame.is_empty() {
        return None;
    }
    let text = |field: &str| tool[field].as_str().unwrap_or_default();
    let form = tool.get("backendNodeId").filter(|node| !node.is_null()).map(|_| FormTool {
        submits: tool.pointer("/annotations/autosubmit").and_then(Value::as_bool).unwrap_or_default(),
    });
    let (frame, name) = (frame.to_owned(), name.to_owned());
    // Some versions report the schema as JSON in a text.
    let tool = parse_bounded(&tool["inputSchema"], LONGEST_SCHEMA)
        .and_then(|schema| PageTool::read(&name, text("title"), text("description"), &schema, form));
    Some(DeclaredTool { frame, name, tool })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declare(tools: &PageTools, frame: &str, names: impl Iterator<Item = String>) {
        let listed: Vec<Value> = names
            .map(|name| json!({"name": name, "frameId": frame, "inputSchema": {"type": "object"}}))
            .collect();
        tools.add_tools(
            "s",
            &CdpEvent {
                method: String::from("WebMCP.toolsAdded"),
                session: Some(String::from("s")),
                params: json!({"tools": listed}),
            },
        );
    }

    #[test]
    fn frames_cannot_take_the_room_of_the_pages_own_tools() {
        let tools = PageTools::default();
        tools.forget_document("s", "page", true);
        for frame in 0..40 {
            declare(&tools, &format!("frame{frame}"), (0..MOST_KEPT + 50).map(|n| format!("advert{n}")));
        }
        declare(&tools, "page", std::iter::once(String::from("search")));
        let kept = tools.sessions.borrow()["s"].declared.len();
        assert_eq!(kept, MOST_FRAMES_WITH_TOOLS * MOST_KEPT + 1);
        let offered = tools.list("s", "page");
        assert_eq!(offered.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["search"]);
    }

    #[test]
    fn tools_with_long_schemas_are_not_offered() {
        let long = json!({"type": "object", "title": "x".repeat(LONGEST_SCHEMA)});
        let short = json!({"type": "object"});
        for (schema, offered) in [
            (short.clone(), true),
            (json!(short.to_string()), true),
            (json!("no JSON"), true),
            (long.clone(), false),
            (json!(long.to_string()), false),
        ] {
            let declared = json!({"name": "find", "frameId": "page", "inputSchema": schema});
            let tool = read_declaration(&declared).expect("a declaration").tool;
            assert_eq!(tool.is_some(), offered, "{:.40}", schema.to_string());
        }
    }
}
