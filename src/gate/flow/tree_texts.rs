//! Texts of run trees, in memory only: what each tree has read, and what its agents have typed. After a restart only
//! the page in front is read again, so what was read before is not recognized.

use crate::gate::flow::read_texts::{ReadTexts, TextSource};
use crate::gate::flow::site::{site_of, site_of_url};
use crate::ids::RunId;
use crate::page::observation::Observation;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use url::Url;

/// Maximum number of typed texts that are remembered.
const MOST_TYPED: usize = 200;

/// Texts of all run trees.
#[derive(Default)]
pub struct TextsOfTrees(Mutex<HashMap<RunId, Arc<TreeTexts>>>);

/// Texts of one run tree. The mutex is never held across an await.
#[derive(Default)]
pub struct TreeTexts(Mutex<TreeTextsState>);

#[derive(Default)]
struct TreeTextsState {
    read: ReadTexts,
    typed: Vec<String>,
}

impl TextsOfTrees {
    /// Returns the texts of a run tree, which are created at the first request.
    pub fn texts(&self, root: &RunId) -> Arc<TreeTexts> {
        Arc::clone(self.lock_all().entry(root.clone()).or_default())
    }

    /// Forgets a run tree that has ended.
    pub fn forget(&self, root: &RunId) {
        self.lock_all().remove(root);
    }

    fn lock_all(&self) -> MutexGuard<'_, HashMap<RunId, Arc<TreeTexts>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TreeTexts {
    /// Adds what an observation shows.
    pub fn add_page(&self, observation: &Observation) {
        let Some(site) = site_of(&observation.url) else { return };
        let base = Url::parse(&observation.url).ok();
        let mut text = format!("{}\n", observation.title);
        let mut links = Vec::new();
        for line in &observation.lines {
            text.push_str(&line.name);
            text.push('\n');
            text.extend(line.attributes.value.iter().flat_map(|value| [value.as_str(), "\n"]));
            let link = line.attributes.href.as_deref();
            links.extend(link.and_then(|link| Url::options().base_url(base.as_ref()).parse(link).ok()));
        }
        let source = TextSource::Site(site);
        let mut state = self.lock_state();
        state.read.add(source.clone(), &text);
        state.read.add_links(source, links.iter().map(Url::as_str));
    }

    /// Adds a text that was read from a page, such as an extract.
    pub fn add_text(&self, page_url: &str, text: &str) {
        let Some(site) = Url::parse(page_url).ok().as_ref().and_then(site_of_url) else { return };
        self.lock_state().read.add(TextSource::Site(site), text);
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

    /// Passes what was read to `find`.
    pub fn with_read<T>(&self, find: impl FnOnce(&ReadTexts) -> T) -> T {
        find(&self.lock_state().read)
    }

    fn lock_state(&self) -> MutexGuard<'_, TreeTextsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::observation::Line;

    #[test]
    fn a_tree_has_read_what_its_pages_show_until_it_is_forgotten() {
        let trees = TextsOfTrees::default();
        let (one, two) = (RunId::from("one"), RunId::from("two"));
        let line = Line { name: String::from("Balance 1204.77"), ..Line::default() };
        let page = Observation {
            url: String::from("http://bank.example/account"),
            lines: vec![line],
            ..Observation::default()
        };
        trees.texts(&one).add_page(&page);
        let sources = |root: &RunId| trees.texts(root).with_read(ReadTexts::list_sources);
        assert_eq!(sources(&one).len(), 1);
        assert_eq!(sources(&two), Vec::new());
        trees.forget(&one);
        assert_eq!(sources(&one), Vec::new());
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
