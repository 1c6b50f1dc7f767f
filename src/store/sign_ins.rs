//! Browsers that have signed in. A store that keeps none of them is one all the same: they sign in again after a
//! restart.

use super::Reply;
use crate::clock::Moment;

/// A browser that has signed in: the hash of its cookie, never the cookie itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInRow {
    pub id: String,
    /// The hash of the token that it showed; another token in the settings ends it.
    pub made_with: String,
    pub expires_at: Moment,
}

pub trait SignInRows {
    /// Reads sign-ins that have not expired.
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
