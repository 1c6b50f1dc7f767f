//! Planners of choosing: checks, radios, lists, dates, sliders, colours.

use crate::planner::hand::Hand;
use crate::planner::{Solved, planners};
use serde_json::json;

planners!(
    check_some,
    uncheck_all,
    one_of_many,
    hidden_radios,
    drop_down,
    long_drop_down,
    grouped_drop_down,
    several_of_a_list,
    dependent_lists,
    date,
    time,
    month_and_week,
    range,
    number,
    colour,
    suggested_values,
    stars,
    colour_swatches,
);

async fn submit(hand: &mut Hand) -> Solved {
    hand.click("button", "Submit").await
}

/// What the goal says behind these words, to the next comma or space.
fn goal_text_after(hand: &Hand, words: &str) -> Solved<String> {
    let rest =
        hand.view.goal()?.split(words).nth(1).ok_or_else(|| format!("the goal does not say {words}"))?;
    Ok(rest.split([' ', ',']).next().unwrap_or_default().to_owned())
}

async fn check_exactly(hand: &mut Hand, wanted: &[String]) -> Solved {
    let wrong = |hand: &Hand| {
        let boxes = hand.view.all("checkbox").into_iter();
        boxes.filter(|line| line.is("checked") != wanted.contains(&line.name)).map(|line| line.eid()).next()
    };
    while let Some(eid) = wrong(hand) {
        hand.click_on(eid?).await?;
    }
    submit(hand).await
}

async fn check_some(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    check_exactly(hand, &wanted).await
}

async fn uncheck_all(hand: &mut Hand) -> Solved {
    check_exactly(hand, &[]).await
}

async fn one_of_many(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("radio", &wanted[0]).await?;
    if !hand.view.find("radio", &wanted[0])?.is("checked") {
        return Err(String::from("the choice does not show"));
    }
    submit(hand).await
}

async fn hidden_radios(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.press_on(&wanted[0]).await?;
    submit(hand).await
}

async fn drop_down(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.select("combobox", &wanted[1], json!(wanted[0])).await?;
    submit(hand).await
}

async fn long_drop_down(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.select("combobox", &wanted[1], json!(wanted[0])).await?;
    submit(hand).await
}

async fn grouped_drop_down(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.select("combobox", &wanted[1], json!(wanted[0])).await?;
    submit(hand).await
}

async fn several_of_a_list(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.select("listbox", &wanted[3], json!(wanted[..3])).await?;
    submit(hand).await
}

async fn dependent_lists(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.select("combobox", &wanted[1], json!(wanted[0])).await?;
    for _ in 0..5 {
        if hand.view.find("combobox", &wanted[3])?.get("options").contains(&wanted[2]) {
            break;
        }
        hand.act("wait", json!({"seconds": 0.5})).await?;
    }
    hand.select("combobox", &wanted[3], json!(wanted[2])).await?;
    submit(hand).await
}

/// Types a value into the field whatever role it bears, and looks whether it holds.
async fn set(hand: &mut Hand, name: &str, value: &str) -> Solved {
    let eid = hand.view.named(name)?.eid()?;
    hand.write_into(eid, value).await?;
    let shown = hand.view.named(name)?.value();
    if shown == value {
        Ok(())
    } else {
        Err(format!("{name} shows {shown:?} and not {value:?}\n{}", hand.view.text()))
    }
}

async fn date(hand: &mut Hand) -> Solved {
    let wanted = goal_text_after(hand, "the date ")?;
    set(hand, "Arrival", &wanted).await?;
    submit(hand).await
}

async fn time(hand: &mut Hand) -> Solved {
    let wanted = goal_text_after(hand, "” to ")?;
    set(hand, "Alarm", &wanted).await?;
    submit(hand).await
}

async fn month_and_week(hand: &mut Hand) -> Solved {
    let (month, moment) = (goal_text_after(hand, "“Month” to ")?, goal_text_after(hand, "“Moment” to ")?);
    set(hand, "Month", &month).await?;
    set(hand, "Moment", &moment).await?;
    submit(hand).await
}

async fn range(hand: &mut Hand) -> Solved {
    let wanted = goal_text_after(hand, "” to ")?;
    set(hand, "Volume", &wanted).await?;
    submit(hand).await
}

async fn number(hand: &mut Hand) -> Solved {
    let wanted = goal_text_after(hand, "” to ")?;
    set(hand, "Guests", &wanted).await?;
    submit(hand).await
}

async fn colour(hand: &mut Hand) -> Solved {
    let wanted = goal_text_after(hand, "” to ")?;
    set(hand, "Colour", &wanted).await?;
    submit(hand).await
}

async fn suggested_values(hand: &mut Hand) -> Solved {
    let start = hand.view.quoted()?[0].clone();
    let city = hand.view.find("combobox", "City")?;
    let suggested =
        city.get("options").split('|').find(|option| option.starts_with(&start)).map(str::to_owned);
    let suggested = suggested.ok_or_else(|| format!("nothing is suggested\n{}", hand.view.text()))?;
    set(hand, "City", &suggested).await?;
    submit(hand).await
}

async fn stars(hand: &mut Hand) -> Solved {
    let wanted = goal_text_after(hand, "Give ")?;
    hand.click("radio", &format!("{wanted} of 5 stars")).await?;
    submit(hand).await
}

async fn colour_swatches(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await?;
    if !hand.view.find("button", &wanted[0])?.is("pressed") {
        return Err(String::from("the choice does not show"));
    }
    hand.click("button", "Paint").await
}
