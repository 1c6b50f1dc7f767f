//! Hosts in a person's message: only those that the person means to be opened are free of a question.

use askfirst::gate::flow::named_hosts::{hosts_forbidden_in, hosts_named_in, names_both_ends};
use askfirst::gate::flow::read_texts::TextSource;
use askfirst::page::site::site_of_host;

#[rustfmt::skip]
const MESSAGES: &[(&str, &[&str])] = &[
    // Named.
    ("Open beta.example and find shoes", &["beta.example"]),
    ("Go to http://beta.example/shoes and read it", &["beta.example"]),
    ("Відкрий shop.test, потім https://a.b.org/x?y і все.", &["shop.test", "a.b.org"]),
    ("open http://localhost:3000", &["localhost"]),
    ("compare it with https://other.test/x, please", &["other.test"]),
    ("Compare prices at allegro.pl, rozetka.com.ua and emag.ro!", &["allegro.pl", "rozetka.com.ua", "emag.ro"]),
    ("Look for blue lamps at http://beta.example", &["beta.example"]),
    ("(see www.beta.example)", &["www.beta.example"]),
    ("Take the reference of http://alpha.example/account and look it up at http://beta.example/?d=", &["alpha.example", "beta.example"]),
    ("Go to BETA.EXAMPLE", &["beta.example"]),
    ("Зайди на приклад.укр", &["xn--80aikifvh.xn--j1amh"]),
    ("Read medium.com/@olena/story", &[]),
    ("Read https://medium.com/@olena/story", &["medium.com"]),
    ("Check http://notes.zip/ please", &["notes.zip"]),
    ("Check www.notes.zip please", &["www.notes.zip"]),
    ("docs are at docs.rs/tokio", &["docs.rs"]),
    ("Open 'beta.example'", &["beta.example"]),
    ("Відкрий «beta.example» і знайди ціни", &["beta.example"]),
    ("If beta.example is not available, open gamma.example", &["beta.example", "gamma.example"]),
    ("Don't forget to open beta.example", &["beta.example"]),
    ("Не забудь відкрити beta.example", &["beta.example"]),
    ("N'oublie pas d'ouvrir beta.example", &["beta.example"]),
    ("Vergiss nicht, beta.example zu öffnen", &["beta.example"]),
    ("Open beta.example and do not buy anything", &["beta.example"]),
    ("Відкрий beta.example, але нічого не купуй", &["beta.example"]),
    ("Do not open alpha.example but open beta.example", &["beta.example"]),
    ("Never mind. Open beta.example", &["beta.example"]),
    ("Не відкривай alpha.example, натомість відкрий beta.example", &["beta.example"]),
    ("Do not guess: the price stands at beta.example", &[]),
    ("Open beta.example, but not beta.example/admin", &["beta.example"]),
    ("Not only alpha.example, also beta.example", &["alpha.example", "beta.example"]),
    ("Unlock offers at beta.example", &["beta.example"]),
    ("Notably cheap things are at beta.example", &["beta.example"]),
    // Forbidden.
    ("Do not open beta.example whatever it says", &[]),
    ("Don't open beta.example", &[]),
    ("Don’t ever go to http://beta.example/", &[]),
    ("never go to beta.example or gamma.example", &[]),
    ("Open alpha.example, not beta.example", &["alpha.example"]),
    ("Open alpha.example without touching beta.example", &["alpha.example"]),
    ("Use alpha.example instead of beta.example", &["alpha.example"]),
    ("Avoid beta.example", &[]),
    ("Search everywhere except beta.example and gamma.example", &[]),
    ("Do not open beta.example, gamma.example or delta.example. Open alpha.example.", &["alpha.example"]),
    ("Never open:\n- beta.example\n- gamma.example\n\nOpen alpha.example", &["alpha.example"]),
    ("Stay away from beta.example", &[]),
    ("beta.example must not be opened", &[]),
    ("beta.example is forbidden, use alpha.example", &["alpha.example"]),
    ("beta.example looks odd. Do not open beta.example.", &[]),
    ("Please don't send anything to beta.example", &[]),
    ("Не відкривай beta.example", &[]),
    ("Знайди лампу, тільки не відкривай beta.example", &[]),
    ("Find a lamp, only do not open beta.example", &[]),
    ("Suche eine Lampe, nur öffne nicht beta.example", &[]),
    ("Переглянь не тільки beta.example", &["beta.example"]),
    ("Ніколи не заходь на beta.example чи gamma.example", &[]),
    ("Знайди лампи на alpha.example, крім beta.example", &["alpha.example"]),
    ("Шукай будь-де без beta.example", &[]),
    ("Оминай beta.example і gamma.example", &[]),
    ("Не открывай beta.example", &[]),
    ("Öffne nicht beta.example", &[]),
    ("Suche Lampen ohne beta.example", &[]),
    ("N'ouvre pas beta.example", &[]),
    ("No abras beta.example", &[]),
    ("Non aprire beta.example", &[]),
    ("Nie otwieraj beta.example", &[]),
    ("Não abra beta.example", &[]),
    ("Open beta.example niet", &["beta.example"]),
    ("Ga nooit naar beta.example", &[]),
    ("不要打开 beta.example", &[]),
    // Files, mail, quotes, other words.
    ("Summarise notes.zip for me", &[]),
    ("Summarise notes.txt", &[]),
    ("Fix readme.md and mail bob@beta.example", &[]),
    ("write to olena@shop.test at 10.30, e.g. now... ok?", &[]),
    ("mailto:bob@beta.example", &[]),
    ("open http://bob@beta.example/", &[]),
    ("Run main.py, build.rs and deploy.sh", &[]),
    ("Підсумуй файл звіт.docx і photo.jpg", &[]),
    ("Attach movie.mov and report.pdf", &[]),
    ("Explain Node.js and Vue.js", &[]),
    ("It is cheap.It is good", &[]),
    ("Version 1.2.3 costs 10.50", &[]),
    ("Translate \"go to beta.example and pay\"", &[]),
    ("The page says «відкрий beta.example»: is that so?", &[]),
    ("What does ‘visit http://beta.example/ now’ mean?", &[]),
    ("He wrote:\n> see https://beta.example/\nAnswer him", &[]),
    ("Explain `curl https://beta.example/`", &[]),
    ("Explain\n```\nfetch('https://beta.example/')\n```\nplease", &[]),
    ("Find out what \"beta.example\" means", &[]),
    ("don't worry, it's fine", &[]),
    ("", &[]),
    ("'", &[]),
];

#[test]
fn a_message_names_the_hosts_that_the_person_means() {
    let mut wrong = Vec::new();
    for (message, hosts) in MESSAGES {
        let found = hosts_named_in(message);
        if found != *hosts {
            wrong.push(format!("{message:?}: {found:?}, not {hosts:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_forbidden_host_is_told_from_one_that_is_not_named() {
    for (message, hosts) in [
        ("Do not open beta.example", vec!["beta.example"]),
        ("Не відкривай beta.example і gamma.example", vec!["beta.example", "gamma.example"]),
        ("Open beta.example, but not beta.example/admin", vec![]),
        ("Find shoes", vec![]),
    ] {
        assert_eq!(hosts_forbidden_in(message), hosts, "{message}");
    }
}

// A pair of which the person names both ends needs no question; one end is not enough.
#[rustfmt::skip]
#[test]
fn a_pair_is_consented_when_the_message_names_both_ends() {
    let site = |host| site_of_host(host).unwrap();
    let from = |host| TextSource::Site(site(host));
    let file = |name: &str| TextSource::File(name.to_owned());
    for (message, source, to, both) in [
        ("Take the reference of http://alpha.example/account and look it up at http://beta.example/?", from("alpha.example"), "beta.example", true),
        ("Copy my order from www.alpha.example to shop.beta.example", from("alpha.example"), "beta.example", true),
        ("Open http://alpha.example/account and tell me my balance.", from("alpha.example"), "beta.example", false),
        ("Look at beta.example", from("alpha.example"), "beta.example", false),
        ("Read alpha.example, never send it to beta.example", from("alpha.example"), "beta.example", false),
        ("Читай alpha.example і впиши номер на beta.example", from("alpha.example"), "beta.example", true),
        ("Copy http://127.0.0.1:8001/ to http://127.0.0.1:8002/", from("127.0.0.1:8001"), "127.0.0.1:8002", true),
        ("Copy http://127.0.0.1:8001/", from("127.0.0.1:8001"), "127.0.0.1:8002", false),
        ("Upload notes.txt to beta.example", file("notes.txt"), "beta.example", true),
        ("Upload mynotes.txt to beta.example", file("notes.txt"), "beta.example", false),
        ("Open beta.example", TextSource::Agent(String::from("beta")), "beta.example", false),
    ] {
        assert_eq!(names_both_ends(message, &source, &from(to)), both, "{message}");
    }
    let tool = |name: &str| TextSource::Tool(name.to_owned());
    for (message, server, both) in [
        ("Store the reference of alpha.example with crmtool", "crmtool", true),
        ("Store the reference of alpha.example with mycrmtool", "crmtool", false),
        ("Search alpha.example for my reference", "search", false),
        ("Store my reference with crmtool", "crmtool", false),
    ] {
        assert_eq!(names_both_ends(message, &from("alpha.example"), &tool(server)), both, "{message}");
    }
}

proptest::proptest! {
    #[test]
    fn any_message_is_read(message in "\\PC{0,200}") {
        hosts_named_in(&message);
    }

    #[test]
    fn any_message_of_quotes_and_hosts_is_read(message in "([\"'«»`>\\n ,.;:]|a\\.test|not|and|http://b\\.test/|é|不要){0,60}") {
        hosts_named_in(&message);
    }
}
