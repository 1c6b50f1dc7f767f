//! Ids as newtypes: one kind of id can never be passed for another. All are UUIDv7 strings on the
//! wire, so they sort by time of birth. This is the only file that makes random ids.
#![allow(clippy::disallowed_methods, reason = "the home of random ids")]

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A fresh id.
            pub fn fresh() -> Self {
                Self(unique())
            }

            /// Whether a text has an id's form.
            pub fn is_one(text: &str) -> bool {
                uuid::Uuid::try_parse(text).is_ok()
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id!(
    /// One execution of an agent.
    RunId
);
id!(
    /// One socket of one viewer.
    SessionId
);
id!(
    /// One question that waits for a person; what the wire calls `reference`.
    QuestionId
);
id!(
    /// One remembered permission.
    GrantId
);

/// A random token of 32 hexadecimal digits with no meaning and no order, for nonces and secrets.
pub fn token() -> String {
    #[allow(clippy::disallowed_methods, reason = "the one place that makes random ids")]
    let (one, two) = (uuid::Uuid::new_v4(), uuid::Uuid::new_v4());
    // 16 hexadecimal digits of each: 64 bits less the few that say "version 4".
    let bytes = one.as_bytes()[8..].iter().chain(&two.as_bytes()[..8]);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

fn unique() -> String {
    uuid::Uuid::now_v7().to_string()
}
