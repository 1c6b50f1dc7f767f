//! Walks of frames, and queries of their event listeners, that begin together with the walk of the page, at the place
//! that each frame had in the last observation. They save round trips, and the process of a frame is woken up once for
//! both; a frame whose place has changed is walked again.

use crate::browser::error::PageError;
use crate::browser::observe::event_listeners;
use crate::browser::observe::walker_result::{UnreadFrame, WalkerReply};
use crate::browser::page::frames::frame_tree::Frame;
use crate::browser::page::tab::Tab;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use tokio::task::JoinHandle;

#[derive(Default)]
pub struct EarlyWalks {
    /// Walks that have begun, by frame id.
    walks: RefCell<HashMap<String, EarlyWalk>>,
    /// Queries of event listeners that have begun, by frame id.
    listeners: RefCell<HashMap<String, EarlyReply<bool>>>,
    /// Unix milliseconds; later changes make text and picture disagree.
    changes_since: Option<i64>,
}

/// A walk that has begun, for one place of the frame.
struct EarlyWalk {
    place: Value,
    reply: EarlyReply<WalkerReply>,
}

/// A reply that is waited for in a task of its own, which ends if nobody wants it any more.
struct EarlyReply<T>(JoinHandle<Result<T, PageError>>);

impl<T: 'static> EarlyReply<T> {
    fn await_reply(reply: impl Future<Output = Result<T, PageError>> + 'static) -> Self {
        Self(tokio::task::spawn_local(reply))
    }
}

impl<T> Drop for EarlyReply<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl EarlyWalks {
    /// Begins the walks of the frames that the last observation covered. Those that cannot be walked yet watch for
    /// changes until they are.
    pub fn begin(page: &Tab, again: bool, changes_since: Option<i64>) -> Self {
        let (mut walks, mut listeners) = (HashMap::new(), HashMap::new());
        for frame in page.frames.covered() {
            let frame_tab = page.for_frame(Rc::clone(&frame));
            match frame.last_place.borrow().clone() {
                Some(place) if !frame.fresh.get() && !frame.scripts.silent.get() => {
                    let call = walk_call(&frame, &place, again, changes_since);
                    let listening = frame_tab.clone();
                    let reply = EarlyReply::await_reply(async move { frame_tab.call_script(&call).await });
                    walks.insert(frame.id.clone(), EarlyWalk { place, reply });
                    let query = async move { event_listeners::pass_listeners(&listening).await };
                    listeners.insert(frame.id.clone(), EarlyReply::await_reply(query));
                }
                Some(_) | None => frame_tab.post_call("watchForChanges()"),
            }
        }
        Self { walks: RefCell::new(walks), listeners: RefCell::new(listeners), changes_since }
    }

    /// Passes the frame's nodes with event listeners to its walker, by the query that has begun or by a new one. Returns
    /// true if another observation would show more.
    pub async fn pass_listeners(&self, frame_tab: &Tab, frame: &Frame) -> Result<bool, PageError> {
        let early = self.listeners.borrow_mut().remove(&frame.id);
        if let Some(mut query) = early
            && let Ok(Ok(shows_more)) = (&mut query.0).await
        {
            return Ok(shows_more);
        }
        event_listeners::pass_listeners(frame_tab).await
    }

    /// Returns the first reply of the frame's walker at its present place: that of the walk that has begun, or of a new
    /// one.
    pub async fn first_reply(
        &self,
        frame_tab: &Tab,
        frame: &Frame,
        inner: &UnreadFrame,
        again: bool,
    ) -> Result<WalkerReply, PageError> {
        let place = json!({"budget": inner.room, "part": inner.part});
        let early = self.walks.borrow_mut().remove(&frame.id);
        let was_walked = early.is_some();
        if let Some(mut walk) = early.filter(|walk| walk.place == place)
            && let Ok(reply) = (&mut walk.reply.0).await
        {
            return reply;
        }
        // A frame that was walked for another place was not watched before that walk.
        let changes_since = self.changes_since.filter(|_| !was_walked);
        let call = walk_call(frame, &place, again || was_walked, changes_since);
        let reply = frame_tab.call_script(&call).await?;
        frame.fresh.set(false);
        frame.last_place.replace(Some(place));
        Ok(reply)
    }
}

/// Builds the call of the walker.
fn walk_call(frame: &Frame, place: &Value, again: bool, changes_since: Option<i64>) -> String {
    let (first, last) = frame.numbers.get();
    let mut options = json!({
        "firstEid": first,
        "lastEid": last,
        "fresh": frame.fresh.get(),
        "again": again,
        "changesSince": changes_since,
    });
    for name in ["budget", "part"] {
        options[name] = place[name].clone();
    }
    format!("observe({options})")
}
