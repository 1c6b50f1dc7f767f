//! Planners of what opens beside the page or leads away from it: dialogs of the browser, tabs,
//! pop-ups, other pages.

use crate::planner::hand::Hand;
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
fn word(hand: &Hand) -> Solved<String> {
    let line = hand.view.saying("The word is ")?;
    let said =
        [line.name.as_str(), line.value()].into_iter().find_map(|said| said.split("The word is ").nth(1));
    Ok(said.unwrap_or_default().chars().take_while(|letter| letter.is_alphanumeric()).collect())
}

async fn hand_in(hand: &mut Hand, word: &str) -> Solved {
    hand.fill("Word", word).await?;
    hand.click("button", "Submit").await
}

fn shown(hand: &Hand, tab: &str) -> Solved {
    match hand.view.fence("tab") {
        shown if shown == tab => Ok(()),
        other => Err(format!("the tab is {other} and not {tab}\n{}", hand.view.text())),
    }
}

async fn alert(hand: &mut Hand) -> Solved {
    hand.click("button", "Tell me").await?;
    let word = word(hand)?;
    hand_in(hand, &word).await
}

/// The goal says of each button what to answer.
async fn confirm(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let accepted = hand.view.goal()?.find("accept").ok_or("nothing is to be accepted")?;
    let dismissed = hand.view.goal()?.find("dismiss").ok_or("nothing is to be dismissed")?;
    for (name, accept) in [(&wanted[0], accepted < dismissed), (&wanted[1], dismissed < accepted)] {
        hand.click("button", name).await?;
        hand.answer(&format!("{name}?"), json!({"accept": accept})).await?;
    }
    hand.click("button", "Ready").await
}

async fn confirm_in_a_frame(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await?;
    hand.answer(&format!("{}?", wanted[0]), json!({"accept": true})).await
}

async fn prompt(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await?;
    if hand.view.lines.first().is_none_or(|line| line.value() != wanted[1]) {
        return Err(format!("what stands there is not shown\n{}", hand.view.text()));
    }
    hand.answer("New name?", json!({"accept": true, "text": wanted[2]})).await
}

async fn leave_a_draft(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("Draft", &wanted[0]).await?;
    hand.click("link", &wanted[1]).await?;
    hand.view.saying("Leave this page?")?;
    hand.act("dialog", json!({"accept": true})).await?;
    hand.click("button", "I am here").await
}

async fn new_tab(hand: &mut Hand) -> Solved {
    hand.click("link", "Open the card").await?;
    shown(hand, "2/2")?;
    let word = word(hand)?;
    hand.act("tab", json!({"operation": "switch", "tab": 1})).await?;
    shown(hand, "1/2")?;
    hand_in(hand, &word).await
}

async fn close_what_opened(hand: &mut Hand) -> Solved {
    hand.click("button", "Prices").await?;
    shown(hand, "2/2")?;
    hand.act("tab", json!({"operation": "close"})).await?;
    shown(hand, "1/1")?;
    hand.click("button", "Go on").await
}

async fn pop_up(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await?;
    shown(hand, "2/2")?;
    hand.fill("Your word", &wanted[1]).await?;
    hand.click("button", "Hand in").await?;
    shown(hand, "1/1")
}

async fn leave_and_come_back(hand: &mut Hand) -> Solved {
    hand.click("link", "The other page").await?;
    let word = word(hand)?;
    hand.act("back", json!({})).await?;
    hand_in(hand, &word).await
}
