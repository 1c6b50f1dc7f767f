//! The screencast's decisions as tables of inputs and effects.

use super::*;
use crate::browser::cdp::connection::Connection;
use crate::browser::network::url_policy::UrlPolicy;
use crate::clock::Moment;
use actix::{Actor, Context, Handler};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Viewer that records the numbers of its frames.
struct Recorder(UnboundedSender<u32>);

impl Actor for Recorder {
    type Context = Context<Self>;
}

impl Handler<ScreencastFrame> for Recorder {
    type Result = ();

    fn handle(&mut self, picture: ScreencastFrame, _: &mut Context<Self>) {
        let _ = self.0.send(picture.frame);
    }
}

fn viewer(session: &str, max_width: u32, quality: u32, max_fps: u32) -> (Watch, UnboundedReceiver<u32>) {
    let (sender, received) = unbounded_channel();
    let viewer = Recorder(sender).start().recipient();
    (Watch { session: session.into(), viewer, max_width, max_fps, quality }, received)
}

fn tab(target: &str) -> Tab {
    let session = Connection::disconnected().session(format!("session of {target}"));
    Tab::new(
        target,
        session,
        UrlPolicy::new(|_| None),
        Duration::ZERO,
        Default::default(),
        Default::default(),
    )
}

fn picture(frame: u32, captured_at_ms: f64) -> ScreencastFrame {
    ScreencastFrame { frame, captured_at_ms, width: 1280, height: 720, jpeg: Default::default() }
}

/// Frame of the tab `a` that arrives.
fn arrive(cast: &Screencast, captured_at_ms: f64) -> ArrivedFrame {
    let window = cast.find_ack_window("session of a").unwrap();
    let unacknowledged = window.add_frame(tab("a").session, 1, captured_at_ms);
    ArrivedFrame { unacknowledged, picture: Some(picture(0, captured_at_ms)) }
}

fn words(effects: impl IntoIterator<Item = CastEffect>) -> String {
    let words = effects.into_iter().map(|effect| match effect {
        CastEffect::Stop(tab) => format!("stop {}", tab.target),
        CastEffect::Start { tab, width, quality, number } => {
            format!("start {number} of {}: {width}, {quality}", tab.target)
        }
        CastEffect::ResetRedaction => String::from("reset"),
        CastEffect::Redact { picture, unacknowledged: Some(_), .. } => format!("redact {}", picture.frame),
        CastEffect::Redact { picture, unacknowledged: None, .. } => {
            format!("redact acknowledged {}", picture.frame)
        }
        CastEffect::Wait(delay, CastTimer::FirstFrame { number, .. }) => {
            format!("wait {} for {number}", delay.as_millis())
        }
        CastEffect::Wait(_, CastTimer::Rest { frame }) => format!("rest at {frame}"),
        // The delay depends on the clock.
        CastEffect::Wait(_, CastTimer::CatchUp) => String::from("catch up"),
        CastEffect::ReportViewers => String::from("report"),
    });
    words.collect::<Vec<_>>().join("; ")
}

/// Capture time after every acknowledgement of this test.
fn soon() -> f64 {
    Moment::now().millis() as f64 + 60_000.0
}

/// Screencast of the tab `a` for these viewers.
fn start_for(viewers: impl IntoIterator<Item = Watch>) -> Screencast {
    let mut cast = Screencast::default();
    viewers.into_iter().for_each(|viewer| cast.watch(viewer));
    cast.match_viewers(Some(tab("a")));
    cast
}

#[actix::test]
async fn a_screencast_follows_the_tab_in_front_and_the_most_demanding_viewer() {
    let mut cast = Screencast::default();
    assert_eq!(words(cast.match_viewers(Some(tab("a")))), "reset");
    cast.watch(viewer("one", 800, 80, 60).0);
    assert_eq!(words(cast.match_viewers(None)), "reset");
    assert_eq!(words(cast.match_viewers(Some(tab("a")))), "reset; start 1 of a: 800, 80");
    assert_eq!(words(cast.match_viewers(Some(tab("a")))), "");
    assert_eq!(words(cast.match_viewers(Some(tab("b")))), "stop a; reset; start 2 of b: 800, 80");
    cast.watch(viewer("two", 1200, 50, 60).0);
    assert_eq!(words(cast.match_viewers(Some(tab("b")))), "stop b; reset; start 3 of b: 1200, 80");
    cast.watch(viewer("two", 800, 50, 60).0);
    assert_eq!((cast.viewers(), cast.requested_size()), (2, Some((800, 80))), "it replaces the earlier one");
    cast.unwatch(&"one".into());
    cast.unwatch(&"two".into());
    assert_eq!(words(cast.match_viewers(Some(tab("b")))), "stop b; reset");
    assert_eq!(words(cast.restart()), "");
}

#[actix::test]
async fn a_screencast_without_a_frame_is_restarted_after_ever_longer_delays() {
    let mut cast = start_for([viewer("one", 800, 80, 60).0]);
    assert_eq!(words(cast.handle_start_reply(1, Some(ErrorCode::NoPage))), "");
    assert_eq!(words(cast.handle_start_reply(1, Some(ErrorCode::Protocol))), "wait 40 for 1");
    assert_eq!(words(cast.handle_start_reply(1, None)), "wait 250 for 1");
    let unseen = |number| CastTimer::FirstFrame { number, is_refused: false };
    let restarted = words(cast.handle_timer(unseen(1), None));
    assert_eq!(restarted, "stop a; start 2 of a: 800, 80");
    assert_eq!(words(cast.handle_start_reply(2, None)), "wait 500 for 2");
    assert_eq!(words(cast.handle_timer(unseen(1), None)), "", "it was restarted already");
    for _ in 0..20 {
        let number = cast.start_count;
        cast.handle_timer(unseen(number), None);
    }
    assert_eq!(words(cast.handle_start_reply(cast.start_count, None)), "wait 4000 for 22");
    cast.handle_frame(arrive(&cast, 1000.0), None);
    assert_eq!(words(cast.handle_start_reply(22, None)), "wait 250 for 22");
    assert_eq!(words(cast.handle_timer(unseen(22), None)), "");
    assert_eq!(words(cast.handle_document()), "", "frames of the new document come by themselves");
    let refused = CastTimer::FirstFrame { number: 22, is_refused: true };
    assert_eq!(words(cast.handle_timer(refused, None)), "stop a; start 23 of a: 800, 80");
    assert_eq!(words(cast.handle_document()), "stop a; start 24 of a: 800, 80");
}

#[actix::test]
async fn only_the_holder_sees_a_frame_before_it_is_redacted() {
    let ((holds, mut held), (other, mut redacted)) = (viewer("h", 800, 80, 60), viewer("v", 800, 80, 60));
    let (holder, watcher) = (SessionId::from("h"), SessionId::from("v"));
    let mut cast = start_for([holds, other]);
    let frame = arrive(&cast, 1000.0);
    assert_eq!(words(cast.handle_frame(frame, Some(&holder))), "redact acknowledged 1");
    assert_eq!(held.recv().await, Some(1));
    assert!(redacted.try_recv().is_err());
    assert_eq!(words(cast.show_others(picture(1, 1000.0), Some(&holder))), "");
    assert_eq!(redacted.recv().await, Some(1));
    let later = soon();
    let frame = arrive(&cast, later);
    cast.handle_frame(frame, Some(&holder));
    assert_eq!(held.recv().await, Some(2));
    // After the hand-back, and for a new viewer, the last frame is shown again once it is redacted.
    assert_eq!(words(cast.show_last(&holder, None)), "redact acknowledged 2");
    assert_eq!(held.recv().await, Some(1));
    assert_eq!(words(cast.show_last(&watcher, Some(&watcher))), "", "a new holder sees it at once");
    assert_eq!(redacted.recv().await, Some(2));
    cast.show_others(picture(2, later), None);
    assert_eq!((held.recv().await, redacted.recv().await), (Some(2), Some(2)));
    cast.show_others(picture(1, 1000.0), None);
    cast.show_others(picture(3, later + 1.0), None);
    assert_eq!(held.recv().await, Some(3), "an older one is not shown after a newer one");
    // A later holder does not see the frame of a document that has been left.
    cast.handle_document();
    cast.show_last(&holder, Some(&holder));
    assert!(cast.unredacted.is_none());
}

#[actix::test]
async fn frames_that_chromium_may_have_dropped_are_requested_at_rest() {
    let mut cast = start_for([viewer("v", 800, 80, 60).0]);
    let first = arrive(&cast, 1000.0);
    let second = arrive(&cast, 1010.0);
    assert_eq!(words(cast.handle_frame(first, None)), "redact 1; rest at 1");
    assert_eq!(words(cast.handle_frame(second, None)), "redact 2", "one timer runs");
    assert_eq!(words(cast.handle_timer(CastTimer::Rest { frame: 1 }, None)), "rest at 2");
    let restarted = words(cast.handle_timer(CastTimer::Rest { frame: 2 }, None));
    assert_eq!(restarted, "stop a; start 2 of a: 800, 80");
    assert_eq!(words(cast.handle_timer(CastTimer::Rest { frame: 2 }, None)), "");
    // A frame that cannot be decoded proves that the screencast works.
    let broken = ArrivedFrame { picture: None, ..arrive(&cast, soon()) };
    assert_eq!(words(cast.handle_frame(broken, None)), "");
    let unseen = CastTimer::FirstFrame { number: 2, is_refused: false };
    assert_eq!(words(cast.handle_timer(unseen, None)), "");
}

#[actix::test]
async fn a_viewer_with_a_low_rate_gets_the_last_frame_later() {
    let (slow, mut received) = viewer("v", 800, 80, 1);
    let mut cast = start_for([slow]);
    assert_eq!(words(cast.show_others(picture(1, 1000.0), None)), "");
    assert_eq!(words(cast.show_others(picture(2, 1010.0), None)), "catch up");
    assert_eq!(words(cast.show_others(picture(3, 1020.0), None)), "", "one timer runs");
    assert_eq!(received.recv().await, Some(1));
    assert_eq!(words(cast.handle_timer(CastTimer::CatchUp, None)), "catch up", "it is not due yet");
    assert!(received.try_recv().is_err());
}

#[actix::test]
async fn a_viewer_gets_the_rate_that_it_asks_for_at_any_rate_of_the_page() {
    for (page_fps, wanted_fps, expected) in
        [(47, 30, 30), (60, 30, 30), (55, 50, 50), (47, 60, 47), (20, 30, 20)]
    {
        let (wish, mut received) = viewer("v", 800, 80, wanted_fps);
        let mut viewer = Viewer::new(wish);
        let mut shown = 0;
        for frame in 0..page_fps * 10 {
            viewer.show(&picture(frame, 1000.0 + f64::from(frame) * 1000.0 / f64::from(page_fps)));
            // Room in the viewer's queue for the next one.
            tokio::task::yield_now().await;
            shown += u32::from(received.try_recv().is_ok());
        }
        assert!(
            (expected * 10 - 2..=expected * 10 + 2).contains(&shown),
            "{wanted_fps} of {page_fps}: {shown}"
        );
    }
}
