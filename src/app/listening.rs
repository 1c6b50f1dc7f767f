//! The listening socket, and the server of all routes behind it.

use crate::app::error::AppError;
use crate::config::Settings;
use crate::demo;
use crate::demo::Shop;
use crate::http::guard::Guard;
use crate::http::language::translate;
use crate::http::mcp::Mcp;
use crate::http::openai::repeated_requests::Retries;
use crate::http::service::Service;
use crate::http::ui::ws;
use crate::http::{guard, mcp, routes};
use crate::session::relay;
use crate::session::state::SessionDeps;
use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer, web};
use std::net::TcpListener;

/// Seconds that requests get to finish at shutdown.
const GRACE_S: u64 = 1;

/// Binds the address of the settings.
pub fn listen(settings: &Settings) -> Result<TcpListener, AppError> {
    let server = &settings.server;
    let to_error = |source| AppError::Listen { address: format!("{}:{}", server.host, server.port), source };
    let host = server.host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind((host, server.port)).map_err(to_error)
}

/// Starts the HTTP server on the listener.
pub fn serve(
    listener: TcpListener,
    guard: web::Data<Guard>,
    session_deps: SessionDeps,
    service: Service,
    settings: &Settings,
) -> Result<Server, std::io::Error> {
    let (session_deps, service) = (web::Data::new(session_deps), web::Data::new(service));
    let mcp = Mcp::new(service.clone(), guard.base(), settings.server.token.clone());
    let retries = web::Data::new(Retries::default());
    let (mcp, shop) = (web::Data::new(mcp), Shop::open(Some(settings.data_dir.clone())));
    let server = HttpServer::new(move || {
        App::new()
            .app_data(guard.clone())
            .app_data(session_deps.clone())
            .app_data(service.clone())
            .app_data(mcp.clone())
            .app_data(retries.clone())
            .wrap(from_fn(guard::enforce))
            .wrap(from_fn(translate::problems))
            .configure(|app| demo::configure(app, &shop))
            .route("/ws", web::get().to(ws::open))
            .route(relay::PATH, web::get().to(ws::open_relayed))
            .configure(mcp::configure)
            .configure(routes::configure)
    })
    .listen(listener)?
    // Frames are small and each is awaited, so they must not be delayed and joined (Nagle's algorithm).
    .tcp_nodelay(true)
    .workers(2)
    .shutdown_timeout(GRACE_S)
    .disable_signals();
    Ok(server.run())
}
