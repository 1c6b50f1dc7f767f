//! Datasette: tables over SQLite. Rows are added, changed, removed and looked up, and the database
//! file says whether that is so.

use super::application::Application;
use super::report;
use crate::planner::Solved;
use crate::planner::driver::Driver;
use crate::planner::harness::Harness;
use rusqlite::Connection;
use serde_json::json;
use std::path::Path;

const TABLE: &str = "create table products (id integer primary key, name text, price integer, city text);
    insert into products (name, price, city) values ('lamp', 120, 'Lviv'), ('kettle', 80, 'Oslo'),
    ('chair', 200, 'Lviv'), ('mirror', 310, 'Porto'), ('carpet', 90, 'Lviv'), ('ladder', 150, 'Oslo')";

/// Arguments that let everybody write: permissions are not under test.
const SERVE: &[&str] = &[
    "serve",
    "shop.db",
    "--port",
    "{port}",
    "-s",
    "permissions.insert-row",
    "true",
    "-s",
    "permissions.update-row",
    "true",
    "-s",
    "permissions.delete-row",
    "true",
];

#[actix_web::test]
#[ignore = "needs Chromium and packages from PyPI; make test runs it"]
async fn work_in_datasette_is_confirmed_by_its_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.db");
    Connection::open(&file).unwrap().execute_batch(TABLE).unwrap();
    let datasette = Application::start("datasette", SERVE, folder.path(), "/shop/products.json").await;
    let harness = Harness::open(&[], &[&datasette.host]).await;
    let table = datasette.url("/shop/products");

    let words = format!("add a product at {table}");
    let added = harness.run(&words, async |driver: &mut Driver| add(driver, &datasette.url("/")).await).await;
    let there = check_equal(
        rows(&file, "select name, price, city from products where id = 7"),
        &["camera|275|Turin"],
    );

    let words = format!("change the price of the lamp and remove the kettle at {table}");
    let changed = harness.run(&words, async |driver: &mut Driver| change(driver, &table).await).await;
    let changes = rows(&file, "select name, price from products where id in (1, 2)");
    let changes = check_equal(changes, &["lamp|135"]);

    let words = format!("what does the dearest product of Lviv cost? See {table}");
    let mut answer = String::new();
    let looked_up = harness
        .run(&words, async |driver: &mut Driver| {
            answer = look_up(driver, &table).await?;
            Ok(())
        })
        .await;
    let dearest = rows(&file, "select name, max(price) from products where city = 'Lviv'");
    let answered = check_equal(dearest, &[&answer]);

    harness.finish().await;
    drop(datasette);
    report(vec![
        ("add a row", added, there),
        ("change and remove rows", changed, changes),
        ("look up", looked_up, answered),
    ]);
}

fn rows(file: &Path, query: &str) -> Vec<String> {
    let database = Connection::open(file).unwrap();
    let mut query = database.prepare(query).unwrap();
    let width = query.column_count();
    let rows = query.query_map([], |row| {
        let cells = (0..width).map(|column| row.get_ref(column).map(cell));
        Ok(cells.collect::<Result<Vec<_>, _>>()?.join("|"))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

fn cell(value: rusqlite::types::ValueRef<'_>) -> String {
    use rusqlite::types::ValueRef::{Blob, Integer, Null, Real, Text};
    match value {
        Null => String::new(),
        Integer(number) => number.to_string(),
        Real(number) => number.to_string(),
        Text(text) | Blob(text) => String::from_utf8_lossy(text).into_owned(),
    }
}

fn check_equal(found: Vec<String>, wanted: &[&str]) -> Solved {
    if found == wanted { Ok(()) } else { Err(format!("{found:?} and not {wanted:?}")) }
}

/// From the front page to the table, and a row by its form.
async fn add(driver: &mut Driver, front: &str) -> Solved {
    driver.open(front).await?;
    driver.click("link", "shop").await?;
    driver.click("link", "products").await?;
    driver.click("button", "Insert row").await?;
    for (name, text) in [("name", "camera"), ("price", "275"), ("city", "Turin")] {
        driver.write_named(name, text).await?;
    }
    driver.click("button", "Insert row").await?;
    driver.wait_for("camera").await
}

async fn change(driver: &mut Driver, table: &str) -> Solved {
    driver.open(table).await?;
    driver.click("button", "Edit row 1 lamp").await?;
    driver.write_named("price", "135").await?;
    driver.click("button", "Save").await?;
    driver.wait_for("135").await?;
    driver.click("button", "Delete row 2 kettle").await?;
    driver.click("button", "Delete row").await?;
    driver.act("wait", json!({"seconds": 1})).await
}

async fn look_up(driver: &mut Driver, table: &str) -> Solved<String> {
    driver.open(table).await?;
    // Fields have no names here, only values.
    let holding = |driver: &Driver, value: &str| {
        let all = driver.view.all("combobox").into_iter();
        let found = all.filter(|line| line.value() == value).map(|line| line.eid()).next();
        found.unwrap_or_else(|| Err(format!("nothing holds {value:?} in\n{}", driver.view.text())))
    };
    let column = holding(driver, "- column -")?;
    driver.act("select", json!({"eid": column, "option": "city"})).await?;
    // The third field is a plain one, or suggests the values of the column.
    let mut fields =
        driver.view.lines.iter().filter(|line| matches!(line.role.as_str(), "textbox" | "combobox"));
    let text = fields.find(|line| line.value().is_empty()).ok_or_else(|| driver.view.text())?.eid()?;
    driver.write_into(text, "Lviv").await?;
    let sort = holding(driver, "Sort by id")?;
    driver.act("select", json!({"eid": sort, "option": "Sort by price"})).await?;
    driver.click("checkbox", "descending").await?;
    driver.click("button", "Apply filters").await?;
    driver.view.find_line("3 rows where city = \"Lviv\"")?;
    let rows = driver.view.rows();
    let first = rows.into_iter().find(|(_, cells)| cells.contains(&String::from("Lviv")));
    let (row, cells) = first.ok_or_else(|| driver.view.text())?;
    let link = driver.view.inside(row).iter().find(|line| line.role == "link").ok_or("no link")?.eid()?;
    driver.click_on(link).await?;
    driver.view.find_line(&cells[1])?;
    Ok(format!("{}|{}", cells[cells.len() - 3], cells[cells.len() - 2]))
}
