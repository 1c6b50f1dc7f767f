//! Requests of Chromium to the proxy, forwarded by hyper. Connections are kept on both sides, because opening one for
//! each file of a page costs more than the file. What may have an effect is sent at most once: it gets a connection of
//! its own to the server, and a server that ends it without an answer is reported by one, since Chromium repeats
//! whatever a kept connection leaves unanswered.

use crate::browser::network::leased_stream::LeasedStream;
use crate::browser::network::server_connector::{Destination, ServerConnector};
use crate::store::tree_leases::deadline::LeaseDeadline;
use http::header::{
    CONNECTION, HeaderMap, HeaderName, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING,
    UPGRADE,
};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri, Version};
use http_body_util::{Either, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use tokio::net::TcpStream;

/// Time limit for the head of a request; a client that sends nothing is disconnected.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum length of a head in bytes. Large cookies make heads of several thousand bytes.
const LONGEST_HEAD: usize = 256 * 1024;
const MOST_HEADERS: usize = 1000;
/// Headers that concern one connection, not the message.
const HOP_HEADERS: [HeaderName; 8] = [
    CONNECTION,
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
];
const NO_ANSWER: &str = "the server closed the connection without an answer";

/// Body that is passed on, or made here.
type ForwardedBody = Either<Incoming, Full<Bytes>>;

/// The connection is closed without a response: Chromium shows an error page, and `UrlPolicy` supplies the message.
#[derive(Debug, thiserror::Error)]
#[error("there is no response")]
struct NoResponse;

/// Shared by all connections of one proxy.
pub struct ProxyState {
    pub connector: ServerConnector,
    /// Expected value of the `Proxy-Authorization` header.
    pub expected: String,
    /// Deadline after which nothing of Chromium is passed on.
    pub lease: LeaseDeadline,
}

/// Connection of Chromium to the proxy.
struct ClientConnection {
    proxy: Rc<ProxyState>,
    /// Connection to the server of the last request, for the next one.
    kept: RefCell<Option<ServerConnection>>,
}

struct ServerConnection {
    authority: String,
    requests: SendRequest<ForwardedBody>,
}

/// Answers the requests of one connection until either side closes it.
pub async fn serve_connection(proxy: Rc<ProxyState>, client: TcpStream) -> hyper::Result<()> {
    // Small messages should not be delayed.
    let _ = client.set_nodelay(true);
    let client = LeasedStream { stream: client, lease: proxy.lease.clone() };
    let connection = Rc::new(ClientConnection { proxy, kept: RefCell::new(None) });
    let answer = hyper::service::service_fn(move |request| {
        let connection = Rc::clone(&connection);
        async move { connection.answer(request).await }
    });
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(LONGEST_HEAD)
        .preserve_header_case(true)
        .auto_date_header(false)
        .serve_connection(TokioIo::new(client), answer)
        .with_upgrades()
        .await
}

impl ClientConnection {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<ForwardedBody>, NoResponse> {
        // A request to the proxy itself has no host and gets no response.
        let to = read_destination(request.method(), request.uri()).ok_or(NoResponse)?;
        let password = request.headers().get(PROXY_AUTHORIZATION);
        if password.is_none_or(|password| password != self.proxy.expected.as_str()) {
            return Ok(ask_for_password());
        }
        match request.method() {
            &Method::CONNECT => Ok(self.tunnel(request, &to).await),
            _ => self.forward(request, &to).await,
        }
    }

    async fn tunnel(&self, request: Request<Incoming>, to: &Destination) -> Response<ForwardedBody> {
        let Ok(mut server) = self.proxy.connector.open(to).await else {
            return respond(StatusCode::BAD_GATEWAY, "");
        };
        tokio::task::spawn_local(async move {
            let Ok(client) = hyper::upgrade::on(request).await else { return };
            // Either side may break the connection at any time.
            let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(client), &mut server).await;
        });
        respond(StatusCode::OK, "")
    }

    async fn forward(
        &self,
        request: Request<Incoming>,
        to: &Destination,
    ) -> Result<Response<ForwardedBody>, NoResponse> {
        let (mut head, body) = request.into_parts();
        let may_have_effect = !body.is_end_stream()
            || self.proxy.connector.url_policy.may_have_effect(head.method.as_str(), &to.url);
        prepare_head(&mut head).ok_or(NoResponse)?;
        if !may_have_effect && let Some(response) = self.send_by_kept_connection(&head, to).await {
            return Ok(response);
        }
        let mut requests = self.connect(to).await.ok_or(NoResponse)?;
        match requests.send_request(Request::from_parts(head, Either::Left(body))).await {
            Ok(response) => Ok(self.pass_on(response, to, requests)),
            Err(_) if may_have_effect => Ok(respond(StatusCode::BAD_GATEWAY, NO_ANSWER)),
            Err(_) => Err(NoResponse),
        }
    }

    /// Sends a request without effect by the connection of the last one, if that is still open and to the same server.
    async fn send_by_kept_connection(
        &self,
        head: &Parts,
        to: &Destination,
    ) -> Option<Response<ForwardedBody>> {
        let kept = self.kept.take().filter(|kept| kept.authority == to.authority())?;
        let mut requests = kept.requests;
        requests.ready().await.ok()?;
        let request = Request::from_parts(head.clone(), Either::Right(Full::default()));
        let response = requests.send_request(request).await.ok()?;
        Some(self.pass_on(response, to, requests))
    }

    async fn connect(&self, to: &Destination) -> Option<SendRequest<ForwardedBody>> {
        let server = self.proxy.connector.open(to).await.ok()?;
        let handshake = hyper::client::conn::http1::Builder::new()
            .preserve_header_case(true)
            .max_headers(MOST_HEADERS)
            // Servers are read as leniently as Chromium reads them.
            .http09_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .handshake(TokioIo::new(server));
        let (requests, connection) = handshake.await.ok()?;
        tokio::task::spawn_local(connection);
        Some(requests)
    }

    fn pass_on(
        &self,
        response: Response<Incoming>,
        to: &Destination,
        requests: SendRequest<ForwardedBody>,
    ) -> Response<ForwardedBody> {
        self.kept.replace(Some(ServerConnection { authority: to.authority(), requests }));
        let mut response = response.map(Either::Left);
        drop_hop_headers(response.headers_mut());
        *response.version_mut() = Version::HTTP_11;
        response
    }
}

/// Reads where a request wants to go; `None` if it does not say so.
fn read_destination(method: &Method, uri: &Uri) -> Option<Destination> {
    let host = uri.host()?.to_owned();
    if method == Method::CONNECT {
        // The scheme inside the tunnel is unknown. `http` is assumed, because the service's own demo uses it.
        let port = uri.port_u16()?;
        return Some(Destination { url: format!("http://{host}:{port}/"), host, port });
    }
    (uri.scheme_str() == Some("http")).then_some(())?;
    Some(Destination { host, port: uri.port_u16().unwrap_or(80), url: uri.to_string() })
}

/// Turns a request to the proxy into one to the server.
fn prepare_head(head: &mut Parts) -> Option<()> {
    head.uri = Uri::from(head.uri.path_and_query()?.clone());
    head.version = Version::HTTP_11;
    drop_hop_headers(&mut head.headers);
    Some(())
}

/// Leaves out the headers of one connection. The others keep their order, by which some servers know a browser.
fn drop_hop_headers(headers: &mut HeaderMap) {
    let mut kept = HeaderMap::with_capacity(headers.len());
    let mut last = None;
    for (name, value) in headers.drain() {
        // A further value of a name comes without it.
        last = name.or(last);
        if let Some(name) = last.clone().filter(|name| !HOP_HEADERS.contains(name)) {
            kept.append(name, value);
        }
    }
    *headers = kept;
}

fn ask_for_password() -> Response<ForwardedBody> {
    let mut response = respond(StatusCode::PROXY_AUTHENTICATION_REQUIRED, "");
    let challenge = HeaderValue::from_static("Basic realm=\"askfirst\"");
    response.headers_mut().insert(PROXY_AUTHENTICATE, challenge);
    response
}

fn respond(status: StatusCode, text: &'static str) -> Response<ForwardedBody> {
    let mut response = Response::new(Either::Right(Full::from(text)));
    *response.status_mut() = status;
    response
}
