//! Walks of frames that begin together with the walk of the page, at the place that each frame had in the last
//! observation. They save a round trip; a frame whose place has changed is walked again.

use crate::browser::error::PageError;
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
    /// Unix milliseconds; later changes make text and picture disagree.
    changes_since: Option<i64>,
}

/// A walk that has begun, for one place of the frame.
struct EarlyWalk {
    place: Value,
    reply: JoinHandle<Result<WalkerReply, PageError>>,
}

impl Drop for EarlyWalk {
    fn drop(&mut self) {
        self.reply.abort();
    }
}

impl EarlyWalks {
    /// Begins the walks of the frames that the last observation covered. Those that cannot be walked yet watch for
    /// changes until they are.
    pub fn begin(page: &Tab, again: bool, changes_since: Option<i64>) -> Self {
        let mut walks = HashMap::new();
        for frame in page.frames.covered() {
            let frame_tab = page.for_frame(Rc::clone(&frame));
            match frame.last_place.borrow().clone() {
                Some(place) if !frame.fresh.get() && !frame.scripts.silent.get() => {
                    let call = walk_call(&frame, &place, again, changes_since);
                    let reply = async move { frame_tab.call_script(&call).await };
                    let reply = tokio::task::spawn_local(reply);
                    walks.insert(frame.id.clone(), EarlyWalk { place, reply });
                }
                Some(_) | None => frame_tab.post_call("watchForChanges()"),
            }
        }
        Self { walks: RefCell::new(walks), changes_since }
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
            && let Ok(reply) = (&mut walk.reply).await
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
