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
as_user "$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=$fsync -c max_connections=300 \
    -c shared_buffers=64MB -c max_wal_size=256MB -c autovacuum_naptime=10s &
pid=$!
while read -r order port; do
    case $order in
        tls) as_user "$bin/pg_ctl" -D "$folder/data" -m immediate restart -l "$folder/later.log" \
            -o "-k $folder -p 5432 -c listen_addresses=127.0.0.1 -c port=$port -c ssl=on" ;;
        restart) as_user "$bin/pg_ctl" -D "$folder/data" -m immediate restart -o "-k $folder -c listen_addresses=" -l "$folder/later.log" ;;
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
    /// A free port, for TLS.
    port: u16,
    /// Keeps the server running: it ends when the input of this process is closed.
    keeper: std::sync::Mutex<Child>,
}

/// An empty database of the server.
pub struct TestDatabase {
    pub url: String,
}

static SERVER: OnceLock<TestServer> = OnceLock::new();
static DATABASES: AtomicUsize = AtomicUsize::new(0);

/// Reports whether the server's programs are installed.
#[allow(dead_code, reason = "for measurements, which are left out without a server")]
pub fn is_installed() -> bool {
    find_programs().is_some()
}

/// Returns the folder of the server's programs.
fn programs() -> PathBuf {
    find_programs().expect("PostgreSQL is missing; scripts/need.sh postgres installs it, as make test does")
}

fn find_programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    let path = std::env::var("PATH").unwrap_or_default();
    folders.extend(path.split(':').map(PathBuf::from));
    folders.into_iter().find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
}

impl TestServer {
    /// Returns the server of this process.
    pub fn shared() -> &'static Self {
        SERVER.get_or_init(Self::start)
    }

    /// Starts a server of its own, for a test that disturbs it. A crash of the machine would lose what it has stored.
    pub fn start() -> Self {
        Self::start_with("off")
    }

    /// Starts a server that waits for the disk before it tells of a commit, as those of services do.
    #[allow(dead_code, reason = "for measurements")]
    pub fn start_durable() -> Self {
        Self::start_with("on")
    }

    fn start_with(fsync: &str) -> Self {
        // Paths of sockets are short, and the user of the server must reach the folder.
        let folder = tempfile::Builder::new().prefix("askfirst-pg").tempdir_in("/tmp").unwrap().keep();
        let log = std::fs::File::create(folder.join("log")).unwrap();
        let keeper = Command::new("sh")
            .args(["-c", SCRIPT])
            .env("folder", &folder)
            .env("bin", programs())
            .env("fsync", fsync)
            .stdin(Stdio::piped())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Self { folder, port, keeper: std::sync::Mutex::new(keeper) };
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
            command.args([
                "-h",
                self.folder.to_str().unwrap(),
                "-U",
                "askfirst",
                "-d",
                "postgres",
                "-c",
                "select 1",
            ]);
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
        self.order("restart");
    }

    fn order(&self, order: &str) {
        let mut keeper = self.keeper.lock().unwrap();
        keeper.stdin.as_mut().unwrap().write_all(format!("{order}\n").as_bytes()).unwrap();
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
        self.connect("postgres")
            .await
            .batch_execute(&format!("create database {name} template template0"))
            .await
            .unwrap();
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

impl TestServer {
    /// Serves TLS on a port of the loopback, with a certificate for this host; returns the file of its authority.
    pub fn serve_tls(&self, host: &str) -> PathBuf {
        let data = self.folder.join("data");
        let run = |args: &[&str]| {
            let made =
                Command::new("openssl").args(args).current_dir(&data).stderr(Stdio::null()).status().unwrap();
            assert!(made.success(), "{args:?}");
        };
        run(&[
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=authority",
            "-keyout",
            "ca.key",
            "-out",
            "ca.crt",
        ]);
        run(&[
            "req",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-subj",
            "/CN=server",
            "-keyout",
            "server.key",
            "-out",
            "server.csr",
        ]);
        std::fs::write(data.join("names"), format!("subjectAltName=DNS:{host}")).unwrap();
        run(&[
            "x509",
            "-req",
            "-in",
            "server.csr",
            "-CA",
            "ca.crt",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-days",
            "2",
            "-extfile",
            "names",
            "-out",
            "server.crt",
        ]);
        let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&data).unwrap());
        for file in ["server.key", "server.crt", "ca.crt"] {
            std::os::unix::fs::chown(data.join(file), Some(owner), None).unwrap();
            std::fs::set_permissions(data.join(file), std::os::unix::fs::PermissionsExt::from_mode(0o600))
                .unwrap();
        }
        self.order(&format!("tls {}", self.port()));
        let watch = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port())).is_err() {
            assert!(watch.elapsed() < PATIENCE, "the server does not listen");
            std::thread::yield_now();
        }
        data.join("ca.crt")
    }

    /// Port on which [`serve_tls`](Self::serve_tls) serves.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Demands a password of a role, once the configuration is read again.
    pub fn require_password(&self, role: &str) {
        let path = self.folder.join("data/pg_hba.conf");
        let rules = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, format!("local all {role} scram-sha-256\n{rules}")).unwrap();
    }
}

/// PgBouncer in transaction mode in front of the server.
pub struct Pooler {
    pub url: String,
    process: Child,
    _folder: tempfile::TempDir,
}

impl Pooler {
    /// Starts a pooler with fewer connections than its clients have.
    pub fn start(server: &TestServer, database: &TestDatabase) -> Self {
        let folder = tempfile::Builder::new().prefix("askfirst-pooler").tempdir_in("/tmp").unwrap();
        let at = folder.path().display();
        let socket = server.folder().display();
        let settings = format!(
            "[databases]\n* = host={socket}\n[pgbouncer]\nunix_socket_dir = {at}\nlisten_port = 6432\nlisten_addr =\n\
             auth_type = any\npool_mode = transaction\ndefault_pool_size = 3\nmax_client_conn = 200\n"
        );
        // `any` takes the user of the database's entry.
        let settings = settings.replace(&format!("host={socket}"), &format!("host={socket} user=askfirst"));
        std::fs::write(folder.path().join("pooler.ini"), settings).unwrap();
        let mut command = Command::new("pgbouncer");
        if nix::unistd::geteuid().is_root() {
            command = Command::new("setpriv");
            command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "pgbouncer"]);
            std::os::unix::fs::chown(folder.path(), Some(65_534), Some(65_534)).unwrap();
        }
        let process = command
            .arg(folder.path().join("pooler.ini"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("PgBouncer is missing; scripts/need.sh postgres installs it, as make test does");
        let watch = Instant::now();
        // The socket is there a moment before anybody listens on it.
        while std::os::unix::net::UnixStream::connect(folder.path().join(".s.PGSQL.6432")).is_err() {
            assert!(watch.elapsed() < PATIENCE, "the pooler does not start");
            std::thread::yield_now();
        }
        let name = database.url.split(['/', '?']).nth(3).unwrap();
        Self {
            url: format!("postgres:///{name}?host={at}&port=6432&user=askfirst"),
            process,
            _folder: folder,
        }
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
