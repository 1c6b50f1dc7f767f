//! Words and values of questions about held requests: the thing and the dialog that one concerns, and what its answer
//! covers. S1.25, C24.

use crate::support::model::{Reply, eid_of};
use crate::support::talk::Talk;
use serde_json::{Value, json};

/// Row of a table in a dialog, whose button sends a letter.
const ROW: &str = "<title>Choir</title><h1>Choir</h1><dialog open aria-labelledby=t><h2 id=t>Members of the choir</h2>\
    <p>They read all letters. Key: Bearer abcd1234efgh5678.</p>\
    <label>Note <input value='never shown'></label><div contenteditable>nor this</div>\
    <table><tr><th>Name<th>Post<th></tr><tr><td>Petro Lys<td>petro@post.example<td></tr>\
    <tr><td>Olena Koval<td>olena@post.example<td><button onclick=\"fetch('/send',{method:'POST',\
    body:new URLSearchParams({message:'hello'})})\">Hand over</button></tr></table><button>Close</button></dialog>";

/// Presses a button of the page; returns the question about what it sends.
async fn question_after(talk: &mut Talk, html: &str, name: &'static str) -> Value {
    talk.script([talk.shows(html), Reply::click("button", name)]);
    talk.say("do it").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["layer"], "wire", "{question}");
    question
}

async fn decline(mut talk: Talk, question: &Value) {
    talk.answer(question, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_question_names_request_values_dialog_and_row() {
    let mut talk = Talk::start(&[]).await;
    let question = question_after(&mut talk, ROW, "Hand over").await;
    let payload = &question["payload"];
    assert_eq!(payload["request"]["method"], "POST");
    assert_eq!(payload["request"]["url"], talk.site.url("/send"));
    assert_eq!(payload["values"], json!({"message": "hello"}));
    assert_eq!(payload["caused_by"], "a1");
    assert_eq!(payload["subject"], "Olena Koval");
    assert_eq!(payload["dialog"]["title"], "Members of the choir");
    let text = payload["dialog"]["text"].as_str().unwrap();
    assert!(
        text.starts_with("They read all letters. Key: Bearer ••••") && text.contains("Petro Lys"),
        "{text}"
    );
    for hidden in ["never shown", "nor this", "abcd1234", "Close", "Members"] {
        assert!(!text.contains(hidden), "{text}");
    }
    assert!(payload["screenshot"].is_string(), "{payload}");
    let sentence =
        format!("Send a message on {} (“Hand over”, next to “Olena Koval”): message: hello", talk.site.host);
    assert_eq!((&question["text"], &payload["effect"]), (&json!(sentence), &json!(sentence)));
    decline(talk, &question).await;
}

/// A list of the browser's, and a drawn one that keeps its choice in a hidden field.
const CHOOSERS: &str = "<title>Task</title><h1>Task</h1><label>Room <select name=room><option value=''>–<option value=r81>Blue room</select>\
    </label><div role=combobox tabindex=0 aria-label=Assignee aria-expanded=false aria-controls=l id=c>Nobody</div>\
    <input type=hidden name=assignee id=a><ul role=listbox id=l hidden><li role=option>Maria<li role=option>Petro</ul>\
    <button onclick=\"fetch('/send', {method: 'POST', headers: {'content-type': 'application/json'},\
    body: JSON.stringify({task: {assigneeId: a.value, room: document.querySelector('select').value, count: 2}})})\">Save</button>\
    <script>c.onclick = () => { l.hidden = false; c.setAttribute('aria-expanded', true); };\
    for (const option of l.children) option.onclick = () => { a.value = option.textContent === 'Maria' ? 4711 : 4712;\
    c.textContent = option.textContent; l.hidden = true; };</script>";

// A person chose Maria, or had the agent choose her, and knows no 4711.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_id_is_shown_with_the_words_of_the_option_that_was_picked() {
    let mut talk = Talk::start(&[]).await;
    let room = Reply::seen(|request| {
        let eid = eid_of(&request.page(), "combobox", "Room");
        Reply::act("select", json!({"eid": eid, "option": "Blue room"}))
    });
    let (open, pick) = (Reply::click("combobox", "Assignee"), Reply::click("option", "Maria"));
    talk.script([talk.shows(CHOOSERS), room, open, pick, Reply::click("button", "Save")]);
    talk.say("give it to Maria").await;
    let question = talk.wait_for_question().await;
    let values = &question["payload"]["values"];
    let shown = json!({"task.assigneeId": "4711 (Maria)", "task.room": "r81 (Blue room)", "task.count": "2"});
    assert_eq!(values, &shown, "{question}");
    decline(talk, &question).await;
}

/// Rows with a context menu whose items stand beside each other, and with dates that name no row.
const MENU: &str = "<title>Store</title><style>.row-menu{position:fixed;background:#fff}</style><table><tr><th>Added<th>Name</tr>\
    <tr><td>11m ago<td>Lamp 1</tr><tr><td>12m ago<td>Lamp 2</tr></table><script>\
    for (const row of document.querySelectorAll('tr')) row.oncontextmenu = (event) => { event.preventDefault();\
      const menu = document.createElement('div'); menu.className = 'row-menu popup'; menu.style.left = '300px'; menu.style.top = '20px';\
      menu.innerHTML = '<div><div tabindex=0>Mark</div><div tabindex=0 id=d>Delete row</div></div>'; document.body.append(menu);\
      d.onclick = () => fetch('/rows/' + row.rowIndex, {method: 'DELETE'}).catch(() => 0); };</script>";

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_command_of_a_menu_is_about_the_row_on_which_it_was_opened() {
    let mut talk = Talk::start(&[]).await;
    let right = Reply::seen(|request| {
        let page = request.page();
        let row = page.lines().find(|line| line.contains("Lamp 2")).unwrap_or_else(|| panic!("{page}"));
        let eid: u32 =
            row.split(['[', ']']).nth(1).and_then(|eid| eid.parse().ok()).unwrap_or_else(|| panic!("{page}"));
        Reply::act("click", json!({"eid": eid, "button": "right"}))
    });
    let delete = Reply::seen(|request| {
        let page = request.page();
        let item = page.lines().find(|line| line.contains("Delete row")).unwrap_or_else(|| panic!("{page}"));
        let eid: u32 = item
            .split(['[', ']'])
            .nth(1)
            .and_then(|eid| eid.parse().ok())
            .unwrap_or_else(|| panic!("{page}"));
        Reply::act("click", json!({"eid": eid}))
    });
    talk.script([talk.shows(MENU), right, delete]);
    talk.say("delete the second lamp").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["subject"], "Lamp 2", "{question}");
    let text = question["text"].as_str().unwrap();
    assert!(text.contains("next to “Lamp 2”") && !text.contains("Mark"), "{text}");
    decline(talk, &question).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approval_is_told_recorded_and_remembered_as_that_request() {
    let mut talk = Talk::start(&[]).await;
    let question = question_after(&mut talk, ROW, "Hand over").await;
    talk.script([Reply::stop("Handed over.")]);
    talk.answer(&question, json!({"confirmed": true, "remember": "site"})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=hello"]);
    let (url, origin) = (talk.site.url("/send"), talk.site.url(""));
    let effects = talk.events("effect");
    assert_eq!(
        effects,
        [
            json!({"action_id": "a1", "method": "POST", "url": url, "origin": origin, "covered_by": question["reference"]})
        ]
    );
    let audit = talk.get(&format!("/api/audit?run_id={}", talk.run)).await;
    let rows = audit["items"].as_array().unwrap();
    let sent: Vec<&Value> = rows.iter().filter(|row| !row["covered_by"].is_null()).collect();
    assert_eq!(sent.len(), 1, "{audit}");
    assert_eq!(sent[0]["request"], json!({"method": "POST", "url": url, "origin": origin}));
    assert_eq!((&sent[0]["covered_by"], &sent[0]["by"]), (&question["reference"], &json!("user")));
    let answered = rows.iter().find(|row| row["decision"] == "answered").unwrap();
    assert_eq!((&answered["request"]["url"], &answered["question"]), (&json!(url), &question["reference"]));
    let grants = talk.get("/api/grants").await;
    assert_eq!(grants["items"].as_array().unwrap().len(), 1, "{grants}");
    let grant = &grants["items"][0];
    assert_eq!(grant["scope"], "site");
    assert_eq!(
        grant["covers"],
        json!({
            "origin": origin, "method": "POST", "path": "/send", "fields": ["message"],
            "role": question["payload"]["covers"]["role"],
        })
    );
    assert_eq!(grant["covers"], question["payload"]["covers"]);
    assert!(grant["covers"]["role"].as_str().unwrap().starts_with("button"), "{grant}");
    talk.finish().await;
}

// A form is approved before the press; the log tells what left for that approval too.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_request_of_an_approved_form_is_recorded() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room([Reply::fill("Message", "hello"), Reply::click("button", "Send message")]).await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["layer"], "intent", "{question}");
    assert_eq!(question["payload"]["dialog"], Value::Null);
    talk.script([Reply::stop("Sent.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    let audit = talk.get(&format!("/api/audit?run_id={}", talk.run)).await;
    let rows = audit["items"].as_array().unwrap();
    let sent: Vec<&Value> = rows.iter().filter(|row| !row["covered_by"].is_null()).collect();
    assert_eq!(sent.len(), 1, "{audit}");
    let (url, origin) = (talk.site.url("/send"), talk.site.url(""));
    assert_eq!(sent[0]["request"], json!({"method": "POST", "url": url, "origin": origin}));
    assert_eq!((&sent[0]["covered_by"], &sent[0]["by"]), (&question["reference"], &json!("approval")));
    talk.finish().await;
}

// All that a form would send is shown, hidden fields too, and "Send" beside an address of payments spends money. Tokens
// against forgery say nothing to a person.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn hidden_fields_of_a_form_are_shown() {
    let page = "<title>Bank</title><h1>Bank</h1><form method=post action=/transfer>\
        <input type=hidden name=account value=UA-0001>\
        <input type=hidden name=csrf_token value=8f3a9c1e77b04d52a1c6e0f9>\
        <input type=hidden name=api_key value=sunny-day>\
        <label>To <input name=to value=Olena></label><label>Sum <input name=sum value='50 UAH'></label>\
        <button>Send</button></form>";
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(page), Reply::click("button", "Send")]);
    talk.say("do it").await;
    let question = talk.wait_for_question().await;
    let payload = &question["payload"];
    assert_eq!(payload["values"], json!({"To": "Olena", "Sum": "50 UAH"}));
    assert_eq!(payload["hidden"], json!({"account": "UA-0001", "api_key": "••••"}));
    assert_eq!((&payload["effect_class"], &payload["subject"]), (&json!("purchase"), &json!("")));
    decline(talk, &question).await;
}

// Rows of a form have fields of the same names; each is shown. The form asks, and a button beside says nothing.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn fields_of_one_name_are_all_shown_and_the_question_of_a_form_is_its_subject() {
    let page = "<title>Desk</title><h1>Blue lamp</h1><form method=post action=/send>%\
        <p><label>Partner <select name=p0><option value=''>---------<option value=1 selected>Lights</select></label>\
        <p><label>Partner <select name=p1><option value='' selected>---------<option value=1>Lights</select></label>\
        <ul><li><button>Hand over</button><li><a href=/room>Delete</a></ul></form>";
    for (before, subject) in [
        ("", "Blue lamp"),
        (
            "<p>Delete product <b>Red lamp 28</b> – are you sure?</p>",
            "Delete product Red lamp 28 – are you sure?",
        ),
    ] {
        let mut talk = Talk::start(&[]).await;
        talk.script([talk.shows(&page.replace('%', before)), Reply::click("button", "Hand over")]);
        talk.say("do it").await;
        let question = talk.wait_for_question().await;
        let payload = &question["payload"];
        assert_eq!(payload["values"], json!({"Partner": "Lights", "Partner (2)": "---------"}), "{payload}");
        assert_eq!(payload["subject"], subject);
        decline(talk, &question).await;
    }
}

// The text that the wait is for can come only after the answer, however long that takes.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_wait_ends_when_a_request_is_held() {
    let page = "<title>Desk</title><p id=said>not yet</p><button id=b>Look</button><script>\
        b.onclick=()=>setTimeout(()=>fetch('/send',{method:'POST',body:'a=1'}).then(()=>{said.textContent='stored'}),600)\
        </script>";
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(page), Reply::click("button", "Look")]);
    talk.script([Reply::act("wait", json!({"seconds": 30.0, "text": "stored"}))]);
    talk.script([Reply::seen(|request| {
        let told = request.last_text();
        assert!(told.contains("the wait ended") && !told.contains("did not show"), "{told}");
        assert!(request.page().contains("stored"), "{}", request.page());
        Reply::stop("Stored.")
    })]);
    talk.say("do it").await;
    let question = talk.wait_for_question().await;
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    talk.finish().await;
}

// The page has put its whole state before any action; one of six values differs after the press.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn of_a_whole_state_only_what_differs_is_shown() {
    let page = "<title>Profile</title><button id=b>Hand over</button><script>\
        const state={name:'Olena',city:'Lviv',street:'Franka',house:'7',phone:'555',email:'olena@post.example'};\
        const put=()=>fetch('/send',{method:'PUT',headers:{'content-type':'application/json'},body:JSON.stringify(state)});\
        put().then(()=>{document.title='kept'});b.onclick=()=>{state.city='Odesa';put()}</script>";
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(page), Reply::act("wait", json!({"seconds": 1.0}))]);
    talk.script([Reply::click("button", "Hand over")]);
    talk.say("do it").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["request"]["method"], "PUT", "{question}");
    assert_eq!(question["payload"]["values"], json!({"city": "Lviv → Odesa"}));
    assert_eq!(question["payload"]["unchanged"], 5);
    let sentence = question["text"].as_str().unwrap();
    assert!(sentence.ends_with(": city: Lviv → Odesa"), "{sentence}");
    decline(talk, &question).await;
}

fn page_that_posts(before: &str, button: &str, path: &str) -> String {
    format!(
        "<title>Desk</title><h1>Desk</h1>{before}{button}<script>document.querySelector('#b').onclick=()=>\
        fetch('{path}',{{method:'POST',body:new URLSearchParams({{all:'1'}})}})</script>"
    )
}

// "Revoke access" does not give access, and what stands beside a button can make it a deletion.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn what_a_button_does_is_told_as_what_it_is() {
    let spam = "<p>Letters here are permanently deleted after 30 days.</p>";
    for (before, name, effect, sentence) in [
        ("<p>The accountant sees all papers.</p>", "Revoke access", "permission", "Remove access"),
        (spam, "Empty Spam now", "delete", "Delete"),
    ] {
        let mut talk = Talk::start(&[]).await;
        let page = page_that_posts(before, &format!("<button id=b>{name}</button>"), "/send");
        let question = question_after(&mut talk, &page, name).await;
        let payload = &question["payload"];
        assert_eq!(
            (&payload["effect_class"], &payload["risk"]),
            (&json!(effect), &json!("high")),
            "{payload}"
        );
        let text = question["text"].as_str().unwrap();
        assert!(text.starts_with(sentence) && text.contains(&format!("“{name}”")), "{text}");
        decline(talk, &question).await;
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_drawn_name_is_told_as_it_is() {
    let drawn = "<style>#b::before{content:'Закрити назавжди'}</style><button id=b></button>";
    for (button, name) in [(drawn, "Закрити назавжди"), ("<button id=b>🗑</button>", "🗑")]
    {
        let mut talk = Talk::start(&[]).await;
        let question = question_after(&mut talk, &page_that_posts("", button, "/send"), name).await;
        let text = question["text"].as_str().unwrap();
        assert!(text.contains(&format!("“{name}”")), "{text}");
        decline(talk, &question).await;
    }
}

/// Pages of things in several shapes: the thing's title, and its HTML around the button `%`.
const THINGS: [(&str, &str); 8] = [
    (
        "Aurora lamp",
        "<div><div><p>Sale</p><h3>Aurora lamp</h3><p>€20</p>%</div><div><h3>Other lamp</h3></div></div>",
    ),
    ("Olena Koval", "<ul><li>Petro<li><a href=/room>Olena Koval</a><div>olena@post.example</div> %</ul>"),
    ("Order 71", "<table><tr><td><input type=checkbox><td>€20<th scope=row>Order 71<td>%</table>"),
    (
        "Letter of May",
        "<table><tr><th>Name<th></tr><tr><td><input type=checkbox><td>Letter of May<td>9:30<td>%</table>",
    ),
    (
        "Old lamp repair",
        "<table><tr><td>2026-10-09<td>54.60<td>Old lamp repair<td>Anna<td>%</tr><tr><td>2026-10-09<td>2<td>Tea</table>",
    ),
    ("2026-10-09", "<table><tr><td>2026-10-09<td>54.60<td>%</table>"),
    ("Photo of Lviv", "<div role=list><div role=listitem><p>7 likes</p><h4>Photo of Lviv</h4>%</div></div>"),
    (
        "My draft",
        "<article><p>Draft</p><header><h2>My draft</h2></header><div><ul><li>%</ul></div></article>",
    ),
];

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_thing_is_named_by_its_heading_or_first_cell() {
    for (title, html) in THINGS {
        let mut talk = Talk::start(&[]).await;
        let page = page_that_posts(&html.replace('%', "<button id=b>Hand over</button>"), "", "/send");
        let question = question_after(&mut talk, &page, "Hand over").await;
        assert_eq!(question["payload"]["subject"], title, "{html}");
        assert_eq!(question["payload"]["dialog"], Value::Null, "{html}");
        decline(talk, &question).await;
    }
}
