//! Planners of what opens beside the page or leads away from it: dialogs of the browser, tabs,
//! pop-ups, other pages.

use crate::planner::driver::Driver;
use crate::planner::{Solved, planners};
use serde_json::json;

planners!(
    alert,
    confirm,
    confirm_in_a_frame,
    prompt,
    leave_a_draft,
    new_tab,
    close_what_opened,
    pop_up,
    leave_and_come_back,
);

/// The word that something says.
fn word(driver: &Driver) -> Solved<String> {
    let line = driver.view.find_line("The word is ")?;
    let text =
        [line.name.as_str(), line.value()].into_iter().find_map(|part| part.split("The word is ").nth(1));
    Ok(text.unwrap_or_default().chars().take_while(|letter| letter.is_alphanumeric()).collect())
}

async fn hand_in(driver: &mut Driver, word: &str) -> Solved {
    driver.fill("Word", word).await?;
    driver.click("button", "Submit").await
}

fn shown(driver: &Driver, tab: &str) -> Solved {
    match driver.view.fence("tab") {
        shown if shown == tab => Ok(()),
        other => Err(format!("the tab is {other} and not {tab}\n{}", driver.view.text())),
    }
}

async fn alert(driver: &mut Driver) -> Solved {
    driver.click("button", "Tell me").await?;
    let word = word(driver)?;
    hand_in(driver, &word).await
}

/// The goal says of each button what to answer.
async fn confirm(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let accepted = driver.view.goal()?.find("accept").ok_or("nothing is to be accepted")?;
    let dismissed = driver.view.goal()?.find("dismiss").ok_or("nothing is to be dismissed")?;
    for (name, accept) in [(&wanted[0], accepted < dismissed), (&wanted[1], dismissed < accepted)] {
        driver.click("button", name).await?;
        driver.answer(&format!("{name}?"), json!({"accept": accept})).await?;
    }
    driver.click("button", "Ready").await
}

async fn confirm_in_a_frame(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await?;
    driver.answer(&format!("{}?", wanted[0]), json!({"accept": true})).await
}

async fn prompt(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await?;
    if driver.view.lines.first().is_none_or(|line| line.value() != wanted[1]) {
        return Err(format!("what stands there is not shown\n{}", driver.view.text()));
    }
    driver.answer("New name?", json!({"accept": true, "text": wanted[2]})).await
}

async fn leave_a_draft(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("Draft", &wanted[0]).await?;
    driver.click("link", &wanted[1]).await?;
    driver.view.find_line("Leave this page?")?;
    driver.act("dialog", json!({"accept": true})).await?;
    driver.click("button", "I am here").await
}

async fn new_tab(driver: &mut Driver) -> Solved {
    driver.click("link", "Open the card").await?;
    shown(driver, "2/2")?;
    let word = word(driver)?;
    driver.act("tab", json!({"operation": "switch", "tab": 1})).await?;
    shown(driver, "1/2")?;
    hand_in(driver, &word).await
}

async fn close_what_opened(driver: &mut Driver) -> Solved {
    driver.click("button", "Prices").await?;
    shown(driver, "2/2")?;
    driver.act("tab", json!({"operation": "close"})).await?;
    shown(driver, "1/1")?;
    driver.click("button", "Go on").await
}

async fn pop_up(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await?;
    shown(driver, "2/2")?;
    driver.fill("Your word", &wanted[1]).await?;
    driver.click("button", "Hand in").await?;
    shown(driver, "1/1")
}

async fn leave_and_come_back(driver: &mut Driver) -> Solved {
    driver.click("link", "The other page").await?;
    let word = word(driver)?;
    driver.act("back", json!({})).await?;
    hand_in(driver, &word).await
}
