//! Named secrets: their origins, and their values, which only leave here to be typed into a page. All other
//! code uses the names, or removes the values from its texts.

use crate::clock::Moment;
use crate::config::secrets::{PageSecret, base32};
use crate::ids::RunId;
use crate::secrets::redact;
use crate::secrets::redact::Redaction;
use crate::secrets::typed_by_person::TypedSecrets;
use crate::turn::named_secret;
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use url::Url;

/// Number of typed one-time codes to remember, since they may still be shown somewhere.
const MOST_CODES: usize = 16;
const PERIOD_MS: i64 = 30_000;
const DIGITS: usize = 6;
/// Block size of SHA-1 in bytes.
const BLOCK: usize = 64;

/// Named and typed secrets. Clones share their state.
#[derive(Clone, Default)]
pub struct NamedSecrets {
    keys: Arc<Keys>,
    /// Secrets typed in one run tree.
    typed: Arc<TypedSecrets>,
}

#[derive(Default)]
struct Keys {
    all: BTreeMap<String, NamedSecret>,
    /// Typed one-time codes, newest last.
    codes: Mutex<VecDeque<Redaction>>,
    /// Secrets that persons typed, per run tree, while any user of that run tree exists.
    typed: Mutex<HashMap<RunId, Weak<TypedSecrets>>>,
}

struct NamedSecret {
    value: String,
    origins: Vec<String>,
    /// Decoded seed, for a one-time code.
    seed: Option<Vec<u8>>,
}

impl std::fmt::Debug for NamedSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl NamedSecrets {
    /// Creates the keyring from validated settings.
    pub fn from_config(secrets: &BTreeMap<String, PageSecret>) -> Self {
        let key = |secret: &PageSecret| {
            let value = secret.value.as_ref()?.expose().to_owned();
            let seed = secret.totp.then(|| base32(&value)).flatten();
            Some(NamedSecret { seed, origins: secret.origins.clone(), value })
        };
        let all = secrets.iter().filter_map(|(name, secret)| Some((name.clone(), key(secret)?))).collect();
        Self {
            keys: Arc::new(Keys { all, codes: Mutex::default(), typed: Mutex::default() }),
            typed: Arc::default(),
        }
    }

    /// Returns a keyring that also knows the secrets that persons type in the pages of this run tree.
    pub fn for_run(&self, root: &RunId) -> Self {
        let mut all = self.keys.typed.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, typed| typed.strong_count() > 0);
        let typed = all.get(root).and_then(Weak::upgrade).unwrap_or_default();
        all.insert(root.clone(), Arc::downgrade(&typed));
        Self { keys: Arc::clone(&self.keys), typed }
    }

    /// Returns the secrets that persons typed.
    pub fn typed(&self) -> &TypedSecrets {
        &self.typed
    }

    /// Returns the names of all secrets.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.keys.all.keys().map(String::as_str)
    }

    /// True if the settings have a secret of this name.
    pub fn has(&self, name: &str) -> bool {
        self.keys.all.contains_key(name)
    }

    /// Returns each placeholder with its hosts: all that a planner may know.
    pub fn describe(&self) -> Vec<String> {
        let hosts = |key: &NamedSecret| {
            let urls = key.origins.iter().filter_map(|origin| Url::parse(origin).ok());
            urls.filter_map(|url| Some(url.host_str()?.to_owned())).collect::<Vec<_>>().join(", ")
        };
        let all = self.keys.all.iter();
        all.map(|(name, key)| format!("`{}` ({})", named_secret::placeholder(name), hosts(key))).collect()
    }

    /// Returns the origins at which the secret may be typed; empty if there is no such secret.
    pub fn origins(&self, name: &str) -> &[String] {
        self.keys.all.get(name).map_or(&[], |key| &key.origins)
    }

    /// Returns the value to type now: for a one-time code, the current code, which is remembered.
    pub fn value(&self, name: &str, now: Moment) -> Option<String> {
        let key = self.keys.all.get(name)?;
        let Some(seed) = &key.seed else { return Some(key.value.clone()) };
        let code = one_time_code(seed, now.millis());
        let mut codes = self.keys.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if codes.len() == MOST_CODES {
            codes.pop_front();
        }
        codes.push_back(Redaction { value: code.clone(), with: named_secret::placeholder(name) });
        Some(code)
    }

    /// Hides the secrets in an address and a title.
    pub fn hide_secrets(&self, (url, title): (String, String)) -> (String, String) {
        let known = self.hidden_values();
        if known.is_empty() {
            (url, title)
        } else {
            (redact::redact_address(&url, &known), redact::redact_text(&title, &known))
        }
    }

    /// Returns every value to hide in texts, with its replacement.
    pub fn hidden_values(&self) -> Vec<Redaction> {
        let all = self.keys.all.iter();
        let fixed = all
            .map(|(name, key)| Redaction { value: key.value.clone(), with: named_secret::placeholder(name) });
        let codes = self.keys.codes.lock().unwrap_or_else(PoisonError::into_inner);
        fixed.chain(codes.iter().cloned()).chain(self.typed.hidden_values()).collect()
    }
}

/// Computes a one-time code (RFC 6238) as authenticator apps do: SHA-1, 30 seconds, six digits.
fn one_time_code(seed: &[u8], unix_ms: i64) -> String {
    let digest = hmac(seed, &unix_ms.div_euclid(PERIOD_MS).to_be_bytes());
    let from = usize::from(digest[digest.len() - 1] & 15);
    let four = digest.iter().skip(from).take(4).fold(0_u32, |sum, byte| (sum << 8) | u32::from(*byte));
    let number = (four & 0x7fff_ffff) % 10_u32.pow(DIGITS as u32);
    format!("{number:0DIGITS$}")
}

/// Computes HMAC-SHA-1 (RFC 2104).
fn hmac(key: &[u8], message: &[u8]) -> [u8; 20] {
    let mut block = [0_u8; BLOCK];
    let short = if key.len() > BLOCK { Sha1::digest(key).to_vec() } else { key.to_vec() };
    block[..short.len()].copy_from_slice(&short);
    let pad = |with: u8| block.map(|byte| byte ^ with);
    let inner = Sha1::new().chain_update(pad(0x36)).chain_update(message).finalize();
    Sha1::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::secret::Secret;

    fn ring(value: &str, totp: bool) -> NamedSecrets {
        let value = Some(Secret::new(value));
        let origins = vec![String::from("https://shop.test"), String::from("https://id.test:8443")];
        NamedSecrets::from_config(&BTreeMap::from([(
            String::from("shop"),
            PageSecret { value, env: None, origins, totp },
        )]))
    }

    // RFC 6238, appendix B, the last six of its eight digits; RFC 2202, cases 1 and 6.
    #[test]
    fn one_time_codes_are_those_of_the_rfc() {
        let seconds = [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_234_567_890, "005924"),
            (20_000_000_000, "353130"),
        ];
        for (second, code) in seconds {
            assert_eq!(one_time_code(b"12345678901234567890", second * 1000), code, "{second}");
        }
        let hex = |bytes: [u8; 20]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(hmac(&[0x0b; 20], b"Hi There")), "b617318655057264e28bc0b6fb378c8ef146be00");
        let long = hmac(&[0xaa; 80], b"Test Using Larger Than Block-Size Key - Hash Key First");
        assert_eq!(hex(long), "aa4ae5e15272d00e95705637ce8a3b55ed402112");
    }

    #[test]
    fn names_and_origins_of_secrets_are_described_and_values_are_not() {
        let ring = ring("opensesame", false);
        assert_eq!(ring.describe(), ["`<secret:shop>` (shop.test, id.test)"]);
        assert!(!format!("{ring:?}").contains("opensesame"));
        assert_eq!(ring.origins("shop")[1], "https://id.test:8443");
        assert!(ring.origins("other").is_empty() && ring.value("other", Moment::now()).is_none());
    }

    #[test]
    fn secrets_are_hidden_in_url_and_title() {
        let redacted = |ring: &NamedSecrets| {
            ring.hide_secrets((String::from("http://a/?p=opensesame#x"), String::from("opensesame!")))
        };
        let hidden = (String::from("http://a/?p=****#x"), String::from("<secret:shop>!"));
        assert_eq!(redacted(&ring("opensesame", false)), hidden);
        assert_eq!(redacted(&NamedSecrets::default()).1, "opensesame!");
    }

    #[test]
    fn typed_values_are_known_within_their_run_only_and_dropped_with_it() {
        let all = ring("opensesame", false);
        let [one, two] = ["r1", "r2"].map(|run| all.for_run(&RunId::from(run)));
        one.typed().add_value(String::from("by hand"));
        assert_eq!([&all, &one, &two].map(|ring| ring.hidden_values().len()), [1, 2, 1]);
        assert_eq!(all.for_run(&RunId::from("r1")).hidden_values().len(), 2);
        drop(one);
        assert_eq!(all.for_run(&RunId::from("r1")).hidden_values().len(), 1);
    }

    // A typed code is hidden in the texts of pages.
    #[test]
    fn typed_one_time_codes_are_hidden() {
        let ring = ring("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", true);
        assert_eq!(ring.hidden_values().len(), 1);
        assert_eq!(ring.value("shop", Moment::from_millis(59_000)).as_deref(), Some("287082"));
        assert!(
            ring.hidden_values()
                .contains(&Redaction { value: "287082".into(), with: "<secret:shop>".into() })
        );
    }
}
