//! Planners of widgets that pages build themselves: tabs, trees, sliders, menus, grids, calendars.

use crate::planner::driver::Driver;
use crate::planner::{Solved, planners};
use serde_json::json;

planners!(
    tabs,
    details,
    accordion,
    tree,
    autocomplete,
    custom_drop_down,
    slider_by_keys,
    spin_button,
    switches,
    menu_bar,
    hover_menu,
    tooltip,
    date_picker,
    listbox_of_several,
    editable_grid,
    chips,
    show_password,
);

async fn submit(driver: &mut Driver) -> Solved {
    driver.click("button", "Submit").await
}

fn goal_number_after(driver: &Driver, words: &str) -> Solved<i64> {
    let rest = driver.view.goal()?.split(words).nth(1).unwrap_or_default();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().map_err(|_| format!("no number behind {words}"))
}

async fn tabs(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let names: Vec<String> = driver.view.all("tab").into_iter().map(|tab| tab.name.clone()).collect();
    for name in names {
        if driver.view.find("button", &wanted[0]).is_ok() {
            break;
        }
        driver.click("tab", &name).await?;
        if !driver.view.find("tab", &name)?.is("selected") {
            return Err(format!("the tab {name} does not show that it is chosen"));
        }
    }
    driver.click("button", &wanted[0]).await
}

async fn details(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await?;
    let sentence = &driver.view.find_line(&format!("The number of {} is ", wanted[0]))?.name;
    let number: String = sentence.chars().filter(char::is_ascii_digit).collect();
    driver.fill("Number", &number).await?;
    submit(driver).await
}

async fn accordion(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &wanted[0]).await?;
    if !driver.view.find("button", &wanted[0])?.is("expanded") {
        return Err(String::from("the section does not show that it is open"));
    }
    driver.click("button", "Choose").await
}

async fn tree(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    for folder in wanted[1].split(" / ") {
        if driver.view.find("treeitem", folder)?.is("collapsed") {
            driver.click("treeitem", folder).await?;
        }
    }
    driver.click("treeitem", &wanted[0]).await
}

async fn autocomplete(driver: &mut Driver) -> Solved {
    let city = driver.view.quoted()?[0].clone();
    let start: String = city.chars().take(2).collect();
    driver.write("combobox", "City", &start).await?;
    for _ in 0..5 {
        if driver.view.find("option", &city).is_ok() {
            break;
        }
        driver.act("wait", json!({"seconds": 0.5})).await?;
    }
    driver.click("option", &city).await?;
    submit(driver).await
}

async fn custom_drop_down(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("combobox", &wanted[1]).await?;
    driver.click("option", &wanted[0]).await?;
    driver.click("button", "Assign").await
}

/// Focuses it and presses arrows until it shows the number.
async fn by_arrows(driver: &mut Driver, role: &str, name: &str, wanted: i64, keys: (&str, &str)) -> Solved {
    driver.click(role, name).await?;
    for _ in 0..20 {
        let now: i64 = driver.view.find(role, name)?.value().parse().map_err(|_| driver.view.text())?;
        if now == wanted {
            return Ok(());
        }
        driver.key(if now < wanted { keys.0 } else { keys.1 }).await?;
    }
    Err(format!("never came to {wanted}\n{}", driver.view.text()))
}

async fn slider_by_keys(driver: &mut Driver) -> Solved {
    let wanted = goal_number_after(driver, "” to ")?;
    by_arrows(driver, "slider", "Brightness", wanted, ("ArrowRight", "ArrowLeft")).await?;
    driver.click("button", "Keep").await
}

async fn spin_button(driver: &mut Driver) -> Solved {
    let wanted = goal_number_after(driver, "” to ")?;
    by_arrows(driver, "spinbutton", "Seats", wanted, ("ArrowUp", "ArrowDown")).await?;
    driver.click("button", "Book them").await
}

async fn switches(driver: &mut Driver) -> Solved {
    let mut on = driver.view.quoted()?;
    on.pop();
    let wrong = |driver: &Driver| {
        let all = driver.view.all("switch").into_iter();
        all.filter(|line| line.is("checked") != on.contains(&line.name)).map(|line| line.eid()).next()
    };
    while let Some(eid) = wrong(driver) {
        driver.click_on(eid?).await?;
    }
    driver.click("button", "Apply").await
}

async fn menu_bar(driver: &mut Driver) -> Solved {
    for name in driver.view.quoted()? {
        driver.click("menuitem", &name).await?;
    }
    Ok(())
}

async fn hover_menu(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let eid = driver.view.find("link", &wanted[0])?.eid()?;
    driver.act("hover", json!({"eid": eid})).await?;
    driver.click("link", &wanted[1]).await
}

async fn tooltip(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let eid = driver.view.find("button", &wanted[0])?.eid()?;
    driver.act("hover", json!({"eid": eid})).await?;
    let code = driver.view.find_line("code ")?.name.replace("code ", "");
    let shown = driver.view.lines.iter().find_map(|line| line.name.strip_prefix("code "));
    let code = shown.map(str::to_owned).unwrap_or(code);
    driver.fill("Code", &code).await?;
    submit(driver).await
}

async fn date_picker(driver: &mut Driver) -> Solved {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let count = |text: &str| {
        let mut words = text.rsplit(' ');
        let year: usize = words.next()?.parse().ok()?;
        let month = words.next()?;
        Some(year * 12 + MONTHS.iter().position(|name| *name == month)?)
    };
    let day = driver.view.quoted()?[0].clone();
    let wanted = count(&day).ok_or("no date in the goal")?;
    driver.click("button", "Open the calendar").await?;
    for _ in 0..12 {
        let grid_day = driver.view.all("button").into_iter().rev().find_map(|line| count(&line.name));
        let shown = grid_day.ok_or_else(|| format!("no days are shown\n{}", driver.view.text()))?;
        if shown == wanted {
            break;
        }
        driver.click("button", if shown < wanted { "Next month" } else { "Previous month" }).await?;
    }
    driver.click("button", &day).await?;
    if driver.view.find("textbox", "Departure")?.value() != day {
        return Err(format!("the date does not show\n{}", driver.view.text()));
    }
    submit(driver).await
}

async fn listbox_of_several(driver: &mut Driver) -> Solved {
    for name in driver.view.quoted()?.into_iter().take(2) {
        driver.click("option", &name).await?;
        if !driver.view.find("option", &name)?.is("selected") {
            return Err(format!("{name} does not show that it is chosen\n{}", driver.view.text()));
        }
    }
    driver.click("button", "Mix").await
}

async fn editable_grid(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let name = format!("{}, {}", wanted[0], wanted[1]);
    let cell = driver.view.lines.iter().find(|line| line.name.starts_with(&name) && line.eid.is_some());
    let eid = cell.ok_or_else(|| format!("no cell {name} in\n{}", driver.view.text()))?.eid()?;
    driver.act("click", json!({"eid": eid, "count": 2})).await?;
    driver.fill(&name, &wanted[2]).await?;
    driver.key("Enter").await
}

async fn chips(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.click("button", &format!("Take {} away", wanted[0])).await?;
    let eid = driver.view.find("textbox", "New tag")?.eid()?;
    driver.act("type", json!({"eid": eid, "text": wanted[1], "submit": true})).await?;
    driver.click("button", "Keep tags").await
}

async fn show_password(driver: &mut Driver) -> Solved {
    driver.click("button", "Show the code").await?;
    let at = driver.view.lines.iter().find(|line| line.role == "status" && line.name == "The code");
    let at = at.ok_or_else(|| format!("no code is shown\n{}", driver.view.text()))?;
    let code = driver.view.inside(at).first().map_or(at.value(), |line| line.name.as_str()).to_owned();
    driver.fill("Code again", &code).await?;
    submit(driver).await
}
