//! The folder of agents as files: what is edited is picked up, what is saved is whole, versions stay,
//! and nothing leads out of it.

use askfirst::agent_spec::files::built_in::BUILT_IN;
use askfirst::agent_spec::files::library::Library;
use askfirst::agent_spec::files::library::error::LibraryError;
use askfirst::agent_spec::files::version::{ExpectedState, LostComments, hash_text};
use askfirst::agent_spec::types::spec::AgentSpec;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

struct LibraryFixture {
    // Removed with everything in it when the test is over.
    _home: TempDir,
    folder: PathBuf,
    library: Arc<Library>,
}

impl LibraryFixture {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("agents");
        let library = Arc::new(Library::open(&folder).unwrap());
        Self { _home: home, folder, library }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).unwrap();
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(format!("{name}.yaml"))).unwrap()
    }

    fn list_faults(&self, name: &str) -> String {
        let faults = self.library.find_faults(name);
        faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    /// File names in the folder, hidden ones included.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn agent(name: &str, code: &str) -> String {
    format!("name: {name}\ntitle_ua: Один\nkind: atomic\noutputs: [{{name: x}}]\npython: {{code: {code}}}\n")
}

fn code(library: &Library, name: &str) -> String {
    library.get(name).unwrap().python.as_ref().unwrap().code.clone()
}

// S0.15
#[test]
fn files_edited_on_disk_are_picked_up_without_a_restart() {
    let fixture = LibraryFixture::new();
    assert!(fixture.library.get("one").is_none());
    fixture.write("one.yaml", &agent("one", "x = 1"));
    assert_eq!(code(&fixture.library, "one"), "x = 1");
    // The file keeps its length and time; only the text differs.
    fixture.write("one.yaml", &agent("one", "x = 2"));
    assert_eq!(code(&fixture.library, "one"), "x = 2");
    // A broken edit keeps only itself from running, and is told with its place.
    fixture.write("one.yaml", "name: one\nkind: atomic\npython: {code: x}\ntitel_ua: Один\n");
    assert!(fixture.library.get("one").is_none());
    assert!(fixture.list_faults("one").contains("line 4"), "{}", fixture.list_faults("one"));
    assert_eq!(fixture.library.list().len(), BUILT_IN.len());
    assert_eq!(fixture.library.faults().len(), 1);
    fixture.write("one.yaml", &agent("one", "x = 3"));
    assert_eq!(
        (code(&fixture.library, "one"), fixture.list_faults("one")),
        (String::from("x = 3"), String::new())
    );
    fs::remove_file(fixture.folder.join("one.yaml")).unwrap();
    assert!(fixture.library.get("one").is_none() && fixture.library.list().len() == BUILT_IN.len());
}

// S0.36
#[test]
fn a_save_is_whole_or_not_at_all() {
    let fixture = LibraryFixture::new();
    let saved = fixture.library.save("one", &agent("one", "x = 1"), ExpectedState::Nothing).unwrap();
    assert_eq!((fixture.file("one"), &*saved.text), (agent("one", "x = 1"), &*agent("one", "x = 1")));
    assert_eq!(saved.hash, hash_text(&saved.text));
    for text in ["name: [", "name: two\nkind: atomic\npython: {code: x}\n", "name: one\nkind: atomic\n"] {
        let refused = fixture.library.save("one", text, ExpectedState::Anything).unwrap_err();
        assert!(matches!(refused, LibraryError::Faulty { .. }), "{refused}");
        assert_eq!(fixture.file("one"), agent("one", "x = 1"));
    }
    let stale = fixture.library.save("one", &agent("one", "x = 2"), ExpectedState::Nothing).unwrap_err();
    assert!(matches!(stale, LibraryError::Changed { found: Some(_), .. }), "{stale}");
    fixture.library.save("one", &agent("one", "x = 2"), ExpectedState::Version(&saved.hash)).unwrap();
    let stale =
        fixture.library.save("one", &agent("one", "x = 3"), ExpectedState::Version(&saved.hash)).unwrap_err();
    assert!(matches!(stale, LibraryError::Changed { .. }), "{stale}");
    assert_eq!(code(&fixture.library, "one"), "x = 2");
    assert!(!fixture.names().iter().any(|name| name.ends_with(".new")), "{:?}", fixture.names());
}

#[test]
fn a_run_keeps_the_version_that_it_started_with() {
    let fixture = LibraryFixture::new();
    let first = fixture.library.save("one", &agent("one", "x = 1"), ExpectedState::Anything).unwrap();
    let (spec, hash) = fixture.library.pin("one").unwrap();
    assert_eq!((&spec, &hash), (&first.spec, &first.hash));
    fixture.library.save("one", &agent("one", "x = 2"), ExpectedState::Anything).unwrap();
    assert_eq!(fixture.library.version_spec("one", &hash).as_ref(), Some(&spec));
    fixture.library.remove("one", ExpectedState::Anything).unwrap();
    assert!(fixture.library.get("one").is_none());
    // A second library over the same folder finds it too, and so do versions that were only ever edited by hand.
    let again = Library::open(&fixture.folder).unwrap();
    assert_eq!(again.version_spec("one", &hash).as_ref(), Some(&spec));
    fixture.write("two.yaml", &agent("two", "x = 1"));
    let (by_hand, hash) = again.pin("two").unwrap();
    fixture.write("two.yaml", "name: [");
    assert_eq!(Library::open(&fixture.folder).unwrap().version_spec("two", &hash), Some(by_hand));
    // A kept version that was changed later is no version any more; neither is a name that is no hash.
    let version_file = fixture.folder.join(format!(".versions/two/{hash}.yaml"));
    fs::write(&version_file, agent("two", "evil")).unwrap();
    let again = Library::open(&fixture.folder).unwrap();
    assert_eq!(again.version_spec("two", &hash), None);
    assert_eq!((again.version_spec("two", "../../one"), again.version_spec("../two", &hash)), (None, None));
}

#[test]
fn of_two_concurrent_saves_one_is_refused() {
    let fixture = LibraryFixture::new();
    let first = fixture.library.save("one", &agent("one", "x = 0"), ExpectedState::Anything).unwrap();
    let results: Vec<bool> = std::thread::scope(|scope| {
        let savers: Vec<_> = (0..8)
            .map(|n| {
                let (library, hash) = (&fixture.library, first.hash.as_str());
                let text = agent("one", &format!("y = {n}"));
                scope.spawn(move || library.save("one", &text, ExpectedState::Version(hash)).is_ok())
            })
            .collect();
        savers.into_iter().map(|saver| saver.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|saved| **saved).count(), 1, "{results:?}");
    let winner = results.iter().position(|saved| *saved).unwrap();
    assert_eq!(fixture.file("one"), agent("one", &format!("y = {winner}")));
}

#[test]
fn names_cannot_leave_the_folder() {
    let fixture = LibraryFixture::new();
    let outside = fixture.folder.parent().unwrap().join("evil.yaml");
    fs::write(&outside, agent("evil", "x")).unwrap();
    let long = "a".repeat(65);
    for name in [
        "../evil",
        "/etc/passwd",
        "..",
        ".hidden",
        "",
        "a/b",
        "a\\b",
        "a\0b",
        "One",
        "один",
        "a b",
        "a.b",
        &long,
    ] {
        assert!(fixture.library.get(name).is_none(), "{name:?}");
        assert!(fixture.library.pin(name).is_none(), "{name:?}");
        let refused = fixture.library.save(name, &agent("evil", "y"), ExpectedState::Anything).unwrap_err();
        assert!(matches!(refused, LibraryError::Name(_)), "{name:?}: {refused}");
        let refused = fixture.library.remove(name, ExpectedState::Anything).unwrap_err();
        assert!(matches!(refused, LibraryError::Name(_)), "{name:?}: {refused}");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), agent("evil", "x"));
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_reported_and_never_written_through() {
    use std::os::unix::fs::symlink;
    let fixture = LibraryFixture::new();
    let outside = fixture.folder.parent().unwrap().join("one.yaml");
    fs::write(&outside, agent("one", "x = 1")).unwrap();
    fixture.library.save("one", &agent("one", "x = 0"), ExpectedState::Anything).unwrap();
    fs::remove_file(fixture.folder.join("one.yaml")).unwrap();
    symlink(&outside, fixture.folder.join("one.yaml")).unwrap();
    assert!(fixture.library.get("one").is_none());
    assert!(
        fixture.list_faults("one").contains("leads out of the agents' folder"),
        "{}",
        fixture.list_faults("one")
    );
    fixture.library.save("one", &agent("one", "x = 2"), ExpectedState::Anything).unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), agent("one", "x = 1"));
    assert!(fs::symlink_metadata(fixture.folder.join("one.yaml")).unwrap().is_file());
    // Within the folder a link is as good as the file; its name must fit all the same.
    symlink("one.yaml", fixture.folder.join("two.yaml")).unwrap();
    assert!(fixture.list_faults("two").contains("must be \"two\""), "{}", fixture.list_faults("two"));
    // Links to nowhere, in a circle, to a folder, to a device.
    for (name, target) in [("a", "nowhere"), ("b", "b.yaml"), ("c", "/tmp"), ("d", "/dev/zero")] {
        symlink(target, fixture.folder.join(format!("{name}.yaml"))).unwrap();
        assert!(fixture.library.get(name).is_none() && !fixture.list_faults(name).is_empty(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_folders_and_huge_files_are_reported_and_block_nothing() {
    let fixture = LibraryFixture::new();
    let pipe = fixture.folder.join("pipe.yaml");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    fs::create_dir(fixture.folder.join("dir.yaml")).unwrap();
    fixture.write("huge.yaml", &"#".repeat(10 * 1024 * 1024));
    fs::write(fixture.folder.join("bytes.yaml"), [0xff, 0xfe, 0x00]).unwrap();
    fixture.write("other.yml", &agent("other", "x"));
    for (name, words) in [
        ("pipe", "not a plain file"),
        ("dir", "not a plain file"),
        ("huge", "more than 512 kB"),
        ("bytes", "not UTF-8"),
        ("other.yml", "must end in .yaml"),
    ] {
        let faults = fixture.library.faults();
        let found = faults.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("{name}"));
        assert!(found.1.faults[0].message.contains(words), "{name}: {:?}", found.1.faults);
    }
    assert_eq!(fixture.library.list().len(), BUILT_IN.len());
}

#[cfg(unix)]
#[test]
fn agents_in_a_read_only_folder_can_be_used() {
    use std::os::unix::fs::PermissionsExt;
    if nix::unistd::geteuid().is_root() {
        // A file in the place of the folder of versions stops root, too, for whom no folder is read-only.
        let fixture = LibraryFixture::new();
        fixture.write("one.yaml", &agent("one", "x = 1"));
        let _ = fs::remove_dir_all(fixture.folder.join(".versions"));
        fixture.write(".versions", "");
        let refused =
            fixture.library.save("one", &agent("one", "x = 2"), ExpectedState::Anything).unwrap_err();
        assert!(matches!(refused, LibraryError::Disk { .. }), "{refused}");
        assert!(refused.to_string().contains("the agent is as it was"), "{refused}");
        assert_eq!(fixture.file("one"), agent("one", "x = 1"));
        let (spec, hash) = fixture.library.pin("one").unwrap();
        fixture.write("one.yaml", &agent("one", "x = 3"));
        assert_eq!(fixture.library.version_spec("one", &hash), Some(spec), "as long as the process lives");
        return;
    }
    let fixture = LibraryFixture::new();
    fixture.write("one.yaml", &agent("one", "x = 1"));
    let mode = |mode| fs::set_permissions(&fixture.folder, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o500);
    let again = Library::open(&fixture.folder);
    let refused = fixture.library.save("one", &agent("one", "x = 2"), ExpectedState::Anything).unwrap_err();
    mode(0o700);
    assert!(again.unwrap().get("one").is_some());
    assert!(matches!(refused, LibraryError::Disk { .. }), "{refused}");
    assert_eq!(fixture.file("one"), agent("one", "x = 1"));
}

#[test]
fn unfinished_writes_are_removed_and_missing_built_in_agents_restored() {
    let fixture = LibraryFixture::new();
    fixture.write(".one.yaml.abc.new", "name: half");
    fs::remove_file(fixture.folder.join("browser.yaml")).unwrap();
    let again = Library::open(&fixture.folder).unwrap();
    assert!(again.get("browser").is_some());
    assert!(!fixture.names().iter().any(|name| name.ends_with(".new")), "{:?}", fixture.names());
}

// Overwriting a file keeps the comments of that file and of no other, also with concurrent edits.
#[test]
fn an_agent_is_written_over_its_file_with_its_comments() {
    let fixture = LibraryFixture::new();
    let mine = "# mine\nname: one\nkind: atomic\noutputs: [{name: x}]\npython:\n  # how\n  code: x = 1\n";
    let first = fixture.library.save("one", mine, ExpectedState::Nothing).unwrap();
    let mut spec = (*first.spec).clone();
    spec.python.as_mut().unwrap().code = String::from("x = 2");
    let edited = mine.replace("# mine", "# edited by hand");
    fixture.write("one.yaml", &edited);
    let over = |spec: &AgentSpec, comments: LostComments, expected: ExpectedState<'_>| {
        fixture.library.save_over("one", spec, comments, expected)
    };
    over(&spec, LostComments::Keep, ExpectedState::Anything).unwrap();
    assert_eq!(fixture.file("one"), edited.replace("x = 1", "x = 2"));
    // A save that expects another version is refused, also if the file was edited by hand.
    let known = [hash_text("another"), first.hash.clone()];
    for expected in
        [ExpectedState::Nothing, ExpectedState::Version(&first.hash), ExpectedState::OneOf(&known)]
    {
        let refused = over(&spec, LostComments::Drop, expected).unwrap_err();
        assert!(matches!(refused, LibraryError::Changed { found: Some(_), .. }), "{refused}");
    }
    let python = spec.python.take();
    spec.llm = Some(serde_json::from_value(serde_json::json!({"prompt": "x"})).unwrap());
    let refused = over(&spec, LostComments::Keep, ExpectedState::Anything).unwrap_err();
    assert!(matches!(&refused, LibraryError::Comments { lines, .. } if *lines == [6]), "{refused}");
    assert_eq!(fixture.file("one"), edited.replace("x = 1", "x = 2"));
    over(&spec, LostComments::Drop, ExpectedState::OneOf(&[String::from("*")])).unwrap();
    assert!(fixture.file("one").starts_with("# edited by hand") && !fixture.file("one").contains("# how"));
    // At once: each is whole and has the comment.
    (spec.llm, spec.python) = (None, python);
    std::thread::scope(|scope| {
        for n in 0..6 {
            let (library, mut spec) = (Arc::clone(&fixture.library), spec.clone());
            spec.python.as_mut().unwrap().code = format!("x = {n}");
            scope.spawn(move || {
                drop(library.save_over("one", &spec, LostComments::Drop, ExpectedState::Anything))
            });
        }
    });
    assert!(
        fixture.file("one").starts_with("# edited by hand")
            && code(&fixture.library, "one").starts_with("x = ")
    );
}

#[test]
fn unfinished_writes_of_versions_are_removed_at_the_start() {
    let fixture = LibraryFixture::new();
    fixture.library.save("one", &agent("one", "x = 1"), ExpectedState::Nothing).unwrap();
    let versions = fixture.folder.join(".versions/one");
    for folder in [&fixture.folder, &versions] {
        fs::write(folder.join(".left.new"), "half a fi").unwrap();
    }
    drop(Library::open(&fixture.folder).unwrap());
    assert!(!fixture.folder.join(".left.new").exists() && !versions.join(".left.new").exists());
    assert_eq!(fs::read_dir(&versions).unwrap().count(), 1, "the version stays");
}

// A run that begins writes nothing that is written already.
#[test]
fn a_stored_version_is_found_without_reading_the_folder() {
    let fixture = LibraryFixture::new();
    fixture.write("one.yaml", &agent("one", "x = 1"));
    let (_, hash) = fixture.library.pin("one").unwrap();
    let version_file = fixture.folder.join(format!(".versions/one/{hash}.yaml"));
    fs::remove_file(&version_file).unwrap();
    assert_eq!(fixture.library.pin("one").unwrap().1, hash);
    assert!(!version_file.exists(), "it was not written again");
    assert!(fixture.library.version_spec("one", &hash).is_some());
    // After a start everything is looked at anew.
    assert_eq!(Library::open(&fixture.folder).unwrap().pin("one").unwrap().1, hash);
    assert!(version_file.exists());
}
