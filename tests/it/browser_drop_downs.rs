//! The lists of drop-downs while a person has the page: drawn in it, where their pictures show them.

use crate::browser_stage::{Stage, bounded, find};
use crate::browser_take_over::{Person, at};
use crate::support::devtools::Page;
use askfirst::ids::SessionId;
use serde_json::json;

/// The field is 40 high from 40 on; a row of its list is 36 high, the first begins at 85.
const COLOURS: &str = "<style>body{margin:0}select{position:absolute;left:100px;top:40px;width:300px;height:40px;font:20px monospace}</style>\
    <select aria-label=Colour onchange=\"told.push('change '+value)\" oninput=\"told.push('input')\"><option>Red<option disabled>Grey\
    <optgroup label=Cold><option>Blue<option>Green<option>Grass</optgroup></select>\
    <script>told=[];for(const kind of ['mousedown','click','keydown'])document.addEventListener(kind,e=>told.push(kind+' '+e.target.localName))</script>";

const LIST: &str = "document.querySelector('[data-askfirst-list]')";

/// The middle of the field, and of the rows of its list.
const FIELD: f64 = 60.0;
const GREY: f64 = 139.0;
const BLUE: f64 = 211.0;
const ELSEWHERE: f64 = 600.0;

async fn clicks(person: &Person<'_>, y: f64) {
    person.clicks(200.0 / 1280.0, y / 720.0).await;
}

async fn page(stage: &Stage, url_part: &str) -> Page {
    Page::find(stage.data_dir.path(), url_part).await
}

async fn is_open(page: &mut Page) -> bool {
    page.run(&format!("{LIST}?.matches(':popover-open') ?? false")).await == true
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_person_picks_from_the_list_of_a_drop_down_with_the_mouse() {
    let stage = Stage::open().await;
    stage.show(COLOURS).await;
    let mut page = page(&stage, "/html").await;
    let person = Person::takes(&stage, SessionId::fresh()).await;
    clicks(&person, FIELD).await;
    assert!(is_open(&mut page).await);
    assert_eq!(page.run("document.activeElement.localName").await, "select");
    page.run("told = []").await;
    // A disabled option is not picked, and the page gets no events for clicks in the list.
    clicks(&person, GREY).await;
    assert!(is_open(&mut page).await);
    clicks(&person, BLUE).await;
    assert_eq!(page.run("told").await, json!(["input", "change Blue"]));
    assert_eq!(page.run(LIST).await, json!(null));
    // A press elsewhere is the page's, and one on the field itself closes what it opened.
    for (y, expected) in [(ELSEWHERE, json!(["mousedown", "click"])), (FIELD, json!([]))] {
        clicks(&person, FIELD).await;
        assert!(is_open(&mut page).await);
        page.run("told = []").await;
        clicks(&person, y).await;
        assert_eq!(page.run(LIST).await, json!(null), "{y}");
        let received =
            page.run("told.filter((one) => !one.endsWith('select')).map((one) => one.split(' ')[0])").await;
        assert_eq!(received, expected, "{y}");
    }
    // A hand-back closes an open list, and clicks of the run open none.
    clicks(&person, FIELD).await;
    assert!(is_open(&mut page).await);
    assert_eq!(person.gives_back().await.fields, ["Colour"]);
    let seen = stage.observe().await;
    assert_eq!(page.run(LIST).await, json!(null));
    assert_eq!(find(&seen, "Colour").attributes.value.as_deref(), Some("Cold: Blue"));
    let _ = stage.act("click", json!({"eid": find(&seen, "Colour").eid})).await;
    assert_eq!(page.run(LIST).await, json!(null));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_person_picks_from_the_list_of_a_drop_down_with_the_keys() {
    let stage = Stage::open().await;
    stage.show(COLOURS).await;
    let mut page = page(&stage, "/html").await;
    let person = Person::takes(&stage, SessionId::fresh()).await;
    for (keys, value) in [
        (vec!["ArrowDown", "Enter"], "Blue"),
        (vec!["End", "ArrowUp", "Escape"], "Blue"),
        (vec!["End", "ArrowUp", "Enter"], "Green"),
        (vec!["Home", "Enter"], "Red"),
        (vec!["g", "g", "Enter"], "Grass"),
        (vec!["r", "Enter"], "Red"),
    ] {
        clicks(&person, FIELD).await;
        assert!(is_open(&mut page).await, "{keys:?}");
        page.run("told = []").await;
        for key in &keys {
            person.presses(key).await;
        }
        assert_eq!(page.run("document.querySelector('select').value").await, value, "{keys:?}");
        assert_eq!(page.run(LIST).await, json!(null), "{keys:?}");
        assert_eq!(page.run("told.some((one) => one.startsWith('keydown'))").await, false, "{keys:?}");
    }
    // The list opens by keys, too.
    person.presses(" ").await;
    assert!(is_open(&mut page).await);
    person.gives_back().await;
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn no_list_is_drawn_where_the_page_prevents_it() {
    let stage = Stage::open().await;
    for (more, opens) in [
        ("onmousedown='event.preventDefault()'", false),
        ("disabled", false),
        ("multiple", false),
        // A list of a secret field would show the choice to other viewers.
        ("autocomplete=cc-exp-month", false),
        ("onmousedown='event.stopPropagation()'", true),
    ] {
        stage.show(&COLOURS.replace("<select ", &format!("<select {more} "))).await;
        let mut page = page(&stage, "/html").await;
        let person = Person::takes(&stage, SessionId::fresh()).await;
        clicks(&person, FIELD).await;
        assert_eq!(is_open(&mut page).await, opens, "{more}");
        person.gives_back().await;
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_drop_down_in_a_frame_of_another_site_has_its_list() {
    let stage = Stage::open().await;
    let other = stage.site.replace("127.0.0.1", "localhost");
    let framed = format!(
        "<style>body{{margin:0}}</style><iframe width=900 height=600 frameborder=0 src='{}'></iframe>",
        at(&other, COLOURS)
    );
    stage.show(&framed).await;
    stage.observe().await;
    let mut inner = page(&stage, &other).await;
    let person = Person::takes(&stage, SessionId::fresh()).await;
    // A new frame of another site takes nothing at first.
    bounded(async {
        while !is_open(&mut inner).await {
            clicks(&person, FIELD).await;
        }
    })
    .await;
    clicks(&person, BLUE).await;
    inner.until("told.includes('change Blue')").await;
    assert_eq!(inner.run(LIST).await, json!(null));
    clicks(&person, FIELD).await;
    inner.until(&format!("{LIST} !== null")).await;
    person.gives_back().await;
    inner.until(&format!("{LIST} === null")).await;
    stage.finish().await;
}
