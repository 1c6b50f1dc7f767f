//! Page context: an isolated Chromium context with the cookies, storage and tabs of one run tree.
//!
//! New pages attach automatically and pause before their first script until they are set up, so that no
//! dialog of a new pop-up can block anything unseen.

use crate::browser::cdp::connection::{Connection, Session};
use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::cdp::request_policy::PausedRequest;
use crate::browser::config::BrowserConfig;
use crate::browser::downloads::Downloads;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::injected;
use crate::browser::network::chromium_policy::refuse_command;
use crate::browser::network::history::RequestHistory;
use crate::browser::network::interception::{self, ServerCheck};
use crate::browser::network::url_policy::{UrlLimits, UrlPolicy};
use crate::browser::page::frames::sessions;
use crate::browser::page::frames::sessions::FrameSessions;
use crate::browser::page::held_requests::HeldRequests;
use crate::browser::page::open_context;
use crate::browser::page::page_notes::{PageNotes, blocked_request_note};
use crate::browser::page::pending_dialog::PendingDialog;
use crate::browser::page::tab::{PageWaits, Tab};
use crate::browser::page::tab_list::TabList;
use crate::browser::page_tools::registry::{PageTools, watch_tools};
use crate::browser::process::connect::ChromiumConnection;
use crate::browser::sockets::guard::SocketGuard;
use crate::files::RunFiles;
use crate::page::observation::TabTitle;
use chromiumoxide::cdp::browser_protocol::browser::BrowserContextId;
use chromiumoxide::cdp::browser_protocol::emulation::{
    SetDeviceMetricsOverrideParams, SetFocusEmulationEnabledParams, SetUserAgentOverrideParams,
};
use chromiumoxide::cdp::browser_protocol::page::SetInterceptFileChooserDialogParams;
use chromiumoxide::cdp::browser_protocol::target::{
    AttachToTargetParams, CloseTargetParams, CreateTargetParams, DisposeBrowserContextParams,
    GetTargetInfoParams, TargetId,
};
use chromiumoxide::cdp::browser_protocol::{inspector, network, page};
use chromiumoxide::cdp::js_protocol::runtime::RunIfWaitingForDebuggerParams;
use futures_util::future::join_all;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use url::{Origin, Url};

/// Number of times that a page is opened anew if it crashes at once.
const MOST_OPENINGS: usize = 3;
const FIRST_TAB_TIMEOUT: Duration = Duration::from_secs(10);
/// Time after which a tab that neither closes nor asks is closed anyway.
const CLOSING: Duration = Duration::from_secs(3);

/// Page context, shared by a browser actor and its futures on one thread.
#[derive(Debug)]
pub struct PageContext {
    pub connection: Connection,
    /// Addresses that its pages may request, and the secrets of the run.
    pub policy: UrlPolicy,
    pub id: BrowserContextId,
    /// Folder of the lasting profile. The context is then Chromium's default one and is not disposed of.
    pub profile_folder: Option<PathBuf>,
    /// True if pages attach automatically, which is the case in our own Chromium only.
    pub attaches: bool,
    pub viewport: (u32, u32),
    languages: Option<&'static str>,
    load_timeout: Duration,
    /// Frames of all tabs with their own processes.
    pub frame_sessions: Rc<FrameSessions>,
    pub(crate) tabs: TabList,
    /// Cloned for each page that attached and is being set up.
    pages_in_setup: Rc<()>,
    /// Notes for the next observation.
    pub(crate) notes: PageNotes,
    pending_dialog: Rc<PendingDialog>,
    pub downloads: Downloads,
    /// True while an action handles the page's file chooser itself.
    choosing: Cell<bool>,
    /// Requests that wait for a person.
    pub held_requests: Rc<HeldRequests>,
    /// Addresses of messages that left around the guard after an action, until an outcome reports them.
    pub unasked: RefCell<Vec<String>>,
    /// Tools that the pages declare.
    pub(crate) tools: PageTools,
    /// Requests that the pages have sent so far.
    pub(crate) history: RefCell<RequestHistory>,
    /// Requests that pages want to send and that are to be judged, until the actor takes the receiver.
    paused: RefCell<Option<mpsc::UnboundedReceiver<PausedRequest>>>,
}

/// Lets an action handle the page's file chooser until dropped, also when a stopped run drops the action.
pub(in crate::browser) struct ChooserGuard<'a>(&'a Cell<bool>);

impl Drop for ChooserGuard<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl PageContext {
    /// Opens an empty context, or the default one of a profile. `first_tab` opens the first tab.
    pub async fn open(
        chromium: &ChromiumConnection,
        config: &BrowserConfig,
        folder: RunFiles,
        limits: UrlLimits,
    ) -> Result<Self, PageError> {
        let opened = open_context::open(chromium).await?;
        let ChromiumConnection { connection, policy, attaches, profile_folder } = chromium.clone();
        let downloads = Downloads::new(folder);
        let named = Some(opened.id.as_ref()).filter(|_| profile_folder.is_none());
        // Another Chromium may save files on another machine.
        if let Some(command) = downloads.behavior_command(named).filter(|_| attaches) {
            connection.browser().call(command).await?;
        }
        let id = opened.keep();
        let (judged, paused) = mpsc::unbounded_channel();
        let policy = policy.for_context(config.keys.clone(), limits, judged);
        connection.set_context_policy(id.as_ref(), Some(Arc::new(policy.clone())));
        Ok(Self {
            connection,
            policy: policy.urls,
            id,
            profile_folder,
            attaches,
            viewport: config.viewport,
            languages: config.languages,
            load_timeout: config.load_timeout,
            frame_sessions: Rc::new(FrameSessions::new(config.languages, !attaches)),
            tabs: TabList::default(),
            pages_in_setup: Rc::default(),
            notes: PageNotes::default(),
            pending_dialog: Rc::default(),
            downloads,
            choosing: Cell::new(false),
            held_requests: Rc::default(),
            unasked: RefCell::default(),
            tools: PageTools::default(),
            history: RefCell::default(),
            paused: RefCell::new(Some(paused)),
        })
    }

    /// Returns the unanswered dialog of the pages, and the state of leaving one.
    pub fn pending_dialog(&self) -> &PendingDialog {
        &self.pending_dialog
    }

    /// Returns the addresses of messages that left around the guard since the last call.
    pub fn take_unasked(&self) -> Vec<String> {
        self.unasked.take()
    }

    /// Returns the guard of the sockets of pages and workers.
    pub fn sockets(&self) -> &Rc<SocketGuard> {
        &self.frame_sessions.sockets
    }

    /// Sets up a worker that belongs to no page, and lets it run.
    pub fn set_up_worker(&self, session: &Session) {
        self.frame_sessions.set_up_worker(session);
    }

    /// Returns the requests to be judged, once.
    pub(in crate::browser) fn take_paused_requests(&self) -> Option<mpsc::UnboundedReceiver<PausedRequest>> {
        self.paused.take()
    }

    /// Lets an action handle the page's file chooser until the guard is dropped.
    pub(in crate::browser) fn handle_chooser(&self) -> ChooserGuard<'_> {
        self.choosing.set(true);
        ChooserGuard(&self.choosing)
    }

    /// Reports whether an action handles the page's file chooser.
    pub fn handles_chooser(&self) -> bool {
        self.choosing.get()
    }

    /// Returns the context id for CDP commands, which do not name Chromium's default context.
    pub fn context_id_param(&self) -> Option<BrowserContextId> {
        Some(self.id.clone()).filter(|_| self.profile_folder.is_none())
    }

    /// Opens an empty page and waits until the actor has set it up.
    pub async fn first_tab(&self) -> Result<Tab, PageError> {
        for _ in 0..MOST_OPENINGS {
            if let Some(tab) = self.open_tab().await? {
                return Ok(tab);
            }
        }
        Err(PageError::new(ErrorCode::BrowserCrashed, "a new page crashed again and again"))
    }

    /// Opens a page. `None` if it crashed at once: after a crash, Chromium may give a new page a process that died too.
    async fn open_tab(&self) -> Result<Option<Tab>, PageError> {
        let mut command = CreateTargetParams::new("about:blank");
        command.browser_context_id = self.context_id_param();
        if self.tabs.count() == 0 && self.profile_folder.is_none() {
            // Only a new window takes a size; `set_up` sets that of further pages. The window of a page that crashed
            // may still be there, and Chromium would take that one.
            command.new_window = Some(true);
            command.width = Some(i64::from(self.viewport.0));
            command.height = Some(i64::from(self.viewport.1));
        }
        let opening = self.tabs.begin_opening();
        let target = self.connection.browser().call(command).await?.target_id;
        let _opened = opening.with_target(target.as_ref());
        tokio::time::timeout(
            FIRST_TAB_TIMEOUT,
            self.tabs.wait_until(|tabs| tabs.is_settled(target.as_ref())),
        )
        .await
        .map_err(|_| PageError::slow("a new page", FIRST_TAB_TIMEOUT))?;
        if !self.tabs.has(target.as_ref()) {
            self.close_target(target.as_ref());
            return Ok(None);
        }
        self.tabs.show(target.as_ref());
        self.current().map(Some)
    }

    /// Attaches to a page of ours in another Chromium, where pages do not attach automatically.
    pub fn attach(&self, target: &str) {
        let mut command = AttachToTargetParams::new(target.to_owned());
        command.flatten = Some(true);
        self.connection.browser().post(command);
    }

    /// Sets up a page, lets it run and brings it to the front.
    pub async fn set_up_page(&self, target: &str, session: &str, waits: bool) -> Result<Tab, PageError> {
        let (session, frame_sessions) =
            (self.connection.session(session.to_owned()), Rc::clone(&self.frame_sessions));
        let (policy, pending_dialog) = (self.policy.clone(), Rc::clone(&self.pending_dialog));
        let page_waits = PageWaits { dialog: pending_dialog, held: Rc::clone(&self.held_requests) };
        let tab = Tab::new(target, session, policy, self.load_timeout, frame_sessions, page_waits);
        let born = tab.session.listen();
        self.frame_sessions.takeover_script.install(&tab.session);
        self.sockets().install_in_documents(&tab.session);
        watch_tools(&tab.session);
        let Some(_reserved) = self.tabs.reserve(target).await else {
            self.close_target(target);
            return Err(PageError::new(
                ErrorCode::NoPage,
                "the page opens too many windows; the newest was closed",
            ));
        };
        if !self.attaches {
            // In our own Chromium the browser-wide setting pauses requests.
            tab.session.post(interception::pause_requests_command(ServerCheck::ByPause));
        }
        set_up(&tab, self.viewport, self.languages, waits).await?;
        self.tabs.add(tab.clone(), born);
        // A take-over may have begun meanwhile.
        self.frame_sessions.takeover_script.install(&tab.session);
        Ok(tab)
    }

    pub fn close_target(&self, target: &str) {
        self.connection.browser().post(CloseTargetParams::new(target.to_owned()));
    }

    /// Forgets a tab that is gone, and makes the one before it current. Returns true if the tab was ours.
    pub fn drop_tab(&self, target: &str) -> bool {
        let is_ours = self.tabs.remove(target);
        if is_ours {
            self.pending_dialog.forget_target(target);
            self.history.borrow_mut().forget_page(target);
        }
        is_ours
    }

    /// Opens a new page to replace one that cannot be left otherwise.
    pub async fn replace(&self, tab: &Tab) -> Result<Tab, PageError> {
        let fresh = self.first_tab().await?;
        self.close_target(&tab.target);
        self.drop_tab(&tab.target);
        Ok(fresh)
    }

    pub fn current(&self) -> Result<Tab, PageError> {
        let current = self.tabs.borrow().current().cloned();
        current.ok_or_else(|| PageError::new(ErrorCode::NoPage, "no page is open; navigate to one"))
    }

    /// Takes a note of an event that the next observation must show.
    pub fn note_event(&self, event: &CdpEvent) {
        let tab = event.session.as_deref().and_then(|session| self.tabs.find_by_session(session));
        let main = tab.as_ref().map_or("", |tab| tab.target.as_str());
        if let Some(note) = blocked_request_note(event, main, &self.policy) {
            self.notes.add(note);
        }
    }

    /// Empties a page that shows a blocked `blob:` document, which sent no request that could be refused.
    pub fn empty_blocked_page(&self, event: &CdpEvent) {
        let url = event.text("/frame/url");
        let (Some(session), Some(message)) = (&event.session, self.policy.blob_block_message(url)) else {
            return;
        };
        self.notes.add(message);
        let blank = RawCommand::new("Page.navigate", json!({"url": "about:blank"}));
        self.connection.session(session.clone()).post(blank);
    }

    /// Marks a page as being set up until the returned handle is dropped.
    pub fn begin_setup(&self) -> Rc<()> {
        Rc::clone(&self.pages_in_setup)
    }

    pub fn has_pages_in_setup(&self) -> bool {
        Rc::strong_count(&self.pages_in_setup) > 1
    }

    /// Waits until a tab other than `tab` is in front.
    pub async fn wait_for_other_tab(&self, tab: &Tab) {
        self.tabs.wait_until(|tabs| tabs.current().is_none_or(|now| now.target != tab.target)).await;
    }

    /// Brings the tab of this number (from 1) to the front.
    pub async fn switch(&self, number: u32) -> Result<Tab, PageError> {
        let tab = self.find_by_number(number)?;
        self.tabs.show(&tab.target);
        tab.call(page::BringToFrontParams::default()).await?;
        Ok(tab)
    }

    /// Forgets the removed frames of this session, or only the one with this frame id.
    pub fn forget_frames(&self, session: &str, id: Option<&str>) {
        for open in &self.tabs.borrow().open {
            open.tab.frames.forget(session, id);
        }
    }

    /// Returns the tab of this number, or the one in front.
    pub fn to_close(&self, number: Option<u32>) -> Result<Tab, PageError> {
        number.map_or_else(|| self.current(), |number| self.find_by_number(number))
    }

    /// Closes one of several tabs. It comes to the front first, where its leave dialog can be answered.
    pub async fn close_tab(&self, tab: &Tab) -> Result<Tab, PageError> {
        let before = self.current()?;
        self.tabs.show(&tab.target);
        tab.session.post(page::CloseParams::default());
        if !self.is_gone_within(tab, CLOSING).await {
            self.close_target(&tab.target);
            if !self.is_gone_within(tab, FIRST_TAB_TIMEOUT).await {
                return Err(PageError::slow("closing the tab", FIRST_TAB_TIMEOUT));
            }
        }
        self.tabs.show(&before.target);
        self.current()
    }

    async fn is_gone_within(&self, tab: &Tab, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.tabs.wait_until(|tabs| !tabs.has(&tab.target))).await.is_ok()
    }

    /// Begins or ends a take-over: meanwhile the pages report what is typed into secret fields.
    pub fn set_takeover(&self, now: bool) {
        let tabs: Vec<_> = self.tabs.borrow().open.iter().map(|open| open.tab.session.clone()).collect();
        let all = tabs.into_iter().chain(self.frame_sessions.sessions());
        if now {
            self.frame_sessions.takeover_script.begin(all)
        } else {
            self.frame_sessions.takeover_script.end(all)
        }
    }

    fn find_by_number(&self, number: u32) -> Result<Tab, PageError> {
        let tabs = self.tabs.borrow();
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let open = index.and_then(|index| tabs.open.get(index));
        open.map(|open| open.tab.clone()).ok_or_else(|| {
            let message = format!("there is no tab {number}; there are {}, counted from 1", tabs.open.len());
            PageError::new(ErrorCode::NoPage, message)
        })
    }

    /// Returns address and title of the tab in front, from Chromium instead of the page, which may be busy.
    pub async fn read_address(&self) -> Result<(String, String), PageError> {
        self.read_tab_address(&self.current()?).await
    }

    /// Returns the titles of all tabs in order; none if there is only one. Chromium answers at once, whatever the pages
    /// do. A tab that closes meanwhile has none.
    pub async fn read_titles(&self) -> Vec<TabTitle> {
        let tabs: Vec<Tab> = self.tabs.borrow().open.iter().map(|open| open.tab.clone()).collect();
        if tabs.len() < 2 {
            return Vec::new();
        }
        let titles = tabs.iter().map(|tab| self.read_tab_address(tab));
        join_all(titles).await.into_iter().map(|address| title_of_tab(address.unwrap_or_default())).collect()
    }

    pub async fn read_tab_address(&self, tab: &Tab) -> Result<(String, String), PageError> {
        let command = GetTargetInfoParams { target_id: Some(TargetId::new(tab.target.clone())) };
        let info = self.connection.browser().call(command).await?.target_info;
        Ok((info.url, info.title))
    }
}

/// Returns the title of a page. Chromium gives a page without one its address, of which the query may hold a secret.
fn title_of_tab((url, title): (String, String)) -> TabTitle {
    let title = match url.ends_with(title.as_str()) {
        true => title.split(['?', '#']).next().unwrap_or_default().to_owned(),
        false => title,
    };
    let origin = Url::parse(&url).ok().map(|url| url.origin()).filter(Origin::is_tuple);
    TabTitle { title, origin: origin.map(|origin| origin.ascii_serialization()).unwrap_or_default() }
}

/// Sends all commands at once, followed by the start of a paused page. Some are only answered by a running
/// page, but all are executed before its first script.
async fn set_up(
    tab: &Tab,
    (width, height): (u32, u32),
    languages: Option<&str>,
    waits: bool,
) -> Result<(), PageError> {
    // An empty user agent keeps Chromium's own.
    let mut reader = SetUserAgentOverrideParams::new("");
    reader.accept_language = languages.map(str::to_owned);
    let metrics = SetDeviceMetricsOverrideParams::new(i64::from(width), i64::from(height), 1.0, false);
    tokio::try_join!(
        biased;
        tab.call(page::EnableParams::default()),
        tab.call(network::EnableParams::default()),
        tab.call(inspector::EnableParams::default()),
        tab.call(sessions::auto_attach_command()),
        tab.call(injected::guard_command()),
        tab.call(injected::page_script_command()),
        // A native file chooser would be a window that nobody sees.
        tab.call(SetInterceptFileChooserDialogParams::new(true)),
        tab.call(metrics),
        // A page in the background behaves as if in front: carets blink, timers run.
        tab.call(SetFocusEmulationEnabledParams::new(true)),
        async { if languages.is_some() { tab.call(reader).await.map(|_| ()) } else { Ok(()) } },
        async { if waits { tab.call(RunIfWaitingForDebuggerParams::default()).await.map(|_| ()) } else { Ok(()) } },
    )?;
    Ok(())
}

impl PageContext {
    /// Fails what is held. Requests may outlive their page, and Chromium lets them leave when the connection ends.
    fn fail_held_requests(&self) {
        for held in self.held_requests.take_all() {
            if let Some(session) = held.pausing_session(&self.connection) {
                session.post(refuse_command(&held.id, "Aborted"));
            }
        }
    }

    /// Disposes of the context with all its pages; in a lasting profile only closes the pages.
    pub async fn close(&self) {
        self.fail_held_requests();
        if self.profile_folder.is_some() {
            return self.close_tabs();
        }
        let command = DisposeBrowserContextParams::new(self.id.clone());
        if let Err(fault) = self.connection.browser().call(command).await {
            tracing::debug!(%fault, "context was gone already");
        }
    }

    fn close_tabs(&self) {
        for open in &self.tabs.borrow().open {
            self.close_target(&open.tab.target);
        }
    }
}

impl Drop for PageContext {
    fn drop(&mut self) {
        self.fail_held_requests();
        self.connection.set_context_policy(self.id.as_ref(), None);
        if self.profile_folder.is_some() {
            return self.close_tabs();
        }
        self.connection.browser().post(DisposeBrowserContextParams::new(self.id.clone()));
    }
}
