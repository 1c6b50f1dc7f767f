//! Planners of what stands inside of something: frames, frames of other sites, shadow roots.

use crate::planner::driver::Driver;
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

async fn copy_word(driver: &mut Driver) -> Solved {
    let sentence = &driver.view.find_line("The word is ")?.name;
    let word = sentence.trim_start_matches("The word is ").trim_end_matches('.').to_owned();
    driver.fill("Inner code", &word).await?;
    driver.click("button", "Hand in").await
}

async fn frame(driver: &mut Driver) -> Solved {
    copy_word(driver).await
}

async fn frame_of_another_site(driver: &mut Driver) -> Solved {
    copy_word(driver).await
}

async fn frames_of_other_sites_in_each_other(driver: &mut Driver) -> Solved {
    copy_word(driver).await
}

async fn frame_in_frames(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("Inner code", &wanted[0]).await?;
    driver.click("button", "Hand in").await
}

async fn two_frames(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let right = |driver: &Driver, role: &str, name: &str| -> Solved<u32> {
        let frame = driver.view.lines.iter().find(|line| line.role == "iframe" && line.name == "Right");
        let frame = frame.ok_or_else(|| format!("no right frame in\n{}", driver.view.text()))?;
        driver.view.next(frame, role, name)?.eid()
    };
    let field = right(driver, "textbox", "Inner code")?;
    driver.write_into(field, &wanted[0]).await?;
    let button = right(driver, "button", "Hand in")?;
    driver.click_on(button).await
}

async fn open_shadow(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("Widget code", &wanted[0]).await?;
    driver.click("button", "Hand in").await
}

async fn closed_shadow(driver: &mut Driver) -> Solved {
    open_shadow(driver).await
}

async fn closed_shadow_of_another_site(driver: &mut Driver) -> Solved {
    open_shadow(driver).await
}

async fn slotted(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await
}
