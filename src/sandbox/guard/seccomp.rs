//! Seccomp filter: system calls denied to programs, such as sockets, new namespaces, access to the memory of
//! other processes, and calls whose only use would be an escape. Bubblewrap and Landlock restrict the rest.

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Optional groups of denied calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeniedCalls {
    /// Creation of links and special files; denied where a folder of the service is writable.
    pub links: bool,
    /// Access by name to files and processes of others. Nothing else denies it to the service's own user
    /// without namespaces.
    pub neighbours: bool,
    /// Signals to other processes, where the kernel does not deny them.
    pub signals: bool,
    /// Sockets.
    pub network: bool,
}

/// Calls that programs never need, each a way to escape or to use memory that is not counted.
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

/// Calls that take a path instead of an open file. Landlock does not restrict these.
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

/// Calls whose first argument names another process, unless it is 0.
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

/// `statmount`, the first call that these lists do not cover. Since long before it, numbers are the same on
/// all architectures.
const FIRST_UNKNOWN_CALL: u32 = 457;

/// Flags of `clone` that create a namespace. `clone3` passes its flags in memory, which a filter cannot read,
/// so it returns ENOSYS and libraries fall back to `clone`.
const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Returns the filters in the order in which they are set.
pub fn programs(kept: DeniedCalls) -> Result<Vec<BpfProgram>, String> {
    let mut refused: Rules = NEVER.iter().map(|call| (*call, Vec::new())).collect();
    if kept.network {
        refused.insert(libc::SYS_socket, Vec::new());
    }
    if kept.links {
        refused.extend(LINKS.iter().map(|call| (*call, Vec::new())));
    }
    let is = |argument, mask: u64, value: u64| condition(argument, SeccompCmpOp::MaskedEq(mask), value);
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
        // Deny calls with a path; a null path refers to an open file.
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
    Ok(vec![compile_rules(hidden, libc::ENOSYS)?, compile_rules(refused, libc::EPERM)?])
}

fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, String> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, value);
    condition.and_then(|condition| SeccompRule::new(vec![condition])).map_err(|fault| fault.to_string())
}

fn compile_rules(rules: Rules, answer: i32) -> Result<BpfProgram, String> {
    let refuse = SeccompAction::Errno(answer.unsigned_abs());
    let arch = std::env::consts::ARCH
        .try_into()
        .map_err(|_| String::from("seccomp filters are not supported on this processor"))?;
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).map_err(|fault| fault.to_string())?;
    let program: BpfProgram =
        filter.try_into().map_err(|fault: seccompiler::BackendError| fault.to_string())?;
    Ok(deny_unknown_calls().into_iter().chain(program).collect())
}

/// Returns ENOSYS for calls newer than these lists, since some do the same as a listed one. The same applies
/// to x32 calls, which have other numbers on x86-64 that no rule would match.
fn deny_unknown_calls() -> [sock_filter; 3] {
    const LOAD: u16 = 0x20;
    const AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    [
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: AT_LEAST, jt: 0, jf: 1, k: FIRST_UNKNOWN_CALL },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs() },
    ]
}

/// Encodes a filter as the kernel reads it from a file.
pub fn bytes(program: &BpfProgram) -> Vec<u8> {
    let one = |step: &sock_filter| {
        let [a, b] = step.code.to_ne_bytes();
        let [e, f, g, h] = step.k.to_ne_bytes();
        [a, b, step.jt, step.jf, e, f, g, h]
    };
    program.iter().flat_map(one).collect()
}
