//! Planners of pressing: buttons, links, icons, what comes late, dialogs, keys.

use crate::planner::hand::Hand;
use crate::planner::{Solved, planners};
use serde_json::json;

planners!(
    button_by_name,
    buttons_in_order,
    link_in_text,
    icon_buttons,
    comes_late,
    countdown,
    things_without_a_role,
    enabled_by_a_choice,
    covered_by_a_banner,
    double_click,
    context_menu,
    count_by_pressing,
    shapes,
    modal_dialog,
    popover,
    undo_in_time,
    keyboard_only,
    key_chord,
);

async fn button_by_name(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await
}

async fn buttons_in_order(hand: &mut Hand) -> Solved {
    for name in hand.view.quoted()? {
        hand.click("button", &name).await?;
    }
    Ok(())
}

async fn link_in_text(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("link", &wanted[0]).await
}

async fn icon_buttons(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await
}

async fn comes_late(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    // The goal says the word, too: only the button counts.
    for _ in 0..8 {
        if hand.view.find("button", &wanted[0]).is_ok() {
            return hand.click("button", &wanted[0]).await;
        }
        hand.act("wait", json!({"seconds": 1})).await?;
    }
    Err(String::from("it never came"))
}

async fn countdown(hand: &mut Hand) -> Solved {
    hand.wait_for("Ready").await?;
    hand.click("button", "Launch").await
}

async fn things_without_a_role(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.press_on(&wanted[0]).await
}

async fn enabled_by_a_choice(hand: &mut Hand) -> Solved {
    if !hand.view.find("button", "Continue")?.is("disabled") {
        return Err(String::from("the button does not show that it is disabled"));
    }
    hand.click("checkbox", "I agree to the terms").await?;
    hand.click("button", "Continue").await
}

async fn covered_by_a_banner(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", "No, thanks").await?;
    hand.click("button", &wanted[0]).await
}

async fn double_click(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let eid = hand.view.named(&wanted[0])?.eid()?;
    hand.act("click", json!({"eid": eid, "count": 2})).await
}

async fn context_menu(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let eid = hand.view.named(&wanted[0])?.eid()?;
    hand.act("click", json!({"eid": eid, "button": "right"})).await?;
    hand.click("menuitem", &wanted[1]).await
}

async fn count_by_pressing(hand: &mut Hand) -> Solved {
    let wanted =
        hand.view.goal()?.split("show ").nth(1).and_then(|rest| rest.split(',').next()).map(str::to_owned);
    let wanted = format!("Counter: {}", wanted.ok_or("no number")?);
    for _ in 0..10 {
        if hand.view.lines.iter().any(|line| line.name == wanted || line.value() == wanted) {
            return hand.click("button", "Ready").await;
        }
        hand.click("button", "More").await?;
    }
    Err(format!("never came to {wanted}\n{}", hand.view.text()))
}

async fn shapes(hand: &mut Hand) -> Solved {
    let goal = hand.view.goal()?;
    let wanted = goal.trim_start_matches("Press the ").trim_end_matches('.').to_owned();
    hand.click("button", &wanted).await
}

async fn modal_dialog(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await?;
    hand.click("button", &wanted[1]).await
}

async fn popover(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await?;
    hand.click("button", &wanted[1]).await
}

async fn undo_in_time(hand: &mut Hand) -> Solved {
    hand.click("button", "Archive").await?;
    hand.click("button", "Undo").await
}

async fn keyboard_only(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.key("Tab").await?;
    for _ in 0..8 {
        let chosen = hand.view.lines.iter().find(|line| line.role == "option" && line.is("selected"));
        let chosen = chosen.ok_or_else(|| format!("nothing is selected in\n{}", hand.view.text()))?;
        let key = if chosen.name == wanted[0] { "Enter" } else { "ArrowDown" };
        hand.key(key).await?;
        if key == "Enter" {
            return Ok(());
        }
    }
    Err(format!("never came to {}\n{}", wanted[0], hand.view.text()))
}

async fn key_chord(hand: &mut Hand) -> Solved {
    let goal = hand.view.goal()?;
    let chord = goal.trim_start_matches("Press ").split(' ').next().unwrap_or_default().to_owned();
    hand.key(&chord).await
}
