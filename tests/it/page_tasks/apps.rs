//! Planners of small applications: mail, chat, calendar, shop, terminal, calculator.

use crate::planner::driver::Driver;
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

async fn mail_star(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &format!("Star the letter from {}", wanted[0])).await
}

async fn mail_delete(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &format!("Delete the letter from {}", wanted[0])).await
}

async fn open_letter(driver: &mut Driver, from: &str) -> Solved {
    let start = format!("{from}: ");
    let letter = driver.view.all("link").into_iter().find(|line| line.name.starts_with(&start));
    let eid = letter.ok_or_else(|| format!("no letter from {from} in\n{}", driver.view.text()))?.eid()?;
    driver.click_on(eid).await
}

async fn mail_reply(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    open_letter(driver, &wanted[1]).await?;
    driver.click("button", "Reply").await?;
    driver.fill("Message", &wanted[0]).await?;
    driver.click("button", "Send").await
}

async fn mail_forward(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    open_letter(driver, &wanted[0]).await?;
    driver.click("button", "Forward").await?;
    driver.fill("To", &wanted[1]).await?;
    driver.click("button", "Send").await
}

async fn chat(driver: &mut Driver) -> Solved {
    for nth in 0..3 {
        let mut asked = None;
        for _ in 0..6 {
            let answers =
                driver.view.lines.iter().filter_map(|line| line.name.strip_prefix("Bot: please write "));
            asked = answers.map(str::to_owned).nth(nth);
            if asked.is_some() {
                break;
            }
            driver.act("wait", json!({"seconds": 0.5})).await?;
        }
        let asked = asked.ok_or_else(|| format!("the bot is silent\n{}", driver.view.text()))?;
        driver.fill("Your answer", &asked).await?;
        driver.click("button", "Say").await?;
    }
    Ok(())
}

async fn calendar_event(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &format!("New event on {} at {}", wanted[1], wanted[2])).await?;
    driver.fill("Title", &wanted[0]).await?;
    driver.click("button", "Save").await
}

async fn wizard(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("Name", &wanted[0]).await?;
    driver.click("button", "Next").await?;
    driver.click("radio", &wanted[1]).await?;
    driver.click("button", "Next").await?;
    driver.click("checkbox", &wanted[2]).await?;
    driver.click("checkbox", &wanted[3]).await?;
    driver.click("button", "Next").await?;
    driver.view.find_line(&format!("Summary: {}, {}", wanted[0], wanted[1]))?;
    driver.click("button", "Finish").await
}

async fn flight(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("From", &wanted[0]).await?;
    driver.fill("To", &wanted[1]).await?;
    driver.click("button", "Search flights").await?;
    driver.wait_for(" EUR").await?;
    let prices = driver.view.lines.iter().filter_map(|line| {
        let price = line.name.trim_end().strip_suffix(" EUR")?.rsplit(' ').next()?;
        Some((price.parse::<u32>().ok()?, line))
    });
    let (_, line) = prices.min_by_key(|(price, _)| *price).ok_or_else(|| driver.view.text())?;
    let eid = driver.view.next(line, "button", "Choose")?.eid()?;
    driver.click_on(eid).await
}

async fn cart(driver: &mut Driver) -> Solved {
    for name in driver.view.quoted()?.into_iter().take(2) {
        let heading = driver.view.lines.iter().find(|line| line.role == "heading" && line.name == name);
        let heading = heading.ok_or_else(|| format!("no {name} in\n{}", driver.view.text()))?;
        let eid = driver.view.next(heading, "button", "Add to cart")?.eid()?;
        driver.click_on(eid).await?;
    }
    driver.click("button", "Ready").await
}

async fn to_do_list(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("New item", &wanted[0]).await?;
    driver.click("button", "Add").await?;
    driver.click("checkbox", &wanted[1]).await?;
    driver.click("button", "Judge").await
}

async fn follow_all(driver: &mut Driver) -> Solved {
    let next = |driver: &Driver| {
        let all = driver.view.all("button").into_iter();
        all.filter(|line| line.name.starts_with("Follow ")).map(|line| line.eid()).next()
    };
    while let Some(eid) = next(driver) {
        driver.click_on(eid?).await?;
    }
    driver.click("button", "That is all").await
}

async fn map_with_pins(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.view.find_line("Map of the region")?;
    driver.click("button", "Zoom in").await?;
    driver.click("button", "Zoom in").await?;
    driver.click("button", &wanted[0]).await
}

async fn terminal(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.fill("Command", "ls").await?;
    driver.click("button", "Run").await?;
    let words = driver
        .view
        .lines
        .iter()
        .filter(|line| !line.name.starts_with("Goal"))
        .flat_map(|line| line.name.split(' '));
    let file =
        words.filter(|word| word.contains('.')).find(|word| word.starts_with(&wanted[1])).map(str::to_owned);
    let file = file.ok_or_else(|| format!("no file begins so\n{}", driver.view.text()))?;
    driver.fill("Command", &format!("cat {file}")).await?;
    driver.click("button", "Run").await
}

async fn calculator(driver: &mut Driver) -> Solved {
    let asked = driver.view.quoted()?[0].clone();
    for key in asked.chars().filter(|key| *key != ' ').chain(['=']) {
        driver.click("button", &key.to_string()).await?;
    }
    Ok(())
}

async fn quiz(driver: &mut Driver) -> Solved {
    for _ in 0..3 {
        let question = &driver.view.find_line("How much is ")?.name;
        let numbers =
            question.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok());
        let sum = numbers.sum::<u32>().to_string();
        driver.click("button", &sum).await?;
    }
    Ok(())
}

async fn two_panes(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await?;
    driver.fill("Phone", &wanted[1]).await?;
    driver.click("button", "Keep changes").await
}
