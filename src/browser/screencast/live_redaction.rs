//! Live redaction: screencast frames for viewers other than the holder, with secret fields painted over.
//!
//! The page is queried for the boxes of the fields. While there are none, frames pass at once and the query
//! is repeated now and then. While there are some, or their state is unknown, each frame waits for a reply
//! that was requested after the frame arrived, and is painted with the boxes of that reply and of the one
//! before, so that a moving field is covered at both positions. Frames whose fields cannot be located,
//! because they jump, are not shown; neither are frames that were captured before the page tracked its fields, for
//! the fields may have been anywhere then. While one frame is being painted, the query for the next is already
//! sent; Chromium captures no more frames meanwhile than can be shown.

use crate::browser::geometry::Bounds;
use crate::browser::redaction::motion;
use crate::browser::redaction::motion::MOTION_MARGIN;
use crate::browser::redaction::secret_boxes::TrackedBoxes;
use crate::browser::screencast::ack_window::UnacknowledgedFrame;
use crate::browser::screencast::stale_frames::{MAX_FRAME_DELAY_MS, StaleFrames};
use crate::browser::screencast::viewer::ScreencastFrame;
use std::time::Duration;

/// Milliseconds after which a page without secret fields is queried again.
const CLEAR_FOR_MS: u64 = 150;
/// Milliseconds after a navigation of the page or a frame during which each frame waits for a reply.
const STIRRED_FOR_MS: u64 = 2000;
/// Milliseconds after which the last reply is too old to be used.
const KNOWN_FOR_MS: u64 = 2000;
/// Milliseconds for which fields that moved get a margin.
const MOVING_FOR_MS: u64 = 1000;
/// Milliseconds after which fields that jumped count as still.
const JUMPING_FOR_MS: u64 = 300;
/// Interval of queries while fields jump, or were not tracked long enough.
const JUMPING_INTERVAL: Duration = Duration::from_millis(40);
/// Delay of the query whether fields that moved stand still; the page can settle meanwhile.
const MOVING_DELAY: Duration = Duration::from_millis(350);

/// Positions of secret fields in live pictures, and frames that wait for them.
#[derive(Debug, Default)]
pub struct LiveRedaction {
    /// Boxes of the last reply.
    boxes: Vec<Bounds>,
    /// Time of the last reply; `None` if this document has not replied.
    answered: Option<u64>,
    /// Unix milliseconds since which frames show the fields at positions that the page has tracked; `None` if they
    /// may show earlier ones.
    tracked_since: Option<f64>,
    /// Time when the fields were last seen to move.
    moved: Option<u64>,
    /// Time when the fields were last seen to move too far.
    jumped: Option<u64>,
    query_running: bool,
    /// Time when the page or one of its frames last navigated.
    stirred: Option<u64>,
    /// Newest screencast frame; it arrived after the last query.
    waiting: Option<PendingFrame>,
    /// Newest frame with known boxes, waiting for the one that is being painted.
    known: Option<(PendingFrame, Vec<Bounds>)>,
    painting: bool,
    /// A timer for the next query is running.
    pausing: bool,
    /// Boxes that stale frames may still show.
    stale_frames: StaleFrames,
    /// Counts documents, so that a reply of an old one is not used for the new one.
    document: u64,
}

/// Time of an input, read by the actor.
#[derive(Clone, Copy, Debug)]
pub struct InputTime {
    /// Milliseconds since the browser was started, on a clock that never jumps.
    pub monotonic_ms: u64,
    /// Unix milliseconds, as in the capture times of frames.
    pub unix_ms: f64,
}

/// Work for the actor.
#[derive(Debug)]
pub enum RedactionEffect {
    /// Shows the frame to viewers other than the holder.
    Show(ScreencastFrame),
    /// Queries the page for the boxes of its secret fields; `handle_boxes` takes the reply.
    QueryBoxes(BoxesQuery),
    /// Paints over a frame; `handle_painted` takes the picture.
    Paint(PaintRequest),
    /// Restarts the screencast to get a newer frame than this one, which is acknowledged afterwards.
    RestartCast(PendingFrame),
    /// Calls `handle_timer` after this time.
    Wait(Duration),
}

/// A screencast frame to be redacted. Dropping it acknowledges the frame, and Chromium captures another.
#[derive(Debug)]
pub struct PendingFrame {
    picture: ScreencastFrame,
    /// True if this is only a reason to request a newer frame once the fields stand still.
    again: bool,
    unacknowledged: Option<UnacknowledgedFrame>,
}

/// State at the time of a query.
#[derive(Debug)]
pub struct BoxesQuery {
    document: u64,
    /// Frame that arrived before the query.
    frame: Option<PendingFrame>,
    /// Boxes of the reply before; `None` if there was none.
    before: Option<Vec<Bounds>>,
}

/// A frame with the boxes to paint over it.
#[derive(Debug)]
pub struct PaintRequest {
    pub picture: ScreencastFrame,
    pub boxes: Vec<Bounds>,
    /// Document that the frame shows.
    pub document: u64,
    /// Acknowledges the frame once it is painted.
    pub unacknowledged: Option<UnacknowledgedFrame>,
}

impl PendingFrame {
    fn new(picture: ScreencastFrame, unacknowledged: Option<UnacknowledgedFrame>) -> Self {
        Self { picture, again: false, unacknowledged }
    }

    /// Returns a reason to request a newer frame than this one.
    fn retry(picture: ScreencastFrame) -> Self {
        Self { picture, again: true, unacknowledged: None }
    }
}

impl LiveRedaction {
    /// Resets the state, because another page is in front or no query was sent for some time.
    pub fn reset(&mut self) {
        let stale_frames = std::mem::take(&mut self.stale_frames);
        let Self { document, query_running, painting, pausing, stirred, .. } = *self;
        *self = Self {
            document: document + 1,
            query_running,
            painting,
            pausing,
            stirred,
            stale_frames,
            ..Self::default()
        };
    }

    /// Resets the state for another document in the page.
    pub fn reset_for_document(&mut self, now: InputTime) {
        self.reset();
        self.stale_frames.record_document(now.unix_ms);
        self.record_frame_navigation(now);
    }

    /// Records that a frame navigates: the positions of its fields are unknown.
    pub fn record_frame_navigation(&mut self, now: InputTime) {
        self.stirred = Some(now.monotonic_ms);
        self.stale_frames.record_frame_navigation(now.unix_ms, &self.boxes);
    }

    /// Handles a frame for viewers other than the holder.
    pub fn handle_frame(
        &mut self,
        picture: ScreencastFrame,
        unacknowledged: Option<UnacknowledgedFrame>,
        now: InputTime,
    ) -> Vec<RedactionEffect> {
        if self.stale_frames.is_stale(picture.captured_at_ms, now.unix_ms) {
            return vec![RedactionEffect::RestartCast(PendingFrame::new(picture, unacknowledged))];
        }
        let mut effects = Vec::new();
        if self.is_clear(now) {
            effects.push(RedactionEffect::Show(picture));
        } else {
            self.waiting = Some(PendingFrame::new(picture, unacknowledged));
        }
        effects.extend(self.query_boxes(now));
        effects
    }

    /// Handles the reply to a query; `None` if the page gave none. `is_cast` is true while the page that was
    /// queried is the one being cast.
    pub fn handle_boxes(
        &mut self,
        query: BoxesQuery,
        reply: Option<TrackedBoxes>,
        is_cast: bool,
        now: InputTime,
    ) -> Vec<RedactionEffect> {
        let BoxesQuery { document, frame, before } = query;
        self.query_running = false;
        let mut effects = Vec::new();
        match reply {
            _ if self.document != document => {}
            Some(reply) => effects.extend(self.locate_fields(frame, before, reply, now)),
            None => {
                // The page may have a dialog open. The query is repeated, because this may be the last frame.
                let waiting = self.waiting.take().or(frame);
                self.waiting = waiting.map(|frame| PendingFrame::retry(frame.picture));
            }
        }
        effects.extend(self.query_again(is_cast, now));
        effects
    }

    /// Handles the end of painting; `None` if the frame could not be painted.
    pub fn handle_painted(
        &mut self,
        document: u64,
        picture: Option<ScreencastFrame>,
    ) -> Vec<RedactionEffect> {
        self.painting = false;
        let shown = picture.filter(|_| self.document == document).map(RedactionEffect::Show);
        shown.into_iter().chain(self.paint_known()).collect()
    }

    /// Handles the end of a delay.
    pub fn handle_timer(&mut self, is_cast: bool, now: InputTime) -> Option<RedactionEffect> {
        self.pausing = false;
        if self.waiting.is_some() && is_cast { self.query_boxes(now) } else { None }
    }

    fn query_boxes(&mut self, now: InputTime) -> Option<RedactionEffect> {
        if !self.is_due(now) {
            return None;
        }
        self.query_running = true;
        Some(RedactionEffect::QueryBoxes(BoxesQuery {
            document: self.document,
            frame: self.waiting.take(),
            before: self.answered.is_some().then(|| self.boxes.clone()),
        }))
    }

    /// Sends the next query, at once or after a delay, if a frame is waiting.
    fn query_again(&mut self, is_cast: bool, now: InputTime) -> Option<RedactionEffect> {
        let waiting = self.waiting.as_ref().filter(|_| is_cast)?;
        let delay = match (self.is_jumping(now) || self.is_untracked(), waiting.again) {
            (true, _) => JUMPING_INTERVAL,
            (false, true) => MOVING_DELAY,
            (false, false) => return self.query_boxes(now),
        };
        (!std::mem::replace(&mut self.pausing, true)).then_some(RedactionEffect::Wait(delay))
    }

    /// Handles a reply: the boxes `before` and `after` the arrival of the frame are known.
    fn locate_fields(
        &mut self,
        taken: Option<PendingFrame>,
        before: Option<Vec<Bounds>>,
        TrackedBoxes { boxes: after, is_displayed }: TrackedBoxes,
        now: InputTime,
    ) -> Option<RedactionEffect> {
        self.update_boxes(after.clone(), now);
        let since = self.tracked_since.unwrap_or(now.unix_ms);
        self.tracked_since = is_displayed.then_some(since);
        let taken = taken?;
        let captured = taken.picture.captured_at_ms;
        if before.is_none()
            && after.is_empty()
            && self.stale_frames.boxes_in_left_documents(captured).next().is_none()
        {
            return Some(RedactionEffect::Show(taken.picture));
        }
        // Fields that have just appeared may still be moving.
        let appeared = before.as_ref().is_some_and(Vec::is_empty) && !after.is_empty();
        if self.is_jumping(now) || self.is_untracked() {
            // The frame shows one of the fields' positions, and it is unknown which.
            self.waiting.get_or_insert(PendingFrame { again: true, ..taken });
            return None;
        }
        let Some(before) = before.filter(|before| self.was_tracked(captured, before, &after, now)) else {
            // The frame was captured before the fields were tracked, and they may have been elsewhere. Another one
            // is requested.
            return Some(RedactionEffect::RestartCast(taken));
        };
        if appeared || taken.again && self.is_moving(now) {
            self.waiting.get_or_insert(taken);
            None
        } else if taken.again {
            Some(RedactionEffect::RestartCast(taken))
        } else {
            self.keep_covered(taken, &before, &after, now);
            self.paint_known()
        }
    }

    /// Keeps the frame as known, with the boxes that cover the fields on their way from `before` to `after`.
    fn keep_covered(&mut self, taken: PendingFrame, before: &[Bounds], after: &[Bounds], now: InputTime) {
        let is_moving = self.is_moving(now);
        if is_moving {
            self.waiting.get_or_insert(PendingFrame::retry(taken.picture.clone()));
        }
        let mut boxes = motion::covering_boxes(before, after, if is_moving { MOTION_MARGIN } else { 0.0 });
        boxes.extend(self.stale_frames.boxes_in_left_documents(taken.picture.captured_at_ms));
        self.known = Some((taken, boxes));
    }

    fn paint_known(&mut self) -> Option<RedactionEffect> {
        if self.painting {
            return None;
        }
        let (PendingFrame { picture, unacknowledged, .. }, boxes) = self.known.take()?;
        self.painting = true;
        Some(RedactionEffect::Paint(PaintRequest { picture, boxes, document: self.document, unacknowledged }))
    }

    fn update_boxes(&mut self, boxes: Vec<Bounds>, now: InputTime) {
        if self.answered.is_some() && self.boxes != boxes {
            self.moved = Some(now.monotonic_ms);
        }
        let went = self.answered.is_some() && motion::moved_further_than(&self.boxes, &boxes, MOTION_MARGIN);
        if went || motion::is_anywhere(&boxes) {
            self.jumped = Some(now.monotonic_ms);
        }
        self.boxes = boxes;
        self.answered = Some(now.monotonic_ms);
    }

    /// Reports whether the page shows fields, perhaps at positions that it has not tracked.
    fn is_untracked(&self) -> bool {
        !self.boxes.is_empty() && self.tracked_since.is_none()
    }

    /// Reports whether the fields, if there are any, were tracked when a frame was captured. Limited to the maximum
    /// delay of a frame, because clocks differ if Chromium runs on another machine.
    fn was_tracked(&self, captured_ms: f64, before: &[Bounds], after: &[Bounds], now: InputTime) -> bool {
        let is_since = |since: f64| captured_ms >= since || now.unix_ms - since >= MAX_FRAME_DELAY_MS;
        (before.is_empty() && after.is_empty()) || self.tracked_since.is_some_and(is_since)
    }

    fn is_clear(&self, now: InputTime) -> bool {
        !now.is_within(STIRRED_FOR_MS, self.stirred)
            && self.boxes.is_empty()
            && now.is_within(KNOWN_FOR_MS, self.answered)
    }

    fn is_moving(&self, now: InputTime) -> bool {
        now.is_within(MOVING_FOR_MS, self.moved)
    }

    fn is_jumping(&self, now: InputTime) -> bool {
        now.is_within(JUMPING_FOR_MS, self.jumped)
    }

    fn is_due(&self, now: InputTime) -> bool {
        let is_recently_clear = self.is_clear(now) && now.is_within(CLEAR_FOR_MS, self.answered);
        !self.query_running && !is_recently_clear
    }
}

impl InputTime {
    /// Reports whether less than `limit_ms` milliseconds have passed since `start`.
    fn is_within(self, limit_ms: u64, start: Option<u64>) -> bool {
        start.is_some_and(|start| self.monotonic_ms.saturating_sub(start) < limit_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELD: Bounds = [10.0, 10.0, 20.0, 5.0];

    fn at(ms: u64) -> InputTime {
        InputTime { monotonic_ms: ms, unix_ms: 1_000_000.0 + ms as f64 }
    }

    /// Picture captured at this time.
    fn picture(ms: u64) -> ScreencastFrame {
        ScreencastFrame {
            frame: ms as u32,
            captured_at_ms: at(ms).unix_ms,
            width: 1280,
            height: 720,
            jpeg: Default::default(),
        }
    }

    /// Input of the machine at a time.
    enum Input {
        Frame,
        Boxes(Vec<Bounds>),
        /// Boxes that the page has not tracked long enough.
        NewBoxes(Vec<Bounds>),
        NoBoxes,
        Painted,
        Timer,
        Document,
    }

    /// Sends inputs to the machine. Replies belong to the query and the painting that it requested last.
    #[derive(Default)]
    struct Stage {
        redaction: LiveRedaction,
        query: Option<BoxesQuery>,
        painting: Option<PaintRequest>,
    }

    impl Stage {
        /// Handles an input and returns the effects as words.
        fn handle(&mut self, ms: u64, input: Input) -> String {
            let now = at(ms);
            let redaction = &mut self.redaction;
            let effects = match input {
                Input::Frame => redaction.handle_frame(picture(ms), None, now),
                Input::Boxes(boxes) => {
                    let reply = TrackedBoxes { boxes, is_displayed: true };
                    redaction.handle_boxes(self.query.take().unwrap(), Some(reply), true, now)
                }
                Input::NewBoxes(boxes) => {
                    let reply = TrackedBoxes { boxes, is_displayed: false };
                    redaction.handle_boxes(self.query.take().unwrap(), Some(reply), true, now)
                }
                Input::NoBoxes => redaction.handle_boxes(self.query.take().unwrap(), None, true, now),
                Input::Painted => {
                    let done = self.painting.take().unwrap();
                    redaction.handle_painted(done.document, Some(done.picture))
                }
                Input::Timer => redaction.handle_timer(true, now).into_iter().collect(),
                Input::Document => {
                    redaction.reset_for_document(now);
                    Vec::new()
                }
            };
            let words = effects.into_iter().map(|effect| match effect {
                RedactionEffect::Show(picture) => format!("show {}", picture.frame),
                RedactionEffect::QueryBoxes(query) => {
                    self.query = Some(query);
                    String::from("query")
                }
                RedactionEffect::Paint(request) => {
                    let word = format!("paint {} over {}", request.boxes.len(), request.picture.frame);
                    self.painting = Some(request);
                    word
                }
                RedactionEffect::RestartCast(_) => String::from("restart"),
                RedactionEffect::Wait(delay) => format!("wait {}", delay.as_millis()),
            });
            words.collect::<Vec<_>>().join(", ")
        }
    }

    #[track_caller]
    fn check(table: Vec<(u64, Input, &str)>) {
        let mut stage = Stage::default();
        for (ms, input, expected) in table {
            assert_eq!(stage.handle(ms, input), expected, "at {ms} ms");
        }
    }

    #[test]
    fn frames_of_a_page_without_secret_fields_pass_at_once() {
        check(vec![
            (0, Input::Frame, "query"),
            (10, Input::Boxes(vec![]), "show 0"),
            (50, Input::Frame, "show 50"),
            (200, Input::Frame, "show 200, query"),
            (210, Input::Frame, "show 210"),
            (220, Input::Boxes(vec![]), ""),
        ]);
    }

    #[test]
    fn frames_with_secret_fields_are_painted_one_after_the_other() {
        check(vec![
            (0, Input::Frame, "query"),
            (10, Input::Boxes(vec![FIELD]), "restart"),
            (20, Input::Frame, "query"),
            (30, Input::Frame, ""),
            // Boxes of both replies, and the way between them.
            (40, Input::Boxes(vec![FIELD]), "paint 3 over 20, query"),
            (50, Input::Boxes(vec![FIELD]), ""),
            (60, Input::Painted, "show 20, paint 3 over 30"),
            (70, Input::Painted, "show 30"),
        ]);
    }

    #[test]
    fn a_frame_waits_while_fields_appear_or_jump() {
        let far = [500.0, 10.0, 20.0, 5.0];
        check(vec![
            (0, Input::Frame, "query"),
            (10, Input::Boxes(vec![]), "show 0"),
            (200, Input::Frame, "show 200, query"),
            (210, Input::NewBoxes(vec![FIELD]), ""),
            (220, Input::Frame, "query"),
            (230, Input::NewBoxes(vec![far]), "wait 40"),
            (270, Input::Timer, "query"),
            (280, Input::Boxes(vec![far]), "wait 40"),
            (320, Input::Timer, "query"),
            (600, Input::Boxes(vec![far]), "restart"),
            // Fields that jumped may still move.
            (610, Input::Frame, "query"),
            (620, Input::Boxes(vec![far]), "paint 3 over 610, wait 350"),
            (970, Input::Timer, "query"),
            (1300, Input::Boxes(vec![far]), "restart"),
        ]);
        check(vec![
            (0, Input::Frame, "query"),
            (10, Input::Boxes(vec![]), "show 0"),
            (2100, Input::Frame, "query"),
            (2110, Input::NewBoxes(vec![FIELD]), "wait 40"),
            (2150, Input::Timer, "query"),
            (2160, Input::Boxes(vec![FIELD]), "restart"),
            (2170, Input::Frame, "query"),
            // Fields that have just appeared may move: another frame is requested once they stand still.
            (2180, Input::Boxes(vec![FIELD]), "paint 3 over 2170, wait 350"),
            (2190, Input::Painted, "show 2170"),
        ]);
    }

    // A frame that arrived while the first query was under way was captured before any known position.
    #[test]
    fn a_frame_that_was_captured_before_the_fields_were_tracked_is_not_shown() {
        check(vec![
            (0, Input::Frame, "query"),
            (10, Input::Frame, ""),
            (12, Input::NewBoxes(vec![FIELD]), "wait 40"),
            (52, Input::Timer, "query"),
            (60, Input::Boxes(vec![FIELD]), "restart"),
            (70, Input::Frame, "query"),
            (80, Input::Boxes(vec![FIELD]), "paint 3 over 70"),
        ]);
        check(vec![
            (0, Input::Frame, "query"),
            (10, Input::Frame, ""),
            (12, Input::Boxes(vec![FIELD]), "restart, query"),
            (13, Input::Boxes(vec![FIELD]), "restart"),
        ]);
    }

    #[test]
    fn a_page_that_does_not_reply_is_queried_again() {
        check(vec![
            (0, Input::Frame, "query"),
            (10, Input::NoBoxes, "wait 350"),
            (360, Input::Timer, "query"),
            (370, Input::Boxes(vec![FIELD]), "restart"),
        ]);
    }

    #[test]
    fn frames_and_replies_of_a_left_document_are_not_shown() {
        check(vec![
            (0, Input::Frame, "query"),
            (10, Input::Boxes(vec![FIELD]), "restart"),
            (20, Input::Frame, "query"),
            (30, Input::Document, ""),
            (40, Input::Boxes(vec![]), ""),
            (50, Input::Frame, "query"),
            (60, Input::Boxes(vec![]), "show 50"),
            // Every frame waits for a reply at first.
            (70, Input::Frame, "query"),
            (80, Input::Document, ""),
        ]);
        let mut redaction = LiveRedaction::default();
        redaction.reset_for_document(at(100));
        let effects = redaction.handle_frame(picture(90), None, at(110));
        assert!(
            matches!(effects.as_slice(), [RedactionEffect::RestartCast(_)]),
            "captured before: {effects:?}"
        );
        redaction.painting = true;
        assert!(redaction.handle_painted(0, Some(picture(90))).is_empty());
    }

    #[test]
    fn positions_of_jumping_fields_are_unknown() {
        let mut redaction = LiveRedaction::default();
        for boxes in [FIELD, [10.0 + MOTION_MARGIN, 10.0, 20.0, 5.0]] {
            redaction.update_boxes(vec![boxes], at(0));
            assert!(!redaction.is_jumping(at(0)));
        }
        assert!(redaction.is_moving(at(999)) && !redaction.is_moving(at(1000)));
        redaction.update_boxes(vec![[500.0, 10.0, 20.0, 5.0]], at(0));
        assert!(redaction.is_jumping(at(299)) && !redaction.is_jumping(at(300)));
        redaction.reset_for_document(at(0));
        assert!(!redaction.is_jumping(at(0)));
        redaction.update_boxes(vec![[-1e6, -1e6, 2e6, 2e6]], at(0));
        assert!(redaction.is_jumping(at(0)));
        redaction.reset_for_document(at(0));
        assert!(!redaction.is_jumping(at(0)) && !redaction.is_moving(at(0)));
    }

    #[test]
    fn a_page_with_unknown_secret_fields_is_not_clear() {
        let (mut redaction, now) = (LiveRedaction::default(), at(0));
        assert!(!redaction.is_clear(now) && redaction.is_due(now));
        redaction.answered = Some(0);
        assert!(redaction.is_clear(now) && !redaction.is_due(now));
        redaction.boxes = vec![[0.0; 4]];
        assert!(!redaction.is_clear(now) && redaction.is_due(now));
        redaction.query_running = true;
        redaction.reset_for_document(now);
        assert!(!redaction.is_clear(now) && !redaction.is_due(now), "one question at a time");
        assert_eq!(redaction.document, 1);
    }
}
