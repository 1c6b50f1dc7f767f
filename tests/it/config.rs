//! The settings: every key, every layer, every complaint.

use askfirst::config::layers::{DEFAULT, Flags};
use askfirst::config::mcp::ToolPermission;
use askfirst::config::{LogFormat, Settings, Structured};
use std::io::Write;
use std::path::Path;

/// Settings from variables and a file's text, as `serve` reads them, but away from the real machine.
fn load(vars: &[(&str, &str)], file: Option<&str>) -> Result<Settings, String> {
    let mut flags = Flags::default();
    let mut last = None;
    if let Some(text) = file {
        let mut written = tempfile::Builder::new().suffix(".toml").tempfile().map_err(|e| e.to_string())?;
        written.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
        flags.config = Some(written.path().to_owned());
        last = Some(written);
    }
    let home = [("HOME", "/home/olena")];
    let vars = home.iter().chain(vars).map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    let settings = Settings::load(&flags, vars).map_err(|e| e.to_string());
    drop(last);
    settings
}

#[test]
fn defaults_are_those_of_the_protocol_and_the_limits_table() {
    let s = load(&[], None).unwrap();
    assert_eq!((s.server.host.as_str(), s.server.port), ("127.0.0.1", 8787));
    assert!(s.server.allowed_hosts.is_empty() && s.server.token.is_none());
    assert_eq!(s.chat.default_agent, "browser");
    assert!(!s.model.configured() && s.model.planner.is_none());
    assert_eq!(s.model.structured, Structured::JsonSchema);
    assert!(s.browser.headless && s.browser.executable.is_none() && s.browser.cdp_url.is_none());
    assert_eq!((s.browser.max, s.browser.viewport), (4, (1280, 720)));
    assert_eq!((s.browser.linger_s, s.browser.load_timeout_s), (120, 20));
    assert_eq!(s.gate.policy, Path::new("config/policy.yaml"));
    assert_eq!((s.gate.private_hosts.len(), s.gate.confirm_timeout_s), (0, 0));
    assert_eq!(s.observe.full_every, 8);
    assert_eq!((s.telemetry.log, s.telemetry.level.as_str()), (LogFormat::Human, "info"));
    // S0.25, S0.26, S1.10, S1.23, S2.6, S2.1, S2.20, S2.32, S3.26, S3.27
    let l = s.limits;
    assert_eq!((l.total_steps, l.depth, l.tool_steps, l.invalid_actions), (10_000, 50, 30, 3));
    assert_eq!((l.iterations, l.attempts, l.tries, l.try_timeout_s, l.history), (50, 3, 3, 60, 50));
    assert_eq!((l.orchestration_depth, l.orchestration_steps, l.orchestration_width), (3, 12, 4));
    assert_eq!((l.tokens, l.money, l.wall_s), (None, None, None));
}

#[test]
fn later_layers_win() {
    let file = "data_dir = '/srv/a/data'\n[server]\nport = 1\n[browser]\nmax = 2\n";
    let s = load(&[("ASKFIRST_SERVER__PORT", "2")], Some(file)).unwrap();
    assert_eq!((s.server.port, s.browser.max, s.server.host.as_str()), (2, 2, "127.0.0.1"));
    assert_eq!(s.agents_dir, Path::new("/srv/a/agents"));

    let flags = Flags {
        data_dir: Some("/flag/data".into()),
        host: Some("::1".into()),
        port: Some(3),
        ..Flags::default()
    };
    let vars =
        [("ASKFIRST_SERVER__PORT", "2"), ("ASKFIRST_DATA_DIR", "/var/a"), ("ASKFIRST_AGENTS_DIR", "/ag")];
    let s = Settings::load(&flags, vars.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
    assert_eq!((s.server.port, s.server.host.as_str()), (3, "::1"));
    assert_eq!((s.data_dir.as_path(), s.agents_dir.as_path()), (Path::new("/flag/data"), Path::new("/ag")));
}

#[test]
fn variables_of_every_kind() {
    let s = load(
        &[
            ("ASKFIRST_BROWSER__VIEWPORT", "[1600, 900]"),
            ("ASKFIRST_BROWSER__HEADLESS", "false"),
            ("ASKFIRST_GATE__PRIVATE_HOSTS", r#"["127.0.0.1:9000", "shop.test"]"#),
            ("ASKFIRST_LIMITS__MONEY", "1.5"),
            ("ASKFIRST_MODEL__STRUCTURED", "prompt"),
            ("ASKFIRST_MODEL__BASE_URL", "http://127.0.0.1:11434/v1"),
            ("ASKFIRST_MODEL__PLANNER", "12"),
            ("ASKFIRST_SECRETS__SHOP__ENV", "SHOP_PASSWORD"),
            ("SHOP_PASSWORD", "opensesame"),
            ("ASKFIRST_SECRETS__SHOP__ORIGINS", r#"["https://shop.test"]"#),
            ("ASKFIRST_SERVER__HOST", ""),
            ("PATH", "/bin"),
        ],
        None,
    )
    .unwrap();
    assert_eq!((s.browser.viewport, s.browser.headless), ((1600, 900), false));
    assert_eq!(s.gate.private_hosts, ["127.0.0.1:9000", "shop.test"]);
    assert_eq!((s.limits.money, s.model.structured), (Some(1.5), Structured::Prompt));
    assert_eq!(s.model.planner.as_deref(), Some("12"));
    assert!(s.model.configured());
    assert_eq!(s.secrets["shop"].env.as_deref(), Some("SHOP_PASSWORD"));
    assert_eq!(s.secrets["shop"].origins, ["https://shop.test"]);
    assert_eq!(s.secrets["shop"].value.as_ref().map(|value| value.expose()), Some("opensesame"));
    assert_eq!(s.server.host, "127.0.0.1", "an empty variable counts as absent");
    assert!(s.strangers.is_empty());
}

#[test]
fn the_key_comes_from_either_variable_and_is_never_printed() {
    let s = load(&[("OPENAI_API_KEY", "sk-one")], None).unwrap();
    assert_eq!(s.model.api_key.as_ref().map(|k| k.expose()), Some("sk-one"));
    assert!(!format!("{s:?}").contains("sk-one"));
    let both = [("OPENAI_API_KEY", "sk-one"), ("ASKFIRST_MODEL__API_KEY", "sk-two")];
    let s = load(&both, None).unwrap();
    assert_eq!(s.model.api_key.as_ref().map(|k| k.expose()), Some("sk-two"));
    assert!(!load(&[("OPENAI_API_KEY", "")], None).unwrap().model.configured());
    let broken = load(&[], Some("[model]\napi_key = \"sk-three\n")).unwrap_err();
    assert!(!broken.contains("sk-three") && broken.contains("line 2"), "{broken}");
    let wrong = load(&[], Some("[model]\napi_key = [\"sk-three\"]\n")).unwrap_err();
    assert!(!wrong.contains("sk-three") && wrong.contains("model.api_key"), "{wrong}");
}

#[test]
fn complaints_say_key_source_and_what_is_expected() {
    let var = |name: &str, value: &str| load(&[(name, value)], None).unwrap_err();
    for (complaint, parts) in [
        (
            var("ASKFIRST_SERVER__PROT", "1"),
            vec!["ASKFIRST_SERVER__PROT", "`server.prot`", "did you mean `server.port`?"],
        ),
        (
            var("ASKFIRST_SERVER__PORT", "high"),
            vec!["ASKFIRST_SERVER__PORT", "`server.port`", "from 0 to 65535", "\"high\""],
        ),
        (var("ASKFIRST_SERVER__PORT", "65536"), vec!["`server.port`", "65535", "65536"]),
        (
            var("ASKFIRST_BROWSER__VIEWPORT", "1280x720"),
            vec!["`browser.viewport`", "[1280, 720]", "1280x720"],
        ),
        (var("ASKFIRST_BROWSER__HEADLESS", "perhaps"), vec!["`browser.headless`", "true or false"]),
        (var("ASKFIRST_GATE__PRIVATE_HOSTS", "shop.test"), vec!["`gate.private_hosts`", "a list"]),
        (var("ASKFIRST_MODEL__STRUCTURED", "xml"), vec!["one of json_schema, json_object, prompt", "xml"]),
        (var("ASKFIRST_MODEL__BASE_URL", "localhost:11434"), vec!["`model.base_url`", "http:// or https://"]),
        (var("ASKFIRST_LIMITS__MONEY", "-1"), vec!["`limits.money`", "not negative"]),
        (var("ASKFIRST_SECRETS__SHOP__VALEU", "x"), vec!["`secrets.shop.valeu`", "a secret has"]),
    ] {
        for part in parts {
            assert!(complaint.contains(part), "{part:?} is missing in: {complaint}");
        }
    }
    let file = |text: &str| load(&[], Some(text)).unwrap_err();
    let misspelt = file("[browser]\nheadles = true\n");
    assert!(
        misspelt.contains(".toml") && misspelt.contains("did you mean `browser.headless`?"),
        "{misspelt}"
    );
    assert!(file("[brwoser]\nheadless = true\n").contains("there is no setting `brwoser`"));
    assert!(file("[server]\nport = \"8787\"\n").contains("a whole number"));
    assert!(file("server = 1\n").contains("there is no setting `server`"));
    assert!(file("= 1").contains("not valid TOML"));
    let flags = Flags { config: Some("/nowhere/a.toml".into()), ..Flags::default() };
    let absent = Settings::load(&flags, []).unwrap_err().to_string();
    assert!(absent.contains("/nowhere/a.toml") && absent.contains("--config"), "{absent}");
    let homeless = Settings::load(&Flags::default(), []).unwrap_err().to_string();
    assert!(homeless.contains("ASKFIRST_DATA_DIR"), "{homeless}");
}

// A secret that could not be typed is told of at the start, without its value.
#[test]
fn servers_of_tools_are_read_and_checked_at_the_start() {
    let file = "[mcp.servers.time]\ncommand = ['uvx', 'mcp-server-time']\nenv = ['ZONE']\n\
        tools = {get_current_time = 'allow', 'Odd.Name-1' = 'deny'}\n\
        [mcp.servers.notes]\nurl = 'https://notes.test/mcp'\nheaders = {Authorization = 'Bearer ${KEY}'}\ntimeout_s = 5\n";
    let vars = [("ZONE", "Kyiv"), ("KEY", "k1"), ("PATH", "/bin"), ("OTHER", "x")];
    let s = load(&vars, Some(file)).unwrap();
    let (time, notes) = (&s.mcp["time"], &s.mcp["notes"]);
    assert_eq!((&*time.command, time.timeout_s), (&["uvx".to_owned(), "mcp-server-time".to_owned()][..], 60));
    let passed: Vec<(&str, &str)> = time.env.iter().map(|(name, value)| (&**name, value.expose())).collect();
    assert_eq!(passed, [("HOME", "/home/olena"), ("PATH", "/bin"), ("ZONE", "Kyiv")]);
    assert_eq!(
        (time.tools["get_current_time"], time.tools["Odd.Name-1"]),
        (ToolPermission::Allow, ToolPermission::Deny)
    );
    assert_eq!((notes.url.as_deref(), notes.timeout_s), (Some("https://notes.test/mcp"), 5));
    assert_eq!(notes.headers["authorization"].expose(), "Bearer k1");
    assert!(!format!("{s:?}").contains("k1"));

    let of = |rest: &str| load(&[], Some(&format!("[mcp.servers.time]\n{rest}"))).map(|_| ()).unwrap_err();
    for (rest, part) in [
        ("timeout_s = 5", "needs `command`"),
        ("command = ['a']\nurl = 'http://b.test'", "keep one"),
        ("command = ['a']\nenv = ['NOT_SET']", "NOT_SET, which is not set"),
        ("url = 'http://b.test'\nheaders = {a = '${GONE}'}", "GONE, which is not set"),
        ("url = 'http://b.test'\nenv = []\ntools = {x = 'always'}", "one of allow, confirm, deny"),
        ("url = 'ftp://b.test'", "begins with http"),
        ("comand = ['a']", "a server stands in `mcp.servers.NAME`"),
    ] {
        let complaint = of(rest);
        assert!(complaint.contains("mcp.servers.time") && complaint.contains(part), "{rest}: {complaint}");
    }
}

#[test]
fn secrets_by_name_are_checked_at_the_start() {
    let shop = |rest: &str| load(&[("SEED", "not base 32!")], Some(&format!("[secrets.shop]\n{rest}")));
    let at = "origins = ['https://Shop.test:443/']\n";
    let fine = shop(&format!("{at}value = 'opensesame'")).unwrap();
    assert_eq!(fine.secrets["shop"].origins, ["https://shop.test"]);
    assert!(!format!("{fine:?}").contains("opensesame"));
    for (rest, part) in [
        (format!("{at}env = 'SHOP_PASSWORD'"), "reads the variable SHOP_PASSWORD, which is not set"),
        (String::from(at), "needs `value`, or `env`"),
        (format!("{at}env = 'SEED'\nvalue = 'opensesame'"), "keep one"),
        (String::from("value = 'opensesame'"), "needs `origins`"),
        (String::from("value = 'opensesame'\norigins = ['shop.test']"), "`shop.test` is not an origin"),
        (String::from("value = 'opensesame'\norigins = ['https://shop.test/login']"), "is not an origin"),
        (String::from("value = 'opensesame'\norigins = ['file:///a']"), "is not an origin"),
        (format!("{at}env = 'SEED'\ntotp = true"), "a seed in base32"),
    ] {
        let complaint = shop(&rest).unwrap_err();
        assert!(complaint.contains("secrets.shop") && complaint.contains(part), "{complaint}");
        assert!(!complaint.contains("opensesame") && !complaint.contains("not base"), "{complaint}");
    }
}

// The names of models have dots, slashes and colons in them, and capital letters, which variables have not.
#[test]
fn prices_are_found_for_any_model_name() {
    let file = "[prices]\ncurrency = 'EUR'\n[prices.\"gpt-4.1\"]\ninput = 2\noutput = 8.0\n\
                [prices.'Qwen/Qwen3:8b']\ninput = 0\noutput = 0\n";
    let s = load(&[("ASKFIRST_PRICES__GPT-4.1__CACHED", "0.5")], Some(file)).unwrap();
    let prices = &s.model.prices;
    let of = |name: &str| prices.price_for(name).map(|price| (price.input, price.cached, price.output));
    assert_eq!((prices.currency.as_str(), of("gpt-4.1")), ("EUR", Some((2.0, 0.5, 8.0))));
    assert_eq!((of("qwen/qwen3:8b"), of("gpt-4")), (Some((0.0, 0.0, 0.0)), None));
    for (text, part) in [
        ("[prices.\"gpt-4.1\"]\ninput = 2\n", "prices.\"gpt-4.1\" needs `input` and `output`"),
        ("[prices.\"gpt-4.1\"]\ninput = -2\noutput = 1\n", "not negative"),
        ("[prices.\"gpt-4.1\"]\ninptu = 2\n", "the price of a model has `input`"),
        ("[prices]\ninput = 2\n", "there is no setting `prices.input`"),
    ] {
        let complaint = load(&[], Some(text)).unwrap_err();
        assert!(complaint.contains(part), "{part:?} is missing in: {complaint}");
    }
}

#[test]
fn an_unknown_variable_is_reported_but_no_error() {
    let s = load(&[("ASKFIRST_DATADIR", "/x"), ("ASKFIRST_TEST_MODE", "1")], None).unwrap();
    assert_eq!(s.strangers.len(), 2);
    assert!(s.strangers[0].contains("did you mean `data_dir`?"), "{:?}", s.strangers);
}

#[test]
fn the_data_folder_is_the_platforms() {
    if cfg!(target_os = "linux") {
        let s = load(&[], None).unwrap();
        assert_eq!(s.data_dir, Path::new("/home/olena/.local/share/askfirst/data"));
        assert_eq!(s.agents_dir, Path::new("/home/olena/.local/share/askfirst/agents"));
        let s = load(&[("XDG_DATA_HOME", "/xdg")], None).unwrap();
        assert_eq!(s.data_dir, Path::new("/xdg/askfirst/data"));
    }
}

/// The document and the code know the same keys; each key has a comment above it.
#[test]
fn default_toml_documents_every_key() {
    let mut section = String::new();
    let mut documented = Vec::new();
    let mut commented = false;
    for line in DEFAULT.lines() {
        let bare = line.trim_start_matches("# ");
        if let Some(name) = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = format!("{name}.");
        } else if let Some((key, _)) = bare.split_once(" = ").filter(|(key, _)| is_key(key)) {
            assert!(commented, "{section}{key} has no comment");
            documented.push(format!("{section}{key}"));
        } else {
            commented = line.starts_with('#');
        }
    }
    let mut known: Vec<String> = askfirst::config::names().map(str::to_owned).collect();
    known.extend(["input", "cached", "output"].map(|field| format!("prices.\"gpt-5-mini\".{field}")));
    known.extend(["value", "env", "origins", "totp"].map(|field| format!("secrets.shop.{field}")));
    let of_servers = ["command", "env", "url", "headers", "timeout_s", "tools"];
    known.extend(of_servers.map(|field| format!("mcp.servers.time.{field}")));
    known.sort();
    documented.sort();
    assert_eq!(documented, known);
}

fn is_key(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}
