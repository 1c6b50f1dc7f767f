//! Commands of shell agents: S0.32, S0.33, and what of the run's files comes and goes.

use crate::support::app::until;
use crate::support::sandboxes::{HELD, TestSandbox, map, settings, shell};
use askfirst::config::{self, SandboxMeans};
use askfirst::sandbox::calls::ShellCall;
use askfirst::sandbox::error::SandboxError;
use serde_json::json;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::time::Duration;

fn plain(command: &str, args: &[&str]) -> ShellCall {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    ShellCall { command: command.to_owned(), args, ..ShellCall::default() }
}

// S0.32: arguments are never joined into a line.
#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let hostile = [
            "a b",
            "$(id); `id` | x",
            "'\"",
            "--",
            "-n",
            "--help",
            "Є",
            "",
            "a\nb\r\n",
            "$HOME",
            "*",
            "~",
            "\\",
            "> out",
            "&",
            "#",
        ];
        let args: Vec<&str> = ["[%s]"].into_iter().chain(hostile).collect();
        let result = fixture.sandbox.shell(plain("printf", &args)).await.unwrap();
        assert_eq!(result.stdout, hostile.map(|arg| format!("[{arg}]")).concat());
        let first = plain("/usr/bin/python3", &["-I", "-c", "import sys; print(sys.argv[1:])", "--", "-c"]);
        assert_eq!(fixture.sandbox.shell(first).await.unwrap().stdout, "['--', '-c']\n");
        let line = fixture.sandbox.shell(plain("echo a; echo b", &[])).await.unwrap_err();
        assert_eq!(line, SandboxError::NotFound(String::from("echo a; echo b")));
        assert!(line.to_string().contains("there is no program `echo a; echo b`"), "{line}");
        let flags = fixture.sandbox.shell(plain("--unshare-all", &[])).await.unwrap_err();
        assert_eq!(flags.code(), "command_not_found");
        fixture.is_clean().await;
    }
}

#[tokio::test]
async fn inputs_are_json_on_standard_input() {
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let inputs = map(json!({"name": "Олена", "n": [1, null]}));
        let result = fixture.sandbox.shell(ShellCall { inputs, ..plain("cat", &[]) }).await.unwrap();
        assert_eq!(result.stdout, r#"{"name":"Олена","n":[1,null]}"#);
        fixture.is_clean().await;
    }
}

// S0.32
#[tokio::test]
async fn a_failure_is_a_fault_unless_it_is_allowed() {
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let line = "echo out; echo 'what went wrong' >&2; exit 3";
        let fault = fixture.shell(line).await.unwrap_err();
        assert_eq!(fault.code(), "exit_status");
        assert_eq!(fault.to_string(), "`sh` ended with status 3: what went wrong");
        let allowed = ShellCall { allow_failure: true, ..shell(line) };
        let result = fixture.sandbox.shell(allowed).await.unwrap();
        assert_eq!(
            (result.status, result.stdout.as_str(), result.stderr.as_str()),
            (3, "out\n", "what went wrong\n")
        );
        // A program's own message about a limit counts only if the program failed.
        let line = "echo 'no: File too large' >&2; exit 3";
        let allowed = ShellCall { allow_failure: true, ..shell(line) };
        assert_eq!(fixture.sandbox.shell(allowed).await.unwrap().status, 3);
        assert_eq!(fixture.shell(line).await.unwrap_err().code(), "scratch_limit");
        let killed = fixture.shell("kill -SEGV $$").await.unwrap_err();
        assert_eq!(killed.to_string(), "`sh` ended with status 139 (SIGSEGV)");
        fixture.is_clean().await;
    }
}

#[tokio::test]
async fn output_that_is_no_utf_8_is_shown_with_replacements() {
    let fixture = TestSandbox::held_by(SandboxMeans::Auto);
    let result = fixture.sandbox.shell(plain("printf", &["a\\377b"])).await.unwrap();
    assert_eq!(result.stdout, "a\u{fffd}b");
}

// S0.32
#[tokio::test]
async fn a_command_begins_in_a_folder_within_its_own() {
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let begin = |cwd: &str| ShellCall {
            cwd: Some(cwd.to_owned()),
            files: Some(fixture.files()),
            ..plain("pwd", &[])
        };
        std::fs::create_dir_all(fixture.files().join("inner")).unwrap();
        let home = fixture.sandbox.shell(begin(".")).await.unwrap().stdout;
        assert!(home.ends_with("/work\n"), "{home}");
        let deep = fixture.sandbox.shell(begin("a/b")).await.unwrap().stdout;
        assert!(deep.ends_with("/work/a/b\n"), "{deep}");
        let inner = fixture
            .sandbox
            .shell(ShellCall { args: vec![String::from("-P")], ..begin("files/inner") })
            .await
            .unwrap();
        assert!(inner.stdout.ends_with("/inner\n"), "{}", inner.stdout);
        for cwd in ["..", "/etc", "a/../../b", "files/absent"] {
            let refused = fixture.sandbox.shell(begin(cwd)).await.unwrap_err();
            assert!(refused.code() == "bad_cwd" && refused.to_string().contains(cwd), "{refused}");
        }
        fixture.is_clean().await;
    }
}

// S0.33
#[tokio::test]
async fn only_named_variables_pass() {
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let names = |call: &str| {
            call.lines()
                .filter_map(|line| line.split_once('='))
                .map(|(name, _)| name.to_owned())
                .collect::<Vec<_>>()
        };
        let bare = fixture.sandbox.shell(plain("env", &[])).await.unwrap().stdout;
        let mut bare = names(&bare);
        bare.sort();
        bare.retain(|name| name != "PWD");
        assert_eq!(bare, ["ASKFIRST_SANDBOX", "HOME", "LANG", "LOGNAME", "PATH", "TMPDIR", "USER"]);
        let env = ["CARGO_MANIFEST_DIR", "NOT_SET_ANYWHERE"].map(str::to_owned).to_vec();
        let named = fixture.sandbox.shell(ShellCall { env, ..plain("env", &[]) }).await.unwrap().stdout;
        assert!(named.contains(&format!("CARGO_MANIFEST_DIR={}\n", env!("CARGO_MANIFEST_DIR"))), "{named}");
        for name in ["ASKFIRST_SERVER__TOKEN", "PATH", "A=1"] {
            let call = ShellCall { env: vec![name.to_owned()], ..plain("env", &[]) };
            assert_eq!(fixture.sandbox.shell(call).await.unwrap_err().code(), "bad_env", "{name}");
        }
    }
}

#[tokio::test]
async fn files_of_the_run_come_and_go_and_belong_to_the_service() {
    let me = nix::unistd::geteuid().as_raw();
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let files = fixture.files();
        std::fs::write(files.join("given.txt"), "given").unwrap();
        std::fs::create_dir(files.join("folder")).unwrap();
        std::fs::set_permissions(files.join("given.txt"), std::fs::Permissions::from_mode(0o600)).unwrap();
        let line = "set -e; cat files/given.txt; echo more >> files/given.txt; mkdir files/made; echo 1 > files/made/new; \
            umask 777; echo 2 > files/closed; rmdir files/folder; echo 3 > other";
        let call = || ShellCall { files: Some(files.clone()), ..shell(line) };
        assert_eq!(fixture.sandbox.shell(call()).await.unwrap().stdout, "given", "{means:?}");
        assert_eq!(std::fs::read_to_string(files.join("given.txt")).unwrap(), "givenmore\n");
        for (name, text) in [("made/new", "1\n"), ("closed", "2\n")] {
            assert_eq!(std::fs::read_to_string(files.join(name)).unwrap(), text);
            let metadata = std::fs::metadata(files.join(name)).unwrap();
            assert!(
                metadata.uid() == me && metadata.mode() & 0o600 == 0o600,
                "{name}: {:o}",
                metadata.mode()
            );
        }
        assert!(!files.join("folder").exists() && !files.join("other").exists());
        let again = ShellCall {
            files: Some(files.clone()),
            ..shell("echo again > files/made/new; cat files/closed")
        };
        assert_eq!(
            fixture.sandbox.shell(again).await.unwrap().stdout,
            "2\n",
            "what one call wrote another may use"
        );
        fixture.is_clean().await;
    }
}

#[tokio::test]
async fn only_plain_files_and_folders_are_returned() {
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let files = fixture.files();
        // A link of an earlier time, when nothing held it off.
        std::os::unix::fs::symlink("/etc/passwd", files.join("old")).unwrap();
        let line = "ln -s /etc/passwd files/new; mkfifo files/pipe; cd files && ln given hard; echo 1 > files; chmod 4755 files; true";
        std::fs::write(files.join("given"), "").unwrap();
        let call = ShellCall { files: Some(files.clone()), ..shell(line) };
        let result = fixture.sandbox.shell(call).await.unwrap();
        assert!(
            result.stderr.contains("ln: failed to create symbolic link") && result.stderr.contains("mkfifo"),
            "{}",
            result.stderr
        );
        let kinds =
            std::fs::read_dir(&files).unwrap().map(|entry| entry.unwrap().path().symlink_metadata().unwrap());
        let strange = |metadata: &std::fs::Metadata| {
            let kind = metadata.file_type();
            kind.is_symlink() || kind.is_fifo() || kind.is_socket() || metadata.mode() & 0o7000 != 0
        };
        assert_eq!(kinds.filter(strange).count(), 0);
        fixture.is_clean().await;
    }
}

#[tokio::test]
async fn two_calls_may_have_the_same_files_at_once() {
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let files = fixture.files();
        let wait = |mine: &str, theirs: &str| {
            format!("echo 1 > files/{mine}; until [ -e files/{theirs} ]; do :; done; echo 2 >> files/{mine}")
        };
        let call = |line: String| ShellCall { files: Some(files.clone()), ..shell(&line) };
        let (one, two) = tokio::join!(
            fixture.sandbox.shell(call(wait("a", "b"))),
            fixture.sandbox.shell(call(wait("b", "a")))
        );
        one.and(two).unwrap();
        assert_eq!(std::fs::read_to_string(files.join("a")).unwrap(), "1\n2\n");
        fixture.is_clean().await;
    }
}

#[tokio::test]
async fn a_dropped_sandbox_call_ends_at_once_with_its_processes() {
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let files = fixture.files();
        let line = "trap '' TERM; (setsid sh -c 'trap \"\" TERM; while :; do :; done' &) ; : > files/begun; while :; do :; done";
        let call = ShellCall { files: Some(files.clone()), ..shell(line) };
        let running = fixture.sandbox.shell(call);
        tokio::select! {
            ended = running => panic!("{ended:?}"),
            () = until("the beginning", Duration::from_secs(10), || files.join("begun").exists()) => {}
        }
        until("its end", Duration::from_secs(2), || fixture.sandbox.processes().is_empty()).await;
        fixture.is_clean().await;
    }
}

#[tokio::test]
async fn sandbox_means_none_runs_code_with_limits_only() {
    let fixture = TestSandbox::held_by(SandboxMeans::None);
    assert!(!fixture.sandbox.isolates());
    let secret = std::fs::read_to_string("/etc/passwd").unwrap();
    assert_eq!(fixture.sandbox.shell(plain("cat", &["/etc/passwd"])).await.unwrap().stdout, secret);
    let late = ShellCall { timeout: Some(Duration::from_millis(300)), ..shell("while :; do :; done") };
    assert_eq!(fixture.sandbox.shell(late).await.unwrap_err().code(), "timeout");
    fixture.is_clean().await;
}

#[tokio::test]
async fn an_impossible_command_is_refused_before_anything_runs() {
    let fixture = TestSandbox::held_by(SandboxMeans::Auto);
    for call in [plain("", &[]), plain(" ", &[]), plain("a\0b", &[]), plain("echo", &["a\0b"])] {
        assert_eq!(fixture.sandbox.shell(call).await.unwrap_err().code(), "bad_command");
    }
    let unreadable = plain("/usr", &[]);
    assert_eq!(fixture.sandbox.shell(unreadable).await.unwrap_err().code(), "bad_command");
}

/// S0.30 to S0.33 say nothing of means; where there is none, it is said what to do.
#[tokio::test]
async fn code_without_a_sandbox_is_refused_with_advice() {
    let data = tempfile::tempdir().unwrap();
    let settings = config::Sandbox { means: SandboxMeans::Bubblewrap, ..settings(SandboxMeans::Auto) };
    let sandbox = askfirst::sandbox::Sandbox::with_bubblewrap(
        &settings,
        data.path().join("s"),
        "/nowhere/bwrap".into(),
    );
    let words = sandbox.refusal().unwrap();
    assert!(words.contains("/nowhere/bwrap") && words.contains("apt install bubblewrap"), "{words}");
    assert!(words.contains("sandbox.means = \"none\""), "{words}");
    let refused = sandbox.shell(plain("true", &[])).await.unwrap_err();
    assert!(refused.code() == "sandbox_refused" && refused.to_string().contains("cannot run: "), "{refused}");
}
