//! The plan of a run that is under way, changed on the page in a real Chromium: reworded, reordered, added to and
//! cut down, first with a mouse, then with nothing but the keyboard. What is done stays as it is done.
// S2.7, S2.13

use crate::support::agents::{get, with_agents};
use crate::support::app::PATIENCE;
use crate::support::devtools::Page;
use crate::support::model::{Reply, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::{Ui, lines};
use serde_json::{Value, json};

const CHORES: &str = "
kind: atomic
title_en: Chores
inputs: [{name: text, type: string, required: true}]
llm: {prompt: '{{ text }}', plan: true}
";

fn plan(goals: &[&str]) -> Reply {
    let item = |(at, goal): (usize, &&str)| {
        json!({"position": at + 1, "description": goal, "dependencies": [], "predicates": [],
               "acceptance_criteria": format!("{goal} is seen")})
    };
    let items: Vec<Value> = goals.iter().enumerate().map(item).collect();
    Reply::Text(json!({"items": items, "open_questions": [], "notes": null}).to_string())
}

fn claim_reply(step: u32) -> Reply {
    let mut reply = turn("", json!({}));
    (reply["status"], reply["step_ref"], reply["actions"]) = (json!("SUCCESS"), json!(step), json!([]));
    Reply::Turn(reply)
}

fn judgement_reply() -> Reply {
    Reply::Text(json!({"met": true, "why": "it is there"}).to_string())
}

async fn assert_shows(ui: &Ui, words: &str) {
    let shown = async { while !lines(&*ui.observe().await).contains(words) {} };
    if tokio::time::timeout(PATIENCE, shown).await.is_err() {
        panic!("nothing tells {words:?} in {}", lines(&*ui.observe().await));
    }
}

/// Goes on with Tab, as far as it takes, to what bears this name.
async fn tabs_to(ui: &Ui, inside: &mut Page, name: &str) {
    let focus =
        "((one) => one?.getAttribute('aria-label') ?? one?.textContent.trim() ?? '')(document.activeElement)";
    for _ in 0..60 {
        if inside.run(focus).await == name {
            return;
        }
        ui.presses("Tab").await;
    }
    panic!("Tab does not lead to {name:?}, but to {}", inside.run(focus).await);
}

async fn writes(ui: &Ui, text: &str) {
    for letter in text.chars() {
        ui.presses(&letter.to_string()).await;
    }
}

/// Takes the handle of one item and lets it go in the upper half of another, with real movements of a mouse.
async fn drags(inside: &mut Page, from: u32, over: u32) {
    let point_of = |n: u32, what: &str, part: f64| {
        format!(
            "(() => {{ const box = document.querySelector('.plan-row-edit:nth-child({n}) {what}').getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height * {part}]; }})()"
        )
    };
    inside
        .run(&format!(
            "document.querySelector('.plan-row-edit:nth-child({over})').scrollIntoView({{block: 'nearest'}})"
        ))
        .await;
    let from = inside.run(&point_of(from, ".plan-grip", 0.5)).await;
    let over = inside.run(&point_of(over, ".plan-grip", 0.1)).await;
    for (kind, at, buttons) in [
        ("mousePressed", &from, 1),
        ("mouseMoved", &over, 1),
        ("mouseMoved", &over, 1),
        ("mouseReleased", &over, 0),
    ] {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({"type": kind, "x": at[0], "y": at[1], "button": button, "buttons": buttons, "clickCount": 1});
        inside.call("Input.dispatchMouseEvent", event).await;
    }
}

/// Texts of the fields, from the top.
async fn goals(inside: &mut Page) -> Value {
    inside.run("[...document.querySelectorAll('.plan-form [aria-label^=\"What to do\"]')].map((field) => field.value)").await
}

/// The list is longer than its place.
async fn shown(inside: &mut Page, n: u32) {
    inside.run(&format!("document.querySelector('.plan-row-edit:nth-child({n})').scrollIntoView()")).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_plan_under_way_is_changed_with_the_mouse_and_with_the_keyboard() {
    let _slot = slot().await;
    let rules = Rules { several_runs: true, format: None, ..Rules::default() };
    let mut thinks = turn("", json!({}));
    thinks["actions"] = json!([]);
    let (second, release) = Reply::Turn(thinks).stalled();
    let script = vec![
        plan(&["first goal", "second goal", "third goal", "fourth goal"]),
        claim_reply(1),
        judgement_reply(),
        second,
    ];
    let model = ScriptedModel::with_rules(rules, script);
    let app = with_agents(&[("chores", CHORES)], Some(&model)).await;
    let ui = Ui::open(&format!("{}/#/agents/chores/run", app.base)).await;
    ui.types("text", "do four things").await;
    ui.click("button", "Run").await;
    let run = ui.run().await;
    model.arrived(4).await;
    assert_shows(&ui, "1 of 4 items done").await;

    // With the mouse. What is done has no field.
    ui.click("button", "Change the plan").await;
    ui.there_is("Save the plan").await;
    let mut inside = ui.page().await;
    assert_eq!(goals(&mut inside).await, json!(["second goal", "third goal", "fourth goal"]));
    drags(&mut inside, 3, 2).await;
    assert_eq!(goals(&mut inside).await, json!(["third goal", "second goal", "fourth goal"]));
    shown(&mut inside, 3).await;
    ui.types("What to do, item 3", "second goal, and well").await;
    shown(&mut inside, 4).await;
    ui.click("button", "Remove item 4").await;
    ui.click("button", "Add an item").await;
    ui.types("What to do, item 4", "fifth goal").await;
    ui.click("button", "Save the plan").await;
    ui.there_is("Change the plan").await;
    // The run has taken it in.
    inside.until("document.querySelector('.checklist')?.textContent.includes('fifth goal')").await;
    assert_shows(&ui, "1 of 4 items done").await;

    // With the keyboard alone, from where the focus has come back to.
    let label = "document.activeElement?.getAttribute('aria-label')";
    inside.until(&format!("{label} === 'Change the plan'")).await;
    ui.presses("Enter").await;
    inside.until(&format!("{label} === 'What to do, item 2'")).await;
    ui.presses("Alt+ArrowDown").await;
    inside.until(&format!("{label} === 'What to do, item 3'")).await;
    assert_eq!(goals(&mut inside).await, json!(["second goal, and well", "third goal", "fifth goal"]));
    inside.until("document.querySelector('#polite').textContent.includes('Item 3 of 4')").await;
    ui.presses("End").await;
    writes(&ui, "!").await;
    ui.presses("Shift+Tab").await;
    inside.run("document.querySelector('.plan-field').focus()").await;
    tabs_to(&ui, &mut inside, "Remove item 2").await;
    ui.presses("Enter").await;
    inside.until("document.activeElement?.textContent.trim() === 'Add an item'").await;
    ui.presses("Enter").await;
    inside.until(&format!("{label} === 'What to do, item 4'")).await;
    writes(&ui, "walk").await;
    tabs_to(&ui, &mut inside, "Save the plan").await;
    ui.presses("Enter").await;
    inside.until(&format!("{label} === 'Change the plan'")).await;
    let stored = get(&app, &format!("/api/runs/{run}/plan")).await;
    let words: Vec<&str> = stored["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["description"].as_str().unwrap())
        .collect();
    assert_eq!(words, ["first goal", "third goal!", "fifth goal", "walk"], "{stored}");
    assert_eq!(stored["items"][0]["status"], "succeeded");

    // The run continues by the current plan.
    let next = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(
            prompt.contains("third goal!") && prompt.contains("walk") && !prompt.contains("fourth goal"),
            "{prompt}"
        );
        claim_reply(2)
    });
    let rest = [
        next,
        judgement_reply(),
        claim_reply(3),
        judgement_reply(),
        claim_reply(4),
        judgement_reply(),
        Reply::stop("All four."),
    ];
    rest.into_iter().for_each(|reply| model.push(reply));
    drop(release);
    ui.reads("All four.").await;
    assert_shows(&ui, "4 of 4 items done").await;
    ui.finish().await;
    app.finish().await;
    model.finish();
}
