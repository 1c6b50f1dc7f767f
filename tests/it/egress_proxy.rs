//! The proxy of Chromium as its clients see it: kept connections, headers, and requests that are sent at most once.

use askfirst::browser::network::egress_proxy::{Proxy, USER};
use askfirst::browser::network::url_policy::UrlPolicy;
use askfirst::clock::BootTime;
use askfirst::store::tree_leases::deadline::LeaseDeadline;
use base64::Engine;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Server that answers each request by a text, as often as texts are left, and writes the requests down.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<Mutex<usize>>,
}

impl Server {
    /// Starts a server whose connections answer with these texts in turn; an empty one ends the connection.
    async fn start(answers: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (requests, connections) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(0)));
        let (log, count) = (Arc::clone(&requests), Arc::clone(&connections));
        actix::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                *count.lock().unwrap() += 1;
                let log = Arc::clone(&log);
                actix::spawn(async move {
                    for answer in answers {
                        let Some(request) = read_head(&mut stream).await else { return };
                        log.lock().unwrap().push(request);
                        if answer.is_empty() || stream.write_all(answer.as_bytes()).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self { port, requests, connections }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Connection to a proxy, as Chromium opens one.
struct Client {
    stream: TcpStream,
    password: String,
}

impl Client {
    async fn connect(proxy: &Proxy) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", proxy.port)).await.unwrap();
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{USER}:{}", proxy.password));
        Self { stream, password: format!("Proxy-Authorization: Basic {pair}\r\n") }
    }

    async fn say(&mut self, start: &str, rest: &str) {
        let request = format!("{start} HTTP/1.1\r\n{}{rest}\r\n", self.password);
        self.stream.write_all(request.as_bytes()).await.unwrap();
    }

    /// Reads up to this text, or to the end.
    async fn read_until(&mut self, end: &str) -> String {
        let mut held = Vec::new();
        while !held.ends_with(end.as_bytes()) {
            match self.stream.read_u8().await {
                Ok(byte) => held.push(byte),
                Err(_) => break,
            }
        }
        String::from_utf8(held).unwrap()
    }
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut held = Vec::new();
    while !held.ends_with(b"\r\n\r\n") {
        held.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(held).ok()
}

fn open_proxy() -> Proxy {
    open_proxy_until(LeaseDeadline::default())
}

fn open_proxy_until(lease: LeaseDeadline) -> Proxy {
    let policy = UrlPolicy::new(|url| url.contains("/closed").then_some("it is closed"));
    Proxy::start(policy, lease).unwrap()
}

// Chromium may have sent a request before a suspension, and another node may have sent it again by now.
#[actix_web::test]
async fn nothing_is_passed_on_after_the_deadline_of_the_lease() {
    const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage";
    let server = Server::start(&[ANSWER, ANSWER]).await;
    let lease = LeaseDeadline::default();
    let (proxy, port) = (open_proxy_until(lease.clone()), server.port);
    let mut client = Client::connect(&proxy).await;
    client.say(&format!("GET http://127.0.0.1:{port}/"), "Host: a\r\n").await;
    client.read_until("page").await;
    lease.end();
    client.say(&format!("POST http://127.0.0.1:{port}/order"), "Host: a\r\nContent-Length: 0\r\n").await;
    assert_eq!(client.read_until("page").await, "");
    assert_eq!(server.requests().len(), 1);
    lease.extend(BootTime::now(), Duration::from_secs(60));
    let mut client = Client::connect(&proxy).await;
    client.say(&format!("GET http://127.0.0.1:{port}/"), "Host: a\r\n").await;
    assert!(client.read_until("page").await.ends_with("page"));
}

#[actix_web::test]
async fn requests_without_effect_share_a_connection_and_lose_the_headers_of_the_proxy() {
    let server = Server::start(&[
        "HTTP/1.1 200 Fine\r\nX-Kind: First\r\nContent-Length: 5\r\n\r\nfirst",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nsecond\r\n0\r\n\r\n",
    ])
    .await;
    let (proxy, port) = (open_proxy(), server.port);
    let mut client = Client::connect(&proxy).await;
    let host = format!("Host: 127.0.0.1:{port}\r\nX-Own: Kept\r\nProxy-Connection: keep-alive\r\n");
    client.say(&format!("GET http://127.0.0.1:{port}/a/b?c=d%20e"), &host).await;
    let first = client.read_until("first").await;
    assert!(first.starts_with("HTTP/1.1 200 Fine\r\nX-Kind: First\r\n"), "{first}");
    client.say(&format!("GET http://127.0.0.1:{port}/second"), &host).await;
    let second = client.read_until("0\r\n\r\n").await;
    assert!(second.contains("second"), "{second}");
    let expected =
        |target: &str| format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Own: Kept\r\n\r\n");
    assert_eq!(server.requests(), [expected("/a/b?c=d%20e"), expected("/second")]);
    assert_eq!(*server.connections.lock().unwrap(), 1);
}

// A kept connection that ends without an answer has Chromium repeat the request.
#[actix_web::test]
async fn a_request_with_an_effect_is_sent_once_though_no_answer_comes() {
    let server = Server::start(&["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage", ""]).await;
    let (proxy, port) = (open_proxy(), server.port);
    let mut client = Client::connect(&proxy).await;
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    client.say(&format!("GET http://127.0.0.1:{port}/"), &host).await;
    client.read_until("page").await;
    let broken = Server::start(&[""]).await;
    let port = broken.port;
    client.say(&format!("POST http://127.0.0.1:{port}/order"), "Host: a\r\nContent-Length: 0\r\n").await;
    let answer = client.read_until("without an answer").await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert_eq!(broken.requests().len(), 1);
}

#[actix_web::test]
async fn a_server_that_has_gone_is_opened_again_for_what_has_no_effect() {
    let server = Server::start(&["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"]).await;
    let (proxy, port) = (open_proxy(), server.port);
    let mut client = Client::connect(&proxy).await;
    for count in 1..=3 {
        client.say(&format!("GET http://127.0.0.1:{port}/"), "Host: a\r\n").await;
        assert!(client.read_until("page").await.ends_with("page"));
        assert_eq!(*server.connections.lock().unwrap(), count);
    }
}

#[actix_web::test]
async fn a_blocked_or_refused_server_gets_no_response() {
    let proxy = open_proxy();
    let port = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap().port();
    for address in
        [format!("http://127.0.0.1:{port}/"), String::from("http://127.0.0.1/closed"), String::from("/")]
    {
        let mut client = Client::connect(&proxy).await;
        client.say(&format!("GET {address}"), "Host: a\r\n").await;
        assert_eq!(client.read_until("never").await, "", "{address}");
    }
}

#[actix_web::test]
async fn old_servers_are_read_as_leniently_as_by_a_browser() {
    let answers: [&'static [&'static str]; 4] = [
        &["HTTP/1.0 200 OK\r\nServer : old\r\n\r\nread"],
        &["HTTP/1.1 200\r\nX-Folded: a\r\n b\r\n\r\nread"],
        &["HTTP/1.1 200 OK\r\nno header at all\r\nContent-Length: 4\r\n\r\nread"],
        &["HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nread"],
    ];
    for answers in answers {
        let server = Server::start(answers).await;
        let proxy = open_proxy();
        let mut client = Client::connect(&proxy).await;
        client.say(&format!("GET http://127.0.0.1:{}/", server.port), "Host: a\r\n").await;
        let read = client.read_until("read").await;
        assert!(read.starts_with("HTTP/1.1 200") && read.ends_with("read"), "{answers:?} {read}");
    }
}

#[actix_web::test]
async fn tunnels_pass_bytes_on_both_ways() {
    let server = Server::start(&["pong\r\n", "pong again\r\n"]).await;
    let proxy = open_proxy();
    let mut client = Client::connect(&proxy).await;
    client.say(&format!("CONNECT 127.0.0.1:{}", server.port), "").await;
    assert!(client.read_until("\r\n\r\n").await.starts_with("HTTP/1.1 200 "));
    for answer in ["pong\r\n", "pong again\r\n"] {
        client.stream.write_all(b"ping\r\n\r\n").await.unwrap();
        assert_eq!(client.read_until("\r\n").await, answer);
    }
    assert_eq!(server.requests(), ["ping\r\n\r\n", "ping\r\n\r\n"]);
}
