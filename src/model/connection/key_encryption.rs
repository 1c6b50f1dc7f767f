//! Encrypts the model's API key with AES-256-GCM. The stored text is useless without the file `model.key`,
//! which only the owner can read, and decrypts only for the base URL for which the key was given.

use crate::config::secret::Secret;
use crate::model::connection::stored_connection::create_private;
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

const FILE: &str = "model.key";
const LENGTH: usize = 32;

/// Encrypts the key for storage, bound to the base URL.
pub fn seal(data_dir: &Path, base_url: &str, key: &Secret) -> io::Result<String> {
    let sealing = sealing_key(&own_key(data_dir)?)?;
    let mut text = key.expose().as_bytes().to_vec();
    let nonce = sealing
        .seal_in_place_append_tag(Aad::from(base_url.as_bytes()), &mut text)
        .map_err(|_| io::Error::other("the key cannot be sealed"))?;
    Ok(BASE64.encode([nonce.as_ref().as_slice(), &text].concat()))
}

/// Decrypts the key; `None` if `model.key` is a different one or the text was changed.
pub fn open(data_dir: &Path, base_url: &str, sealed: &str) -> Option<Secret> {
    let opening = sealing_key(&fs::read(data_dir.join(FILE)).ok()?).ok()?;
    let bytes = BASE64.decode(sealed).ok()?;
    let (nonce, text) = bytes.split_at_checked(NONCE_LEN)?;
    let (nonce, mut text) = (Nonce::try_assume_unique_for_key(nonce).ok()?, text.to_vec());
    let opened = opening.open_in_place(nonce, Aad::from(base_url.as_bytes()), &mut text).ok()?;
    std::str::from_utf8(opened).ok().map(Secret::new)
}

fn sealing_key(bytes: &[u8]) -> io::Result<RandomizedNonceKey> {
    RandomizedNonceKey::new(&AES_256_GCM, bytes)
        .map_err(|_| io::Error::other("model.key is damaged; remove it"))
}

/// Reads the encryption key; creates it when it is first needed.
fn own_key(data_dir: &Path) -> io::Result<Vec<u8>> {
    let path = data_dir.join(FILE);
    match fs::read(&path) {
        Ok(bytes) => return Ok(bytes),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
        Err(fault) => return Err(fault),
    }
    let mut bytes = vec![0; LENGTH];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| io::Error::other("no random bytes are available"))?;
    let mut file = create_private(&path)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_opens_with_its_own_file_at_its_own_address_only() {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let key = Secret::new("sk-0123456789");
        let sealed = seal(home.path(), "https://a.test/v1", &key).unwrap();
        let again = seal(home.path(), "https://a.test/v1", &key).unwrap();
        assert_ne!(sealed, again, "a nonce is used once");
        assert!(
            !sealed.contains("sk-")
                && !String::from_utf8_lossy(&BASE64.decode(&sealed).unwrap()).contains("sk-")
        );
        assert_eq!(open(home.path(), "https://a.test/v1", &sealed), Some(key.clone()));
        assert_eq!(open(home.path(), "https://b.test/v1", &sealed), None);
        seal(other.path(), "https://a.test/v1", &key).unwrap();
        assert_eq!(open(other.path(), "https://a.test/v1", &sealed), None);
        let mut bent = BASE64.decode(&sealed).unwrap();
        bent[20] ^= 1;
        for bad in [BASE64.encode(bent), String::new(), String::from("???"), String::from("AAAA")] {
            assert_eq!(open(home.path(), "https://a.test/v1", &bad), None);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(home.path().join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
