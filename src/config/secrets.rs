//! Named secrets: values that an agent types by name but cannot read. Read and checked once at the start.

use crate::config::error::ConfigError;
use crate::config::secret::Secret;
use serde::Deserialize;
use std::collections::BTreeMap;
use url::Url;

/// `[secrets.<name>]`.
#[derive(Clone, Debug, Deserialize)]
pub struct PageSecret {
    /// Set from `env` when the settings are loaded, so that no other code reads the environment.
    pub value: Option<Secret>,
    pub env: Option<String>,
    /// Origins such as `https://shop.example`, without a path.
    #[serde(default)]
    pub origins: Vec<String>,
    #[serde(default)]
    pub totp: bool,
}

/// Reads the variables and checks every secret. No error contains a value.
pub fn complete(
    secrets: &mut BTreeMap<String, PageSecret>,
    vars: &BTreeMap<String, String>,
) -> Result<(), ConfigError> {
    for (name, secret) in secrets {
        secret.complete(vars).map_err(|reason| ConfigError::Secret { name: name.clone(), reason })?;
    }
    Ok(())
}

impl PageSecret {
    fn complete(&mut self, vars: &BTreeMap<String, String>) -> Result<(), String> {
        match (&self.value, &self.env) {
            (Some(_), Some(_)) => return Err(String::from("has both `value` and `env`; keep one")),
            (None, None) => return Err(String::from("needs `value`, or `env` with the name of a variable")),
            (Some(_), None) => {}
            (None, Some(variable)) => {
                let value = vars.get(variable).filter(|value| !value.is_empty());
                let missing =
                    || format!("reads the variable {variable}, which is not set; set it before the start");
                self.value = Some(Secret::new(value.ok_or_else(missing)?));
            }
        }
        if self.origins.is_empty() {
            return Err(String::from("needs `origins`, such as [\"https://shop.example\"]"));
        }
        for origin in &mut self.origins {
            *origin = plain_origin(origin)
                .ok_or_else(|| format!("`{origin}` is not an origin; write it as https://shop.example"))?;
        }
        let seed = self.value.as_ref().map(Secret::expose).filter(|_| self.totp);
        if seed.is_some_and(|seed| base32(seed).is_none()) {
            return Err(String::from(
                "is a one-time code, so its value must be a seed in base32 (A to Z, 2 to 7)",
            ));
        }
        Ok(())
    }
}

/// Returns the origin as browsers write it, or `None` if the text is not exactly a web origin.
fn plain_origin(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let bare = matches!(url.path(), "/" | "") && url.query().is_none() && url.fragment().is_none();
    let web = matches!(url.scheme(), "http" | "https") && url.username().is_empty();
    (bare && web && url.has_host()).then(|| url.origin().ascii_serialization())
}

/// Decodes base32 (RFC 4648) as sites show it: in groups, in any case, with or without padding.
pub fn base32(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut held, mut out) = (0_u32, 0_u32, Vec::new());
    let letters = text.bytes().filter(|letter| !matches!(letter, b' ' | b'-'));
    for letter in letters.map(|letter| letter.to_ascii_uppercase()).take_while(|letter| *letter != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'2'..=b'7' => letter - b'2' + 26,
            _ => return None,
        };
        held = (held << 5) | u32::from(value);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            out.extend(u8::try_from((held >> bits) & 0xff));
            held &= (1 << bits) - 1;
        }
    }
    Some(out).filter(|bytes| !bytes.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 4648, section 10.
    #[test]
    fn base32_is_read_as_sites_show_it() {
        for (text, bytes) in [("MY======", "f"), ("MZXW6===", "foo"), ("mzxw 6ytb-oi", "foobar")] {
            assert_eq!(base32(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        for text in ["", "====", "MZXW1", "пароль"] {
            assert_eq!(base32(text), None, "{text}");
        }
    }
}
