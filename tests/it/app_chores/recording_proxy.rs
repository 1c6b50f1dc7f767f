//! A proxy in front of the applications: it finds the application by the name of its site, passes everything on as it
//! is, and records requests and messages of sockets that the browser sent.

use crate::gate_table::arrivals::{Arrival, list_fields};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};

/// Longest text of a body that is kept.
const BODY_KEPT: usize = 100_000;

/// Address of an application, and what arrived for it.
#[derive(Default)]
struct Upstream {
    address: String,
    arrivals: Mutex<Vec<Arrival>>,
}

type Upstreams = Arc<Mutex<HashMap<String, Arc<Upstream>>>>;

pub struct RecordingProxy {
    pub port: u16,
    upstreams: Upstreams,
}

impl RecordingProxy {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let upstreams = Upstreams::default();
        let shared = Arc::clone(&upstreams);
        actix_web::rt::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let upstreams = Arc::clone(&shared);
                // A connection that breaks is the browser's affair.
                actix_web::rt::spawn(async move { pass_on(client, &upstreams).await });
            }
        });
        Self { port, upstreams }
    }

    /// Passes requests for this site on to this address.
    pub fn open(&self, site: &str, address: &str) {
        let upstream = Upstream { address: address.to_owned(), ..Upstream::default() };
        self.upstreams.lock().unwrap().insert(site.to_owned(), Arc::new(upstream));
    }

    /// Returns everything that arrived for a site so far.
    pub fn arrivals(&self, site: &str) -> Vec<Arrival> {
        let upstreams = self.upstreams.lock().unwrap();
        upstreams.get(site).map_or_else(Vec::new, |upstream| upstream.arrivals.lock().unwrap().clone())
    }
}

/// Head of a request.
struct Head {
    text: String,
    method: String,
    path: String,
    host: String,
}

impl Head {
    async fn read(client: &mut BufReader<OwnedReadHalf>) -> Option<Self> {
        let mut text = String::new();
        loop {
            let length = client.read_line(&mut text).await.ok()?;
            if length == 0 {
                return None;
            }
            if text.ends_with("\r\n\r\n") {
                break;
            }
        }
        let mut words = text.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut head = Self { method, path, host: String::new(), text };
        head.host = head.header("host").split(':').next()?.to_owned();
        Some(head)
    }

    fn header(&self, name: &str) -> &str {
        let mut fields = self.text.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(own, _)| own.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value.trim())
    }

    fn opens_socket(&self) -> bool {
        self.header("upgrade").eq_ignore_ascii_case("websocket")
    }

    /// Head to pass on. Messages of sockets stay uncompressed, so that they can be read.
    fn outgoing(&self) -> String {
        let is_kept = |line: &&str| !line.to_lowercase().starts_with("sec-websocket-extensions:");
        self.text.split_inclusive("\r\n").filter(is_kept).collect()
    }

    fn arrival(&self, body: &[u8]) -> Arrival {
        let text = String::from_utf8_lossy(&body[..body.len().min(BODY_KEPT)]).into_owned();
        let fields = list_fields(self.header("content-type"), &text);
        Arrival {
            method: if self.opens_socket() { String::from("SOCKET") } else { self.method.clone() },
            host: self.host.clone(),
            path: self.path.clone(),
            body: format!("{text} {fields}").trim().to_owned(),
            cookie: String::new(),
            is_message: false,
        }
    }
}

/// Passes the requests of one connection on, one after the other.
async fn pass_on(client: TcpStream, upstreams: &Upstreams) -> Option<()> {
    let (reader, mut to_client) = client.into_split();
    let mut client = BufReader::new(reader);
    let mut head = Head::read(&mut client).await?;
    let known = upstreams.lock().unwrap().get(&head.host).cloned();
    let Some(upstream) = known else {
        let nothing = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        return to_client.write_all(nothing).await.ok();
    };
    let (mut answers, mut to_server) = TcpStream::connect(&upstream.address).await.ok()?.into_split();
    let answering = async {
        let _ = tokio::io::copy(&mut answers, &mut to_client).await;
        let _ = to_client.shutdown().await;
    };
    let asking = async {
        loop {
            let body = read_body(&head, &mut client).await?;
            upstream.arrivals.lock().unwrap().push(head.arrival(&body));
            to_server.write_all(head.outgoing().as_bytes()).await.ok()?;
            to_server.write_all(&body).await.ok()?;
            if head.opens_socket() {
                return pass_messages(&head, &mut client, &mut to_server, &upstream).await;
            }
            head = Head::read(&mut client).await?;
        }
    };
    // Whichever side ends first ends the connection.
    tokio::select! {
        () = answering => None,
        _ = asking => None,
    }
}

/// Reads a body as it is, chunks and all.
async fn read_body(head: &Head, client: &mut BufReader<OwnedReadHalf>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    if head.header("transfer-encoding").contains("chunked") {
        while !body.ends_with(b"0\r\n\r\n") {
            client.read_until(b'\n', &mut body).await.ok().filter(|length| *length > 0)?;
        }
        return Some(body);
    }
    let length: u64 = head.header("content-length").parse().unwrap_or(0);
    client.take(length).read_to_end(&mut body).await.ok()?;
    Some(body)
}

/// Passes frames of a socket on, and records those with text or data.
async fn pass_messages(
    head: &Head,
    client: &mut BufReader<OwnedReadHalf>,
    to_server: &mut (impl AsyncWriteExt + Unpin),
    upstream: &Upstream,
) -> Option<()> {
    loop {
        let mut frame = vec![0; 2];
        client.read_exact(&mut frame).await.ok()?;
        let (code, short) = (frame[0] & 0x0f, usize::from(frame[1] & 0x7f));
        let extended = match short {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let is_masked = frame[1] & 0x80 != 0;
        let start = 2 + extended + if is_masked { 4 } else { 0 };
        frame.resize(start, 0);
        client.read_exact(&mut frame[2..]).await.ok()?;
        let long = frame[2..2 + extended].iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        let length = if extended == 0 { short } else { long };
        frame.resize(start + length, 0);
        client.read_exact(&mut frame[start..]).await.ok()?;
        if code <= 2 {
            let mask = if is_masked { frame[start - 4..start].to_vec() } else { vec![0; 4] };
            let data = frame[start..].iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key);
            let body = String::from_utf8_lossy(&data.take(BODY_KEPT).collect::<Vec<u8>>()).into_owned();
            let message =
                Arrival { method: String::from("MESSAGE"), body, is_message: true, ..head.arrival(&[]) };
            upstream.arrivals.lock().unwrap().push(message);
        }
        to_server.write_all(&frame).await.ok()?;
    }
}
