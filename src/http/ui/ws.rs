//! `GET /ws` and `GET /cluster/live`: upgrade a request to a session, of a viewer here or at another node.

use crate::http::caller_header;
use crate::http::guard::Guard;
use crate::http::guard::credential::Credential;
use crate::http::language::reader::ReaderLocale;
use crate::http::problem::Problem;
use crate::session::FRAME_LIMIT;
use crate::session::relay::{self, RelayedViewer};
use crate::session::state::{Session, SessionDeps};
use crate::store::tree_leases::RedeemedTicket;
use actix_web::http::StatusCode;
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

/// Upgrades the request of another node, which shows a ticket for one viewer and one run tree.
pub async fn open_relayed(
    request: HttpRequest,
    stream: web::Payload,
    deps: web::Data<SessionDeps>,
) -> Result<HttpResponse, Error> {
    let store = &deps.services.store;
    let shown = request.headers().get(relay::TICKET).and_then(|value| value.to_str().ok());
    let ticket = match shown {
        Some(shown) => store.redeem_ticket(shown.to_owned()).await.map_err(Problem::from)?,
        None => None,
    };
    let viewer = ticket.and_then(|RedeemedTicket { root, viewer }| {
        Some((root, serde_json::from_str::<RelayedViewer>(&viewer).ok()?))
    });
    let Some((root, viewer)) = viewer else {
        let detail = "services of one cluster connect here, and this request shows no valid ticket: one is valid \
            once, for half a minute, at the service that it was issued for";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "bad_ticket", detail).into());
    };
    if !store.owns(&root) {
        let detail = "the run has just gone over to another service of the cluster; look for it again";
        return Err(Problem::conflict("moved", detail).into());
    }
    let session = Session::new(deps.get_ref().clone(), None, None).for_viewer(viewer, root);
    actix_web_actors::ws::WsResponseBuilder::new(session, &request, stream).frame_size(FRAME_LIMIT).start()
}
