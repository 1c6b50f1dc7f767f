//! TypeScript types of the wire protocol for the UI: `static/transport/protocol.d.ts`, generated from the
//! Rust types. The test fails if the file is out of date; `UPDATE_GOLDEN=1 cargo test typescript` writes it.

use crate::ids::{QuestionId, RunId, SessionId};
use crate::plan::{Evidence, Item, ItemStatus, Predicate};
use crate::protocol::caller::{Caller, CallerKind};
use crate::protocol::client::{
    Answer, ClientFrame, Command, Held, KeyEvent, MouseEvent, PersonInput, UserMessage,
};
use crate::protocol::event::{Display, Event, Failure, PolicyReason, TextInLanguages};
use crate::protocol::server::{AnsweringProgram, Dialog, Fact, Question, Reply, ResolvedBy};
use crate::protocol::{Locale, QuestionKind, Remember, Status};
use serde_json::Value;
use ts_rs::{Config, TS};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/static/transport/protocol.d.ts");

const HEAD: &str = "\
// The frames of the WebSocket, protocol version 1. Written by a test from the types in src/protocol; do not edit.
";

/// Types of frames that exist only on the wire: a stored event together with its envelope.
const FRAMES: &str = "\
export type Envelope = { run_id: RunId, root_run_id: RunId, seq: number, at: string };
export type ServerFrame = (Fact & Envelope) | Reply;
";

fn type_declaration<T: TS>(config: &Config) -> String {
    format!("{}export {}\n", T::docs().unwrap_or_default(), T::decl(config))
}

/// Declares a type that clients send: fields that may be null are optional.
fn declared_received<T: TS>(config: &Config) -> String {
    let fields = type_declaration::<T>(config);
    let fields = fields.split(", ").map(|field| match field.ends_with(" | null") {
        true => field.replacen(": ", "?: ", 1),
        false => field.to_owned(),
    });
    fields.collect::<Vec<_>>().join(", ")
}

fn file() -> String {
    let config = Config::new().with_large_int("number");
    let declared = [
        type_declaration::<RunId>(&config),
        type_declaration::<SessionId>(&config),
        type_declaration::<QuestionId>(&config),
        type_declaration::<Value>(&config),
        type_declaration::<Status>(&config),
        type_declaration::<QuestionKind>(&config),
        type_declaration::<Remember>(&config),
        type_declaration::<Locale>(&config),
        declared_received::<UserMessage>(&config),
        declared_received::<ClientFrame>(&config),
        type_declaration::<Answer>(&config),
        type_declaration::<Command>(&config),
        declared_received::<PersonInput>(&config),
        type_declaration::<Held>(&config),
        type_declaration::<MouseEvent>(&config),
        type_declaration::<KeyEvent>(&config),
        type_declaration::<Fact>(&config),
        type_declaration::<Question>(&config),
        type_declaration::<ResolvedBy>(&config),
        type_declaration::<AnsweringProgram>(&config),
        type_declaration::<Caller>(&config),
        type_declaration::<CallerKind>(&config),
        type_declaration::<Event>(&config),
        type_declaration::<Failure>(&config),
        type_declaration::<PolicyReason>(&config),
        type_declaration::<TextInLanguages>(&config),
        type_declaration::<Item>(&config),
        type_declaration::<ItemStatus>(&config),
        type_declaration::<Predicate>(&config),
        type_declaration::<Evidence>(&config),
        type_declaration::<Display>(&config),
        type_declaration::<Dialog>(&config),
        type_declaration::<Reply>(&config),
    ];
    format!("{HEAD}\n{}\n{FRAMES}", declared.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{FILE, file};

    // The UI uses types generated from the Rust ones, so that the two cannot differ.
    #[test]
    fn the_types_of_the_page_are_those_of_the_wire() {
        let now = file();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(FILE, &now).unwrap();
        }
        let kept = std::fs::read_to_string(FILE).unwrap_or_default();
        assert!(kept == now, "the wire changed; write {FILE} anew with UPDATE_GOLDEN=1");
    }
}
