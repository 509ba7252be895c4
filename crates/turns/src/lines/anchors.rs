//! Finds the lines of a comment again in a text that has changed since. The content of the lines decides, and
//! where the same lines occur in several places, the lines around them.

use std::collections::HashMap;

use alongside_desk::LineRange;
use serde::{Deserialize, Serialize};

/// The least number of letters and digits of a line that is searched for on its own: lines such as `}` are in
/// every file.
const MIN_DISTINCTIVE: usize = 4;

/// The largest number of lines that are compared to find all places of a quotation. The comparison takes some
/// milliseconds, in which an agent waits. Only a file that repeats the same lines many times needs more.
const MAX_COMPARED: usize = 1 << 20;

/// Lines as they were when a person wrote a comment on them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Quotation {
    /// The lines.
    pub(crate) code: String,
    /// Some lines before them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) before: String,
    /// Some lines after them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) after: String,
}

/// Finds the current place of quoted lines that stood at `was`; `None` if there is none. The search tries, in
/// this order: the same lines, first with the same neighbours, then the nearest; the only place whose lines
/// differ in whitespace only; the part of the text around the lines that it holds exactly once.
pub(crate) fn find(text: &str, was: LineRange, quotation: &Quotation) -> Option<LineRange> {
    let (lines, code) = (lines(text), lines_of(quotation));
    let (before, after) = (self::lines(&quotation.before), self::lines(&quotation.after));
    let neighbours = |at: &usize| {
        let above =
            before.iter().rev().zip(lines[..*at].iter().rev()).take_while(|(one, other)| one == other);
        let below = lines[at + code.len()..].iter().zip(&after).take_while(|(one, other)| one == other);
        above.count() + below.count()
    };
    let distance = |at: &usize| at.abs_diff(was.first.saturating_sub(1));
    let same = places(&lines, &code, |one, other| one == other);
    let nearest = same.into_iter().min_by_key(|at| (std::cmp::Reverse(neighbours(at)), distance(at)));
    let place =
        nearest.or_else(|| match places(&lines, &code, |one, other| one.trim() == other.trim())[..] {
            [only] if code.iter().any(|line| is_distinctive(line)) => Some(only),
            _ => None,
        });
    match place {
        Some(place) => range(place, place + code.len()),
        None => around_unique_lines(&lines, &code),
    }
}

/// Splits a text into its lines, without their ends.
fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// Returns the lines of a quotation, at least one: an empty quotation is one empty line.
fn lines_of(quotation: &Quotation) -> Vec<&str> {
    let code = lines(&quotation.code);
    if code.is_empty() { vec![""] } else { code }
}

/// Returns every place at which all lines of `code` occur; an empty list if that takes too many comparisons.
fn places(lines: &[&str], code: &[&str], is_same: impl Fn(&str, &str) -> bool) -> Vec<usize> {
    let (mut found, mut compared) = (Vec::new(), 0);
    for at in 0..(lines.len() + 1).saturating_sub(code.len()) {
        let pairs = lines[at..].iter().zip(code);
        let same = pairs.take_while(|(one, other)| is_same(one, other)).count();
        compared += same + 1;
        if compared > MAX_COMPARED {
            return Vec::new();
        }
        if same == code.len() {
            found.push(at);
        }
    }
    found
}

/// Finds the lines that occur exactly once in both the text and the quotation. Returns the range from the
/// first to the last of them, with as many more lines before and after as the quotation has.
fn around_unique_lines(lines: &[&str], code: &[&str]) -> Option<LineRange> {
    let (in_text, in_code) = (unique(lines), unique(code));
    let is_known =
        |at: &usize| is_distinctive(code[*at]) && in_code.get(code[*at].trim()) == Some(&Some(*at));
    let place = |at: usize| Some((at, in_text.get(code[at].trim()).copied().flatten()?));
    let mut found = (0..code.len()).filter(is_known).filter_map(place);
    let first = found.next()?;
    let last = found.next_back().unwrap_or(first);
    if last.1 < first.1 || last.1 - first.1 > 2 * code.len() {
        // The lines have moved apart, or changed their order: only the first one counts.
        return range(first.1, first.1 + 1);
    }
    let start = first.1.saturating_sub(first.0);
    range(start, (last.1 + code.len() - last.0).min(lines.len()))
}

/// Returns the index of each line by its trimmed text; `None` for a text that several lines have.
fn unique<'a>(lines: &[&'a str]) -> HashMap<&'a str, Option<usize>> {
    let mut places = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        places.entry(line.trim()).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places
}

/// Whether a line has enough letters and digits to be recognised by itself.
pub(crate) fn is_distinctive(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).take(MIN_DISTINCTIVE).count() == MIN_DISTINCTIVE
}

fn range(start: usize, end: usize) -> Option<LineRange> {
    LineRange::of((start..end).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(code: &str, before: &str, after: &str) -> Quotation {
        Quotation { code: code.into(), before: before.into(), after: after.into() }
    }

    fn found(text: &str, first: usize, quotation: &Quotation) -> Option<(usize, usize)> {
        let last = first + quotation.code.lines().count().max(1) - 1;
        find(text, LineRange { first, last }, quotation).map(|lines| (lines.first, lines.last))
    }

    #[test]
    fn lines_are_found_where_they_have_moved() {
        let code = quoted("let a = 1;\nlet b = 2;\n", "", "");
        let text = "let a = 1;\nlet b = 2;\n";
        assert_eq!(found(text, 1, &code), Some((1, 2)));
        assert_eq!(found(&format!("x\n\n{text}"), 1, &code), Some((3, 4)));
        assert_eq!(found("let a = 1;\r\nlet b = 2;\r\n", 1, &code), Some((1, 2)), "line ends do not count");
        assert_eq!(found("let a = 1;\nlet b = 2;", 1, &code), Some((1, 2)), "nor does the last one");
    }

    #[test]
    fn among_equal_lines_neighbours_decide_and_then_the_distance() {
        let text = "{\n}\nfn a() {\n}\nfn b() {\n}\nend\n";
        assert_eq!(found(text, 6, &quoted("}\n", "", "")), Some((6, 6)));
        assert_eq!(found(text, 3, &quoted("}\n", "", "")), Some((2, 2)));
        assert_eq!(found(text, 1, &quoted("}\n", "fn a() {\n", "fn b() {\n")), Some((4, 4)));
        assert_eq!(found("a\n\n\nb\n", 3, &quoted("\n", "", "")), Some((3, 3)), "an empty line");
        assert_eq!(found("a\n\n\nb\n", 9, &quoted("", "", "")), Some((3, 3)));
    }

    #[test]
    fn indented_or_partly_changed_lines_are_found_by_unique_lines() {
        let code = quoted("if first {\n    return second;\n}\n", "", "");
        assert_eq!(found("  if first {\n      return second;\n  }\n", 1, &code), Some((1, 3)));
        assert_eq!(found("x\nif changed {\n    return second;\n}\n", 1, &code), Some((2, 4)));
        assert_eq!(found("return second;\n", 1, &code), Some((1, 1)));
        let twice = "return second;\nreturn second;\n";
        assert_eq!(found(twice, 1, &code), None, "which one it is cannot be told");
        let far = format!("if first {{\n{}return second;\n", "x\n".repeat(50));
        assert_eq!(found(&far, 1, &code), Some((1, 1)));
    }

    /// Without the limit, this compares 10,000,000,000 lines.
    #[test]
    fn a_file_of_many_equal_lines_is_searched_quickly() {
        let (text, code) = ("same\n".repeat(200_000), "same\n".repeat(100_000));
        assert_eq!(found(&text, 1, &quoted(&code, "", "")), None);
        assert_eq!(
            found(&format!("{text}unique\n"), 1, &quoted(&format!("{code}unique\n"), "", "")),
            Some((100_001, 200_001))
        );
    }

    #[test]
    fn lines_that_are_gone_are_lost() {
        let code = quoted("let a = 1;\n", "", "");
        for text in ["", "\n", "let b = 1;\n", "}\n}\n"] {
            assert_eq!(found(text, 1, &code), None, "{text:?}");
        }
        assert_eq!(found("}\n  }\n", 1, &quoted("    }\n", "", "")), None, "a brace alone tells nothing");
    }
}
