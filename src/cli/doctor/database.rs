//! Checks of the PostgreSQL database, if the settings name one.

use crate::cli::doctor::finding::Finding;
use crate::config::secret::Secret;
use crate::protocol::Locale;
use crate::store::error::StoreError;
use crate::store::postgres::connection::address::{CertificateCheck, PostgresAddress};
use crate::store::postgres::connection::open::ServerStatus;
use crate::store::postgres::connection::store::PostgresStore;
use crate::texts::terminal::doctor as texts;

/// Checks whether the database can hold the store, who can read the connection, and what becomes of commits if a machine is
/// lost.
pub async fn check(url: Option<&Secret>, locale: Locale) -> Vec<Finding> {
    let Some(url) = url.map(|url| url.expose().to_owned()) else { return Vec::new() };
    let read = tokio::task::spawn_blocking(move || {
        let address = PostgresAddress::parse(&url)?;
        Ok((PostgresStore::server_status(&url)?, address))
    });
    match read.await.unwrap_or(Err(StoreError::Stopped)) {
        Ok((status, address)) => describe(&status, &address, locale),
        Err(fault) => vec![unusable(&fault, locale)],
    }
}

fn unusable(fault: &StoreError, locale: Locale) -> Finding {
    Finding::missing("database", fault.to_string(), texts::correct_store_url(locale))
}

fn describe(status: &ServerStatus, address: &PostgresAddress, locale: Locale) -> Vec<Finding> {
    let shown = address.shown();
    if let Err(fault) = status.check_usable(&shown) {
        return vec![unusable(&fault, locale)];
    }
    let version = format!("{}.{}", status.version / 10_000, status.version % 10_000);
    let works = match (status.creates_tables, status.schema) {
        (true, _) => Finding::good("database", texts::database_works(&version, &shown, locale)),
        (false, None) => {
            let text = texts::no_table_creation(&version, &shown, locale);
            Finding::missing("database", text, texts::allow_table_creation(locale))
        }
        // Only a newer version of the service may need new tables.
        (false, Some(_)) => {
            let text = texts::no_table_creation(&version, &shown, locale);
            Finding::note("database", text, texts::allow_table_creation(locale))
        }
    };
    vec![works, describe_encryption(status, address, locale), describe_commits(status, locale)]
}

fn describe_encryption(status: &ServerStatus, address: &PostgresAddress, locale: Locale) -> Finding {
    if address.is_local() {
        return Finding::good("tls", texts::connection_is_local(locale));
    }
    if address.tls.check == CertificateCheck::AuthorityAndHost {
        return Finding::good("tls", texts::connection_is_verified(locale));
    }
    let text = match address.demands_tls() || status.is_encrypted {
        true => texts::certificate_unchecked(locale),
        false => texts::connection_unencrypted(locale),
    };
    Finding::note("tls", text, texts::verify_certificate(locale))
}

fn describe_commits(status: &ServerStatus, locale: Locale) -> Finding {
    if !status.keeps_commits {
        return Finding::note("commits", texts::commits_not_kept(locale), texts::keep_commits(locale));
    }
    match (status.is_synchronous, status.standbys) {
        (true, _) => Finding::good("commits", texts::synchronous_standby(locale)),
        (false, 0) => Finding::good("commits", texts::single_primary(locale)),
        (false, _) => {
            let advice = texts::make_standby_synchronous(locale);
            Finding::note("commits", texts::standby_not_synchronous(locale), advice)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::Grade;

    fn sound() -> ServerStatus {
        ServerStatus {
            version: 150_018,
            encoding: String::from("UTF8"),
            creates_tables: true,
            keeps_commits: true,
            ..ServerStatus::default()
        }
    }

    fn findings(status: &ServerStatus, url: &str) -> Vec<Finding> {
        describe(status, &PostgresAddress::parse(url).unwrap(), Locale::En)
    }

    fn assert_finding(finding: &Finding, grade: Grade, word: &str) {
        assert!(finding.grade == grade && finding.text.contains(word), "{finding:?}");
    }

    #[test]
    fn the_database_is_usable_or_the_finding_says_why_not() {
        let database = |status: ServerStatus| findings(&status, "postgres://db/a").remove(0);
        assert_finding(&database(sound()), Grade::Good, "15.18 at db:5432/a");
        assert_finding(&database(ServerStatus { version: 130_001, ..sound() }), Grade::Missing, "13");
        let latin = ServerStatus { encoding: String::from("LATIN1"), ..sound() };
        assert_finding(&database(latin), Grade::Missing, "LATIN1");
        let tied = ServerStatus { creates_tables: false, ..sound() };
        assert_finding(&database(tied.clone()), Grade::Missing, "create tables");
        assert_finding(&database(ServerStatus { schema: Some(1), ..tied }), Grade::Note, "create tables");
    }

    #[test]
    fn the_finding_tells_who_can_read_the_connection() {
        let tls =
            |url: &str, is_encrypted| findings(&ServerStatus { is_encrypted, ..sound() }, url).remove(1);
        for local in ["postgres:///a?host=/run/pg", "postgres://127.0.0.1/a", "postgres://[::1],localhost/a"]
        {
            assert_finding(&tls(local, false), Grade::Good, "this machine");
        }
        assert_finding(&tls("postgres://db/a", false), Grade::Note, "not encrypted");
        assert_finding(&tls("postgres://localhost,db/a", false), Grade::Note, "not encrypted");
        assert_finding(&tls("postgres://db/a", true), Grade::Note, "another server");
        assert_finding(&tls("postgres://db/a?sslmode=require", false), Grade::Note, "another server");
        assert_finding(&tls("postgres://db/a?sslmode=verify-full", false), Grade::Good, "is checked");
    }

    #[test]
    fn the_finding_tells_what_a_lost_machine_costs() {
        let commits = |status: ServerStatus| findings(&status, "postgres://db/a").remove(2);
        assert_finding(&commits(sound()), Grade::Good, "single primary");
        let standby = ServerStatus { standbys: 1, ..sound() };
        assert_finding(&commits(standby.clone()), Grade::Note, "last commits");
        assert_finding(&commits(ServerStatus { is_synchronous: true, ..standby }), Grade::Good, "standby");
        let careless = commits(ServerStatus { keeps_commits: false, ..sound() });
        assert_finding(&careless, Grade::Note, "before they are on the disk");
    }
}
