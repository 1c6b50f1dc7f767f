//! An agent with hosts of its own: any other is a question, wherever the way to it begins.

use crate::browser_stage::site;
use crate::support::app::spawn_in;
use crate::support::model::{Reply, ScriptedModel};
use crate::support::talk::slot;
use crate::support::ws::Ws;
use serde_json::json;

const NARROW: &str = "name: narrow\ntitle_ua: Вузький\nkind: atomic\ninputs: [{name: text, type: string, required: true}]\n\
    outputs: [{name: answer, type: string}]\nbrowser: {allowed_hosts: [shop.test]}\n";

// A new host is a question before any request reaches it, also by redirect.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_redirect_to_a_new_host_is_held_until_the_person_allows_it() {
    let _slot = slot().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    std::fs::write(folder.path().join("agents/narrow.yaml"), NARROW).unwrap();
    let (model, here) = (ScriptedModel::start(Vec::new()), site());
    let elsewhere = "http://elsewhere.test/x?y=1";
    let hosts = json!([here.trim_start_matches("http://")]).to_string();
    let app = spawn_in(
        folder,
        &[
            ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
            ("ASKFIRST_MODEL__PLANNER", "scripted"),
            ("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str()),
        ],
    )
    .await;
    let home =
        Reply::act("navigate", json!({"url": format!("{here}/html?<a%20href='/to?{elsewhere}'>Hop</a>")}));
    let again =
        Reply::act("navigate", json!({"url": format!("{here}/html?<a%20href='/to?{elsewhere}'>Hop</a>")}));
    let to = Reply::act("navigate", json!({"url": elsewhere}));
    for reply in
        [home, Reply::click("link", "Hop"), to, again, Reply::click("link", "Hop"), Reply::stop("Done.")]
    {
        model.push(reply);
    }
    let (mut ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
    ws.send(json!({"type": "user_message", "agent": "narrow", "text": "look around"})).await;
    let question = ws.until("agent_question").await;
    assert_eq!((&question["kind"], &question["payload"]["rule"]), (&json!("confirm"), &json!("new-host")));
    assert!(question["text"].as_str().unwrap().contains("elsewhere.test"), "{question}");
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
    let ended = ws.until("run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    let prompts: Vec<String> = model.requests().iter().map(|request| request.last_text()).collect();
    for (at, part) in [
        (
            2,
            format!(
                "blocked: this leads to {elsewhere} (this host is not in the agent's `allowed_hosts`; navigate to it"
            ),
        ),
        // Let in, it is asked for; nobody has that name.
        (3, format!("{elsewhere}: there is no such host")),
        (5, format!("{elsewhere} cannot be reached: there is no such host")),
    ] {
        assert!(prompts[at].contains(&part), "request {at} lacks {part}: {}", prompts[at]);
    }
    drop(ws);
    app.finish().await;
    model.finish();
}
