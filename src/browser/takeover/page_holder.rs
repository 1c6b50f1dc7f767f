//! Take-over: at most one controller at a time. While a person holds the page, the run neither observes nor
//! acts, and every input is checked against the holder. [`PageHolder`] decides, and the actor executes its
//! effects.

use crate::browser::cdp::message::RawCommand;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::page::pending_dialog::OpenDialog;
use crate::browser::takeover::comparison::{StateBefore, TakeoverChanges};
use crate::browser::takeover::holder_dialogs::{DialogSubscriber, SubscribeDialogs};
use crate::browser::takeover::holder_view::{Chooser, HolderView, SubscribeHolderView};
use crate::browser::takeover::input_state::{HeldInput, is_release};
use crate::browser::takeover::opened_dialog::{DialogEffect, OpenedDialog};
use crate::browser::takeover::pending_input::{PendingEvent, PendingInput};
use crate::ids::SessionId;
use crate::page::observation::PageDialog;
use crate::protocol::client::PersonInput;
use actix::Message;

/// Gives the page to a person. Refused while another session holds the page.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct GiveToPerson {
    pub holder: SessionId,
}

/// Ends the take-over; with a holder, only if that session holds the page. Returns the changes since it
/// began.
#[derive(Debug, Message)]
#[rtype(result = "Result<TakeoverChanges, PageError>")]
pub struct ReturnToRun {
    pub holder: Option<SessionId>,
}

/// The take-over of this page: its holder, and the state to undo at the hand-back.
#[derive(Debug, Default)]
pub struct PageHolder {
    holder: Option<SessionId>,
    before: Option<StateBefore>,
    held: HeldInput,
    /// Subscriber to the page's dialogs.
    dialog_subscriber: Option<DialogSubscriber>,
    /// Subscriber to the page's address and file choosers.
    view: Option<HolderView>,
    /// Number of take-overs so far, including the current one.
    number: u64,
    pending_input: PendingInput,
}

/// Work for the actor.
#[derive(Debug)]
pub(in crate::browser) enum TakeoverEffect {
    /// Reports the holder to the pool.
    ReportHolder,
    /// Applies the run's restrictions on addresses, or lifts them for the holder.
    ApplyRestrictions,
    /// Dismisses the run's dialog. It does not appear in the screencast, and the page is stopped while it is
    /// open.
    DismissDialog,
    /// Dismisses a dialog that was for the holder.
    DismissHolderDialog,
    /// Shows a viewer the last frame that they may see.
    ShowLast(SessionId),
    /// Sends input to the page in front.
    Post(Vec<RawCommand>),
    StopScript,
    /// Wakes the waiters for a free page.
    NotifyFree,
}

/// A take-over that begins when the state of the page is recorded.
#[derive(Debug)]
pub(in crate::browser) struct BegunTakeover {
    number: u64,
    holder: SessionId,
}

/// State of a take-over that ended.
#[derive(Debug)]
pub(in crate::browser) struct EndedTakeover {
    pub before: StateBefore,
    /// True if the holder typed any text.
    pub typed: bool,
    pub pending_input: PendingInput,
}

/// Work for the actor on an input of the holder.
#[derive(Debug)]
pub(in crate::browser) enum InputEffect {
    /// Sends commands to the page in front, in sequence.
    Send(Vec<RawCommand>),
    /// Answers a dialog, which may have closed by itself meanwhile.
    AnswerDialog { dialog: OpenDialog, accept: bool, text: Option<String> },
}

impl PageHolder {
    pub fn holder(&self) -> Option<&SessionId> {
        self.holder.as_ref()
    }

    /// Returns an error while a person holds the page.
    pub fn check_free(&self) -> Result<(), PageError> {
        match self.holder {
            Some(_) => Err(PageError::lease_held()),
            None => Ok(()),
        }
    }

    /// Returns an error unless this session holds the page.
    pub fn check_held_by(&self, session: &SessionId) -> Result<(), PageError> {
        if self.holder.as_ref() == Some(session) {
            return Ok(());
        }
        Err(PageError::new(ErrorCode::NoLease, "this window does not hold the page; take it over first"))
    }

    /// Begins a take-over: from here on no observation or action starts. The caller records the state of the
    /// page, once the current one has finished, for `finish_begin`.
    pub(in crate::browser) fn begin(
        &mut self,
        holder: SessionId,
    ) -> Result<(BegunTakeover, Vec<TakeoverEffect>), PageError> {
        if self.holder.as_ref().is_some_and(|now| *now != holder) {
            return Err(PageError::lease_held());
        }
        self.holder = Some(holder.clone());
        self.number += 1;
        let effects = vec![
            TakeoverEffect::ReportHolder,
            TakeoverEffect::ApplyRestrictions,
            TakeoverEffect::DismissDialog,
        ];
        Ok((BegunTakeover { number: self.number, holder }, effects))
    }

    /// Finishes the beginning of a take-over.
    pub(in crate::browser) fn finish_begin(
        &mut self,
        BegunTakeover { number, holder }: BegunTakeover,
        recorded: Result<StateBefore, PageError>,
    ) -> (Result<(), PageError>, Vec<TakeoverEffect>) {
        // By now the page may have been handed back and taken by another session.
        if self.number != number || self.holder.as_ref() != Some(&holder) {
            let message = "the page was handed back before it could be taken";
            return (Err(PageError::new(ErrorCode::NoLease, message)), vec![TakeoverEffect::StopScript]);
        }
        match recorded {
            Ok(before) => {
                self.before = Some(before);
                (Ok(()), vec![TakeoverEffect::ShowLast(holder)])
            }
            Err(fault) => {
                let dismissal = self.end_subscriptions();
                self.holder = None;
                let effects = vec![
                    dismissal,
                    TakeoverEffect::StopScript,
                    TakeoverEffect::NotifyFree,
                    TakeoverEffect::ApplyRestrictions,
                ];
                (Err(fault), effects)
            }
        }
    }

    /// Ends the take-over; with a holder, only if that session holds the page.
    pub(in crate::browser) fn end(
        &mut self,
        holder: Option<&SessionId>,
    ) -> Result<(EndedTakeover, Vec<TakeoverEffect>), PageError> {
        if let Some(holder) = holder {
            self.check_held_by(holder)?;
        }
        let typed = self.held.has_typed();
        let mut effects = vec![TakeoverEffect::Post(self.held.release()), self.end_subscriptions()];
        let had = self.holder.take();
        let was_held = had.is_some();
        effects.extend(had.map(TakeoverEffect::ShowLast));
        effects.push(TakeoverEffect::ApplyRestrictions);
        if was_held {
            effects.push(TakeoverEffect::ReportHolder);
        }
        let before = self.before.take().unwrap_or_default();
        Ok((EndedTakeover { before, typed, pending_input: self.pending_input.clone() }, effects))
    }

    /// Ends the holder's subscriptions.
    pub(in crate::browser) fn end_subscriptions(&mut self) -> TakeoverEffect {
        self.send_dialog(None);
        if let Some(mut view) = self.view.take() {
            view.close_chooser_of_session(None);
        }
        if let Some(mut subscriber) = self.dialog_subscriber.take() {
            subscriber.dismiss_alert(None);
        }
        TakeoverEffect::DismissHolderDialog
    }

    /// Subscribes the holder to dialogs. Ignored from anyone else.
    pub(in crate::browser) fn subscribe_dialogs(
        &mut self,
        SubscribeDialogs { holder, run, to }: SubscribeDialogs,
        open: Option<OpenDialog>,
    ) {
        if self.holder.as_ref() == Some(&holder) {
            self.dialog_subscriber = Some(DialogSubscriber::new(run, to));
            self.send_dialog(open);
        }
    }

    /// Sends the open dialog that is for the holder.
    pub(in crate::browser) fn send_dialog(&mut self, open: Option<OpenDialog>) {
        if let Some(subscriber) = &mut self.dialog_subscriber {
            subscriber.send_dialog(open);
        }
    }

    /// Sends an alert of the page to the holder.
    pub(in crate::browser) fn send_alert(&mut self, number: u64, dialog: PageDialog) {
        if let Some(subscriber) = &mut self.dialog_subscriber {
            subscriber.send_alert(number, dialog);
        }
    }

    /// Handles a dialog that a page opened. It is for the holder once the state of the page is recorded.
    pub(in crate::browser) fn dialog_opened(&self, opened: &OpenedDialog<'_>) -> Vec<DialogEffect> {
        opened.effects(self.holder.is_some() && self.before.is_some(), self.holder.is_some())
    }

    /// Subscribes the holder to the page's address and file choosers. Returns false for anyone else.
    pub(in crate::browser) fn subscribe_view(
        &mut self,
        SubscribeHolderView { holder, run, to }: SubscribeHolderView,
        url: &str,
    ) -> bool {
        let is_holder = self.holder.as_ref() == Some(&holder);
        if is_holder {
            self.view = Some(HolderView::new(run, to));
            self.show_address(url);
        }
        is_holder
    }

    /// Sends the address of the tab in front to the holder.
    pub(in crate::browser) fn show_address(&mut self, url: &str) {
        if let Some(view) = &mut self.view {
            view.show_address(url);
        }
    }

    /// Resets the holder's address field, which shows rejected input.
    pub(in crate::browser) fn reset_address(&self) {
        if let Some(view) = &self.view {
            view.reset_address();
        }
    }

    /// Handles a file chooser of a page. Returns false if it is for the run, as nobody holds the page.
    pub(in crate::browser) fn open_chooser(
        &mut self,
        session: &str,
        node: Option<i64>,
        multiple: bool,
    ) -> bool {
        if let (Some(view), Some(node)) = (&mut self.view, node) {
            view.open_chooser(session, node, multiple);
            return true;
        }
        self.holder.is_some()
    }

    /// Closes the chooser of this session, whose document is gone.
    pub(in crate::browser) fn close_chooser_of_session(&mut self, session: &str) {
        if let Some(view) = &mut self.view {
            view.close_chooser_of_session(Some(session));
        }
    }

    /// Closes the chooser of this number and returns it.
    pub(in crate::browser) fn close_chooser(&mut self, number: u64) -> Option<Chooser> {
        self.view.as_mut()?.close_chooser(number)
    }

    /// Handles mouse, keys, text and answers to dialogs. `open` is the open dialog that is for the holder.
    pub(in crate::browser) fn handle_input(
        &mut self,
        input: PersonInput,
        open: Option<OpenDialog>,
        viewport: (u32, u32),
    ) -> InputEffect {
        match input {
            PersonInput::Dialog { accept, text, number } => {
                self.answer_dialog(accept, text, number, open).unwrap_or(InputEffect::Send(Vec::new()))
            }
            // A page with an open dialog only accepts the release of held buttons and keys.
            input if open.is_some() && !is_release(&input) => InputEffect::Send(Vec::new()),
            input => InputEffect::Send(self.held.input_commands(viewport, input)),
        }
    }

    fn answer_dialog(
        &mut self,
        accept: bool,
        text: Option<String>,
        number: Option<u64>,
        open: Option<OpenDialog>,
    ) -> Option<InputEffect> {
        let subscriber = self.dialog_subscriber.as_mut();
        if subscriber.is_some_and(|subscriber| subscriber.dismiss_alert(number)) {
            return None;
        }
        let Some(open) = open else {
            if let Some(subscriber) = &self.dialog_subscriber {
                subscriber.send_closed(number.unwrap_or_default());
            }
            return None;
        };
        // The dialog may be gone and another one have opened.
        let dialog = Some(open).filter(|open| number.is_none_or(|number| number == open.serial))?;
        self.send_dialog(None);
        Some(InputEffect::AnswerDialog { dialog, accept, text })
    }

    /// Records an input that the page processes until the returned value is dropped.
    pub(in crate::browser) fn add_pending_input(&self) -> PendingEvent {
        self.pending_input.add()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::takeover::holder_dialogs::DialogChanged;
    use actix::{Actor, Context, Handler};
    use serde_json::json;
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

    fn words(effects: Vec<TakeoverEffect>) -> String {
        let words = effects.into_iter().map(|effect| match effect {
            TakeoverEffect::ReportHolder => String::from("report"),
            TakeoverEffect::ApplyRestrictions => String::from("restrict"),
            TakeoverEffect::DismissDialog => String::from("dismiss"),
            TakeoverEffect::DismissHolderDialog => String::from("dismiss theirs"),
            TakeoverEffect::ShowLast(session) => format!("show {session}"),
            TakeoverEffect::Post(commands) => format!("post {}", commands.len()),
            TakeoverEffect::StopScript => String::from("stop"),
            TakeoverEffect::NotifyFree => String::from("free"),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    fn input(value: serde_json::Value) -> PersonInput {
        serde_json::from_value(value).unwrap()
    }

    /// Lease of a take-over whose page was recorded.
    fn held_by(holder: &str) -> PageHolder {
        let mut lease = PageHolder::default();
        let (begun, _) = lease.begin(holder.into()).unwrap();
        lease.finish_begin(begun, Ok(StateBefore::default())).0.unwrap();
        lease
    }

    fn open_dialog(serial: u64) -> OpenDialog {
        let dialog = PageDialog::new("confirm", "Buy?", "");
        OpenDialog { target: "T".into(), session: "S".into(), dialog, serial, in_takeover: true }
    }

    #[test]
    fn one_session_takes_a_page_and_hands_it_back() {
        let (ours, theirs) = (SessionId::from("ours"), SessionId::from("theirs"));
        let mut lease = PageHolder::default();
        assert!(lease.check_free().is_ok());
        let (begun, effects) = lease.begin(ours.clone()).unwrap();
        assert_eq!(words(effects), "report, restrict, dismiss");
        assert_eq!(lease.check_free().unwrap_err().code, ErrorCode::LeaseHeld);
        assert_eq!(lease.begin(theirs.clone()).unwrap_err().code, ErrorCode::LeaseHeld);
        let before = StateBefore { url: "https://shop.test/".into(), ..StateBefore::default() };
        let (result, effects) = lease.finish_begin(begun, Ok(before));
        assert_eq!((result, words(effects)), (Ok(()), "show ours".to_owned()));
        assert_eq!(lease.end(Some(&theirs)).unwrap_err().code, ErrorCode::NoLease);
        assert!(lease.check_held_by(&ours).is_ok() && lease.check_held_by(&theirs).is_err());
        for pressed in [
            json!({"kind": "mouse", "event": "down", "x": 0.5, "y": 0.5, "button": "left"}),
            json!({"kind": "key", "event": "down", "key": "a", "code": "KeyA"}),
        ] {
            lease.handle_input(input(pressed), None, (1280, 720));
        }
        let (ended, effects) = lease.end(Some(&ours)).unwrap();
        assert_eq!((ended.before.url.as_str(), ended.typed), ("https://shop.test/", true));
        assert_eq!(words(effects), "post 2, dismiss theirs, show ours, restrict, report");
        assert!(lease.holder().is_none());
        let (ended, effects) = lease.end(None).unwrap();
        assert_eq!(words(effects), "post 0, dismiss theirs, restrict", "nobody holds the page");
        assert_eq!((ended.before.url.as_str(), ended.typed), ("", false));
    }

    #[test]
    fn a_take_over_that_ended_while_it_began_changes_nothing() {
        let (ours, theirs) = (SessionId::from("ours"), SessionId::from("theirs"));
        let mut lease = PageHolder::default();
        let (begun, _) = lease.begin(ours.clone()).unwrap();
        lease.end(Some(&ours)).unwrap();
        let (result, effects) = lease.finish_begin(begun, Ok(StateBefore::default()));
        assert_eq!((result.unwrap_err().code, words(effects)), (ErrorCode::NoLease, "stop".to_owned()));
        let (begun, _) = lease.begin(ours.clone()).unwrap();
        lease.end(None).unwrap();
        let (taken, _) = lease.begin(theirs.clone()).unwrap();
        assert!(lease.finish_begin(begun, Err(PageError::crashed())).0.is_err());
        assert_eq!(lease.holder(), Some(&theirs));
        let (result, effects) = lease.finish_begin(taken, Err(PageError::crashed()));
        assert_eq!(result.unwrap_err().code, ErrorCode::BrowserCrashed);
        assert_eq!(words(effects), "dismiss theirs, stop, free, restrict");
        assert!(lease.check_free().is_ok());
        // The same session begins again: only the last beginning counts.
        let (first, _) = lease.begin(ours.clone()).unwrap();
        let (second, _) = lease.begin(ours).unwrap();
        assert!(lease.finish_begin(first, Ok(StateBefore::default())).0.is_err());
        assert!(lease.finish_begin(second, Ok(StateBefore::default())).0.is_ok());
    }

    #[test]
    fn dialogs_are_for_the_holder_once_the_page_is_recorded() {
        let opened = OpenedDialog {
            kind: "confirm",
            message: "Buy?",
            is_leaving: false,
            is_in_front: true,
            is_restoring: false,
            is_other_open: false,
        };
        let mut lease = PageHolder::default();
        assert_eq!(lease.dialog_opened(&opened), [DialogEffect::Hold { in_takeover: false }]);
        let (begun, _) = lease.begin("ours".into()).unwrap();
        assert!(matches!(lease.dialog_opened(&opened)[..], [DialogEffect::Answer { accept: false, .. }]));
        lease.finish_begin(begun, Ok(StateBefore::default())).0.unwrap();
        assert_eq!(lease.dialog_opened(&opened), [DialogEffect::Hold { in_takeover: true }]);
    }

    #[test]
    fn an_open_dialog_stops_all_input_but_releases_and_its_answer() {
        let mut lease = held_by("ours");
        let mut sends = |value, open: bool| match lease.handle_input(
            input(value),
            open.then(|| open_dialog(7)),
            (1280, 720),
        ) {
            InputEffect::Send(commands) => format!("send {}", commands.len()),
            InputEffect::AnswerDialog { dialog, accept, .. } => format!("answer {} {accept}", dialog.serial),
        };
        let mouse = |event| json!({"kind": "mouse", "event": event, "x": 0.5, "y": 0.5, "button": "left"});
        let answer = |number: Option<u64>| json!({"kind": "dialog", "accept": true, "number": number});
        for (value, open, expected) in [
            (mouse("down"), false, "send 1"),
            (mouse("move"), true, "send 0"),
            (mouse("up"), true, "send 1"),
            (answer(Some(7)), true, "answer 7 true"),
            (answer(None), true, "answer 7 true"),
            (answer(Some(6)), true, "send 0"),
            (answer(Some(7)), false, "send 0"),
        ] {
            assert_eq!(sends(value.clone(), open), expected, "{value}, {open}");
        }
    }

    #[test]
    fn a_file_chooser_is_for_the_run_unless_a_person_holds_the_page() {
        let mut lease = PageHolder::default();
        assert!(!lease.open_chooser("S", Some(1), false));
        assert!(held_by("ours").open_chooser("S", Some(1), false));
        assert!(lease.close_chooser(1).is_none());
    }

    /// Subscriber that records the numbers of dialogs, and whether each is open.
    struct Recorder(UnboundedSender<(u64, bool)>);

    impl Actor for Recorder {
        type Context = Context<Self>;
    }

    impl Handler<DialogChanged> for Recorder {
        type Result = ();

        fn handle(&mut self, changed: DialogChanged, _: &mut Context<Self>) {
            let _ = self.0.send((changed.number, changed.dialog.is_some()));
        }
    }

    #[actix::test]
    async fn only_the_holder_hears_of_dialogs_until_the_hand_back() {
        let mut lease = held_by("ours");
        let (sender, mut received) = unbounded_channel();
        let to = Recorder(sender).start().recipient();
        let subscribe =
            |holder: &str| SubscribeDialogs { holder: holder.into(), run: "r".into(), to: to.clone() };
        lease.subscribe_dialogs(subscribe("theirs"), Some(open_dialog(1)));
        lease.subscribe_dialogs(subscribe("ours"), Some(open_dialog(2)));
        assert_eq!(received.recv().await, Some((2, true)));
        lease.send_dialog(None);
        lease.send_alert(3, PageDialog::new("alert", "Sold out", ""));
        lease.send_alert(4, PageDialog::new("alert", "Sold out", ""));
        lease.end(None).unwrap();
        lease.send_dialog(Some(open_dialog(5)));
        for expected in [(2, false), (3, true), (3, false)] {
            assert_eq!(received.recv().await, Some(expected));
        }
        assert!(received.try_recv().is_err());
    }
}
