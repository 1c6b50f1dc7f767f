//! Reads a call as an action: the only way from what a planner wrote to what may be done.

use super::Call;
use super::action::{Action, ActionError, Button, Direction, TabOperation};
use super::params::Reader;

impl Action {
    /// Checks name and parameters. Unknown parameters are ignored, as weak models invent some.
    pub fn parse(call: &Call) -> Result<Self, ActionError> {
        let reader = Reader { action: &call.action, params: &call.params };
        match call.action.as_str() {
            "navigate" => Ok(Self::Navigate { url: reader.text("url")? }),
            "back" => Ok(Self::Back),
            "forward" => Ok(Self::Forward),
            "reload" => Ok(Self::Reload),
            "click" => Ok(Self::Click {
                eid: reader.eid()?,
                button: reader.or("button", Button::Left)?,
                count: reader.or("count", 1u32)?.clamp(1, 3),
            }),
            "type" => Ok(Self::Type {
                eid: reader.eid()?,
                text: reader.text_or_number("text")?,
                clear: reader.or("clear", true)?,
                submit: reader.or("submit", false)?,
            }),
            "select" => Ok(Self::Select { eid: reader.eid()?, options: reader.texts_or_none("option")? }),
            "press" => Ok(Self::Press { key: reader.text("key")? }),
            "hover" => Ok(Self::Hover { eid: reader.eid()? }),
            "drag" => Ok(Self::Drag {
                from_eid: reader.eid_named("from_eid")?,
                to_eid: reader.eid_named("to_eid")?,
            }),
            "scroll" => Ok(Self::Scroll {
                direction: reader.or("direction", Direction::Down)?,
                amount: reader.or("amount", 1.0f64)?.clamp(0.1, 100.0),
                eid: reader.optional("eid")?,
            }),
            "wait" => Ok(Self::Wait {
                seconds: reader.or("seconds", 5.0f64)?.clamp(0.0, 60.0),
                text: reader.optional("text")?,
            }),
            "upload" => Ok(Self::Upload { eid: reader.eid()?, files: reader.texts("file")? }),
            "dialog" => Ok(Self::Dialog {
                accept: reader.needed("accept", "true or false")?,
                text: reader.optional("text")?,
            }),
            "tab" => tab(&reader),
            "extract" => Ok(Self::Extract { eid: reader.optional("eid")? }),
            "need_user" => Ok(Self::NeedUser { text: reader.text("text")? }),
            "ask_user" => Ok(Self::AskUser {
                question: reader.text("question")?,
                answer_key: reader.or("answer_key", String::from("answer"))?,
                options: reader.or("options", Vec::new())?,
            }),
            "stop" | "complete" => Ok(Self::Stop { response: reader.optional("response")? }),
            other => Err(ActionError::Unknown { name: other.to_owned() }),
        }
    }
}

fn tab(reader: &Reader<'_>) -> Result<Action, ActionError> {
    let operation = reader.needed("operation", "new, switch or close")?;
    let tab: Option<u32> = reader.optional("tab")?;
    let url: Option<String> = reader.optional("url")?;
    match operation {
        TabOperation::Switch if tab.is_none() => {
            Err(reader.fail(String::from("`tab` (the number of the tab, from 1) is missing")))
        }
        TabOperation::New | TabOperation::Switch | TabOperation::Close => {
            Ok(Action::Tab { operation, tab, url: url.filter(|url| !url.trim().is_empty()) })
        }
    }
}
