//! The holder of a page gets its address and its file choosers, and navigates.

use crate::browser_stage::{Recorder, Stage, bounded};
use askfirst::browser::network::url_policy::UrlPolicy;
use askfirst::browser::takeover::holder_view::{HolderViewChange, HolderViewChanged, SubscribeHolderView};
use askfirst::browser::takeover::input_state::HolderInput;
use askfirst::browser::takeover::page_holder::{GiveToPerson, ReturnToRun};
use askfirst::ids::{RunId, SessionId};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

struct Holder<'a> {
    stage: &'a Stage,
    session: SessionId,
    changes: UnboundedReceiver<HolderViewChanged>,
}

impl<'a> Holder<'a> {
    async fn takes(stage: &'a Stage) -> Self {
        let session = SessionId::fresh();
        bounded(stage.browser.send(GiveToPerson { holder: session.clone() })).await.unwrap().unwrap();
        let (to, changes) = Recorder::start_new();
        let run = RunId::from("theirs");
        let accompany = SubscribeHolderView { holder: session.clone(), run, to: to.recipient() };
        stage.browser.send(accompany).await.unwrap();
        Self { stage, session, changes }
    }

    async fn does(&self, hands: Value) -> Result<(), String> {
        let hands = serde_json::from_value(hands).unwrap();
        let done =
            bounded(self.stage.browser.send(HolderInput { holder: self.session.clone(), input: hands }))
                .await;
        done.unwrap().map_err(|fault| fault.code.word().to_owned())
    }

    async fn is_at(&mut self, url_part: &str) {
        let comes = async {
            loop {
                match self.changes.recv().await.unwrap().change {
                    HolderViewChange::Address(url) if url.contains(url_part) => break,
                    _ => {}
                }
            }
        };
        bounded(comes).await;
    }

    async fn chooser(&mut self, opens: bool) -> (u64, bool) {
        let comes = async {
            loop {
                match self.changes.recv().await.unwrap().change {
                    HolderViewChange::Chooser { number, multiple, open } if open == opens => {
                        return (number, multiple);
                    }
                    _ => {}
                }
            }
        };
        bounded(comes).await
    }

    async fn presses_enter(&self) {
        for event in ["down", "up"] {
            let key = json!({"kind": "key", "event": event, "key": "Enter", "code": "Enter"});
            self.does(key).await.unwrap();
        }
    }
}

// The holder reads the address, goes back and opens another one, as in a browser of their own.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_holder_sees_the_address_and_can_navigate() {
    let closed = UrlPolicy::new(|url| url.contains("closed.test").then_some("it is private"));
    let stage = Stage::open_with(|config| config.url_policy = closed).await;
    stage.go("/html?<title>One</title>").await.unwrap();
    let mut holder = Holder::takes(&stage).await;
    holder.is_at("One").await;
    holder.does(json!({"kind": "navigate", "url": format!("{}/html?Two", stage.site)})).await.unwrap();
    holder.is_at("Two").await;
    holder.does(json!({"kind": "back"})).await.unwrap();
    holder.is_at("One").await;
    let other = HolderInput {
        holder: SessionId::fresh(),
        input: serde_json::from_value(json!({"kind": "navigate", "url": stage.site})).unwrap(),
    };
    let refused = bounded(stage.browser.send(other)).await.unwrap().unwrap_err();
    assert_eq!(refused.code.word(), "no_lease");
    let bad = holder.does(json!({"kind": "navigate", "url": "file:///etc/passwd"})).await;
    assert_eq!(bad.unwrap_err(), "bad_url");
    let closed = holder.does(json!({"kind": "navigate", "url": "http://closed.test/"})).await;
    assert_eq!(closed.unwrap_err(), "blocked");
    holder.is_at("One").await;
    bounded(stage.browser.send(ReturnToRun { holder: Some(holder.session.clone()) })).await.unwrap().unwrap();
    stage.go("/html?Three").await.unwrap();
    while let Ok(HolderViewChanged { change, .. }) = holder.changes.try_recv() {
        assert!(
            !matches!(&change, HolderViewChange::Address(url) if url.contains("Three")),
            "told when it was not theirs"
        );
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_file_chooser_is_shown_to_the_holder() {
    let stage = Stage::open().await;
    stage.give("photo.txt", "a picture");
    stage
        .show("<input type=file autofocus aria-label=File onchange=\"document.title=this.files[0].name\">")
        .await;
    let mut holder = Holder::takes(&stage).await;
    holder.presses_enter().await;
    let (number, multiple) = holder.chooser(true).await;
    assert!(!multiple);
    let none = json!({"kind": "files", "number": number, "names": []});
    holder.does(none).await.unwrap();
    assert_eq!(holder.chooser(false).await.0, number);
    holder.presses_enter().await;
    let (number, _) = holder.chooser(true).await;
    let unknown = json!({"kind": "files", "number": number, "names": ["nothing.txt"]});
    assert_eq!(holder.does(unknown).await.unwrap_err(), "no_file");
    holder.presses_enter().await;
    let (number, _) = holder.chooser(true).await;
    holder.does(json!({"kind": "files", "number": number, "names": ["photo.txt"]})).await.unwrap();
    let changes = bounded(stage.browser.send(ReturnToRun { holder: Some(holder.session.clone()) }))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(changes.title.map(|(_, is)| is).as_deref(), Some("photo.txt"));
    stage.finish().await;
}
