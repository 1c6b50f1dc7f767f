//! A page: CDP calls on its session, and scripts in an isolated world that the page cannot see.
//!
//! The world "askfirst" belongs to one document. It is created when first needed after a navigation, and a
//! script that loses its document is run again in the next one. Frames that scripts cannot access have worlds
//! of their own: `frame_of_element` returns the one that holds an element.

use crate::browser::cdp::connection::{PendingReply, Session};
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::injected;
use crate::browser::network::url_policy::UrlPolicy;
use crate::browser::page::frames::frame_tree;
use crate::browser::page::frames::frame_tree::{Frame, Frames, ScriptState};
use crate::browser::page::frames::sessions::FrameSessions;
use crate::browser::page::held_requests::HeldRequests;
use crate::browser::page::pending_dialog::PendingDialog;
use actix_web::web::Bytes;
use base64::Engine;
use chromiumoxide::cdp::browser_protocol::page::{
    BringToFrontParams, CaptureScreenshotFormat, CaptureScreenshotParams, CreateIsolatedWorldParams, FrameId,
};
use chromiumoxide::cdp::js_protocol::runtime::{
    EvaluateParams, ExecutionContextId, TerminateExecutionParams,
};
use chromiumoxide::types::Command;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Bounds of the time limit for a reply. A page that takes longer is stuck in its own scripts; with a shorter
/// limit, our own scripts could be the cause.
const MIN_REPLY_TIMEOUT: Duration = Duration::from_secs(4);
const MAX_REPLY_TIMEOUT: Duration = Duration::from_secs(12);
/// JPEG quality of the pictures that are stored with looks.
pub const SCREENSHOT_QUALITY: i64 = 60;
/// Limit for a page that did not answer before, or that only has to answer.
const SHORT: Duration = Duration::from_secs(1);
const NEW_DOCUMENT_TRIES: u32 = 4;

/// A page or one of its frames. Clones share their state. Lives on the thread of its browser actor.
#[derive(Clone, Debug)]
pub struct Tab {
    pub target: String,
    /// Session of the page, or of the frame's own process.
    pub session: Session,
    pub policy: UrlPolicy,
    pub(crate) scripts: Rc<ScriptState>,
    reply_timeout: Duration,
    /// Frame that this handle is for; `None` for the page itself.
    frame: Option<Rc<Frame>>,
    /// All frames of the page.
    pub frames: Rc<Frames>,
    waits: PageWaits,
    /// True if the page changed between the text and the picture of the last observation.
    pub(crate) restless: Rc<Cell<bool>>,
    /// Number of documents since the first.
    documents: Rc<Cell<u32>>,
}

/// Waits of a page: for the answer to a dialog, or to a question about a request.
#[derive(Clone, Debug, Default)]
pub struct PageWaits {
    pub dialog: Rc<PendingDialog>,
    pub held: Rc<HeldRequests>,
}

impl Tab {
    pub fn new(
        target: impl Into<String>,
        session: Session,
        policy: UrlPolicy,
        load_timeout: Duration,
        frame_sessions: Rc<FrameSessions>,
        waits: PageWaits,
    ) -> Self {
        let reply_timeout = load_timeout.clamp(MIN_REPLY_TIMEOUT, MAX_REPLY_TIMEOUT);
        let (scripts, restless, documents) = Default::default();
        let frames = Rc::new(Frames::new(frame_sessions));
        let target = target.into();
        Self {
            target,
            session,
            policy,
            scripts,
            reply_timeout,
            frame: None,
            frames,
            waits,
            restless,
            documents,
        }
    }

    /// Returns the handle for a frame of this page.
    pub(crate) fn for_frame(&self, frame: Rc<Frame>) -> Self {
        Self {
            target: self.target.clone(),
            session: frame.session.clone(),
            policy: self.policy.clone(),
            scripts: Rc::clone(&frame.scripts),
            reply_timeout: MIN_REPLY_TIMEOUT,
            frame: Some(frame),
            frames: Rc::clone(&self.frames),
            waits: self.waits.clone(),
            restless: Rc::clone(&self.restless),
            documents: Rc::clone(&self.documents),
        }
    }

    pub fn is_frame(&self) -> bool {
        self.frame.is_some()
    }

    /// Returns the frame; `None` for the page itself.
    pub(crate) fn frame(&self) -> Option<Rc<Frame>> {
        self.frame.clone()
    }

    /// Returns the frame id. The id of the main frame equals the target id.
    pub(crate) fn frame_id(&self) -> FrameId {
        FrameId::new(self.frame.as_ref().map_or_else(|| self.target.clone(), |frame| frame.id.clone()))
    }

    /// Sends a command and waits for the reply, or until a dialog opens: that is an error.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Response, PageError> {
        let timeout = if self.scripts.silent.get() { SHORT } else { self.reply_timeout };
        let before = self.documents.get();
        let answer = match self.waits.dialog.for_target(&self.target) {
            Some(held) => Err(PageError::dialog_open(&held.dialog)),
            // A page with an open dialog answers nothing.
            None => tokio::select! {
                biased;
                answer = self.session.send(command, timeout) => answer,
                held = self.waits.dialog.wait_for_target(&self.target) => Err(PageError::dialog_open(&held.dialog)),
            },
        };
        let silent = answer.as_ref().is_err_and(|fault| fault.code == ErrorCode::Timeout);
        self.scripts.silent.set(silent);
        match (silent, &self.frame) {
            (false, None) => answer,
            (false, Some(_)) => answer
                .map_err(|fault| if fault.is_lost_frame() { frame_tree::frame_gone_error() } else { fault }),
            // Each new document took the pending query of the previous one with it.
            (true, None) if self.documents.get() > before + 1 => Err(PageError::documents_keep_changing()),
            (true, None) => Err(PageError::unresponsive(timeout)),
            (true, Some(_)) => Err(frame_tree::frame_timeout_error(timeout)),
        }
    }

    /// Reports whether the page has a dialog open.
    pub fn has_dialog_open(&self) -> bool {
        self.waits.dialog.for_target(&self.target).is_some()
    }

    /// Reports whether the page waits for an answer, to a dialog or about a request.
    pub(crate) fn waits_for_answer(&self) -> bool {
        self.has_dialog_open() || !self.waits.held.is_empty()
    }

    /// Reports whether the page answers within a second.
    pub async fn is_responsive(&self) -> bool {
        let reply = self.session.send(EvaluateParams::new("1"), SHORT).await;
        let silent = reply.is_err_and(|fault| fault.code == ErrorCode::Timeout);
        self.scripts.silent.set(silent);
        !silent
    }

    /// Terminates the page's running scripts. Returns true if the page answers again.
    pub async fn stop_scripts(&self) -> bool {
        self.session.post(TerminateExecutionParams::default());
        // A click that a frame does not answer blocks the page too.
        for frame in self.frames.sessions() {
            frame.post(TerminateExecutionParams::default());
        }
        self.is_responsive().await
    }

    /// Records that the page has navigated to another document.
    pub fn handle_navigation(&self) {
        self.documents.set(self.documents.get().saturating_add(1));
        self.forget_world();
    }

    /// Brings the page to the front of its window.
    pub fn bring_to_front(&self) {
        self.session.post(BringToFrontParams::default());
    }

    /// Forgets the isolated world, because there is another document.
    pub fn forget_world(&self) {
        self.scripts.world.set(None);
        self.scripts.frames_hold_secrets.set(false);
        self.restless.set(false);
    }

    /// Calls the page script, as in `observe({...})`. A reply of `{error: {code, message}}` becomes an error.
    pub async fn call_script<T: DeserializeOwned>(&self, call: &str) -> Result<T, PageError> {
        self.run(&format!("askfirst.{call}")).await
    }

    /// Calls a function of the page script that does what a person's click or key may do, such as opening a window or
    /// playing media. Chromium tells each frame of such a call, which takes time on pages with many.
    pub async fn act_by_script<T: DeserializeOwned>(&self, call: &str) -> Result<T, PageError> {
        self.evaluate_anew(&format!("askfirst.{call}"), true).await
    }

    /// Evaluates an expression in the isolated world. Retried if its document goes away, so it must be safe
    /// to run twice.
    pub async fn run<T: DeserializeOwned>(&self, expression: &str) -> Result<T, PageError> {
        self.evaluate_anew(expression, false).await
    }

    async fn evaluate_anew<T: DeserializeOwned>(
        &self,
        expression: &str,
        as_person: bool,
    ) -> Result<T, PageError> {
        let mut tries = NEW_DOCUMENT_TRIES;
        loop {
            match self.evaluate_once(expression, as_person).await {
                Err(fault) if fault.is_lost_document() => {
                    tries -= 1;
                    self.forget_world();
                    if tries == 0 {
                        return Err(PageError::documents_keep_changing());
                    }
                }
                result => return result,
            }
        }
    }

    pub async fn run_once<T: DeserializeOwned>(&self, expression: &str) -> Result<T, PageError> {
        self.evaluate_once(expression, false).await
    }

    async fn evaluate_once<T: DeserializeOwned>(
        &self,
        expression: &str,
        as_person: bool,
    ) -> Result<T, PageError> {
        let world = self.world().await?;
        read_reply(self.evaluate(world, expression, as_person).await?)
    }

    /// Ensures that the isolated world exists, so that the next script takes one round trip.
    pub async fn ensure_world(&self) -> Result<(), PageError> {
        for _ in 1..NEW_DOCUMENT_TRIES {
            match self.world().await {
                Err(fault) if fault.is_lost_document() => self.forget_world(),
                result => return result.map(|_| ()),
            }
        }
        self.world().await.map(|_| ())
    }

    pub(crate) async fn world(&self) -> Result<ExecutionContextId, PageError> {
        if let Some(world) = self.scripts.world.get() {
            return Ok(world);
        }
        let mut command = CreateIsolatedWorldParams::new(self.frame_id());
        command.world_name = Some(injected::WORLD.to_owned());
        let world = self.call(command).await?.execution_context_id;
        let is_installed =
            !self.is_frame() && self.evaluate(world, injected::IS_INSTALLED, false).await? == true;
        if !is_installed {
            self.evaluate(world, &injected::INSTALL, false).await?;
        }
        self.scripts.world.set(Some(world));
        if self.frame.is_none() {
            self.frames.set_document(world);
        }
        Ok(world)
    }

    /// Takes a JPEG screenshot of the page.
    pub async fn take_screenshot(&self, quality: i64) -> Result<Bytes, PageError> {
        let command = CaptureScreenshotParams {
            format: Some(CaptureScreenshotFormat::Jpeg),
            quality: Some(quality),
            ..Default::default()
        };
        decode_base64(self.call(command).await?.data.as_ref())
    }

    /// Calls the page script without waiting, if the isolated world exists.
    pub(crate) fn post_call(&self, call: &str) {
        if let Some(world) = self.scripts.world.get() {
            let mut command = EvaluateParams::new(format!("askfirst.{call}"));
            command.context_id = Some(world);
            self.session.post(command);
        }
    }

    /// Calls a function of the page script whose reply may take as long as it likes; `None` if it cannot be called now.
    pub(crate) fn begin_call(&self, call: &str) -> Option<PendingReply> {
        let mut command = EvaluateParams::new(format!("askfirst.{call}"));
        command.context_id = Some(self.scripts.world.get()?);
        command.await_promise = Some(true);
        self.session.begin(command).ok()
    }

    /// Evaluates an expression in the isolated world and returns the id of the resulting object.
    pub(crate) async fn object(&self, expression: &str) -> Result<String, PageError> {
        let mut command = EvaluateParams::new(expression);
        command.context_id = Some(self.world().await?);
        let object = self.call(command).await?.result.object_id;
        object.map(String::from).ok_or_else(frame_tree::frame_gone_error)
    }

    /// Evaluates an expression; with `as_person` as if a person had just clicked.
    async fn evaluate(
        &self,
        world: ExecutionContextId,
        expression: &str,
        as_person: bool,
    ) -> Result<Value, PageError> {
        let mut command = EvaluateParams::new(expression);
        command.context_id = Some(world);
        command.await_promise = Some(true);
        command.return_by_value = Some(true);
        command.user_gesture = Some(as_person);
        let answer = self.call(command).await?;
        match answer.exception_details {
            None => Ok(answer.result.value.unwrap_or_default()),
            Some(details) => {
                let text = details.exception.and_then(|thrown| thrown.description).unwrap_or(details.text);
                Err(PageError::new(ErrorCode::Protocol, format!("the page script failed: {text}")))
            }
        }
    }
}

fn read_reply<T: DeserializeOwned>(value: Value) -> Result<T, PageError> {
    if let Some(fault) = named_fault(&value) {
        return Err(fault);
    }
    T::deserialize(value).map_err(|fault| {
        PageError::new(ErrorCode::Protocol, format!("the reply of the page script cannot be parsed: {fault}"))
    })
}

fn named_fault(value: &Value) -> Option<PageError> {
    let error = value.get("error")?;
    let code = error.get("code")?.as_str()?;
    let message = error.get("message")?.as_str()?;
    Some(PageError::new(ErrorCode::from_word(code), message))
}

pub fn decode_base64(base64: &str) -> Result<Bytes, PageError> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(base64);
    bytes
        .map(Bytes::from)
        .map_err(|fault| PageError::new(ErrorCode::Protocol, format!("the picture is not base64: {fault}")))
}
