//! The guard's own process: one order, one tree of processes. It begins the program, watches what the tree
//! takes, and ends it when it is over, when a bound is overstepped, or when the service lets go of the
//! socket. Nothing of the tree is left when the verdict is told.

mod bounds;
mod bubblewrap;
mod confined;
mod etc;
mod filter;
mod landlocked;
mod lent;
mod tree;
mod weight;

use super::order::{self, Bound, Hold, Order, Verdict};
use super::watched::GUARD;
use crate::clock::Stopwatch;
use nix::poll::{PollFd, PollFlags, PollTimeout};
use nix::sys::signal::Signal;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitCode, ExitStatus};

/// How often it looks at what is taken.
const TICK_MS: u16 = 25;
/// What was asked to end is ended after this.
const TERM_MS: u64 = 300;

/// A program that runs.
pub struct Begun {
    child: Child,
    /// Below it is everything that the program began.
    top: u32,
    /// Where bubblewrap tells how far it came.
    status: Option<File>,
}

/// The life of a guard, or of what it holds without bubblewrap.
pub fn entered() -> Option<ExitCode> {
    match std::env::args_os().nth(1)?.to_str()? {
        GUARD => Some(guard()),
        confined::HELD => Some(confined::enter()),
        _ => None,
    }
}

fn guard() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // The service is gone: there is nobody to tell.
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let mut socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (order, input) = order::unpacked(&mut socket)?;
    if let Some(verdict) = kept(&order, &input, &socket) {
        socket.write_all(&serde_json::to_vec(&verdict)?)?;
    }
    Ok(())
}

/// None if nobody waits for a verdict any more.
fn kept(order: &Order, input: &[u8], socket: &UnixStream) -> Option<Verdict> {
    let failed = |why: String| Some(Verdict::Failed(why));
    bounds::unlimited_files();
    if let Err(fault) = nix::sys::prctl::set_child_subreaper(true) {
        return failed(format!("orphans cannot be kept: {fault}"));
    }
    let lent = match lent::Lent::made(order) {
        Ok(lent) => lent,
        Err(why) => return failed(why),
    };
    let outcome = match begun(order, input, &lent) {
        Ok(mut begun) => {
            silence();
            let outcome = watch(&mut begun, socket, order, &lent);
            tree::end();
            outcome.map(|verdict| told(verdict, begun))
        }
        Err(why) => {
            tree::end();
            failed(why)
        }
    };
    match lent.given_back() {
        Ok(()) => outcome,
        Err(why) => outcome.and_then(|_| failed(format!("the run's files could not be taken back: {why}"))),
    }
}

fn begun(order: &Order, input: &[u8], lent: &lent::Lent) -> Result<Begun, String> {
    // Other calls with the same files are of the same group.
    nix::sys::stat::umask(nix::sys::stat::Mode::S_IWOTH);
    let input = memory(input).map_err(|fault| format!("its input: {fault}"))?;
    match &order.hold {
        Hold::Bubblewrap(program) => bubblewrap::begin(program, order, lent, input),
        Hold::Landlock | Hold::Bare => confined::begin(order, lent, input),
    }
}

/// A file in memory with these bytes, to be read from its beginning; it is passed on to children.
fn memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    use std::io::Seek;
    let fd = nix::sys::memfd::memfd_create(c"askfirst", nix::sys::memfd::MFdFlags::empty())?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

/// The streams are the program's alone from here on, so that their end is its end.
fn silence() {
    if let Ok(nothing) = File::options().write(true).open("/dev/null") {
        let _ = nix::unistd::dup2_stdout(&nothing);
        let _ = nix::unistd::dup2_stderr(&nothing);
    }
}

fn watch(begun: &mut Begun, socket: &UnixStream, order: &Order, lent: &lent::Lent) -> Option<Verdict> {
    let clock = Stopwatch::start();
    let mut watch = bounds::Watch::new(order, begun.top, lent);
    let ending = ending(&begun.child);
    loop {
        if is_over(socket, ending.as_ref()) {
            return None;
        }
        match begun.child.try_wait() {
            Ok(Some(status)) => return Some(Verdict::Ended(number(status))),
            Ok(None) => {}
            Err(fault) => return Some(Verdict::Failed(fault.to_string())),
        }
        if clock.millis() >= order.bounds.timeout_ms {
            asked_to_end(begun, socket, ending.as_ref());
            return Some(Verdict::Stopped(Bound::Time));
        }
        if let Some(bound) = watch.overstepped() {
            return Some(Verdict::Stopped(bound));
        }
    }
}

/// Waits for a tick, or for the first that happens. Whether the service has let go.
fn is_over(socket: &UnixStream, ending: Option<&OwnedFd>) -> bool {
    let mut awaited = vec![PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
    awaited.extend(ending.map(|fd| PollFd::new(fd.as_fd(), PollFlags::POLLIN)));
    let _ = nix::poll::poll(&mut awaited, PollTimeout::from(TICK_MS));
    // The service says nothing after the order: whatever comes is its end.
    awaited.first().and_then(PollFd::revents).is_some_and(|events| !events.is_empty())
}

/// Readable when the child has ended; old kernels have no such thing, and are asked at each tick.
fn ending(child: &Child) -> Option<OwnedFd> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).ok()?)?;
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

/// A program that minds being asked has a moment to do so.
fn asked_to_end(begun: &mut Begun, socket: &UnixStream, ending: Option<&OwnedFd>) {
    tree::tell(begun.top, Signal::SIGTERM);
    let clock = Stopwatch::start();
    while clock.millis() < TERM_MS && matches!(begun.child.try_wait(), Ok(None)) {
        if is_over(socket, ending) {
            return;
        }
    }
}

fn number(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// Bubblewrap's own faults are told from those of the program: it says when that has ended.
fn told(verdict: Verdict, begun: Begun) -> Verdict {
    let Verdict::Ended(status) = verdict else { return verdict };
    let Some(mut file) = begun.status else { return verdict };
    let mut words = String::new();
    let _ = io::Read::read_to_string(&mut file, &mut words);
    // Killed by a signal of ours or the kernel's, it says nothing.
    if words.contains("exit-code") || status > 128 {
        return verdict;
    }
    Verdict::Failed(String::from("bubblewrap"))
}
