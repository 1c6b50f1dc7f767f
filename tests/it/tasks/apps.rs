//! Planners of small applications: mail, chat, calendar, shop, terminal, calculator.

use crate::planner::hand::Hand;
use crate::planner::{Solved, planners};
use serde_json::json;

planners!(
    mail_star,
    mail_delete,
    mail_reply,
    mail_forward,
    chat,
    calendar_event,
    wizard,
    flight,
    cart,
    to_do_list,
    follow_all,
    map_with_pins,
    terminal,
    calculator,
    quiz,
    two_panes,
);

async fn mail_star(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &format!("Star the letter from {}", wanted[0])).await
}

async fn mail_delete(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &format!("Delete the letter from {}", wanted[0])).await
}

async fn open_letter(hand: &mut Hand, from: &str) -> Solved {
    let start = format!("{from}: ");
    let letter = hand.view.all("link").into_iter().find(|line| line.name.starts_with(&start));
    let eid = letter.ok_or_else(|| format!("no letter from {from} in\n{}", hand.view.text()))?.eid()?;
    hand.click_on(eid).await
}

async fn mail_reply(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    open_letter(hand, &wanted[1]).await?;
    hand.click("button", "Reply").await?;
    hand.fill("Message", &wanted[0]).await?;
    hand.click("button", "Send").await
}

async fn mail_forward(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    open_letter(hand, &wanted[0]).await?;
    hand.click("button", "Forward").await?;
    hand.fill("To", &wanted[1]).await?;
    hand.click("button", "Send").await
}

async fn chat(hand: &mut Hand) -> Solved {
    for nth in 0..3 {
        let mut asked = None;
        for _ in 0..6 {
            let said = hand.view.lines.iter().filter_map(|line| line.name.strip_prefix("Bot: please write "));
            asked = said.map(str::to_owned).nth(nth);
            if asked.is_some() {
                break;
            }
            hand.act("wait", json!({"seconds": 0.5})).await?;
        }
        let asked = asked.ok_or_else(|| format!("the bot is silent\n{}", hand.view.text()))?;
        hand.fill("Your answer", &asked).await?;
        hand.click("button", "Say").await?;
    }
    Ok(())
}

async fn calendar_event(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &format!("New event on {} at {}", wanted[1], wanted[2])).await?;
    hand.fill("Title", &wanted[0]).await?;
    hand.click("button", "Save").await
}

async fn wizard(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("Name", &wanted[0]).await?;
    hand.click("button", "Next").await?;
    hand.click("radio", &wanted[1]).await?;
    hand.click("button", "Next").await?;
    hand.click("checkbox", &wanted[2]).await?;
    hand.click("checkbox", &wanted[3]).await?;
    hand.click("button", "Next").await?;
    hand.view.saying(&format!("Summary: {}, {}", wanted[0], wanted[1]))?;
    hand.click("button", "Finish").await
}

async fn flight(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("From", &wanted[0]).await?;
    hand.fill("To", &wanted[1]).await?;
    hand.click("button", "Search flights").await?;
    hand.wait_for(" EUR").await?;
    let prices = hand.view.lines.iter().filter_map(|line| {
        let price = line.name.trim_end().strip_suffix(" EUR")?.rsplit(' ').next()?;
        Some((price.parse::<u32>().ok()?, line))
    });
    let (_, line) = prices.min_by_key(|(price, _)| *price).ok_or_else(|| hand.view.text())?;
    let eid = hand.view.next(line, "button", "Choose")?.eid()?;
    hand.click_on(eid).await
}

async fn cart(hand: &mut Hand) -> Solved {
    for name in hand.view.quoted()?.into_iter().take(2) {
        let heading = hand.view.lines.iter().find(|line| line.role == "heading" && line.name == name);
        let heading = heading.ok_or_else(|| format!("no {name} in\n{}", hand.view.text()))?;
        let eid = hand.view.next(heading, "button", "Add to cart")?.eid()?;
        hand.click_on(eid).await?;
    }
    hand.click("button", "Ready").await
}

async fn to_do_list(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("New item", &wanted[0]).await?;
    hand.click("button", "Add").await?;
    hand.click("checkbox", &wanted[1]).await?;
    hand.click("button", "Judge").await
}

async fn follow_all(hand: &mut Hand) -> Solved {
    let next = |hand: &Hand| {
        let all = hand.view.all("button").into_iter();
        all.filter(|line| line.name.starts_with("Follow ")).map(|line| line.eid()).next()
    };
    while let Some(eid) = next(hand) {
        hand.click_on(eid?).await?;
    }
    hand.click("button", "That is all").await
}

async fn map_with_pins(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.view.saying("Map of the region")?;
    hand.click("button", "Zoom in").await?;
    hand.click("button", "Zoom in").await?;
    hand.click("button", &wanted[0]).await
}

async fn terminal(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.fill("Command", "ls").await?;
    hand.click("button", "Run").await?;
    let words = hand
        .view
        .lines
        .iter()
        .filter(|line| !line.name.starts_with("Goal"))
        .flat_map(|line| line.name.split(' '));
    let file =
        words.filter(|word| word.contains('.')).find(|word| word.starts_with(&wanted[1])).map(str::to_owned);
    let file = file.ok_or_else(|| format!("no file begins so\n{}", hand.view.text()))?;
    hand.fill("Command", &format!("cat {file}")).await?;
    hand.click("button", "Run").await
}

async fn calculator(hand: &mut Hand) -> Solved {
    let asked = hand.view.quoted()?[0].clone();
    for key in asked.chars().filter(|key| *key != ' ').chain(['=']) {
        hand.click("button", &key.to_string()).await?;
    }
    Ok(())
}

async fn quiz(hand: &mut Hand) -> Solved {
    for _ in 0..3 {
        let question = &hand.view.saying("How much is ")?.name;
        let numbers =
            question.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok());
        let sum = numbers.sum::<u32>().to_string();
        hand.click("button", &sum).await?;
    }
    Ok(())
}

async fn two_panes(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await?;
    hand.fill("Phone", &wanted[1]).await?;
    hand.click("button", "Keep changes").await
}
