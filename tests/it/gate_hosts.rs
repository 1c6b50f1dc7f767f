//! Hosts of addresses, in every spelling that people use to get past a list; and the hosts that an agent may open
//! without asking.

use crate::gate_page::*;
use askfirst::gate::assess;
use askfirst::gate::flow::named_hosts::hosts_named_in;
use askfirst::gate::host_kinds;
use askfirst::gate::host_kinds::HostKind::*;
use askfirst::gate::host_kinds::{HostContext, HostKind};
use askfirst::gate::meaning::effect_class::EffectClass;
use askfirst::gate::request::{AssessmentRequest, PageRef};
use askfirst::gate::rules::Rules;
use askfirst::gate::verdict::Decision;
use askfirst::page::url::parse_typed_url;

#[rustfmt::skip]
const ADDRESSES: &[(&str, Option<HostKind>)] = &[
    ("https://shop.test/", Some(Public)),
    ("https://8.8.8.8/", Some(Public)),
    ("https://[2606:4700:4700::1111]/", Some(Public)),
    ("https://172.32.0.1/", Some(Public)),
    ("https://100.128.0.1/", Some(Public)),
    ("about:blank", None),
    // The metadata services, and one address in its many spellings.
    ("http://169.254.169.254/", Some(Metadata)),
    ("http://2852039166/", Some(Metadata)),
    ("http://0xa9fea9fe/", Some(Metadata)),
    ("http://0xA9.0xFE.0xA9.0xFE/", Some(Metadata)),
    ("http://0251.0376.0251.0376/", Some(Metadata)),
    ("http://169.254.43518/", Some(Metadata)),
    ("http://169.254.169.254./", Some(Metadata)),
    ("http://[::ffff:169.254.169.254]/", Some(Metadata)),
    ("http://[::ffff:a9fe:a9fe]/", Some(Metadata)),
    ("http://[::169.254.169.254]/", Some(Metadata)),
    ("http://[64:ff9b::a9fe:a9fe]/", Some(Metadata)),
    ("http://[2002:a9fe:a9fe::]/", Some(Metadata)),
    ("http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/", Some(Metadata)),
    ("http://１６９.２５４.１６９.２５４/", Some(Metadata)),
    ("http://169.254.169.254.nip.io/", Some(Metadata)),
    ("http://a-169-254-169-254.sslip.io/", Some(Metadata)),
    ("http://user:pass@169.254.169.254/", Some(Metadata)),
    ("http://metadata.google.internal/", Some(Metadata)),
    ("http://METADATA.google.internal./", Some(Metadata)),
    ("http://[fd00:ec2::254]/", Some(Metadata)),
    ("http://100.100.100.200/", Some(Metadata)),
    ("http://169.254.170.2/", Some(Metadata)),
    ("http://192.0.0.192/", Some(Metadata)),
    // Loopback and private networks.
    ("http://localhost/", Some(Private)),
    ("http://LOCALHOST:3000/", Some(Private)),
    ("http://app.localhost/", Some(Private)),
    ("http://127.1/", Some(Private)),
    ("http://2130706433/", Some(Private)),
    ("http://0x7f000001/", Some(Private)),
    ("http://0/", Some(Private)),
    ("http://0.0.0.0/", Some(Private)),
    ("http://[::1]/", Some(Private)),
    ("http://[::]/", Some(Private)),
    ("http://[0:0:0:0:0:ffff:7f00:1]/", Some(Private)),
    ("http://10.1.2.3/", Some(Private)),
    ("http://172.16.0.1/", Some(Private)),
    ("http://172.31.255.255/", Some(Private)),
    ("http://192.168.1.1/", Some(Private)),
    ("http://169.254.1.1/", Some(Private)),
    ("http://100.64.0.1/", Some(Private)),
    ("http://198.18.0.1/", Some(Private)),
    ("http://224.0.0.1/", Some(Private)),
    ("http://255.255.255.255/", Some(Private)),
    ("http://[fe80::1]/", Some(Private)),
    ("http://[fd12:3456::1]/", Some(Private)),
    ("http://[::ffff:192.168.0.1]/", Some(Private)),
    ("http://router/", Some(Private)),
    ("http://printer.local/", Some(Private)),
    ("http://wiki.corp/", Some(Private)),
    ("http://10-0-0-1.nip.io/", Some(Private)),
    ("http://app.127.0.0.1.nip.io/", Some(Private)),
    ("http://7f000001.nip.io/", Some(Private)),
    ("http://lvh.me/", Some(Private)),
    ("http://foo.localtest.me/", Some(Private)),
    // Addresses of this service: the demo is free, the rest is closed, under any name of this machine.
    ("http://127.0.0.1:8787/demo/", Some(Demo)),
    ("http://localhost:8787/demo/cart", Some(Demo)),
    ("http://127.0.0.1:8787/demo", Some(Demo)),
    ("http://127.0.0.1:8787/", Some(Service)),
    ("http://127.0.0.1:8787/demo/../api/questions", Some(Service)),
    ("http://127.0.0.1:8787/demo/%2e%2e/api/questions", Some(Service)),
    ("http://127.0.0.1:8787/demonstration", Some(Service)),
    ("http://localhost:8787/api/questions", Some(Service)),
    ("http://[::1]:8787/api/questions", Some(Service)),
    ("http://0.0.0.0:8787/", Some(Service)),
    ("http://0x7f.1:8787/", Some(Service)),
    ("http://127.0.0.2:8787/", Some(Service)),
    ("http://[::ffff:127.0.0.1]:8787/", Some(Service)),
    ("http://lvh.me:8787/", Some(Service)),
    ("http://127.0.0.1.nip.io:8787/", Some(Service)),
    ("http://127.0.0.1:8788/", Some(Private)),
];

#[test]
fn every_spelling_of_a_host_is_classified_alike() {
    let context = context();
    let mut faults = Vec::new();
    for (text, expected) in ADDRESSES {
        let found = parse_typed_url(text).map(|url| host_kinds::host_kind(&url, &context));
        if found != Some(*expected) {
            faults.push(format!("{text}: {found:?}, not {expected:?}"));
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn kind_with(private: &[&str], url: &str) -> Option<HostKind> {
    let private_hosts = private.iter().map(|host| (*host).to_owned()).collect();
    let context = HostContext { private_hosts, ..context() };
    parse_typed_url(url).and_then(|url| host_kinds::host_kind(&url, &context))
}

#[test]
fn the_url_policy_blocks_the_hosts_that_the_agent_may_not_open() {
    for (address, kind) in ADDRESSES {
        let closed = askfirst::gate::url_refusals::refusal(address, &context()).is_some();
        assert_eq!(closed, matches!(kind, Some(Private | Metadata | Service)), "{address}");
    }
    assert!(askfirst::gate::url_refusals::refusal("file:///etc/passwd", &context()).is_some());
    assert!(askfirst::gate::url_refusals::refusal("ws://127.0.0.1:1/", &context()).is_some());
}

#[test]
fn listed_private_hosts_are_open_with_the_port_that_is_listed() {
    assert_eq!(Some(Listed), kind_with(&["127.0.0.1:3000"], "http://127.0.0.1:3000/"));
    assert_eq!(Some(Private), kind_with(&["127.0.0.1:3000"], "http://127.0.0.1:3001/"));
    assert_eq!(Some(Listed), kind_with(&["192.168.0.7"], "http://192.168.0.7:81/"));
    assert_eq!(Some(Listed), kind_with(&["::1"], "http://[::1]/"));
    assert_eq!(Some(Listed), kind_with(&["[::1]:9000"], "http://[::1]:9000/"));
    assert_eq!(Some(Listed), kind_with(&["*.corp"], "http://wiki.corp/"));
    // A list of allowed hosts opens neither metadata addresses nor this service.
    assert_eq!(Some(Metadata), kind_with(&["169.254.169.254"], "http://169.254.169.254/"));
    assert_eq!(Some(Service), kind_with(&["127.0.0.1", "localhost"], "http://localhost:8787/"));
}

fn opening(url: &str, from: &str) -> (Decision, String, String) {
    let context = HostContext {
        allowed_hosts: vec![String::from("shop.test"), String::from("*.help.test")],
        named_hosts: hosts_named_in("compare it with https://other.test/x, please"),
        ..context()
    };
    let page = PageRef { url: from.into(), ..PageRef::default() };
    let ask = AssessmentRequest { action: &navigate(url), target: None, page: &page, context: &context };
    let verdict = assess(Rules::built_in(), &ask);
    (verdict.decision, verdict.rule, verdict.origin)
}

#[test]
fn a_host_outside_of_the_allowed_ones_is_a_question() {
    let expected =
        (Decision::RequiresConfirmation, String::from("new-host"), String::from("https://new.test"));
    assert_eq!(expected, opening("https://new.test/x", SHOP));
    for free in
        ["https://shop.test/", "https://www.shop.test/", "https://a.help.test/", "https://other.test/"]
    {
        assert_eq!(Decision::Allow, opening(free, "about:blank").0, "{free}");
    }
    // The host of the current page is already allowed.
    assert_eq!(Decision::Allow, opening("https://new.test/y", "https://new.test/x").0);
    assert_eq!(Decision::RequiresConfirmation, opening("https://shop.test.evil.test/", SHOP).0);
    assert_eq!(Decision::Allow, opening("http://127.0.0.1:8787/demo/", SHOP).0);
}

#[test]
fn without_allowed_hosts_every_public_one_is_open() {
    assert_eq!(Decision::Allow, judged(&navigate("https://new.test/"), None, SHOP).decision);
    assert_eq!(EffectClass::Navigate, judged(&navigate("https://new.test/"), None, SHOP).effect);
}

#[test]
fn addresses_are_read_as_people_type_them() {
    let read = |text| parse_typed_url(text).map(|url| url.to_string());
    assert_eq!(Some(String::from("https://shop.test/cart")), read("shop.test/cart"));
    assert_eq!(Some(String::from("http://localhost:8080/")), read("localhost:8080"));
    assert_eq!(Some(String::from("https://shop.test:81/x")), read(" shop.test:81/x "));
    assert_eq!(None, read("http://"));
}

// A document that a page made itself is judged as that page.
#[test]
fn a_document_that_a_page_made_is_judged_by_its_origin() {
    for (made, plain) in [
        ("blob:https://shop.test/0c1b", "https://shop.test/"),
        ("blob:http://192.168.0.1/0c1b", "http://192.168.0.1/"),
    ] {
        for action in [click(), typed("x", false)] {
            let target = button("Frobnicate");
            let (made, plain) = (judged(&action, Some(&target), made), judged(&action, Some(&target), plain));
            assert_eq!((made.decision, made.rule, made.origin), (plain.decision, plain.rule, plain.origin));
        }
    }
    assert_eq!(judged(&navigate("blob:https://shop.test/0c1b"), None, SHOP).decision, Decision::Deny);
}
