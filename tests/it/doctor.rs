//! Findings of `askfirst doctor` on a sound machine and on broken ones.

use askfirst::cli::doctor;
use askfirst::cli::doctor::finding::{Finding, Grade};
use askfirst::config::Settings;
use askfirst::config::layers::Flags;
use askfirst::protocol::Locale;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

fn settings(data_dir: &Path, vars: &[(&str, &str)]) -> Settings {
    let flags = Flags { data_dir: Some(data_dir.to_owned()), port: Some(0), ..Flags::default() };
    let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Settings::load(&flags, vars).unwrap()
}

async fn findings(vars: &[(&str, &str)]) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    doctor::run_checks(&settings(&folder.path().join("data"), vars), Locale::En).await
}

fn find_subject<'f>(findings: &'f [Finding], subject: &str) -> &'f Finding {
    findings.iter().find(|finding| finding.subject == subject).unwrap()
}

/// Answers every connection with the same words.
fn answering(words: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(words.as_bytes());
        }
    });
    address.to_string()
}

const NO_BROWSER: (&str, &str) = ("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium");

#[tokio::test]
async fn doctor_finds_everything_on_a_complete_machine() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a/b/data");
    let found = doctor::run_checks(&settings(&data, &[]), Locale::En).await;
    let text = doctor::lines(&found);
    assert_eq!(doctor::exit_code(&found), 0, "{text}");
    assert!(find_subject(&found, "chromium").text.contains("starts and shows a page"), "{text}");
    assert_eq!(find_subject(&found, "model").grade, Grade::Note);
    assert!(find_subject(&found, "model").advice.as_ref().unwrap().contains("OPENAI_API_KEY"));
    assert_eq!(find_subject(&found, "store").grade, Grade::Good);
    assert_eq!(find_subject(&found, "port").grade, Grade::Good);
    assert_eq!(std::fs::read_dir(&data).unwrap().count(), 0, "nothing is left behind");
    for subject in ["chromium", "model", "sandbox", "store", "disk", "port"] {
        assert!(text.contains(subject), "{text}");
    }
}

#[tokio::test]
async fn doctor_tries_the_sandbox_and_suggests_improvements() {
    for (means, grade, text, advice) in [
        ("auto", Grade::Good, "bubblewrap (", None),
        (
            "landlock",
            Grade::Note,
            "Landlock and seccomp work; bubblewrap holds more",
            Some("apt install bubblewrap"),
        ),
        ("none", Grade::Note, "all the rights of the service", Some("unset sandbox.means")),
    ] {
        let found = findings(&[NO_BROWSER, ("ASKFIRST_SANDBOX__MEANS", means)]).await;
        let finding = find_subject(&found, "sandbox");
        assert!(finding.grade == grade && finding.text.contains(text), "{finding:?}");
        assert_eq!(
            finding.advice.as_ref().map(|given| given.contains(advice.unwrap())),
            advice.map(|_| true)
        );
    }
    let found = findings(&[NO_BROWSER, ("ASKFIRST_SANDBOX__PYTHON", "/nowhere/python3")]).await;
    let finding = find_subject(&found, "sandbox");
    assert!(finding.grade == Grade::Note && finding.text.contains("/nowhere/python3"), "{finding:?}");
}

#[tokio::test]
async fn doctor_fails_without_chromium_and_gives_advice() {
    let found = findings(&[NO_BROWSER]).await;
    assert_eq!(doctor::exit_code(&found), 3);
    let text = doctor::lines(&found);
    assert!(text.contains("✗ chromium  there is no /nowhere/chromium"), "{text}");
    assert!(text.contains("→ install it"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&doctor::json(&found)).unwrap();
    assert_eq!((&json["ok"], &json["findings"][0]["grade"]), (&false.into(), &"missing".into()));
}

#[tokio::test]
async fn doctor_reports_in_the_language_of_the_person() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(&folder.path().join("data"), &[NO_BROWSER]);
    let found = doctor::run_checks(&settings, Locale::Uk).await;
    let text = doctor::lines(&found);
    assert!(text.contains("✗ chromium  немає файлу /nowhere/chromium"), "{text}");
    assert!(text.contains("→ встановіть його"), "{text}");
}

#[tokio::test]
async fn doctor_reports_a_chromium_that_does_not_work() {
    let found = findings(&[("ASKFIRST_BROWSER__EXECUTABLE", "/bin/false")]).await;
    let finding = find_subject(&found, "chromium");
    assert_eq!(finding.grade, Grade::Missing);
    assert!(finding.text.contains("does not work"), "{}", finding.text);
}

#[tokio::test]
async fn doctor_reports_whether_the_model_answers() {
    let list = answering(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 41\r\nConnection: close\r\n\r\n{\"data\":[{\"id\":\"small\"},{\"id\":\"large\"}]} ",
    );
    let refuses = answering("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    for (address, planner, grade, words) in [
        (&list, "small", Grade::Good, "small plans"),
        (&list, "huge", Grade::Note, "does not list huge"),
        (&list, "", Grade::Note, "model.planner is not set"),
        (&refuses, "small", Grade::Missing, "refuses the key"),
        (&closed, "small", Grade::Missing, "does not answer"),
    ] {
        let base = format!("http://{address}/v1");
        let vars = [
            NO_BROWSER,
            ("ASKFIRST_MODEL__BASE_URL", base.as_str()),
            ("ASKFIRST_MODEL__PLANNER", planner),
            ("OPENAI_API_KEY", "sk-very-secret"),
        ];
        let found = findings(&vars).await;
        let finding = find_subject(&found, "model");
        assert_eq!(finding.grade, grade, "{finding:?}");
        assert!(finding.text.contains(words), "{finding:?}");
        assert!(!doctor::lines(&found).contains("sk-very-secret"));
    }
}

#[tokio::test]
async fn doctor_reports_an_unusable_folder_and_a_taken_port() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut settings = settings(&file.join("data"), &[NO_BROWSER]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    settings.server.port = silent.local_addr().unwrap().port();
    let found = doctor::run_checks(&settings, Locale::En).await;
    assert_eq!(find_subject(&found, "store").grade, Grade::Missing);
    assert!(find_subject(&found, "store").advice.as_ref().unwrap().contains("--data-dir"));
    assert_eq!(find_subject(&found, "port").grade, Grade::Missing);

    let alive = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    settings.server.port = alive.rsplit(':').next().unwrap().parse().unwrap();
    let found = doctor::run_checks(&settings, Locale::En).await;
    assert_eq!(find_subject(&found, "port").grade, Grade::Note);
}

#[tokio::test]
async fn doctor_tries_the_store_of_pictures_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let url = url::Url::from_file_path(folder.path().join("blobs")).unwrap().to_string();
    let good = findings(&[NO_BROWSER, ("ASKFIRST_BLOBS__URL", &url)]).await;
    assert_eq!(find_subject(&good, "blobs").grade, Grade::Good);
    let none = findings(&[NO_BROWSER, ("ASKFIRST_BLOBS__URL", "file:")]).await;
    assert!(none.iter().all(|finding| finding.subject != "blobs"));
    let bucket =
        "s3://bucket/x?endpoint=http://127.0.0.1:9&region=r&access_key_id=k&secret_access_key=s3cr3t";
    for (url, part) in [("ftp://x", "neither file: nor s3:"), (bucket, "")] {
        let bad = findings(&[NO_BROWSER, ("ASKFIRST_BLOBS__URL", url)]).await;
        let finding = find_subject(&bad, "blobs");
        assert_eq!(finding.grade, Grade::Missing);
        assert!(finding.text.contains(part) && !finding.text.contains("s3cr3t"), "{finding:?}");
        assert!(finding.advice.as_ref().unwrap().contains("blobs.url"));
    }
}
