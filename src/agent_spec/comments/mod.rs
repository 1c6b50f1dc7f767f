//! Writes a changed agent over a file that a person edited. Unchanged parts stay byte for byte, with the
//! comments above and beside them. Comments inside changed parts cannot always be kept; their line numbers
//! are reported, so that no comment is lost unnoticed.

pub(crate) mod splice;

use crate::agent_spec::check;
use crate::agent_spec::comments::splice::Splice;
use crate::agent_spec::parse::yaml::Tree;
use crate::agent_spec::types::spec::AgentSpec;
use serde_json::Value;

/// The new text, and the lines of the old text whose comments it lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedText {
    pub text: String,
    pub lost: Vec<u64>,
}

/// True if a text has comments, which a plain rewrite would lose.
pub fn has_comments(text: &str) -> bool {
    Tree::parse(text).is_ok_and(|tree| !tree.comments.is_empty())
}

/// Writes an agent as text, keeping as much of the old text as possible.
pub fn merge_comments(old: &str, new: &AgentSpec) -> Result<MergedText, serde_saphyr::SerializeError> {
    let plain = check::write(new)?;
    let renewed = check::convert_legacy(old);
    let old = renewed.as_deref().unwrap_or(old);
    let Ok(tree) = Tree::parse(old) else { return Ok(MergedText { text: plain, lost: Vec::new() }) };
    let all: Vec<u64> = tree.comments.iter().map(|comment| count_line(old, comment.span.start)).collect();
    let spliced = check::parse(old).ok().and_then(|before| {
        let before = serde_json::to_value(&before).ok()?;
        let after = serde_json::to_value(new).ok()?;
        let (Value::Object(before), Value::Object(after)) = (before, after) else { return None };
        Splice::new(old, &tree).document(&before, &after)
    });
    let Some((text, lost)) = spliced else { return Ok(MergedText { text: plain, lost: all }) };
    // Use the spliced text only if it parses to the new agent.
    if check::parse(&text).as_ref() != Ok(new) {
        return Ok(MergedText { text: plain, lost: all });
    }
    let mut lost: Vec<u64> = lost.into_iter().map(|at| count_line(old, at)).collect();
    lost.sort_unstable();
    Ok(MergedText { text, lost })
}

fn count_line(text: &str, at: usize) -> u64 {
    let before = text.get(..at).unwrap_or_default();
    u64::try_from(before.matches('\n').count()).map_or(u64::MAX, |lines| lines + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "\
# What it is for,
# in two lines.
name: flow   # the key

# Titles.
title_ua: \"Старий\" # old
kind: composite
inputs:
  # what to do
  - name: task  # in words
    type: string
  - {name: n, type: integer}
outputs: [{name: x}]
graph:
  lanes:
    # first
    - items:
        # ask
        - id: a
          agent: one # who
          when: {var: n, equals: 1}
        # then
        - id: b
          agent: two
    # second
    - items:
        - id: c
          agent: three
# the end
";

    fn carry_comments(old: &str, change: impl FnOnce(&mut AgentSpec)) -> MergedText {
        let mut spec = check::parse(old).unwrap();
        change(&mut spec);
        let carried = merge_comments(old, &spec).unwrap();
        assert_eq!(check::parse(&carried.text).as_ref(), Ok(&spec), "{}", carried.text);
        carried
    }

    /// Asserts that a change yields the old text with these replacements, and no lost comments.
    fn check_kept(change: impl FnOnce(&mut AgentSpec), replaced: &[(&str, &str)]) {
        let expected = replaced.iter().fold(OLD.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        assert_eq!(carry_comments(OLD, change), MergedText { text: expected, lost: Vec::new() });
    }

    #[test]
    fn unchanged_parts_of_a_file_stay_as_written() {
        check_kept(|_| {}, &[]);
        check_kept(|spec| spec.title_ua = String::from("Новий"), &[("\"Старий\"", "Новий")]);
        check_kept(|spec| spec.title_en = Some(String::from("New")), &[("kind:", "title_en: New\nkind:")]);
        check_kept(|spec| spec.inputs[0].of = Some(String::from("any")), &[("type: string", "type: any")]);
        check_kept(
            |spec| spec.graph.as_mut().unwrap().lanes[0].items[1].timeout_s = Some(5),
            &[("agent: two\n", "agent: two\n          timeout_s: 5\n")],
        );
        check_kept(
            |spec| spec.graph.as_mut().unwrap().max_parallel = Some(2),
            &[("# the end\n", "  max_parallel: 2\n# the end\n")],
        );
        check_kept(
            |spec| spec.inputs[1].name = String::from("m"),
            &[("  - {name: n, type: integer}\n", "  - name: m\n    type: integer\n")],
        );
    }

    #[test]
    fn moved_items_keep_their_comments() {
        let moved = |spec: &mut AgentSpec| spec.graph.as_mut().unwrap().lanes[0].items.swap(0, 1);
        check_kept(
            moved,
            &[(
                "        # ask\n        - id: a\n          agent: one # who\n          when: {var: n, equals: 1}\n        # then\n        - id: b\n          agent: two\n",
                "        # then\n        - id: b\n          agent: two\n        # ask\n        - id: a\n          agent: one # who\n          when: {var: n, equals: 1}\n",
            )],
        );
    }

    #[test]
    fn lost_comments_are_reported_by_line() {
        let gone = carry_comments(OLD, |spec| drop(spec.graph.as_mut().unwrap().lanes[0].items.remove(0)));
        assert_eq!(gone.lost, [18, 20]);
        assert!(gone.text.contains("# then") && gone.text.contains("# the key"));
        let gone = carry_comments(OLD, |spec| spec.inputs.clear());
        assert_eq!(gone.lost, [9, 10]);
        let odd =
            "name: one # a\nkind: atomic\noutputs: [&v {name: y}] # b\ninputs: [*v]\npython: {code: x}\n";
        let gone = carry_comments(odd, |spec| spec.outputs.clear());
        assert_eq!(gone.lost, [1, 3]);
    }

    #[test]
    fn texts_of_many_lines_are_replaced_whole() {
        let old = "name: one\nkind: atomic\noutputs: [{name: x}]\npython:\n  # how\n  code: |\n    # in code\n    x = 1\n\n  timeout_s: 5 # soon\n";
        let new =
            carry_comments(old, |spec| spec.python.as_mut().unwrap().code = String::from("x = 2\ny = 3\n"));
        assert_eq!(new.lost, Vec::<u64>::new());
        assert_eq!(
            new.text,
            "name: one\nkind: atomic\noutputs: [{name: x}]\npython:\n  # how\n  code: |\n    x = 2\n    y = 3\n\n  timeout_s: 5 # soon\n"
        );
        let windows = old.replace('\n', "\r\n");
        let new = carry_comments(&windows, |spec| spec.title_ua = String::from("Один"));
        assert!(new.lost.is_empty() && new.text.contains("title_ua: Один") && new.text.contains("# soon"));
        let open = carry_comments("name: one\nkind: atomic\npython: {code: x} # end", |spec| {
            spec.durability = Some(crate::agent_spec::types::spec::Durability::Durable);
        });
        assert_eq!(open.text, "name: one\nkind: atomic\npython: {code: x} # end\ndurability: durable\n");
    }
}
