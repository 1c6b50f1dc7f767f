//! Tests of the readers of messages, on frames that clients of these protocols send.

use super::*;
use crate::page::request_shape::body_shape;

fn read(url: &str, text: &str) -> String {
    let message = read_message(url, "", true, text.as_bytes());
    String::from_utf8(message.body).unwrap()
}

#[test]
fn frames_of_known_protocols_become_plain_bodies() {
    let io = "ws://a.test/socket.io/?EIO=4&transport=websocket";
    let phoenix = "ws://a.test/socket/websocket?vsn=2.0.0";
    for (url, frame, expected) in [
        (io, "2", r#"{"packet":"ping"}"#),
        (io, "2probe", r#"{"packet":"ping"}"#),
        (io, "5", r#"{"packet":"upgrade"}"#),
        (io, "40", r#"{"packet":"connect"}"#),
        (
            io,
            r#"40/admin,{"token":"x"}"#,
            r#"{"namespace":"/admin","packet":"connect","data":{"token":"x"}}"#,
        ),
        (io, r#"42["vote",{"for":3}]"#, r#"{"event":"vote","data":{"for":3}}"#),
        (io, r#"42/room,17["say","hi",2]"#, r#"{"namespace":"/room","event":"say","data":["hi",2]}"#),
        (
            io,
            r#"451-["file",{"_placeholder":true,"num":0}]"#,
            r#"{"event":"file","data":{"_placeholder":true,"num":0}}"#,
        ),
        (io, "437[]", r#"{"packet":"ack"}"#),
        ("ws://a.test/", r#"42["vote"]"#, r#"42["vote"]"#),
        (
            "ws://a.test/",
            "{\"protocol\":\"json\",\"version\":1}\u{1e}",
            r#"{"protocol":"json","version":1,"type":"handshake"}"#,
        ),
        ("ws://a.test/", "{\"type\":6}\u{1e}", r#"{"type":"ping"}"#),
        (
            "ws://a.test/",
            "{\"type\":6}\u{1e}{\"arguments\":[\"Ann\",\"hi\"],\"invocationId\":\"0\",\"target\":\"Send\",\"type\":1}\u{1e}",
            r#"{"method":"Send","data":["Ann","hi"]}"#,
        ),
        (
            "ws://a.test/",
            r#"{"id":"1","type":"subscribe","payload":{"query":"subscription{a}"}}"#,
            r#"{"query":"subscription{a}"}"#,
        ),
        ("ws://a.test/", r#"{"type":"subscribe","channel":"x"}"#, r#"{"type":"subscribe","channel":"x"}"#),
        (
            "ws://a.test/cable",
            r#"{"command":"message","identifier":"{\"channel\":\"Chat\"}","data":"{\"action\":\"speak\"}"}"#,
            r#"{"command":"message","identifier":{"channel":"Chat"},"data":{"action":"speak"}}"#,
        ),
        (
            phoenix,
            r#"["3","4","room:1","shout",{"body":"hi"}]"#,
            r#"{"event":"shout","topic":"room:1","data":{"body":"hi"}}"#,
        ),
        (
            phoenix,
            r#"["3","3","room:1","phx_join",{}]"#,
            r#"{"event":"subscribe","topic":"room:1","data":{}}"#,
        ),
        ("ws://a.test/x/websocket", r#"["{\"type\":\"ping\"}"]"#, r#"{"type":"ping"}"#),
        (
            "ws://a.test/",
            "SEND\ndestination:/app/pay\n\n{\"sum\":3}\0",
            r#"{"command":"send","destination":"/app/pay","data":{"sum":3}}"#,
        ),
        ("ws://a.test/", "\n", r#"{"type":"heartbeat"}"#),
        (
            "wss://x.firebaseio.com/.ws?v=5",
            r#"{"t":"d","d":{"r":2,"a":"p","b":{"p":"/a","d":1}}}"#,
            r#"{"action":"put","data":{"p":"/a","d":1}}"#,
        ),
        ("ws://a.test/", "floor 4", "floor 4"),
    ] {
        assert_eq!(read(url, frame), expected, "{frame}");
    }
}

#[test]
fn packets_of_mqtt_are_read() {
    let read = |bytes: &[u8]| read_message("ws://a.test/", "mqtt", false, bytes);
    let publish = b"\x30\x0c\x00\x04lampswitch";
    assert_eq!(read(publish).body, br#"{"command":"publish","topic":"lamp","data":"switch"}"#);
    assert_eq!(read(b"\xc0\x00").body, br#"{"command":"ping","size":0}"#);
    assert_eq!(read(b"\xc0\x00\xc0\x00").content_type, "application/octet-stream", "more than one packet");
}

#[test]
fn bytes_that_are_text_are_read_as_text() {
    let message = read_message("ws://a.test/", "", false, br#"{"type":"vote"}"#);
    assert_eq!(message.content_type, "application/json");
    assert_eq!(
        read_message("ws://a.test/", "", false, &[8, 1, 0, 7]).content_type,
        "application/octet-stream"
    );
}

#[test]
fn a_shape_names_the_operation_at_every_depth() {
    let shape = |text: &str| {
        let message = read_message("ws://a.test/", "", true, text.as_bytes());
        body_shape(&message.content_type, &message.body)
    };
    for (one, same) in [
        (r#"{"type":"ping","at":1}"#, r#"{"at":2,"type":"ping"}"#),
        ("tick 12", "tick 7"),
        (r#"{"type":"cursor","points":[{"x":1},{"x":2}]}"#, r#"{"type":"cursor","points":[{"x":5}]}"#),
    ] {
        assert_eq!(shape(one), shape(same), "{one}");
    }
    for (one, other) in [
        (r#"{"op":1}"#, r#"{"op":2}"#),
        (r#"{"type":"msg","payload":{"action":"list"}}"#, r#"{"type":"msg","payload":{"action":"delete"}}"#),
        (r#"{"type":"ping"}"#, r#"{"type":"ping","to":"x"}"#),
        (r#"["read",{"id":1}]"#, r#"["erase",{"id":1}]"#),
        ("tick 12", "tock 12"),
    ] {
        assert_ne!(shape(one), shape(other), "{one}");
    }
    let binary = |bytes: &[u8]| body_shape("application/octet-stream", bytes);
    assert_eq!(binary(&[1, 0]), binary(&[1, 0]));
    assert_ne!(binary(&[1, 0]), binary(&[1, 1]));
}
