//! Planners of pressing: buttons, links, icons, what comes late, dialogs, keys.

use crate::planner::driver::Driver;
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

async fn button_by_name(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await
}

async fn buttons_in_order(driver: &mut Driver) -> Solved {
    for name in driver.view.quoted()? {
        driver.click("button", &name).await?;
    }
    Ok(())
}

async fn link_in_text(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("link", &wanted[0]).await
}

async fn icon_buttons(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await
}

async fn comes_late(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    // The goal says the word, too: only the button counts.
    for _ in 0..8 {
        if driver.view.find("button", &wanted[0]).is_ok() {
            return driver.click("button", &wanted[0]).await;
        }
        driver.act("wait", json!({"seconds": 1})).await?;
    }
    Err(String::from("it never came"))
}

async fn countdown(driver: &mut Driver) -> Solved {
    driver.wait_for("Ready").await?;
    driver.click("button", "Launch").await
}

async fn things_without_a_role(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.press_on(&wanted[0]).await
}

async fn enabled_by_a_choice(driver: &mut Driver) -> Solved {
    if !driver.view.find("button", "Continue")?.is("disabled") {
        return Err(String::from("the button does not show that it is disabled"));
    }
    driver.click("checkbox", "I agree to the terms").await?;
    driver.click("button", "Continue").await
}

async fn covered_by_a_banner(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", "No, thanks").await?;
    driver.click("button", &wanted[0]).await
}

async fn double_click(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let eid = driver.view.named(&wanted[0])?.eid()?;
    driver.act("click", json!({"eid": eid, "count": 2})).await
}

async fn context_menu(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let eid = driver.view.named(&wanted[0])?.eid()?;
    driver.act("click", json!({"eid": eid, "button": "right"})).await?;
    driver.click("menuitem", &wanted[1]).await
}

async fn count_by_pressing(driver: &mut Driver) -> Solved {
    let wanted =
        driver.view.goal()?.split("show ").nth(1).and_then(|rest| rest.split(',').next()).map(str::to_owned);
    let wanted = format!("Counter: {}", wanted.ok_or("no number")?);
    for _ in 0..10 {
        if driver.view.lines.iter().any(|line| line.name == wanted || line.value() == wanted) {
            return driver.click("button", "Ready").await;
        }
        driver.click("button", "More").await?;
    }
    Err(format!("never came to {wanted}\n{}", driver.view.text()))
}

async fn shapes(driver: &mut Driver) -> Solved {
    let goal = driver.view.goal()?;
    let wanted = goal.trim_start_matches("Press the ").trim_end_matches('.').to_owned();
    driver.click("button", &wanted).await
}

async fn modal_dialog(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await?;
    driver.click("button", &wanted[1]).await
}

async fn popover(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await?;
    driver.click("button", &wanted[1]).await
}

async fn undo_in_time(driver: &mut Driver) -> Solved {
    driver.click("button", "Archive").await?;
    driver.click("button", "Undo").await
}

async fn keyboard_only(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.key("Tab").await?;
    for _ in 0..8 {
        let chosen = driver.view.lines.iter().find(|line| line.role == "option" && line.is("selected"));
        let chosen = chosen.ok_or_else(|| format!("nothing is selected in\n{}", driver.view.text()))?;
        let key = if chosen.name == wanted[0] { "Enter" } else { "ArrowDown" };
        driver.key(key).await?;
        if key == "Enter" {
            return Ok(());
        }
    }
    Err(format!("never came to {}\n{}", wanted[0], driver.view.text()))
}

async fn key_chord(driver: &mut Driver) -> Solved {
    let goal = driver.view.goal()?;
    let chord = goal.trim_start_matches("Press ").split(' ').next().unwrap_or_default().to_owned();
    driver.key(&chord).await
}
