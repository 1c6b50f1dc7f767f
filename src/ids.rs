//! Identifiers as newtypes, so that one kind cannot be passed for another. All are UUIDv7 strings on the
//! wire, and therefore sort by creation time. No other module creates random ids.
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
            /// Creates a new id.
            pub fn fresh() -> Self {
                Self(unique())
            }

            /// Reports whether the text is a UUID.
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
    /// Identifier of a run, one execution of an agent.
    RunId
);
id!(
    /// Identifier of a session, one socket of a viewer.
    SessionId
);
id!(
    /// Identifier of a question to a person. The wire calls it `reference`.
    QuestionId
);
id!(
    /// Identifier of a remembered permission.
    GrantId
);

/// Returns a random token of 32 hexadecimal digits, for nonces and secrets. Unlike an id, it has no order.
pub fn token() -> String {
    #[allow(clippy::disallowed_methods, reason = "the one place that makes random ids")]
    let (one, two) = (uuid::Uuid::new_v4(), uuid::Uuid::new_v4());
    // The last eight bytes of each id: a version 4 UUID has its fixed version bits in the other half.
    let bytes = one.as_bytes()[8..].iter().chain(&two.as_bytes()[..8]);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

fn unique() -> String {
    unique_uuid().to_string()
}

/// Returns a new id for a row of a database; later ones are greater.
pub fn unique_uuid() -> uuid::Uuid {
    uuid::Uuid::now_v7()
}

/// Returns an id below all those that [`unique_uuid`] gives from this moment on, in Unix milliseconds.
pub fn first_uuid_at(millis: i64) -> uuid::Uuid {
    // A UUIDv7 begins with its milliseconds, in 48 of 128 bits.
    uuid::Uuid::from_u128(u128::from(millis.max(0).unsigned_abs()) << 80)
}
