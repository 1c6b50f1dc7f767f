//! The sender of a request, as far as the guard knows.

use crate::http::guard::sign_ins::SignIn;
use actix_web::{FromRequest, HttpMessage, HttpRequest, dev};
use std::convert::Infallible;
use std::future::{Ready, ready};

/// Credential of a request. An extractor; stored in the extensions of every request that the guard lets in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Credential {
    /// No credential, for a path that is open to everybody.
    #[default]
    Stranger,
    /// No credential; the service requires no token, because it serves this machine only.
    Local,
    /// The token in `Authorization`, as programs send it.
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
