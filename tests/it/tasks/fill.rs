//! Planners of filling in: fields, passwords, texts that are copied or changed.

use crate::planner::hand::Hand;
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

async fn submit(hand: &mut Hand) -> Solved {
    hand.click("button", "Submit").await
}

async fn one_field(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill(&wanted[1], &wanted[0]).await?;
    submit(hand).await
}

async fn copy_from_text(hand: &mut Hand) -> Solved {
    let said = &hand.view.saying("order number is ")?.name;
    let number = said
        .split("order number is ")
        .nth(1)
        .and_then(|rest| rest.split(',').next())
        .unwrap_or_default()
        .to_owned();
    hand.fill("Order number", &number).await?;
    submit(hand).await
}

async fn copy_last_line(hand: &mut Hand) -> Solved {
    // The note's value folds its lines into one; the same note below it has a line for each.
    let note = hand.view.find("textbox", "Note")?;
    let mut rest = hand.view.after(note).iter().map(|line| line.name.trim());
    let last = rest.find(|said| !said.is_empty() && note.value().ends_with(said));
    let last = last.ok_or_else(|| format!("no line is the note's last\n{}", hand.view.text()))?.to_owned();
    hand.fill("Last line", &last).await?;
    submit(hand).await
}

async fn sign_in(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("User", &wanted[0]).await?;
    hand.fill("Password", &wanted[1]).await?;
    hand.click("button", "Sign in").await
}

async fn password_twice(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("New password", &wanted[0]).await?;
    hand.fill("New password again", &wanted[0]).await?;
    hand.click("button", "Save password").await
}

async fn several_fields(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    for (label, text) in ["Name", "Street", "City", "Postcode", "Phone"].into_iter().zip(wanted) {
        hand.fill(label, &text).await?;
    }
    submit(hand).await
}

async fn labels_in_a_table(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill(&format!("{} Hours", wanted[1]), &wanted[0]).await?;
    submit(hand).await
}

async fn fault_and_mend(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("E-mail", &wanted[0]).await?;
    hand.click("button", "Subscribe").await?;
    hand.view.saying("Please enter a whole e-mail address")?;
    if !hand.view.find("textbox", "E-mail")?.is("invalid") {
        return Err(String::from("the field does not show that it is wrong"));
    }
    hand.fill("E-mail", &wanted[1]).await?;
    hand.click("button", "Subscribe").await
}

async fn several_lines(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("Poem", &wanted[1..].join("\n")).await?;
    submit(hand).await
}

async fn replace_a_word(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let before = hand.view.find("textbox", "Sentence")?.value().to_owned();
    let words = before.split(' ').map(|word| if word == wanted[1] { wanted[2].as_str() } else { word });
    hand.fill("Sentence", &words.collect::<Vec<_>>().join(" ")).await?;
    submit(hand).await
}

async fn add_to_a_text(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let eid = hand.view.find("textbox", "Title")?.eid()?;
    hand.act("type", json!({"eid": eid, "text": wanted[0], "clear": false})).await?;
    submit(hand).await
}

async fn rich_text(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("Editor", &wanted[0]).await?;
    hand.click("button", "Keep").await
}

async fn submit_with_enter(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let eid = hand.view.find("textbox", "Tag")?.eid()?;
    hand.act("type", json!({"eid": eid, "text": wanted[0], "submit": true})).await
}

async fn code_in_boxes(hand: &mut Hand) -> Solved {
    let code = hand.view.quoted()?[0].clone();
    for (place, digit) in code.chars().enumerate() {
        hand.fill(&format!("Digit {}", place + 1), &digit.to_string()).await?;
    }
    hand.click("button", "Check").await
}

async fn login_with_a_mask(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("Phone", &wanted[0]).await?;
    submit(hand).await
}

async fn count_and_tell(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let count =
        hand.view.lines.iter().filter(|line| line.role == "listitem" && line.name == wanted[0]).count();
    hand.fill("Number", &count.to_string()).await?;
    submit(hand).await
}
