//! Storage of browser sign-ins. With the defaults no sign-in is kept, and browsers sign in again after a
//! restart.

use super::Reply;
use crate::clock::Moment;

/// A signed-in browser. The id is the hash of its cookie; the cookie itself is never stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInRow {
    pub id: String,
    /// Hash of the access token used to sign in. A changed token in the settings ends the sign-in.
    pub made_with: String,
    pub expires_at: Moment,
}

pub trait SignInRows {
    /// Returns the sign-ins that have not expired at `now`.
    fn sign_ins(&self, _now: Moment) -> Reply<Vec<SignInRow>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn add_sign_in(&self, _row: SignInRow) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }

    fn end_sign_in(&self, _id: String) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }
}
