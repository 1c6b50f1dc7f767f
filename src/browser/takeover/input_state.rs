//! A person's input during a take-over: the CDP command of each event, and the buttons and keys held down,
//! which are released when the take-over ends.

use crate::browser::cdp::message::RawCommand;
use crate::browser::error::PageError;
use crate::browser::geometry::Point;
use crate::browser::input::keyboard::{CONTROL, Key, META, SHIFT};
use crate::browser::input::{keyboard, pointer};
use crate::ids::SessionId;
use crate::protocol::client::{self, KeyEvent, MouseEvent, PersonInput};
use crate::turn::page_input::mouse::Button;
use actix::Message;
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType,
    InsertTextParams, MouseButton,
};

/// Mask of Alt, Control, Meta and Shift.
const MODIFIERS: u32 = 15;

/// Buttons and keys held down, and the pointer's position.
#[derive(Debug, Default)]
pub struct HeldInput {
    buttons: Vec<Button>,
    keys: Vec<(String, String)>,
    at: Option<Point>,
    /// True if any text was typed.
    typed: bool,
}

impl HeldInput {
    /// Converts an event to the CDP commands to send in sequence.
    pub fn input_commands(&mut self, viewport: (u32, u32), input: PersonInput) -> Vec<RawCommand> {
        match input {
            PersonInput::Mouse { event, x, y, button, count, modifiers } => {
                let at = point(viewport, x, y);
                self.at = Some(at);
                let mut command = self.mouse(event, at, button, count.unwrap_or(1));
                command.modifiers = Some(i64::from(modifiers & MODIFIERS));
                vec![RawCommand::from_command(&command)]
            }
            PersonInput::Wheel { x, y, dx, dy } => {
                let mut command = pointer::mouse(DispatchMouseEventType::MouseWheel, point(viewport, x, y));
                command.delta_x = Some(dx);
                command.delta_y = Some(dy);
                vec![RawCommand::from_command(&command)]
            }
            PersonInput::Key { event, key, code, modifiers } => {
                self.keys.retain(|(held, at)| (held, at) != (&key, &code));
                let command = key_event(event, &key, &code, i64::from(modifiers & MODIFIERS));
                if event == KeyEvent::Down {
                    self.typed |= key.chars().count() == 1;
                    self.keys.push((key, code));
                }
                vec![RawCommand::from_command(&command)]
            }
            PersonInput::Text { text } => {
                self.typed = true;
                text_commands(text)
            }
            // These do not go to the page as input.
            PersonInput::Dialog { .. }
            | PersonInput::Navigate { .. }
            | PersonInput::Back
            | PersonInput::Files { .. } => Vec::new(),
        }
    }

    /// Reports whether any text was typed since the take-over began.
    pub fn has_typed(&self) -> bool {
        self.typed
    }

    /// Releases everything: keys first, so that a button's release does not become a chord.
    pub fn release(&mut self) -> Vec<RawCommand> {
        let keys = std::mem::take(&mut self.keys).into_iter().rev();
        let mut commands: Vec<RawCommand> = keys
            .map(|(key, code)| RawCommand::from_command(&key_event(KeyEvent::Up, &key, &code, 0)))
            .collect();
        self.typed = false;
        let at = self.at.take();
        for button in std::mem::take(&mut self.buttons) {
            if let Some(at) = at {
                commands.push(RawCommand::from_command(&pointer::button_event(
                    DispatchMouseEventType::MouseReleased,
                    at,
                    button,
                    1,
                )));
            }
        }
        commands
    }

    fn mouse(
        &mut self,
        event: MouseEvent,
        at: Point,
        button: client::Held,
        count: u32,
    ) -> DispatchMouseEventParams {
        let button = match button {
            client::Held::Left => Some(Button::Left),
            client::Held::Right => Some(Button::Right),
            client::Held::Middle => Some(Button::Middle),
            client::Held::None => None,
        };
        let kind = match (event, button) {
            // Without a button nothing is pressed.
            (MouseEvent::Move, _) | (MouseEvent::Down | MouseEvent::Up, None) => {
                let mut command = pointer::mouse(DispatchMouseEventType::MouseMoved, at);
                // A move with a button held is a drag.
                command.button =
                    Some(self.buttons.last().map_or(MouseButton::None, |held| pointer::cdp_button(*held)));
                command.buttons = Some(self.bits()).filter(|bits| *bits != 0);
                return command;
            }
            (MouseEvent::Down, Some(_)) => DispatchMouseEventType::MousePressed,
            (MouseEvent::Up, Some(_)) => DispatchMouseEventType::MouseReleased,
        };
        let button = button.unwrap_or(Button::Left);
        self.buttons.retain(|held| *held != button);
        if event == MouseEvent::Down {
            self.buttons.push(button);
        }
        let mut command = pointer::button_event(kind, at, button, count.clamp(1, 3));
        command.buttons = Some(self.bits());
        command
    }

    fn bits(&self) -> i64 {
        self.buttons.iter().fold(0, |all, button| all | bit(*button))
    }
}

/// Types text with key events if possible. If text is inserted while the page navigates, it is lost, and
/// Chromium sends the page no further input until the next navigation.
fn text_commands(text: String) -> Vec<RawCommand> {
    match keyboard::key_events(&text) {
        Some(events) => events.iter().map(RawCommand::from_command).collect(),
        None => vec![RawCommand::from_command(&InsertTextParams::new(text))],
    }
}

fn point((width, height): (u32, u32), x: f64, y: f64) -> Point {
    let within = |part: f64, whole: u32| part.clamp(0.0, 1.0) * f64::from(whole);
    Point { x: within(x, width), y: within(y, height) }
}

fn bit(button: Button) -> i64 {
    match button {
        Button::Left => 1,
        Button::Right => 2,
        Button::Middle => 4,
    }
}

fn key_event(event: KeyEvent, name: &str, code: &str, modifiers: i64) -> DispatchKeyEventParams {
    let mut key = Key::named(name).unwrap_or_else(|| Key {
        key: name.to_owned(),
        code: String::new(),
        virtual_code: 0,
        text: None,
    });
    if !code.is_empty() {
        code.clone_into(&mut key.code);
    }
    let typed = key.text.clone().filter(|_| modifiers & !SHIFT == 0);
    let kind = match (event, &typed) {
        (KeyEvent::Up, _) => DispatchKeyEventType::KeyUp,
        (KeyEvent::Down, Some(_)) => DispatchKeyEventType::KeyDown,
        (KeyEvent::Down, None) => DispatchKeyEventType::RawKeyDown,
    };
    let mut command = keyboard::event(kind, &key, modifiers);
    command.commands = editing_command(event, &key.key, modifiers);
    command.text = typed.filter(|_| event == KeyEvent::Down);
    command
}

/// Returns the editing command of a chord. The operating system defines these, and headless Chromium has none
/// to ask.
fn editing_command(event: KeyEvent, key: &str, modifiers: i64) -> Option<Vec<String>> {
    let chord = modifiers & (CONTROL | META) != 0 && event == KeyEvent::Down;
    let command = match key.to_lowercase().as_str() {
        "a" => "selectAll",
        "z" if modifiers & SHIFT != 0 => "redo",
        "z" => "undo",
        "y" => "redo",
        _ => return None,
    };
    chord.then(|| vec![command.to_owned()])
}

/// Input event of the holder. Positions are fractions of the viewport, 0 to 1.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct HolderInput {
    pub holder: SessionId,
    pub input: PersonInput,
}

/// Reports whether the input releases a button or key.
pub(in crate::browser) fn is_release(input: &PersonInput) -> bool {
    matches!(
        input,
        PersonInput::Mouse { event: MouseEvent::Up, .. } | PersonInput::Key { event: KeyEvent::Up, .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use chromiumoxide::types::Method;
    use serde_json::{Value, json};

    fn command_json(command: &RawCommand) -> Value {
        serde_json::to_value(command).unwrap()
    }

    fn input(value: Value) -> PersonInput {
        serde_json::from_value(value).unwrap()
    }

    // Positions do not depend on the picture's size, and everything held is released.
    #[test]
    fn held_buttons_are_released_at_the_pointer_position() {
        let mut held = HeldInput::default();
        let mouse = |event: &str, x: f64, button: &str, modifiers: u32| {
            input(
                json!({"kind": "mouse", "event": event, "x": x, "y": 0.5, "button": button, "modifiers": modifiers}),
            )
        };
        let key =
            |event: &str| input(json!({"kind": "key", "event": event, "key": "Shift", "code": "ShiftLeft"}));
        held.input_commands((1280, 720), key("down"));
        let down = command_json(&held.input_commands((1280, 720), mouse("down", 0.25, "left", 8))[0]);
        assert_eq!((&down["x"], &down["y"], &down["modifiers"]), (&json!(320.0), &json!(360.0), &json!(8)));
        let drag = command_json(&held.input_commands((1280, 720), mouse("move", 0.75, "none", 0))[0]);
        assert_eq!(
            (&drag["x"], &drag["buttons"], &drag["button"]),
            (&json!(960.0), &json!(1), &json!("left"))
        );
        let let_go: Vec<Value> = held.release().iter().map(command_json).collect();
        assert_eq!((&let_go[0]["type"], &let_go[0]["key"]), (&json!("keyUp"), &json!("Shift")));
        assert_eq!((&let_go[1]["type"], &let_go[1]["x"]), (&json!("mouseReleased"), &json!(960.0)));
        assert_eq!((let_go.len(), held.release().len()), (2, 0));
        // A button or key that the person released is not released again.
        held.input_commands((1280, 720), key("down"));
        held.input_commands((1280, 720), key("up"));
        held.input_commands((1280, 720), mouse("down", 0.1, "right", 0));
        held.input_commands((1280, 720), mouse("up", 0.1, "right", 0));
        assert!(held.release().is_empty());
    }

    #[test]
    fn short_text_is_typed_and_only_long_text_or_lines_are_inserted() {
        let methods = |text: &str| {
            let commands = HeldInput::default()
                .input_commands((1280, 720), input(json!({"kind": "text", "text": text})));
            commands.iter().map(|command| command.identifier().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(methods("дя"), ["Input.dispatchKeyEvent"; 4]);
        for inserted in ["two\nlines".to_owned(), "long ".repeat(20)] {
            assert_eq!(methods(&inserted), ["Input.insertText"]);
        }
    }
}
