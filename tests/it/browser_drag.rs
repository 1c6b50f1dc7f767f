//! Dragging one element onto another, on pages that use the browser's own drag and drop and on pages
//! that move things after the pointer. S1.13

use crate::browser_stage::{Stage, find, text};
use askfirst::browser::error::ErrorCode;
use serde_json::json;

impl Stage {
    async fn drag(&self, from: &str, to: &str) -> Result<String, askfirst::browser::error::PageError> {
        let seen = self.observe().await;
        let eid = |name: &str| find(&seen, name).eid.unwrap();
        self.act("drag", json!({"from_eid": eid(from), "to_eid": eid(to)})).await?;
        Ok(text(&*self.observe().await))
    }
}

/// A board of cards, with the browser's drag and drop; what was heard stands in the last line.
const BOARD: &str = "<style>.c{height:60px;width:200px;border:1px solid}</style>\
    <div class=c aria-label=Todo><div id=a draggable=true>Write tests</div></div>\
    <div class=c id=d role=button tabindex=0 aria-label=Done ondragover='event.preventDefault()'></div>\
    <div class=c role=button tabindex=0 aria-label=Wall>wall</div><p id=o></p><script>\
    const log = (e) => o.textContent += e.type + ' ';\
    for (const t of ['dragstart','dragend']) a.addEventListener(t, log);\
    for (const t of ['dragenter','drop']) d.addEventListener(t, log);\
    a.addEventListener('dragstart', (e) => e.dataTransfer.setData('text/plain', 'card a'));\
    d.addEventListener('drop', (e) => { e.preventDefault(); d.append(a); o.textContent += '<' + e.dataTransfer.getData('text/plain') + '> ' });\
    </script>";

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_card_is_dropped_on_an_element_that_accepts_it() {
    let stage = Stage::open().await;
    stage.show(BOARD).await;
    let fault = stage.drag("Write tests", "Wall").await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::NotTaken, "{fault}");
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("dragend") && !seen.contains("drop"), "the drag that nobody took is over: {seen}");
    let seen = stage.drag("Write tests", "Done").await.unwrap();
    assert!(seen.contains("dragend dragstart dragenter drop <card a> dragend"), "{seen}");
    // The mouse is free again: a click is a click.
    stage.show("<button onclick=\"o.textContent='clicked'\">B</button><p id=o>").await;
    stage.click("B").await.unwrap();
    assert!(text(&*stage.observe().await).contains("clicked"));
    stage.finish().await;
}

/// A list whose rows follow the pointer, as sortable lists do.
const LIST: &str = "<style>li{height:40px;width:300px;touch-action:none;cursor:grab}</style><ul id=u>\
    <li>One</li><li>Two</li><li>Three</li></ul><script>\
    let held = null; u.onpointerdown = (e) => { held = e.target.closest('li'); };\
    addEventListener('pointermove', (e) => { if (!held || !e.buttons) return;\
      const over = document.elementFromPoint(e.clientX, e.clientY)?.closest('li');\
      if (over && over !== held) { const box = over.getBoundingClientRect();\
        over[held.compareDocumentPosition(over) & 4 ? 'after' : 'before'](held); } });\
    addEventListener('pointerup', () => { held = null; });</script>";

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_list_is_sorted_by_dragging_its_rows() {
    let stage = Stage::open().await;
    stage.show(LIST).await;
    let order = |seen: &str| {
        let rows = seen.lines().filter_map(|line| line.strip_prefix("clickable "));
        rows.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(&stage.drag("One", "Three").await.unwrap()), "Two Three One");
    assert_eq!(order(&stage.drag("One", "Two").await.unwrap()), "One Two Three");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_slider_and_a_canvas_follow_the_pointer() {
    let stage = Stage::open().await;
    let page = "<style>#t{position:relative;width:400px;height:20px;background:#ddd}#h{position:absolute;width:20px;height:20px;background:#000;left:0}\
        .m{position:absolute;left:300px;top:30px;width:20px;height:20px}canvas{margin-top:80px;border:1px solid}</style>\
        <div id=t><div id=h role=slider tabindex=0 aria-label=Volume aria-valuenow=0></div><button class=m>75</button></div>\
        <canvas id=c width=200 height=100 tabindex=0 role=button aria-label=Sheet></canvas><button>Corner</button><p id=o>0</p><p id=q></p><script>\
        let on = 0; h.onpointerdown = (e) => { on = 1; h.setPointerCapture(e.pointerId) };\
        h.onpointermove = (e) => { if (on) { const v = Math.round((e.clientX - t.getBoundingClientRect().left) / 4); h.style.left = v * 4 - 10 + 'px'; o.textContent = v } };\
        h.onpointerup = () => { on = 0; o.textContent += ' set' };\
        let moves = 0; c.onmousemove = (e) => { if (e.buttons) moves++ }; addEventListener('mouseup', () => q.textContent = moves > 2 ? 'drawn' : '');</script>";
    stage.show(page).await;
    let seen = stage.drag("Volume", "75").await.unwrap();
    let status_line = seen.lines().find(|line| line.ends_with(" set")).unwrap_or_else(|| panic!("{seen}"));
    let value: i32 = status_line.split_whitespace().rev().nth(1).unwrap().parse().unwrap();
    assert!((76..=79).contains(&value), "{status_line}");
    let seen = stage.drag("Sheet", "Corner").await.unwrap();
    assert!(seen.contains("drawn"), "{seen}");
    stage.finish().await;
}

// A target out of sight is scrolled to during the drag, from the source to the place of the drop.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn distant_drop_targets_are_scrolled_to() {
    let stage = Stage::open().await;
    let page = "<div draggable=true role=button tabindex=0 aria-label=Card style='height:30px;width:100px;background:#eee'>Card</div>\
        <div style='height:2500px'></div><div role=button tabindex=0 aria-label=Bin style='height:80px;background:#ddd' \
        ondragover='event.preventDefault()' ondrop=\"event.preventDefault();o.textContent='dropped'\">Bin</div><p id=o>";
    stage.show(page).await;
    let seen = stage.drag("Card", "Bin").await.unwrap();
    assert!(seen.contains("dropped"), "{seen}");
    stage.finish().await;
}

/// The markup does not show that these elements take a drop or open a menu.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn elements_with_drop_and_menu_listeners_are_listed() {
    let stage = Stage::open().await;
    let page = "<div id=a draggable=true style='width:90px'>Card</div><div id=b style='width:90px;height:60px'>Bin</div><ul><li id=m>Row</li></ul><p id=o></p><script>\
        a.addEventListener('dragstart', (e) => e.dataTransfer.setData('text/plain', 'card'));\
        b.addEventListener('dragover', (e) => e.preventDefault());\
        b.addEventListener('drop', (e) => { e.preventDefault(); o.textContent = 'got ' + e.dataTransfer.getData('text/plain') });\
        m.addEventListener('contextmenu', (e) => { e.preventDefault(); o.textContent = 'menu of ' + e.target.textContent });</script>";
    stage.show(page).await;
    let seen = stage.drag("Card", "Bin").await.unwrap();
    assert!(seen.contains("got card"), "{seen}");
    let row = stage.eid("Row").await;
    stage.act("click", json!({"eid": row, "button": "right"})).await.unwrap();
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("menu of Row"), "{seen}");
    stage.finish().await;
}

/// Columns of cards that follow the pointer: one listener on the board hears of all, and the last has no card yet.
const COLUMNS: &str = "<style>.col{float:left;width:180px;height:160px;border:1px solid}.card{cursor:grab;height:30px;touch-action:none}</style>\
    <div class=board><div class=col HERE><h3>Later</h3></div><div class=col><h3>Now</h3><div class=card>Write tests</div></div></div>\
    <p style='clear:both' id=o></p><footer>Words below</footer><script>\
    let held = null; const board = document.querySelector('.board');\
    board.onpointerdown = (e) => { held = e.target.closest('.card') };\
    document.onpointerup = (e) => { const col = held && document.elementFromPoint(e.clientX, e.clientY)?.closest('.col');\
      if (col) { col.append(held); o.textContent = 'dropped in ' + col.firstChild.textContent } held = null };</script>";

/// Drop targets that listen to nothing themselves, or are of a kind that is never clicked, still get a number.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn empty_columns_and_lists_can_be_dropped_on() {
    let stage = Stage::open().await;
    for named in ["role=region aria-label=Later", ""] {
        stage.show(&COLUMNS.replace("HERE", named)).await;
        let seen = stage.observe().await;
        let regions: Vec<_> = seen.lines.iter().filter(|line| line.role == "region").collect();
        assert_eq!(regions.len(), 1, "{}", text(&seen));
        let card = find(&seen, "Write tests").eid.unwrap();
        let to = regions[0].eid.unwrap_or_else(|| panic!("{}", text(&seen)));
        stage.act("drag", json!({"from_eid": card, "to_eid": to})).await.unwrap();
        let seen = text(&*stage.observe().await);
        assert!(seen.contains("dropped in Later"), "{seen}");
    }
    let list = "<style>ul{float:left;width:150px;height:120px;border:1px solid}</style><ul id=u></ul><ul><li draggable=true>Card</li></ul>\
        <p style='clear:both' id=o></p><script>u.addEventListener('dragover', (e) => e.preventDefault());\
        u.addEventListener('drop', (e) => { e.preventDefault(); o.textContent = 'taken' })</script>";
    stage.show(list).await;
    let seen = stage.observe().await;
    let to = seen.lines.iter().find(|line| line.role == "list" && line.eid.is_some());
    let to = to.unwrap_or_else(|| panic!("{}", text(&seen))).eid;
    stage.act("drag", json!({"from_eid": find(&seen, "Card").eid, "to_eid": to})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("taken"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_selection_that_the_page_clears_at_the_release_is_none() {
    let stage = Stage::open().await;
    for (clears, done) in
        [("getSelection().removeAllRanges()", false), ("getSelection().selectAllChildren(this)", true)]
    {
        stage.show(&format!("<p onmouseup='{clears}'>Some words to mark</p>")).await;
        stage.observe().await;
        let selected = stage.act("select_text", json!({"text": "words to"})).await;
        assert_eq!(selected.as_ref().err().map(|fault| fault.code), (!done).then_some(ErrorCode::NoEffect));
    }
    stage.finish().await;
}
