//! Code fences in text that a model wrote. Pure.

/// A fenced block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeFence<'a> {
    /// Word after the opening fence, such as `json`; may be empty.
    pub language: &'a str,
    /// Text between the language and the closing fence, without the space around it.
    pub body: &'a str,
}

const FENCE: &str = "```";

/// Returns the fenced blocks of a text. An unclosed one extends to the end; a fence within a string of JSON ends the
/// block as well, so a reader must look at the whole text too where a block cannot be read.
pub(crate) fn code_fences(text: &str) -> Vec<CodeFence<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(FENCE) {
        let (block, tail) = after.split_once(FENCE).unwrap_or((after, ""));
        let of_language = |c: char| c.is_alphanumeric() || "+-_.#".contains(c);
        let body = block.trim_start_matches(of_language);
        found.push(CodeFence { language: &block[..block.len() - body.len()], body: body.trim() });
        rest = tail;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_found_with_their_language() {
        for (text, fences) in [
            ("no fence", vec![]),
            ("a ```json\n{\"a\": 1}\n``` b ```\n[2]\n```", vec![("json", "{\"a\": 1}"), ("", "[2]")]),
            ("```json {\"a\": 1}```", vec![("json", "{\"a\": 1}")]),
            ("```{\"a\": 1}", vec![("", "{\"a\": 1}")]),
            ("```c++\nx\n```\n```JSON\n[1", vec![("c++", "x"), ("JSON", "[1")]),
            ("``````", vec![("", "")]),
        ] {
            let found: Vec<_> = code_fences(text).iter().map(|fence| (fence.language, fence.body)).collect();
            assert_eq!(found, fences, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_its_fences(text in "[`a\\n{é]{0,60}") {
            for fence in code_fences(&text) {
                proptest::prop_assert!(text.contains(fence.body) && text.contains(fence.language));
            }
        }
    }
}
