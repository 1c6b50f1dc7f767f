//! Texts that a run tree has read, by source: a site's pages, files, tools, agents. Bounded: the oldest
//! sources are forgotten first, and then count as unknown texts.

use crate::gate::flow::reading::text_index::{TextIndex, hash_text};
use crate::page::site::Site;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;

/// Most bytes for one run tree.
const MOST_BYTES: usize = 2 * 1024 * 1024;
/// Most sources whose names are kept.
const MOST_SOURCES: usize = 400;

/// Party that gave a text, or that gets one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    Site(Site),
    File(String),
    /// Server and name of a tool.
    Tool(String),
    Agent(String),
}

impl fmt::Display for TextSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Site(site) => site.fmt(f),
            Self::File(name) | Self::Tool(name) | Self::Agent(name) => f.write_str(name),
        }
    }
}

/// Texts of one source.
#[derive(Clone, Debug)]
struct SourceTexts {
    source: TextSource,
    index: TextIndex,
    /// Addresses of the links that its pages offer.
    links: TextIndex,
    offered: HashSet<u64>,
    /// Hashes of lines that are indexed, because each observation of a page repeats most of it.
    lines: HashSet<u64>,
}

impl SourceTexts {
    fn new(source: TextSource) -> Self {
        Self {
            source,
            index: TextIndex::default(),
            links: TextIndex::default(),
            offered: HashSet::new(),
            lines: HashSet::new(),
        }
    }

    fn count_bytes(&self) -> usize {
        let hashes = self.lines.capacity() + self.offered.capacity();
        self.index.count_bytes() + self.links.count_bytes() + hashes * 10
    }
}

/// Ledger of the texts that a run tree has read.
#[derive(Clone, Debug, Default)]
pub struct ReadTexts {
    /// The source read last stands last.
    sources: Vec<SourceTexts>,
    /// Sources with texts that are unknown by now.
    forgotten: Vec<TextSource>,
}

impl ReadTexts {
    /// Adds a source whose texts are unknown, unless some of them are known.
    pub fn add_forgotten(&mut self, source: &TextSource) {
        if !self.sources.iter().any(|texts| texts.source == *source) {
            self.forget(source.clone());
        }
    }

    /// Adds a text that was read from a source, without the addresses of its links.
    pub fn add(&mut self, source: TextSource, text: &str) {
        let mut texts = self.take_texts(source);
        let mut fresh = String::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if texts.lines.insert(hash_text(line)) {
                fresh.push_str(line);
                fresh.push('\n');
            }
        }
        texts.index.add_text(&fresh);
        self.put_texts(texts);
    }

    /// Adds the addresses of links that a source offers.
    pub fn add_links<'a>(&mut self, source: TextSource, links: impl IntoIterator<Item = &'a str>) {
        let mut texts = self.take_texts(source);
        for link in links {
            if texts.offered.insert(hash_text(link)) {
                texts.links.add_text(link);
            }
        }
        self.put_texts(texts);
    }

    /// Takes the texts of a source out of the ledger.
    fn take_texts(&mut self, source: TextSource) -> SourceTexts {
        let texts = match self.sources.iter().position(|texts| texts.source == source) {
            Some(at) => self.sources.remove(at),
            None => SourceTexts::new(source),
        };
        if texts.count_bytes() <= MOST_BYTES / 2 {
            return texts;
        }
        self.forget(texts.source.clone());
        SourceTexts::new(texts.source)
    }

    fn put_texts(&mut self, texts: SourceTexts) {
        self.sources.push(texts);
        self.drop_oldest();
    }

    /// Drops the sources read first until the rest is small enough.
    fn drop_oldest(&mut self) {
        let mut total: usize = self.sources.iter().map(SourceTexts::count_bytes).sum();
        while self.sources.len() > 1 && (total > MOST_BYTES || self.sources.len() > MOST_SOURCES) {
            let oldest = self.sources.remove(0);
            total -= oldest.count_bytes();
            self.forget(oldest.source);
        }
    }

    fn forget(&mut self, source: TextSource) {
        if !self.forgotten.contains(&source) && self.forgotten.len() < MOST_SOURCES {
            self.forgotten.push(source);
        }
    }

    /// Returns the sources read so far, to be stored.
    pub fn list_sources(&self) -> Vec<TextSource> {
        let mut found = self.forgotten.clone();
        found.extend(self.sources.iter().map(|texts| texts.source.clone()));
        found.sort();
        found.dedup();
        found
    }

    /// Returns the texts of a source, and the addresses of its links.
    pub fn find_indexes(&self, source: &TextSource) -> impl Iterator<Item = &TextIndex> {
        let found = self.sources.iter().find(|texts| texts.source == *source);
        found.into_iter().flat_map(|texts| [&texts.index, &texts.links])
    }

    /// Returns the texts of a source without the addresses of its links.
    pub fn find_visible(&self, source: &TextSource) -> Option<&TextIndex> {
        self.sources.iter().find(|texts| texts.source == *source).map(|texts| &texts.index)
    }

    /// Returns the source, other than the one given, whose page offers exactly this address.
    pub fn find_offer(&self, address: &str, other_than: &TextSource) -> Option<&TextSource> {
        let hash = hash_text(address);
        let mut others = self.sources.iter().rev().filter(|texts| texts.source != *other_than);
        others.find(|texts| texts.offered.contains(&hash)).map(|texts| &texts.source)
    }

    /// Returns the texts of all other sources, the latest first.
    pub fn list_others(&self, source: &TextSource) -> Vec<(&TextSource, &TextIndex)> {
        let others = self.sources.iter().rev().filter(|texts| texts.source != *source);
        others.flat_map(|texts| [(&texts.source, &texts.index), (&texts.source, &texts.links)]).collect()
    }

    /// Returns the other sources with texts that are unknown by now.
    pub fn list_forgotten(&self, source: &TextSource) -> Vec<&TextSource> {
        self.forgotten.iter().filter(|other| *other != source).collect()
    }
}
