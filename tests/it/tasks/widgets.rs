//! Planners of widgets that pages build themselves: tabs, trees, sliders, menus, grids, calendars.

use crate::planner::hand::Hand;
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

async fn submit(hand: &mut Hand) -> Solved {
    hand.click("button", "Submit").await
}

fn goal_number_after(hand: &Hand, words: &str) -> Solved<i64> {
    let rest = hand.view.goal()?.split(words).nth(1).unwrap_or_default();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().map_err(|_| format!("no number behind {words}"))
}

async fn tabs(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let names: Vec<String> = hand.view.all("tab").into_iter().map(|tab| tab.name.clone()).collect();
    for name in names {
        if hand.view.find("button", &wanted[0]).is_ok() {
            break;
        }
        hand.click("tab", &name).await?;
        if !hand.view.find("tab", &name)?.is("selected") {
            return Err(format!("the tab {name} does not show that it is chosen"));
        }
    }
    hand.click("button", &wanted[0]).await
}

async fn details(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await?;
    let said = &hand.view.saying(&format!("The number of {} is ", wanted[0]))?.name;
    let number: String = said.chars().filter(char::is_ascii_digit).collect();
    hand.fill("Number", &number).await?;
    submit(hand).await
}

async fn accordion(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &wanted[0]).await?;
    if !hand.view.find("button", &wanted[0])?.is("expanded") {
        return Err(String::from("the section does not show that it is open"));
    }
    hand.click("button", "Choose").await
}

async fn tree(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    for folder in wanted[1].split(" / ") {
        if hand.view.find("treeitem", folder)?.is("collapsed") {
            hand.click("treeitem", folder).await?;
        }
    }
    hand.click("treeitem", &wanted[0]).await
}

async fn autocomplete(hand: &mut Hand) -> Solved {
    let city = hand.view.quoted()?[0].clone();
    let start: String = city.chars().take(2).collect();
    hand.write("combobox", "City", &start).await?;
    for _ in 0..5 {
        if hand.view.find("option", &city).is_ok() {
            break;
        }
        hand.act("wait", json!({"seconds": 0.5})).await?;
    }
    hand.click("option", &city).await?;
    submit(hand).await
}

async fn custom_drop_down(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("combobox", &wanted[1]).await?;
    hand.click("option", &wanted[0]).await?;
    hand.click("button", "Assign").await
}

/// Focuses it and presses arrows until it shows the number.
async fn by_arrows(hand: &mut Hand, role: &str, name: &str, wanted: i64, keys: (&str, &str)) -> Solved {
    hand.click(role, name).await?;
    for _ in 0..20 {
        let now: i64 = hand.view.find(role, name)?.value().parse().map_err(|_| hand.view.text())?;
        if now == wanted {
            return Ok(());
        }
        hand.key(if now < wanted { keys.0 } else { keys.1 }).await?;
    }
    Err(format!("never came to {wanted}\n{}", hand.view.text()))
}

async fn slider_by_keys(hand: &mut Hand) -> Solved {
    let wanted = goal_number_after(hand, "” to ")?;
    by_arrows(hand, "slider", "Brightness", wanted, ("ArrowRight", "ArrowLeft")).await?;
    hand.click("button", "Keep").await
}

async fn spin_button(hand: &mut Hand) -> Solved {
    let wanted = goal_number_after(hand, "” to ")?;
    by_arrows(hand, "spinbutton", "Seats", wanted, ("ArrowUp", "ArrowDown")).await?;
    hand.click("button", "Book them").await
}

async fn switches(hand: &mut Hand) -> Solved {
    let mut on = hand.view.quoted()?;
    on.pop();
    let wrong = |hand: &Hand| {
        let all = hand.view.all("switch").into_iter();
        all.filter(|line| line.is("checked") != on.contains(&line.name)).map(|line| line.eid()).next()
    };
    while let Some(eid) = wrong(hand) {
        hand.click_on(eid?).await?;
    }
    hand.click("button", "Apply").await
}

async fn menu_bar(hand: &mut Hand) -> Solved {
    for name in hand.view.quoted()? {
        hand.click("menuitem", &name).await?;
    }
    Ok(())
}

async fn hover_menu(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let eid = hand.view.find("link", &wanted[0])?.eid()?;
    hand.act("hover", json!({"eid": eid})).await?;
    hand.click("link", &wanted[1]).await
}

async fn tooltip(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let eid = hand.view.find("button", &wanted[0])?.eid()?;
    hand.act("hover", json!({"eid": eid})).await?;
    let code = hand.view.saying("code ")?.name.replace("code ", "");
    let shown = hand.view.lines.iter().find_map(|line| line.name.strip_prefix("code "));
    let code = shown.map(str::to_owned).unwrap_or(code);
    hand.fill("Code", &code).await?;
    submit(hand).await
}

async fn date_picker(hand: &mut Hand) -> Solved {
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
    let day = hand.view.quoted()?[0].clone();
    let wanted = count(&day).ok_or("no date in the goal")?;
    hand.click("button", "Open the calendar").await?;
    for _ in 0..12 {
        let grid_day = hand.view.all("button").into_iter().rev().find_map(|line| count(&line.name));
        let shown = grid_day.ok_or_else(|| format!("no days are shown\n{}", hand.view.text()))?;
        if shown == wanted {
            break;
        }
        hand.click("button", if shown < wanted { "Next month" } else { "Previous month" }).await?;
    }
    hand.click("button", &day).await?;
    if hand.view.find("textbox", "Departure")?.value() != day {
        return Err(format!("the date does not show\n{}", hand.view.text()));
    }
    submit(hand).await
}

async fn listbox_of_several(hand: &mut Hand) -> Solved {
    for name in hand.view.quoted()?.into_iter().take(2) {
        hand.click("option", &name).await?;
        if !hand.view.find("option", &name)?.is("selected") {
            return Err(format!("{name} does not show that it is chosen\n{}", hand.view.text()));
        }
    }
    hand.click("button", "Mix").await
}

async fn editable_grid(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let name = format!("{}, {}", wanted[0], wanted[1]);
    let cell = hand.view.lines.iter().find(|line| line.name.starts_with(&name) && line.eid.is_some());
    let eid = cell.ok_or_else(|| format!("no cell {name} in\n{}", hand.view.text()))?.eid()?;
    hand.act("click", json!({"eid": eid, "count": 2})).await?;
    hand.fill(&name, &wanted[2]).await?;
    hand.key("Enter").await
}

async fn chips(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.click("button", &format!("Take {} away", wanted[0])).await?;
    let eid = hand.view.find("textbox", "New tag")?.eid()?;
    hand.act("type", json!({"eid": eid, "text": wanted[1], "submit": true})).await?;
    hand.click("button", "Keep tags").await
}

async fn show_password(hand: &mut Hand) -> Solved {
    hand.click("button", "Show the code").await?;
    let at = hand.view.lines.iter().find(|line| line.role == "status" && line.name == "The code");
    let at = at.ok_or_else(|| format!("no code is shown\n{}", hand.view.text()))?;
    let code = hand.view.inside(at).first().map_or(at.value(), |line| line.name.as_str()).to_owned();
    hand.fill("Code again", &code).await?;
    submit(hand).await
}
