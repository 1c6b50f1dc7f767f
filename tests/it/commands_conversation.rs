//! The command planner in conversation: which order is next, what is tried again, what it says.
// S1.11, S1.21, S2.14, C22, C24

use crate::commands_page::{Talk, failed, page, show};
use askfirst::page::observation::PageDialog;
use askfirst::planning::{APPROVAL_VOID, ActionStatus, HistoryEntry, OUTCOME_UNKNOWN};
use askfirst::protocol::Locale;
use askfirst::turn::TurnStatus;

const FORM: &str = r#"
- textbox "Login" [1]
- textbox "Password" [2]
- button "Sign in" [3]
- button "Sign up" [4]
- button "Save" [5] disabled
"#;

/// Final text, and whether the run succeeded.
fn end(talk: &Talk, form: &str) -> (TurnStatus, String) {
    let turn = talk.turn(Some(&page(form)));
    assert!(turn.stop, "it goes on: {turn:?}");
    (turn.status, turn.response.unwrap())
}

#[test]
fn orders_are_done_one_after_another() {
    let mut talk = Talk::new("type olena into Login then click Sign in then press Enter");
    let form = page(FORM);
    let first = talk.turn(Some(&form));
    assert_eq!(first.step_ref, Some(1));
    assert_eq!(first.thoughts[0].kind, "PLAN");
    assert_eq!(first.thoughts[0].content, "Command 1 of 3: type olena into Login");
    assert_eq!((first.confidence, first.expected_outcome.clone()), (Some(1.0), None));
    assert_eq!(talk.run(&form), ["type 1 \"olena\"", "click 3", "press Enter"]);
    let (status, answer) = end(&talk, FORM);
    assert_eq!(status, TurnStatus::Success);
    assert_eq!(
        answer,
        "Done.\n\n- ✓ type olena into Login\n- ✓ click Sign in\n- ✓ press Enter\n\nPage: “Cart”"
    );
}

#[test]
fn the_same_history_gives_the_same_turn() {
    let mut talk = Talk::new("натисни Sign in; натисни Sign up");
    let form = page(FORM);
    talk.step(&form, ActionStatus::Ok);
    assert_eq!(talk.turn(Some(&form)), talk.turn(Some(&form)));
}

// A void approval is asked for again; so is what may pass.
#[test]
fn what_may_pass_is_tried_again() {
    for code in [APPROVAL_VOID, "dead_eid", "covered", "moving"] {
        let mut talk = Talk::new("click Sign in");
        assert_eq!(talk.step(&page(FORM), failed(code)), "click 3");
        // The page is new: so is the number.
        assert_eq!(talk.step(&page("- button \"Sign in\" [9]"), ActionStatus::Ok), "click 9", "{code}");
        assert_eq!(end(&talk, FORM).0, TurnStatus::Success);
    }
}

#[test]
fn tries_are_limited_and_the_reason_is_reported() {
    let mut talk = Talk::new("натисни Sign in");
    for _ in 0..3 {
        assert_eq!(talk.step(&page(FORM), failed("covered")), "click 3");
    }
    let (status, answer) = end(&talk, FORM);
    assert_eq!(status, TurnStatus::Error);
    assert!(
        answer.starts_with("Не вдалося виконати «натисни Sign in»: елемент закрито чимось іншим"),
        "{answer}"
    );
}

#[test]
fn lasting_failures_are_reported_at_once() {
    let mut talk = Talk::new("open example.com then click Sign in");
    talk.step(&page(FORM), failed("navigation_failed"));
    let (status, answer) = end(&talk, FORM);
    assert_eq!(status, TurnStatus::Error);
    assert!(answer.contains("- · open example.com\n- · click Sign in"), "{answer}");
}

// An effect is never repeated by itself (kill -9 between intent and receipt).
#[test]
fn an_unknown_outcome_is_not_repeated() {
    let mut talk = Talk::new("click Sign in");
    talk.step(&page(FORM), failed(OUTCOME_UNKNOWN));
    let (status, answer) = end(&talk, FORM);
    assert_eq!(status, TurnStatus::Error);
    assert!(answer.contains("It is not known whether “click Sign in” was carried out"), "{answer}");

    let mut talk = Talk::new("scroll down");
    talk.step(&page(FORM), failed(OUTCOME_UNKNOWN));
    assert_eq!(talk.step(&page(FORM), ActionStatus::Ok), "scroll down 1");
}

#[test]
fn a_missing_element_is_searched_for_and_then_named() {
    let mut talk = Talk::new("click Sing inn");
    // The order is not done yet: a wait, then, as there is more below, a scroll.
    let mut long = page("- button \"Something\" [1]");
    long.scroll = (0, 2000);
    assert_eq!(talk.step(&long, ActionStatus::Ok), "wait 1");
    assert_eq!(talk.step(&long, ActionStatus::Ok), "scroll down 1");
    let (status, answer) = end(&talk, FORM.replace("Sign in", "Log me in").as_str());
    assert_eq!(status, TurnStatus::Error);
    assert!(
        answer.starts_with("Stopped at “click Sing inn”: there is no “Sing inn” on the page."),
        "{answer}"
    );
    assert!(answer.contains("Did you mean “Log me in” (button)?"), "{answer}");
}

// A field that shows a value but takes no typed text is there all the same.
#[test]
fn a_read_only_field_is_not_reported_as_missing() {
    let mut talk = Talk::new("type 5 into Date");
    let form = "- textbox \"Date\" [3] readonly\n- button \"Register\" [4]";
    for _ in 0..2 {
        talk.step(&page(form), ActionStatus::Ok);
    }
    let (_, answer) = end(&talk, form);
    assert!(answer.contains("“Date” cannot be typed into; click it and choose a value"), "{answer}");

    let mut talk = Talk::new("click Nonexistent Button");
    for _ in 0..2 {
        talk.step(&page(form), ActionStatus::Ok);
    }
    let (_, answer) = end(&talk, form);
    assert!(
        answer.contains("there is no “Nonexistent Button” on the page") && !answer.contains("Register"),
        "{answer}"
    );
}

#[test]
fn a_name_unlike_all_others_has_no_suggestions() {
    let mut talk = Talk::new("click Nonexistent button");
    for _ in 0..2 {
        talk.step(&page(FORM), ActionStatus::Ok);
    }
    let (_, answer) = end(&talk, FORM);
    assert!(answer.contains("there is no “Nonexistent") && !answer.contains("Did you mean"), "{answer}");
}

#[test]
fn an_element_that_appears_late_is_found() {
    let mut talk = Talk::new("click Thanks then press Enter");
    assert_eq!(talk.step(&page(FORM), ActionStatus::Ok), "wait 1");
    assert_eq!(talk.step(&page("- link \"Thanks\" [7]"), ActionStatus::Ok), "click 7");
    assert_eq!(talk.step(&page(FORM), ActionStatus::Ok), "press Enter");
    assert_eq!(end(&talk, FORM).0, TurnStatus::Success);
}

#[test]
fn a_disabled_element_is_waited_for_and_then_named() {
    let mut talk = Talk::new("натисни Save");
    assert_eq!(talk.step(&page(FORM), ActionStatus::Ok), "wait 1");
    assert_eq!(talk.step(&page(FORM), ActionStatus::Ok), "wait 2");
    let (_, answer) = end(&talk, FORM);
    assert!(answer.contains("«Save» зараз неактивний"), "{answer}");
}

// An order that fits nothing gets a reply with the known orders and the nearest names.
#[test]
fn an_unknown_command_is_answered_with_help() {
    let talk = Talk::new("make me a sign up sandwich");
    let (status, answer) = end(&talk, FORM);
    assert_eq!(status, TurnStatus::Error, "what was not understood was not done");
    assert!(answer.contains("I don’t understand “make me a sign up sandwich”."), "{answer}");
    assert!(answer.contains("“Sign up” (button)") && answer.contains("- open example.com"), "{answer}");
    assert!(answer.contains("connect a language model on the page “Model”"), "{answer}");

    let (_, answer) = end(&Talk::new("зроби мені бутерброд"), FORM);
    assert!(
        answer.contains("Не розумію «зроби мені бутерброд»")
            && answer.contains("- відкрий example.com")
            && answer.contains("під’єднайте мовну модель на сторінці «Модель»"),
        "{answer}"
    );

    for call in ["help", "Help!", "допомога", "що ти вмієш?"] {
        let (status, answer) = end(&Talk::new(call), FORM);
        assert_eq!(status, TurnStatus::Success, "{call}");
        assert!(answer.contains("example.com"), "{answer}");
    }

    // A verb alone says nothing of what.
    let (_, answer) = end(&Talk::new("натисни"), FORM);
    assert!(answer.contains("Не розумію «натисни»"), "{answer}");
}

// An element whose name is only a part of what was said is not it.
#[test]
fn a_part_of_a_name_is_not_the_name() {
    let shop = "- link \"Cart\" [1]\n- link \"Замовлення\" [2]\n";
    for order in
        ["click \"Add to cart: Zoria lamp\"", "натисни «Оформити замовлення»", "click Sign in to the Cart"]
    {
        let (mut talk, shop) = (Talk::new(order), page(shop));
        while !talk.turn(Some(&shop)).stop {
            let did = talk.step(&shop, ActionStatus::Ok);
            assert!(did.starts_with("wait"), "{order}: {did}");
        }
    }
}

#[test]
fn the_answer_is_in_the_language_of_the_order() {
    for (message, locale, begins) in [
        ("click «Сторінка»", Locale::Uk, "Stopped"),
        ("натисни “Page”", Locale::En, "Зупинився"),
        ("42", Locale::Uk, "Не розумію"),
        ("42", Locale::En, "I don’t understand “42”"),
        ("", Locale::En, "Without a model"),
    ] {
        let mut talk = Talk::new(message);
        talk.locale = locale;
        let nothing = page("- text \"empty\"");
        while !talk.turn(Some(&nothing)).stop {
            talk.step(&nothing, ActionStatus::Ok);
        }
        let (_, answer) = end(&talk, "- text \"empty\"");
        assert!(answer.starts_with(begins), "{message:?}: {answer}");
    }
}

#[test]
fn without_a_page_orders_for_one_say_so() {
    let talk = Talk::new("click Sign in");
    let turn = talk.turn(None);
    assert!(turn.response.unwrap().contains("no page is open yet"));
    assert!(!Talk::new("open example.com").turn(None).stop);
    let mut blank = page("");
    blank.url = String::from("about:blank");
    assert!(talk.turn(Some(&blank)).response.unwrap().contains("no page is open yet"));
}

// Orders about a page are refused without one.
#[test]
fn orders_about_the_page_are_not_done_where_none_is_open() {
    let mut blank = page("");
    blank.url = String::from("about:blank");
    let orders = [
        ("read", "прочитай"),
        ("read the page", "прочитай сторінку"),
        ("scroll down", "прокрути вниз"),
        ("scroll to Reviews", "прокрути до Відгуки"),
        ("press Enter", "натисни клавішу Enter"),
        ("back", "назад"),
        ("forward", "вперед"),
        ("reload", "онови"),
        ("wait until Thank you appears", "зачекай, поки з'явиться Дякуємо"),
        ("hover over Menu", "наведи на Меню"),
        ("check Gift wrap", "познач Подарункова упаковка"),
        ("set Country to Poland", "обери Польща у Країна"),
    ];
    for (en, uk) in orders {
        for (order, expected) in [(en, "no page is open yet"), (uk, "ще не відкрито жодної сторінки")]
        {
            for observed in [None, Some(&blank)] {
                let turn = Talk::new(order).turn(observed);
                let answer = turn.response.unwrap_or_else(|| panic!("{order}: it goes on"));
                assert_eq!(turn.status, TurnStatus::Error, "{order}: {answer}");
                assert!(answer.contains(expected), "{order}: {answer}");
            }
        }
    }
    assert!(!Talk::new("wait 2 seconds").turn(Some(&blank)).stop, "a pause needs no page");
    // The way back led to the empty page that the tab began with.
    let mut talk = Talk::new("back then forward");
    assert_eq!(talk.step(&page(FORM), ActionStatus::Ok), "back");
    assert_eq!(talk.step(&blank, ActionStatus::Ok), "forward");
}

#[test]
fn a_page_without_text_is_reported() {
    for (order, words) in
        [("read the page", "There is no text on the page."), ("прочитай", "На сторінці немає тексту.")]
    {
        let mut talk = Talk::new(order);
        talk.step_returning(&page(FORM), ActionStatus::Ok, Some(" \n "));
        let (_, answer) = end(&talk, FORM);
        assert!(answer.contains(words) && !answer.contains("```"), "{answer}");
    }
}

#[test]
fn the_answer_contains_the_text_read() {
    let mut talk = Talk::new("прочитай сторінку");
    let text = "Ціна: $20 ``` [клац](http://evil.test)";
    assert_eq!(talk.step_returning(&page(FORM), ActionStatus::Ok, Some(text)), "extract");
    let (_, answer) = end(&talk, FORM);
    assert!(answer.contains("````text\nЦіна: $20 ``` клац\n````"), "{answer}");
}

#[test]
fn a_mistyped_verb_is_answered_with_the_likely_one() {
    for (order, expected) in [
        ("відкий магазин", "Не розумію «відкий магазин». Можливо, ви мали на увазі «відкрий магазин»?"),
        ("clik Login", "I don’t understand “clik Login”. Did you mean “click Login”?"),
        ("натсини Кошик", "Не розумію «натсини Кошик». Можливо, ви мали на увазі «натисни Кошик»?"),
    ] {
        assert_eq!(end(&Talk::new(order), FORM).1, expected);
    }
    let (_, answer) = end(&Talk::new("tell me a story"), FORM);
    assert!(answer.contains("Without a model I carry out simple commands"), "{answer}");
}

// The nearest orders are in the language of the message, and its words are repeated exactly as typed.
#[test]
fn unknown_orders_are_repeated_as_typed_with_the_nearest_orders() {
    for (typed, expected) in [
        (
            "Clik  \"Sign in\"  NOW!",
            "I don’t understand “Clik  \"Sign in\"  NOW!”. Did you mean “click  \"Sign in\"  NOW!”?",
        ),
        ("please clik Login.", "I don’t understand “please clik Login.”. Did you mean “click Login.”?"),
        (
            "Наиснути «Кошик», будь ласка!",
            "Не розумію «Наиснути «Кошик», будь ласка!». Можливо, ви мали на увазі:\n\n- натиснути «Кошик», будь ласка!",
        ),
        (
            "somehow click on Sign in",
            "I don’t understand “somehow click on Sign in”. Did you mean “click on Sign in”?",
        ),
        ("click", "I don’t understand “click”. Did you mean:\n\n- click “Sign in”"),
        ("натисни", "Не розумію «натисни». Можливо, ви мали на увазі:\n\n- натисни «Увійти»"),
        ("scorll", "I don’t understand “scorll”. Did you mean “scroll”?"),
        ("doble clck it", "I don’t understand “doble clck it”. Did you mean:\n\n- double-click “Row”"),
        ("[Flurb](x) it", "I don’t understand “\\[Flurb\\](x) it”."),
    ] {
        let answer = end(&Talk::new(typed), "- text \"empty\"").1;
        assert!(answer.starts_with(expected), "{typed}:\n{answer}");
    }
    // Orders are repeated in their own language, whatever the rest is in.
    let mut talk = Talk::new("натисни Sign in\nclik Sign up");
    talk.step(&page(FORM), ActionStatus::Ok);
    let answer = end(&talk, FORM).1;
    assert!(
        answer.starts_with("I don’t understand “clik Sign up”. Did you mean “click Sign up”?"),
        "{answer}"
    );
}

#[test]
fn and_joins_only_where_an_order_follows() {
    let form = page(FORM);
    for (order, turns) in [
        ("click Sign in and click Sign up", ["click 3", "click 4"].as_slice()),
        ("натисни Sign in та натисни Sign up", &["click 3", "click 4"]),
        ("введи olena у Login і натисни Sign in", &["type 1 \"olena\"", "click 3"]),
        ("type salt and pepper into Login", &["type 1 \"salt and pepper\""]),
        ("введи сіль і перець у Login", &["type 1 \"сіль і перець\""]),
    ] {
        assert_eq!(Talk::new(order).run(&form), turns, "{order}");
    }
    let focused = page("- textbox \"Search\" [1] focused\n- button \"Go\" [2]");
    assert_eq!(Talk::new("введи лампа і натисни Go").run(&focused), ["type 1 \"лампа\"", "click 2"]);
}

// C24: what was declined gives way to the person's words; the orders after it are named as not done.
#[test]
fn commands_replaced_by_a_later_message_are_reported() {
    let mut talk = Talk::new("click Sign in\nclick Sign up\npress Enter");
    talk.step(&page(FORM), ActionStatus::Dropped { why: String::from("the person declined it") });
    talk.say("press Tab");
    assert_eq!(talk.step(&page(FORM), ActionStatus::Ok), "press Tab");
    let (status, answer) = end(&talk, FORM);
    assert_eq!(status, TurnStatus::Success);
    let aside =
        "The rest of the earlier commands were not carried out:\n\n- · click Sign up\n- · press Enter";
    assert!(answer.contains(aside), "{answer}");
}

const REFUSED: &str = r#"
- textbox "Card number" [1] invalid
- text "A card number has 12 to 19 digits."
- checkbox "I agree" [2] required invalid
- button "Place order" [3]
- link "Help" [4]
"#;

// C22: a button that worked as a button has not done what was ordered.
#[test]
fn validation_errors_of_a_form_are_reported_instead_of_done() {
    let mut talk = Talk::new("натисни Place order");
    talk.step(&page(REFUSED), ActionStatus::Ok);
    let (status, answer) = end(&talk, REFUSED);
    assert_eq!(status, TurnStatus::Error);
    let words = "Після «натисни Place order» сторінка не прийняла: \
                 «Card number» (A card number has 12 to 19 digits); «I agree».";
    assert!(answer.starts_with(words), "{answer}");

    let mut talk = Talk::new("click Place order then click Help");
    talk.step(&page(REFUSED), ActionStatus::Ok);
    let (status, answer) = end(&talk, REFUSED);
    assert_eq!(status, TurnStatus::Error);
    assert!(answer.contains("- · click Place order\n- · click Help"), "{answer}");

    let mut talk = Talk::new("click Place order then check I agree then click Help");
    assert_eq!(talk.step(&page(REFUSED), ActionStatus::Ok), "click 3");
    assert_eq!(talk.step(&page(REFUSED), ActionStatus::Ok), "click 2");
    assert_eq!(talk.step(&page(REFUSED), ActionStatus::Ok), "click 4");
    assert_eq!(end(&talk, REFUSED).0, TurnStatus::Success, "a link is no button of the form");
}

#[test]
fn failures_and_roles_are_named_in_the_language_of_the_person() {
    let mut talk = Talk::new("натисни Sign in");
    talk.step(&page(FORM), failed("bad_url"));
    let (_, answer) = end(&talk, FORM);
    assert!(answer.starts_with("Не вдалося виконати «натисни Sign in»: це не адреса."), "{answer}");
    let mut talk = Talk::new("натисни Sing inn");
    let form = FORM.replace("Sign in", "Log me in");
    for _ in 0..2 {
        talk.step(&page(&form), ActionStatus::Ok);
    }
    let (_, answer) = end(&talk, &form);
    assert!(answer.contains("(кнопка)") && !answer.contains("(button)"), "{answer}");
}

// Text from a page must not become Markdown in a reply of the agent.
#[test]
fn names_and_titles_are_plain_in_answers() {
    let talk = Talk::new("stop");
    let mut observation = page(FORM);
    observation.title = String::from("[Free *money*](http://evil.test) <b>`x`");
    let answer = talk.turn(Some(&observation)).response.unwrap();
    assert!(answer.contains(r"“\[Free \*money\*\](http://evil.test) \<b>\`x\`”"), "{answer}");
}

#[test]
fn passwords_are_not_repeated_in_answers() {
    let mut talk = Talk::new("type hunter2 into Password\nвведи hunter2 у поле Password");
    let turn = talk.turn(Some(&page(FORM)));
    assert_eq!(turn.actions[0].params["text"], "hunter2");
    assert!(!turn.thoughts[0].content.contains("hunter2"), "{:?}", turn.thoughts);
    talk.run(&page(FORM));
    let (_, answer) = end(&talk, FORM);
    assert!(!answer.contains("hunter2") && answer.contains("•••• into Password"), "{answer}");
}

// The newest message counts; what was under way for an earlier one does not count for it.
#[test]
fn a_further_message_brings_new_orders() {
    let mut talk = Talk::new("click Sign in then click Sign up");
    let form = page(FORM);
    let old = talk.turn(Some(&form));
    talk.say("press Tab then press Enter");
    talk.history.push(HistoryEntry::Acted { turn: old, results: Vec::new() });
    assert_eq!(talk.run(&form), ["press Tab", "press Enter"]);
}

#[test]
fn the_person_takes_over_and_the_rest_follows() {
    let mut talk = Talk::new("дай мені увійти\nнатисни Sign up");
    let form = page(FORM);
    assert_eq!(talk.run(&form), ["need_user", "click 4"]);
}

#[test]
fn an_action_that_is_not_allowed_is_reported() {
    let mut talk = Talk::new("click Sign in");
    talk.actions = vec!["navigate", "stop"];
    let (status, answer) = end(&talk, FORM);
    assert_eq!(status, TurnStatus::Error);
    assert!(answer.contains("cannot do `click`"), "{answer}");
}

#[test]
fn a_list_that_the_page_made_is_opened_first() {
    let closed = "- combobox \"Size\" [1] collapsed";
    let open = "- combobox \"Size\" [1]\n- listbox\n  - option \"Large\" [5]";
    let mut talk = Talk::new("select Large in Size");
    assert_eq!(talk.step(&page(closed), ActionStatus::Ok), "click 1");
    assert_eq!(talk.step(&page(open), ActionStatus::Ok), "click 5");
    assert_eq!(end(&talk, open).0, TurnStatus::Success);
}

#[test]
fn an_option_that_is_not_there_is_answered_with_those_that_are() {
    let list = "- combobox \"Country\" [1] options=\"Ukraine|Poland\"";
    let mut talk = Talk::new("select France in Country");
    talk.step(&page(list), ActionStatus::Ok);
    talk.step(&page(list), ActionStatus::Ok);
    let (_, answer) = end(&talk, list);
    assert!(answer.contains("the list has no “France”; available: “Ukraine”, “Poland”"), "{answer}");
}

#[test]
fn scrolling_to_a_place_goes_on_until_it_shows() {
    let mut talk = Talk::new("scroll to Reviews then click Sign in");
    let mut far = page("- heading \"Reviews\" below");
    far.scroll = (0, 3000);
    assert_eq!(talk.step(&far, ActionStatus::Ok), "scroll down 1");
    far.scroll = (700, 3000);
    assert_eq!(talk.step(&far, ActionStatus::Ok), "scroll down 1");
    let near = page("- heading \"Reviews\"\n- button \"Sign in\" [3]");
    assert_eq!(talk.step(&near, ActionStatus::Ok), "click 3");
    assert_eq!(end(&talk, FORM).0, TurnStatus::Success);
}

#[test]
fn text_without_a_field_goes_where_the_focus_is() {
    let focused = "- textbox \"A\" [1]\n- textbox \"B\" [2] focused";
    assert_eq!(Talk::new("type hello").step(&page(focused), ActionStatus::Ok), "type 2 \"hello\"");
    assert_eq!(
        Talk::new("type hello").step(&page("- textbox \"A\" [1]"), ActionStatus::Ok),
        "type 1 \"hello\""
    );
    let mut talk = Talk::new("type hello");
    talk.step(&page(FORM), ActionStatus::Ok);
    talk.step(&page(FORM), ActionStatus::Ok);
    assert!(end(&talk, FORM).1.contains("it does not say which field"));
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    const JOINTS: [&str; 9] =
        ["then", "and then", "потім", "а потім", "далі", ";", "\n", ", then", "і потім"];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn no_message_makes_the_command_planner_panic_or_vary(message in "\\PC{0,120}") {
            let talk = Talk::new(&message);
            let form = page(FORM);
            prop_assert_eq!(talk.turn(Some(&form)), talk.turn(Some(&form)));
            talk.turn(None);
        }

        #[test]
        fn no_command_makes_the_command_planner_panic(words in proptest::collection::vec(prop::sample::select(vec![
            "click", "натисни", "type", "введи", "into", "у", "поле", "the", "second", "near", "біля", "then", "далі", "select",
            "обери", "and", "і", "\"", "«", "»", "'", ";", "\n", ",", "scroll", "to", "прокрути", "до", "wait", "3", "for", "fill",
            "with", ":", "=", "press", "key", "+", "drag", "on", "button", "кнопку", "Login", "x;y", "open", "/", "a.b", "read",
        ]), 0..24)) {
            let mut talk = Talk::new(&words.join(" "));
            let form = page(FORM);
            for _ in 0..12 {
                if talk.turn(Some(&form)).stop {
                    break;
                }
                talk.step(&form, ActionStatus::Ok);
            }
        }

        #[test]
        fn quotes_keep_joiners_literal(
            joint in prop::sample::select(JOINTS.to_vec()),
            quotes in prop::sample::select(vec![("\"", "\""), ("«", "»"), ("“", "”")]),
            before in "[a-zа-щ]{1,8}",
            after in "[a-zа-щ]{1,8}",
        ) {
            let text = format!("{before} {joint} {after}");
            let mut talk = Talk::new(&format!("type {}{text}{} into Login", quotes.0, quotes.1));
            let got = talk.run(&page(FORM));
            prop_assert_eq!(got, vec![format!("type 1 {text:?}")]);
        }

        #[test]
        fn joined_orders_are_all_done(picks in proptest::collection::vec((0usize..4, 0usize..9), 1..8)) {
            let orders = [("click Sign in", "click 3"), ("press Tab", "press Tab"), ("прокрути вниз", "scroll down 1"),
                          ("введи x у поле Login", "type 1 \"x\"")];
            let mut message = String::new();
            for (index, (order, joint)) in picks.iter().enumerate() {
                if index > 0 {
                    message.push_str(&format!(" {} ", JOINTS[*joint]));
                }
                message.push_str(orders[*order].0);
            }
            let expected: Vec<&str> = picks.iter().map(|(order, _)| orders[*order].1).collect();
            prop_assert_eq!(Talk::new(&message).run(&page(FORM)), expected);
        }
    }

    // Long messages cost no more than their length: each of these ends at once or not at all.
    #[test]
    fn long_messages_come_to_an_end() {
        let form = page(FORM);
        for piece in
            ["click and ", "«", "type a in ", "x;", "then ", "fill a: b with ", "\"'", "1. - ", "near "]
        {
            Talk::new(&piece.repeat(20_000 / piece.len())).turn(Some(&form));
        }
    }
}

// The order itself leads away; nobody else is there to answer.
#[test]
fn a_leave_dialog_opened_by_a_command_is_accepted() {
    let mut talk = Talk::new("open shop.test/cart then click Sign in");
    assert_eq!(talk.step(&page(FORM), ActionStatus::Ok), "navigate https://shop.test/cart");
    let mut asking = page("");
    asking.dialog = Some(PageDialog::new("beforeunload", "", ""));
    assert_eq!(talk.step(&asking, ActionStatus::Ok), "dialog true");
    assert_eq!(talk.step(&page(FORM), ActionStatus::Ok), "click 3");
    assert_eq!(end(&talk, FORM).0, TurnStatus::Success);
    // Other dialogs of a page are not answered in the person's name.
    asking.dialog = Some(PageDialog::new("confirm", "Delete it?", ""));
    assert_ne!(show(&Talk::new("read").turn(Some(&asking))), "dialog true");
}
