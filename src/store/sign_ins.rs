//! Browsers that have signed in.

use crate::clock::Moment;
use crate::store::error::StoreFuture;

/// A signed-in browser. The id is the hash of its cookie; the cookie itself is never stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInRow {
    pub id: String,
    /// Hash of the access token used to sign in. A changed token in the settings ends the sign-in.
    pub made_with: String,
    pub expires_at: Moment,
}

pub trait SignInRows {
    /// Reads sign-ins that have not expired.
    fn sign_ins(&self, now: Moment) -> StoreFuture<Vec<SignInRow>>;

    fn add_sign_in(&self, row: SignInRow) -> StoreFuture<()>;

    fn end_sign_in(&self, id: String) -> StoreFuture<()>;
}
