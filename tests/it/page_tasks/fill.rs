//! Planners of filling in: fields, passwords, texts that are copied or changed.

use crate::planner::driver::Driver;
use crate::planner::{Solved, planners};
use serde_json::json;

planners!(
    one_field,
    copy_from_text,
    copy_last_line,
    sign_in,
    password_twice,
    several_fields,
    labels_in_a_table,
    fault_and_mend,
    several_lines,
    replace_a_word,
    add_to_a_text,
    rich_text,
    submit_with_enter,
    code_in_boxes,
    login_with_a_mask,
    count_and_tell,
);

async fn submit(driver: &mut Driver) -> Solved {
    driver.click("button", "Submit").await
}

async fn one_field(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill(&wanted[1], &wanted[0]).await?;
    submit(driver).await
}

async fn copy_from_text(driver: &mut Driver) -> Solved {
    let sentence = &driver.view.find_line("order number is ")?.name;
    let number = sentence
        .split("order number is ")
        .nth(1)
        .and_then(|rest| rest.split(',').next())
        .unwrap_or_default()
        .to_owned();
    driver.fill("Order number", &number).await?;
    submit(driver).await
}

async fn copy_last_line(driver: &mut Driver) -> Solved {
    // The note's value folds its lines into one; the same note below it has a line for each.
    let note = driver.view.find("textbox", "Note")?;
    let mut rest = driver.view.after(note).iter().map(|line| line.name.trim());
    let last = rest.find(|text| !text.is_empty() && note.value().ends_with(text));
    let last = last.ok_or_else(|| format!("no line is the note's last\n{}", driver.view.text()))?.to_owned();
    driver.fill("Last line", &last).await?;
    submit(driver).await
}

async fn sign_in(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("User", &wanted[0]).await?;
    driver.fill("Password", &wanted[1]).await?;
    driver.click("button", "Sign in").await
}

async fn password_twice(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("New password", &wanted[0]).await?;
    driver.fill("New password again", &wanted[0]).await?;
    driver.click("button", "Save password").await
}

async fn several_fields(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    for (label, text) in ["Name", "Street", "City", "Postcode", "Phone"].into_iter().zip(wanted) {
        driver.fill(label, &text).await?;
    }
    submit(driver).await
}

async fn labels_in_a_table(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill(&format!("{} Hours", wanted[1]), &wanted[0]).await?;
    submit(driver).await
}

async fn fault_and_mend(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("E-mail", &wanted[0]).await?;
    driver.click("button", "Subscribe").await?;
    driver.view.find_line("Please enter a whole e-mail address")?;
    if !driver.view.find("textbox", "E-mail")?.is("invalid") {
        return Err(String::from("the field does not show that it is wrong"));
    }
    driver.fill("E-mail", &wanted[1]).await?;
    driver.click("button", "Subscribe").await
}

async fn several_lines(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("Poem", &wanted[1..].join("\n")).await?;
    submit(driver).await
}

async fn replace_a_word(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let before = driver.view.find("textbox", "Sentence")?.value().to_owned();
    let words = before.split(' ').map(|word| if word == wanted[1] { wanted[2].as_str() } else { word });
    driver.fill("Sentence", &words.collect::<Vec<_>>().join(" ")).await?;
    submit(driver).await
}

async fn add_to_a_text(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let eid = driver.view.find("textbox", "Title")?.eid()?;
    driver.act("type", json!({"eid": eid, "text": wanted[0], "clear": false})).await?;
    submit(driver).await
}

async fn rich_text(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("Editor", &wanted[0]).await?;
    driver.click("button", "Keep").await
}

async fn submit_with_enter(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let eid = driver.view.find("textbox", "Tag")?.eid()?;
    driver.act("type", json!({"eid": eid, "text": wanted[0], "submit": true})).await
}

async fn code_in_boxes(driver: &mut Driver) -> Solved {
    let code = driver.view.quoted()?[0].clone();
    for (index, digit) in code.chars().enumerate() {
        driver.fill(&format!("Digit {}", index + 1), &digit.to_string()).await?;
    }
    driver.click("button", "Check").await
}

async fn login_with_a_mask(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("Phone", &wanted[0]).await?;
    submit(driver).await
}

async fn count_and_tell(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let count =
        driver.view.lines.iter().filter(|line| line.role == "listitem" && line.name == wanted[0]).count();
    driver.fill("Number", &count.to_string()).await?;
    submit(driver).await
}
