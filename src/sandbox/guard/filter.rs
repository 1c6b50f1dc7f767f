//! What a program may not ask of the kernel (seccomp): sockets, other namespaces, other processes' memory,
//! and what has no use for it but to break out. Bubblewrap and Landlock hold the rest.

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// How much is kept from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Making links and other things that are no files, where a folder of the service is lent.
    pub links: bool,
    /// Touching files and processes by name that are not its own: without namespaces, and as the service's
    /// own user, nothing else would.
    pub neighbours: bool,
    /// Signals to others, where the kernel does not hold them back.
    pub signals: bool,
    /// Sockets.
    pub network: bool,
}

/// Never needed, and each a way out or a way to memory that nobody counts.
const NEVER: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
];

const LINKS: &[i64] = &[
    libc::SYS_symlinkat,
    libc::SYS_mknodat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
];

/// By name, not by an open file: Landlock does not hold these.
const NEIGHBOURS: &[i64] = &[
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_truncate,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_inotify_init1,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Where the first argument names another process, unless it is 0.
const OTHERS: &[i64] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
];

const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

/// `statmount`, the first that is not looked at; numbers are the same for all processors from long before.
const YOUNG: u32 = 457;

/// Flags of `clone` that make a namespace; `clone3` hides its flags and is said not to be there, upon which
/// libraries use `clone`.
const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The filters, in the order in which they are set.
pub fn programs(kept: Kept) -> Result<Vec<BpfProgram>, String> {
    let mut refused: Rules = NEVER.iter().map(|call| (*call, Vec::new())).collect();
    if kept.network {
        refused.insert(libc::SYS_socket, Vec::new());
    }
    if kept.links {
        refused.extend(LINKS.iter().map(|call| (*call, Vec::new())));
    }
    let is = |place, mask: u64, value: u64| condition(place, SeccompCmpOp::MaskedEq(mask), value);
    let mut some: Vec<(i64, SeccompRule)> = Vec::new();
    for flag in NAMESPACES {
        let bit = u64::from(flag.unsigned_abs());
        some.push((libc::SYS_clone, is(0, bit, bit)?));
    }
    for request in [libc::TIOCSTI, libc::TIOCLINUX] {
        some.push((libc::SYS_ioctl, is(1, u64::from(u32::MAX), request)?));
    }
    if kept.neighbours {
        refused.extend(NEIGHBOURS.iter().map(|call| (*call, Vec::new())));
        for call in OTHERS {
            some.push((*call, condition(0, SeccompCmpOp::Ne, 0)?));
        }
        // With a name; without one it is an open file's.
        some.push((libc::SYS_utimensat, condition(1, SeccompCmpOp::Ne, 0)?));
    }
    if kept.signals {
        refused.extend(SIGNALS.iter().map(|call| (*call, Vec::new())));
        for command in [libc::F_SETOWN, 15] {
            some.push((libc::SYS_fcntl, is(1, u64::from(u32::MAX), u64::from(command.unsigned_abs()))?));
        }
    }
    for (call, rule) in some {
        refused.entry(call).or_default().push(rule);
    }
    let hidden = Rules::from([(libc::SYS_clone3, Vec::new())]);
    Ok(vec![compiled(hidden, libc::ENOSYS)?, compiled(refused, libc::EPERM)?])
}

fn condition(place: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, String> {
    let condition = SeccompCondition::new(place, SeccompCmpArgLen::Qword, operator, value);
    condition.and_then(|condition| SeccompRule::new(vec![condition])).map_err(|fault| fault.to_string())
}

fn compiled(rules: Rules, answer: i32) -> Result<BpfProgram, String> {
    let refuse = SeccompAction::Errno(answer.unsigned_abs());
    let arch = std::env::consts::ARCH
        .try_into()
        .map_err(|_| String::from("seccomp is not known for this processor"))?;
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).map_err(|fault| fault.to_string())?;
    let program: BpfProgram =
        filter.try_into().map_err(|fault: seccompiler::BackendError| fault.to_string())?;
    Ok(before().into_iter().chain(program).collect())
}

/// Calls that are younger than these lists are said not to be there: some do what an older one does that
/// stands in them. So are those of the x32 kind, a second number on x86-64 under which no rule would know
/// a call.
fn before() -> [sock_filter; 3] {
    const LOAD: u16 = 0x20;
    const AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    [
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: AT_LEAST, jt: 0, jf: 1, k: YOUNG },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs() },
    ]
}

/// As the kernel reads it from a file.
pub fn bytes(program: &BpfProgram) -> Vec<u8> {
    let one = |step: &sock_filter| {
        let [a, b] = step.code.to_ne_bytes();
        let [e, f, g, h] = step.k.to_ne_bytes();
        [a, b, step.jt, step.jf, e, f, g, h]
    };
    program.iter().flat_map(one).collect()
}
