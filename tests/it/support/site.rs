//! A small site on a free port: a room to look at, and a form for letters, which it counts.

use actix::{Actor, StreamHandler};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use actix_web_actors::ws;
use std::sync::{Arc, Mutex};
use tokio::sync::{Semaphore, watch};

/// Red, or blue behind the next door, so that a screenshot shows where it was taken.
const ROOM: &str = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>TITLE</title>
<style>body { background: COLOR; margin: 0 } form { background: white }</style>
<h1>TITLE</h1>
<label>Your name <input name="name"></label>
<label>Ticket <input name="ticket" value="42" readonly></label>
<button type="button" disabled>Locked</button>
<a href="/room?door=2">Next door</a>
<form action="/send" method="post" aria-label="Letter">
<label>Message <textarea name="message"></textarea></label>
<button>Send message</button>
</form>
<div style="height: 3000px"></div><p>The end of the room</p>"#;

const SENT: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Sent</title><h1>Message sent</h1>\
     <a href=/room>Back to the room</a>";

/// Page whose script waits for a response that never comes, which blocks observations.
const WAITING: &str = "<!doctype html><title>Waiting room</title><button \
     onclick=\"const x = new XMLHttpRequest(); x.open('GET', '/never', false); x.send()\">Show more</button>";

pub struct Site {
    /// `127.0.0.1:port`.
    pub host: String,
    sent: web::Data<Mutex<Vec<String>>>,
    office: web::Data<Office>,
}

/// Letters posted here are counted at once, and answered when the test allows it.
struct Office {
    came: watch::Sender<usize>,
    answers: Semaphore,
}

impl Site {
    /// Serves until the test ends.
    pub fn open() -> Self {
        let sent: web::Data<Mutex<Vec<String>>> = web::Data::from(Arc::default());
        let office = web::Data::new(Office { came: watch::Sender::new(0), answers: Semaphore::new(0) });
        let (letters, counter) = (sent.clone(), office.clone());
        let routes = move || {
            App::new()
                .app_data(letters.clone())
                .app_data(counter.clone())
                .route("/hand-in", web::post().to(hand_in))
                .route("/room", web::get().to(room))
                .route("/framed", web::get().to(framed))
                .route("/send", web::post().to(send))
                .route("/store", web::post().to(send))
                .route("/letters", web::get().to(received))
                .route("/file/{name}", web::get().to(crate::browser_stage::saved))
                .route("/html", web::get().to(crate::browser_stage::html))
                .route("/socket/{name}", web::get().to(socket))
                .route("/worker.js", web::get().to(worker))
                .route("/waiting", web::get().to(|| async { page(WAITING) }))
                .route("/never", web::get().to(std::future::pending::<HttpResponse>))
        };
        let server = HttpServer::new(routes).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let host = server.addrs()[0].to_string();
        actix::spawn(server.run());
        Self { host, sent, office }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// Waits until this many letters have arrived.
    pub async fn handed_in(&self, count: usize) {
        let mut seen = self.office.came.subscribe();
        let all = seen.wait_for(|came| *came >= count);
        tokio::time::timeout(super::app::PATIENCE, all).await.expect("a letter comes").unwrap();
    }

    /// Answers one waiting request.
    pub fn answers(&self) {
        self.office.answers.add_permits(1);
    }

    /// Returns the received letters.
    pub fn sent(&self) -> Vec<String> {
        self.sent.lock().unwrap().clone()
    }
}

async fn room(request: HttpRequest) -> HttpResponse {
    let (title, color) =
        if request.query_string().is_empty() { ("Quiet room", "#c00") } else { ("Blue room", "#00c") };
    let html = ROOM.replace("TITLE", title).replace("COLOR", color);
    page(html)
}

/// The room in a frame of another site: the same server under another host name.
async fn framed(request: HttpRequest) -> HttpResponse {
    let host = request.connection_info().host().replace("127.0.0.1", "localhost");
    page(format!(
        "<!doctype html><title>House</title><h1>House</h1>\
         <iframe title=Letters src='http://{host}/room' width=900 height=500></iframe>"
    ))
}

fn page(html: impl Into<String>) -> HttpResponse {
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(html.into())
}

async fn send(letters: web::Data<Mutex<Vec<String>>>, body: String) -> HttpResponse {
    letters.lock().unwrap().push(body);
    page(SENT)
}

/// A page with the number of received letters.
async fn received(letters: web::Data<Mutex<Vec<String>>>) -> HttpResponse {
    let count = letters.lock().unwrap().len();
    page(format!("<!doctype html><html lang=en><title>Letters</title><h1>Letters received: {count}</h1>"))
}

async fn hand_in(
    letters: web::Data<Mutex<Vec<String>>>,
    office: web::Data<Office>,
    body: String,
) -> HttpResponse {
    letters.lock().unwrap().push(body);
    office.came.send_modify(|came| *came += 1);
    office.answers.acquire().await.unwrap().forget();
    page(SENT)
}

/// A socket whose messages count as letters, each after the socket's name, and are answered.
struct LetterSocket {
    name: String,
    letters: web::Data<Mutex<Vec<String>>>,
}

impl Actor for LetterSocket {
    type Context = ws::WebsocketContext<Self>;
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for LetterSocket {
    fn handle(&mut self, message: Result<ws::Message, ws::ProtocolError>, context: &mut Self::Context) {
        let text = match message {
            Ok(ws::Message::Text(text)) => text.to_string(),
            Ok(ws::Message::Binary(bytes)) => format!("{bytes:?}"),
            Ok(ws::Message::Close(reason)) => return context.close(reason),
            Ok(
                ws::Message::Ping(_) | ws::Message::Pong(_) | ws::Message::Continuation(_) | ws::Message::Nop,
            )
            | Err(_) => return,
        };
        context.text(format!("received {text}"));
        self.letters.lock().unwrap().push(format!("{}: {text}", self.name));
    }
}

async fn socket(
    request: HttpRequest,
    name: web::Path<String>,
    letters: web::Data<Mutex<Vec<String>>>,
    payload: web::Payload,
) -> HttpResponse {
    let socket = LetterSocket { name: name.into_inner(), letters };
    ws::start(socket, &request, payload).unwrap_or_else(|_| HttpResponse::BadRequest().finish())
}

/// A script that sends by a socket what its page says, or at once what stands in its address.
async fn worker() -> HttpResponse {
    HttpResponse::Ok().content_type("text/javascript").body(
        "const at = location.search.slice(1);\
         const s = new WebSocket(`ws://${location.host}/socket/${at || 'worker'}`);\
         const open = new Promise((done) => { s.onopen = done; });\
         const say = (text) => open.then(() => s.send(text));\
         self.onmessage = (event) => say(event.data);\
         self.onconnect = (event) => { event.ports[0].onmessage = (told) => say(told.data); };",
    )
}
