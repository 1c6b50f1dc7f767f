//! Texts of run trees, in memory only: what each tree has read, what its person has said, what its agents have typed
//! and sent. The names of the sources are stored with the runs: after a restart, text of an unknown source counts as
//! theirs.

use crate::gate::flow::addresses::split_address;
use crate::gate::flow::crossing::{Flow, FoundFlow, name_pair};
use crate::gate::flow::explain::{FlowSources, list_foreign_sources};
use crate::gate::flow::named_hosts::names_both_ends;
use crate::gate::flow::read_texts::{ReadTexts, TextSource};
use crate::gate::flow::reading::decoders::decode_percent;
use crate::gate::flow::reading::text_index::{TextIndex, hash_text};
use crate::gate::flow::run_sources::RunSources;
use crate::gate::flow::sent_pieces::{SentPiece, SentPieces};
use crate::ids::RunId;
use crate::page::observation::Observation;
use crate::page::site::{Site, site_of};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use url::Url;

/// Maximum number of typed texts, and of messages, that are remembered.
const MOST_TYPED: usize = 200;
const MOST_MESSAGES: usize = 200;
/// Maximum number of ended trees whose texts are kept: a person may write to them again.
const MOST_ENDED: usize = 16;
/// Input with the earlier messages of a chat, which are not all the person's.
const HISTORY: &str = "history";

/// Texts of all run trees.
#[derive(Default)]
pub struct TextsOfTrees(Mutex<TreesState>);

#[derive(Default)]
struct TreesState {
    trees: HashMap<RunId, Arc<TreeTexts>>,
    /// Oldest first.
    ended: VecDeque<RunId>,
    /// Indexes of agents' files, by their hashes: many trees share them.
    agent_files: HashMap<u64, Arc<TextIndex>>,
}

/// Texts of one run tree. The mutex is never held across an await.
#[derive(Default)]
pub struct TreeTexts(Mutex<TreeTextsState>);

#[derive(Default)]
struct TreeTextsState {
    read: ReadTexts,
    sources: RunSources,
    typed: Vec<String>,
    sent: SentPieces,
    /// Messages, answers and inputs of the person.
    own_words: TextIndex,
    /// Agent files, and results that were computed from the person's words alone.
    trusted: Vec<Arc<TextIndex>>,
    /// Hashes of messages and results that are indexed.
    indexed: HashSet<u64>,
    messages: Vec<String>,
    /// Pairs of source and destination to which the person has consented.
    consents: BTreeSet<String>,
}

impl TextsOfTrees {
    /// Returns the texts of a run tree, which are created at the first request.
    pub fn texts(&self, root: &RunId) -> Arc<TreeTexts> {
        let mut state = self.lock_all();
        state.ended.retain(|ended| ended != root);
        Arc::clone(state.trees.entry(root.clone()).or_default())
    }

    /// Returns the index of an agent's file.
    pub fn index_agent_file(&self, text: &str) -> Arc<TextIndex> {
        let make = || Arc::new(TextIndex::from_texts([text]));
        Arc::clone(self.lock_all().agent_files.entry(hash_text(text)).or_insert_with(make))
    }

    /// Records that a run tree has ended. Its texts are kept for a while, in case that a person writes to it again.
    pub fn end(&self, root: &RunId) {
        let mut state = self.lock_all();
        if !state.trees.contains_key(root) || state.ended.contains(root) {
            return;
        }
        state.ended.push_back(root.clone());
        while state.ended.len() > MOST_ENDED {
            if let Some(oldest) = state.ended.pop_front() {
                state.trees.remove(&oldest);
            }
        }
    }

    /// Forgets a run tree.
    pub fn forget(&self, root: &RunId) {
        let mut state = self.lock_all();
        state.trees.remove(root);
        state.ended.retain(|ended| ended != root);
    }

    fn lock_all(&self) -> MutexGuard<'_, TreesState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TreeTexts {
    /// Records a run before it works. The inputs of the root are the person's; those of another are its caller's, and
    /// carry the sources of their texts with them.
    pub fn begin_run(&self, run: &RunId, caller: Option<&RunId>, inputs: &Map<String, Value>) {
        let mut state = self.lock_state();
        let given = inputs.iter().filter(|(name, _)| *name != HISTORY);
        let texts: Vec<String> = given.flat_map(|(_, value)| list_texts(value)).collect();
        let Some(caller) = caller else {
            texts.iter().for_each(|text| state.add_message(text));
            return;
        };
        state.sources.set_caller(run, caller);
        for source in state.list_foreign_sources(&texts) {
            state.sources.add(run, &source);
        }
    }

    /// Restores the sources that a stored run has read. Texts of those that are not in memory are unknown.
    pub fn restore_sources(&self, run: &RunId, sources: &[TextSource]) {
        let mut state = self.lock_state();
        for source in sources {
            state.sources.add(run, source);
            state.read.add_forgotten(source);
        }
    }

    /// Adds words of the person.
    pub fn add_message(&self, text: &str) {
        self.lock_state().add_message(text);
    }

    /// Adds a text that is nobody else's, such as a result computed from the person's words.
    pub fn add_trusted(&self, text: &str) {
        let mut state = self.lock_state();
        if state.indexed.insert(hash_text(text)) {
            state.trusted.push(Arc::new(TextIndex::from_texts([text])));
        }
    }

    /// Adds an agent's file.
    pub fn add_agent_file(&self, index: &Arc<TextIndex>) {
        let mut state = self.lock_state();
        if !state.trusted.iter().any(|known| Arc::ptr_eq(known, index)) {
            state.trusted.push(Arc::clone(index));
        }
    }

    /// Adds what an observation shows. Lines in a frame belong to the site of its document.
    pub fn add_page(&self, run: &RunId, observation: &Observation) {
        let Some(site) = site_of(&observation.url) else { return };
        let mut texts = PageTexts::default();
        texts.add(&site, &observation.title);
        for tab in &observation.tabs {
            if let Some(site) = site_of(&tab.origin) {
                texts.add(&site, &tab.title);
            }
        }
        let mut frames: Vec<(u32, Site)> = Vec::new();
        for line in &observation.lines {
            frames.retain(|(depth, _)| *depth < line.depth);
            let shown_at = frames.last().map_or(&site, |(_, site)| site).clone();
            texts.add(&shown_at, &line.name);
            let attributes = &line.attributes;
            let values = attributes.value.iter().chain(&attributes.options);
            values.for_each(|value| texts.add(&shown_at, value));
            texts.add_link(&shown_at, attributes.href.as_deref(), &observation.url);
            frames.extend(attributes.source.as_deref().and_then(site_of).map(|site| (line.depth, site)));
        }
        let mut state = self.lock_state();
        // An address may carry what the page knows, as a session's number.
        let address = read_address(&observation.url);
        state.read.add_links(TextSource::Site(site), address.iter().map(String::as_str));
        for (site, shown) in texts.0 {
            let source = TextSource::Site(site);
            state.sources.add(run, &source);
            state.read.add(source.clone(), &shown.text);
            state.read.add_links(source, shown.links.iter().map(Url::as_str));
        }
    }

    /// Adds a text that was read from a source.
    pub fn add_text(&self, run: &RunId, source: TextSource, text: &str) {
        let mut state = self.lock_state();
        state.sources.add(run, &source);
        state.read.add(source, text);
    }

    /// Adds the answer of a run that was called. It comes from what the run has read; the answer of one that has read
    /// several sources is a source of its own.
    pub fn add_answer(&self, run: &RunId, agent: &str, text: &str) {
        let mut state = self.lock_state();
        let sources = state.sources.list(run);
        let source = match sources.as_slice() {
            [] => return,
            [only] => only.clone(),
            _ => TextSource::Agent(agent.to_owned()),
        };
        state.sources.add(run, &source);
        state.read.add(source, text);
    }

    /// Returns the sources that a run has read.
    pub fn list_sources(&self, run: &RunId) -> Vec<TextSource> {
        self.lock_state().sources.list(run)
    }

    /// Records that code reads files: those that its inputs name, or else all.
    pub fn add_files_read(&self, run: &RunId, inputs: &Map<String, Value>, names: &[String]) {
        let mut state = self.lock_state();
        let named = named_files(inputs, names);
        let sources: BTreeSet<TextSource> = match named.is_empty() {
            true => state.sources.list_of_files(),
            false => named.iter().flat_map(|name| state.sources.list_of_file(name)).collect(),
        };
        sources.iter().for_each(|source| state.sources.add(run, source));
    }

    /// Records that code has written files: those that its inputs name, and new ones.
    pub fn add_files_written(
        &self,
        run: &RunId,
        inputs: &Map<String, Value>,
        (before, after): (&[String], &[String]),
    ) {
        let mut state = self.lock_state();
        let sources = state.sources.list(run);
        let mut written = named_files(inputs, after);
        written.extend(after.iter().filter(|name| !before.contains(name)));
        for name in written {
            state.sources.add_file(name, sources.iter().cloned());
        }
    }

    /// Records where a file was downloaded from.
    pub fn add_downloaded_file(&self, name: &str, url: &str) {
        if let Some(site) = site_of(url) {
            self.lock_state().sources.add_file(name, [TextSource::Site(site)]);
        }
    }

    /// Returns the sources of a file; none for a file of the person.
    pub fn list_file_sources(&self, name: &str) -> Vec<TextSource> {
        self.lock_state().sources.list_of_file(name)
    }

    /// Adds a text that an agent types.
    pub fn add_typed(&self, text: &str) {
        let mut state = self.lock_state();
        if text.trim().is_empty() || state.typed.iter().any(|known| known == text) {
            return;
        }
        if state.typed.len() == MOST_TYPED {
            state.typed.remove(0);
        }
        state.typed.push(text.to_owned());
    }

    /// Returns the texts that agents have typed.
    pub fn typed(&self) -> Vec<String> {
        self.lock_state().typed.clone()
    }

    /// Records values that went to a destination.
    pub fn add_sent(&self, to: &TextSource, pieces: &[SentPiece]) {
        let mut state = self.lock_state();
        pieces.iter().for_each(|piece| state.sent.add(to, piece));
    }

    /// Records pairs of source and destination to which the person has consented.
    pub fn add_consents(&self, pairs: impl IntoIterator<Item = String>) {
        self.lock_state().consents.extend(pairs);
    }

    /// Returns the flow as a person is asked about it, without the sources to which they have consented; `None` if
    /// no other is left.
    pub fn unless_consented(&self, found: FoundFlow) -> Option<Flow> {
        let FoundFlow { from, to, text } = found;
        let state = self.lock_state();
        let asks = |source: &&TextSource| {
            !state.consents.contains(&name_pair(source, &to))
                && !state.messages.iter().any(|message| names_both_ends(message, source, &to))
        };
        let from: Vec<String> = from.iter().filter(asks).map(ToString::to_string).collect();
        (!from.is_empty()).then(|| Flow { from, to: to.to_string(), text })
    }

    /// Passes all that explains values to `find`, with the pieces sent so far.
    pub fn explain<T>(&self, find: impl FnOnce(&FlowSources<'_>, &SentPieces) -> T) -> T {
        let state = self.lock_state();
        find(&state.flow_sources(), &state.sent)
    }

    fn lock_state(&self) -> MutexGuard<'_, TreeTextsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TreeTextsState {
    fn flow_sources(&self) -> FlowSources<'_> {
        FlowSources { own_words: &self.own_words, trusted: &self.trusted, read: &self.read }
    }

    fn add_message(&mut self, text: &str) {
        if text.trim().is_empty() || !self.indexed.insert(hash_text(text)) {
            return;
        }
        self.own_words.add_text(text);
        if self.messages.len() < MOST_MESSAGES {
            self.messages.push(text.to_owned());
        }
    }

    /// Returns the sources of texts that an agent passes on.
    fn list_foreign_sources(&self, texts: &[String]) -> Vec<TextSource> {
        let values: Vec<&str> = texts.iter().map(String::as_str).collect();
        let nobody = TextSource::Agent(String::new());
        list_foreign_sources(&values, &nobody, &self.flow_sources())
    }
}

/// Texts of one page, by site.
#[derive(Default)]
struct PageTexts(HashMap<Site, ShownTexts>);

#[derive(Default)]
struct ShownTexts {
    text: String,
    links: Vec<Url>,
}

impl PageTexts {
    fn add(&mut self, site: &Site, text: &str) {
        if !text.is_empty() {
            let shown = self.0.entry(site.clone()).or_default();
            shown.text.push_str(text);
            shown.text.push('\n');
        }
    }

    fn add_link(&mut self, site: &Site, link: Option<&str>, page: &str) {
        let base = Url::parse(page).ok();
        let url = link.and_then(|link| Url::options().base_url(base.as_ref()).parse(link).ok());
        self.0.entry(site.clone()).or_default().links.extend(url);
    }
}

/// Returns the parts of an address as people read them.
fn read_address(url: &str) -> Vec<String> {
    let parts = Url::parse(url).map(|url| split_address(&url)).unwrap_or_default();
    let texts = parts.list_texts().into_iter();
    texts.map(|part| decode_percent(part).unwrap_or_else(|| part.to_owned())).collect()
}

/// Returns all texts and numbers of a value, and the names of its members.
pub fn list_texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => items.iter().flat_map(list_texts).collect(),
        Value::Object(members) => {
            let each = members.iter().flat_map(|(name, value)| {
                std::iter::once(name.clone()).chain(list_texts(value)).collect::<Vec<_>>()
            });
            each.collect()
        }
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

/// Returns the files that inputs name.
fn named_files<'n>(inputs: &Map<String, Value>, names: &'n [String]) -> Vec<&'n String> {
    let given: Vec<String> = inputs.values().flat_map(list_texts).collect();
    names.iter().filter(|name| given.iter().any(|text| text.trim() == **name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::observation::{Attributes, Line};
    use serde_json::json;

    fn page(url: &str, lines: Vec<Line>) -> Observation {
        Observation { url: url.to_owned(), lines, ..Observation::default() }
    }

    fn line(depth: u32, name: &str) -> Line {
        Line { depth, name: name.to_owned(), ..Line::default() }
    }

    fn site(url: &str) -> TextSource {
        TextSource::Site(site_of(url).unwrap())
    }

    fn inputs(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_tree_has_read_what_its_pages_show_until_it_is_forgotten() {
        let trees = TextsOfTrees::default();
        let (one, two) = (RunId::from("one"), RunId::from("two"));
        trees.texts(&one).add_page(&one, &page("http://bank.example/account", vec![line(0, "1204.77")]));
        let sources = |root: &RunId| trees.texts(root).list_sources(root);
        assert_eq!(sources(&one).len(), 1);
        assert_eq!(sources(&two), Vec::new());
        trees.end(&one);
        assert_eq!(sources(&one).len(), 1, "a person may write to it again");
        trees.end(&one);
        for n in 0..=MOST_ENDED {
            let other = RunId::from(format!("other {n}").as_str());
            trees.texts(&other);
            trees.end(&other);
        }
        assert_eq!(sources(&one), Vec::new(), "the oldest are forgotten");
        trees.forget(&two);
        assert_eq!(sources(&two), Vec::new());
    }

    // A frame shows texts of another site, which are that site's.
    #[test]
    fn texts_in_a_frame_belong_to_its_own_site() {
        let texts = TreeTexts::default();
        let source = Some(String::from("http://mail.example/inbox"));
        let frame = Line { attributes: Attributes { source, ..Attributes::default() }, ..line(1, "Inbox") };
        let lines =
            vec![line(0, "Shop 77-1234-X"), frame, line(2, "Code 88-5678-Y"), line(1, "Cart 99-9012-Z")];
        let run = RunId::from("r");
        texts.add_page(&run, &page("http://shop.example/", lines));
        let foreign = |value: &str, to: &str| {
            texts.explain(|sources, _| list_foreign_sources(&[value], &site(to), sources))
        };
        let (shop, mail) = ("http://shop.example/", "http://mail.example/");
        assert_eq!(foreign("88-5678-Y", shop), [site(mail)]);
        assert_eq!(foreign("99-9012-Z", shop), []);
        assert_eq!(foreign("99-9012-Z", mail), [site(shop)]);
        assert_eq!(foreign("88-5678-Y", mail), []);
    }

    // The arguments of a called agent are not the person's words, and carry their sources with them.
    #[test]
    fn an_answer_comes_from_what_the_called_run_has_read() {
        let texts = TreeTexts::default();
        let [root, child, other] = ["root", "child", "other"].map(RunId::from);
        texts.begin_run(&root, None, &inputs(json!({"text": "Order KD-448812", "history": "AB-771199"})));
        texts.add_page(&root, &page("http://alpha.example/", vec![line(0, "Reference CANARY7f3a9q")]));
        texts.begin_run(&child, Some(&root), &inputs(json!({"text": "look up CANARY7f3a9q for KD-448812"})));
        assert_eq!(texts.list_sources(&child), [site("http://alpha.example/")]);
        texts.add_answer(&child, "child", "It is ZX-5512-Q");
        texts.begin_run(&other, Some(&root), &inputs(json!({"text": "add KD-448812"})));
        assert_eq!(texts.list_sources(&other), []);
        texts.add_answer(&other, "other", "That is ZX-9911-P");
        let foreign = |value: &str| {
            let beta = site("http://beta.example/");
            texts.explain(|sources, _| list_foreign_sources(&[value], &beta, sources))
        };
        assert_eq!(foreign("ZX-5512-Q"), [site("http://alpha.example/")]);
        assert_eq!(foreign("ZX-9911-P"), [], "it was made of the person's words");
        assert_eq!(foreign("KD-448812"), []);
        texts.add_page(&child, &page("http://gamma.example/", vec![line(0, "Stock")]));
        texts.add_answer(&child, "child", "It is ZX-7733-R");
        assert_eq!(foreign("ZX-7733-R"), [TextSource::Agent(String::from("child"))]);
    }

    // After a restart only the names of the sources are known.
    #[test]
    fn the_sources_of_a_stored_run_are_restored() {
        let (texts, run, alpha) = (TreeTexts::default(), RunId::from("r"), site("http://alpha.example/"));
        texts.restore_sources(&run, std::slice::from_ref(&alpha));
        assert_eq!(texts.list_sources(&run), std::slice::from_ref(&alpha));
        let beta = site("http://beta.example/");
        let foreign =
            |value: &str| texts.explain(|sources, _| list_foreign_sources(&[value], &beta, sources));
        assert_eq!(foreign("CANARY7f3a9q"), [alpha]);
        assert_eq!(foreign("blue lamps"), []);
    }

    #[test]
    fn files_keep_the_sources_of_their_texts() {
        let texts = TreeTexts::default();
        let [root, writer, reader] = ["root", "writer", "reader"].map(RunId::from);
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        texts.add_page(&root, &page("http://alpha.example/", vec![line(0, "Reference CANARY7f3a9q")]));
        let written = inputs(json!({"name": "a.txt", "content": "CANARY7f3a9q"}));
        texts.begin_run(&writer, Some(&root), &written);
        texts.add_files_written(&writer, &written, (&names(&["cv.pdf"]), &names(&["a.txt", "cv.pdf"])));
        assert_eq!(texts.list_file_sources("a.txt"), [site("http://alpha.example/")]);
        assert_eq!(texts.list_file_sources("cv.pdf"), []);
        let read = inputs(json!({"name": "cv.pdf"}));
        texts.begin_run(&reader, Some(&root), &read);
        texts.add_files_read(&reader, &read, &names(&["a.txt", "cv.pdf"]));
        assert_eq!(texts.list_sources(&reader), [], "the person's file");
        texts.add_files_read(&reader, &inputs(json!({"pattern": "x"})), &names(&["a.txt", "cv.pdf"]));
        assert_eq!(texts.list_sources(&reader), [site("http://alpha.example/")]);
        texts.add_downloaded_file("b.pdf", "blob:http://beta.example/0c1b");
        assert_eq!(texts.list_file_sources("b.pdf"), [site("http://beta.example/")]);
    }

    #[test]
    fn only_the_last_typed_texts_are_kept() {
        let texts = TreeTexts::default();
        (0..=MOST_TYPED).for_each(|n| texts.add_typed(&n.to_string()));
        texts.add_typed(" ");
        texts.add_typed("5");
        assert_eq!((texts.typed().len(), texts.typed()[0].as_str()), (MOST_TYPED, "1"));
    }
}
