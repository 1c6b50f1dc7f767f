//! Planners of what stands inside of something: frames, frames of other sites, shadow roots.

use crate::planner::hand::Hand;
use crate::planner::{Solved, planners};

planners!(
    frame,
    frame_of_another_site,
    frame_in_frames,
    frames_of_other_sites_in_each_other,
    two_frames,
    open_shadow,
    closed_shadow,
    closed_shadow_of_another_site,
    slotted,
);

async fn copy_word(hand: &mut Hand) -> Solved {
    let said = &hand.view.saying("The word is ")?.name;
    let word = said.trim_start_matches("The word is ").trim_end_matches('.').to_owned();
    hand.fill("Inner code", &word).await?;
    hand.click("button", "Hand in").await
}

async fn frame(hand: &mut Hand) -> Solved {
    copy_word(hand).await
}

async fn frame_of_another_site(hand: &mut Hand) -> Solved {
    copy_word(hand).await
}

async fn frames_of_other_sites_in_each_other(hand: &mut Hand) -> Solved {
    copy_word(hand).await
}

async fn frame_in_frames(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("Inner code", &wanted[0]).await?;
    hand.click("button", "Hand in").await
}

async fn two_frames(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let right = |hand: &Hand, role: &str, name: &str| -> Solved<u32> {
        let frame = hand.view.lines.iter().find(|line| line.role == "iframe" && line.name == "Right");
        let frame = frame.ok_or_else(|| format!("no right frame in\n{}", hand.view.text()))?;
        hand.view.next(frame, role, name)?.eid()
    };
    let field = right(hand, "textbox", "Inner code")?;
    hand.write_into(field, &wanted[0]).await?;
    let button = right(hand, "button", "Hand in")?;
    hand.click_on(button).await
}

async fn open_shadow(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("Widget code", &wanted[0]).await?;
    hand.click("button", "Hand in").await
}

async fn closed_shadow(hand: &mut Hand) -> Solved {
    open_shadow(hand).await
}

async fn closed_shadow_of_another_site(hand: &mut Hand) -> Solved {
    open_shadow(hand).await
}

async fn slotted(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await
}
