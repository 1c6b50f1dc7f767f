//! A PostgreSQL server of the tests: on a socket in a temporary folder, started once per process, gone with it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio_postgres::{Client, NoTls};

/// Starts the server, and ends it with its folder when the standard input is closed, which it is when the test process has
/// ended in any way. The server refuses to run as root.
const SCRIPT: &str = r#"
trap '' INT
as_user() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid="$user" --regid="$user" --clear-groups "$@"; else "$@"; fi; }
user=$(id -un postgres 2>/dev/null || echo nobody)
if [ "$(id -u)" -eq 0 ]; then chown "$user" "$folder"; fi
cd "$folder"
as_user "$bin/initdb" --no-sync -A trust -U askfirst -E UTF8 --no-locale -D "$folder/data" &&
as_user "$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off -c max_connections=300 \
    -c synchronous_commit=off -c shared_buffers=64MB -c max_wal_size=256MB -c autovacuum_naptime=10s &
pid=$!
while read -r order; do
    case $order in
        restart) as_user "$bin/pg_ctl" -D "$folder/data" -m immediate restart -o "-k $folder -c listen_addresses=" -l "$folder/log" ;;
    esac
done
as_user "$bin/pg_ctl" -D "$folder/data" -m immediate stop
wait $pid
rm -rf "$folder"
"#;

/// Time that a slow machine may take to start a server.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub struct TestServer {
    folder: PathBuf,
    /// Keeps the server running: it ends when the input of this process is closed.
    keeper: std::sync::Mutex<Child>,
}

/// An empty database of the server.
pub struct TestDatabase {
    pub url: String,
}

static SERVER: OnceLock<TestServer> = OnceLock::new();
static DATABASES: AtomicUsize = AtomicUsize::new(0);

/// Returns the folder of the server's programs.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    let path = std::env::var("PATH").unwrap_or_default();
    folders.extend(path.split(':').map(PathBuf::from));
    let found = folders.into_iter().find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists());
    found.expect("PostgreSQL is missing; scripts/need.sh postgres installs it, as make test does")
}

impl TestServer {
    /// Returns the server of this process.
    pub fn shared() -> &'static Self {
        SERVER.get_or_init(Self::start)
    }

    /// Starts a server of its own, for a test that disturbs it.
    pub fn start() -> Self {
        // Paths of sockets are short, and the user of the server must reach the folder.
        let folder = tempfile::Builder::new().prefix("askfirst-pg").tempdir_in("/tmp").unwrap().keep();
        let log = std::fs::File::create(folder.join("log")).unwrap();
        let keeper = Command::new("sh")
            .args(["-c", SCRIPT])
            .env("folder", &folder)
            .env("bin", programs())
            .stdin(Stdio::piped())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let server = Self { folder, keeper: std::sync::Mutex::new(keeper) };
        server.wait_until_ready();
        server
    }

    /// Folder of the server's socket.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn wait_until_ready(&self) {
        let watch = Instant::now();
        let psql = || {
            let mut command = Command::new(programs().join("psql"));
            command.args(["-h", self.folder.to_str().unwrap(), "-U", "askfirst", "-d", "postgres", "-c", "select 1"]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        };
        while !psql() {
            let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(watch.elapsed() < PATIENCE, "the server does not start:\n{log}");
            std::thread::yield_now();
        }
    }

    /// Restarts the server as a crash does: its connections are lost, and commits of which it has told are kept.
    pub fn restart(&self) {
        let mut keeper = self.keeper.lock().unwrap();
        keeper.stdin.as_mut().unwrap().write_all(b"restart\n").unwrap();
    }

    pub fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user=askfirst", self.folder.display())
    }

    /// Connects past the store.
    pub async fn connect(&self, database: &str) -> Client {
        connect(&self.url(database)).await
    }

    /// Creates an empty database.
    pub async fn database(&self) -> TestDatabase {
        let name = format!("test{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        self.connect("postgres").await.batch_execute(&format!("create database {name} template template0")).await.unwrap();
        TestDatabase { url: self.url(&name) }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let mut keeper = self.keeper.lock().unwrap();
        drop(keeper.stdin.take());
        let _ = keeper.wait();
    }
}

/// Connects to a database past the store.
pub async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
