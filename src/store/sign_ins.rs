//! Browsers that have signed in.

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
    fn sign_ins(&self, now: Moment) -> Reply<Vec<SignInRow>>;

    fn add_sign_in(&self, row: SignInRow) -> Reply<()>;

    fn end_sign_in(&self, id: String) -> Reply<()>;
}
