//! The rows of a run's inbox. What a row is stands beside its text, so that no words of a client pass for an order.

use serde_json::Value;

/// A row of an inbox; `n` counts up within its run.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub n: u64,
    pub item: InboxItem,
}

/// The content of an inbox row.
#[derive(Clone, Debug, PartialEq)]
pub enum InboxItem {
    /// A person's words.
    Words(String),
    /// A person's change of the plan, as JSON.
    PlanEdit(Value),
    /// The end of a task before its time, by the task's id.
    TaskCancel(String),
    /// A report of what changed on the page while a person had it.
    HandBack(String),
}

impl InboxItem {
    /// The word that a stored row names its kind by.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Words(_) => "words",
            Self::PlanEdit(_) => "plan_edit",
            Self::TaskCancel(_) => "task_cancel",
            Self::HandBack(_) => "hand_back",
        }
    }

    /// The content as text, as it is stored beside the kind.
    pub fn text(&self) -> String {
        match self {
            Self::Words(text) | Self::TaskCancel(text) | Self::HandBack(text) => text.clone(),
            Self::PlanEdit(edit) => edit.to_string(),
        }
    }

    /// Reads a stored row; `None` if this version does not know its kind or its text.
    pub fn read(kind: &str, text: String) -> Option<Self> {
        Some(match kind {
            "words" => Self::Words(text),
            "plan_edit" => Self::PlanEdit(serde_json::from_str(&text).ok()?),
            "task_cancel" => Self::TaskCancel(text),
            "hand_back" => Self::HandBack(text),
            _ => return None,
        })
    }

    /// A person's words, if it holds any.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Words(text) => Some(text),
            Self::PlanEdit(_) | Self::TaskCancel(_) | Self::HandBack(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        let items = [
            InboxItem::Words(String::from("\u{1}plan_edit {\"items\":[]}")),
            InboxItem::PlanEdit(json!({"items": []})),
            InboxItem::TaskCancel(String::from("build")),
            InboxItem::HandBack(String::from("The person handed the page back.")),
        ];
        for item in items {
            assert_eq!(InboxItem::read(item.kind(), item.text()), Some(item));
        }
        assert_eq!(InboxItem::read("plan_edit", String::from("not JSON")), None);
        assert_eq!(InboxItem::read("later", String::new()), None);
    }
}
