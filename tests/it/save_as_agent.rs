//! From a run to an agent: the demo shop ordered in plain words, saved, and played again without a
//! model; what cannot be saved and why; a run as one document; the agent that ships.

use crate::support::app::{Http, TestApp, spawn};
use crate::support::devtools::Page;
use crate::support::talk::slot;
use crate::support::ws::Ws;
use serde_json::{Value, json};

/// The way through the demo shop as a person orders it, with the password that stands on its page.
fn orders(base: &str, visitor: &str) -> String {
    format!(
        "відкрий {base}/demo/login?visitor={visitor}\nвпиши olena в Логін\nвпиши demo-pass-1 в Пароль\n\
         натисни Увійти\nнатисни «Додати в кошик: Лампа Зоря»\nнатисни Кошик\nнатисни Оформити замовлення\n\
         познач Погоджуюся з умовами\nнатисни Підтвердити замовлення"
    )
}

struct Shop {
    app: TestApp,
    http: Http,
}

impl Shop {
    async fn open() -> Self {
        Self { app: spawn(&[]).await, http: Http::new() }
    }

    async fn start(&self, agent: &str, input: Value) -> (String, Ws) {
        let url = format!("{}/api/runs", self.app.base);
        let (status, started) = self.http.post(&url, &json!({"agent": agent, "input": input})).await;
        assert_eq!(status, 201, "{started}");
        let run = started["run_id"].as_str().unwrap().to_owned();
        let (ws, _) = Ws::hello(&self.app.base, json!({"run_id": run, "after_seq": 0})).await;
        (run, ws)
    }

    /// Approves whatever is asked; gives the rules that asked, and the end.
    async fn approve(&self, ws: &mut Ws) -> (Vec<String>, Value) {
        let mut rules = Vec::new();
        loop {
            let what = |frame: &Value| frame["type"] == "agent_question" || frame["type"] == "run_ended";
            let frame = ws.until_that("a question or the end", what).await;
            if frame["type"] == "run_ended" {
                return (rules, frame);
            }
            assert_eq!(frame["kind"], "confirm", "{frame}");
            rules.push(frame["payload"]["rule"].as_str().unwrap().to_owned());
            ws.send(json!({"type": "answer", "reference": frame["reference"], "confirmed": true})).await;
        }
    }

    /// Orders as a person does; the run that did.
    async fn ordered(&self, visitor: &str) -> String {
        let text = orders(&self.app.base, visitor);
        let (run, mut ws) = self.start("browser", json!({"text": text, "locale": "uk"})).await;
        let (_, end) = self.approve(&mut ws).await;
        assert_eq!(end["outcome"], "succeeded", "{end}");
        run
    }

    async fn save(&self, run: &str, body: Value) -> (u16, Value) {
        self.http.post(&format!("{}/api/runs/{run}/agent", self.app.base), &body).await
    }

    async fn books(&self, visitor: &str) -> Vec<Value> {
        let list = self.http.get(&format!("{}/demo/api/orders?visitor={visitor}", self.app.base)).await;
        list["items"].as_array().unwrap().clone()
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_demo_order_is_saved_and_played_again_without_a_model() {
    let _slot = slot().await;
    let shop = Shop::open().await;
    let run = shop.ordered("saved").await;
    let offer = shop.http.get(&format!("{}/api/runs/{run}/agent", shop.app.base)).await;
    assert_eq!(
        (&offer["exists"], &offer["path"], &offer["mended"]),
        (&json!(false), &json!(null), &json!([]))
    );

    let body = json!({"name": "lamp", "title_ua": "Лампа", "title_en": "A lamp"});
    let (status, saved) = shop.save(&run, body).await;
    assert_eq!(status, 201, "{saved}");
    let file = std::fs::read_to_string(saved["path"].as_str().unwrap()).unwrap();
    assert_eq!(saved["yaml"], file);
    assert!(!file.contains("demo-pass-1") && !file.contains("<typed:"), "{file}");
    let spec = &saved["spec"];
    assert_eq!(spec["browser"]["start_url"], "/demo/login?visitor=saved", "{file}");
    assert_eq!(spec["browser"]["language"], "uk");
    let inputs: Vec<&str> =
        spec["inputs"].as_array().unwrap().iter().map(|input| input["name"].as_str().unwrap()).collect();
    assert_eq!(inputs, ["login", "password", "item"], "{file}");
    assert_eq!(spec["inputs"][0]["default"], "olena");
    assert_eq!((&spec["inputs"][1]["secret"], &spec["inputs"][1]["default"]), (&json!(true), &json!(null)));
    assert_eq!(spec["inputs"][2]["default"], "Лампа Зоря");
    let last = spec["browser"]["script"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["target"], json!({"role": "button", "name": "Підтвердити замовлення"}));
    assert_eq!(last["check"]["url"], "/demo/orders/*/thanks", "{last}");

    // The script runs with another lamp, and for a person who reads English on the pages that it was made on.
    let input = json!({"password": "demo-pass-1", "item": "Лампа Вечір", "locale": "en"});
    let (again, mut ws) = shop.start("lamp", input).await;
    let (rules, end) = shop.approve(&mut ws).await;
    assert_eq!(end["outcome"], "succeeded", "{end}");
    assert_eq!(rules, ["credentials", "buy"], "the same gate");
    let books = shop.books("saved").await;
    let lamps: Vec<&Value> = books.iter().map(|order| &order["lines"][0]["product"]).collect();
    assert_eq!(books.len(), 2, "{books:?}");
    assert!(lamps.contains(&&json!("zoria")) && lamps.contains(&&json!("vechir")), "{lamps:?}");
    let events = format!("{:?}", ws.events);
    assert!(
        !events.contains("demo-pass-1") && !events.contains("<typed:"),
        "a secret input is shown nowhere"
    );
    let row = shop.http.get(&format!("{}/api/runs/{again}", shop.app.base)).await;
    assert_eq!(row["input"]["password"], "••••");
    shop.app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_missing_secret_of_a_saved_agent_is_typed_by_the_person() {
    let _slot = slot().await;
    let shop = Shop::open().await;
    let run = shop.ordered("byhand").await;
    assert_eq!(shop.save(&run, json!({"name": "lamp"})).await.0, 201);
    let (_, mut ws) = shop.start("lamp", json!({})).await;
    let question = ws.until("agent_question").await;
    assert_eq!(question["kind"], "manual", "{question}");
    assert!(question["text"].as_str().unwrap().contains("Пароль"), "{question}");
    let mut page = Page::find(&shop.app.data(), "/demo/login").await;
    page.run("document.querySelector('[type=password]').value = 'demo-pass-1'").await;
    ws.send(json!({"type": "answer", "reference": question["reference"], "done": true})).await;
    let (_, end) = shop.approve(&mut ws).await;
    assert_eq!(end["outcome"], "succeeded", "{end}");
    assert_eq!(shop.books("byhand").await.len(), 2);
    shop.app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_run_that_cannot_be_saved_as_an_agent_is_refused_and_nothing_is_written() {
    let _slot = slot().await;
    let shop = Shop::open().await;
    let agents = shop.app.folder.path().join("agents");
    let text = format!("відкрий {}/demo/ потім дай мені", shop.app.base);
    let (run, mut ws) = shop.start("browser", json!({"text": text})).await;
    let question = ws.until("agent_question").await;
    let refused = |(status, problem): (u16, Value)| format!("{status} {}", problem["code"].as_str().unwrap());
    assert_eq!(refused(shop.save(&run, json!({"name": "early"})).await), "409 busy");
    ws.send(json!({"type": "answer", "reference": question["reference"], "done": true})).await;
    ws.until_that("the end", |frame| frame["type"] == "run_ended").await;

    let (idle, mut ws) = shop.start("browser", json!({"text": "стоп"})).await;
    ws.until_that("the end", |frame| frame["type"] == "run_ended").await;
    assert_eq!(refused(shop.save(&idle, json!({"name": "idle"})).await), "422 nothing_to_save");
    let url = format!("{}/demo/", shop.app.base);
    let (seen, mut ws) = shop.start("browser", json!({"text": format!("відкрий {url}")})).await;
    ws.until_that("the end", |frame| frame["type"] == "run_ended").await;
    for (name, expected) in
        [("../evil", "422 bad_name"), ("Lamp", "422 bad_name"), ("browser", "409 agent_exists")]
    {
        assert_eq!(refused(shop.save(&seen, json!({"name": name})).await), expected, "{name}");
    }
    assert_eq!(refused(shop.save("nobody", json!({"name": "x"})).await), "404 unknown_run");
    let browser = std::fs::read_to_string(agents.join("browser.yaml")).unwrap();
    assert_eq!(browser, include_str!("../../agents/browser.yaml"));
    for name in ["early", "idle", "Lamp"] {
        assert!(!agents.join(format!("{name}.yaml")).exists(), "{name}");
    }
    assert_eq!(shop.save(&seen, json!({"name": "seen"})).await.0, 201);
    assert_eq!(shop.save(&seen, json!({"name": "seen", "overwrite": true})).await.0, 200);
    shop.app.finish().await;
}

// docs/replay.md
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_export_is_one_document() {
    let _slot = slot().await;
    let shop = Shop::open().await;
    let url = format!("{}/demo/", shop.app.base);
    let (run, mut ws) = shop.start("browser", json!({"text": format!("відкрий {url}")})).await;
    ws.until_that("the end", |frame| frame["type"] == "run_ended").await;
    let path = |rest: &str| format!("{}/api/runs/{run}{rest}", shop.app.base);
    let document = shop.http.get(&path("/export")).await;
    assert_eq!(document["run"], shop.http.get(&path("")).await);
    assert_eq!(document["state"], shop.http.get(&path("/state")).await["state_data"]);
    assert_eq!(document["trace"], shop.http.get(&path("/trace")).await["steps"]);
    assert_eq!(document["facts"], shop.http.get(&path("/events")).await["items"]);
    assert_eq!(
        (&document["agent"]["name"], &document["input"]),
        (&json!("browser"), &document["run"]["input"])
    );
    let pictures = document["pictures"].as_array().unwrap();
    assert!(!pictures.is_empty());
    for picture in pictures {
        let url = format!("{}{}", shop.app.base, picture.as_str().unwrap());
        assert!(reqwest::get(url).await.unwrap().status().is_success(), "{picture}");
    }
    let missing = reqwest::get(format!("{}/api/runs/nobody/export", shop.app.base)).await.unwrap();
    assert_eq!(missing.status().as_u16(), 404);
    shop.app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_built_in_demo_order_orders_its_input() {
    let _slot = slot().await;
    let shop = Shop::open().await;
    let (_, mut ws) = shop.start("demo_order", json!({"visitor": "ships"})).await;
    let (rules, end) = shop.approve(&mut ws).await;
    assert_eq!(end["outcome"], "succeeded", "{end}");
    assert_eq!(rules, ["buy"], "one question, for the order itself");
    let order = shop.books("ships").await[0].clone();
    assert_eq!(end["vars"]["order"], order["number"].to_string(), "{end} {order}");
    assert_eq!((&order["city"], &order["delivery"]), (&json!("Kyiv"), &json!("courier")));
    let response = end["final_response"].as_str().unwrap();
    assert!(response.starts_with("Order ") && response.contains("Zoria lamp to Kyiv, ₴"), "{response}");

    let input = json!({"visitor": "ships", "product": "Kulia pendant", "country": "Poland", "delivery": "Parcel locker"});
    let (_, mut ws) = shop.start("demo_order", input).await;
    let (_, end) = shop.approve(&mut ws).await;
    assert_eq!(end["outcome"], "succeeded", "{end}");
    let order = shop.books("ships").await.into_iter().find(|order| order["country"] == "pl").unwrap();
    assert_eq!((&order["lines"][0]["product"], &order["delivery"]), (&json!("kulia"), &json!("post")));

    // A lamp that the shop has not is told with what it has.
    let (_, mut ws) = shop.start("demo_order", json!({"visitor": "ships", "product": "Sun"})).await;
    let (_, end) = shop.approve(&mut ws).await;
    assert_eq!(end["outcome"], "blocked", "{end}");
    let response = end["final_response"].as_str().unwrap();
    assert!(
        response.contains("“Add to cart: Sun”") && response.contains("“Add to cart: Zoria lamp”"),
        "{response}"
    );
    shop.app.finish().await;
}
