//! Follows one run to its end: prints its progress, and answers its questions by the allowed rules or by the
//! person at the terminal. If no one can answer, the run is stopped, or left waiting.

use crate::cli::args::follow::FollowArgs;
use crate::cli::client::api::Api;
use crate::cli::client::error::ClientError;
use crate::cli::client::follow::event_stream::{Facts, Frame};
use crate::cli::client::follow::interrupt::InterruptSignal;
use crate::cli::client::follow::progress_lines::Progress;
use crate::cli::client::follow::question_prompt::{LineMeaning, OpenQuestion};
use crate::cli::client::follow::standard_input::{Keyboard, is_attended};
use crate::cli::client::follow::terminal_output::{Screen, brief};
use crate::cli::client::terminal_language::terminal;
use crate::ids::{QuestionId, RunId};
use crate::protocol::server::{Fact, Question};
use crate::texts::terminal as texts;
use serde_json::{Value, json};
use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// Reason why following a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    Ended,
    LeftWaiting,
}

pub struct RunWatcher<'a> {
    api: &'a Api,
    args: &'a FollowArgs,
    /// Seconds after which the run is stopped.
    timeout: Option<u64>,
    run: RunId,
    facts: Facts<'a>,
    screen: Screen,
    progress: Progress,
    interrupted: InterruptSignal,
    /// `None` if no one can answer.
    keyboard: Option<Keyboard>,
    /// Questions for the keyboard; the first one stands on the screen.
    open: VecDeque<OpenQuestion>,
    /// Answered from here.
    ours: HashSet<QuestionId>,
    unanswered: Vec<Value>,
    stopping: bool,
}

/// The next thing to handle.
enum WatchEvent {
    Fact(Box<Frame>),
    Line(Option<String>),
    Interrupted,
    TimeUp,
}

impl<'a> RunWatcher<'a> {
    pub fn new(
        api: &'a Api,
        (args, timeout): (&'a FollowArgs, Option<u64>),
        run: RunId,
        interrupted: InterruptSignal,
    ) -> Self {
        let asks = args.ask || (is_attended() && !args.no_input);
        let screen = Screen::new();
        Self {
            api,
            args,
            timeout,
            facts: Facts::from_start(api, run.clone()),
            run,
            progress: Progress::new(screen.paint, screen.moves),
            screen,
            interrupted,
            keyboard: asks.then(Keyboard::default),
            open: VecDeque::new(),
            ours: HashSet::new(),
            unanswered: Vec::new(),
            stopping: false,
        }
    }

    pub fn take_unanswered(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.unanswered)
    }

    /// Returns actions, tokens and cost for the last line.
    pub fn usage_summary(&self) -> String {
        self.progress.usage_summary()
    }

    pub async fn follow(&mut self) -> Result<Finish, ClientError> {
        let mut time_up = timer(self.timeout);
        loop {
            match self.next(&mut time_up).await? {
                WatchEvent::Fact(frame) => {
                    if let Some(finish) = self.handle_event(*frame).await? {
                        self.screen.keep_below(Vec::new());
                        self.screen.end_question(true);
                        return Ok(finish);
                    }
                }
                WatchEvent::Line(Some(line)) => self.handle_line(&line).await?,
                WatchEvent::Line(None) => {
                    self.keyboard = None;
                    let left: Vec<OpenQuestion> = self.open.drain(..).collect();
                    self.screen.end_question(true);
                    for open in left {
                        if let Some(finish) = self.handle_unanswerable(open).await? {
                            return Ok(finish);
                        }
                    }
                }
                WatchEvent::Interrupted => {
                    self.stop(texts::stopping_run(terminal())).await?;
                }
                WatchEvent::TimeUp => {
                    let seconds = self.timeout.unwrap_or_default();
                    self.stop(&texts::stopping_late_run(seconds, terminal())).await?;
                }
            }
        }
    }

    async fn next(&mut self, time_up: &mut Timer) -> Result<WatchEvent, ClientError> {
        let asks = !self.open.is_empty();
        let keyboard = self.keyboard.as_mut();
        let typed = async {
            match keyboard {
                Some(keyboard) if asks => keyboard.line().await,
                Some(_) | None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.interrupted.once(), if !self.stopping => Ok(WatchEvent::Interrupted),
            frame = self.facts.next() => Ok(WatchEvent::Fact(Box::new(frame?))),
            // An error of standard input counts as its end: no one is there.
            line = typed => Ok(WatchEvent::Line(line.unwrap_or_default())),
            () = time_up, if !self.stopping => Ok(WatchEvent::TimeUp),
        }
    }

    async fn handle_event(&mut self, frame: Frame) -> Result<Option<Finish>, ClientError> {
        let mine = matches!(&frame.fact, Some(Fact::QuestionResolved { reference, .. }) if self.ours.contains(reference));
        if !mine {
            let lines = self.progress.lines(&frame);
            // Before the lines, so that the bar is gone when the end of its action is printed.
            self.screen.keep_below(self.progress.bars());
            lines.into_iter().for_each(|line| self.screen.print_line(line));
        }
        match frame.fact {
            Some(Fact::AgentQuestion(question)) if !self.stopping => {
                self.handle_question(&frame.run, question, frame.whole).await
            }
            Some(Fact::QuestionResolved { reference, .. }) => {
                self.remove_resolved(&reference);
                Ok(None)
            }
            Some(Fact::RunEnded { .. }) if frame.run == self.run => Ok(Some(Finish::Ended)),
            _ => Ok(None),
        }
    }

    async fn handle_question(
        &mut self,
        run: &RunId,
        question: Question,
        whole: Value,
    ) -> Result<Option<Finish>, ClientError> {
        let agent = self.progress.child(run).map(str::to_owned);
        let open = OpenQuestion { question, frame: whole, agent, instead: false };
        if let Some(rule) = open.rule().filter(|rule| self.args.yes_to.iter().any(|allowed| allowed == rule))
        {
            let words = texts::yes_to_rule(rule, &brief(&open.question.text), terminal());
            let line = format!("  {} {words}", self.screen.paint.green("✓"));
            self.screen.print_line(line);
            self.answer(&open.question.reference, &json!({"confirmed": true})).await?;
            return Ok(None);
        }
        if self.keyboard.is_none() {
            return self.handle_unanswerable(open).await;
        }
        self.open.push_back(open);
        if self.open.len() == 1 {
            self.show();
        }
        Ok(None)
    }

    /// Shows the first question.
    fn show(&mut self) {
        let (Some(open), Some(keyboard)) = (self.open.front(), &mut self.keyboard) else { return };
        let page = self.api.access.format_page_address(self.run.as_str());
        let lines = if open.instead { Vec::new() } else { open.card(&page, self.screen.paint) };
        keyboard.ready(open.is_secret());
        self.screen.ask(&lines, &open.prompt());
    }

    async fn handle_line(&mut self, line: &str) -> Result<(), ClientError> {
        let Some(open) = self.open.front_mut() else { return Ok(()) };
        let was_hidden = self.keyboard.as_mut().is_some_and(Keyboard::show);
        match open.interpret(line) {
            LineMeaning::Answer(answer) => {
                let reference = open.question.reference.clone();
                self.screen.end_question(was_hidden || self.args.ask);
                self.answer(&reference, &answer).await?;
            }
            LineMeaning::Instead => {
                open.instead = true;
                self.show();
            }
            LineMeaning::Again(words) => {
                let prompt = open.prompt();
                self.screen.ask(&[format!("  {words}")], &prompt);
            }
        }
        Ok(())
    }

    /// Sends an answer. A question answered elsewhere meanwhile is no error; a refused answer is asked for
    /// again.
    async fn answer(&mut self, reference: &QuestionId, answer: &Value) -> Result<(), ClientError> {
        self.ours.insert(reference.clone());
        match self.api.post(&format!("/api/questions/{reference}"), answer).await {
            Ok(_) => self.remove_resolved(reference),
            Err(ClientError::Refused(refusal)) => {
                self.ours.remove(reference);
                self.screen.end_question(false);
                self.screen.print_line(format!("  {} {refusal}", self.screen.paint.red("✗")));
                let shown = self.open.front().is_some_and(|open| open.question.reference == *reference);
                match refusal.code.as_str() {
                    "already_resolved" | "expired" | "unknown_reference" => self.remove_resolved(reference),
                    _ if shown && refusal.status < 500 => self.show(),
                    _ => return Err(ClientError::Refused(refusal)),
                }
            }
            Err(fault) => return Err(fault),
        }
        Ok(())
    }

    /// Removes a question that was resolved, and shows the next one.
    fn remove_resolved(&mut self, reference: &QuestionId) {
        let was_shown = self.open.front().is_some_and(|open| open.question.reference == *reference);
        self.open.retain(|open| open.question.reference != *reference);
        if was_shown {
            self.keyboard.as_mut().map(Keyboard::show);
            self.screen.end_question(!self.ours.contains(reference));
            self.show();
        }
    }

    /// Handles a question that nobody can answer: leaves the run waiting, or stops it and says which option would
    /// have helped.
    async fn handle_unanswerable(&mut self, open: OpenQuestion) -> Result<Option<Finish>, ClientError> {
        let question = open.question;
        self.unanswered.push(open.frame);
        if self.args.leave_waiting {
            self.screen.print_line(format!("{} {}", self.screen.paint.yellow("?"), brief(&question.text)));
            return Ok(Some(Finish::LeftWaiting));
        }
        if question.payload["limit"] == "tool_steps" {
            // As many actions again are nobody's to grant: the run ends at its limit.
            self.screen.print_line(format!("{} {}", self.screen.paint.yellow("?"), brief(&question.text)));
            self.unanswered.pop();
            self.answer(&question.reference, &json!({"confirmed": false})).await?;
            return Ok(None);
        }
        let asks = brief(&question.text);
        let words = match question.payload["rule"].as_str() {
            Some(rule) => texts::nobody_answers_rule(rule, &asks, terminal()),
            None => texts::nobody_answers(&asks, terminal()),
        };
        self.stop(&words).await?;
        Ok(None)
    }

    /// Requests the stop of the run; its end arrives as an event.
    async fn stop(&mut self, words: &str) -> Result<(), ClientError> {
        if self.stopping {
            return Ok(());
        }
        self.stopping = true;
        self.open.clear();
        self.keyboard.as_mut().map(Keyboard::show);
        self.screen.end_question(true);
        self.screen.print_line(format!("askfirst: {words}"));
        match self.api.post(&format!("/api/runs/{}/stop", self.run), &json!({})).await {
            // The run has ended by itself.
            Err(ClientError::Refused(refusal)) if refusal.status == 409 => Ok(()),
            done => done.map(drop),
        }
    }
}

type Timer = Pin<Box<dyn Future<Output = ()>>>;

fn timer(seconds: Option<u64>) -> Timer {
    match seconds {
        Some(seconds) => Box::pin(tokio::time::sleep(Duration::from_secs(seconds))),
        None => Box::pin(std::future::pending()),
    }
}
