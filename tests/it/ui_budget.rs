//! Questions of a conversation on the page, in a real Chromium: with ready answers, in words, and when its budget is
//! used up; the person is warned before that.
// S2.11, S2.17, C5, C20

use crate::support::agents::{get, with_agents};
use crate::support::devtools::Page;
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::{Ui, Words};
use serde_json::json;

/// Each answer of the scripted model takes 1,280 tokens.
const POOR: &str = "
kind: atomic
title_en: Travel
inputs: [{name: text, type: string, required: true}]
llm: {prompt: '{{ text }}', plan: auto, thinking: 'off'}
limits: {tokens: 1500}
";

fn ask(question: &str, key: &str, options: &[&str]) -> Reply {
    Reply::act("ask_user", json!({"question": question, "answer_key": key, "options": options}))
}

/// The next turn, which knows this.
fn knows(words: &'static str, reply: Reply) -> Reply {
    Reply::seen(move |request| {
        assert!(request.last_text().contains(words), "{}", request.last_text());
        reply
    })
}

/// Filled part of a meter, as it is drawn.
fn drawn(meter: &str) -> String {
    format!(
        "(([whole, part]) => part.width / whole.width)(['', ' i'].map((inner) => document.querySelector('{meter}' + inner).getBoundingClientRect()))"
    )
}

/// Waits until the page shows this, whatever its spaces are.
async fn shows(page: &mut Page, text: &str) {
    page.until(&format!("document.body.innerText.replace(/\\s+/g, ' ').includes({})", json!(text))).await;
}

/// The texts of numbers as a language writes them: what is warned of, what is asked, and asked again.
fn get_texts(locale: &str) -> [&'static str; 3] {
    match locale {
        "uk" => [
            "Використано 85% ліміту токенів: 1,3 тис. з 1,5 тис.",
            "Використано 2 560 токенів із 1 500. Дозволити ще стільки ж?",
            "Використано 3 840 токенів із 3 000.",
        ],
        _ => [
            "85% of the token limit used: 1.3K of 1.5K",
            "2,560 of 1,500 tokens have been used. Allow as much again?",
            "3,840 of 3,000 tokens have been used.",
        ],
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn questions_and_budgets_are_answered_in_english() {
    check_questions_and_budgets("en").await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn questions_and_budgets_are_answered_in_ukrainian() {
    check_questions_and_budgets("uk").await;
}

async fn check_questions_and_budgets(locale: &'static str) {
    let _slot = slot().await;
    let words = Words::load(locale);
    let [warned, asked, again] = get_texts(locale);
    let rules = Rules { several_runs: true, format: None, ..Rules::default() };
    let script = vec![
        ask("Which city?", "city", &["Lviv", "Kyiv"]),
        knows("Kyiv", ask("For how many days?", "days", &[])),
        knows("three days", Reply::stop("Three days in Kyiv.")),
    ];
    let model = ScriptedModel::with_rules(rules, script);
    let app = with_agents(&[("poor", POOR)], Some(&model)).await;
    let ui = Ui::open_in(&format!("{}/#/agents/poor/run", app.base), Some(locale)).await;
    ui.types("text", "plan my holiday").await;
    ui.click("button", &words.get("form.run")).await;
    let run = ui.run().await;

    ui.sees("Which city?").await;
    let mut inside = ui.page().await;
    let meter = "document.querySelector('[data-testid=tokens] [role=meter]')";
    inside.until(&format!("{meter}?.getAttribute('aria-valuenow') === '85'")).await;
    assert_eq!(inside.run(&format!("{meter}.hasAttribute('data-warns')")).await, true);
    let part = inside.run(&drawn("[data-testid=tokens] [role=meter]")).await.as_f64().unwrap();
    assert!((0.8..0.9).contains(&part), "it is drawn as it is: {part}");
    // With the keyboard, from the card that has taken the focus: the second of the ready answers.
    inside.until("document.querySelector('.card').contains(document.activeElement)").await;
    let has_focus = "document.activeElement?.textContent";
    while inside.run(has_focus).await != "Kyiv" {
        ui.presses("Tab").await;
    }
    ui.presses("Enter").await;

    ui.sees("For how many days?").await;
    shows(&mut inside, warned).await;
    ui.types(&words.get("question.answer"), "three days").await;
    ui.click("button", &words.get("question.send")).await;

    shows(&mut inside, asked).await;
    inside.until(&format!("{} >= 0.99", drawn(".card [role=meter]"))).await;
    assert_eq!(model.requests().len(), 2, "nothing is asked of the model while the person is asked");
    ui.click("button", &words.get("budget.go")).await;
    ui.reads("Three days in Kyiv.").await;

    // The next task of the same conversation finds it used up again; that is where it ends.
    ui.types(&words.get("composer.label"), "and a hotel").await;
    ui.click("button", &words.get("composer.send")).await;
    shows(&mut inside, again).await;
    ui.click("button", &words.get("budget.end")).await;
    ui.sees(&words.get("ended.exhausted.tokens")).await;
    assert_eq!(get(&app, &format!("/api/runs/{run}")).await["status"], "exhausted");
    ui.finish().await;
    app.finish().await;
    model.finish();
}
