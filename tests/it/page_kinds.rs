//! Every kind of page: seen as it says that it reads, used by action, and what came of it checked in
//! the page. The pages are in `tests/pages/kinds/`; each says in a comment how its first look reads.

use crate::browser_stage::{Stage, bounded, find};
use askfirst::browser::error::ErrorCode;
use askfirst::browser::messages::Examine;
use askfirst::page::observation::Observation;
use askfirst::page::text;
use serde_json::{Value, json};

/// Step of a check: action (`press` and `scroll` name no element), target, value, and a line of the page afterwards; a
/// line without a role is the page's own report.
type Step = (&'static str, &'static str, &'static str, &'static str);

// `<dialog>`, popovers, details.
#[rustfmt::skip]
const DIALOGS: &[Step] = &[
    ("click", "Edit profile", "", "dialog \"Profile\" new"),
    ("type", "Name", "Anna", "textbox \"Name\" [#] value=\"Anna\" focused"),
    ("click", "Save", "", "profile save Anna"),
    ("click", "Show hint", "", "text \"Names can be changed later.\""),
    ("click", "Got it", "", "hint read"),
    ("click", "More", "", "button \"Export data\" [#] new"),
    ("click", "Export data", "", "exported"),
    ("click", "Remove account", "", "alertdialog \"Remove account?\" new"),
    ("press", "", "Escape", "account kept"),
    ("click", "Remove account", "", "button \"Keep it\" [#] focused new"),
    ("click", "Remove it", "", "account removed"),
    ("click", "Shipping", "", "shipping shown"),
    ("click", "Ship faster", "", "shipped faster"),
    ("click", "Returns", "", "button \"Returns\" [#] collapsed focused"),
];

#[rustfmt::skip]
const WRITING: &[Step] = &[
    ("type", "Title", "Final", "title: Final"),
    ("type", "Notes", "one\ntwo", "textbox \"Notes\" [#] value=\"one two\" focused"),
    ("add", "Notes", "!", "textbox \"Notes\" [#] value=\"one two!\" focused"),
    ("type", "Body", "Dear all", "body: Dear all"),
    ("add", "Body", ", goodbye", "body: Dear all, goodbye"),
    ("type", "Body", "", "body:"),
    ("type", "Plain", "plain words", "plain: plain words"),
    ("type", "Write a message", "hi", "chat: hi"),
    ("click", "Bold", "", "Bold true"),
    ("press", "", "ArrowRight", "button \"Quote\" [#] focused"),
    ("press", "", "Enter", "Quote true"),
    ("look", "", "", "button \"Bold\" [#] pressed"),
];

#[rustfmt::skip]
const INPUTS: &[Step] = &[
    ("type", "Day", "2026-7-1", "day 2026-07-01"),
    ("type", "Hour", "2:15 pm", "hour 14:15"),
    ("type", "Meeting", "2026-05-04 9:00", "meeting 2026-05-04T09:00"),
    ("type", "Month", "2026-12", "month 2026-12"),
    ("type", "Week", "2026-W07", "week 2026-W07"),
    ("type", "Colour", "tomato", "colour #ff6347"),
    ("type", "Volume", "45", "volume 45"),
    ("type", "Pieces", "7", "spinbutton \"Pieces\" [#] value=\"7\" focused"),
    ("press", "", "Enter", "pieces 7"),
    ("select", "Country", "Poland", "country pl"),
    ("select", "Country", "ua", "country ua"),
    ("select", "Toppings", "Basil|Olives", "toppings Basil+Olives"),
    ("select", "City", "lviv", "combobox \"City\" [#] value=\"Lviv\" options=\"Kyiv|Lviv|Odesa\" focused"),
    ("click", "Gift wrap", "", "gift true"),
    ("click", "Courier", "", "way courier"),
];

#[rustfmt::skip]
const CHOICES: &[Step] = &[
    ("type", "State", "a", "option \"Alaska\" [#] new"),
    ("press", "", "ArrowDown", "option \"Alabama\" [#] focused"),
    ("press", "", "ArrowDown", "option \"Alaska\" [#] focused"),
    ("press", "", "Enter", "state Alaska"),
    ("type", "State", "o", "listbox \"States\" [#]"),
    ("click", "Ohio", "", "state Ohio"),
    ("select", "Fruit", "Plum", "fruit Plum"),
    ("look", "", "", "combobox \"Fruit\" [#] value=\"Plum\" options=\"Apple|Pear|Durian (disabled)|Plum\" collapsed focused"),
    ("click", "Fruit", "", "option \"Durian\" [#] disabled new"),
    ("click", "Pear", "", "fruit Pear"),
    ("select", "Colour", "Black", "colours Black"),
    ("press", "", "ArrowUp", "colours White"),
    ("select", "Sizes", "Small|Large", "sizes Small+Large"),
    ("click", "Small", "", "sizes Large"),
];

#[rustfmt::skip]
const MENUS: &[Step] = &[
    ("click", "Font", "", "menuitemradio \"Sans\" [#] checked focused new"),
    ("click", "Serif", "", "Serif true"),
    ("click", "Font", "", "menuitem \"Font\" [#] expanded"),
    ("click", "Size", "", "menu \"Size\""),
    ("click", "Larger", "", "Larger done"),
    ("click", "Style", "", "menuitem \"Clear all\" [#] disabled new"),
    ("click", "Bold", "", "Bold true"),
    ("click", "Actions", "", "menu \"Actions\""),
    ("press", "", "ArrowDown", "menuitem \"Archive\" [#] focused"),
    ("press", "", "Enter", "Archive done"),
];

#[rustfmt::skip]
const TABS: &[Step] = &[
    ("click", "Yearly", "", "tab Yearly"),
    ("look", "", "", "tabpanel \"Yearly\""),
    ("press", "", "ArrowLeft", "tab Monthly"),
    ("click", "Terms", "", "region \"Terms\""),
    ("click", "Newsletter", "", "news true"),
    ("press", "", "Space", "news false"),
    ("click", "Some of them", "", "checkbox \"Some of them\" [#] checked focused"),
    ("click", "Heat", "", "slider \"Heat\" [#] value=\"20 degrees\" focused"),
    ("press", "", "PageUp", "heat 30"),
    ("press", "", "End", "heat 100"),
    ("type", "Heat", "37", "heat 37"),
    ("type", "Heat", "0", "slider \"Heat\" [#] value=\"0 degrees\" focused"),
    ("click", "More guests", "", "guests 3"),
    ("click", "Guests", "", "spinbutton \"Guests\" [#] value=\"3\" focused"),
    ("press", "", "ArrowUp", "guests 4"),
    ("type", "Guests", "7", "guests 7"),
    ("click", "Thin", "", "crust Thin"),
    ("press", "", "ArrowDown", "crust Deep"),
    ("look", "", "", "radio \"Deep\" [#] checked focused"),
];

#[rustfmt::skip]
const TREE: &[Step] = &[
    ("click", "Letters", "", "Letters open"),
    ("look", "", "", "treeitem \"Letters\" [#] expanded focused"),
    ("click", "anna.txt", "", "chosen anna.txt"),
    ("press", "", "Home", "treeitem \"Projects\" [#] expanded focused"),
    ("press", "", "ArrowLeft", "Projects closed"),
    ("click", "Projects", "", "Projects open"),
    ("click", "Treegrids | Anna | 1 May", "", "thread open"),
    ("look", "", "", "row \"re: Treegrids | Bohdan | 2 May\" [#]"),
    ("press", "", "ArrowLeft", "thread closed"),
];

#[rustfmt::skip]
const TABLES: &[Step] = &[
    ("click", "Order 18", "", "Order 18 true"),
    ("click", "Refund", "", "refunded 17"),
    ("click", "Number", "", "sorted descending"),
    ("click", "Refund", "", "refunded 18"),
    ("twice", "700", "", "textbox \"Value\" [#] value=\"700\" focused new"),
    ("type", "Value", "800", "textbox \"Value\" [#] value=\"800\" focused"),
    ("press", "", "Enter", "cost 800"),
    ("scroll", "", "bottom", "row \"Player 30 | 97\""),
    ("look", "", "", "row \"Player | Points\""),
];

#[rustfmt::skip]
const VIRTUAL: &[Step] = &[
    ("click", "Call 3", "", "called 3"),
    ("scroll", "", "down", "button \"Call 7\" [#] new"),
    ("click", "Call 7", "", "called 7"),
    ("page", "", "bottom", "stories 10"),
];

#[rustfmt::skip]
const OVERLAYS: &[Step] = &[
    ("click", "Beside the banner", "", "Beside the banner"),
    ("click", "At the bottom edge", "", "At the bottom edge"),
    ("click", "Accept all", "", "cookies accepted"),
    ("click", "Under the banner", "", "Under the banner"),
    ("click", "Far below", "", "Far below"),
    ("look", "", "", "button \"First\" [#] above"),
    ("click", "First", "", "First"),
    ("click", "Chat with us", "", "Chat with us"),
];

#[rustfmt::skip]
const DRAWINGS: &[Step] = &[
    ("click", "Drawing board", "", "drawn at 100,30"),
    ("click", "Kitchen", "", "kitchen"),
    ("click", "Hall", "", "hall"),
    ("click", "Settings", "", "settings"),
];

#[rustfmt::skip]
const CHARTS: &[Step] = &[
    ("click", "50 sold", "", "bar 1"),
    ("click", "30 sold", "", "bar 30 sold"),
    ("click", "march", "", "bar march"),
    ("click", "Ours, 75%", "", "Ours, 75%"),
    ("click", "Theirs, 25%", "", "Theirs, 25%"),
    ("click", "Legend", "", "clickable \"Legend\" [#] focused"),
    ("press", "", "Enter", "legend Enter"),
    ("click", "North", "", "north"),
    ("click", "South", "", "south"),
    ("click", "Labels", "", "labels"),
    ("look", "", "", "checkbox \"Labels\" [#] checked focused"),
    ("click", "Shop", "", "shop"),
    ("click", "Star", "", "star"),
    ("click", "Bath", "", "bath"),
    ("click", "Study", "", "study"),
    ("click", "Hallway", "", "hallway"),
];

#[rustfmt::skip]
const RIGHT_CLICK: &[Step] = &[
    ("right", "Photo.jpg", "", "menuitem \"Rename\" [#] new"),
    ("click", "Rename", "", "Rename Photo.jpg"),
    ("right", "Bohdan | Lviv", "", "menuitem \"Delete\" [#] new"),
    ("click", "Delete", "", "Delete BohdanLviv"),
    ("right", "A tile", "", "menuitem \"Delete\" [#] new"),
    ("click", "Delete", "", "Delete A tile"),
    ("click", "Build", "", "built"),
    ("right", "Build", "", "menuitem \"Rename\" [#] new"),
];

#[rustfmt::skip]
const LOOSE: &[Step] = &[
    ("click", "By its pointer", "", "pointed"),
    ("click", "By its attribute", "", "attribute"),
    ("click", "By a property", "", "property"),
    ("click", "By a listener", "", "listener"),
    ("click", "By pressing", "", "pressed"),
    ("click", "By a hint of Stimulus", "", "stimulus"),
    ("click", "By a hint of htmx", "", "htmx"),
    ("click", "By its keys", "", "Effect"),
    ("press", "", "Enter", "focusable"),
    ("click", "A card", "", "card"),
    ("click", "Like", "", "liked"),
    ("click", "One of a list", "", "delegated"),
    ("click", "A button in it", "", "wrapped"),
    ("click", "Make more", "", "clickable \"Made later\" [#] new"),
    ("click", "Made later", "", "later"),
];

// A list with one listener gives a number to each of its entries; a single control with one listener stays one
// element.
#[rustfmt::skip]
const DELEGATED: &[Step] = &[
    ("click", "June 3", "", "june June 3"),
    ("click", "June 1", "", "june June 1"),
    ("click", "16", "", "july 16"),
    ("click", "3 stars", "", "stars 3 stars"),
    ("click", "#0000ff", "", "colours rgb(0, 0, 255)"),
    ("click", "Remove Kyiv", "", "chips Remove Kyiv"),
    ("click", "Week view", "", "views Week view"),
    ("click", "Bohdan invoice", "", "mail Bohdan"),
    ("click", "▸", "", "unfolded"),
    ("click", "▸ Drafts", "", "folder"),
    ("click", "A card Words pictured", "", "card"),
    ("click", "Tea Green $3", "", "plain"),
    ("click", "Right", "", "attribute Right"),
];

// Menus that open under the pointer, captions, what is kept from readers only, documents in a page.
#[rustfmt::skip]
const SEEN: &[Step] = &[
    ("hover", "Coffee", "", "link \"Filter\" [#] href=\"/pages/kinds/seen.html#filter\" new"),
    ("hover", "Profile", "", "profile hovered"),
    ("click", "Works", "", "hushed works"),
    ("click", "Inside", "", "button \"Pressed\" [#] focused"),
];

#[rustfmt::skip]
const STATES: &[Step] = &[
    ("click", "Add", "", "button \"Born\" [#] new"),
    ("look", "", "", "button \"Born\" [#]"),
    ("click", "Born", "", "born clicked"),
    ("click", "Below the fold", "", "button \"Add\" [#] above"),
];

#[rustfmt::skip]
const LONG: &[Step] = &[
    ("click", "Choose 30", "", "chosen 30"),
    ("page", "", "bottom", "button \"The last button\" [#]"),
    ("click", "The last button", "", "the last"),
];

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn dialogs_and_fields_are_operated() {
    run(&[("dialogs", DIALOGS), ("writing", WRITING), ("inputs", INPUTS)]).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn choices_menus_and_tabs_are_operated() {
    run(&[("choices", CHOICES), ("menus", MENUS), ("tabs", TABS)]).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn trees_tables_and_lists_are_operated() {
    run(&[("tree", TREE), ("tables", TABLES), ("virtual", VIRTUAL), ("long", LONG)]).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn overlays_drawings_and_loose_elements_are_operated() {
    let rest = [("overlays", OVERLAYS), ("drawings", DRAWINGS), ("loose", LOOSE), ("states", STATES)];
    let more: [(&str, &[Step]); 5] = [
        ("charts", CHARTS),
        ("rightclick", RIGHT_CLICK),
        ("delegated", DELEGATED),
        ("seen", SEEN),
        ("index", &[]),
    ];
    run(&[rest.as_slice(), more.as_slice()].concat()).await;
}

/// Opens each page, compares its first look with what it says, and takes its steps.
async fn run(pages: &[(&str, &[Step])]) {
    let stage = Stage::open().await;
    let mut faults = Vec::new();
    for (page, steps) in pages {
        stage.go(&format!("/pages/kinds/{page}.html")).await.unwrap();
        let (expected, seen) = (expected(page), plain(&*stage.observe().await));
        if expected != seen {
            faults.push(format!("== {page}\n-- expected\n{expected}\n-- seen\n{seen}"));
        }
        for step in *steps {
            if let Err(fault) = take(&stage, step).await {
                faults.push(format!("== {page}: {step:?}\n{fault}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    stage.finish().await;
}

async fn take(stage: &Stage, &(what, name, with, shown): &Step) -> Result<(), String> {
    let seen = stage.observe().await;
    let eid = match seen.lines.iter().find(|line| line.name == name && line.eid.is_some()) {
        Some(line) => line.eid,
        None if name.is_empty() => None,
        None => return Err(format!("it is not there:\n{}", plain(&seen))),
    };
    let pane = || seen.lines.iter().find(|line| line.attributes.scroll.is_some()).and_then(|line| line.eid);
    let done = match what {
        "look" => None,
        "click" => Some(("click", json!({"eid": eid}))),
        "hover" => Some(("hover", json!({"eid": eid}))),
        "right" => Some(("click", json!({"eid": eid, "button": "right"}))),
        "twice" => Some(("click", json!({"eid": eid, "count": 2}))),
        "type" => Some(("type", json!({"eid": eid, "text": with}))),
        "add" => Some(("type", json!({"eid": eid, "text": with, "clear": false}))),
        "press" => Some(("press", json!({"key": with}))),
        "select" => Some(("select", json!({"eid": eid, "option": chosen(with)}))),
        "scroll" => Some(("scroll", json!({"direction": with, "eid": pane()}))),
        "page" => Some(("scroll", json!({"direction": with}))),
        other => return Err(format!("no such step: {other}")),
    };
    if let Some((action, params)) = done {
        stage.act(action, params).await.map_err(|fault| fault.to_string())?;
    }
    let now = plain(&*stage.observe().await);
    let expected = if shown.contains('"') { String::from(shown) } else { format!("text \"Effect: {shown}") };
    let shows = now.lines().map(|line| line.trim_start().trim_start_matches("- "));
    let fits = |line: &str| {
        if shown.contains('"') {
            line == expected
        } else {
            line.trim_end_matches('"') == expected || shown == "Effect"
        }
    };
    if shows.into_iter().any(fits) { Ok(()) } else { Err(format!("no line {expected}:\n{now}")) }
}

fn chosen(with: &str) -> Value {
    let all: Vec<&str> = with.split('|').collect();
    if let [one] = all.as_slice() { json!(one) } else { json!(all) }
}

/// The text of a look without its fences, and without the numbers of elements: which they are depends
/// on the looks before.
fn plain(seen: &Observation) -> String {
    let written = text::write(seen, "n");
    let lines = written.lines().filter(|line| line.trim_start().starts_with("- "));
    lines.map(without_number).collect::<Vec<_>>().join("\n")
}

/// The number is the first in brackets after the name; a note's words may name one.
fn without_number(line: &str) -> String {
    if let Some((note, rest)) = line.split_once("[").filter(|_| line.trim_start().starts_with("- note ")) {
        return rest.split_once(']').map_or_else(|| line.to_owned(), |(_, rest)| format!("{note}[#]{rest}"));
    }
    let from = if line.contains('"') { name_end(line) } else { 0 };
    let (name, rest) = line.split_at(from);
    match rest.trim_start().split_once(']') {
        Some((number, rest))
            if number.starts_with('[') && number[1..].bytes().all(|b| b.is_ascii_digit()) =>
        {
            format!("{name} [#]{rest}")
        }
        Some(_) | None => unnamed(line),
    }
}

/// `- region [3] scroll=…`: no name, then a number.
fn unnamed(line: &str) -> String {
    match line.split_once(" [") {
        Some((role, rest)) if !role.contains('"') => match rest.split_once(']') {
            Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => format!("{role} [#]{rest}"),
            Some(_) | None => line.to_owned(),
        },
        Some(_) | None => line.to_owned(),
    }
}

/// End of the first quoted name.
fn name_end(line: &str) -> usize {
    let start = line.find('"').unwrap_or(0) + 1;
    let mut escaped = false;
    for (at, letter) in line[start..].char_indices() {
        match letter {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return start + at + 1,
            _ => escaped = false,
        }
    }
    line.len()
}

/// Expected text of a page's first observation, which the page contains.
fn expected(page: &str) -> String {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pages/kinds/{page}.html"));
    let source = std::fs::read_to_string(path).unwrap();
    let comment = source.split("<!-- expect:\n").nth(1).and_then(|rest| rest.split("\n-->").next());
    comment.unwrap_or_else(|| panic!("{page} does not say how it reads")).to_owned()
}

// Failures name the right element or action, so that a planner can correct its step.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn failures_say_what_would_be_right() {
    /// Page, element, action, what with; the fault and what its words must hold.
    type Case = (&'static str, &'static str, &'static str, &'static str, ErrorCode, &'static [&'static str]);
    let stage = Stage::open().await;
    #[rustfmt::skip]
    let cases: &[Case] = &[
        ("inputs", "Day", "type", "5 July", ErrorCode::BadValue, &["a date as 2026-05-04", "from 2026-01-01 to 2026-12-31", "'5 July'"]),
        ("inputs", "Day", "type", "2027-01-01", ErrorCode::BadValue, &["to 2026-12-31"]),
        ("inputs", "Hour", "type", "20:00", ErrorCode::BadValue, &["a time as 14:30", "from 08:00 to 18:00"]),
        ("inputs", "Colour", "type", "blurple", ErrorCode::BadValue, &["a colour as #ff8800"]),
        ("inputs", "Volume", "type", "70", ErrorCode::BadValue, &["from 0 to 50", "in steps of 5"]),
        ("inputs", "Photo", "type", "x", ErrorCode::NotEditable, &["takes a file", "upload"]),
        ("inputs", "Country", "select", "Narnia", ErrorCode::InvalidOption, &["Ukraine, Poland, Germany"]),
        ("inputs", "Country", "select", "Germany", ErrorCode::Disabled, &["the option 'Germany'"]),
        ("inputs", "Gift wrap", "select", "x", ErrorCode::NotSelect, &["click it"]),
        ("choices", "Fruit", "select", "Durian", ErrorCode::Disabled, &["the option 'Durian'"]),
        ("choices", "Colour", "select", "Brown", ErrorCode::InvalidOption, &["Red, Green, Blue, White, Black"]),
        ("choices", "Fruit", "type", "x", ErrorCode::NotEditable, &["use select"]),
        ("tabs", "Heat", "type", "140", ErrorCode::BadValue, &["a number from 0 to 100", "'140'"]),
        ("tabs", "Guests", "type", "many", ErrorCode::BadValue, &["spinbutton takes a number from 1 to 8"]),
        ("states", "Fixed", "type", "x", ErrorCode::Readonly, &["read-only"]),
        ("states", "Off", "type", "x", ErrorCode::Disabled, &["disabled"]),
    ];
    let mut faults = Vec::new();
    let mut open = "";
    for &(page, name, action, with, code, words) in cases {
        if page != open {
            stage.go(&format!("/pages/kinds/{page}.html")).await.unwrap();
            open = page;
        }
        let eid = stage.eid(name).await;
        let params = if action == "type" {
            json!({"eid": eid, "text": with})
        } else {
            json!({"eid": eid, "option": with})
        };
        match stage.act(action, params).await {
            Err(fault) if fault.code == code && words.iter().all(|word| fault.message.contains(word)) => {}
            other => faults.push(format!("{page} {name} {with}: {other:?}")),
        }
    }
    stage.show("<div role=slider tabindex=0 aria-label=Deaf aria-valuenow=2 aria-valuemin=0 aria-valuemax=9>2</div>").await;
    let fault = stage.act("type", json!({"eid": stage.eid("Deaf").await, "text": "5"})).await.unwrap_err();
    if fault.code != ErrorCode::NotEditable || !fault.message.contains("press ArrowUp or ArrowDown") {
        faults.push(format!("a slider that hears no keys: {fault:?}"));
    }
    stage.show("<form><input aria-label=Name required><button disabled>Send</button></form>").await;
    let fault = stage.click("Send").await.unwrap_err();
    if fault.code != ErrorCode::Disabled || !fault.message.contains("not filled in correctly: Name") {
        faults.push(format!("a disabled button: {fault:?}"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_covering_element_is_named_with_its_eid_and_advice() {
    let stage = Stage::open().await;
    stage.go("/pages/kinds/dialogs.html").await.unwrap();
    let (edit, export) = (stage.eid("Edit profile").await, stage.eid("Shipping").await);
    stage.click("Edit profile").await.unwrap();
    let fault = stage.act("click", json!({"eid": edit})).await.unwrap_err();
    let seen = stage.observe().await;
    let number = |name: &str| find(&seen, name).eid.unwrap();
    assert_eq!(fault.code, ErrorCode::Inert, "{fault}");
    let way_out = format!("'Save' [eid {}]", number("Save"));
    assert!(fault.message.contains("dialog 'Profile' [eid") && fault.message.contains(&way_out), "{fault}");
    stage.click("Cancel").await.unwrap();
    // A failure on an element in a closed part of the page names the opener of that part.
    stage.click("Shipping").await.unwrap();
    let faster = stage.eid("Ship faster").await;
    stage.click("Shipping").await.unwrap();
    let fault = stage.act("click", json!({"eid": faster})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Hidden, "{fault}");
    assert!(fault.message.contains(&format!("'Shipping' [eid {export}] shows it")), "{fault}");
    stage.click("Remove account").await.unwrap();
    let fault = stage.act("click", json!({"eid": edit})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Covered, "{fault}");
    assert!(fault.message.starts_with("covered by alertdialog 'Remove account?' [eid "), "{fault}");
    assert!(fault.message.contains("'Keep it' [eid "), "{fault}");
    stage.finish().await;
}

// docs/page_text.md, "Number": an eid belongs to one thing, also when that was gone for a while, and to no other
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_eid_belongs_to_one_thing_and_is_never_given_to_another() {
    let stage = Stage::open().await;
    stage.go("/pages/kinds/states.html").await.unwrap();
    let search = stage.eid("Search").await;
    stage.click("Add").await.unwrap();
    let born = stage.eid("Born").await;
    assert_eq!(stage.eid("Search").await, search);
    stage.click("Drop").await.unwrap();
    stage.observe().await;
    let fault = stage.act("click", json!({"eid": born})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::DeadEid, "{fault}");
    let fault = bounded(stage.browser.send(Examine { eid: born })).await.unwrap().unwrap_err();
    assert_eq!(fault.code, ErrorCode::DeadEid, "{fault}");
    stage.click("Add").await.unwrap();
    assert_eq!(stage.eid("Born").await, born, "the same thing is there again");
    stage.finish().await;
}

// Lines beyond `observe.budget_tokens` are counted.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn lines_beyond_the_budget_are_counted_and_the_viewport_stays() {
    let stage = Stage::open_with(|config| config.page_tokens = 600).await;
    stage.go("/pages/kinds/long.html").await.unwrap();
    let seen = stage.observe().await;
    let written = plain(&seen);
    let below = seen.lines.iter().filter(|line| line.role == "note").map(|line| line.name.as_str());
    let notes: Vec<&str> = below.collect();
    assert!(notes.iter().any(|note| note.contains("list items below; scroll or extract [")), "{written}");
    assert!(
        notes.last().unwrap().contains("more below") && notes.last().unwrap().contains("scroll down"),
        "{written}"
    );
    // Everything to act on in the viewport is there, whatever it costs.
    assert!((1..=25).all(|n| seen.lines.iter().any(|line| line.name == format!("Choose {n}"))), "{written}");
    let list = find(&seen, "Names").eid.unwrap();
    let done = stage.act("extract", json!({"eid": list})).await.unwrap();
    assert!(done.text.unwrap().contains("Name number 300"), "what was folded can be read");
    stage.finish().await;
}
