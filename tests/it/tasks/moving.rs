//! Planners of dragging, with the browser's own drag and drop and on pages that move things after the
//! pointer: to sort, onto a column, into a bin.

use crate::planner::hand::Hand;
use crate::planner::{Solved, planners};

planners!(
    sort_by_drop,
    sort_by_pointer,
    card_by_drop,
    card_by_pointer,
    bin_by_drop,
    bin_by_pointer,
    undo_a_wrong_place,
);

/// Drags the first that the goal names onto the second.
async fn drag(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    carry(hand, &wanted[0], &wanted[1]).await
}

async fn carry(hand: &mut Hand, from: &str, to: &str) -> Solved {
    let (from, to) = (hand.view.near(from)?.eid()?, hand.view.near(to)?.eid()?);
    hand.drag(from, to).await
}

async fn sort_by_drop(hand: &mut Hand) -> Solved {
    drag(hand).await?;
    hand.click("button", "Keep the order").await
}

async fn sort_by_pointer(hand: &mut Hand) -> Solved {
    sort_by_drop(hand).await
}

async fn card_by_drop(hand: &mut Hand) -> Solved {
    drag(hand).await?;
    hand.click("button", "Keep the board").await
}

async fn card_by_pointer(hand: &mut Hand) -> Solved {
    card_by_drop(hand).await
}

async fn bin_by_drop(hand: &mut Hand) -> Solved {
    drag(hand).await?;
    hand.click("button", "Ready").await
}

async fn bin_by_pointer(hand: &mut Hand) -> Solved {
    bin_by_drop(hand).await
}

/// What does not take it says so, and the right place takes it after that.
async fn undo_a_wrong_place(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    match carry(hand, &wanted[0], &wanted[1]).await {
        Err(fault) if fault.contains("does not take what is dropped on it") => {}
        other => return Err(format!("a place that takes nothing is not told of: {other:?}")),
    }
    carry(hand, &wanted[0], &wanted[2]).await?;
    hand.click("button", "Ready").await
}
