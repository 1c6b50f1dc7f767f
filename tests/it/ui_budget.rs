//! What a conversation asks on the page, in a real Chromium: with ready answers, in words, and when its budget
//! is used up; the person is warned before that.
// S2.11, S2.17, C5, C20

use crate::support::agents::{get, with_agents};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::Ui;
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

/// How much of a meter is filled, as it is drawn.
fn drawn(meter: &str) -> String {
    format!(
        "(([whole, part]) => part.width / whole.width)(['', ' i'].map((inner) => document.querySelector('{meter}' + inner).getBoundingClientRect()))"
    )
}

#[actix_web::test]
async fn questions_are_answered_by_their_options_and_a_budget_is_warned_of_and_given_again() {
    let Some(_slot) = slot().await else { return };
    let rules = Rules { several_runs: true, format: None, ..Rules::default() };
    let script = vec![
        ask("Which city?", "city", &["Lviv", "Kyiv"]),
        knows("Kyiv", ask("For how many days?", "days", &[])),
        knows("three days", Reply::stop("Three days in Kyiv.")),
    ];
    let model = ScriptedModel::with_rules(rules, script);
    let app = with_agents(&[("poor", POOR)], Some(&model)).await;
    let ui = Ui::open(&format!("{}/#/agents/poor/run", app.base)).await;
    ui.types("text", "plan my holiday").await;
    ui.click("button", "Run").await;
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
    ui.sees("85% of the tokens are used: 1.3K of 1.5K").await;
    ui.types("Your answer", "three days").await;
    ui.click("button", "Answer").await;

    ui.sees("2,560 of 1,500 tokens are used. Go on with as much again?").await;
    inside.until(&format!("{} >= 0.99", drawn(".card [role=meter]"))).await;
    assert_eq!(model.requests().len(), 2, "nothing is asked of the model while the person is asked");
    ui.click("button", "Give as much again").await;
    ui.reads("Three days in Kyiv.").await;

    // The next task of the same conversation finds it used up again; that is where it ends.
    ui.types("Task or message", "and a hotel").await;
    ui.click("button", "Send").await;
    ui.sees("3,840 of 3,000 tokens are used.").await;
    ui.click("button", "End here").await;
    ui.sees("The budget of steps or time is used up").await;
    assert_eq!(get(&app, &format!("/api/runs/{run}")).await["status"], "exhausted");
    ui.finish().await;
    app.finish().await;
    model.finish();
}
