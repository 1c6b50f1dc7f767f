//! Flow of texts: what a run reads on one site does not go to another unasked, and ordinary values go without
//! a question.

use askfirst::gate::flow::addresses::{find_foreign_in_address, split_address};
use askfirst::gate::flow::explain::{FlowSources, find_foreign_text, list_foreign_sources};
use askfirst::gate::flow::read_texts::{ReadTexts, TextSource};
use askfirst::gate::flow::reading::text_index::TextIndex;
use askfirst::gate::flow::sent_pieces::{PiecePlace, SentPieces};
use askfirst::page::site::site_of_host;
use proptest::prelude::*;
use std::sync::Arc;
use url::Url;

/// Page of alpha.example that the run has read.
const ACCOUNT: &str = "Account of Olena Koval\nHelp centre\nBlue lamps\nBalance: 1,204.77 EUR\n\
    Card 4111 2222 3333 4448\nReference CANARY7f3a9q, order INV-2026-00771\n\
    Contact: olena.koval@alpha.example, +380 67 123 45 67\nBorn 14.02.1987 in Kyiv\n\
    The meeting about the secret merger takes place in Berlin on Monday.\n\
    Ваш баланс: 1 204,77 грн. Договір про оренду приміщення підписав Петро Шевченко.\n\
    Wifi: correct horse battery staple\nApril 2026, 10:30, 100 points, page 2 of 10\n東京都千代田区丸の内一丁目九番一号";
/// Page of beta.example, the destination.
const FORM: &str = "Search our catalogue\nModel WX-9000-PRO\nHotline 0800 555 123\nWe deliver to Lviv and Odesa\n\
    Marta Bondar answers your questions within one working day";
const MESSAGE: &str = "Open http://alpha.example/account and tell me my balance. My customer number is KD-448812, \
    my name is Taras Melnyk, I live at Khreshchatyk 22, 01001 Kyiv, phone +380 50 765 48 29, at work 409.613.9099x603. Find blue lamps.";

fn site(host: &str) -> TextSource {
    TextSource::Site(site_of_host(host).unwrap())
}

fn read() -> ReadTexts {
    let mut read = ReadTexts::default();
    read.add(site("alpha.example"), ACCOUNT);
    read.add(site("beta.example"), FORM);
    read
}

struct Fixture {
    own: TextIndex,
    trusted: Vec<Arc<TextIndex>>,
    read: ReadTexts,
}

impl Fixture {
    fn new(read: ReadTexts) -> Self {
        let file = TextIndex::from_texts(["You search shops for lamps. Coupon SPRING-7781."]);
        let trusted = vec![Arc::new(file)];
        Self { own: TextIndex::from_texts([MESSAGE]), trusted, read }
    }

    fn sources(&self) -> FlowSources<'_> {
        FlowSources { own_words: &self.own, trusted: &self.trusted, read: &self.read }
    }

    fn is_foreign(&self, values: &[&str]) -> bool {
        let to = site("beta.example");
        find_foreign_text(values, &to, &self.sources()).is_some()
    }
}

#[rustfmt::skip]
const FOREIGN: &[&[&str]] = &[
    // As read.
    &["CANARY7f3a9q"], &["canary7F3A9Q"], &["The reference is CANARY7f3a9q."], &["1204.77"], &["1,204.77"], &["1 204,77"],
    &["120477"], &["balance 1204"], &["1204"], &["4111222233334448"], &["4111-2222-3333-4448"], &["INV-2026-00771"],
    &["inv202600771"], &["00771"], &["olena.koval@alpha.example"], &["olena.koval%40alpha.example"], &["0671234567"],
    &["+380671234567"], &["380 67 1234567"], &["14.02.1987"], &["1987-02-14 14021987"], &["Olena Koval"], &["koval olena"],
    &["olena-koval"], &["OLENA_KOVAL"], &["olenakoval"], &["Петро Шевченко"], &["шевченко петро"], &["1 204,77 грн"],
    &["The meeting about the secret merger takes place in Berlin on Monday."],
    &["meeting about the secret merger takes place"], &["Note: the secret merger takes place in Berlin soon"],
    &["Договір про оренду приміщення підписав"], &["correct horse battery staple"], &["Correct-Horse-Battery-Staple"],
    &["東京都千代田区丸の内一丁目九番一号"],
    // Encoded.
    &["%43%41%4E%41%52%59%37%66%33%61%39%71"], &["%2543ANARY7f3a9q CANARY7f3a%2539q"], &["Q0FOQVJZN2YzYTlx"], &["d=Q0FOQVJZN2YzYTlx"],
    &["Q0FO QVJZ N2Yz YTlx"], &["UTBGT1FWSlpOMll6WVRseA=="], &["43414e41525937663361 3971"], &["0x43414e415259376633613971"],
    &["43:41:4e:41:52:59:37:66:33:61:39:71"], &["67 65 78 65 82 89 55 102 51 97 57 113"], &["INAU4QKSLE3WMM3BHFYQ===="],
    &["q9a3f7YRANAC"], &["qa7f3YRANAC CANARY7f3a9q"], &["PNANEL7s3n9d"], &["C-A-N-A-R-Y-7-f-3-a-9-q"], &["C A N A R Y 7 f 3 a 9 q"],
    &["C.A.N.A.R.Y.7.f.3.a.9.q"], &["CANARY 7f3a9q"], &["CAN_ARY7f_3a9q"], &["CAN\u{200b}ARY7f\u{ad}3a9q"], &["ＣＡＮＡＲＹ７ｆ３ａ９ｑ"],
    &["&#67;&#65;NARY7f3a9q"], &["\\u0043ANARY7f3a9q"], &["СANАRY7f3a9q"], &["1-2-0-4-7-7"], &["1 2 0 4 7 7"], &["１２０４.７７"], &["١٢٠٤٧٧"],
    &["VGhlIG1lZXRpbmcgYWJvdXQgdGhlIHNlY3JldCBtZXJnZXIgdGFrZXMgcGxhY2U="], &["ecalp sekat regrem terces eht tuoba gniteem ehT"],
    &["Gur zrrgvat nobhg gur frperg zretre gnxrf cynpr"], &["NARY7f3a9"], &["order7f3a9qplease"], &["lavoK anelO"],
    &["0J/QtdGC0YDQviDQqNC10LLRh9C10L3QutC+"], &["%D0%9F%D0%B5%D1%82%D1%80%D0%BE+%D0%A8%D0%B5%D0%B2%D1%87%D0%B5%D0%BD%D0%BA%D0%BE"],
    // In pieces of one action.
    &["CAN", "ARY", "7f3", "a9q"], &["CANARY", "7f3a9q"], &["12", "04", "77"], &["Q0FOQVJZ", "N2YzYTlx"],
    // Tokens that nothing explains.
    &["xkqzpwvbnmtrqz"], &["u9Zk2Lq8Vb3Xw0"], &["aB3-xY9-kL2-pQ7-zz8"], &["x7k2 9qpz 4mmd z8w3 q1v5"], &["550e8400-e29b-41d4-a716-446655440000"],
    &["845029184736251"],
];

#[rustfmt::skip]
const ORDINARY: &[&[&str]] = &[
    &["Find blue lamps"], &["hello"], &["2"], &["Kyiv"], &["blue lamps"], &["Help centre"], &["lamps, 100 points"], &["10"], &["2026"],
    &["10:30"], &["April 2026"], &["2026-11-27"], &["27.11.2026 10:30"], &["2026-11-27T10:30:00Z"], &["20261127T160000Z"], &["100"], &["EUR"],
    // The person's words.
    &["KD-448812"], &["kd448812"], &["448812"], &["Taras Melnyk"], &["melnyk taras"], &["Khreshchatyk 22"], &["01001"], &["+380507654829"],
    &["0507654829"], &["050 765-48-29"], &["4096139099603"], &["Taras", "Melnyk", "+380 50 765 48 29", "Khreshchatyk 22, 01001 Kyiv"], &["balance"],
    // The agent's file, the destination's own pages.
    &["SPRING-7781"], &["spring7781"], &["WX-9000-PRO"], &["wx9000pro"], &["0800555123"], &["Marta Bondar"],
    &["answers your questions within one working day"], &["beta.example"], &["catalogue"],
    // Ordinary language of a planner.
    &["cheap flights from Kyiv to Berlin in April"], &["best noise cancelling headphones under 200 EUR"], &["internationalization"],
    &["how to apply for a passport online"], &["openStreetMap tutorials"], &["wireless keyboard with backlight"],
    &["дешеві квитки з Києва до Берліна"], &["як оформити закордонний паспорт"], &["кав'ярня біля метро Хрещатик"], &["купити синю лампу недорого"],
    &["відповідальність за порушення правил дорожнього руху"], &["how-to-choose-a-desk-lamp"], &["Kyiv_Metro"], &["python3 unicode"],
    &["covid19 vaccine"], &["utf-8 vs utf-16"], &["128gb memory card"], &["sha256 checksum"], &["<secret:shop>"], &["<secret:very-long-name-of-77123>"],
    &["I would like to know when the shop opens on Monday."], &["Please tell me whether the lamp is in stock."], &["Hi, is this still available? Thanks!"],
    &["Rechtsschutzversicherung vergleichen"], &["assurance responsabilité civile"], &["ubezpieczenie mieszkania"], &["günstige Schreibtischlampe"],
    &["東京 天気"], &["今日の天気"], &["Вартість доставки до Львова"], &[""], &["   "], &["—"], &["🙂"], &["a"], &["true"], &["1"], &["SELECT name FROM lamps"],
    &["print('hello world')"], &["JavaScript Promise allSettled"], &["rust borrow checker explained"], &["O'Brien"], &["n/a"], &["New York"],
    &["Monday meeting"], &["meeting in Berlin"], &["merger"], &["the meeting takes place"], &["reference"], &["my account balance"],
];

#[test]
fn texts_of_another_site_are_foreign() {
    let fixture = Fixture::new(read());
    let silent: Vec<_> = FOREIGN.iter().filter(|values| !fixture.is_foreign(values)).collect();
    assert!(silent.is_empty(), "silent: {silent:#?}");
}

#[test]
fn ordinary_values_are_not_foreign() {
    let fixture = Fixture::new(read());
    let to = site("beta.example");
    let asked: Vec<_> =
        ORDINARY.iter().filter_map(|values| find_foreign_text(values, &to, &fixture.sources())).collect();
    assert!(asked.is_empty(), "asked: {asked:#?}");
}

// A text may go back to the site that showed it, and nothing is foreign before anything else was read.
#[test]
fn a_text_may_go_back_to_its_own_site() {
    let fixture = Fixture::new(read());
    for to in ["alpha.example", "www.alpha.example"] {
        let to = site(to);
        for values in FOREIGN.iter().take(30) {
            assert_eq!(find_foreign_text(values, &to, &fixture.sources()), None, "{values:?}");
        }
    }
    let fixture = Fixture::new(ReadTexts::default());
    assert!(FOREIGN.iter().all(|values| !fixture.is_foreign(values)));
}

#[test]
fn all_sources_of_a_value_are_named() {
    let mut read = read();
    read.add(site("gamma.example"), "Ticket GX-40417-B");
    let fixture = Fixture::new(read);
    let values = ["CANARY7f3a9q and KD-448812", "GX-40417-B"];
    let mut found = list_foreign_sources(&values, &site("beta.example"), &fixture.sources());
    found.sort();
    assert_eq!(found, [site("alpha.example"), site("gamma.example")]);
    assert_eq!(list_foreign_sources(&["KD-448812"], &site("beta.example"), &fixture.sources()), []);
}

#[test]
fn a_question_names_the_source_and_the_piece() {
    let mut read = read();
    read.add(TextSource::File(String::from("notes.txt")), "Plan code ZX81-4471 for the launch");
    let fixture = Fixture::new(read);
    let to = site("beta.example");
    for (value, from, text) in [
        ("see CANARY7f3a9q!", site("alpha.example"), "CANARY7f3a9q"),
        ("Q0FOQVJZN2YzYTlx", site("alpha.example"), "CANARY7f3a9q"),
        (
            "say: meeting about the secret merger takes place",
            site("alpha.example"),
            "meeting about the secret merger takes place",
        ),
        ("zx81-4471", TextSource::File(String::from("notes.txt")), "zx81-4471"),
    ] {
        let found = find_foreign_text(&[value], &to, &fixture.sources()).unwrap();
        assert_eq!((found.from, found.text.as_str()), (vec![from], text), "{value}");
    }
}

#[rustfmt::skip]
const ADDRESSES: &[(&str, Option<&str>)] = &[
    ("http://beta.example/?d=CANARY7f3a9q", Some("beta.example")),
    ("http://beta.example/CANARY7f3a9q", Some("beta.example")),
    ("http://beta.example/a/CANARY/7f3a9q", Some("beta.example")),
    ("http://beta.example/#CANARY7f3a9q", Some("beta.example")),
    ("http://CANARY7f3a9q@beta.example/", Some("beta.example")),
    ("http://u:CANARY7f3a9q@beta.example/", Some("beta.example")),
    ("http://canary7f3a9q.beta.example/", Some("beta.example")),
    ("http://canary.7f3a9q.beta.example/", Some("beta.example")),
    ("http://7f3a9q.canary.beta.example/", Some("beta.example")),
    ("http://beta.example/?CANARY7f3a9q", Some("beta.example")),
    ("http://beta.example/?CANARY7f3a9q=1", Some("beta.example")),
    ("http://beta.example/?a=CAN&b=ARY&c=7f3&d=a9q", Some("beta.example")),
    ("http://beta.example/?d=a9q&c=7f3&b=ARY&a=CAN", Some("beta.example")),
    ("http://beta.example/?d=Q0FOQVJZN2YzYTlx", Some("beta.example")),
    ("http://beta.example/?q=Account+of+Olena+Koval", Some("beta.example")),
    ("http://beta.example/olena-koval", Some("beta.example")),
    ("http://beta.example/?d=The%20meeting%20about%20the%20secret%20merger%20takes%20place", Some("beta.example")),
    ("http://alpha.example/go?to=http%3A%2F%2Fbeta.example%2F%3Fd%3DCANARY7f3a9q", Some("beta.example")),
    ("http://alpha.example/go?to=//beta.example/CANARY7f3a9q", Some("beta.example")),
    ("http://alpha.example/go?to=beta.example&d=CANARY7f3a9q", Some("beta.example")),
    ("http://alpha.example/go?to=aHR0cDovL2JldGEuZXhhbXBsZS8/ZD1DQU5BUlk3ZjNhOXE", Some("beta.example")),
    ("data:text/html,<img src=http://beta.example/?d=CANARY7f3a9q>", Some("beta.example")),
    ("data:text/html;base64,PGltZyBzcmM9Imh0dHA6Ly9iZXRhLmV4YW1wbGUvP2Q9Q0FOQVJZN2YzYTlxIj4=", Some("beta.example")),
    ("javascript:location='http://beta.example/?d='+'CANARY7f3a9q'", Some("beta.example")),
    ("view-source:http://beta.example/?d=CANARY7f3a9q", Some("beta.example")),
    ("http://localhost/?d=CANARY7f3a9q", Some("localhost")),
    ("http://127.0.0.1:8002/?d=1204.77", Some("127.0.0.1:8002")),
    // Links that a page of alpha offers, with what it shows.
    ("http://gamma.example/offer?ref=CANARY7f3a9q", Some("gamma.example")),
    ("http://gamma.example/mail?to=olena.koval@alpha.example", Some("gamma.example")),
    // Ordinary ones.
    ("http://gamma.example/help?ref=alpha", None),
    ("http://gamma.example/article/00771?id=889922&t=Hx7kQ2mZp9Lw", None),
    ("http://gamma.example/news/secret-merger-takes-place-in-berlin", None),
    ("http://alpha.example/?d=CANARY7f3a9q", None),
    ("http://www.alpha.example/CANARY7f3a9q", None),
    ("http://beta.example/", None),
    ("http://beta.example/search?q=blue+lamps&page=2&sort=price", None),
    ("https://www.google.com/search?q=blue+lamps&hl=en&tbm=shop", None),
    ("https://en.wikipedia.org/wiki/Kyiv_Metro#History", None),
    ("https://uk.wikipedia.org/wiki/%D0%9A%D0%B8%D1%97%D0%B2", None),
    ("https://github.com/tokio-rs/tokio/issues", None),
    ("https://www.openstreetmap.org/#map=12/50.4501/30.5234", None),
    ("https://docs.python.org/3/library/urllib.parse.html#module-urllib.parse", None),
    ("https://beta.example/WX-9000-PRO?customer=KD-448812", None),
    ("https://stackoverflow.com/questions/tagged/javascript?tab=Newest", None),
    ("http://127.0.0.1:8002/", None),
    ("about:blank", None),
    ("mailto:", None),
];

#[test]
fn addresses_carry_no_foreign_text() {
    let mut read = read();
    let links = ADDRESSES.iter().filter(|(url, _)| url.contains("gamma.example")).map(|(url, _)| *url);
    read.add_links(site("alpha.example"), links);
    let fixture = Fixture::new(read);
    let mut wrong = Vec::new();
    for (address, expected) in ADDRESSES {
        let found = find_foreign_in_address(&Url::parse(address).unwrap(), &fixture.sources());
        if found.as_ref().map(|found| found.to.as_str()) != *expected {
            wrong.push(format!("{address}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_address_is_split_into_all_its_parts() {
    let url = Url::parse("http://u:p@a.b.beta.example/x/y?n=v&m#f").unwrap();
    assert_eq!(split_address(&url).list_texts(), ["a", "b", "u", "p", "x", "y", "n", "m", "v", "f"]);
}

// Pieces sent with several actions are one text.
#[test]
fn a_text_sent_in_pieces_is_foreign() {
    let fixture = Fixture::new(read());
    let to = site("beta.example");
    let keys = |text: &'static str| -> Vec<String> { text.chars().map(String::from).collect() };
    let words = |text: &'static str| -> Vec<String> { text.split('|').map(str::to_owned).collect() };
    for (pieces, foreign) in [
        (keys("CANARY7f3a9q"), true),
        (keys("q9a3f7YRANAC"), true),
        (keys("Olena Koval"), true),
        (keys("CANARY"), true),
        (keys("411122"), true),
        (keys("1204.77"), true),
        (words("CAN|ARY|7f3|a9q"), true),
        (words("a9q|7f3|ARY|CAN"), true),
        (words("lamp|CANA|RY7f|3a9q"), true),
        (words("Q0FO|QVJZ|N2Yz|YTlx"), true),
        (words("41112222|33334448"), true),
        (keys("blue lamps"), false),
        (keys("Taras Melnyk"), false),
        (keys("hello world"), false),
        (words("blue lamps|Kyiv|2|10|2026-11-27|sort by price"), false),
        (words("1|2|3|4|5"), false),
    ] {
        let mut sent = SentPieces::default();
        let mut found = false;
        for piece in &pieces {
            found |= fixture.is_foreign(&[piece]);
            let piece = (PiecePlace::TypedText, piece.clone());
            found |= sent.find_foreign(&to, &piece, &fixture.sources()).is_some();
            sent.add(&to, &piece);
        }
        assert_eq!(found, foreign, "{pieces:?}");
    }
}

// After a restart only the sites are known; what identifies something is asked about.
#[test]
fn texts_that_are_unknown_by_now_are_still_foreign() {
    let mut read = ReadTexts::default();
    read.add_forgotten(&site("alpha.example"));
    let fixture = Fixture::new(read.clone());
    for value in ["CANARY7f3a9q", "1204.77", "olena.koval@alpha.example", "u9Zk2Lq8Vb3Xw0"] {
        assert!(fixture.is_foreign(&[value]), "{value}");
    }
    for value in ["blue lamps", "KD-448812", "Kyiv 2026-11-27", "best headphones under 200 EUR"] {
        assert!(!fixture.is_foreign(&[value]), "{value}");
    }
    // Many long pages push out the first one.
    read = self::read();
    for page in 0..400u32 {
        let text: String =
            (0..400u32).map(|at| format!("w{:x} ", at.wrapping_mul(page.wrapping_mul(7919)))).collect();
        read.add(site(&format!("s{page}.example")), &text);
    }
    assert!(read.list_sources().contains(&site("alpha.example")));
    assert!(Fixture::new(read).is_foreign(&["CANARY7f3a9q"]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_texts_and_values_are_judged(text in "\\PC{0,300}", value in "\\PC{0,120}", sent in "\\PC{0,20}") {
        let mut read = ReadTexts::default();
        read.add(site("alpha.example"), &text);
        let fixture = Fixture::new(read);
        fixture.is_foreign(&[&value, &sent]);
        let mut pieces = SentPieces::default();
        let to = site("beta.example");
        pieces.add(&to, &(PiecePlace::Value, sent));
        pieces.find_foreign(&to, &(PiecePlace::Value, value), &fixture.sources());
    }

    #[test]
    fn any_address_is_judged(rest in "[a-zA-Z0-9%&=/?#@:.;+\\\\<é中_-]{0,80}") {
        let fixture = Fixture::new(read());
        for start in ["http://beta.example/", "http://", "data:", "javascript:", "blob:http://", "view-source:http://", ""] {
            if let Ok(url) = Url::parse(&format!("{start}{rest}")) {
                find_foreign_in_address(&url, &fixture.sources());
            }
        }
    }

    // A code that was read is found below any two of the simple encodings.
    #[test]
    fn a_code_is_found_below_two_encodings(code in "[A-Z]{4}[0-9][a-z0-9]{7}[a-z]", first in 0usize..6, second in 0usize..6) {
        let mut read = ReadTexts::default();
        read.add(site("alpha.example"), &format!("Reference {code} of the account"));
        let value = encode(&encode(&code, first), second);
        prop_assert!(Fixture::new(read).is_foreign(&[&value]), "{}", value);
    }
}

fn encode(text: &str, kind: usize) -> String {
    use base64::Engine;
    match kind {
        0 => text.chars().rev().collect(),
        1 => base64::engine::general_purpose::STANDARD.encode(text),
        2 => text.bytes().map(|byte| format!("{byte:02x}")).collect(),
        3 => text.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        4 => base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text),
        _ => text.to_owned(),
    }
}
