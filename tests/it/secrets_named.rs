//! Secrets by name: they reach the fields that they are for, and nothing else ever has them.

use crate::browser_stage::{Stage, site};
use crate::conversation_secrets::{BY_HAND, SIGN_IN, by_hand, holders};
use crate::support::app::{Http, until};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::talk::slot;
use crate::support::ws::Ws;
use askfirst::browser::error::ErrorCode;
use askfirst::clock::Moment;
use askfirst::config::secret::Secret;
use askfirst::config::secrets::PageSecret;
use askfirst::secrets::named_secrets::NamedSecrets;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};

const PASSWORD: &str = "Tr0ub4dor & three";
const SEED: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
/// The password as it is, as addresses have it, as HTML has it; the seed.
const VALUES: [&str; 4] = [PASSWORD, "Tr0ub4dor+%26+three", "Tr0ub4dor%20&", SEED];

/// A page that says everywhere what is typed into it, and backwards what nobody else would know.
const TELLTALE: &str = "<title>shop</title><h1>Shop</h1><input aria-label=Note>\
    <input type=password aria-label=Password><input autocomplete=one-time-code aria-label=Code>\
    <p id=o></p><p id=back></p><a id=l>link</a><script>\
    const say = (v) => { o.textContent = `you typed ${v}`; document.title = v; l.href = '/x?p=' + encodeURIComponent(v);\
    l.textContent = v; back.textContent = [...v].reverse().join('.'); };\
    for (const f of document.querySelectorAll('input')) f.oninput = () => { say(f.value); if (f.type == 'password') {\
    history.replaceState(0, '', location.pathname + '?p=' + encodeURIComponent(f.value) + '#' + f.value); alert(f.value); } };\
    </script>";

fn page_of(site: &str, html: &str) -> String {
    let body = url::form_urlencoded::byte_serialize(html.as_bytes()).collect::<String>();
    format!("{site}/html?{body}")
}

/// The service as a process that writes all that it can log into a file.
async fn serve(folder: &Path, model: &ScriptedModel, origin: &str) -> (tokio::process::Child, String) {
    let host = json!([origin.trim_start_matches("http://"), "localhost"]).to_string();
    let origins = json!([origin]).to_string();
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_askfirst"))
        .args(["serve", "--port", "0", "--data-dir"])
        .arg(folder.join("data"))
        .env("ASKFIRST_AGENTS_DIR", folder.join("agents"))
        .env("ASKFIRST_BROWSER__LINGER_S", "0")
        .env("ASKFIRST_TELEMETRY__LEVEL", "trace")
        .env("ASKFIRST_MODEL__BASE_URL", &model.base_url)
        .env("ASKFIRST_MODEL__PLANNER", "scripted")
        .env("ASKFIRST_GATE__PRIVATE_HOSTS", &host)
        .env("ASKFIRST_SECRETS__SHOP__ENV", "SHOP_PASSWORD")
        .env("SHOP_PASSWORD", PASSWORD)
        .env("ASKFIRST_SECRETS__SHOP__ORIGINS", &origins)
        .env("ASKFIRST_SECRETS__CODE__VALUE", SEED)
        .env("ASKFIRST_SECRETS__CODE__TOTP", "true")
        .env("ASKFIRST_SECRETS__CODE__ORIGINS", &origins)
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(folder.join("log")).unwrap())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = tokio::time::timeout(Duration::from_secs(60), lines.next_line()).await.unwrap().unwrap();
    (child, line.unwrap().strip_prefix("listening on ").unwrap().to_owned())
}

fn script(model: &ScriptedModel, here: &str, elsewhere: &str) {
    let named = |field: &'static str, text: &'static str| Reply::fill(field, text);
    let all = [
        Reply::act("navigate", json!({"url": page_of(here, TELLTALE)})),
        named("Note", "<secret:shop>"),
        named("Password", "<secret:nope>"),
        named("Password", "my <secret:shop>"),
        named("Password", "<secret:shop>"),
        Reply::act("extract", json!({})),
        named("Code", "<secret:code>"),
        Reply::act("navigate", json!({"url": page_of(elsewhere, TELLTALE)})),
        named("Password", "<secret:shop>"),
        Reply::stop("Signed in."),
    ];
    all.into_iter().for_each(|reply| model.push(reply));
}

// See docs/turns.md, "Secrets".
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_named_secret_reaches_its_field_and_is_nowhere_else() {
    let _slot = slot().await;
    let folder = tempfile::tempdir().unwrap();
    let here = site();
    let elsewhere = here.replace("127.0.0.1", "localhost");
    let model = ScriptedModel::start(Vec::new());
    script(&model, &here, &elsewhere);
    let (mut child, base) = serve(folder.path(), &model, &here).await;
    let began = Moment::now();
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "en"})).await;
    ws.send(json!({"type": "user_message", "text": "sign in with <secret:shop>"})).await;
    let run = ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
    // The address of the other site carries text that was read on the first.
    let question = ws.until("agent_question").await;
    assert_eq!(question["payload"]["layer"], "flow", "{question}");
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
    let ended = ws.until("run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");

    let requests = model.requests();
    let prompts: Vec<String> = requests.iter().map(|request| request.last_text()).collect();
    for (at, part) in [
        (
            2,
            "result a1 failed: <secret:shop> was not typed: secrets only go into password and one-time-code fields",
        ),
        (3, "there is no secret of that name; known ones: <secret:code>, <secret:shop>"),
        (4, "a secret's name must be the whole text"),
        (5, "result a1 ok"),
        (5, "text \"you typed <secret:shop>\""),
        (5, "title=\"<secret:shop>\""),
        (5, "accepted: \\\"<secret:shop>\\\""),
        (6, "you typed <secret:shop>"),
        (7, "text \"you typed <secret:code>\""),
        (9, "<secret:shop> was not typed: it may only be typed at http://127.0.0.1"),
    ] {
        assert!(prompts[at].contains(part), "request {at} lacks {part}: {}", prompts[at]);
    }
    assert!(prompts[5].contains(&backwards(PASSWORD)), "the value reached the field: {}", prompts[5]);
    let system = requests[0].system();
    assert!(system.contains("`<secret:code>` (127.0.0.1), `<secret:shop>` (127.0.0.1)"), "{system}");
    assert!(requests.iter().all(|request| request.system() == system), "caches of prompts go on working");

    let mut outputs = vec![json!(ws.events).to_string(), ended.to_string()];
    outputs.extend(requests.iter().map(|request| request.body.to_string()));
    for path in ["", "/state", "/trace", "/events"] {
        outputs.push(Http::new().get(&format!("{base}/api/runs/{run}{path}")).await.to_string());
    }
    // The six digits, too: the page says backwards which they were.
    let typed: Vec<String> =
        codes(began).into_iter().filter(|code| prompts[7].contains(&backwards(code))).collect();
    assert_eq!(typed.len(), 1, "the code reached the field: {}", prompts[7]);
    for text in &outputs {
        for value in VALUES {
            assert!(!text.contains(value), "{value} is in {text}");
        }
        assert!(!has_number(text.as_bytes(), &typed[0]), "{} is in {text}", typed[0]);
    }
    // Every file of the service, its log too.
    assert!(std::fs::metadata(folder.path().join("log")).unwrap().len() > 1000);
    assert_eq!(holders(folder.path(), &VALUES), Vec::<String>::new());
    drop(ws);
    end(&mut child, folder.path()).await;
    assert_eq!(holders(folder.path(), &VALUES), Vec::<String>::new());
    let files = files(folder.path());
    assert!(files.iter().any(|(path, _)| path.ends_with("log")));
    for (path, bytes) in files {
        assert!(!has_number(&bytes, &typed[0]), "{} is in {}", typed[0], path.display());
    }
    model.finish();
}

/// The service ends, and nothing of it is left.
async fn end(child: &mut tokio::process::Child, folder: &Path) {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    child.wait().await.unwrap();
    until("no Chromium is left", Duration::from_secs(10), || {
        crate::support::app::chromium_of(folder).is_empty()
    })
    .await;
}

/// Value as the page writes it: reversed, with dots.
fn backwards(value: &str) -> String {
    value.chars().rev().map(String::from).collect::<Vec<_>>().join(".")
}

/// Every code that was right for a moment since then.
fn codes(began: Moment) -> Vec<String> {
    let value = Some(Secret::new(SEED));
    let secret = PageSecret { value, env: None, origins: Vec::new(), totp: true };
    let keys = NamedSecrets::from_config(&BTreeMap::from([(String::from("code"), secret)]));
    let steps = (began.millis()..=Moment::now().millis() + 30_000).step_by(30_000);
    let mut codes: Vec<String> = steps.filter_map(|at| keys.value("code", Moment::from_millis(at))).collect();
    codes.dedup();
    codes
}

/// True if the number stands alone: six digits may be part of another number by chance.
fn has_number(bytes: &[u8], number: &str) -> bool {
    let is_part = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    bytes.windows(number.len()).enumerate().any(|(at, part)| {
        part == number.as_bytes() && !is_part(at.checked_sub(1)) && !is_part(Some(at + number.len()))
    })
}

/// Every file of the service and what is in it.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    found
}

// Text that a person types by hand is in no line of the log, at any level.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn text_typed_during_a_take_over_is_in_no_log() {
    let _slot = slot().await;
    let folder = tempfile::tempdir().unwrap();
    let (here, model) = (site(), ScriptedModel::start(Vec::new()));
    let (mut child, base) = serve(folder.path(), &model, &here).await;
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "en"})).await;
    let mut run = Value::Null;
    for (page, gone) in SIGN_IN {
        for reply in [
            Reply::act("navigate", json!({"url": page_of(&here, page)})),
            Reply::act("need_user", json!({"text": "Please sign in"})),
            Reply::act("extract", json!({})),
            Reply::stop("Signed in."),
        ] {
            model.push(reply);
        }
        let mut words = json!({"type": "user_message", "text": "sign me in"});
        if run.is_string() {
            words["run_id"] = run.clone();
            ws.send(words).await;
        } else {
            ws.send(words).await;
            run = ws.until("run_started").await["run_id"].clone();
        }
        ws.until("agent_question").await;
        by_hand(&mut ws, (&base, run.as_str().unwrap()), BY_HAND[0], gone).await;
        let ended = ws.until("run_ended").await;
        assert_eq!(ended["outcome"], "succeeded", "{ended}");
    }
    let prompts: String = model.requests().iter().map(|request| request.last_text()).collect();
    assert!(prompts.contains("You typed ••••") && prompts.contains("Your password is ••••"), "{prompts}");
    drop(ws);
    end(&mut child, folder.path()).await;
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.contains("TRACE") && log.contains(run.as_str().unwrap()), "all is logged: {log}");
    assert_eq!(holders(folder.path(), &BY_HAND), Vec::<String>::new());
    model.finish();
}

async fn stage_with(value: &str, totp: bool) -> Stage {
    let value = Some(Secret::new(value));
    Stage::open_at(move |config, site| {
        let secret = PageSecret { value, env: None, origins: vec![site.to_owned()], totp };
        config.keys = NamedSecrets::from_config(&BTreeMap::from([(String::from("shop"), secret)]));
    })
    .await
}

async fn typed(stage: &Stage, field: &str) -> Result<Value, (ErrorCode, String)> {
    let eid = stage.eid(field).await;
    let done = stage.act("type", json!({"eid": eid, "text": "<secret:shop>"})).await;
    done.map(|done| json!(done.url)).map_err(|fault| (fault.code, fault.message))
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn named_secrets_go_only_into_password_and_code_fields_of_listed_origins() {
    let stage = stage_with(PASSWORD, false).await;
    let other = stage.site.replace("127.0.0.1", "localhost");
    let fields = "<input type=password aria-label=Plain><input type=text autocomplete=current-password aria-label=Shown>\
        <input name=otp aria-label=Once><input type=password name=cvv aria-label=Cvv>\
        <input autocomplete=cc-number aria-label=Card><textarea aria-label=Words></textarea>\
        <input type=password readonly aria-label=Fixed><input type=password maxlength=4 aria-label=Short>\
        <p id=o></p><script>for (const f of document.querySelectorAll('input')) f.oninput = () => o.textContent = f.value;</script>";
    stage.show(fields).await;
    for field in ["Plain", "Shown", "Once"] {
        typed(&stage, field).await.unwrap_or_else(|fault| panic!("{field}: {fault:?}"));
        assert!(crate::browser_stage::text(&*stage.observe().await).contains(PASSWORD), "{field}");
    }
    for (field, code) in [
        ("Cvv", ErrorCode::SecretMisplaced),
        ("Card", ErrorCode::SecretMisplaced),
        ("Words", ErrorCode::SecretMisplaced),
        ("Fixed", ErrorCode::Readonly),
    ] {
        let (found, message) = typed(&stage, field).await.unwrap_err();
        assert_eq!(found, code, "{field}: {message}");
        assert!(!message.contains(PASSWORD), "{message}");
    }
    // Frames count by their own origin, and one without an origin by none.
    let frame = page_of(&stage.site, "<input type=password aria-label=Inner>");
    stage.show(&format!("<iframe src='{frame}'></iframe>")).await;
    stage.act("wait", json!({"seconds": 5, "text": "Inner"})).await.ok();
    typed(&stage, "Inner").await.unwrap();
    stage.act("navigate", json!({"url": page_of(&other, fields)})).await.unwrap();
    let (code, message) = typed(&stage, "Plain").await.unwrap_err();
    assert_eq!(code, ErrorCode::SecretMisplaced);
    assert!(message.contains(&stage.site) && message.contains(&other), "{message}");
    stage.finish().await;
}

// The page's own scripts cannot divert the value while it is typed.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_field_that_changes_while_a_secret_is_typed_gets_nothing() {
    let stage = stage_with(PASSWORD, false).await;
    for trick in [
        "p.onfocus = () => { p.type = 'text'; p.name = 'note'; q.focus(); }",
        "p.onfocus = () => q.focus()",
        "p.onfocus = () => setTimeout(() => q.focus()); q.focus()",
    ] {
        let html = format!(
            "<form name=execCommand></form><input id=p type=password aria-label=Secret><input id=q aria-label=Public><script>{trick}</script>"
        );
        stage.show(&html).await;
        let _ = typed(&stage, "Secret").await;
        let seen = stage.observe().await;
        let public = crate::browser_stage::find(&seen, "Public");
        assert_eq!(public.attributes.value, None, "{trick}");
    }
    stage.finish().await;
}
