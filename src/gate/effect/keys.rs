//! Effects of key presses on the focused element: Enter in a form sends it, Enter and Space on a button press
//! it, Delete deletes, and a single letter outside a field may be a shortcut.

use crate::gate::effect::{element, form};
use crate::gate::meaning::effect_class::{EffectClass, EffectJudgement};
use crate::gate::meaning::intent::Intent;
use crate::gate::request::AssessmentRequest;
use crate::gate::wording::name_intents;
use crate::page::target::Target;

/// A key as the model names it: "Enter", "Control+A".
struct Chord<'a> {
    key: &'a str,
    /// True if Control or Meta is held.
    command: bool,
    alt: bool,
}

impl<'a> Chord<'a> {
    fn read(text: &'a str) -> Self {
        let text = text.trim();
        let (held, key) = match text.rsplit_once('+') {
            Some((held, "")) => (held.strip_suffix('+').unwrap_or_default(), "+"),
            Some((held, key)) => (held, key.trim()),
            None => ("", text),
        };
        let holds = |names: &[&str]| {
            held.split('+').any(|part| names.iter().any(|name| part.trim().eq_ignore_ascii_case(name)))
        };
        Self {
            key,
            command: holds(&["control", "ctrl", "ctl", "meta", "command", "cmd", "win", "windows", "super"]),
            alt: holds(&["alt", "option"]),
        }
    }

    fn is(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.key.eq_ignore_ascii_case(name))
    }
}

pub(crate) fn judge_key(key: &str, request: &AssessmentRequest<'_>) -> EffectJudgement {
    let chord = Chord::read(key);
    let focused = request.target;
    if chord.is(&["Enter", "Return", "NumpadEnter"]) {
        return match focused {
            None => EffectJudgement::plain(EffectClass::Unknown),
            Some(target) if chord.command => judge_control_enter(target, request),
            Some(target) => judge_enter(target, request),
        };
    }
    if chord.is(&["Space", "Spacebar", " ", ""]) {
        return match focused {
            Some(target) if !target.editable && !is_field(target) => element::judge_click(target, request),
            Some(_) | None => EffectJudgement::plain(EffectClass::Input),
        };
    }
    if focused.is_some_and(|target| target.editable) && !chord.command && !chord.alt {
        return EffectJudgement::plain(EffectClass::Input);
    }
    if chord.is(&["Delete", "Del"]) {
        return EffectJudgement::new(EffectClass::Delete, Some(Intent::Delete));
    }
    judge_shortcut(&chord, focused)
}

/// Judges the remaining keys: navigation, common shortcuts, and letters that a page may listen to.
fn judge_shortcut(chord: &Chord<'_>, focused: Option<&Target>) -> EffectJudgement {
    let editing = focused.is_some_and(|target| target.editable);
    let effect = match (chord.key.chars().count(), chord.command || chord.alt) {
        (1, true) if chord.is(&["a", "c", "x", "v", "z", "y", "f"]) => EffectClass::Input,
        (1, true) if chord.is(&["s"]) => {
            return EffectJudgement::new(EffectClass::Submit, Some(Intent::Save));
        }
        (1, false) if chord.is(&["/", "?", "j", "k"]) => EffectClass::Input,
        (1, _) => EffectClass::Unknown,
        _ if chord.is(&["Backspace"]) => {
            if editing {
                EffectClass::Input
            } else {
                EffectClass::Unknown
            }
        }
        _ => EffectClass::Input,
    };
    EffectJudgement::plain(effect)
}

fn is_field(target: &Target) -> bool {
    matches!(target.role.as_str(), "textbox" | "searchbox" | "combobox" | "listbox" | "spinbutton")
}

/// Judges Enter without modifiers.
pub(crate) fn judge_enter(target: &Target, request: &AssessmentRequest<'_>) -> EffectJudgement {
    let types = target.editable || is_field(target);
    let sends = target.submits && changes_on_key(target);
    if !types && !sends {
        return if changes_on_key(target) {
            EffectJudgement::plain(EffectClass::Input)
        } else {
            element::judge_click(target, request)
        };
    }
    match &target.form {
        Some(form) if target.submits && form.method != "dialog" => {
            form::judge_sending(form, &name_intents::read_name(default_button(target)), target, request)
        }
        Some(_) | None => judge_enter_without_form(target),
    }
}

/// True for elements whose state a key changes.
fn changes_on_key(target: &Target) -> bool {
    matches!(target.role.as_str(), "checkbox" | "radio" | "slider" | "switch" | "option" | "tab")
        || matches!(target.tag.as_str(), "select" | "summary")
}

/// Returns the name of the button that Enter presses: the first of the form.
fn default_button(target: &Target) -> &str {
    let buttons = target.form.as_ref().map(|form| form.buttons.as_slice()).unwrap_or_default();
    buttons.first().map(String::as_str).unwrap_or_default()
}

/// Judges Enter where it sends no form: a search box searches, a chat sends, and other scripts may do
/// anything.
fn judge_enter_without_form(target: &Target) -> EffectJudgement {
    if target.is_secret() {
        return EffectJudgement::new(EffectClass::Credentials, Some(Intent::SignIn));
    }
    let says = |text: &str, intents: &[Intent]| {
        let name = name_intents::read_name(text);
        intents.iter().any(|intent| name.mentions(*intent))
    };
    const TALK: [Intent; 3] = [Intent::Send, Intent::Reply, Intent::Post];
    let texts = [target.name.as_str(), &target.context, &target.near];
    let search =
        matches!(target.role.as_str(), "searchbox" | "combobox" | "spinbutton") || target.kind == "search";
    if search || says(&target.name, &[Intent::Filter]) {
        return EffectJudgement::new(EffectClass::Input, Some(Intent::Filter));
    }
    if texts.iter().any(|text| says(text, &TALK) || name_intents::is_chat(text)) {
        return EffectJudgement::new(EffectClass::Message, Some(Intent::Send));
    }
    match &target.form {
        // A new line in a form's text area.
        Some(_) if target.tag == "textarea" => EffectJudgement::plain(EffectClass::Input),
        Some(_) | None => EffectJudgement::plain(EffectClass::Unknown),
    }
}

/// Judges Control+Enter, which sends the text being written.
fn judge_control_enter(target: &Target, request: &AssessmentRequest<'_>) -> EffectJudgement {
    match &target.form {
        Some(form) if form.method != "dialog" => {
            form::judge_sending(form, &name_intents::read_name(default_button(target)), target, request)
        }
        Some(_) | None if target.editable => EffectJudgement::new(EffectClass::Message, Some(Intent::Send)),
        Some(_) | None => element::judge_press(target, request),
    }
}
