//! The sender of a request, as far as the guard knows.

use super::sign_ins::SignIn;
use actix_web::{FromRequest, HttpMessage, HttpRequest, dev};
use std::convert::Infallible;
use std::future::{Ready, ready};

/// The proof that a request has shown; in the extensions of every request that the guard has let in, and an extractor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Credential {
    /// Nothing: it asks for what is open to everybody.
    #[default]
    Stranger,
    /// Nothing: the service wants no token, and answers on this machine only.
    Local,
    /// The token, as programs show it.
    Bearer,
    /// The cookie of a browser that has signed in.
    SignedIn(SignIn),
}

impl Credential {
    /// The browser that has signed in.
    pub fn sign_in(&self) -> Option<&SignIn> {
        match self {
            Self::SignedIn(sign_in) => Some(sign_in),
            Self::Stranger | Self::Local | Self::Bearer => None,
        }
    }
}

impl FromRequest for Credential {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        ready(Ok(request.extensions().get::<Self>().cloned().unwrap_or_default()))
    }
}
