//! Planners of tables and lists: looking up, sorting, filtering, pages, scrolling.

use crate::planner::hand::Hand;
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

async fn submit(hand: &mut Hand) -> Solved {
    hand.click("button", "Submit").await
}

fn row_of<'a>(view: &'a View, name: &str) -> Solved<(&'a Line, Vec<String>)> {
    let found = view.rows().into_iter().find(|(_, cells)| cells.iter().any(|cell| cell == name));
    found.ok_or_else(|| format!("no row of {name} in\n{}", view.text()))
}

fn column(title: &str) -> usize {
    ["Name", "City", "Age", "Sum"].iter().position(|name| *name == title).unwrap_or_default()
}

async fn table_look_up(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let (_, cells) = row_of(&hand.view, &wanted[1])?;
    let answer = cells.get(column(&wanted[0])).cloned().unwrap_or_default();
    hand.fill("Answer", &answer).await?;
    submit(hand).await
}

async fn table_sum(hand: &mut Hand) -> Solved {
    let sums = hand.view.rows().into_iter().filter_map(|(_, cells)| cells.get(3)?.parse::<u32>().ok());
    let total = sums.sum::<u32>().to_string();
    hand.fill("Total", &total).await?;
    submit(hand).await
}

async fn table_row_action(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let (row, _) = row_of(&hand.view, &wanted[1])?;
    let eid = hand.view.next(row, "button", &wanted[0])?.eid()?;
    hand.click_on(eid).await
}

async fn table_check_rows(hand: &mut Hand) -> Solved {
    let city = hand.view.quoted()?[0].clone();
    let wrong = |hand: &Hand| -> Solved<Option<u32>> {
        for (row, cells) in hand.view.rows() {
            let check = hand.view.inside(row).iter().find(|line| line.role == "checkbox");
            if let Some(check) = check.filter(|check| !check.is("checked") && cells.contains(&city)) {
                return Ok(Some(check.eid()?));
            }
        }
        Ok(None)
    };
    while let Some(eid) = wrong(hand)? {
        hand.click_on(eid).await?;
    }
    hand.click("button", "Invite").await
}

async fn table_sort(hand: &mut Hand) -> Solved {
    let title = hand.view.quoted()?[0].clone();
    for _ in 0..3 {
        hand.click("button", &title).await?;
        let values: Vec<u32> = hand
            .view
            .rows()
            .iter()
            .filter_map(|(_, cells)| cells.get(column(&title))?.parse().ok())
            .collect();
        if values.first() == values.iter().max() {
            return hand.click("button", "Ready").await;
        }
    }
    Err(format!("the largest is never first\n{}", hand.view.text()))
}

async fn table_filter(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    hand.write("searchbox", "Filter", &wanted[0]).await?;
    hand.click("button", "Open").await
}

async fn pages_of_a_list(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    for _ in 0..5 {
        if hand.view.find("button", &wanted[0]).is_ok() {
            break;
        }
        hand.click("button", "Next page").await?;
    }
    hand.click("button", &wanted[0]).await
}

async fn scroll_to_find(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let eid = hand.scroll_to("button", &wanted[0], None).await?;
    hand.click_on(eid).await
}

/// The element that scrolls, as the page text shows it.
fn scrollable(view: &View) -> Option<u32> {
    view.lines.iter().find(|line| line.is("scroll")).and_then(|line| line.eid)
}

async fn scroll_inside(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let eid = hand.scroll_to("button", &wanted[0], scrollable(&hand.view)).await?;
    hand.click_on(eid).await
}

async fn virtual_list(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let list = scrollable(&hand.view).ok_or_else(|| format!("nothing scrolls in\n{}", hand.view.text()))?;
    let eid = hand.scroll_to("button", &wanted[0], Some(list)).await?;
    hand.click_on(eid).await
}

async fn endless_list(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    for _ in 0..20 {
        let post = hand.view.lines.iter().find(|line| line.name == wanted[1]);
        if let Some(like) = post.and_then(|post| hand.view.next(post, "button", &wanted[0]).ok()) {
            let eid = like.eid()?;
            return hand.click_on(eid).await;
        }
        hand.act("scroll", json!({"direction": "bottom"})).await?;
    }
    Err(format!("{} never came\n{}", wanted[1], hand.view.text()))
}

async fn load_more(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    for _ in 0..8 {
        if hand.view.find("button", &wanted[1]).is_ok() {
            break;
        }
        hand.click("button", &wanted[0]).await?;
    }
    hand.click("button", &wanted[1]).await
}

async fn search_engine(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let goal = hand.view.goal()?;
    let digits = goal.split("number ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let nth: usize = digits.parse().map_err(|_| format!("no number in {goal}"))?;
    let eid = hand.view.find("searchbox", "Search")?.eid()?;
    hand.act("type", json!({"eid": eid, "text": wanted[0], "submit": true})).await?;
    for _ in 0..5 {
        if hand.view.all("link").len() == 3 {
            break;
        }
        hand.act("wait", json!({"seconds": 0.5})).await?;
    }
    hand.click("button", &format!("Page {}", (nth - 1) / 3 + 1)).await?;
    let eid = hand.view.all("link").get((nth - 1) % 3).ok_or_else(|| hand.view.text())?.eid()?;
    hand.click_on(eid).await
}

async fn guess_the_number(hand: &mut Hand) -> Solved {
    let (mut least, mut most) = (1, 15);
    while least <= most {
        let guess = (least + most) / 2;
        hand.fill("Guess a number", &guess.to_string()).await?;
        hand.click("button", "Guess").await?;
        if hand.view.says(&format!("higher than {guess}")) {
            least = guess + 1;
        } else if hand.view.says(&format!("lower than {guess}")) {
            most = guess - 1;
        } else {
            return Ok(());
        }
    }
    Err(String::from("no number is left"))
}

async fn move_up_and_down(hand: &mut Hand) -> Solved {
    let wanted = hand.view.quoted()?;
    let up = format!("Move {} up", wanted[0]);
    for _ in 0..5 {
        let first = hand.view.all("button").into_iter().find(|line| line.name.ends_with(" up"));
        if first.is_some_and(|line| line.name == up) {
            break;
        }
        hand.click("button", &up).await?;
    }
    hand.click("button", "Keep the order").await
}

async fn cheapest(hand: &mut Hand) -> Solved {
    let priced = hand
        .view
        .lines
        .iter()
        .filter_map(|line| Some((line.name.strip_prefix('$')?.parse::<f64>().ok()?, line)));
    let (_, line) = priced.min_by(|a, b| a.0.total_cmp(&b.0)).ok_or_else(|| hand.view.text())?;
    let choose = hand.view.after(line).iter().find(|other| other.role == "button");
    let eid = choose.ok_or("no button follows")?.eid()?;
    hand.click_on(eid).await
}
