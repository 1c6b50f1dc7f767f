//! Files in `deploy/`. That of nginx runs in `proxy`.

use std::collections::BTreeSet;

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("{}/deploy/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Lists the names of all settings, also those that are commented out for want of a default.
fn settings() -> BTreeSet<String> {
    let mut section = "";
    let mut names = BTreeSet::new();
    for line in include_str!("../../config/default.toml").lines() {
        if let Some(head) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = head;
        } else if let Some((key, _)) = line.trim_start_matches("# ").split_once(" = ") {
            names.insert(format!("{section}.{key}"));
        }
    }
    names
}

// A variable whose name is wrong would be ignored with a message in the log only.
#[test]
fn every_variable_is_a_setting() {
    let known = settings();
    for (file, least) in [("compose.yaml", 6), ("kubernetes.yaml", 2), ("systemd/askfirst.service", 2)] {
        let text = read(file);
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let names: Vec<String> = words
            .filter_map(|word| word.strip_prefix("ASKFIRST_"))
            .filter(|rest| rest.contains("__"))
            .map(|rest| rest.to_ascii_lowercase().replace("__", "."))
            .collect();
        assert!(names.len() >= least, "{file}: {names:?}");
        for name in names {
            assert!(known.contains(&name), "{file}: there is no setting `{name}`");
        }
    }
}

#[test]
fn manifests_are_yaml() {
    let compose: serde_json::Value = serde_saphyr::from_str(&read("compose.yaml")).unwrap();
    for service in ["database", "one", "two", "proxy"] {
        assert!(compose["services"][service].is_object(), "{service}");
    }
    let kinds: Vec<String> = read("kubernetes.yaml")
        .split("\n---\n")
        .map(|part| {
            let object: serde_json::Value = serde_saphyr::from_str(part).unwrap();
            object["kind"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    assert_eq!(kinds, ["ConfigMap", "Service", "Service", "StatefulSet", "PodDisruptionBudget"]);
}
