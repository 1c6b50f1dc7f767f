//! `GET /ws`: a socket becomes a session.

use super::reader::Reader;
use crate::session::{FRAME_LIMIT, Lines, Session};
use actix_web::{Error, HttpRequest, HttpResponse, web};

/// Upgrades the request. Who may do so is the guard's business.
pub async fn open(
    request: HttpRequest,
    stream: web::Payload,
    lines: web::Data<Lines>,
) -> Result<HttpResponse, Error> {
    let session = Session::new(lines.get_ref().clone(), Reader::of(request.headers()).0);
    actix_web_actors::ws::WsResponseBuilder::new(session, &request, stream).frame_size(FRAME_LIMIT).start()
}
