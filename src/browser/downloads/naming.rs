//! Names of downloaded files, without secrets.

use crate::files;
use crate::secrets::named_secrets::NamedSecrets;
use crate::secrets::redact;
use crate::secrets::redact::Redaction;

/// Returns the name under which a file is stored and reported. A page may name a file after a secret, and
/// Chromium replaces some characters of it.
pub(in crate::browser) fn safe_file_name(suggested: &str, keys: &NamedSecrets) -> String {
    let written = |value: &str| value.replace(['"', '*', '/', ':', '<', '>', '?', '\\', '|', '~'], "_");
    let forms = |known: Redaction| [written(&known.value), known.value];
    let known = keys.hidden_values().into_iter().flat_map(forms);
    let known: Vec<Redaction> = known.map(|value| Redaction { value, with: String::from(SECRET) }).collect();
    files::safe_name(&redact::redact_text(suggested, &known))
}

/// Replacement for secrets in file names.
pub(in crate::browser) const SECRET: &str = "secret";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RunId;

    #[test]
    fn a_file_name_that_contains_a_secret_is_replaced() {
        let keys = NamedSecrets::default().for_run(&RunId::from("r1"));
        keys.typed().add_value(String::from("Zq*star  9?"));
        for suggested in ["a Zq*star 9?.txt", "a Zq_star  9_.txt", "a Zq%2Astar%20%209%3F.txt"] {
            assert_eq!(safe_file_name(suggested, &keys), "a secret.txt", "{suggested}");
        }
        assert_eq!(safe_file_name("report.pdf", &keys), "report.pdf");
    }
}
