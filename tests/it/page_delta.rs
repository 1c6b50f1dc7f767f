//! Looks of changes: what is sent, read back by the words of the protocol, is the page as it is.

use crate::browser_stage::Stage;
use crate::support::reader;
use askfirst::page::delta::changes;
use askfirst::page::observation::{Line, Observation, UnshownLines};
use askfirst::page::text::{write, write_changes};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

fn line(depth: u32, role: &str, name: &str, eid: u32) -> Line {
    Line {
        depth,
        role: role.into(),
        name: name.into(),
        eid: Some(eid).filter(|eid| *eid > 0),
        ..Line::default()
    }
}

fn observation(number: u64, lines: Vec<Line>) -> Observation {
    Observation {
        number,
        url: String::from("http://shop.test/cart"),
        title: String::from("Cart"),
        tab: (1, 1),
        viewport: (1280, 720),
        lines,
        ..Observation::default()
    }
}

/// Reads the delta after `base` back.
fn read_back(base: &Observation, now: &Observation) -> Option<Vec<reader::Node>> {
    let changes = changes(base, now)?;
    let delta = write_changes(now, base.number, &changes, "n");
    assert!(delta.len() < write(now, "n").len() + " since=\"9999\"".len(), "changes are never longer");
    Some(reader::apply(&reader::tree(&write(base, "n")), &reader::tree(&delta)))
}

fn cart(rows: &[(u32, &str, &str)]) -> Vec<Line> {
    let mut lines = vec![line(0, "heading", "Your cart", 0), line(0, "list", "", 0)];
    for (eid, name, price) in rows {
        lines.extend([line(1, "listitem", "", 0), line(2, "text", price, 0), line(2, "button", name, *eid)]);
    }
    lines.push(line(0, "button", "Place order", 99));
    lines
}

#[test]
fn changes_are_listed_under_their_unchanged_ancestors() {
    let base =
        observation(3, cart(&[(1, "Remove lamp", "$20"), (2, "Remove cup", "$5"), (3, "Remove mug", "$6")]));
    let mut now = cart(&[(1, "Remove lamp", "$20"), (2, "Remove cup", "$7"), (4, "Remove fork", "$2")]);
    now.push(line(0, "alert", "Saved", 0));
    now[1].attributes.new = true;
    let last = now.len() - 2;
    now[last].attributes.disabled = true;
    let now = observation(4, now);
    let delta = changes(&base, &now).unwrap();
    insta::assert_snapshot!(write_changes(&now, 3, &delta, "k3"), @r#"
    <page nonce="k3" url="http://shop.test/cart" title="Cart" tab="1/1" viewport="1280x720" scroll="0/0" look="4" since="3">
    - list
      - listitem
        + text "$7"
        x text "$5"
      - listitem
        + text "$2"
        + button "Remove fork" [4]
        x text "$6"
        x [3]
    ~ button "Place order" [99] disabled
    + alert "Saved"
    </page nonce="k3">
    "#);
    assert_eq!(read_back(&base, &now).unwrap(), reader::tree(&write(&now, "n")));
}

// Lines that the budget or a dialog leaves out are not gone, and not new when it is shown again.
#[test]
fn lines_that_are_left_out_are_neither_gone_nor_new() {
    let hash = |text: &&str| line(0, "text", text, 0).unnumbered_hash().unwrap();
    let whole = || cart(&[(1, "Remove lamp", "$20"), (2, "Remove cup", "$5"), (3, "Remove mug", "$6")]);
    let short = || cart(&[(1, "Remove lamp", "$20")]);
    let unshown = |eids: &[u32], texts: &[&str]| UnshownLines {
        eids: eids.to_vec(),
        lines: texts.iter().map(hash).collect(),
    };
    let told = |base: (Vec<Line>, UnshownLines), now: (Vec<Line>, UnshownLines)| {
        let base = Observation { unshown: base.1, ..observation(3, base.0) };
        let now = Observation { unshown: now.1, ..observation(4, now.0) };
        changes(&base, &now).unwrap_or_else(|| String::from("the whole page"))
    };
    let buttons = |eids: std::ops::Range<u32>| -> Vec<Line> {
        eids.map(|eid| line(0, "button", &format!("Button {eid}"), eid)).collect()
    };
    let nothing = UnshownLines::default;
    for (base, now, delta) in [
        // Cut by the budget: nothing is told. Gone: it is.
        ((whole(), nothing()), (short(), unshown(&[2, 3], &["$5", "$6"])), ""),
        ((whole(), nothing()), (short(), unshown(&[3], &["$6"])), "- list\n  - listitem\n  x listitem\n"),
        // Shown again: the whole line, as one that is known.
        (
            (buttons(1..20), unshown(&[20], &[])),
            (buttons(1..22), nothing()),
            "- button \"Button 19\" [19]\n~ button \"Button 20\" [20]\n+ button \"Button 21\" [21]\n",
        ),
    ] {
        assert_eq!(told(base, now), delta);
    }
    let base = Observation { unshown: unshown(&[3], &["$6"]), ..observation(3, short()) };
    let now = observation(4, whole());
    assert_eq!(read_back(&base, &now).unwrap(), reader::tree(&write(&now, "n")));
}

#[test]
fn an_unchanged_page_has_an_empty_delta() {
    let base = observation(3, cart(&[(1, "Remove lamp", "$20")]));
    assert_eq!(changes(&base, &observation(4, base.lines.clone())).as_deref(), Some(""));
}

#[test]
fn another_page_tab_or_size_has_no_delta() {
    let base = observation(3, cart(&[(1, "Remove lamp", "$20")]));
    let with = |url: &str| Observation { url: url.into(), ..observation(4, base.lines.clone()) };
    assert!(changes(&base, &with("http://shop.test/cart?sort=price#top")).is_some());
    assert!(changes(&base, &with("http://shop.test/checkout")).is_none());
    assert!(changes(&base, &Observation { tab: (2, 2), ..observation(4, base.lines.clone()) }).is_none());
    assert!(
        changes(&base, &Observation { viewport: (390, 844), ..observation(4, base.lines.clone()) }).is_none()
    );
    assert!(
        changes(&base, &Observation { document: String::from("2"), ..observation(4, base.lines.clone()) })
            .is_none(),
        "another document"
    );
    assert!(
        changes(&base, &observation(4, vec![line(0, "text", "All gone", 0)])).is_none(),
        "the whole is shorter"
    );
}

/// Pages with much that reads the same, so that finding a line is hard.
fn pages() -> impl Strategy<Value = (Vec<Line>, Vec<Line>)> {
    let one = (0u32..4, 0usize..4, 0usize..3, any::<bool>(), any::<bool>());
    let lines = prop::collection::vec(one, 0..24);
    let edits = prop::collection::vec((0usize..8, any::<prop::sample::Index>(), 0usize..3, 0u32..4), 0..6);
    (lines, edits).prop_map(|(lines, edits)| {
        let mut next = 0;
        let mut deepest = 0;
        let base: Vec<Line> = lines
            .into_iter()
            .map(|(depth, role, name, acts, new)| {
                let depth = depth.min(deepest);
                deepest = depth + 1;
                next += 1;
                let mut made =
                    line(depth, ["list", "listitem", "text", "button"][role], ["", "a", "b"][name], 0);
                made.eid = (role == 3 || role == 0 && acts).then_some(next);
                if role > 1 {
                    deepest = depth;
                }
                made.attributes.new = new && role == 3;
                made
            })
            .collect();
        let mut now = base.clone();
        for (what, index, name, depth) in edits {
            if now.is_empty() {
                break;
            }
            let at = index.index(now.len());
            match what {
                0 => drop(now.remove(at)),
                1 => now[at].name = ["c", "a", ""][name].into(),
                2 => now.insert(at, line(depth, "text", ["a", "b", "c"][name], 0)),
                3 => now.insert(at, line(depth, "listitem", "", 0)),
                4 => {
                    let moved = now.remove(at);
                    now.insert(index.index(now.len() + 1), moved);
                }
                5 => now[at].attributes.value = Some(["", "a", "b"][name].into()),
                6 => now[at].attributes.scroll = Some(["0/300", "100/200", "300/0"][name].into()),
                _ => now[at].attributes.checked ^= true,
            }
        }
        (regular(base), regular(now))
    })
}

/// No line is deeper by more than one than the line before, and texts and buttons hold nothing.
fn regular(mut lines: Vec<Line>) -> Vec<Line> {
    let mut deepest = 0;
    for line in &mut lines {
        line.depth = line.depth.min(deepest);
        deepest = line.depth + u32::from(matches!(line.role.as_str(), "list" | "listitem"));
    }
    lines
}

#[test]
fn a_delta_applied_to_its_base_gives_the_new_observation() {
    const CASES: u32 = 4000;
    let (deltas, edited) = (Cell::new(0), Cell::new(0));
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(CASES) };
    let held = TestRunner::new(config).run(&pages(), |(base, now)| {
        let (base, now) = (observation(1, base), observation(2, now));
        if let Some(read) = read_back(&base, &now) {
            deltas.set(deltas.get() + 1);
            edited.set(edited.get() + u32::from(base.lines != now.lines));
            prop_assert_eq!(read, reader::tree(&write(&now, "n")), "\n{}", changes(&base, &now).unwrap());
        }
        Ok(())
    });
    held.unwrap_or_else(|fault| panic!("{fault}"));
    // A whole look instead is right where it is shorter; were that all, nothing would have been read back.
    println!("told {} of {CASES}, {} with changes", deltas.get(), edited.get());
    assert!(deltas.get() > CASES / 2, "changes were told of {} pairs", deltas.get());
    assert!(edited.get() > CASES / 4, "and there were some in {}", edited.get());
}

/// A page that shows all that its script can do to it: words, states, values, places, what comes and goes.
const LIVELY: &str = "<title>Desk</title><h1>Desk</h1><p>Nothing done</p>\
    <ul><li>One <button>Drop one</button></li><li>Two <button>Drop two</button></li></ul>\
    <label>Note <input></label><label><input type=checkbox> Gift</label>\
    <div tabindex=0 aria-label=Box style='height:60px;width:300px;overflow:auto'><p style='height:400px'>Long</p></div>\
    <button onclick=\"document.querySelector('p').textContent='All done';document.querySelector('li').remove();\
    document.querySelector('input').value='written';document.querySelector('[type=checkbox]').checked=true;\
    document.querySelector('div').scrollTop=100;this.disabled=true;\
    document.querySelector('ul').insertAdjacentHTML('beforeend','<li>Three <button>Drop three</button></li>')\">Go</button>\
    <p>Some words that stay as they are, so that the changes are shorter than the page.</p>\
    <a href=/x>A link that stays</a><a href=/y>Another link that stays</a>";

// The same with looks of a page in a real Chromium.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn deltas_of_a_real_page_give_the_new_observation() {
    let stage = Stage::open().await;
    stage.show(LIVELY).await;
    let base = stage.observe().await;
    stage.click("Go").await.unwrap();
    let now = stage.observe().await;
    let delta = changes(&base, &now).expect("less than the whole");
    let change = |words: &str| {
        delta.lines().any(|line| line.trim_start().starts_with(['+', '~', 'x']) && line.contains(words))
    };
    let all = [
        "All done",
        "Nothing done",
        "Three",
        "Drop three",
        "value=\"written\"",
        "checked",
        "scroll=",
        "disabled",
    ];
    for words in all {
        assert!(change(words), "{words} is not told:\n{delta}");
    }
    assert!(!delta.contains("that stays"), "{delta}");
    assert_eq!(read_back(&base, &now).unwrap(), reader::tree(&write(&now, "n")), "{delta}");
    stage.finish().await;
}

// Scrolling moves lines with and without elements; the note counts all that it leaves out.
#[test]
fn a_note_counts_the_lines_that_only_moved() {
    let page = |above: bool| -> Vec<Line> {
        let lines = (0..24).map(|n| match n % 2 {
            0 => line(0, "button", ["a", "b", "c"][n % 3], u32::try_from(n).unwrap() + 1),
            _ => Line { name: format!("words {n}"), ..line(0, "text", "a", 0) },
        });
        let moved = lines.enumerate().map(|(n, mut line)| {
            line.attributes.above = above && n < 20;
            line
        });
        moved.chain([line(0, "button", if above { "b" } else { "a" }, 99)]).collect()
    };
    let (base, now) = (observation(1, page(false)), observation(2, page(true)));
    let told = changes(&base, &now).expect("changes");
    assert!(told.contains("20 lines differ only in above, below"), "{told}");
    assert!(told.contains("~ button \"b\" [99]") && !told.contains("words"), "{told}");
}
