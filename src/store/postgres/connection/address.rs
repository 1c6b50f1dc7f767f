//! Address of the server: a URL in the form of `libpq`, with its rules for certificates.

use crate::store::error::StoreError;
use crate::text::error_cause::describe_root_cause;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use url::form_urlencoded;

/// Time limits of connections whose URL sets none: without them, a call would wait for a machine that is gone.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const UNANSWERED_TIMEOUT: Duration = Duration::from_secs(10);

/// Address of a server, and how it proves who it is.
#[derive(Clone, Debug)]
pub struct PostgresAddress {
    pub(crate) config: Config,
    pub(crate) tls: TlsRules,
}

/// Rules for TLS, from `sslmode` and `sslrootcert`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsRules {
    pub check: CertificateCheck,
    /// File of the authorities that are trusted; those of the system if there is none.
    pub root_cert: Option<PathBuf>,
}

/// Check of the server's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateCheck {
    /// `disable`, `prefer` and `require`: any certificate.
    Nothing,
    /// `verify-ca`: signed by a trusted authority.
    Authority,
    /// `verify-full`: signed by a trusted authority for this host.
    AuthorityAndHost,
}

impl PostgresAddress {
    /// Parses the setting `store.url`.
    pub fn parse(url: &str) -> Result<Self, StoreError> {
        let (plain, mode, root_cert) = take_tls_parameters(url);
        let wrong = |reason: String| StoreError::Address { reason };
        if !["postgres://", "postgresql://"].iter().any(|scheme| plain.starts_with(scheme)) {
            let reason = if plain.starts_with("sqlite:") {
                "the file of SQLite is always in the data folder (data_dir): write sqlite: without a path"
            } else {
                "it does not begin with postgres://"
            };
            return Err(wrong(String::from(reason)));
        }
        if plain.matches('@').count() > 1 {
            // The rest of a password would be taken for the host, and shown.
            return Err(wrong(String::from("it has more than one `@`; write the one of a password as %40")));
        }
        let mut config: Config =
            plain.parse().map_err(|fault: tokio_postgres::Error| wrong(describe_root_cause(&fault)))?;
        let (ssl_mode, check) = match mode.as_deref().unwrap_or("prefer") {
            "disable" => (SslMode::Disable, CertificateCheck::Nothing),
            "prefer" => (SslMode::Prefer, CertificateCheck::Nothing),
            // As in libpq: with authorities to trust, `require` checks them.
            "require" if root_cert.is_some() => (SslMode::Require, CertificateCheck::Authority),
            "require" => (SslMode::Require, CertificateCheck::Nothing),
            "verify-ca" => (SslMode::Require, CertificateCheck::Authority),
            "verify-full" => (SslMode::Require, CertificateCheck::AuthorityAndHost),
            other => {
                return Err(wrong(format!(
                    "sslmode `{other}` is none of disable, prefer, require, verify-ca and verify-full"
                )));
            }
        };
        config.ssl_mode(ssl_mode);
        if config.get_application_name().is_none() {
            config.application_name("askfirst");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNANSWERED_TIMEOUT);
        }
        Ok(Self { config, tls: TlsRules { check, root_cert } })
    }

    /// Reports whether connections stay on this machine: by sockets of the file system or the loopback.
    pub fn is_local(&self) -> bool {
        let is_own_name = |name: &str| {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        };
        self.config.get_hostaddrs().iter().all(IpAddr::is_loopback)
            && self.config.get_hosts().iter().all(|host| match host {
                Host::Tcp(name) => is_own_name(name),
                Host::Unix(_) => true,
            })
    }

    /// Reports whether each connection is encrypted.
    pub fn demands_tls(&self) -> bool {
        self.config.get_ssl_mode() == SslMode::Require
    }

    /// Returns the address without its password, for messages.
    pub fn shown(&self) -> String {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        });
        let hosts: Vec<String> = hosts.collect();
        let ports: Vec<String> = self.config.get_ports().iter().map(u16::to_string).collect();
        let port = if ports.is_empty() { String::from("5432") } else { ports.join(",") };
        let name = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        format!("{}:{port}/{name}", hosts.join(","))
    }
}

/// Removes the parameters that the client does not know from the URL, and returns them.
fn take_tls_parameters(url: &str) -> (String, Option<String>, Option<PathBuf>) {
    // A password may contain a question mark.
    let after_password = url.find('@').unwrap_or(0);
    let Some(at) = url.get(after_password..).and_then(|rest| rest.find('?')).map(|at| after_password + at)
    else {
        return (url.to_owned(), None, None);
    };
    let (address, query) = (&url[..at], &url[at + 1..]);
    let (mut mode, mut root_cert, mut rest) = (None, None, Vec::new());
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (_, value) = form_urlencoded::parse(part.as_bytes()).next().unwrap_or_default();
        match part.split('=').next() {
            Some("sslmode") => mode = Some(value.into_owned()),
            Some("sslrootcert") if value == "system" => root_cert = None,
            Some("sslrootcert") => root_cert = Some(PathBuf::from(value.into_owned())),
            _ => rest.push(part),
        }
    }
    let query = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
    (format!("{address}{query}"), mode, root_cert)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_with_its_rules_for_certificates() {
        let parse = |url: &str| PostgresAddress::parse(url).unwrap();
        let plain = parse("postgres://me:secret@db.test/askfirst");
        assert_eq!(plain.shown(), "db.test:5432/askfirst");
        assert_eq!(
            (plain.config.get_ssl_mode(), plain.tls.check),
            (SslMode::Prefer, CertificateCheck::Nothing)
        );
        let full = parse(
            "postgresql://me@db.test:6432/a?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem&connect_timeout=3",
        );
        assert_eq!(
            (full.config.get_ssl_mode(), full.tls.check),
            (SslMode::Require, CertificateCheck::AuthorityAndHost)
        );
        assert_eq!(full.tls.root_cert, Some(PathBuf::from("/etc/ca.pem")));
        assert_eq!(full.config.get_connect_timeout(), Some(&Duration::from_secs(3)));
        let checked = parse("postgres://db.test/a?sslmode=require&sslrootcert=ca.pem");
        assert_eq!(checked.tls.check, CertificateCheck::Authority);
        let question = parse("postgres://me:se?cret@db.test/a?sslmode=verify-full");
        assert_eq!(question.config.get_password(), Some(&b"se?cret"[..]));
        assert_eq!(question.tls.check, CertificateCheck::AuthorityAndHost);
        let socket = parse("postgres:///a?host=/run/pg&user=me&sslmode=disable");
        assert_eq!((socket.shown().as_str(), socket.config.get_user()), ("/run/pg:5432/a", Some("me")));
    }

    #[test]
    fn a_wrong_address_says_what_is_wrong_and_shows_no_password() {
        for (url, reason) in [
            ("mysql://me:secret@db.test/a", "postgres://"),
            ("postgres://me:secret@db.test/a?sslmode=sometimes", "sometimes"),
            ("postgres://me:secret@db.test:port/a", "port"),
            ("postgres://me:p@secret@db.test/a", "%40"),
            ("postgres://me:secret@db.test/a?application_name=a@b", "%40"),
            ("postgres://me:p?secret=x@db.test/a?wrong=1", "wrong"),
        ] {
            let message = PostgresAddress::parse(url).unwrap_err().to_string();
            assert!(message.contains(reason) && !message.contains("secret"), "{message}");
        }
    }
}
