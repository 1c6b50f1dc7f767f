//! Browsers that have signed in.

use crate::clock::Moment;
use crate::store::error::StoreFuture;

/// A signed-in browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInRow {
    /// Hash of its cookie. The cookie itself is never stored.
    pub cookie_hash: String,
    /// Hash of the access token used to sign in. A changed token in the settings ends the sign-in.
    pub token_hash: String,
    pub expires_at: Moment,
}

/// Sign-ins of browsers, by the hashes of their cookies.
pub trait SignInRows {
    /// Reads sign-ins that have not expired.
    fn sign_ins(&self, now: Moment) -> StoreFuture<Vec<SignInRow>>;

    /// Stores a sign-in.
    fn add_sign_in(&self, row: SignInRow) -> StoreFuture<()>;

    /// Deletes a sign-in. No effect if there is none.
    fn end_sign_in(&self, cookie_hash: String) -> StoreFuture<()>;
}
