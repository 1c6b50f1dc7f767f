//! Bodies as applications send them, and bodies that are cut, hostile or no text.

use super::*;
use proptest::prelude::*;

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

fn read(content_type: &str, body: &str) -> BodyValues {
    match read_body(content_type, Some(body.as_bytes()), Some(body.len() as u64)) {
        RequestBody::Values(values) => values,
        other => panic!("{other:?} for {body}"),
    }
}

/// Values as `name=value` lines.
fn lines(values: &BodyValues) -> Vec<String> {
    values.values.iter().map(|value| format!("{}={}", value.name, value.value)).collect()
}

#[track_caller]
fn assert_reads(content_type: &str, body: &str, expected: &[&str]) {
    let values = read(content_type, body);
    assert_eq!(lines(&values), expected, "{content_type}: {body}");
    assert!(values.graphql.is_empty() && !values.is_truncated, "{values:?}");
}

// Questions show the values of forms (wire).
#[test]
fn forms_of_applications_are_read() {
    for (body, expected) in [
        // Django's admin: a bulk action
        (
            "csrfmiddlewaretoken=Zk3&action=delete_selected&_selected_action=4&_selected_action=7&post=yes",
            vec![
                "csrfmiddlewaretoken=Zk3",
                "action=delete_selected",
                "_selected_action=4",
                "_selected_action=7",
                "post=yes",
            ],
        ),
        // Rails
        (
            "_method=patch&user%5Bname%5D=Olena+K&user%5Broles%5D%5B%5D=admin",
            vec!["_method=patch", "user[name]=Olena K", "user[roles][]=admin"],
        ),
        // Roundcube: a mail
        (
            "_token=a1&_task=mail&_action=send&_to=ann%40post.example&_subject=Re%3A+lamp&_draft=&_message=Hi%0D%0Athere",
            vec![
                "_token=a1",
                "_task=mail",
                "_action=send",
                "_to=ann@post.example",
                "_subject=Re: lamp",
                "_draft=",
                "_message=Hi\r\nthere",
            ],
        ),
        // Discourse: a reply
        (
            "raw=Thank+you%21&topic_id=3&is_warning=false&typing_duration_msecs=1900&nested_post=true",
            vec![
                "raw=Thank you!",
                "topic_id=3",
                "is_warning=false",
                "typing_duration_msecs=1900",
                "nested_post=true",
            ],
        ),
        // Gitea: an issue
        (
            "_csrf=x9&title=Crash&content=&label_ids=2%2C5",
            vec!["_csrf=x9", "title=Crash", "content=", "label_ids=2,5"],
        ),
        // Nextcloud: a share with another person
        (
            "path=%2Fplans&shareType=0&shareWith=bob&permissions=19",
            vec!["path=/plans", "shareType=0", "shareWith=bob", "permissions=19"],
        ),
        // Stripe: a card
        ("card[number]=4242+4242&card[cvc]=123", vec!["card[number]=4242 4242", "card[cvc]=123"]),
        ("empty&=nameless&%E2=%FF", vec!["empty=", "=nameless", "\u{fffd}=\u{fffd}"]),
    ] {
        assert_reads(FORM, body, &expected);
    }
    // jQuery's default type with JSON inside
    assert_reads(FORM, r#"{"op":"delete","n":[1]}"#, &["op=delete", "n[0]=1"]);
    assert_reads("", "q=lamp&page=2", &["q=lamp", "page=2"]);
    assert_reads("text/plain", "to=Ann\r\nsum=5 = five\r\n", &["to=Ann", "sum=5 = five"]);
}

#[test]
fn json_of_applications_is_read() {
    for (body, expected) in [
        // Matrix: a message
        (r#"{"msgtype":"m.text","body":"hi"}"#, vec!["msgtype=m.text", "body=hi"]),
        // Mattermost: a post
        (
            r#"{"file_ids":[],"message":"ok","channel_id":"c1","create_at":0,"metadata":{},"props":{}}"#,
            vec!["file_ids=[]", "message=ok", "channel_id=c1", "create_at=0", "metadata={}", "props={}"],
        ),
        // Vikunja: a task is done
        (
            r#"{"id":7,"done":true,"due_date":null,"percent_done":0.5}"#,
            vec!["id=7", "done=true", "due_date=null", "percent_done=0.5"],
        ),
        // WooCommerce: an order
        (
            r#"{"billing_address":{"city":"Kyiv"},"payment_data":[{"key":"save","value":false}],"payment_method":"cod"}"#,
            vec![
                "billing_address.city=Kyiv",
                "payment_data[0].key=save",
                "payment_data[0].value=false",
                "payment_method=cod",
            ],
        ),
        // Prefect: runs are looked for; their keys are queries of a read
        (
            r#"{"sort":"START_TIME_DESC","limit":10,"flow_runs":{"state":{"type":{"any_":["FAILED"]}}}}"#,
            vec!["sort=START_TIME_DESC", "limit=10", "flow_runs.state.type.any_[0]=FAILED"],
        ),
        // Prefect: a run is started
        (
            r#"{"state":{"type":"SCHEDULED"},"parameters":{"name":"x"}}"#,
            vec!["state.type=SCHEDULED", "parameters.name=x"],
        ),
        // Focalboard: a card moves
        (
            r#"[{"updatedFields":{"properties":{"a7":"done"}},"deletedFields":[]}]"#,
            vec!["[0].updatedFields.properties.a7=done", "[0].deletedFields=[]"],
        ),
        // JSON-RPC, as Kanboard and Odoo use it
        (
            r#"{"jsonrpc":"2.0","method":"removeTask","params":{"task_id":9},"id":1}"#,
            vec!["jsonrpc=2.0", "method=removeTask", "params.task_id=9", "id=1"],
        ),
        // Grafana: a dashboard
        (
            r#"{"dashboard":{"id":1,"version":4},"overwrite":false,"message":""}"#,
            vec!["dashboard.id=1", "dashboard.version=4", "overwrite=false", "message="],
        ),
        // a key that would look like a path, and one that is there twice
        (
            r#"{"a.b":{"[0]":1},"":2,"sum":3,"sum":4}"#,
            vec![r#"["a.b"]["[0]"]=1"#, r#"[""]=2"#, "sum=3", "sum=4"],
        ),
        (r#""only text""#, vec!["body=only text"]),
        ("12", vec!["body=12"]),
        ("not json", vec!["body=not json"]),
    ] {
        assert_reads(JSON, body, &expected);
    }
    for content_type in [
        "application/vnd.api+json",
        "application/json; charset=utf-8",
        "text/plain;charset=UTF-8",
        "",
        "application/csp-report",
    ] {
        assert_reads(content_type, "\u{feff} {\"a\":1}", &["a=1"]);
    }
    // Sentry's envelopes and other JSON lines
    assert_reads(
        "text/plain;charset=UTF-8",
        "{\"sdk\":\"js\"}\n{\"event\":\"click\"}\n",
        &["[0].sdk=js", "[1].event=click"],
    );
    assert_reads("application/x-ndjson", "{\"a\":1}\n\n{\"a\":2}", &["[0].a=1", "[1].a=2"]);
    assert_reads("text/plain", "hello {you}", &["body=hello {you}"]);
}

#[test]
fn numbers_flags_and_texts_are_told_apart() {
    let values = read(JSON, r#"{"a":"1","b":1,"c":true,"d":null}"#);
    let kinds: Vec<ValueKind> = values.values.into_iter().map(|value| value.kind).collect();
    assert_eq!(kinds, [ValueKind::Text, ValueKind::Number, ValueKind::Flag, ValueKind::Null]);
}

#[test]
fn bodies_that_are_no_text_are_opaque() {
    for (content_type, body) in [
        ("application/grpc-web+proto", &b"\0\0\0\0\x05hello"[..]),
        ("application/x-protobuf", b"\x0a\x05hello"),
        ("application/msgpack", b"\x81\xa1a\x01"),
        ("application/octet-stream", b"\x89PNG\x0d\x0a\x1a\x0a\0"),
        ("application/json", b"\x1f\x8b\x08\0\0\0\0\0"),
        ("text/plain", b"ab\0cd"),
        ("image/png", b"{\"a\": 1}"),
        ("", b"\xff\xfe\xfd\xfc\xfb"),
    ] {
        let size = body.len() as u64;
        let expected = RequestBody::Opaque { content_type: content_type.to_owned(), size: Some(size) };
        assert_eq!(read_body(content_type, Some(body), None), expected, "{content_type}");
    }
    assert_eq!(read_body(JSON, None, None), RequestBody::Empty);
    assert_eq!(read_body(JSON, Some(b""), Some(0)), RequestBody::Empty);
    let unknown = RequestBody::Opaque { content_type: JSON.to_owned(), size: Some(9) };
    assert_eq!(read_body(JSON, None, Some(9)), unknown, "the browser did not give it");
    assert_reads("application/octet-stream", r#"{"a":1}"#, &["a=1"]);
}

#[test]
fn a_multipart_form_shows_its_values_and_files() {
    let body = "--B\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nTax\r\n2026\r\n--B\r\n\
        Content-Disposition: form-data; name=\"scan\"; filename=\"my %22best%22; scan.pdf\"\r\nContent-Type: application/pdf\r\n\r\n\r\n--B\r\n\
        Content-Disposition: form-data; name=\"none\"; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--B\r\n\
        Content-Disposition: form-data; name=\"meta\"; filename=\"blob\"\r\nContent-Type: application/json\r\n\r\n{\"public\":true}\r\n--B--\r\n";
    let content_type = "multipart/form-data; boundary=\"B\"";
    let RequestBody::Values(values) =
        read_body(content_type, Some(body.as_bytes()), Some(body.len() as u64 + 1234))
    else {
        panic!("no values")
    };
    assert_eq!(
        lines(&values),
        ["title=Tax\r\n2026", "scan=my \"best\"; scan.pdf", "none=", "meta.public=true"]
    );
    assert!(!values.is_truncated);
    // Chromium leaves out the contents: the size is what is missing.
    let file = |file_name: &str, content_type: &str, size: u64| ValueKind::File {
        file_name: file_name.to_owned(),
        content_type: content_type.to_owned(),
        size: Some(size),
    };
    assert_eq!(values.values[1].kind, file("my \"best\"; scan.pdf", "application/pdf", 1234));
    assert_eq!(values.values[2].kind, ValueKind::Null, "no file was chosen");
    let RequestBody::Values(values) = read_body(content_type, Some(body.as_bytes()), Some(body.len() as u64))
    else {
        panic!("no values")
    };
    let ValueKind::File { size, .. } = &values.values[1].kind else { panic!("no file") };
    assert_eq!(*size, None, "the browser left the contents out of the size too");
}

#[test]
fn parts_without_names_are_numbered() {
    // Google Drive: the name of a file, and the file
    let body = "--B\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{\"name\":\"a.txt\"}\r\n--B\r\nContent-Type: text/plain\r\n\r\nhello\r\n--B--";
    assert_reads("multipart/related; boundary=B", body, &["part 1.name=a.txt", "part 2=hello"]);
}

#[test]
fn a_cut_multipart_form_shows_what_is_there() {
    let body = "--XY\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--XYZ is text\r\n--XY\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\nhal";
    for content_type in ["multipart/form-data; boundary=XY", "multipart/form-data"] {
        let values = read(content_type, body);
        assert_eq!(lines(&values), ["a=1\r\n--XYZ is text", "b=hal"], "{content_type}");
        assert!(values.is_truncated, "the last boundary is missing");
    }
    let none = read_body("multipart/form-data; boundary=Q", Some(body.as_bytes()), None);
    assert!(matches!(none, RequestBody::Opaque { .. }), "{none:?}");
}

#[test]
fn xml_shows_texts_and_attributes() {
    let soap = "<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"u\"><s:Body><!-- <x>no</x> --><t:Transfer currency='EUR > &amp;'>\
        <to>UA&#49;2</to><to><![CDATA[<b>]]></to><now/></t:Transfer></s:Body></s:Envelope>";
    let path = "Envelope.Body.Transfer";
    let expected = [
        format!("{path}@currency=EUR > &"),
        format!("{path}.to=UA12"),
        format!("{path}.to=<b>"),
        format!("{path}.now="),
    ];
    assert_eq!(lines(&read("application/soap+xml; charset=utf-8", soap)), expected);
    // Nextcloud: a favourite by WebDAV
    let dav = "<d:propertyupdate xmlns:d=\"DAV:\"><d:set><d:prop><oc:favorite>1</oc:favorite></d:prop></d:set></d:propertyupdate>";
    assert_reads("text/xml", dav, &["propertyupdate.set.prop.favorite=1"]);
    assert!(read("text/xml", "<a><b>1").is_truncated);
}

#[test]
fn limits_hold() {
    let many = format!("[{}]", vec!["1"; 600].join(","));
    let values = read(JSON, &many);
    assert_eq!((values.values.len(), values.is_truncated), (500, true));
    let RequestBody::Values(whole) = read_whole_body(JSON, Some(many.as_bytes()), None) else {
        panic!("no values")
    };
    assert_eq!((whole.values.len(), whole.is_truncated), (600, false));
    let exactly = format!("[{}]", vec!["1"; 500].join(","));
    assert!(!read(JSON, &exactly).is_truncated);
    let fields = vec!["a=1"; 501].join("&");
    assert!(read(FORM, &fields).is_truncated);

    let long = read(JSON, &format!("{{\"a\":\"{}\"}}", "ї".repeat(30_000)));
    assert_eq!(long.values[0].value.chars().count(), 20_001);
    assert!(long.values[0].value.ends_with('…') && long.is_truncated);
    assert!(!read(JSON, &format!("{{\"a\":\"{}\"}}", "ї".repeat(20_000))).is_truncated);

    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let values = read(JSON, &deep);
    assert_eq!(values.values[0].name, "[0]".repeat(64));
    assert_eq!(values.values[0].value, format!("{}1{}", "[".repeat(36), "]".repeat(36)));
    let deepest = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    assert!(lines(&read(JSON, &deepest)) == [format!("body={deepest}")]);

    let RequestBody::Values(cut) = read_body(JSON, Some(b"{\"a\":1}"), Some(100)) else {
        panic!("no values")
    };
    assert!(cut.is_truncated, "the browser gave a part");
}

#[test]
fn queries_are_read() {
    let url = Url::parse("https://shop.test/s?q=red%20lamp&tag=a&tag=b&empty=#f=1").unwrap();
    let values: Vec<String> =
        read_query(&url).iter().map(|value| format!("{}={}", value.name, value.value)).collect();
    assert_eq!(values, ["q=red lamp", "tag=a", "tag=b", "empty="]);
    let url = Url::parse("https://api.test/graphql?operationName=Cart&variables=%7B%22id%22%3A5%7D&extensions=%7B%22persistedQuery%22%3A%7B%22sha256Hash%22%3A%22ab%22%7D%7D").unwrap();
    assert_eq!(
        read_query(&url).iter().map(|value| (value.name.as_str(), value.value.as_str())).collect::<Vec<_>>(),
        [("id", "5")]
    );
    assert_eq!(read_query_graphql(&url)[0].kind, OperationKind::PersistedQuery);
    assert!(read_query(&Url::parse("https://shop.test/").unwrap()).is_empty());
}

proptest! {
    // A page can send any bytes under any type.
    #[test]
    fn reading_never_panics(
        content_type in prop::sample::select(vec![
            FORM, JSON, "", "text/plain", "text/xml", "application/graphql", "multipart/form-data; boundary=B",
            "multipart/mixed", "application/x-ndjson", "application/octet-stream", "multipart/x; boundary=\"",
        ]),
        body in prop::collection::vec(any::<u8>(), 0..300),
        size in prop::option::of(0_u64..400),
    ) {
        let _ = read_body(content_type, Some(&body), size);
    }

    // Marks of every syntax in any order.
    #[test]
    fn reading_marks_never_panics(
        content_type in prop::sample::select(vec![
            FORM, JSON, "", "text/xml", "application/graphql", "multipart/form-data; boundary=B", "multipart/form-data",
        ]),
        body in "(--B|--B--|\r\n|\n|name=\"|\"|[\\[\\]{}()<>!:;,.=&%$@#/'\\\\|-]|\\.\\.\\.|\"\"\"|<!--|<!\\[CDATA\\[|query|mutation|fragment|on|a|ї|1|\\\\u|null|&#x|Content-Disposition: form-data; ){0,60}",
    ) {
        if let RequestBody::Values(values) = read_body(content_type, Some(body.as_bytes()), None) {
            let mut masked = values.values.clone();
            mask_secrets(&mut masked);
            prop_assert_eq!(masked.len(), values.values.len());
            prop_assert_eq!(difference(&values.values, &values.values), []);
        }
    }

    // Every leaf of a JSON body is shown, up to the limit.
    #[test]
    fn no_json_value_is_lost(texts in prop::collection::vec("[a-z \"\\\\ї.]{0,12}", 1..40)) {
        let body = serde_json::json!({"list": texts, "inner": {"a.b": texts}}).to_string();
        let values = read(JSON, &body);
        let twice: Vec<&String> = texts.iter().chain(&texts).collect();
        prop_assert_eq!(values.values.iter().map(|value| &value.value).collect::<Vec<_>>(), twice);
    }
}
