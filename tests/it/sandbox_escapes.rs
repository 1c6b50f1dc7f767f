//! The table of escapes that were tried from the sandbox, by code and by commands, with each means, and the clear
//! error of each.

use crate::support::app::until;
use crate::support::sandboxes::{HELD, TestSandbox, python, settings, shell};
use askfirst::config::{self, SandboxMeans};
use askfirst::sandbox::calls::{PythonCall, ShellCall};
use askfirst::sandbox::error::SandboxError;
use nix::libc;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::time::Duration;

const SECRET: &str = "the-secret-of-the-service";

/// Attempt to escape, and its expected end.
struct Escape {
    name: &'static str,
    code: &'static str,
    line: &'static str,
    expected: Expected,
}

enum Expected {
    /// The try fails by itself: an exception, or a status with words, of which one of these is said.
    Fails(&'static [&'static str]),
    /// The process is ended, and this word says why.
    Ended(&'static str),
}
use Expected::{Ended, Fails};

/// Closed files are missing in namespaces, and unreadable without.
const CLOSED: &[&str] = &["No such file", "Permission denied"];
const REFUSED: &[&str] = &["Operation not permitted", "Permission denied"];
const NOBODY: &[&str] = &["No such process", "Operation not permitted"];

/// `@DATA` is the data folder, `@SERVICE` the service's process, `@TCP`, `@UDP`, `@NAME` where something
/// listens, `@PY` a Python that runs what follows as a program of its own, and other capitals are numbers of
/// calls of the kernel.
const ESCAPES: &[Escape] = &[
    Escape {
        name: "read the passwords of the machine",
        code: "open('/etc/shadow').read()",
        line: "cat /etc/shadow",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "read the data folder",
        code: "open('@DATA/secret').read()",
        line: "cat @DATA/secret",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "list the data folder",
        code: "import os\nos.listdir('@DATA')",
        line: "ls @DATA",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "read a home",
        code: "import os\nos.listdir('/root')",
        line: "ls /root",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "write into the data folder",
        code: "open('@DATA/made', 'w')",
        line: "echo 1 > @DATA/made",
        expected: Fails(&["No such file", "Permission denied", "nonexistent"]),
    },
    Escape {
        name: "write into the system",
        code: "open('/usr/made', 'w')",
        line: "touch /usr/made",
        expected: Fails(&["Read-only file system", "Permission denied"]),
    },
    Escape {
        name: "write at the root",
        code: "open('/made', 'w')",
        line: "touch /made",
        expected: Fails(&["Read-only file system", "Permission denied"]),
    },
    Escape {
        name: "change rights of the data folder",
        code: "import os\nos.chmod('@DATA', 0o777)",
        line: "chmod 777 @DATA",
        expected: Fails(&["No such file", "Operation not permitted", "Permission denied"]),
    },
    Escape {
        name: "cut a file of the data folder",
        code: "import os\nos.truncate('@DATA/secret', 0)",
        line: "@PY import os; os.truncate('@DATA/secret', 0)",
        expected: Fails(&["No such file", "Operation not permitted", "Permission denied"]),
    },
    Escape {
        name: "connect to a port",
        code: "import socket\nsocket.create_connection(('127.0.0.1', @TCP))",
        line: "@PY import socket; socket.create_connection(('127.0.0.1', @TCP))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "send a datagram",
        code: "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', @UDP))",
        line: "@PY import socket; socket.socket(2, 2).sendto(b'x', ('127.0.0.1', @UDP))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "connect to an abstract socket",
        code: "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0@NAME')",
        line: "@PY import socket; socket.socket(1).connect(chr(0) + '@NAME')",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "look up a name",
        code: "import socket\nsocket.getaddrinfo('example.com', 80)",
        line: "@PY import socket; socket.getaddrinfo('example.com', 80)",
        expected: Fails(&["name resolution", "not known"]),
    },
    Escape {
        name: "a fork bomb",
        code: "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
        line: "b() { b | b & }; while :; do b; done",
        expected: Ended("process_limit"),
    },
    Escape {
        name: "a fork bomb that begins programs",
        code: "import subprocess\nall = [subprocess.Popen(['cat'], stdin=subprocess.PIPE) for _ in range(60)]",
        line: "i=0; while [ $i -lt 60 ]; do tail -f /dev/null & i=$((i+1)); done; wait",
        expected: Ended("process_limit"),
    },
    Escape {
        name: "10 GB at once",
        code: "bytearray(10 << 30)",
        line: "@PY bytearray(10 << 30)",
        expected: Ended("memory_limit"),
    },
    Escape {
        name: "10 GB bit by bit",
        code: "all = []\nwhile True:\n    all.append(bytearray(1 << 20))",
        line: "tail /dev/zero",
        expected: Ended("memory_limit"),
    },
    Escape {
        name: "10 GB by many",
        code: "import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        held = bytearray(100 << 20)\n        while True:\n            pass\nwhile True:\n    pass",
        line: "for i in 1 2 3 4 5; do (head -c 100M /dev/zero; tail -f /dev/null) | tail -c 100M & done; wait",
        expected: Ended("memory_limit"),
    },
    Escape {
        name: "memory that nobody holds",
        code: "import os\nos.memfd_create('x')",
        line: "@PY import os; os.memfd_create('x')",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "endless output",
        code: "while True:\n    print('x' * 1000)",
        line: "yes",
        expected: Ended("output_limit"),
    },
    Escape {
        name: "endless output of faults",
        code: "import sys\nwhile True:\n    sys.stderr.write('x' * 1000)",
        line: "yes >&2",
        expected: Ended("output_limit"),
    },
    Escape {
        name: "an endless file",
        code: "out = open('out', 'w')\nwhile True:\n    out.write('x' * 10000)",
        line: "yes > out",
        expected: Ended("scratch_limit"),
    },
    Escape {
        name: "files without end",
        code: "n = 0\nwhile True:\n    n += 1\n    open(f'{n}', 'w').write('x' * 1000000)",
        line: "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > $i || exit; done",
        expected: Ended("scratch_limit"),
    },
    Escape {
        name: "empty files without end",
        code: "n = 0\nwhile True:\n    n += 1\n    open(f'{n}', 'w').close()",
        line: "i=0; while :; do i=$((i+1)); touch $(seq -f $i-%g 3000) || exit; done",
        expected: Ended("scratch_limit"),
    },
    Escape {
        name: "ignoring the request to end",
        code: "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True:\n    signal.pause()",
        line: "trap '' TERM; while :; do tail -f /dev/null; done",
        expected: Ended("timeout"),
    },
    Escape {
        name: "read the service's variables",
        code: "open('/proc/@SERVICE/environ').read()",
        line: "cat /proc/@SERVICE/environ",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "read the service's memory",
        code: "open('/proc/@SERVICE/mem', 'rb').read(1)",
        line: "head -c 1 /proc/@SERVICE/mem",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "end the service",
        code: "import os\nos.kill(@SERVICE, 9)",
        line: "kill -9 @SERVICE",
        expected: Fails(NOBODY),
    },
    Escape {
        name: "trace the service",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.ptrace(16, @SERVICE, 0, 0):\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.ptrace(16, @SERVICE, 0, 0) and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "take the service's limits",
        code: "import resource\nresource.prlimit(@SERVICE, resource.RLIMIT_NOFILE, (0, 0))",
        line: "prlimit --pid @SERVICE --nofile=0",
        expected: Fails(NOBODY),
    },
    Escape {
        name: "a world of its own",
        code: "import subprocess\nprint(subprocess.check_output(['unshare', '-Ur', 'id'], stderr=subprocess.STDOUT, text=True))",
        line: "unshare -Ur id",
        expected: Fails(&["Operation not permitted", "returned non-zero"]),
    },
    Escape {
        name: "a file system of its own",
        code: "import ctypes\nif ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, 0):\n    raise PermissionError(1, 'Operation not permitted')",
        line: "mount -t tmpfs x /tmp",
        expected: Fails(&["Operation not permitted", "permission denied", "must be superuser"]),
    },
    Escape {
        name: "a link out of the files",
        code: "import os\nos.symlink('@DATA', 'files/out')",
        line: "ln -s @DATA files/out",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "a link that was there",
        code: "open('files/planted').read()",
        line: "cat files/planted",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "up from the files",
        code: "open('files/../../../runs/../secret').read()",
        line: "cat files/../../secret",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "a device",
        code: "import os\nos.mknod('files/disk', 0o60666, os.makedev(254, 0))",
        line: "mknod files/disk b 254 0",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "connect to a socket in the data folder",
        code: "import socket\nsocket.socket(socket.AF_UNIX).connect('@DATA/socket')",
        line: "@PY import socket; socket.socket(socket.AF_UNIX).connect('@DATA/socket')",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "ask the kernel over netlink",
        code: "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
        line: "@PY import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "listen to all packets",
        code: "import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)",
        line: "@PY import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "listen at a port",
        code: "import socket\nsocket.create_server(('127.0.0.1', 0))",
        line: "@PY import socket; socket.create_server(('127.0.0.1', 0))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "3 GB of shared memory, let go of page by page",
        code: "import mmap\nheld = mmap.mmap(-1, 3 << 30)\nfor at in range(0, 3 << 30, 1 << 20):\n    held[at : at + (1 << 20)] = bytes(1 << 20)\n    held.madvise(mmap.MADV_DONTNEED, at, 1 << 20)\nwhile True:\n    pass",
        line: "@PY import mmap; held = mmap.mmap(-1, 3 << 30); [(held.__setitem__(slice(at, at + (1 << 20)), bytes(1 << 20)), held.madvise(mmap.MADV_DONTNEED, at, 1 << 20)) for at in range(0, 3 << 30, 1 << 20)]; [None for _ in iter(int, 1)]",
        expected: Ended("memory_limit"),
    },
    Escape {
        name: "page tables of what is only read",
        code: "import mmap\nheld = mmap.mmap(-1, 300 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)\nfor at in range(0, 300 << 30, 2 << 20):\n    held[at]\nwhile True:\n    pass",
        line: "@PY import mmap; held = mmap.mmap(-1, 300 << 30, 34, 1); sum(held[at] for at in range(0, 300 << 30, 2 << 20)); [None for _ in iter(int, 1)]",
        expected: Ended("memory_limit"),
    },
    Escape {
        name: "a file of 1 TB that is empty",
        code: "open('out', 'wb').truncate(1 << 40)",
        line: "truncate -s 1T out",
        expected: Ended("scratch_limit"),
    },
    Escape {
        name: "open files without end",
        code: "import os\nheld = [open('/dev/null') for _ in range(1000)]",
        line: "@PY import os; held = [open('/dev/null') for _ in range(1000)]",
        expected: Fails(&["Too many open files"]),
    },
    Escape {
        name: "read the service's command line",
        code: "open('/proc/@SERVICE/cmdline').read()",
        line: "cat /proc/@SERVICE/cmdline",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "go by the service's root",
        code: "open('/proc/@SERVICE/root/etc/shadow').read()",
        line: "cat /proc/@SERVICE/root/etc/shadow",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "learn where the service stands",
        code: "import os\nos.readlink('/proc/@SERVICE/cwd')",
        line: "@PY import os; os.readlink('/proc/@SERVICE/cwd')",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "list the service's open files",
        code: "import os\nos.listdir('/proc/@SERVICE/fd')",
        line: "@PY import os; os.listdir('/proc/@SERVICE/fd')",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "read the service's memory by a call",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.process_vm_readv(@SERVICE, None, 0, None, 0, 0) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.process_vm_readv(@SERVICE, None, 0, None, 0, 0) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "write the service's memory by a call",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.process_vm_writev(@SERVICE, None, 0, None, 0, 0) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.process_vm_writev(@SERVICE, None, 0, None, 0, 0) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "take a file of the service's",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.syscall(@PIDFD_GETFD, 0, 0, 0) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.syscall(@PIDFD_GETFD, 0, 0, 0) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "a ring of calls (io_uring)",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.syscall(@IO_URING, 1, 0) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.syscall(@IO_URING, 1, 0) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "a child in a world of its own",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.syscall(@CLONE, 0x10000000 | 17, 0, 0, 0, 0) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.syscall(@CLONE, 0x10000000 | 17, 0, 0, 0, 0) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "go into another's world",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.setns(0, 0) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.setns(0, 0) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "semaphores that outlive it",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.semget(0, 1, 0o1600) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.semget(0, 1, 0o1600) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "shared memory that outlives it",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.shmget(0, 4096, 0o1600) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.shmget(0, 4096, 0o1600) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "messages that outlive it",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.mq_open(b'/x', os.O_CREAT | os.O_RDWR, 0o600, None) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.mq_open(b'/x', os.O_CREAT | os.O_RDWR, 0o600, None) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(&["Too many open files", "Operation not permitted"]),
    },
    Escape {
        name: "a call that is younger than the rules",
        code: "import ctypes, os\nlib = ctypes.CDLL(None, use_errno=True)\nif lib.syscall(463, 0, 0, 0, 0, 0, 0) == -1:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
        line: "@PY import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); lib.syscall(463, 0, 0, 0, 0, 0, 0) == -1 and os.sys.exit(os.strerror(ctypes.get_errno()))",
        expected: Fails(&["Function not implemented"]),
    },
    Escape {
        name: "another root",
        code: "import os\nos.chroot('/tmp')",
        line: "chroot /tmp /bin/true",
        expected: Fails(REFUSED),
    },
    Escape {
        name: "be root",
        code: "import os\nos.setuid(0)",
        line: "@PY import os; os.setuid(0)",
        expected: Fails(&["Operation not permitted", "Invalid argument"]),
    },
    Escape {
        name: "more than its limits",
        code: "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (100000, 100000))",
        line: "ulimit -n 100000",
        expected: Fails(&["not allowed to raise", "Operation not permitted"]),
    },
    Escape {
        name: "the kernel's messages",
        code: "open('/dev/kmsg').read(1)",
        line: "head -c 1 /dev/kmsg",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "a device that all may use",
        code: "open('/dev/fuse', 'rb')",
        line: "head -c 1 /dev/fuse",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "the machine's memory",
        code: "open('/dev/mem', 'rb').read(1)",
        line: "head -c 1 /dev/mem",
        expected: Fails(CLOSED),
    },
    Escape {
        name: "a second name for the service's secret",
        code: "import os\nos.link('@DATA/secret', 'files/hard')",
        line: "ln @DATA/secret files/hard",
        expected: Fails(&["No such file", "Permission denied", "cross-device", "Operation not permitted"]),
    },
    Escape {
        name: "take the secret into the files",
        code: "import os\nos.rename('@DATA/secret', 'files/moved')",
        line: "mv @DATA/secret files/moved",
        expected: Fails(&["No such file", "Permission denied", "cross-device", "Operation not permitted"]),
    },
    Escape {
        name: "standing still",
        code: "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        line: "kill -STOP $$; :",
        expected: Ended("timeout"),
    },
];

/// Listener that must have received nothing.
struct Listening {
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    beside: UnixListener,
    name: String,
}

impl Listening {
    fn new(fixture: &TestSandbox) -> Self {
        let name = format!("askfirst-{}", askfirst::ids::token());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let all = Self {
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            unix: UnixListener::bind_addr(&address).unwrap(),
            beside: UnixListener::bind(fixture.data.path().join("socket")).unwrap(),
            name,
        };
        all.tcp.set_nonblocking(true).unwrap();
        all.udp.set_nonblocking(true).unwrap();
        all.unix.set_nonblocking(true).unwrap();
        all.beside.set_nonblocking(true).unwrap();
        all
    }

    fn assert_nothing_received(&self) {
        assert!(self.tcp.accept().is_err() && self.unix.accept().is_err() && self.beside.accept().is_err());
        assert!(self.udp.recv_from(&mut [0; 8]).is_err());
    }
}

/// A place with a secret beside the files, and a link to it among them.
fn fixture(means: SandboxMeans) -> TestSandbox {
    let small = config::Sandbox {
        memory_mb: 256,
        processes: 32,
        timeout_s: 40,
        output_kb: 100,
        scratch_mb: 16,
        ..settings(means)
    };
    let fixture = TestSandbox::open(small);
    std::fs::write(fixture.data.path().join("secret"), SECRET).unwrap();
    fixture
}

fn with_link(fixture: &TestSandbox) -> std::path::PathBuf {
    let files = fixture.files();
    let _ = std::os::unix::fs::symlink(fixture.data.path().join("secret"), files.join("planted"));
    files
}

fn filled(text: &str, fixture: &TestSandbox, listening: &Listening) -> String {
    text.replace("@DATA", fixture.data.path().to_str().unwrap())
        .replace("@SERVICE", &std::process::id().to_string())
        .replace("@TCP", &listening.tcp.local_addr().unwrap().port().to_string())
        .replace("@UDP", &listening.udp.local_addr().unwrap().port().to_string())
        .replace("@NAME", &listening.name)
        .replace("@PIDFD_GETFD", &libc::SYS_pidfd_getfd.to_string())
        .replace("@IO_URING", &libc::SYS_io_uring_setup.to_string())
        .replace("@CLONE", &libc::SYS_clone.to_string())
}

impl Escape {
    fn timeout(&self) -> Option<Duration> {
        matches!(self.expected, Ended("timeout")).then_some(Duration::from_millis(700))
    }

    async fn by_code(&self, fixture: &TestSandbox, listening: &Listening) -> SandboxError {
        let code = filled(self.code, fixture, listening);
        let call =
            PythonCall { files: Some(with_link(fixture)), timeout: self.timeout(), ..python(&code, &[]) };
        fixture.sandbox.python(call).await.expect_err(self.name)
    }

    async fn by_command(&self, fixture: &TestSandbox, listening: &Listening) -> SandboxError {
        let line = filled(self.line, fixture, listening);
        let call = match line.strip_prefix("@PY ") {
            Some(code) => {
                let args = ["-I", "-c", code].map(str::to_owned).to_vec();
                ShellCall { command: String::from("/usr/bin/python3"), args, ..ShellCall::default() }
            }
            None => shell(&line),
        };
        let call = ShellCall { files: Some(with_link(fixture)), timeout: self.timeout(), ..call };
        fixture.sandbox.shell(call).await.expect_err(self.name)
    }

    fn judge(&self, fault: &SandboxError, own: &str, means: SandboxMeans) {
        let words = fault.to_string();
        let seen = format!("{} ({means:?}, {own}): {} {words}", self.name, fault.code());
        match self.expected {
            Ended(code) => assert!(fault.code() == code && words.contains("raise"), "{seen}"),
            Fails(any) => {
                assert_eq!(fault.code(), own, "{seen}");
                assert!(any.iter().any(|part| words.contains(part)), "{seen}");
            }
        }
        assert!(!words.contains(SECRET), "{seen}");
        println!("{seen}");
    }
}

async fn all_fail(means: SandboxMeans) {
    let fixture = fixture(means);
    let listening = Listening::new(&fixture);
    for escape in ESCAPES {
        escape.judge(&escape.by_code(&fixture, &listening).await, "exception", means);
        escape.judge(&escape.by_command(&fixture, &listening).await, "exit_status", means);
        fixture.is_clean().await;
        listening.assert_nothing_received();
        let secret = std::fs::read_to_string(fixture.data.path().join("secret")).unwrap();
        assert_eq!(secret, SECRET, "{}", escape.name);
    }
    for made in ["/made", "/usr/made"]
        .map(std::path::PathBuf::from)
        .into_iter()
        .chain([fixture.data.path().join("made")])
    {
        assert!(!made.exists(), "{}", made.display());
    }
}

#[tokio::test]
async fn nothing_breaks_out_of_bubblewrap() {
    all_fail(SandboxMeans::Bubblewrap).await;
}

#[tokio::test]
async fn nothing_breaks_out_of_landlock() {
    all_fail(SandboxMeans::Landlock).await;
}

#[tokio::test]
async fn code_over_its_cpu_limit_is_ended() {
    for means in HELD {
        let fixture = TestSandbox::open(config::Sandbox { cpu_s: 1, ..settings(means) });
        let by_code = fixture.python("while True:\n    pass", &[]).await.unwrap_err();
        let by_command = fixture.shell("while :; do :; done").await.unwrap_err();
        for fault in [by_code, by_command] {
            assert!(
                fault.code() == "cpu_limit" && fault.to_string().contains("raise sandbox.cpu_s"),
                "{fault}"
            );
        }
        fixture.is_clean().await;
    }
}

#[tokio::test]
async fn network_errors_in_the_sandbox_say_that_there_is_no_network() {
    for means in HELD {
        let fixture = fixture(means);
        for code in [
            "import socket\nsocket.socket()",
            "import urllib.request\nurllib.request.urlopen('http://example.com')",
            "import socket\nsocket.getaddrinfo('example.com', 80)",
        ] {
            let words = fixture.python(code, &[]).await.unwrap_err().to_string();
            assert!(words.contains("the sandbox has no network"), "{words}");
        }
    }
}

#[tokio::test]
async fn a_daemon_does_not_outlive_the_call_that_started_it() {
    const DAEMON: &str = "import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        while True:\n            pass\n    os._exit(0)\nos.wait()\nresult = 1";
    for means in HELD {
        let fixture = fixture(means);
        assert_eq!(fixture.python(DAEMON, &["r"]).await.unwrap().vars["r"], 1);
        fixture.is_clean().await;
        let result = fixture.shell("(setsid sh -c 'while :; do :; done' &) ; echo begun").await.unwrap();
        assert_eq!(result.stdout, "begun\n");
        fixture.is_clean().await;
    }
}

#[tokio::test]
async fn environment_variables_of_the_service_cannot_be_read() {
    let secret = env!("CARGO_MANIFEST_DIR");
    assert!(std::env::vars().any(|(_, value)| value == secret), "the service has it");
    for means in HELD {
        let fixture = fixture(means);
        let line = "env; cat /proc/1/environ /proc/$PPID/environ /proc/self/environ /proc/*/environ 2> /dev/null; true";
        let seen = fixture.shell(line).await.unwrap().stdout;
        assert!(seen.contains("HOME=") && !seen.contains(secret), "{seen}");
        let code = "import os\nresult = repr(os.environ)\nfor p in range(1, 3000):\n    try:\n        result += open(f'/proc/{p}/environ').read()\n    except OSError:\n        pass";
        let seen = fixture.python(code, &["r"]).await.unwrap().vars["r"].to_string();
        assert!(seen.contains("HOME") && !seen.contains(secret), "{seen}");
    }
}

#[tokio::test]
async fn signals_to_all_processes_reach_only_those_of_the_sandbox() {
    for means in HELD {
        let one = fixture(means);
        let other = fixture(means);
        let files = other.files();
        let waits = ": > files/begun; until [ -e files/go ]; do :; done; echo lived";
        let waiting = other.sandbox.shell(ShellCall { files: Some(files.clone()), ..shell(waits) });
        let killing = async {
            until("the beginning", Duration::from_secs(10), || files.join("begun").exists()).await;
            let ended = one.shell("kill -9 -1; kill -9 0; echo not ended").await;
            std::fs::write(files.join("go"), "").unwrap();
            ended
        };
        let (lived, _) = tokio::join!(waiting, killing);
        assert_eq!(lived.unwrap().stdout, "lived\n", "{means:?}");
        one.is_clean().await;
        other.is_clean().await;
    }
}

#[tokio::test]
async fn files_written_in_the_sandbox_are_limited_too() {
    for means in HELD {
        let fixture = fixture(means);
        for line in
            ["yes > files/out", "i=0; while :; do i=$((i+1)); head -c 4M /dev/zero > files/$i || exit; done"]
        {
            let call = ShellCall { files: Some(fixture.files()), ..shell(line) };
            let fault = fixture.sandbox.shell(call).await.unwrap_err();
            assert_eq!(fault.code(), "scratch_limit", "{means:?}, {line}: {fault}");
        }
        fixture.is_clean().await;
    }
}

#[tokio::test]
async fn endlessly_nested_folders_are_removed() {
    const DEEP: &str = "import os\nos.chdir('files')\nfor _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\n\
        os.chdir('/')\nresult = 1";
    const WIDE: &str =
        "import os\nfor _ in range(3000):\n    os.mkdir('n' * 200)\n    os.chdir('n' * 200)\nresult = 1";
    for means in HELD {
        let fixture = fixture(means);
        for code in [DEEP, WIDE] {
            let call = PythonCall { files: Some(fixture.files()), ..python(code, &["r"]) };
            assert_eq!(fixture.sandbox.python(call).await.unwrap().vars["r"], 1, "{means:?}");
            fixture.is_clean().await;
        }
        std::fs::remove_dir_all(fixture.files()).unwrap();
    }
}

#[tokio::test]
async fn a_link_out_of_the_scratch_folder_leads_nowhere() {
    for means in HELD {
        let fixture = fixture(means);
        let secret = fixture.data.path().join("secret");
        let code = format!("import os\nos.symlink('{}', 'out')\nopen('out').read()", secret.display());
        let by_code = fixture.python(&code, &[]).await.unwrap_err();
        let by_command =
            fixture.shell(&format!("ln -s {} out && cat out", secret.display())).await.unwrap_err();
        for fault in [by_code, by_command] {
            let words = fault.to_string();
            assert!(CLOSED.iter().any(|part| words.contains(part)) && !words.contains(SECRET), "{words}");
        }
        fixture.is_clean().await;
    }
}

/// The answer's descriptor is within the code's reach; what it gains by that is nothing but its own answer.
#[tokio::test]
async fn a_forged_sandbox_answer_is_held_to_the_limits() {
    const WRITES: &str = "import os\ndef give(text):\n    for fd in range(3, 10):\n        try:\n            \
        os.write(fd, text)\n        except OSError:\n            pass\n    os._exit(0)\n";
    for means in HELD {
        let fixture = fixture(means);
        let give = |text: &str| format!("{WRITES}give({text})");
        let forged = fixture.python(&give("b'{\"vars\": {\"a\": 1, \"other\": 2}}'"), &["a"]).await.unwrap();
        assert_eq!(serde_json::Value::Object(forged.vars), serde_json::json!({"a": 1}));
        for (text, code, words) in [
            (
                "b'{\"vars\": {\"a\": ' + b'[' * 9000 + b']' * 9000 + b'}}'",
                "not_json",
                "the code wrote into it",
            ),
            ("b'{\"vars\": {\"a\": NaN}}'", "not_json", "the code wrote into it"),
            ("b'x' * 200000", "output_limit", "more than 100 KB"),
            ("b''", "no_answer", "before it gave a result"),
        ] {
            let fault = fixture.python(&give(text), &["a"]).await.unwrap_err();
            assert!(fault.code() == code && fault.to_string().contains(words), "{means:?}, {text}: {fault}");
        }
        let twice = format!("{}\nresult = 1", WRITES.replace("os._exit(0)", "pass").trim_end())
            + "\ngive(b'{\"vars\": {}}')";
        assert_eq!(fixture.python(&twice, &["a"]).await.unwrap_err().code(), "not_json");
        let harness = "import sys\nsys._getframe(1).f_globals['collect'] = lambda *_: {'a': 1, 'other': 2}";
        let bent = fixture.python(harness, &["a"]).await.unwrap();
        assert_eq!(serde_json::Value::Object(bent.vars), serde_json::json!({"a": 1}));
        fixture.is_clean().await;
    }
}

/// A 64-bit program may make calls of the 32-bit kind, whose numbers are others.
#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn a_32_bit_system_call_ends_the_sandbox() {
    // mov eax, 359 (socket); mov ebx, 1; mov ecx, 1; xor edx, edx; int 0x80; ret
    const CODE: &str = "import ctypes, mmap\n\
        page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)\n\
        page.write(bytes.fromhex('b867010000bb01000000b90100000031d2cd80c3'))\n\
        made = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()\n\
        result = made";
    for means in HELD {
        let fixture = fixture(means);
        let fault = fixture.python(CODE, &["made"]).await.unwrap_err();
        let words = fault.to_string();
        assert_eq!(fault.code(), "no_answer", "{words}");
        // Older kernels without these calls report the other signal.
        assert!(words.contains("(SIGSYS)") || words.contains("(SIGSEGV)"), "{words}");
        fixture.is_clean().await;
    }
}
