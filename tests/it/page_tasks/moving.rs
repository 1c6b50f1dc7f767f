//! Planners of dragging, with the browser's own drag and drop and on pages that move things after the
//! pointer: to sort, onto a column, into a bin.

use crate::planner::driver::Driver;
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
async fn drag(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    carry(driver, &wanted[0], &wanted[1]).await
}

async fn carry(driver: &mut Driver, from: &str, to: &str) -> Solved {
    let (from, to) = (driver.view.near(from)?.eid()?, driver.view.near(to)?.eid()?);
    driver.drag(from, to).await
}

async fn sort_by_drop(driver: &mut Driver) -> Solved {
    drag(driver).await?;
    driver.click("button", "Keep the order").await
}

async fn sort_by_pointer(driver: &mut Driver) -> Solved {
    sort_by_drop(driver).await
}

async fn card_by_drop(driver: &mut Driver) -> Solved {
    drag(driver).await?;
    driver.click("button", "Keep the board").await
}

async fn card_by_pointer(driver: &mut Driver) -> Solved {
    card_by_drop(driver).await
}

async fn bin_by_drop(driver: &mut Driver) -> Solved {
    drag(driver).await?;
    driver.click("button", "Ready").await
}

async fn bin_by_pointer(driver: &mut Driver) -> Solved {
    bin_by_drop(driver).await
}

/// Drops on a wrong place, which must report it, and then on the right one.
async fn undo_a_wrong_place(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    match carry(driver, &wanted[0], &wanted[1]).await {
        Err(fault)
            if fault.contains("does not take what is dropped on it") || fault.contains("nothing moved") => {}
        other => return Err(format!("a place that takes nothing is not told of: {other:?}")),
    }
    carry(driver, &wanted[0], &wanted[2]).await?;
    driver.click("button", "Ready").await
}
