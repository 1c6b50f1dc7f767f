//! Page ranges as planners write them: `3`, `1-3`, `2,5-`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Greatest number of parts of a range.
const MOST_PARTS: usize = 100;

/// A checked range. Pages count from 1; an open end is the last page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRange(Vec<(u32, Option<u32>)>);

/// Reasons why a range cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    #[error("\"{0}\" is no range of pages; write as \"3\", \"1-3\" or \"2,5-\"")]
    Unreadable(String),
    #[error("there is no page {page}; the PDF has {}", count_pages(*.count))]
    Missing { page: u32, count: u32 },
}

/// Writes a number of pages: "1 page", "12 pages".
pub fn count_pages(count: u32) -> String {
    if count == 1 { String::from("1 page") } else { format!("{count} pages") }
}

impl PageRange {
    /// Reads a range. A blank one is `None`: all pages.
    pub fn parse(text: &str) -> Result<Option<Self>, RangeError> {
        let unreadable = || RangeError::Unreadable(text.chars().take(40).collect());
        let parts: Vec<&str> =
            text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()).collect();
        if parts.is_empty() || parts == ["all"] {
            return Ok(None);
        }
        if parts.len() > MOST_PARTS {
            return Err(unreadable());
        }
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|page| *page > 0);
        let part = |part: &str| match part.split_once(['-', '–', '—']) {
            None => number(part).map(|page| (page, Some(page))),
            Some((from, to)) if to.trim().is_empty() => number(from).map(|from| (from, None)),
            Some((from, to)) => number(from)
                .zip(number(to))
                .filter(|(from, to)| from <= to)
                .map(|(from, to)| (from, Some(to))),
        };
        let read: Option<Vec<_>> = parts.into_iter().map(part).collect();
        read.map(|parts| Some(Self(parts))).ok_or_else(unreadable)
    }

    /// Reads a range from a parameter: a text, a number, or a list of either.
    pub fn from_value(value: &Value) -> Result<Option<Self>, RangeError> {
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let texts =
                    parts.iter().map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned));
                texts.collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        };
        Self::parse(&text)
    }

    /// Returns the first page written.
    pub fn first(&self) -> u32 {
        self.0.first().map_or(1, |(from, _)| *from)
    }

    /// Lists the pages of a document with `count` pages, each once, in the order written.
    pub fn select(&self, count: u32) -> Result<Vec<u32>, RangeError> {
        let mut pages = Vec::new();
        for (from, to) in &self.0 {
            let last = to.unwrap_or(count);
            if *from > count {
                return Err(RangeError::Missing { page: *from, count });
            }
            pages.extend((*from..=last.min(count)).filter(|page| !pages.contains(page)).collect::<Vec<_>>());
        }
        Ok(pages)
    }
}

/// Writes pages as a range: `1-3, 7`.
pub fn write_range(pages: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for page in pages {
        match parts.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*page) => *last = *page,
            _ => parts.push((*page, *page)),
        }
    }
    let part = |(from, to): &(u32, u32)| if from == to { from.to_string() } else { format!("{from}-{to}") };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ranges_are_read_as_people_write_them() {
        for (written, count, pages) in [
            (json!("3"), 5, vec![3]),
            (json!(3), 5, vec![3]),
            (json!("1-3"), 5, vec![1, 2, 3]),
            (json!(" 2 – 3 "), 5, vec![2, 3]),
            (json!("4-"), 6, vec![4, 5, 6]),
            (json!("5,1-2, 2"), 5, vec![5, 1, 2]),
            (json!([1, "3-4"]), 5, vec![1, 3, 4]),
            (json!("4-90"), 5, vec![4, 5]),
        ] {
            let range = PageRange::from_value(&written).unwrap().unwrap();
            assert_eq!(range.select(count), Ok(pages), "{written}");
        }
        for all in [json!(null), json!(""), json!(" "), json!("all"), json!([])] {
            assert_eq!(PageRange::from_value(&all), Ok(None), "{all}");
        }
    }

    #[test]
    fn faulty_ranges_say_what_would_be_right() {
        let many = "1,".repeat(MOST_PARTS + 1);
        for written in ["0", "first", "3-1", "-2", "1-2-3", "1.5", "99999999999", &many] {
            let refused = PageRange::parse(written).unwrap_err().to_string();
            assert!(refused.ends_with("write as \"3\", \"1-3\" or \"2,5-\""), "{written}: {refused}");
        }
        let missing = PageRange::parse("2,7-9").unwrap().unwrap().select(6).unwrap_err().to_string();
        assert_eq!(missing, "there is no page 7; the PDF has 6 pages");
        let missing = PageRange::parse("2").unwrap().unwrap().select(1).unwrap_err().to_string();
        assert_eq!(missing, "there is no page 2; the PDF has 1 page");
    }

    #[test]
    fn pages_are_written_as_ranges() {
        assert_eq!(write_range(&[1, 2, 3, 7, 9, 10]), "1-3, 7, 9-10");
        assert_eq!(write_range(&[]), "");
    }
}
