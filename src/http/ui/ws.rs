//! `GET /ws`: upgrades a request to a session.

use crate::http::caller_header;
use crate::http::guard::Guard;
use crate::http::guard::credential::Credential;
use crate::http::language::reader::ReaderLocale;
use crate::session::FRAME_LIMIT;
use crate::session::state::{Session, SessionDeps};
use actix_web::{Error, HttpRequest, HttpResponse, web};

/// Upgrades the request. The guard has checked the caller. The socket is closed when the browser signs out.
pub async fn open(
    request: HttpRequest,
    stream: web::Payload,
    lines: web::Data<SessionDeps>,
    guard: web::Data<Guard>,
    caller: Credential,
) -> Result<HttpResponse, Error> {
    let signed_out = async move { guard.wait_until_signed_out(&caller).await };
    let headers = request.headers();
    let session = Session::new(
        lines.get_ref().clone(),
        caller_header::agent(headers),
        ReaderLocale::from_headers(headers).0,
    )
    .end_when(Box::pin(signed_out));
    actix_web_actors::ws::WsResponseBuilder::new(session, &request, stream).frame_size(FRAME_LIMIT).start()
}
