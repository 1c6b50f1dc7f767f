//! Agents out of the service and into it, as files.

use super::checking::{self, Beside, Given, called, file_of, text_of};
use super::documents;
use crate::cli::agents::{Export, Import};
use crate::client::api::{Api, YAML, segment};
use crate::client::screen;
use crate::client::{ClientError, Exit};
use crate::spec::check;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderName, IF_MATCH, IF_NONE_MATCH};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;
use std::path::Path;

/// `askfirst agents export`.
pub async fn export(api: &Api, order: &Export) -> Result<Exit, ClientError> {
    let (agents, missing) = wanted(api, order).await?;
    match &order.output {
        None => screen::print(&joined(&agents)),
        Some(path) if path == Path::new("-") => screen::print(&joined(&agents)),
        Some(path) if path.is_dir() || path.to_string_lossy().ends_with('/') => {
            let made = std::fs::create_dir_all(path);
            made.map_err(|fault| ClientError::Usage(format!("{} cannot be made: {fault}", path.display())))?;
            let files = agents.iter().map(|(name, text)| (path.join(format!("{name}.yaml")), text));
            let files: Vec<_> = files.collect();
            if let Some((taken, _)) = files.iter().find(|(file, _)| file.exists() && !order.overwrite) {
                return Err(is_there(taken));
            }
            for (file, text) in files {
                write(&file, text, order.overwrite)?;
            }
        }
        Some(path) => write(path, &joined(&agents), order.overwrite)?,
    }
    for (name, by) in &missing {
        screen::complain(&format!("there is no agent {name}, which {by} calls"));
    }
    Ok(if missing.is_empty() { Exit::Succeeded } else { Exit::Failed })
}

type Named = Vec<(String, String)>;

/// The agent, and with `--with-used` all that it leads to: names and texts; and names that lead nowhere, each
/// with who calls it.
async fn wanted(api: &Api, order: &Export) -> Result<(Named, Named), ClientError> {
    let (mut agents, mut missing) =
        (vec![(order.name.clone(), text_of(api, &order.name).await?)], Vec::new());
    if !order.with_used {
        return Ok((agents, missing));
    }
    let mut seen = BTreeSet::from([order.name.clone()]);
    let mut place = 0;
    while let Some((by, text)) = agents.get(place).cloned() {
        place += 1;
        let Ok(spec) = check::parse(&text) else { continue };
        for name in called(&spec) {
            if !seen.insert(name.to_owned()) {
                continue;
            }
            match text_of(api, name).await {
                Ok(text) => agents.push((name.to_owned(), text)),
                Err(ClientError::Usage(_) | ClientError::Refused(_)) => {
                    missing.push((name.to_owned(), by.clone()))
                }
                Err(fault) => return Err(fault),
            }
        }
    }
    Ok((agents, missing))
}

fn joined(agents: &Named) -> String {
    documents::join(agents.iter().map(|(_, text)| text.as_str()))
}

fn write(path: &Path, text: &str, overwrite: bool) -> Result<(), ClientError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(overwrite).truncate(overwrite).create_new(!overwrite);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|fault| match fault.kind() {
        std::io::ErrorKind::AlreadyExists => is_there(path),
        _ => ClientError::File { what: format!("{} cannot be written", path.display()), source: fault },
    })?;
    screen::note(&format!("wrote {}", path.display()));
    Ok(())
}

fn is_there(path: &Path) -> ClientError {
    ClientError::Usage(format!("{} is there already; --overwrite replaces it", path.display()))
}

/// `askfirst agents import`: nothing is saved before all of them are known to be sound, and what was saved is
/// taken back if one of them cannot be.
pub async fn import(api: &Api, order: &Import) -> Result<Exit, ClientError> {
    let mut documents = Vec::new();
    for path in &order.files {
        documents.extend(documents::read(path).await?);
    }
    let given = checking::examine(api, documents, Beside::Service).await?;
    let faulty = given.iter().filter(|given| !given.is_sound());
    let faults: Vec<String> = faulty.flat_map(checking::lines).collect();
    if !faults.is_empty() {
        screen::print(&faults.iter().map(|line| format!("{line}\n")).collect::<String>());
        screen::complain(&"nothing was saved");
        return Ok(Exit::Failed);
    }
    let before = standing(api, &given).await?;
    let changed = given.iter().filter(|one| before.get(one.name()).is_some_and(|was| !was.is(one)));
    let changed: Vec<&str> = changed.map(Given::name).collect();
    if !order.overwrite && !changed.is_empty() {
        let words =
            format!("there already: {}; --overwrite replaces them. Nothing was saved", changed.join(", "));
        return Err(ClientError::Usage(words));
    }
    save(api, &given, &before).await
}

/// A file that is there already.
struct Standing {
    /// None where it cannot be read.
    text: Option<String>,
    version: Option<String>,
}

impl Standing {
    fn is(&self, given: &Given) -> bool {
        self.text.as_ref() == Some(&given.document.text)
    }
}

/// Those that are there already.
async fn standing(api: &Api, given: &[Given]) -> Result<BTreeMap<String, Standing>, ClientError> {
    let mut found = BTreeMap::new();
    for name in given.iter().map(Given::name) {
        let standing = match file_of(api, name).await {
            Ok(file) => Standing { text: Some(file.text), version: file.etag },
            Err(ClientError::Refused(refusal)) if !refusal.faults.is_empty() => {
                Standing { text: None, version: None }
            }
            // It is not there.
            Err(ClientError::Usage(_)) => continue,
            Err(fault) => return Err(fault),
        };
        found.insert(name.to_owned(), standing);
    }
    Ok(found)
}

async fn save(api: &Api, given: &[Given], before: &BTreeMap<String, Standing>) -> Result<Exit, ClientError> {
    let mut saved: Vec<Saved<'_>> = Vec::new();
    let mut told = String::new();
    for one in in_order(given) {
        let was = before.get(one.name());
        if was.is_some_and(|was| was.is(one)) {
            told.push_str(&format!("unchanged {}\n", one.name()));
            continue;
        }
        // What was changed by somebody else meanwhile is not written over.
        let expected = match was {
            Some(was) => was.version.clone().map(|version| (IF_MATCH, version)),
            None => Some((IF_NONE_MATCH, String::from("*"))),
        };
        let version = match put(api, one.name(), &one.document.text, expected).await {
            Ok(version) => version,
            Err(fault) => {
                take_back(api, &saved, before).await;
                screen::complain(&format!("{} cannot be saved: {fault}; nothing was", one.name()));
                return Ok(Exit::Failed);
            }
        };
        told.push_str(&format!("{} {}\n", if was.is_some() { "replaced" } else { "saved" }, one.name()));
        saved.push((one, version));
    }
    screen::print(&told);
    Ok(Exit::Succeeded)
}

/// Those that are called before those that call them, as far as they do not call each other in a circle.
fn in_order(given: &[Given]) -> Vec<&Given> {
    let mut left: VecDeque<&Given> = given.iter().collect();
    let mut ordered: Vec<&Given> = Vec::new();
    while !left.is_empty() {
        let waits = |one: &Given| {
            let names = one.spec.as_deref().map(called).unwrap_or_default();
            left.iter().any(|other| names.contains(other.name()))
        };
        let next = left.iter().position(|one| !waits(one)).unwrap_or(0);
        ordered.extend(left.remove(next));
    }
    ordered
}

/// Saves a text, where the file is what it is taken for; gives its version.
async fn put(
    api: &Api,
    name: &str,
    text: &str,
    expected: Option<(HeaderName, String)>,
) -> Result<Option<String>, ClientError> {
    let request = api.request(Method::PUT, &format!("/api/agents/{}", segment(name)));
    let mut request = request.header(CONTENT_TYPE, YAML).body(text.to_owned());
    if let Some((header, value)) = expected {
        request = request.header(header, value);
    }
    Ok(api.send(request).await?.etag)
}

/// What was saved, each with the version that it got.
type Saved<'g> = (&'g Given, Option<String>);

/// Puts back what stood there, unless somebody has saved something else over it meanwhile.
async fn take_back(api: &Api, saved: &[Saved<'_>], before: &BTreeMap<String, Standing>) {
    for (one, version) in saved.iter().rev() {
        let ours = version.clone().map(|version| (IF_MATCH, version));
        let done = match before.get(one.name()) {
            Some(Standing { text: Some(text), .. }) => put(api, one.name(), text, ours).await.map(drop),
            // What stood there could not be read; better the new one than none.
            Some(Standing { text: None, .. }) => continue,
            None => {
                let path = format!("/api/agents/{}", segment(one.name()));
                let request = api.request(Method::DELETE, &path);
                let request = match ours {
                    Some((header, version)) => request.header(header, version),
                    None => request,
                };
                api.send(request).await.map(drop)
            }
        };
        if let Err(fault) = done {
            screen::complain(&format!("{} could not be put back: {fault}", one.name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::documents::Document;
    use super::*;
    use std::sync::Arc;

    fn given(name: &str, calls: &[&str]) -> Given {
        let items: Vec<String> =
            calls.iter().enumerate().map(|(id, agent)| format!("{{id: i{id}, agent: {agent}}}")).collect();
        let text =
            format!("name: {name}\nkind: composite\ngraph: {{lanes: [{{items: [{}]}}]}}\n", items.join(", "));
        let spec = check::parse(&text).unwrap();
        let document = Document { place: String::from("x"), name: None, above: 0, text };
        Given { document, spec: Some(Arc::new(spec)), faults: Vec::new() }
    }

    #[test]
    fn who_is_called_comes_first() {
        let all = [
            given("top", &["left", "right", "top"]),
            given("right", &["leaf"]),
            given("left", &[]),
            given("leaf", &[]),
        ];
        let names: Vec<&str> = in_order(&all).into_iter().map(Given::name).collect();
        assert_eq!(names, ["left", "leaf", "right", "top"]);
        let circle = [given("a", &["b"]), given("b", &["a"]), given("c", &["a"])];
        assert_eq!(in_order(&circle).len(), 3);
    }
}
