//! Dialogs of a page during a take-over: only the holder sees and answers them.

use crate::browser_stage::{Recorder, Stage, bounded, text};
use crate::browser_take_over::{Person, at};
use crate::support::devtools::Page;
use askfirst::browser::messages::{BrowserEvent, SnapshotNow};
use askfirst::browser::takeover::holder_dialogs::{DialogChanged, SubscribeDialogs};
use askfirst::ids::{RunId, SessionId};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

/// The page writes the question of each dialog and its answer into itself.
const ASKS: &str = "<title>Asks</title><p id=o>nothing</p><button autofocus onclick=\"o.textContent=confirm('Order it?')?'ordered':'kept'\">Order</button>\
    <button onclick=\"o.textContent='name '+prompt('Who are you?','Ivan')\">Name</button>\
    <button onclick=\"let n=0;while(confirm('Again?')&&n<3)n++;o.textContent='again '+n\">Again</button>";

/// A person at the page, with what they are told of it.
struct DialogHolder<'a> {
    person: Person<'a>,
    asked: UnboundedReceiver<DialogChanged>,
}

async fn watch_dialogs(stage: &Stage, holder: &SessionId) -> UnboundedReceiver<DialogChanged> {
    let (to, asked) = Recorder::start_new();
    let confide = SubscribeDialogs { holder: holder.clone(), run: RunId::from("theirs"), to: to.recipient() };
    stage.browser.send(confide).await.unwrap();
    asked
}

impl<'a> DialogHolder<'a> {
    async fn at(stage: &'a Stage) -> Self {
        let person = Person::takes(stage, SessionId::fresh()).await;
        let asked = watch_dialogs(stage, &person.1).await;
        Self { person, asked }
    }

    /// The button of this number has the focus, and is pressed.
    async fn presses(&self, button: usize) {
        for _ in 0..button {
            self.person.presses("Tab").await;
        }
        self.person.presses("Enter").await;
        for _ in 0..button {
            self.person.does(json!({"kind": "key", "event": "up", "key": "Tab", "code": "Tab"})).await;
        }
    }

    async fn next_change(&mut self) -> DialogChanged {
        let asked = bounded(self.asked.recv()).await.unwrap();
        assert_eq!(asked.run, RunId::from("theirs"));
        asked
    }

    /// The dialog that opens next: its number, kind, words and what stands in its field.
    async fn next_dialog(&mut self) -> (u64, [String; 3]) {
        let asked = self.next_change().await;
        let dialog = asked.dialog.unwrap_or_else(|| panic!("{} is over", asked.number));
        (asked.number, [dialog.kind, dialog.message, dialog.default])
    }

    async fn is_over(&mut self, number: u64) {
        let over = self.next_change().await;
        assert_eq!((over.number, over.dialog), (number, None));
    }

    async fn answers(&self, number: u64, mut answer: Value) {
        answer["kind"] = json!("dialog");
        answer["number"] = json!(number);
        self.person.does(answer).await;
    }
}

fn words(kind: &str, message: &str, default: &str) -> [String; 3] {
    [kind, message, default].map(str::to_owned)
}

// docs/protocol.md, `page_dialog`
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn only_the_holder_sees_and_answers_dialogs_of_the_page() {
    let stage = Stage::open().await;
    for (button, expected, answer, comes) in [
        (0, words("confirm", "Order it?", ""), json!({"accept": true}), "ordered"),
        (0, words("confirm", "Order it?", ""), json!({"accept": false}), "kept"),
        (1, words("prompt", "Who are you?", "Ivan"), json!({"accept": true, "text": "Олена"}), "name Олена"),
        (1, words("prompt", "Who are you?", "Ivan"), json!({"accept": true}), "name Ivan"),
        (1, words("prompt", "Who are you?", "Ivan"), json!({"accept": false, "text": "x"}), "name null"),
    ] {
        stage.show(ASKS).await;
        let mut holder = DialogHolder::at(&stage).await;
        let mut other = watch_dialogs(&stage, &SessionId::fresh()).await;
        holder.presses(button).await;
        let (number, asked) = holder.next_dialog().await;
        assert_eq!(asked, expected);
        // Input meant for the page does not reach it, and an answer to another dialog is ignored.
        holder.person.presses("Enter").await;
        holder.person.clicks(0.5, 0.5).await;
        holder.answers(number + 1, json!({"accept": true, "text": "not this one"})).await;
        holder.answers(number, answer).await;
        holder.is_over(number).await;
        holder.person.gives_back().await;
        let seen = text(&*stage.observe().await);
        assert!(seen.contains(comes), "{comes}: {seen}");
        for word in ["Order it?", "Who are you?", "dialog"] {
            assert!(!seen.contains(word), "{word}: {seen}");
        }
        assert!(other.try_recv().is_err(), "who does not hold it hears nothing");
        assert!(holder.asked.try_recv().is_err(), "nothing is told twice");
    }
    stage.finish().await;
}

// An alert asks nothing, so nobody waits; the person sees its words all the same.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_alert_is_shown_to_the_holder_and_the_page_goes_on() {
    let stage = Stage::open().await;
    stage
        .show(
            "<title>Alerts</title><button autofocus onclick=\"for(const n of [1,2,3])alert('wrong '+n);o.textContent='went on'\">Go</button><p id=o>",
        )
        .await;
    let mut page = Page::find(stage.data_dir.path(), "/html").await;
    let mut holder = DialogHolder::at(&stage).await;
    holder.presses(0).await;
    let (first, asked) = holder.next_dialog().await;
    assert_eq!(asked, words("alert", "wrong 1", ""));
    page.until("o.textContent === 'went on'").await;
    // Dialogs that came meanwhile are not shown afterwards, and a dialog is closed only once.
    for _ in 0..2 {
        holder.answers(first, json!({"accept": true})).await;
    }
    holder.is_over(first).await;
    holder.is_over(first).await;
    holder.presses(0).await;
    let (second, asked) = holder.next_dialog().await;
    assert!(asked[1] == "wrong 1" && second > first, "{second} {asked:?}");
    let DialogHolder { person, mut asked } = holder;
    person.gives_back().await;
    let over = bounded(asked.recv()).await.unwrap();
    assert_eq!((over.number, over.dialog), (second, None));
    assert!(asked.try_recv().is_err());
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("went on"), "{seen}");
    stage.finish().await;
}

// A dialog of a background tab is dismissed; its text goes to the holder and not to the run.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_dialog_of_a_background_tab_is_shown_to_the_holder_only() {
    let stage = Stage::open().await;
    let front = at(&stage.site, "<title>Front</title><script>opener.postMessage('','*')</script>");
    stage
        .show(&format!(
            "<title>Opener</title><button autofocus onclick=\"window.open('{front}')\">Go</button><p id=o>not asked</p>\
             <script>onmessage=()=>setTimeout(()=>o.textContent=confirm('Private words'),200)</script>"
        ))
        .await;
    let mut behind = Page::find(stage.data_dir.path(), "/html").await;
    let mut holder = DialogHolder::at(&stage).await;
    holder.presses(0).await;
    behind.until("o.textContent === 'false'").await;
    assert!(holder.asked.try_recv().is_err(), "it is not the page that they see");
    holder.person.gives_back().await;
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("it was for the person") && !seen.contains("Private words"), "{seen}");
    stage.finish().await;
}

// Every dialog has a number of its own, and an answer counts once.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_that_asks_again_is_answered_again() {
    let stage = Stage::open().await;
    stage.show(ASKS).await;
    let mut holder = DialogHolder::at(&stage).await;
    holder.presses(2).await;
    let mut last = 0;
    for accept in [true, true, false] {
        let (number, asked) = holder.next_dialog().await;
        assert!(asked[1] == "Again?" && number > last, "{number} {asked:?}");
        if last > 0 {
            // A second click on the card of the previous dialog.
            holder.answers(last, json!({"accept": false})).await;
        }
        holder.answers(number, json!({"accept": accept})).await;
        holder.is_over(number).await;
        last = number;
    }
    holder.person.gives_back().await;
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("again 2"), "{seen}");
    stage.finish().await;
}

// Typed text is not lost before the person agrees.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_with_unsaved_input_is_left_when_the_person_confirms() {
    let stage = Stage::open().await;
    stage
        .show(
            "<title>Written</title><input aria-label=Note autofocus><a href='/html?<title>Away</title>'>Go</a>\
             <script>onbeforeunload=(e)=>{if(document.querySelector('input').value)e.preventDefault()}</script>",
        )
        .await;
    let mut holder = DialogHolder::at(&stage).await;
    holder.person.does(json!({"kind": "text", "text": "dear Olena"})).await;
    holder.person.presses("Tab").await;
    for accept in [false, true] {
        holder.person.presses("Enter").await;
        let (number, asked) = holder.next_dialog().await;
        assert_eq!(asked[0], "beforeunload");
        holder.answers(number, json!({"accept": accept})).await;
        holder.is_over(number).await;
    }
    stage.event(|event| matches!(event, BrowserEvent::Navigated { title, .. } if title == "Away")).await;
    holder.person.gives_back().await;
    stage.finish().await;
}

// A hand-back never hangs: an unanswered dialog is dismissed, and its text does not reach the run.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_with_an_open_dialog_can_be_handed_back() {
    let stage = Stage::open().await;
    for (button, comes) in [(0, "kept"), (1, "name null")] {
        stage.show(ASKS).await;
        let mut holder = DialogHolder::at(&stage).await;
        holder.presses(button).await;
        let (number, _) = holder.next_dialog().await;
        let began = std::time::Instant::now();
        let DialogHolder { person, asked } = holder;
        person.gives_back().await;
        assert!(began.elapsed() < std::time::Duration::from_secs(4), "{:?}", began.elapsed());
        let mut asked = asked;
        let over = bounded(asked.recv()).await.unwrap();
        assert_eq!((over.number, over.dialog), (number, None));
        assert!(bounded(asked.recv()).await.is_none(), "nothing is told to who does not hold it");
        let seen = text(&*stage.observe().await);
        let note = "a dialog that was for the person was dismissed when the page was handed back";
        assert!(seen.contains(comes) && seen.contains(note), "{seen}");
        assert!(!["Order it?", "Who are you?"].iter().any(|word| seen.contains(word)), "{seen}");
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_dialog_ends_with_its_page() {
    let stage = Stage::open().await;
    stage.show(ASKS).await;
    bounded(stage.browser.send(SnapshotNow)).await.unwrap().unwrap();
    let mut holder = DialogHolder::at(&stage).await;
    holder.presses(0).await;
    let (number, _) = holder.next_dialog().await;
    let group = nix::unistd::Pid::from_raw(i32::try_from(stage.group().await).unwrap());
    nix::sys::signal::kill(group, nix::sys::signal::Signal::SIGKILL).unwrap();
    holder.is_over(number).await;
    stage.event(|event| matches!(event, BrowserEvent::Reopened { .. })).await;
    holder.person.gives_back().await;
    stage.finish().await;
}
