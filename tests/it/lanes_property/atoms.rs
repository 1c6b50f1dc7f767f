//! Outputs of agents without lanes, from their inputs: pure, so that the engine and the naive interpreter share them.
//! Some agents fail at the first or second try and then work.

use askfirst::protocol::Status;
use serde_json::{Map, Value, json};

/// Outcome and outputs of a run of this agent; `tried` counts from 1.
pub fn made(agent: &str, p: &Value, q: &Value, tried: usize) -> (Status, Map<String, Value>) {
    let n = number(agent, p, q);
    let x = if n.is_multiple_of(3) { json!(format!("s{}", n % 2)) } else { json!(n % 4) };
    let y = json!((n / 7) % 3);
    let of = |vars: &[(&str, &Value)]| {
        vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone())).collect()
    };
    let worked = |vars: &[(&str, &Value)]| (Status::Succeeded, of(vars));
    match agent {
        "mix" => worked(&[("x", &x), ("y", &y), ("flag", &json!(n.is_multiple_of(2)))]),
        "half" => worked(&[("x", &x)]),
        "partly" => (Status::Partial, of(&[("y", &y)])),
        "moody" if tried as u64 > n % 4 => worked(&[("y", &y)]),
        "moody" => (Status::Failed, Map::new()),
        "grim" => match n % 8 {
            0 => (Status::Denied, Map::new()),
            1 => (Status::Cancelled, Map::new()),
            2 => (Status::Exhausted, Map::new()),
            3 => (Status::Blocked, Map::new()),
            _ => worked(&[("x", &x)]),
        },
        _ => worked(&[("x", &x)]),
    }
}

/// The same for the same, on every machine.
fn number(agent: &str, p: &Value, q: &Value) -> u64 {
    let text = format!("{agent} {p} {q}");
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    }) >> 7
}
