//! Dialogs, pop-ups and closing that pages start by themselves.

use crate::browser_stage::{Stage, bounded, find, text};
use askfirst::browser::messages::BrowserEvent;
use askfirst::turn::action::{Action, BrowserAction};
use serde_json::json;

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn alerts_are_accepted_at_once_and_noted() {
    let stage = Stage::open().await;
    let page = "<button onclick=\"alert('over');o.textContent='alerted'\">Alert</button>\
        <button onclick=\"for(let i=0;i<8;i++)alert(i);o.textContent='storm over'\">Storm</button><p id=o>";
    stage.show(page).await;
    let cases = [("Alert", "alerted", "over"), ("Storm", "storm over", "7")];
    for (name, shown, noted) in cases {
        let done = stage.click(name).await.unwrap();
        assert!(done.notes.iter().any(|note| note.contains(noted)), "{name}: {:?}", done.notes);
        let seen = text(&*stage.observe().await);
        assert!(seen.contains(shown) && seen.contains("note dialog ("), "{name}: {seen}");
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_alert_while_nobody_acts_hangs_nothing() {
    let stage = Stage::open().await;
    stage.show("<script>setInterval(()=>alert('again'),50)</script><h1>nagging</h1>").await;
    assert!(text(&*stage.observe().await).contains("nagging"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_new_window_comes_to_the_front_and_back_again() {
    let stage = Stage::open().await;
    let page = "<title>Opener</title><a target=_blank href='/html?<title>Fresh</title><button onclick=window.close()>Shut</button>'>Open</a>\
        <button onclick=\"let w=window.open('');w.document.write('<title>Written</title><script>alert(1)</script><p>inside')\">Write</button>";
    stage.show(page).await;
    let done = stage.click("Open").await.unwrap();
    assert_eq!(done.title, "Fresh", "{:?}", done.notes);
    assert!(done.notes.iter().any(|note| note.contains("2 of 2")), "{:?}", done.notes);
    let seen = stage.observe().await;
    assert_eq!((seen.title.as_str(), seen.tab), ("Fresh", (2, 2)));
    let done = stage.act("click", json!({"eid": find(&seen, "Shut").eid})).await.unwrap();
    assert_eq!(done.title, "Opener");
    assert_eq!(stage.observe().await.tab, (1, 1));
    // The script of the pop-up runs, and shows a dialog, before the events of its window arrive.
    let done = stage.click("Write").await.unwrap();
    assert_eq!(done.title, "Written", "{:?}", done.notes);
    assert!(text(&*stage.observe().await).contains("inside"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_storm_of_windows_is_bounded() {
    let stage = Stage::open().await;
    stage
        .show("<button onclick=\"for(let i=0;i<40;i++)window.open('about:blank','w'+i)\">Storm</button>")
        .await;
    bounded(stage.click("Storm")).await.unwrap();
    let (_, count) = stage.observe().await.tab;
    assert!(count <= 20, "{count}");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn navigations_are_reported() {
    let stage = Stage::open().await;
    stage.show("<title>Told</title>").await;
    let event =
        stage.event(|event| matches!(event, BrowserEvent::Navigated { title, .. } if title == "Told")).await;
    let BrowserEvent::Navigated { url, .. } = event else { panic!("{event:?}") };
    assert!(url.contains("/html?"), "{url}");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn test_pages_are_observed_as_their_comments_say() {
    let stage = Stage::open().await;
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()).collect();
    names.sort();
    let mut faults = Vec::new();
    for path in names.iter().filter(|path| path.extension().is_some_and(|e| e == "html")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(path).unwrap();
        let Some(expected) = source.split("<!-- expect:\n").nth(1).and_then(|rest| rest.split("-->").next())
        else {
            continue;
        };
        let seen = stage.observe_fresh(&format!("/pages/{name}")).await;
        let written = askfirst::page::text::write(&seen, "n");
        let (expected, written) = (comparable(expected), comparable(&written));
        if written != expected {
            faults.push(format!("== {name}\n-- expected\n{expected}\n-- seen\n{written}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    stage.finish().await;
}

// `observe.budget_tokens`
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_text_of_an_observation_stays_within_its_budget() {
    let page: String = (0..200).map(|n| format!("<p>Paragraph {n} says something of its own.</p>")).collect();
    let mut lengths = Vec::new();
    for tokens in [300, 2000] {
        let stage = Stage::open_with(|config| config.page_tokens = tokens).await;
        stage.show(&page).await;
        let seen = stage.observe().await;
        lengths.push(text(&seen).len());
        stage.finish().await;
    }
    // A token is about four characters.
    assert!(lengths[0] < 300 * 5 && lengths[1] > lengths[0] * 3, "{lengths:?}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pages_are_requested_in_the_language_of_the_person() {
    let stage = Stage::open().await;
    let page =
        "/html?<h1 id=h></h1><script>h.textContent=`${navigator.languages} ${navigator.userAgent}`</script>";
    let own = text(&*stage.observe_fresh(page).await);
    let ukrainian = text(&*stage.observe_as(Some("uk-UA,uk,en"), page).await);
    assert!(ukrainian.contains("uk-UA,uk,en ") && !own.contains("uk-UA"), "{ukrainian} {own}");
    let name = |text: &str| text.split_once("Mozilla").unwrap().1.to_owned();
    assert_eq!(name(&ukrainian), name(&own), "Chromium keeps its own name");
    stage.finish().await;
}

// S1.24
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_control_that_sends_its_form_by_itself_is_marked() {
    let stage = Stage::open().await;
    stage
        .show(
            "<form method=post action=/pay><select aria-label=City onchange='this.form.submit()'><option>Lviv</select>\
             <input type=checkbox aria-label=Gift onclick=\"document.forms[0].requestSubmit()\"><input aria-label=Name></form>\
             <form method=post action=/x oninput='this.submit()'><input aria-label=Amount></form>",
        )
        .await;
    for (name, itself) in [("City", true), ("Gift", true), ("Name", false), ("Amount", true)] {
        assert_eq!(stage.target(name).await.sends_itself, itself, "{name}");
    }
    stage.finish().await;
}

// S1.24
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_label_acts_as_its_button() {
    let stage = Stage::open().await;
    stage
        .show(
            "<form method=post action=/pay><input name=q><button id=b>Pay now</button></form>\
             <label for=b role=checkbox>Details</label><label role=tab><span>Wrapped</span><input type=checkbox></label>",
        )
        .await;
    let target = stage.target("Details").await;
    assert!(target.submits && target.kind == "submit", "{target:?}");
    assert!(target.other_name.contains("Pay now") && target.form.is_some(), "{target:?}");
    stage.finish().await;
}

// S1.25
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approval_is_bound_to_all_that_is_sent_and_to_prices() {
    let stage = Stage::open().await;
    let fields: String = (0..70).map(|n| format!("<input type=hidden name=n{n} value=v{n}>")).collect();
    let page = format!(
        "<style>.s::after{{content:'$700'}}</style><aside>Total <b id=t>$500</b></aside><i id=c>00:10</i>\
         <main><p class=s id=s>Sum</p><form method=post action=/x>Delivery $1.00<input type=hidden name=iban value=UA213223130000026007233566001>\
         <input type=hidden name=csrf_token value=a1b2c3d4e5f6a7b8>\
         <input type=hidden name=nonce_to value=alice1><input type=hidden name=elapsed_ms value=120><p>Kept for <i id=k>58 s</i>, ends in <i id=m>1h 4m</i></p><input type=hidden name=long value={}>\
         <input type=password id=p value=one>{fields}<button name=plan value=gold>Send</button></form></main>\
         <div><input id=i name=iban value=UA1></div><div><button type=button>Loose</button></div>",
        "x".repeat(300)
    );
    #[rustfmt::skip]
    let changes = [
        ("t.textContent='$501'", true, true), ("s.className=''", true, true), ("c.textContent='00:09'", false, false),
        ("document.forms[0].iban.value+='2'", true, false), ("document.forms[0].csrf_token.value='b1b2c3d4e5f6a7b8'", false, false),
        ("document.forms[0].nonce_to.value='mallory9'", true, false), ("document.forms[0].elapsed_ms.value=990", false, false),
        ("k.textContent='9 s'", false, false), ("s.textContent='Sum $5m'", true, true), ("s.textContent='Sum $9m'", true, true), ("m.textContent='1h 3m'", false, false),
        ("document.forms[0].long.value+='y'", true, false), ("document.forms[0].n69.value='w'", true, false),
        ("p.value='two'", false, false), ("document.forms[0].plan.value='lead'", true, false), ("i.value='UA2'", false, true),
        ("document.forms[0].enctype='text/plain'", true, false), ("document.forms[0].target='_blank'", true, false),
    ];
    let buttons: String = changes
        .iter()
        .map(|(script, ..)| format!("<p><button type=button onclick=\"{script}\">{script}</button></p>"))
        .collect();
    stage.show(&format!("{page}{buttons}")).await;
    let print = async |name: &str| {
        let mut target = stage.target(name).await;
        target.eid = 0;
        target.bounds = [0.0; 4];
        askfirst::page::fingerprint::fingerprint("", &Action::Browser(BrowserAction::Back), &target)
    };
    let first = print("Send").await;
    let form = stage.target("Send").await.form.unwrap();
    assert!(form.fields.iter().any(|field| field.name == "plan" && field.value == "gold"), "{form:?}");
    let mut faults = Vec::new();
    let mut before = (first, print("Loose").await);
    for (script, form, loose) in changes {
        stage.click(script).await.unwrap();
        let now = (print("Send").await, print("Loose").await);
        if (now.0 != before.0, now.1 != before.1) != (form, loose) {
            faults.push(script);
        }
        before = now;
    }
    assert!(faults.is_empty(), "{faults:?}");

    // On a page without marked parts, a price anywhere counts.
    let bare = "<div><p>Lamp: <b id=t>$10</b></p></div><form method=post action=/x><button>Send</button></form>\
        <p><button type=button onclick=\"t.textContent='$1000'\">Raise</button></p>";
    stage.show(bare).await;
    let before = print("Send").await;
    stage.click("Raise").await.unwrap();
    assert_ne!(print("Send").await, before);
    stage.finish().await;
}

// S1.24: what is judged for Enter is the button that Enter presses; a label within it is pressed, too.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_examined_form_is_the_one_that_the_browser_submits() {
    let stage = Stage::open().await;
    stage
        .show(
            "<form method=post action=/x><input aria-label=City><button formaction=/order/pay>Go</button>\
             <button>Add to cart</button></form>\
             <form method=post action=/order><button id=o>Order</button></form>\
             <div role=button aria-label='Show more'><label for=o>Details</label></div>\
             <a href='javascript:document.forms[1].submit()'>Next</a>",
        )
        .await;
    let city = stage.target("City").await;
    assert!(city.destination.as_deref().unwrap().ends_with("/order/pay"), "{city:?}");
    assert_eq!(city.form.unwrap().buttons[0], "Go");
    let more = stage.target("Show more").await;
    assert!(more.submits && more.other_name.contains("Order"), "{more:?}");
    assert!(stage.target("Next").await.sends_itself);
    stage.finish().await;
}

/// Without the fences, without the line that says what was left out (the pages' own comments are about
/// the lines that are there), and without the place of texts.
fn comparable(text: &str) -> String {
    let lines =
        text.lines().filter(|line| line.trim_start().starts_with("- ") && !line.starts_with("- note "));
    let without_side = |line: &str| match line.trim_start().starts_with("- text ") {
        true => line.trim_end_matches(" below").trim_end_matches(" above").to_owned(),
        false => line.to_owned(),
    };
    lines.map(without_side).collect::<Vec<_>>().join("\n")
}

/// A drawing that bears a role of its own is one whose parts are seen, too.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn parts_of_a_drawing_are_listed_whatever_its_role() {
    let stage = Stage::open().await;
    for role in ["", "role=group", "role=img", "role=group aria-label=Shapes"] {
        let page = format!(
            "<svg width=200 height=80 {role}><circle cx=40 cy=40 r=30 role=button tabindex=0 aria-label=Round \
             onclick=\"o.textContent='pressed'\"></circle></svg><p id=o></p>"
        );
        stage.show(&page).await;
        stage.click("Round").await.unwrap();
        assert!(text(&*stage.observe().await).contains("pressed"), "{role}");
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_text_of_several_lines_is_extracted_with_its_lines() {
    let stage = Stage::open().await;
    stage.show("<p>Before</p><textarea aria-label=Notes>one\n  two\n\nthree</textarea><textarea aria-label=Short>four</textarea>").await;
    let read = stage.act("extract", json!({})).await.unwrap().text.unwrap();
    assert!(read.contains("[Notes: one\n  two\n\nthree]") && read.contains("[Short: four]"), "{read}");
    stage.finish().await;
}

/// Each item looks for its name among its neighbours: the time of a look must not grow with the square of their number.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn thousands_of_nameless_items_side_by_side_are_seen() {
    let stage = Stage::open().await;
    let items = [
        "<button></button>",
        "<input type=radio name=a>",
        "<i class='fa fa-trash' onclick=1></i>",
        "<span onclick=1>a </span>",
    ];
    for item in items {
        let script = format!("document.getElementById('all').innerHTML = `{item}`.repeat(6000)");
        stage
            .show(&format!("<h1>Crowd</h1><button>First</button><div id=all></div><script>{script}</script>"))
            .await;
        // A look that takes longer than five seconds is an error.
        let seen = text(&*stage.observe().await);
        assert!(seen.contains("heading Crowd") && seen.contains("button First"), "{item}: {seen}");
    }
    stage.finish().await;
}
