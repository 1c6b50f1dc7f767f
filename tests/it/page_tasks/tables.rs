//! Planners of tables and lists: looking up, sorting, filtering, pages, scrolling.

use crate::planner::driver::Driver;
use crate::planner::view::{Line, View};
use crate::planner::{Solved, planners};
use serde_json::json;

planners!(
    table_look_up,
    table_sum,
    table_row_action,
    table_check_rows,
    table_sort,
    table_filter,
    pages_of_a_list,
    scroll_to_find,
    scroll_inside,
    virtual_list,
    endless_list,
    load_more,
    search_engine,
    guess_the_number,
    move_up_and_down,
    cheapest,
);

async fn submit(driver: &mut Driver) -> Solved {
    driver.click("button", "Submit").await
}

fn row_of<'a>(view: &'a View, name: &str) -> Solved<(&'a Line, Vec<String>)> {
    let found = view.rows().into_iter().find(|(_, cells)| cells.iter().any(|cell| cell == name));
    found.ok_or_else(|| format!("no row of {name} in\n{}", view.text()))
}

fn column(title: &str) -> usize {
    ["Name", "City", "Age", "Sum"].iter().position(|name| *name == title).unwrap_or_default()
}

async fn table_look_up(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let (_, cells) = row_of(&driver.view, &wanted[1])?;
    let answer = cells.get(column(&wanted[0])).cloned().unwrap_or_default();
    driver.fill("Answer", &answer).await?;
    submit(driver).await
}

async fn table_sum(driver: &mut Driver) -> Solved {
    let sums = driver.view.rows().into_iter().filter_map(|(_, cells)| cells.get(3)?.parse::<u32>().ok());
    let total = sums.sum::<u32>().to_string();
    driver.fill("Total", &total).await?;
    submit(driver).await
}

async fn table_row_action(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let (row, _) = row_of(&driver.view, &wanted[1])?;
    let eid = driver.view.next(row, "button", &wanted[0])?.eid()?;
    driver.click_on(eid).await
}

async fn table_check_rows(driver: &mut Driver) -> Solved {
    let city = driver.view.quoted()?[0].clone();
    let wrong = |driver: &Driver| -> Solved<Option<u32>> {
        for (row, cells) in driver.view.rows() {
            let check = driver.view.inside(row).iter().find(|line| line.role == "checkbox");
            if let Some(check) = check.filter(|check| !check.is("checked") && cells.contains(&city)) {
                return Ok(Some(check.eid()?));
            }
        }
        Ok(None)
    };
    while let Some(eid) = wrong(driver)? {
        driver.click_on(eid).await?;
    }
    driver.click("button", "Invite").await
}

async fn table_sort(driver: &mut Driver) -> Solved {
    let title = driver.view.quoted()?[0].clone();
    for _ in 0..3 {
        driver.click("button", &title).await?;
        let values: Vec<u32> = driver
            .view
            .rows()
            .iter()
            .filter_map(|(_, cells)| cells.get(column(&title))?.parse().ok())
            .collect();
        if values.first() == values.iter().max() {
            return driver.click("button", "Ready").await;
        }
    }
    Err(format!("the largest is never first\n{}", driver.view.text()))
}

async fn table_filter(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    driver.write("searchbox", "Filter", &wanted[0]).await?;
    driver.click("button", "Open").await
}

async fn pages_of_a_list(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    for _ in 0..5 {
        if driver.view.find("button", &wanted[0]).is_ok() {
            break;
        }
        driver.click("button", "Next page").await?;
    }
    driver.click("button", &wanted[0]).await
}

async fn scroll_to_find(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let eid = driver.scroll_to("button", &wanted[0], None).await?;
    driver.click_on(eid).await
}

/// The element that scrolls, as the page text shows it.
fn scrollable(view: &View) -> Option<u32> {
    view.lines.iter().find(|line| line.is("scroll")).and_then(|line| line.eid)
}

async fn scroll_inside(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let eid = driver.scroll_to("button", &wanted[0], scrollable(&driver.view)).await?;
    driver.click_on(eid).await
}

async fn virtual_list(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let list =
        scrollable(&driver.view).ok_or_else(|| format!("nothing scrolls in\n{}", driver.view.text()))?;
    let eid = driver.scroll_to("button", &wanted[0], Some(list)).await?;
    driver.click_on(eid).await
}

async fn endless_list(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    for _ in 0..20 {
        let post = driver.view.lines.iter().find(|line| line.name == wanted[1]);
        if let Some(like) = post.and_then(|post| driver.view.next(post, "button", &wanted[0]).ok()) {
            let eid = like.eid()?;
            return driver.click_on(eid).await;
        }
        driver.act("scroll", json!({"direction": "bottom"})).await?;
    }
    Err(format!("{} never came\n{}", wanted[1], driver.view.text()))
}

async fn load_more(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    for _ in 0..8 {
        if driver.view.find("button", &wanted[1]).is_ok() {
            break;
        }
        driver.click("button", &wanted[0]).await?;
    }
    driver.click("button", &wanted[1]).await
}

async fn search_engine(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let goal = driver.view.goal()?;
    let digits = goal.split("number ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let nth: usize = digits.parse().map_err(|_| format!("no number in {goal}"))?;
    let eid = driver.view.find("searchbox", "Search")?.eid()?;
    driver.act("type", json!({"eid": eid, "text": wanted[0], "submit": true})).await?;
    for _ in 0..5 {
        if driver.view.all("link").len() == 3 {
            break;
        }
        driver.act("wait", json!({"seconds": 0.5})).await?;
    }
    driver.click("button", &format!("Page {}", (nth - 1) / 3 + 1)).await?;
    let eid = driver.view.all("link").get((nth - 1) % 3).ok_or_else(|| driver.view.text())?.eid()?;
    driver.click_on(eid).await
}

async fn guess_the_number(driver: &mut Driver) -> Solved {
    let (mut least, mut most) = (1, 15);
    while least <= most {
        let guess = (least + most) / 2;
        driver.fill("Guess a number", &guess.to_string()).await?;
        driver.click("button", "Guess").await?;
        if driver.view.shows(&format!("higher than {guess}")) {
            least = guess + 1;
        } else if driver.view.shows(&format!("lower than {guess}")) {
            most = guess - 1;
        } else {
            return Ok(());
        }
    }
    Err(String::from("no number is left"))
}

async fn move_up_and_down(driver: &mut Driver) -> Solved {
    let wanted = driver.view.quoted()?;
    let up = format!("Move {} up", wanted[0]);
    for _ in 0..5 {
        let first = driver.view.all("button").into_iter().find(|line| line.name.ends_with(" up"));
        if first.is_some_and(|line| line.name == up) {
            break;
        }
        driver.click("button", &up).await?;
    }
    driver.click("button", "Keep the order").await
}

async fn cheapest(driver: &mut Driver) -> Solved {
    let priced = driver
        .view
        .lines
        .iter()
        .filter_map(|line| Some((line.name.strip_prefix('$')?.parse::<f64>().ok()?, line)));
    let (_, line) = priced.min_by(|a, b| a.0.total_cmp(&b.0)).ok_or_else(|| driver.view.text())?;
    let choose = driver.view.after(line).iter().find(|other| other.role == "button");
    let eid = choose.ok_or("no button follows")?.eid()?;
    driver.click_on(eid).await
}
