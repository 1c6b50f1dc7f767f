//! Questions of a run on a terminal: their text, and the meaning of the typed line.

use crate::cli::client::follow::terminal_output::{Paint, brief, plain, plain_lines};
use crate::cli::client::terminal_language::terminal;
use crate::protocol::server::Question;
use crate::protocol::{QuestionKind, Remember};
use crate::text::secret_words;
use crate::texts::terminal as texts;
use serde_json::{Value, json};

/// A question that waits for an answer from this terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenQuestion {
    pub question: Question,
    /// The question's frame as it was received.
    pub frame: Value,
    /// The agent that asks, if it is not the one that was started.
    pub agent: Option<String>,
    /// True while the person types what to do instead.
    pub instead: bool,
}

/// Meaning of a typed line.
#[derive(Clone, Debug, PartialEq)]
pub enum LineMeaning {
    /// An answer to send.
    Answer(Value),
    /// The next line says what to do instead.
    Instead,
    /// Not a valid answer; the text says what is.
    Again(String),
}

impl OpenQuestion {
    /// The rule of the gate that asks, if one does.
    pub fn rule(&self) -> Option<&str> {
        if self.question.kind == QuestionKind::Confirm {
            self.question.payload["rule"].as_str()
        } else {
            None
        }
    }

    /// True if the question asks for a secret, so that the answer must not be shown while it is typed.
    pub fn is_secret(&self) -> bool {
        let payload = &self.question.payload;
        let words = [Some(self.question.text.as_str()), payload["answer_key"].as_str()];
        self.question.kind == QuestionKind::Question
            && self.options().is_empty()
            && words.into_iter().flatten().any(secret_words::names_secret)
    }

    /// Returns the lines that a person reads before answering.
    pub fn card(&self, page: &str, paint: Paint) -> Vec<String> {
        let who = self.agent.as_ref().map_or_else(String::new, |agent| format!("{agent}: "));
        let text = plain_lines(self.localized_text("text").unwrap_or(&self.question.text));
        let mut text = text.lines().filter(|line| !line.trim().is_empty());
        let first = format!("{who}{}", text.next().unwrap_or_default());
        let mut lines = vec![format!("{} {}", paint.yellow("?"), paint.bold(&first))];
        lines.extend(text.map(|line| format!("  {line}")));
        match self.question.kind {
            QuestionKind::Confirm => lines.extend(self.confirm_lines(paint)),
            QuestionKind::ApprovePlan => lines.extend(self.plan_lines()),
            QuestionKind::Budget => lines.push(format!("    {}", self.budget_line())),
            QuestionKind::Manual => {}
            QuestionKind::Question => {
                let options = self.options();
                let numbered = options.iter().enumerate();
                lines.extend(numbered.map(|(at, option)| format!("    {}  {}", at + 1, plain(option))));
            }
        }
        if let Some(until) = &self.question.expires_at {
            lines.push(paint.dim(&format!("    {} {}", texts::expires_label(terminal()), plain(until))));
        }
        lines.push(paint.dim(&format!(
            "    {}{page}",
            if self.question.kind == QuestionKind::Manual {
                texts::do_it_label(terminal())
            } else {
                texts::see_it_label(terminal())
            }
        )));
        lines
    }

    /// Returns a text of the question in the language of the terminal, if it has one in both languages.
    fn localized_text(&self, name: &str) -> Option<&str> {
        self.question.payload["texts"][terminal().tag()][name].as_str().filter(|text| !text.is_empty())
    }

    fn confirm_lines(&self, paint: Paint) -> Vec<String> {
        let payload = &self.question.payload;
        let word = |value: &Value| plain(value.as_str().unwrap_or_default());
        let risk = match payload["risk"].as_str() {
            Some("high") => paint.red(texts::high_risk(terminal())),
            Some("medium") => texts::medium_risk(terminal()).to_owned(),
            Some("low") => texts::low_risk(terminal()).to_owned(),
            Some(_) | None => texts::unknown_risk(terminal()).to_owned(),
        };
        let rule = word(&payload["rule"]);
        let reason = plain(self.localized_text("reason").unwrap_or(&self.question.reason));
        let mut lines = vec![format!("    {}", texts::risk_by_rule(&risk, &rule, &reason, terminal()))];
        let page = &payload["page"];
        if page["url"].is_string() {
            lines.push(format!(
                "    {} {}",
                texts::page_label(terminal()),
                brief(&format!("{} {}", word(&page["title"]), word(&page["url"])))
            ));
        }
        // Never cut: these values are sent.
        let runs = matches!(payload["effect_class"].as_str(), Some("python" | "shell" | "compute"));
        let verb = if runs { texts::with_label(terminal()) } else { texts::sends_label(terminal()) };
        for (name, value) in payload["values"].as_object().into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), plain);
            lines.push(format!("    {verb} {}: {value}", plain(name)));
        }
        lines
    }

    fn plan_lines(&self) -> Vec<String> {
        let items = self.question.payload["items"].as_array();
        let word = |value: &Value| plain(value.as_str().unwrap_or_default());
        let item = |(at, item): (usize, &Value)| {
            let goal = format!("    {}. {}", at + 1, word(&item["description"]));
            let shows = word(&item["acceptance_criteria"]);
            let shows =
                (!shows.is_empty()).then(|| format!("       {}", texts::done_when(&shows, terminal())));
            [Some(goal), shows]
        };
        items.into_iter().flatten().enumerate().flat_map(item).flatten().collect()
    }

    fn budget_line(&self) -> String {
        let payload = &self.question.payload;
        match (payload["limit"].as_str(), payload["used"].as_f64(), payload["most"].as_f64()) {
            (Some(limit), Some(used), Some(most)) => {
                texts::budget_used(&plain(limit), used, most, terminal())
            }
            _ => plain(&self.question.reason),
        }
    }

    /// Returns the prompt before the cursor.
    pub fn prompt(&self) -> String {
        match self.question.kind {
            _ if self.instead => texts::ask_instead(terminal()).to_owned(),
            QuestionKind::Manual => texts::ask_when_done(terminal()).to_owned(),
            QuestionKind::Question if self.options().is_empty() => texts::ask_answer(terminal()).to_owned(),
            QuestionKind::Question => texts::ask_choice(terminal()).to_owned(),
            QuestionKind::Confirm | QuestionKind::ApprovePlan | QuestionKind::Budget => {
                format!(
                    "  {} ",
                    self.letters()
                        .map(|(letter, words)| format!("[{letter}] {words}"))
                        .collect::<Vec<_>>()
                        .join("  ")
                )
            }
        }
    }

    fn letters(&self) -> impl Iterator<Item = (char, &'static str)> {
        let may = |choice| self.question.remember.contains(&choice);
        let budget = self.question.kind == QuestionKind::Budget;
        let locale = terminal();
        let (yes, no) = match self.question.kind {
            QuestionKind::ApprovePlan => (texts::yes_by_plan(locale), texts::no(locale)),
            QuestionKind::Budget => (texts::yes_as_much_again(locale), texts::no_end_here(locale)),
            QuestionKind::Confirm | QuestionKind::Manual | QuestionKind::Question => {
                (texts::yes_once(locale), texts::no(locale))
            }
        };
        let letters = [
            ('y', yes, true),
            ('a', texts::yes_for_action(locale), may(Remember::Action)),
            ('r', texts::yes_for_run(locale), may(Remember::Run)),
            ('s', texts::yes_for_site(locale), may(Remember::Site)),
            ('n', no, true),
            ('c', texts::no_but_instead(locale), !budget),
        ];
        letters.into_iter().filter(|(_, _, offered)| *offered).map(|(letter, words, _)| (letter, words))
    }

    /// Interprets a typed line.
    pub fn interpret(&self, line: &str) -> LineMeaning {
        let typed = line.trim();
        match self.question.kind {
            _ if self.instead && typed.is_empty() => {
                LineMeaning::Again(texts::words_needed(terminal()).to_owned())
            }
            _ if self.instead => LineMeaning::Answer(json!({"confirmed": false, "comment": typed})),
            QuestionKind::Manual if typed.is_empty() => LineMeaning::Answer(json!({"done": true})),
            QuestionKind::Manual => LineMeaning::Answer(json!({"done": true, "message": typed})),
            QuestionKind::Question if typed.is_empty() => {
                LineMeaning::Again(texts::answer_needed(terminal()).to_owned())
            }
            QuestionKind::Question => {
                LineMeaning::Answer(json!({"text": self.option_by_number(typed).unwrap_or(typed)}))
            }
            QuestionKind::Confirm | QuestionKind::ApprovePlan | QuestionKind::Budget => {
                self.interpret_letter(typed)
            }
        }
    }

    fn interpret_letter(&self, typed: &str) -> LineMeaning {
        let letter = match typed.to_lowercase().as_str() {
            word if texts::is_yes(word) => 'y',
            word if texts::is_no(word) => 'n',
            word => word.chars().next().filter(|_| word.chars().count() == 1).unwrap_or(' '),
        };
        if !self.letters().any(|(offered, _)| offered == letter) {
            let offered: Vec<String> = self.letters().map(|(letter, _)| letter.to_string()).collect();
            return LineMeaning::Again(texts::type_one_letter(&offered.join(", "), terminal()));
        }
        match letter {
            'y' => LineMeaning::Answer(json!({"confirmed": true})),
            'a' => LineMeaning::Answer(json!({"confirmed": true, "remember": "action"})),
            'r' => LineMeaning::Answer(json!({"confirmed": true, "remember": "run"})),
            's' => LineMeaning::Answer(json!({"confirmed": true, "remember": "site"})),
            'c' => LineMeaning::Instead,
            _ => LineMeaning::Answer(json!({"confirmed": false})),
        }
    }

    fn options(&self) -> Vec<&str> {
        let options = self.question.payload["options"].as_array();
        options.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    fn option_by_number(&self, typed: &str) -> Option<&str> {
        let number: usize = typed.parse().ok()?;
        self.options().get(number.checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::QuestionId;
    use crate::protocol::Status;

    fn open_question(kind: QuestionKind, remember: Vec<Remember>, payload: Value) -> OpenQuestion {
        let question = Question {
            reference: QuestionId::from("q"),
            kind,
            reason: String::from("This is a purchase."),
            text: String::from("Place the order for ₴1,360"),
            payload,
            remember,
            expires_at: None,
            on_expire: Status::Cancelled,
        };
        OpenQuestion { question, frame: Value::Null, agent: None, instead: false }
    }

    #[test]
    fn only_an_offered_answer_approves() {
        let once = open_question(QuestionKind::Confirm, vec![], json!({"rule": "buy"}));
        let run = open_question(QuestionKind::Confirm, vec![Remember::Run, Remember::Site], json!({}));
        let yes = |more: Value| LineMeaning::Answer(more);
        assert_eq!(once.interpret(" Y "), yes(json!({"confirmed": true})));
        assert_eq!(once.interpret("так"), yes(json!({"confirmed": true})));
        assert_eq!(run.interpret("r"), yes(json!({"confirmed": true, "remember": "run"})));
        assert_eq!(run.interpret("s"), yes(json!({"confirmed": true, "remember": "site"})));
        let rest = open_question(QuestionKind::Confirm, vec![Remember::Action], json!({}));
        assert_eq!(rest.interpret("a"), yes(json!({"confirmed": true, "remember": "action"})));
        assert_eq!(once.interpret("n"), LineMeaning::Answer(json!({"confirmed": false})));
        assert_eq!(once.interpret("c"), LineMeaning::Instead);
        for odd in ["", "a", "r", "s", "yep", "yy", "1", "\u{1b}"] {
            assert_eq!(
                once.interpret(odd),
                LineMeaning::Again(String::from("type one of y, n, c and press Enter")),
                "{odd}"
            );
        }
        assert_eq!((once.rule(), run.rule()), (Some("buy"), None));
        let instead = OpenQuestion { instead: true, ..once };
        assert_eq!(instead.interpret("y"), LineMeaning::Answer(json!({"confirmed": false, "comment": "y"})));
        assert!(matches!(instead.interpret(" "), LineMeaning::Again(_)));
    }

    #[test]
    fn a_plan_is_shown_whole_and_a_budget_with_what_is_used() {
        let items =
            json!([{"description": "open\nit", "acceptance_criteria": "it is open"}, {"description": "buy"}]);
        let plan = open_question(QuestionKind::ApprovePlan, vec![], json!({"items": items}));
        let lines = plan.card("page", Paint(false));
        assert_eq!(lines[1..4], ["    1. open it", "       done when: it is open", "    2. buy"]);
        assert_eq!(plan.prompt(), "  [y] yes, use this plan  [n] no  [c] no, and say what to do instead ");
        assert_eq!(
            (plan.interpret("y"), plan.interpret("c")),
            (LineMeaning::Answer(json!({"confirmed": true})), LineMeaning::Instead)
        );
        let used = json!({"limit": "tokens", "used": 50_100.0, "most": 50_000});
        let budget = open_question(QuestionKind::Budget, vec![], used);
        assert_eq!(budget.card("page", Paint(false))[1], "    tokens: 50100 of 50000 used");
        assert_eq!(budget.prompt(), "  [y] yes, as much again  [n] no, end here ");
        assert_eq!(budget.interpret("n"), LineMeaning::Answer(json!({"confirmed": false})));
        assert!(matches!(budget.interpret("c"), LineMeaning::Again(_)));
    }

    #[test]
    fn answers_by_words_options_and_take_over_are_read() {
        let open = open_question(QuestionKind::Question, vec![], json!({"options": []}));
        assert_eq!(open.interpret(" Львів "), LineMeaning::Answer(json!({"text": "Львів"})));
        assert!(matches!(open.interpret(""), LineMeaning::Again(_)));
        let choice = open_question(QuestionKind::Question, vec![], json!({"options": ["red", "blue"]}));
        assert_eq!(choice.interpret("2"), LineMeaning::Answer(json!({"text": "blue"})));
        assert_eq!(choice.interpret("3"), LineMeaning::Answer(json!({"text": "3"})));
        assert_eq!(choice.interpret("0"), LineMeaning::Answer(json!({"text": "0"})));
        let manual = open_question(QuestionKind::Manual, vec![], json!({}));
        assert_eq!(manual.interpret(""), LineMeaning::Answer(json!({"done": true})));
        assert_eq!(
            manual.interpret("no code came"),
            LineMeaning::Answer(json!({"done": true, "message": "no code came"}))
        );
        // A rule named in an agent's own question does not count.
        assert_eq!(open_question(QuestionKind::Question, vec![], json!({"rule": "buy"})).rule(), None);
    }

    #[test]
    fn a_secret_is_not_shown_while_it_is_typed() {
        let key = |key: &str, options: Value| {
            open_question(QuestionKind::Question, vec![], json!({"answer_key": key, "options": options}))
                .is_secret()
        };
        assert!(key("password", json!([])));
        assert!(!key("city", json!([])) && !key("password", json!(["old", "new"])));
        assert!(!open_question(QuestionKind::Confirm, vec![], json!({"answer_key": "password"})).is_secret());
    }

    #[test]
    fn a_card_says_everything_that_is_sent_and_fakes_nothing() {
        let card = open_question(
            QuestionKind::Confirm,
            vec![],
            json!({
                "rule": "buy", "risk": "high", "page": {"url": "http://shop.test/cart", "title": "Cart\n? fake"},
                "values": {"Name": "Olena\u{1b}[2J", "Card": "••••", "Note": "x".repeat(400)},
            }),
        );
        let lines = card.card("http://127.0.0.1:1/#/runs/r", Paint(false));
        assert_eq!(lines[0], "? Place the order for ₴1,360");
        assert_eq!(lines[1], "    high risk, rule buy: This is a purchase.");
        assert_eq!(lines[2], "    page     Cart ? fake http://shop.test/cart");
        assert_eq!(lines[3..5], ["    sends    Name: Olena�[2J", "    sends    Card: ••••"]);
        assert!(lines[5].ends_with(&"x".repeat(400)));
        assert_eq!(lines[6], "    see it   http://127.0.0.1:1/#/runs/r");
        assert_eq!(card.prompt(), "  [y] yes, this once  [n] no  [c] no, and say what to do instead ");
    }
}
