//! First steps of a newcomer, through the real page in a real Chromium, in Ukrainian: the demo in one click, or an
//! order in their own words; the questions are judged by what the card shows.
// S1.25, S1.31; the demo shop's own books say what was really ordered.

use crate::support::app::{Http, TestApp, spawn};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::{Ui, lines};
use crate::support::ws::Ws;
use serde_json::{Value, json};

const LAST_BUTTON: &str = "Підтвердити замовлення";

/// The first-use screen, in Ukrainian.
async fn welcome(base: &str) -> Ui {
    let ui = Ui::open(base).await;
    // A Chromium of the tests speaks English.
    ui.click("button", "Перейти на українську").await;
    ui.sees("Що зробити в інтернеті?").await;
    ui
}

/// Every order that anybody has made in the shop.
async fn orders(app: &TestApp) -> Vec<Value> {
    let book = std::fs::read(app.data().join("demo.json")).unwrap_or_else(|_| b"[]".to_vec());
    let visitors: Vec<(String, Value)> = serde_json::from_slice(&book).unwrap();
    let mut all = Vec::new();
    for (visitor, _) in visitors {
        let orders = Http::new().get(&format!("{}/demo/api/orders?visitor={visitor}", app.base)).await;
        all.extend(orders["items"].as_array().unwrap().clone());
    }
    all
}

/// The card shows what the question says: what will happen, where, with which values, and a picture.
async fn shows_card(ui: &Ui, question: &Value) {
    let payload = &question["payload"];
    ui.sees(payload["effect"].as_str().unwrap()).await;
    let seen = ui.observe().await;
    let text = lines(&seen);
    let target = payload["target"]["name"].as_str().unwrap();
    for part in ["Знімок сторінки, ціль обведено", target, "Дозволити", "Відхилити"]
    {
        assert!(text.contains(part), "the card lacks {part:?}: {text}");
    }
    for (name, value) in payload["values"].as_object().unwrap() {
        assert!(text.contains(name.as_str()), "the card lacks {name:?}: {text}");
        assert!(text.contains(value.as_str().unwrap()), "the card lacks {value:?}: {text}");
    }
    let card = "document.querySelector('.card-picture')";
    ui.page().await.until(&format!("{card} && {card}.complete && {card}.naturalWidth > 100")).await;
}

/// Approves by the button until it is asked about the order itself; that it answers by this button.
async fn judge(ui: &Ui, viewer: &mut Ws, button: &str) -> Vec<String> {
    let mut rules = Vec::new();
    loop {
        let question = viewer.until("agent_question").await;
        shows_card(ui, &question).await;
        rules.push(question["payload"]["rule"].as_str().unwrap().to_owned());
        let is_last = question["payload"]["target"]["name"] == LAST_BUTTON;
        ui.click("button", if is_last { button } else { "Дозволити" }).await;
        let resolved = viewer.until("question_resolved").await;
        assert_eq!(resolved["reference"], question["reference"]);
        if is_last {
            return rules;
        }
    }
}

/// The run that the page has just opened, watched by a second viewer from its first fact on.
async fn second_viewer(app: &TestApp, ui: &Ui) -> (String, Ws) {
    let run = ui.run().await;
    let (ws, _) = Ws::hello(&app.base, json!({"run_id": run, "after_seq": 0, "locale": "uk"})).await;
    (run, ws)
}

/// Checks that both viewers have seen the same facts as the store holds.
async fn assert_viewers_agree(app: &TestApp, ui: &Ui, run: &str, viewer: &Ws) {
    let stored = Http::new().get(&format!("{}/api/runs/{run}/events", app.base)).await;
    assert_eq!(stored["items"], json!(viewer.events));
    let script =
        "JSON.stringify([...document.querySelectorAll('af-chat [data-kind]')].map((e) => e.dataset.kind))";
    let drawn = ui.page().await.run(script).await;
    let drawn: Vec<String> = serde_json::from_str(drawn.as_str().unwrap()).unwrap();
    let count = |kind: &str| drawn.iter().filter(|one| *one == kind).count();
    let events = |name: &str| {
        viewer.events.iter().filter(|event| event["type"] == name || event["event"] == name).count()
    };
    assert_eq!(count("action"), events("action_finished"), "{drawn:?}");
    assert_eq!(count("question"), events("agent_question"), "{drawn:?}");
    assert_eq!((count("message"), count("ended")), (events("agent_message"), 1), "{drawn:?}");
}

async fn ends(ui: &Ui, viewer: &mut Ws, outcome: &str, words: &str) {
    let ended = viewer.until("run_ended").await;
    assert_eq!(ended["outcome"], outcome, "{ended}");
    ui.sees(words).await;
    ui.sees(ended["final_response"].as_str().unwrap().lines().next().unwrap()).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_demo_in_one_click_asks_before_the_order_and_orders_once() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let ui = welcome(&app.base).await;
    ui.sees("Модель не під’єднано.").await;

    ui.click("button", "Запустити демо").await;
    let (declined, mut viewer) = second_viewer(&app, &ui).await;
    let rules = judge(&ui, &mut viewer, "Відхилити").await;
    assert_eq!(rules, ["credentials", "buy"]);
    ends(&ui, &mut viewer, "cancelled", "Завдання зупинено").await;
    assert_eq!(orders(&app).await, Vec::<Value>::new(), "declined and ordered all the same");
    assert_viewers_agree(&app, &ui, &declined, &viewer).await;

    ui.click("link", "Нове завдання").await;
    ui.click("button", "Запустити демо").await;
    let (approved, mut viewer) = second_viewer(&app, &ui).await;
    assert_ne!(approved, declined);
    judge(&ui, &mut viewer, "Дозволити").await;
    ends(&ui, &mut viewer, "succeeded", "Завдання виконано").await;
    assert_eq!(orders(&app).await.len(), 1);
    assert_viewers_agree(&app, &ui, &approved, &viewer).await;
    drop(viewer);
    ui.finish().await;
    app.finish().await;
}

/// The way of the demo, as a model would go it.
fn way(base: &str) -> Vec<Reply> {
    vec![
        Reply::act("navigate", json!({"url": format!("{base}/demo/login?lang=uk")})),
        Reply::fill("Логін", "olena"),
        Reply::fill("Пароль", "demo-pass-1"),
        Reply::click("button", "Увійти"),
        Reply::click("button", "Додати в кошик: Лампа Зоря"),
        Reply::act("navigate", json!({"url": format!("{base}/demo/checkout")})),
        Reply::click("checkbox", "Погоджуюся з умовами"),
        Reply::click("button", LAST_BUTTON),
    ]
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_order_in_words_is_planned_by_the_model_and_judged_by_the_person() {
    let _slot = slot().await;
    let rules = Rules { several_runs: true, ..Rules::default() };
    let model = ScriptedModel::with_rules(rules, Vec::new());
    let settings =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__PLANNER", "scripted")];
    let app = spawn(&settings).await;
    let ui = welcome(&app.base).await;
    assert!(!ui.shows("text", "Модель не під’єднано").await);

    let order = "Увійди в демомагазин як olena і замов одну лампу «Зоря»";
    way(&app.base).into_iter().for_each(|reply| model.push(reply));
    ui.types("Завдання або повідомлення", order).await;
    ui.click("button", "Надіслати").await;
    let (declined, mut viewer) = second_viewer(&app, &ui).await;
    assert_eq!(judge(&ui, &mut viewer, "Відхилити").await, ["credentials", "buy"]);
    ends(&ui, &mut viewer, "cancelled", "Завдання зупинено").await;
    assert_eq!(orders(&app).await, Vec::<Value>::new());
    assert_viewers_agree(&app, &ui, &declined, &viewer).await;
    // The password is nowhere in what viewers are shown.
    assert!(!json!(viewer.events).to_string().contains("demo-pass-1"));

    ui.click("link", "Нове завдання").await;
    way(&app.base).into_iter().for_each(|reply| model.push(reply));
    model.push(Reply::stop("Замовлено лампу «Зоря»."));
    ui.types("Завдання або повідомлення", order).await;
    ui.click("button", "Надіслати").await;
    let (approved, mut viewer) = second_viewer(&app, &ui).await;
    assert_ne!(approved, declined);
    judge(&ui, &mut viewer, "Дозволити").await;
    ends(&ui, &mut viewer, "succeeded", "Завдання виконано").await;
    ui.sees("Замовлено лампу «Зоря».").await;
    let ordered = orders(&app).await;
    assert_eq!(ordered.len(), 1, "{ordered:?}");
    assert_eq!(ordered[0]["lines"][0]["product"], "zoria");
    drop(viewer);
    ui.finish().await;
    app.finish().await;
    model.finish();
}
