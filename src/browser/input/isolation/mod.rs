//! Input isolation: keeps input meant for one document away from documents of other sites. Frames of other sites are shut
//! while an action sends input, also those that are created or reloaded meanwhile (`injected/input_guard.js`). Otherwise
//! a frame could move under the pointer between aiming and pressing, or take the focus during typing.

mod frame_documents;

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::isolation::frame_documents::{
    FrameDocument, GuardWorld, list_documents, list_documents_within, resolve_inherited_origins,
};
use crate::browser::page::tab::Tab;
use crate::clock::Stopwatch;
use futures_util::StreamExt;
use futures_util::future::{Either, join, join_all, select};
use futures_util::stream::FuturesUnordered;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// Maximum number of frames of other sites; no honest page has more.
const MOST_FOREIGN_FRAMES: usize = 200;
/// Milliseconds after which frames open by themselves, should the command to open them get lost.
const SHUT_LEASE_MS: u32 = 30_000;
/// Milliseconds after an approach in which the page counts as unchanged; frames that do not answer delay the input.
const MAX_APPROACH_AGE_MS: u64 = 50;
/// Time between two renewals of the lease.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(10);
/// Time between two looks for new documents. Together with `LOOK_TIMEOUT` less than `NEW_FOR` of the guard, for which a
/// new document is shut by itself.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// A session that does not answer a look receives no input either, and is asked again at the next one.
const LOOK_TIMEOUT: Duration = Duration::from_millis(100);

/// Sends input while only `targets`, their ancestors and documents of their origins receive it. `what` names the input
/// in messages. Fails if a frame of another site was about to receive some of it.
pub async fn send_isolated<T>(
    page: &Tab,
    targets: &[Tab],
    what: &str,
    sending: impl Future<Output = Result<T, PageError>>,
) -> Result<T, PageError> {
    InputIsolation::begin(page, targets).await?.send(what, sending).await
}

/// Like [`send_isolated`], for input that needs an approach, such as finding the element and moving the pointer there,
/// which frames may notice: it is made while they are being shut, and again if that took long.
pub async fn send_isolated_after<A, T>(
    page: &Tab,
    targets: &[Tab],
    what: &str,
    approach: impl AsyncFn() -> Result<A, PageError>,
    sending: impl AsyncFnOnce(A) -> Result<T, PageError>,
) -> Result<T, PageError> {
    let (begin, approaching) = (pin!(InputIsolation::begin(page, targets)), pin!(approach()));
    let (isolation, approaching) = match select(begin, approaching).await {
        Either::Left((isolation, approaching)) => (isolation?, Either::Left(approaching)),
        Either::Right((found, begin)) => {
            let since = Stopwatch::start();
            let isolation = begin.await?;
            let recent = (since.millis() <= MAX_APPROACH_AGE_MS).then_some(found);
            let approach = &approach;
            let found = async move {
                match recent {
                    Some(found) => found,
                    None => approach().await,
                }
            };
            (isolation, Either::Right(found))
        }
    };
    isolation.send(what, async { sending(approaching.await?).await }).await
}

/// Documents that may receive the input.
struct Recipients {
    /// The page, and the ancestors of the targets.
    open_frames: HashSet<String>,
    /// Frames of the targets, with the origins that they had before the input; `None` where it is unknown.
    targets: HashMap<String, Option<String>>,
}

impl Recipients {
    fn new(page: &Tab, targets: &[Tab], documents: &[FrameDocument]) -> Self {
        let frame_id = |target: &Tab| target.frame().map_or_else(|| page.target.clone(), |it| it.id.clone());
        let origin = |id: &str| documents.iter().find(|it| it.frame == id).map(|it| it.origin.clone());
        let ancestors = targets.iter().flat_map(|target| page.ancestor_ids(target));
        Self {
            open_frames: ancestors.chain([page.target.clone()]).collect(),
            targets: targets.iter().map(frame_id).map(|id| (id.clone(), origin(&id))).collect(),
        }
    }

    /// Reports whether a document may receive the input. A target that has gone to another origin may not.
    fn include(&self, document: &FrameDocument) -> bool {
        let has_origin = |origin: &Option<String>| origin.as_ref() == Some(&document.origin);
        self.open_frames.contains(&document.frame)
            || self.is_target(document)
            || document.has_address() && self.targets.values().any(has_origin)
    }

    fn is_target(&self, document: &FrameDocument) -> bool {
        let origin = self.targets.get(&document.frame);
        origin.is_some_and(|origin| origin.as_ref().is_none_or(|origin| *origin == document.origin))
    }
}

/// Frames that stay shut until this is dropped.
struct InputIsolation<'a> {
    page: &'a Tab,
    recipients: Recipients,
    /// Documents that were seen, by frames: the ids of their loaders.
    seen: RefCell<HashMap<String, String>>,
    /// Guards of shut documents, by frames. That of a document that was replaced is gone.
    shut: RefCell<HashMap<String, GuardWorld>>,
}

impl<'a> InputIsolation<'a> {
    /// Shuts the frames that the input is not meant for.
    async fn begin(page: &'a Tab, targets: &[Tab]) -> Result<Self, PageError> {
        let documents = resolve_inherited_origins(list_documents(page).await?).await;
        let recipients = Recipients::new(page, targets, &documents);
        let isolation = Self { page, recipients, seen: RefCell::default(), shut: RefCell::default() };
        let foreign = isolation.take_foreign(&documents).map_err(|count| {
            let message = format!(
                "nothing was done: the page has {count} frames of other sites, too many to isolate from the page's input"
            );
            PageError::new(ErrorCode::Covered, message)
        })?;
        // The page itself is never shut. A target that is new has started shut.
        let is_frame = |it: &&FrameDocument| it.frame != page.target && isolation.recipients.is_target(it);
        let open = join_all(documents.iter().filter(is_frame).map(open_target));
        let call = format!("shut({SHUT_LEASE_MS})");
        join(open, join_all(foreign.into_iter().map(|document| isolation.shut_document(document, &call))))
            .await;
        Ok(isolation)
    }

    /// Sends the input, and opens the frames again.
    async fn send<T>(
        self,
        what: &str,
        sending: impl Future<Output = Result<T, PageError>>,
    ) -> Result<T, PageError> {
        let sent = tokio::select! {
            biased;
            sent = sending => sent?,
            fault = self.shut_new_documents() => return Err(fault),
        };
        self.end(what).await?;
        Ok(sent)
    }

    /// Returns the documents that were not seen before and may not receive the input. Fails with their number if too many
    /// have been shut.
    fn take_foreign<'b>(&self, documents: &'b [FrameDocument]) -> Result<Vec<&'b FrameDocument>, usize> {
        let mut seen = self.seen.borrow_mut();
        let mut is_new = |it: &&FrameDocument| {
            seen.insert(it.frame.clone(), it.loader.clone()).as_ref() != Some(&it.loader)
        };
        let new = documents.iter().filter(|it| !self.recipients.include(it));
        let new: Vec<&FrameDocument> = new.filter(|it| is_new(it)).collect();
        if seen.len() > MOST_FOREIGN_FRAMES { Err(seen.len()) } else { Ok(new) }
    }

    /// Shuts a document. It is opened again also if the action ends before the document has answered.
    async fn shut_document(&self, document: &FrameDocument, call: &str) {
        let Some(world) = document.guard_world().await else { return };
        self.shut.borrow_mut().insert(document.frame.clone(), world.clone());
        world.call(call).await;
    }

    /// Shuts documents that are created or reloaded from now on, and renews the lease of the others. Resolves only if
    /// they are too many.
    async fn shut_new_documents(&self) -> PageError {
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        looks.reset();
        let mut renewals = tokio::time::interval(RENEWAL_INTERVAL);
        renewals.reset();
        let mut shutting = FuturesUnordered::new();
        loop {
            tokio::select! {
                _ = looks.tick() => match self.find_new_documents().await {
                    Ok(new) => shutting.extend(new.into_iter().map(|it| self.shut_new_document(it))),
                    Err(fault) => return fault,
                },
                _ = renewals.tick() => self.renew_leases(),
                Some(()) = shutting.next() => {}
            }
        }
    }

    async fn find_new_documents(&self) -> Result<Vec<FrameDocument>, PageError> {
        // A page that does not answer receives no input either, as on its way to another document.
        let documents = list_documents_within(self.page, LOOK_TIMEOUT).await;
        let new = self.take_foreign(&documents).map(|new| new.into_iter().cloned().collect());
        new.map_err(|count| {
            let message = format!(
                "the page has shown {count} frames of other sites meanwhile, too many to isolate from its input, which was \
                 broken off; look what has arrived"
            );
            PageError::new(ErrorCode::Covered, message)
        })
    }

    /// Keeps a new document shut, with the number of interactions that it has suppressed. One without an address may
    /// belong to the document around it: then its guard has started as that of the other one.
    async fn shut_new_document(&self, document: FrameDocument) {
        let name = if document.has_address() { "extend" } else { "extendIfShut" };
        self.shut_document(&document, &format!("{name}({SHUT_LEASE_MS})")).await;
    }

    fn renew_leases(&self) {
        for world in self.shut.borrow().values() {
            world.post(&format!("extendIfShut({SHUT_LEASE_MS})"));
        }
    }

    /// Opens the frames again. Returns an error if one of them was about to receive the input.
    async fn end(mut self, what: &str) -> Result<(), PageError> {
        let shut = std::mem::take(self.shut.get_mut());
        let opened = join_all(shut.values().map(|world| world.call("open()"))).await;
        // A document that is gone received no input.
        let mut suppressed = opened.into_iter().flatten().filter_map(|count| count.as_u64());
        if suppressed.all(|count| count == 0) {
            return Ok(());
        }
        let message = format!(
            "{what} went to a frame of another site and was suppressed there, so some of it is lost; look again before you \
             go on"
        );
        Err(PageError::new(ErrorCode::FocusMoved, message))
    }
}

impl Drop for InputIsolation<'_> {
    fn drop(&mut self) {
        self.shut.get_mut().values().for_each(|world| world.post("open()"));
    }
}

async fn open_target(document: &FrameDocument) {
    if let Some(world) = document.guard_world().await {
        world.call("open()").await;
    }
}
