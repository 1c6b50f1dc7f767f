//! Planners of files: those that the run was given go to the page, and what the page lets one save is
//! named.

use crate::planner::driver::Driver;
use crate::planner::{Solved, planners};
use serde_json::json;

planners!(upload, upload_by_a_button, upload_several, download, download_made_by_the_page);

/// Files that a person gives the run for such a task, with their text.
pub fn given(name: &str, seed: &str) -> Vec<(&'static str, String)> {
    match name.starts_with("upload") {
        true => vec![
            ("notes.txt", format!("notes of {seed}")),
            ("letter.txt", format!("letter of {seed}")),
            ("other.txt", format!("nobody asked for this, {seed}")),
        ],
        false => Vec::new(),
    }
}

/// The planner is told what it has to give.
fn check_file_is_listed(driver: &Driver, name: &str) -> Solved {
    let note = driver.view.message.lines().find(|line| line.contains("files of this run: "));
    match note.is_some_and(|note| note.contains(name)) {
        true => Ok(()),
        false => Err(format!("nothing says that {name} was given\n{}", driver.view.message)),
    }
}

async fn upload(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    check_file_is_listed(driver, &wanted[0])?;
    driver.upload(&wanted[1], json!(wanted[0])).await?;
    driver.click("button", "Attach").await
}

async fn upload_by_a_button(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    check_file_is_listed(driver, &wanted[0])?;
    driver.upload(&wanted[1], json!(wanted[0])).await?;
    driver.click("button", "Attach").await
}

async fn upload_several(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    check_file_is_listed(driver, &wanted[1])?;
    driver.upload(&wanted[2], json!([wanted[0], wanted[1]])).await?;
    driver.click("button", "Attach").await
}

/// The name and the size of what came: `downloaded NAME (SIZE B)`.
fn came(driver: &Driver) -> Solved<(String, String)> {
    let note = &driver.view.find_line("downloaded ")?.name;
    let parts = note.split("downloaded ").nth(1).and_then(|rest| rest.split_once(" B)")?.0.rsplit_once(" ("));
    let (name, size) = parts.ok_or_else(|| format!("the note names no file: {note}"))?;
    Ok((name.to_owned(), size.to_owned()))
}

async fn download(driver: &mut Driver) -> Solved {
    driver.click("link", "Download the report").await?;
    let (name, size) = came(driver)?;
    check_file_is_listed(driver, &name)?;
    driver.fill("File", &name).await?;
    driver.fill("Bytes", &size).await?;
    driver.click("button", "Submit").await
}

async fn download_made_by_the_page(driver: &mut Driver) -> Solved {
    driver.click("button", "Make the table").await?;
    let (name, size) = came(driver)?;
    driver.fill("File", &name).await?;
    driver.fill("Bytes", &size).await?;
    driver.click("button", "Submit").await
}
