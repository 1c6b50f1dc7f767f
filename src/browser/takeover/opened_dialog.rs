//! Decisions about a dialog that a page opened: who answers it, and what the run is told.

use crate::browser::page::dialog_answers::{is_accepted_by_default, quote_message};
use crate::page::observation;

/// A dialog that a page opened, and its circumstances.
#[derive(Clone, Copy, Debug)]
pub struct OpenedDialog<'a> {
    /// Kind of the dialog in CDP.
    pub kind: &'a str,
    pub message: &'a str,
    /// True if the page is being left.
    pub is_leaving: bool,
    /// True if the page is the tab in front.
    pub is_in_front: bool,
    /// True if the page is being restored: it would otherwise never load.
    pub is_restoring: bool,
    /// True if another dialog is open.
    pub is_other_open: bool,
}

/// Work for the actor.
#[derive(Clone, Debug, PartialEq)]
pub enum DialogEffect {
    /// Answers a dialog of a page that is being left, and records that the page asks again.
    AnswerLeaving { accept: bool },
    /// Shows the dialog to the holder, who need not answer it.
    ShowAlert,
    /// Leaves the dialog open: for the holder if `in_takeover`, otherwise for the run.
    Hold { in_takeover: bool },
    /// Answers at once, with a note for the run.
    Answer { accept: bool, note: String },
}

impl OpenedDialog<'_> {
    /// Returns the effects. `in_takeover` is true during a take-over, `is_held` also while it begins.
    pub fn effects(&self, in_takeover: bool, is_held: bool) -> Vec<DialogEffect> {
        let accept = is_accepted_by_default(self.kind);
        if self.is_leaving {
            return vec![DialogEffect::AnswerLeaving { accept }];
        }
        let is_alert = self.kind == "alert";
        let theirs = in_takeover && !self.is_restoring;
        let stays = !is_alert && (theirs || !is_held);
        if self.is_in_front && stays && !self.is_other_open {
            return vec![DialogEffect::Hold { in_takeover }];
        }
        let mut effects = Vec::new();
        if theirs && is_alert && self.is_in_front {
            effects.push(DialogEffect::ShowAlert);
        }
        effects.push(DialogEffect::Answer { accept, note: self.note(accept, in_takeover) });
        effects
    }

    fn note(&self, accept: bool, in_takeover: bool) -> String {
        let answered = if accept { "accepted" } else { "dismissed" };
        match self.kind {
            kind @ observation::LEAVE => {
                format!("dialog ({kind}), {answered}: \"the page was left all the same\"")
            }
            // The text of a person's dialog is not reported to anyone else.
            kind if in_takeover && kind != "alert" => {
                format!("dialog ({kind}), {answered}: it was for the person")
            }
            kind => format!("dialog ({kind}), {answered}: {}", quote_message(self.message)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialogs_are_held_answered_or_shown_by_their_circumstances() {
        let hold = |in_takeover| vec![DialogEffect::Hold { in_takeover }];
        let answer = |accept, note: &str| DialogEffect::Answer { accept, note: note.to_owned() };
        let usual = OpenedDialog {
            kind: "confirm",
            message: "Buy?",
            is_leaving: false,
            is_in_front: true,
            is_restoring: false,
            is_other_open: false,
        };
        let (alert, leave) =
            (OpenedDialog { kind: "alert", ..usual }, OpenedDialog { kind: observation::LEAVE, ..usual });
        let (dismissed, alerted) = (
            answer(false, "dialog (confirm), dismissed: \"Buy?\""),
            answer(true, "dialog (alert), accepted: \"Buy?\""),
        );
        let left = answer(true, "dialog (beforeunload), accepted: \"the page was left all the same\"");
        let theirs = answer(false, "dialog (confirm), dismissed: it was for the person");
        let (run, begins, person) = ((false, false), (false, true), (true, true));
        let leaving = |accept| vec![DialogEffect::AnswerLeaving { accept }];
        for (opened, (in_takeover, is_held), expected) in [
            (usual, run, hold(false)),
            (usual, begins, vec![dismissed.clone()]),
            (usual, person, hold(true)),
            (leave, run, hold(false)),
            (leave, person, hold(true)),
            (alert, run, vec![alerted.clone()]),
            (alert, begins, vec![alerted.clone()]),
            (alert, person, vec![DialogEffect::ShowAlert, alerted.clone()]),
            (OpenedDialog { is_in_front: false, ..alert }, person, vec![alerted]),
            (OpenedDialog { is_in_front: false, ..usual }, run, vec![dismissed.clone()]),
            (OpenedDialog { is_other_open: true, ..usual }, run, vec![dismissed]),
            (OpenedDialog { is_other_open: true, ..leave }, run, vec![left]),
            (OpenedDialog { is_other_open: true, ..usual }, person, vec![theirs.clone()]),
            (OpenedDialog { is_restoring: true, ..usual }, run, hold(false)),
            (OpenedDialog { is_restoring: true, ..usual }, person, vec![theirs]),
            (OpenedDialog { is_leaving: true, ..usual }, person, leaving(false)),
            (OpenedDialog { is_leaving: true, ..alert }, run, leaving(true)),
            (OpenedDialog { is_leaving: true, ..leave }, run, leaving(true)),
        ] {
            assert_eq!(
                opened.effects(in_takeover, is_held),
                expected,
                "{opened:?}, {in_takeover}, {is_held}"
            );
        }
    }
}
