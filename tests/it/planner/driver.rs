//! The steps of a planner: each call is one turn, and returns when the next request has come, with
//! the page as it is then.

use super::Solved;
use super::endpoint::Asked;
use super::view::{View, is_done};
use crate::support::model::turn;
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use tokio::sync::{mpsc, oneshot};

pub struct Driver {
    requests: mpsc::UnboundedReceiver<Asked>,
    reply: Option<oneshot::Sender<Value>>,
    /// The run that it works for.
    pub run: String,
    pub view: View,
    pub turns: usize,
    /// Number of questions that a person was asked meanwhile.
    pub approvals: Rc<Cell<usize>>,
}

impl Driver {
    pub fn new(requests: mpsc::UnboundedReceiver<Asked>) -> Self {
        let (run, view, approvals) = Default::default();
        Self { requests, reply: None, run, view, turns: 0, approvals }
    }

    /// Waits for the first request.
    pub async fn begin(&mut self) -> Solved {
        self.receive_request().await
    }

    async fn receive_request(&mut self) -> Solved {
        let (request, reply) = self.requests.recv().await.ok_or("the run has ended")?;
        self.view = View::from_request(&request);
        self.reply = Some(reply);
        Ok(())
    }

    /// Sends a turn of these actions; their results are in `view.results`.
    pub async fn turn(&mut self, actions: &[(&str, Value)]) -> Solved {
        let mut made = turn(actions[0].0, actions[0].1.clone());
        let template = made["actions"][0].clone();
        made["actions"] = Value::Array(
            actions
                .iter()
                .enumerate()
                .map(|(at, (action, params))| {
                    let mut call = template.clone();
                    (call["action_id"], call["action"]) = (json!(format!("a{}", at + 1)), json!(action));
                    call["params"] = params.clone();
                    call
                })
                .collect(),
        );
        self.turns += 1;
        let reply = self.reply.take().ok_or("nobody asked")?;
        reply.send(made).map_err(|_| "nobody waits for the turn")?;
        self.receive_request().await
    }

    /// Sends one action; its failure is an error of the planner.
    pub async fn act(&mut self, action: &str, params: Value) -> Solved {
        self.turn(&[(action, params.clone())]).await?;
        match self.view.results.iter().find(|line| !is_done(line)) {
            Some(fault) => Err(format!("{action} {params}: {fault}\n{}", self.view.text())),
            None => Ok(()),
        }
    }

    /// The end of the run.
    pub fn stop(&mut self, response: &str, good: bool) {
        let mut turn_value = turn("stop", json!({ "response": response }));
        turn_value["status"] = json!(if good { "SUCCESS" } else { "ERROR" });
        (turn_value["stop"], turn_value["response"]) = (json!(true), json!(response));
        if let Some(reply) = self.reply.take() {
            let _ = reply.send(turn_value);
        }
    }

    pub async fn open(&mut self, url: &str) -> Solved {
        self.act("navigate", json!({ "url": url })).await
    }

    /// Closes what was left open beside the page.
    pub async fn alone(&mut self) -> Solved {
        while !matches!(self.view.fence("tab"), "1/1" | "") {
            self.act("tab", json!({ "operation": "close" })).await?;
        }
        Ok(())
    }

    pub async fn click_on(&mut self, eid: u32) -> Solved {
        self.act("click", json!({ "eid": eid })).await
    }

    pub async fn click(&mut self, role: &str, name: &str) -> Solved {
        let eid = self.view.find(role, name)?.eid()?;
        self.click_on(eid).await
    }

    /// Clicks what is called so, whatever it is.
    pub async fn press_on(&mut self, name: &str) -> Solved {
        let eid = self.view.named(name)?.eid()?;
        self.click_on(eid).await
    }

    pub async fn write_into(&mut self, eid: u32, text: &str) -> Solved {
        self.act("type", json!({ "eid": eid, "text": text })).await
    }

    pub async fn write(&mut self, role: &str, name: &str, text: &str) -> Solved {
        let eid = self.view.find(role, name)?.eid()?;
        self.write_into(eid, text).await
    }

    pub async fn fill(&mut self, name: &str, text: &str) -> Solved {
        self.write("textbox", name, text).await
    }

    /// Writes into what is called so and can be written into, whatever role it bears.
    pub async fn write_named(&mut self, name: &str, text: &str) -> Solved {
        let eid = self.view.named(name)?.eid()?;
        self.write_into(eid, text).await
    }

    pub async fn select(&mut self, role: &str, name: &str, option: Value) -> Solved {
        let eid = self.view.find(role, name)?.eid()?;
        self.act("select", json!({ "eid": eid, "option": option })).await
    }

    pub async fn drag(&mut self, from: u32, to: u32) -> Solved {
        self.act("drag", json!({ "from_eid": from, "to_eid": to })).await
    }

    /// Answers what the page asks, which must be this.
    pub async fn answer(&mut self, asked: &str, answer: Value) -> Solved {
        let dialog = self.view.lines.first().filter(|line| line.role == "dialog" && line.name == asked);
        dialog.ok_or_else(|| format!("the page does not ask “{asked}”\n{}", self.view.text()))?;
        self.act("dialog", answer).await
    }

    /// Gives these files of the run to what is called so.
    pub async fn upload(&mut self, name: &str, files: Value) -> Solved {
        let eid = self.view.named(name)?.eid()?;
        self.act("upload", json!({ "eid": eid, "file": files })).await
    }

    pub async fn key(&mut self, key: &str) -> Solved {
        self.act("press", json!({ "key": key })).await
    }

    pub async fn wait_for(&mut self, text: &str) -> Solved {
        self.act("wait", json!({ "seconds": 20, "text": text })).await
    }

    /// Scrolls down page after page until it is there.
    pub async fn scroll_to(&mut self, role: &str, name: &str, scrollable: Option<u32>) -> Solved<u32> {
        for _ in 0..40 {
            if let Ok(line) = self.view.find(role, name) {
                return line.eid();
            }
            let mut params = json!({ "direction": "down" });
            if let Some(eid) = scrollable {
                params["eid"] = json!(eid);
            }
            self.act("scroll", params).await?;
        }
        Err(format!("scrolled forty pages and found no {role} “{name}”\n{}", self.view.text()))
    }
}
