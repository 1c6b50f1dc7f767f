//! Hosts that hold for a whole run tree. What the person named or allowed holds for each run below; what the agents
//! above may open is narrowed by each of them, and never widened. The words that an agent gives to another are not
//! the person's, and name no host.

use crate::gate::flow::named_hosts::hosts_named_in;
use crate::gate::host_kinds::{is_under, split_host_port};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Entry of a list that matches no host: an empty list would allow every host.
const NO_HOST: &str = "";

/// Hosts that a run inherits from the runs above it; of a root, those that its inputs name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostScope {
    /// Hosts that the person named or allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<String>,
    /// Hosts that all agents above may open; `None` for every public host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<String>>,
}

impl HostScope {
    /// Returns the scope of a root: the hosts that the inputs of its starter name.
    pub fn from_input(input: &Map<String, Value>) -> Self {
        let mut named = Vec::new();
        input.values().for_each(|value| collect_named(value, &mut named));
        Self { named, allowed: None }
    }

    /// True if nothing is inherited.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.allowed.is_none()
    }

    /// Returns the hosts that an agent with this list of its own may open here; `None` for every public host.
    pub fn narrow(&self, own: Option<&[String]>) -> Option<Vec<String>> {
        let own = own.filter(|own| !own.is_empty());
        let (Some(above), Some(own)) = (&self.allowed, own) else {
            return self.allowed.clone().or(own.map(<[String]>::to_vec));
        };
        let mut both: Vec<String> = Vec::new();
        for one in own {
            let narrower = above.iter().filter_map(|other| intersect(one, other)).cloned();
            both.extend(narrower.filter(|entry| !both.contains(entry)).collect::<Vec<_>>());
        }
        Some(if both.is_empty() { vec![NO_HOST.to_owned()] } else { both })
    }
}

/// Adds the hosts that a value names. Messages of an assistant in an earlier chat are not the person's.
fn collect_named(value: &Value, named: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let new: Vec<String> =
                hosts_named_in(text).into_iter().filter(|host| !named.contains(host)).collect();
            named.extend(new);
        }
        Value::Array(items) => items.iter().for_each(|item| collect_named(item, named)),
        Value::Object(map) if map.get("role").is_some_and(|role| role == "assistant") => {}
        Value::Object(map) => map.values().for_each(|item| collect_named(item, named)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the entry whose hosts both entries have; `None` if they share none.
fn intersect<'a>(one: &'a String, other: &'a String) -> Option<&'a String> {
    if covers(other, one) {
        Some(one)
    } else if covers(one, other) {
        Some(other)
    } else {
        None
    }
}

/// True if the first entry has every host of the second one.
fn covers(wide: &str, narrow: &str) -> bool {
    let ((wide, wide_port), (narrow, narrow_port)) =
        (split_host_port(wide.trim()), split_host_port(narrow.trim()));
    if wide_port.is_some() && wide_port != narrow_port {
        return false;
    }
    let without_www = |name: &str| name.strip_prefix("www.").unwrap_or(name).to_owned();
    match wide.strip_prefix("*.") {
        Some(parent) => is_under(narrow.strip_prefix("*.").unwrap_or(&narrow), parent),
        None => !narrow.starts_with("*.") && without_www(&wide) == without_www(&narrow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::host_kinds::list_contains;
    use serde_json::json;
    use url::Url;

    // A child may open only what it and all agents above it allow.
    #[test]
    fn each_agent_narrows_the_hosts_of_those_above_it() {
        let texts = |list: &[&str]| list.iter().map(|host| (*host).to_owned()).collect::<Vec<String>>();
        for (above, own, expected) in [
            (None, None, None),
            (None, Some(&["a.test"][..]), Some(&["a.test"][..])),
            (None, Some(&[]), None),
            (Some(&["a.test"][..]), None, Some(&["a.test"])),
            (Some(&["a.test"]), Some(&[]), Some(&["a.test"])),
            (Some(&["a.test", "b.test"]), Some(&["b.test", "c.test"]), Some(&["b.test"])),
            (Some(&["*.a.test"]), Some(&["x.a.test", "a.test:81"]), Some(&["x.a.test", "a.test:81"])),
            (Some(&["x.a.test"]), Some(&["*.a.test"]), Some(&["x.a.test"])),
            (Some(&["*.a.test"]), Some(&["*.y.a.test"]), Some(&["*.y.a.test"])),
            (Some(&["www.a.test"]), Some(&["a.test"]), Some(&["a.test"])),
            (Some(&["a.test:81"]), Some(&["a.test"]), Some(&["a.test:81"])),
            (Some(&["a.test:81"]), Some(&["a.test:82"]), Some(&[""])),
            (Some(&["a.test"]), Some(&["nota.test", "b.test"]), Some(&[""])),
        ] {
            let scope = HostScope { named: Vec::new(), allowed: above.map(texts) };
            let own = own.map(texts);
            assert_eq!(scope.narrow(own.as_deref()), expected.map(texts), "{above:?} {own:?}");
        }
    }

    #[test]
    fn agents_without_a_common_host_may_open_none() {
        let scope = HostScope { named: Vec::new(), allowed: Some(vec![String::from("a.test")]) };
        let list = scope.narrow(Some(&[String::from("b.test")])).unwrap();
        for url in ["http://a.test/", "http://b.test/", "http://www./", "http://-/"] {
            assert!(!Url::parse(url).is_ok_and(|url| list_contains(&list, &url)), "{url}");
        }
    }

    #[test]
    fn the_inputs_of_the_starter_name_hosts_and_an_assistants_words_do_not() {
        let input = json!({
            "text": "open a.test",
            "more": {"urls": ["https://b.test/x", "b.test"], "n": 1},
            "history": [{"role": "user", "content": "c.test"}, {"role": "assistant", "content": "d.test"}],
        });
        let mut named = HostScope::from_input(input.as_object().unwrap()).named;
        named.sort();
        assert_eq!(named, ["a.test", "b.test", "c.test"]);
    }
}
