//! The language of the page, in a real Chromium: it is that of the browser's person, and the switch changes all that
//! is shown at once, what the service has said among it.

use crate::support::app::{Http, spawn};
use crate::support::talk::slot;
use crate::support::ui::{Ui, Words};
use serde_json::{Value, json};

/// Collects all texts that the page shows or says to a screen reader, without those of the person, the shop and the
/// run.
const SHOWN: &str = r#"(() => {
  const own = '.user-message, .message, .entry-url, .card-place, .card-values td, .card-values th, .card-subject strong, .card-host, .card-method, .card-address, .card-dialog, .card-dialog-text, .card-changed dt, del, ins, .flow-ends dd, .flow-text, .card-after a, .sent-line, .card-picture, .picture, .filmstrip, .live, [lang], textarea, .run-title, h1, .thoughts, .fold-line, .observation';
  const texts = [];
  const walk = (node) => {
    if (node.nodeType === 3) { if (node.textContent.trim()) texts.push(node.textContent.trim()); return; }
    if (node.nodeType !== 1 || node.matches(own) || node.matches('script, style, noscript, svg')) return;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) if (node.getAttribute(name)) texts.push(node.getAttribute(name));
    node.childNodes.forEach(walk);
  };
  walk(document.body);
  return JSON.stringify(texts);
})()"#;

async fn shown(ui: &Ui) -> Vec<String> {
    let texts = ui.page().await.run(SHOWN).await;
    serde_json::from_str(texts.as_str().unwrap()).unwrap()
}

fn is_ukrainian(text: &str) -> bool {
    text.chars().any(|letter| ('\u{400}'..='\u{4ff}').contains(&letter))
}

/// Without what stands in quotes: the shop's words, and names, which no language of the page changes.
fn without_quotes(text: &str) -> String {
    let (mut unquoted, mut depth) = (String::new(), 0_u32);
    for letter in text.chars() {
        match letter {
            '«' | '“' => depth += 1,
            '»' | '”' => depth = depth.saturating_sub(1),
            _ if depth == 0 => unquoted.push(letter),
            _ => {}
        }
    }
    unquoted
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_switch_changes_everything_that_is_shown_at_once() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let [uk, en] = ["uk", "en"].map(Words::load);
    let text = format!("open {}/demo/lab/price?lang=en\nclick Buy the lamp", app.base);
    let order = json!({"agent": "browser", "input": {"text": text, "locale": "en"}});
    let (_, run) = Http::new().post(&format!("{}/api/runs", app.base), &order).await;
    let ui = Ui::open(&format!("{}/#/runs/{}", app.base, run["run_id"].as_str().unwrap())).await;
    ui.there_is(&en.get("approve")).await;
    let asked = question(&app.base).await;
    ui.sees(&asked("en", "text")).await;
    ui.sees(&asked("en", "reason")).await;

    ui.click("button", &format!("{}: {}", en.get("locale.other"), en.get("locale.switch"))).await;
    ui.there_is(&uk.get("approve")).await;
    ui.sees(&asked("uk", "text")).await;
    ui.sees(&asked("uk", "reason")).await;
    ui.sees(&uk.get("status.waiting")).await;
    let mut page = ui.page().await;
    page.until("document.documentElement.lang === 'uk'").await;
    page.until(&format!("document.title.includes({})", json!(uk.get("title.question")))).await;
    // Reasons come with an answer of the service.
    page.until(
        "[...document.querySelectorAll('[data-testid=why]')].every((one) => /[а-яі]/.test(one.textContent))",
    )
    .await;
    let english = en_values();
    let left: Vec<String> = shown(&ui).await.into_iter().filter(|text| english.contains(text)).collect();
    assert!(left.is_empty(), "still in English: {left:?}");

    ui.click("button", &format!("{}: {}", uk.get("locale.other"), uk.get("locale.switch"))).await;
    ui.there_is(&en.get("approve")).await;
    ui.sees(&asked("en", "text")).await;
    page.until(
        "[...document.querySelectorAll('[data-testid=why]')].every((one) => !/[а-яі]/.test(one.textContent))",
    )
    .await;
    let left: Vec<String> =
        shown(&ui).await.into_iter().filter(|text| is_ukrainian(&without_quotes(text))).collect();
    assert!(left.is_empty(), "still in Ukrainian: {left:?}");
    ui.finish().await;
    app.finish().await;
}

/// The open question's texts by language and name.
async fn question(base: &str) -> impl Fn(&str, &str) -> String + use<> {
    let open = Http::new().get(&format!("{base}/api/questions")).await;
    let texts = open["items"][0]["payload"]["texts"].clone();
    move |locale: &str, name: &str| texts[locale][name].as_str().unwrap().to_owned()
}

/// Sentences of the page in English that read otherwise in Ukrainian.
fn en_values() -> Vec<String> {
    let read = |locale: &str| -> Value {
        let path = format!("{}/static/locales/{locale}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let (en, uk) = (read("en"), read("uk"));
    let differs = |(key, text): (&String, &Value)| {
        let text = text.as_str()?.to_owned();
        (uk[key] != json!(text) && !text.contains('{')).then_some(text)
    };
    en.as_object().unwrap().iter().filter_map(differs).collect()
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_page_is_english_for_other_languages() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let [uk, en] = ["uk", "en"].map(Words::load);
    for (languages, words) in [("ru-RU,uk", &uk), ("de-DE,fr", &en)] {
        let ui = Ui::open_in(&app.base, Some(languages)).await;
        ui.sees(&words.get("welcome.title")).await;
        ui.finish().await;
    }
    app.finish().await;
}
