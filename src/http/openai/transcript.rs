//! The conversation of a run, built from its events, and its comparison with a client's history. Pure. A
//! client identifies a run only by its messages, and may format them differently.

use crate::http::openai::notices;
use crate::http::openai::request::{ChatMessage, Role};
use crate::protocol::Locale;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::store::rows::{EventRow, RunRow};
use crate::turn::typed_secret::{self, MASK};
use serde_json::{Map, Value};

#[derive(Debug, Default, PartialEq)]
pub struct Transcript {
    /// Messages of the person, each with true if it answered a question.
    people: Vec<(String, bool)>,
    /// Messages of the agent, each with its number in the log.
    agent: Vec<(u64, String)>,
    /// Texts of questions, and other texts that clients receive in place of an agent's message.
    questions: Vec<String>,
}

/// Position up to which a client knows a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownUpTo {
    /// Number of the last event that the client knows.
    pub seen: u64,
}

impl Transcript {
    /// Starts the transcript of a run with its first message.
    pub fn begin(first_message: &str, locale: Locale) -> Self {
        let questions = vec![notices::paused_notice("", locale), notices::long_run_notice("", locale)];
        Self { people: vec![(first_message.to_owned(), false)], questions, ..Self::default() }
    }

    pub fn add_event(&mut self, fact: &EventRow, locale: Locale) {
        let of_root = fact.run == fact.root;
        match serde_json::from_str(&fact.body) {
            Ok(Fact::AgentMessage { text, .. }) if of_root => self.agent.push((fact.seq, text)),
            Ok(Fact::AgentQuestion(question)) => {
                self.questions.push(notices::question_notice(&question, "", locale));
            }
            Ok(Fact::QuestionResolved { answer, .. }) => {
                self.people.extend(answer["text"].as_str().map(|text| (text.to_owned(), true)));
            }
            // The first message is already in the run's input.
            Ok(Fact::Event(Event::UserMessage { text })) if of_root && !self.begins_with(&text) => {
                self.people.push((text, false));
            }
            _ => {}
        }
    }

    /// True if this stored message is the one that the run began with.
    fn begins_with(&self, stored: &str) -> bool {
        self.agent.is_empty() && self.people.len() == 1 && same_text(stored, &self.people[0].0)
    }

    /// Returns how far the client knows this run; `None` if its history is that of another.
    pub fn known_up_to(&self, history: &[ChatMessage]) -> Option<KnownUpTo> {
        let questions: Vec<String> = self.questions.iter().map(|text| strip_format(text)).collect();
        let mut received = String::new();
        let mut people = Vec::new();
        for message in history {
            match message.role {
                Role::System => {}
                Role::User => people.push((message.text.as_str(), false)),
                Role::Assistant => {
                    let (text, has_question) = remove_questions(&strip_format(&message.text), &questions);
                    // A message that was answered by the same question again, or while the run was paused,
                    // may never have reached the run.
                    if let Some(last) = people.last_mut() {
                        last.1 = has_question;
                    }
                    received.push_str(&text);
                }
            }
        }
        if !self.same_people(&people) {
            return None;
        }
        self.last_message_in(&received)
    }

    fn same_people(&self, people: &[(&str, bool)]) -> bool {
        let mut own = self.people.iter().peekable();
        for (text, may_be_lost) in people {
            while own.peek().is_some_and(|(known, answer)| *answer && !same_text(known, text)) {
                own.next();
            }
            match own.peek() {
                Some((known, _)) if same_text(known, text) => drop(own.next()),
                Some(_) | None if *may_be_lost => {}
                Some(_) | None => return false,
            }
        }
        own.all(|(_, answer)| *answer)
    }

    /// Returns the last agent message that `received` contains; `received` may end within one.
    fn last_message_in(&self, received: &str) -> Option<KnownUpTo> {
        let (mut left, mut seen) = (received, 0);
        for (seq, text) in &self.agent {
            let text = strip_format(text);
            match left.strip_prefix(text.as_str()) {
                Some(rest) => (left, seen) = (rest, *seq),
                None if text.starts_with(left) => return Some(KnownUpTo { seen }),
                None => return None,
            }
        }
        left.is_empty().then_some(KnownUpTo { seen })
    }
}

/// Returns the first user message of the history, if the run was started with it.
pub fn first_message<'h>(row: &RunRow, history: &'h [ChatMessage]) -> Option<&'h str> {
    let first = history.iter().find(|message| message.role == Role::User)?.text.as_str();
    let is_input_value = row
        .input
        .values()
        .filter_map(Value::as_str)
        .any(|text| same_text(&typed_secret::mask_placeholders(text), first));
    let is_whole_input =
        || serde_json::from_str::<Map<String, Value>>(first).is_ok_and(|input| input == row.input);
    (is_input_value || is_whole_input()).then_some(first)
}

/// Removes whitespace, which clients format differently, and links, whose host may change.
fn strip_format(text: &str) -> String {
    text.split_whitespace().filter(|word| !word.contains("/#/runs/")).collect()
}

/// Removes the texts of questions. Returns true if there was any.
fn remove_questions(text: &str, questions: &[String]) -> (String, bool) {
    let mut rest = text.to_owned();
    for question in questions.iter().filter(|question| !question.is_empty()) {
        rest = rest.replace(question.as_str(), "");
    }
    let has_question = rest.len() < text.len();
    (rest, has_question)
}

/// Compares a stored text with a received one. A masked secret matches any text, so the words around it
/// decide.
pub fn same_text(stored: &str, received: &str) -> bool {
    let (stored, received) = (strip_format(stored), strip_format(received));
    let Some((first, rest)) = stored.split_once(MASK) else { return stored == received };
    let Some(mut left) = received.strip_prefix(first) else { return false };
    let mut parts = rest.split(MASK).peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match if last { left.rfind(part) } else { left.find(part) } {
            Some(at) if !last || at + part.len() == left.len() => left = &left[at + part.len()..],
            Some(_) | None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::ids::RunId;

    fn build_message(role: Role, text: &str) -> ChatMessage {
        ChatMessage { role, text: text.to_owned() }
    }

    fn run() -> Transcript {
        Transcript {
            people: vec![
                (String::from("a lamp"), false),
                (String::from("blue"), true),
                (String::from("and?"), false),
            ],
            agent: vec![
                (2, String::from("I look.")),
                (5, String::from("It costs\n$20.")),
                (9, String::from("Done.")),
            ],
            questions: vec![String::from("Which colour?\n\nAnswer here.")],
        }
    }

    // Formatting differs, but the messages are the same.
    #[test]
    fn a_history_is_identified_by_its_text() {
        let (user, agent) = (Role::User, Role::Assistant);
        let question = "I look.\n\nWhich colour?\n\nAnswer here. http://h/#/runs/r";
        let whole = [
            build_message(Role::System, "be brief"),
            build_message(user, "a  lamp"),
            build_message(agent, question),
            build_message(user, "blue"),
            build_message(agent, "It costs $20."),
            build_message(user, "and?"),
            build_message(agent, "Done."),
        ];
        assert_eq!(run().known_up_to(&whole), Some(KnownUpTo { seen: 9 }));
        // The answer was given on the page, and its words were cut.
        let short = [
            build_message(user, "a lamp"),
            build_message(agent, question),
            build_message(user, "and?"),
            build_message(agent, "It costs"),
        ];
        assert_eq!(run().known_up_to(&short), Some(KnownUpTo { seen: 2 }));
        // It was sent again while the question was open, and received by nobody.
        let repeated = [
            build_message(user, "a lamp"),
            build_message(agent, question),
            build_message(user, "yes, do"),
            build_message(agent, "Which colour?\nAnswer here. http://h/#/runs/r"),
            build_message(user, "and?"),
            build_message(agent, "It costs $20. Done."),
        ];
        assert_eq!(run().known_up_to(&repeated), Some(KnownUpTo { seen: 9 }));
    }

    #[test]
    fn a_different_history_is_a_different_run() {
        let (user, agent) = (Role::User, Role::Assistant);
        for other in [
            // The chat restarts from its beginning, without the later messages.
            vec![build_message(user, "a lamp"), build_message(agent, "I look.")],
            vec![
                build_message(user, "a chair"),
                build_message(agent, "I look."),
                build_message(user, "and?"),
                build_message(agent, "Done."),
            ],
            vec![
                build_message(user, "a lamp"),
                build_message(agent, "I think."),
                build_message(user, "and?"),
                build_message(agent, "Done."),
            ],
            vec![
                build_message(user, "a lamp"),
                build_message(user, "more"),
                build_message(agent, "I look."),
                build_message(user, "and?"),
            ],
        ] {
            assert_eq!(run().known_up_to(&other), None, "{other:?}");
        }
    }

    // The client knows the password, the service only its mask.
    #[test]
    fn a_history_that_begins_with_a_secret_is_recognized() {
        let (user, agent) = (Role::User, Role::Assistant);
        let history = [
            build_message(user, "type hunter2 into Password"),
            build_message(agent, "Done."),
            build_message(user, "and?"),
        ];
        let mut run = Transcript::begin("type hunter2 into Password", Locale::En);
        let fact = |seq, fact: Fact| EventRow {
            seq,
            root: RunId::from("r"),
            run: RunId::from("r"),
            at: Moment::from_millis(0),
            body: fact.body(),
        };
        let message = Event::UserMessage { text: String::from("type •••• into Password") };
        run.add_event(&fact(1, Fact::Event(message)), Locale::En);
        let answer = Fact::AgentMessage { text: String::from("Done."), html: String::new(), r#final: true };
        run.add_event(&fact(2, answer), Locale::En);
        assert_eq!(run.known_up_to(&history[..2]), Some(KnownUpTo { seen: 2 }));
    }

    #[test]
    fn a_secret_in_the_history_is_skipped() {
        assert!(same_text("log in with •••• now", "log in with hunter2 now"));
        assert!(same_text("the code is ••••", "the code is 123456"));
        assert!(!same_text("log in with •••• now", "log in with hunter2 later"));
        assert!(!same_text("a lamp", "a lamp more"));
    }
}
