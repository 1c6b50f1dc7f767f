//! A plan over the death of the service: killed in the middle of agents side by side, again and again, it ends
//! as it would have, and what had ended is not run again.

use crate::lanes_kill::Service;
use crate::support::lanes::{HeldModel, SAY};
use crate::support::orchestration::{parallel, say_step, with};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn plan() -> Value {
    let four = ["a", "b", "c", "d"].map(|word| say_step(word, word)).to_vec();
    let block = with(parallel("four", four), json!({"max_concurrency": 2}));
    json!({"steps": [say_step("first", "first"), block, say_step("last", "{{ result.four.a.said }} {{ result.d.said }}")]})
}

async fn service(model: &HeldModel) -> Service {
    Service::with(&[("say", SAY)], &model.model.base_url).await
}

fn words<const N: usize>(words: [&str; N]) -> BTreeSet<String> {
    words.map(str::to_owned).into()
}

// After each kill, only the agents under way run again.
#[actix_web::test]
async fn only_agents_under_way_in_a_block_run_again_after_kill_9() {
    let model = HeldModel::back(&["a", "b", "c", "d"]);
    let mut service = service(&model).await;
    let run = service.begin_with("agent_orchestrate", json!({"plan": plan()})).await;
    model.wait_for_request("a", 1).await;
    model.wait_for_request("b", 1).await;
    model.release("a");
    service.wait_for_word(&run, "a").await;
    model.wait_for_request("c", 1).await;
    service.kill().await;
    // The step and the first agent have ended, two are under way, one has not begun.
    assert_eq!(service.over(&run), words(["first", "a"]));
    service.start().await;
    model.wait_for_request("b", 2).await;
    model.wait_for_request("c", 2).await;
    model.release("b");
    model.release("c");
    model.wait_for_request("d", 1).await;
    service.wait_for_word(&run, "c").await;
    service.wait_for_word(&run, "b").await;
    service.kill().await;
    service.start().await;
    model.wait_for_request("d", 2).await;
    model.release("d");
    let ended = service.end(&run).await;
    assert_eq!((&ended["status"], &ended["vars"]["success"]), (&json!("succeeded"), &json!(true)), "{ended}");
    assert_eq!(ended["vars"]["bindings"]["result"]["last"]["said"], "a! d!!");
    let times = ["first", "a", "b", "c", "d", "a! d!"].map(|word| model.times(word));
    assert_eq!(times, [1, 1, 2, 2, 2, 1], "{:?}", model.all());
    service.stop().await;
    model.model.finish();
}

// The same at moments that nobody chose.
#[actix_web::test]
async fn a_plan_killed_at_any_moment_ends_with_the_same_result() {
    let model = HeldModel::back(&[]);
    let mut service = service(&model).await;
    for kills in [&[1, 2, 3, 5][..], &[2, 4], &[3, 3, 6]] {
        let asked = model.all().len();
        let run = service.begin_with("agent_orchestrate", json!({"plan": plan()})).await;
        let mut over = Vec::new();
        for after in kills {
            tokio::select! {
                () = model.model.arrived(asked + after) => {}
                _ = service.end(&run) => break,
            }
            service.kill().await;
            over.push((service.over(&run), model.all().len()));
            service.start().await;
        }
        let ended = service.end(&run).await;
        assert_eq!(ended["status"], "succeeded", "{ended}");
        assert_eq!(ended["vars"]["bindings"]["result"]["last"]["said"], "a! d!!");
        for (words, before) in over {
            let again = words.iter().find(|word| model.all()[before..].contains(word));
            assert_eq!(again, None, "it had ended and was asked again: {:?}", &model.all()[asked..]);
        }
    }
    service.stop().await;
    model.model.finish();
}
