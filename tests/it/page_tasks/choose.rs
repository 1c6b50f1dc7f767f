//! Planners of choosing: checks, radios, lists, dates, sliders, colours.

use crate::planner::driver::Driver;
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

async fn submit(driver: &mut Driver) -> Solved {
    driver.click("button", "Submit").await
}

/// Text of the goal after these words, to the next comma or space.
fn goal_text_after(driver: &Driver, words: &str) -> Solved<String> {
    let rest =
        driver.view.goal()?.split(words).nth(1).ok_or_else(|| format!("the goal does not say {words}"))?;
    Ok(rest.split([' ', ',']).next().unwrap_or_default().to_owned())
}

async fn check_exactly(driver: &mut Driver, wanted: &[String]) -> Solved {
    let wrong = |driver: &Driver| {
        let boxes = driver.view.all("checkbox").into_iter();
        boxes.filter(|line| line.is("checked") != wanted.contains(&line.name)).map(|line| line.eid()).next()
    };
    while let Some(eid) = wrong(driver) {
        driver.click_on(eid?).await?;
    }
    submit(driver).await
}

async fn check_some(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    check_exactly(driver, &wanted).await
}

async fn uncheck_all(driver: &mut Driver) -> Solved {
    check_exactly(driver, &[]).await
}

async fn one_of_many(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("radio", &wanted[0]).await?;
    if !driver.view.find("radio", &wanted[0])?.is("checked") {
        return Err(String::from("the choice does not show"));
    }
    submit(driver).await
}

async fn hidden_radios(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.press_on(&wanted[0]).await?;
    submit(driver).await
}

async fn drop_down(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.select("combobox", &wanted[1], json!(wanted[0])).await?;
    submit(driver).await
}

async fn long_drop_down(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.select("combobox", &wanted[1], json!(wanted[0])).await?;
    submit(driver).await
}

async fn grouped_drop_down(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.select("combobox", &wanted[1], json!(wanted[0])).await?;
    submit(driver).await
}

async fn several_of_a_list(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.select("listbox", &wanted[3], json!(wanted[..3])).await?;
    submit(driver).await
}

async fn dependent_lists(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.select("combobox", &wanted[1], json!(wanted[0])).await?;
    for _ in 0..5 {
        if driver.view.find("combobox", &wanted[3])?.get("options").contains(&wanted[2]) {
            break;
        }
        driver.act("wait", json!({"seconds": 0.5})).await?;
    }
    driver.select("combobox", &wanted[3], json!(wanted[2])).await?;
    submit(driver).await
}

/// Types a value into the field whatever role it bears, and looks whether it holds.
async fn set(driver: &mut Driver, name: &str, value: &str) -> Solved {
    let eid = driver.view.named(name)?.eid()?;
    driver.write_into(eid, value).await?;
    let shown = driver.view.named(name)?.value();
    if shown == value {
        Ok(())
    } else {
        Err(format!("{name} shows {shown:?} and not {value:?}\n{}", driver.view.text()))
    }
}

async fn date(driver: &mut Driver) -> Solved {
    let wanted = goal_text_after(driver, "the date ")?;
    set(driver, "Arrival", &wanted).await?;
    submit(driver).await
}

async fn time(driver: &mut Driver) -> Solved {
    let wanted = goal_text_after(driver, "” to ")?;
    set(driver, "Alarm", &wanted).await?;
    submit(driver).await
}

async fn month_and_week(driver: &mut Driver) -> Solved {
    let (month, moment) = (goal_text_after(driver, "“Month” to ")?, goal_text_after(driver, "“Moment” to ")?);
    set(driver, "Month", &month).await?;
    set(driver, "Moment", &moment).await?;
    submit(driver).await
}

async fn range(driver: &mut Driver) -> Solved {
    let wanted = goal_text_after(driver, "” to ")?;
    set(driver, "Volume", &wanted).await?;
    submit(driver).await
}

async fn number(driver: &mut Driver) -> Solved {
    let wanted = goal_text_after(driver, "” to ")?;
    set(driver, "Guests", &wanted).await?;
    submit(driver).await
}

async fn colour(driver: &mut Driver) -> Solved {
    let wanted = goal_text_after(driver, "” to ")?;
    set(driver, "Colour", &wanted).await?;
    submit(driver).await
}

async fn suggested_values(driver: &mut Driver) -> Solved {
    let start = driver.view.quoted()?[0].clone();
    let city = driver.view.find("combobox", "City")?;
    let suggested =
        city.get("options").split('|').find(|option| option.starts_with(&start)).map(str::to_owned);
    let suggested = suggested.ok_or_else(|| format!("nothing is suggested\n{}", driver.view.text()))?;
    set(driver, "City", &suggested).await?;
    submit(driver).await
}

async fn stars(driver: &mut Driver) -> Solved {
    let wanted = goal_text_after(driver, "Give ")?;
    driver.click("radio", &format!("{wanted} of 5 stars")).await?;
    submit(driver).await
}

async fn colour_swatches(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await?;
    if !driver.view.find("button", &wanted[0])?.is("pressed") {
        return Err(String::from("the choice does not show"));
    }
    driver.click("button", "Paint").await
}
