//! A proxy in front of a PostgreSQL server that loses replies: it passes on a commit, waits until the server has done it,
//! and drops the connection without passing on the reply.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

/// The text by which a commit is recognised within the messages of a client.
const COMMIT: &[u8] = b"\0commit\0";

#[derive(Clone)]
pub struct LossyProxy {
    /// Address of the database behind the proxy.
    pub url: String,
    state: Arc<State>,
}

struct State {
    socket: PathBuf,
    loses_next: AtomicBool,
    lost: AtomicUsize,
    passed: watch::Sender<u64>,
    cuts: watch::Sender<u64>,
}

impl LossyProxy {
    /// Starts a proxy for the database with this URL, which names a folder of sockets.
    pub fn start(url: &str) -> Self {
        let folder = url.split("host=").nth(1).unwrap().split('&').next().unwrap();
        let database = url.split(['/', '?']).nth(3).unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            socket: PathBuf::from(folder).join(".s.PGSQL.5432"),
            loses_next: AtomicBool::new(false),
            lost: AtomicUsize::new(0),
            passed: watch::Sender::new(0),
            cuts: watch::Sender::new(0),
        });
        let proxy =
            Self { url: format!("postgres://askfirst@127.0.0.1:{port}/{database}?sslmode=disable"), state };
        let state = Arc::clone(&proxy.state);
        // A thread of its own: the test's thread blocks while a store is opened.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(accept(listener, state));
        });
        proxy
    }

    /// Loses the reply to the next commit.
    pub fn lose_next_reply(&self) {
        self.state.loses_next.store(true, Ordering::SeqCst);
    }

    /// Waits until clients have sent this many more bytes, and drops all connections there and then.
    pub async fn cut_after(&self, bytes: u64) {
        let mut passed = self.state.passed.subscribe();
        let until = *passed.borrow() + bytes;
        let waiting = passed.wait_for(|passed| *passed >= until);
        // Writers that have ended send nothing any more.
        if tokio::time::timeout(std::time::Duration::from_secs(3), waiting).await.is_ok() {
            self.state.cuts.send_modify(|cuts| *cuts += 1);
        }
    }

    /// Number of connections that were dropped on purpose.
    pub fn lost(&self) -> usize {
        self.state.lost.load(Ordering::SeqCst)
    }
}

async fn accept(listener: std::net::TcpListener, state: Arc<State>) {
    let listener = TcpListener::from_std(listener).unwrap();
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(pass_on(client, Arc::clone(&state)));
    }
}

async fn pass_on(client: TcpStream, state: Arc<State>) {
    let Ok(server) = UnixStream::connect(&state.socket).await else { return };
    let _ = client.set_nodelay(true);
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let mut cuts = state.cuts.subscribe();
    let (mut sent, mut replied) = (vec![0; 65_536], vec![0; 65_536]);
    let mut tail: Vec<u8> = Vec::new();
    loop {
        tokio::select! {
            _ = cuts.changed() => {
                state.lost.fetch_add(1, Ordering::SeqCst);
                return;
            }
            read = from_client.read(&mut sent) => {
                let Some(bytes) = read.ok().filter(|read| *read > 0).map(|read| &sent[..read]) else { return };
                // A commit may be spread over two reads.
                tail.extend_from_slice(bytes);
                let commits = tail.windows(COMMIT.len()).any(|part| part == COMMIT);
                tail.drain(..tail.len().saturating_sub(COMMIT.len() - 1));
                if to_server.write_all(bytes).await.is_err() {
                    return;
                }
                state.passed.send_modify(|passed| *passed += bytes.len() as u64);
                if commits && state.loses_next.swap(false, Ordering::SeqCst) {
                    // The end of the input lets the server finish what it has received before it leaves.
                    let _ = to_server.shutdown().await;
                    while from_server.read(&mut replied).await.is_ok_and(|read| read > 0) {}
                    state.lost.fetch_add(1, Ordering::SeqCst);
                    return;
                }
            }
            read = from_server.read(&mut replied) => {
                let Some(bytes) = read.ok().filter(|read| *read > 0).map(|read| &replied[..read]) else { return };
                if to_client.write_all(bytes).await.is_err() {
                    return;
                }
            }
        }
    }
}
