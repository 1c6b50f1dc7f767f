//! Site of the hostile pages, a host of its own, with addresses that lead nowhere.

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use futures_util::stream;
use std::convert::Infallible;
use std::path::Path;

/// `127.0.0.1:port`, served for as long as the test runs.
pub fn open() -> String {
    let routes = || {
        App::new()
            .route("/loop", web::get().to(round))
            .route("/never", web::get().to(std::future::pending::<HttpResponse>))
            .route("/drip", web::get().to(|| async { drip() }))
            .route("/pages/{file:.*}", web::get().to(page))
    };
    let server = HttpServer::new(routes).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let host = server.addrs()[0].to_string();
    actix::spawn(server.run());
    host
}

/// Sends on to itself, by another name each time.
async fn round(request: HttpRequest) -> HttpResponse {
    let count: u64 = request.query_string().parse().unwrap_or_default();
    HttpResponse::Found().insert_header(("location", format!("/loop?{}", count + 1))).finish()
}

/// Begins a page and never ends it.
fn drip() -> HttpResponse {
    let start = "<!doctype html><title>Drip</title><h1>Drip</h1><button>Go on</button>";
    let pieces = stream::unfold(0u64, async move |count| {
        if count > 0 {
            std::future::pending::<()>().await;
        }
        Some((Ok::<_, Infallible>(web::Bytes::from_static(start.as_bytes())), count + 1))
    });
    HttpResponse::Ok().content_type("text/html").streaming(Box::pin(pieces))
}

async fn page(file: web::Path<String>) -> HttpResponse {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages").join(file.as_str());
    let kind = match path.extension().and_then(|extension| extension.to_str()) {
        Some("js") => "text/javascript",
        _ => "text/html; charset=utf-8",
    };
    std::fs::read(path).map_or_else(
        |_| HttpResponse::NotFound().finish(),
        |body| HttpResponse::Ok().content_type(kind).body(body),
    )
}
