//! Line-based differences of two texts.

use std::fmt::Write;

/// Number of context lines around a difference.
const AROUND: usize = 2;
/// Maximum number of differing lines to compare. Beyond it, all are reported as removed and added.
const MOST: usize = 1_000;
/// Maximum number of lines of the output.
const MAX_LINES: usize = 80;

/// Returns the differing lines, with `-` if only the first text has them and `+` if only the second does.
/// Empty if the texts are equal.
pub fn diff(before: &str, now: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), now.lines().collect());
    if old == new {
        return String::new();
    }
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let middle = script(&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let before = old[head.saturating_sub(AROUND)..head].iter().map(|line| (' ', *line));
    let after = old[old.len() - tail..].iter().take(AROUND).map(|line| (' ', *line));
    let all: Vec<(char, &str)> = before.chain(middle).chain(after).collect();
    format_changes(&all)
}

/// Formats the changed lines with their context.
fn format_changes(all: &[(char, &str)]) -> String {
    let mut near = vec![false; all.len()];
    for changed in (0..all.len()).filter(|at| all[*at].0 != ' ') {
        let end = (changed + AROUND + 1).min(all.len());
        near[changed.saturating_sub(AROUND)..end].fill(true);
    }
    let (mut out, mut written, mut gap) = (String::new(), 0, false);
    for (at, (sign, line)) in all.iter().enumerate() {
        if !near[at] {
            gap = true;
            continue;
        }
        if written == MAX_LINES {
            out.push_str("  …\n");
            break;
        }
        if std::mem::take(&mut gap) && written > 0 {
            out.push_str("  …\n");
        }
        let _ = writeln!(out, "{sign} {line}");
        written += 1;
    }
    out
}

/// Computes the edit script with the longest common subsequence.
fn script<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let gone = |lines: &[&'a str]| lines.iter().map(|line| ('-', *line)).collect::<Vec<_>>();
    let come = |lines: &[&'a str]| lines.iter().map(|line| ('+', *line)).collect::<Vec<_>>();
    if old.len() > MOST || new.len() > MOST {
        return [gone(old), come(new)].concat();
    }
    let width = new.len() + 1;
    let mut length = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            length[a * width + b] = if old[a] == new[b] {
                length[(a + 1) * width + b + 1] + 1
            } else {
                length[(a + 1) * width + b].max(length[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut out) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if old[a] == new[b] {
            out.push((' ', old[a]));
            (a, b) = (a + 1, b + 1);
        } else if length[(a + 1) * width + b] >= length[a * width + b + 1] {
            out.push(('-', old[a]));
            a += 1;
        } else {
            out.push(('+', new[b]));
            b += 1;
        }
    }
    [out, gone(&old[a..]), come(&new[b..])].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_lines_are_shown_with_their_context() {
        assert_eq!(diff("a\nb", "a\nb"), "");
        assert_eq!(
            diff("1\n2\n3\nold\n4\n5\n6", "1\n2\n3\nnew\n4\n5\n6"),
            "  2\n  3\n- old\n+ new\n  4\n  5\n"
        );
        assert_eq!(diff("", "x"), "+ x\n");
        assert_eq!(diff("a\nb\nc\nd", "b\nc\nX\nd"), "- a\n  b\n  c\n+ X\n  d\n");
        let (long, other) = ("x\n".repeat(3_000), "y\n".repeat(3_000));
        assert_eq!(diff(&long, &other).lines().count(), MAX_LINES + 1);
    }
}
