//! Edits that replace one string by another, and the smallest such edit between two texts.

use alongside_contract::hook::LineEnds;

use crate::change::NoChange;
use crate::line_endings::Unix;

/// Context lines on each side to try before the whole text is replaced.
const CONTEXT: [usize; 4] = [0, 1, 3, 10];

/// One replacement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) old: String,
    pub(crate) new: String,
    /// Replaces every occurrence. Otherwise there must be one.
    pub(crate) all: bool,
}

impl Edit {
    /// The text after the edit.
    ///
    /// # Errors
    /// When the old string does not occur exactly as often as it must.
    pub(crate) fn apply(&self, path: &str, text: &str, line_ends: LineEnds) -> Result<String, NoChange> {
        if self.old.is_empty() {
            return match text.is_empty() {
                true => Ok(self.new.clone()),
                false => Err(NoChange::refused(format!("{path} exists, and the string to replace is empty"))),
            };
        }
        match text.matches(&self.old).count() {
            0 => Err(NoChange::refused(format!(
                "the string to replace does not occur in {path} exactly as given: read the file again"
            ))),
            2.. if !self.all => Err(NoChange::refused(format!(
                "the string to replace occurs several times in {path}: give more of the lines around it"
            ))),
            _ => Ok(self.replaced(text, line_ends)),
        }
    }

    fn replaced(&self, text: &str, line_ends: LineEnds) -> String {
        let line = format!("{}\n", self.old);
        let deletes_line = match line_ends {
            LineEnds::DeletedWithLine => {
                self.new.is_empty() && !self.old.ends_with('\n') && text.contains(&line)
            }
            LineEnds::LastKept => false,
        };
        if deletes_line {
            return if self.all { text.replace(&line, "") } else { text.replacen(&line, "", 1) };
        }
        text.replace(&self.old, &self.new)
    }
}

/// The text of a file after edits, in its own line endings.
///
/// # Errors
/// As [`Edit::apply`], and for a file that mixes line endings.
pub(crate) fn edited(
    path: &str,
    original: &str,
    edits: &[Edit],
    line_ends: LineEnds,
) -> Result<String, NoChange> {
    let unix = Unix::of(original).ok_or_else(|| mixed(path))?;
    let mut text = unix.text.clone();
    for edit in edits {
        text = match line_ends {
            LineEnds::DeletedWithLine => edit.apply(path, &text, line_ends)?,
            LineEnds::LastKept => {
                let [old, new] = [&edit.old, &edit.new].map(|text| text.replace("\r\n", "\n"));
                Edit { old, new, all: edit.all }.apply(path, &text, line_ends)?
            }
        };
    }
    if line_ends == LineEnds::LastKept && !original.is_empty() && !text.is_empty() {
        match (unix.text.ends_with('\n'), text.ends_with('\n')) {
            (true, false) => text.push('\n'),
            (false, true) => drop(text.pop()),
            _ => {}
        }
    }
    Ok(unix.restored(&text))
}

/// The edit that makes one text of the other, small and unambiguous.
///
/// # Errors
/// For a file that mixes line endings.
pub(crate) fn between(path: &str, original: &str, text: &str) -> Result<Edit, NoChange> {
    let unix = Unix::of(original).ok_or_else(|| mixed(path))?;
    let (original, text) = (unix.text.as_str(), unix.simplified(text));
    let above = common(original.split_inclusive('\n'), text.split_inclusive('\n'));
    let (old_rest, new_rest) = (tail(original, above), tail(&text, above));
    let below = common(old_rest.split_inclusive('\n').rev(), new_rest.split_inclusive('\n').rev());
    let old_end = original.len().saturating_sub(below);
    let new_end = text.len().saturating_sub(below);
    for lines in CONTEXT {
        let before = before(original, above, lines);
        let after = after(original, old_end, lines);
        let old = original.get(above - before..old_end + after).unwrap_or_default();
        // Agents count occurrences that do not overlap, and replace the first one.
        let is_first = || original.find(old) == Some(above - before);
        if !old.is_empty() && is_first() && original.matches(old).nth(1).is_none() {
            let new = text.get(above - before..new_end + after).unwrap_or_default();
            return Ok(Edit { old: old.to_owned(), new: new.to_owned(), all: false });
        }
    }
    Ok(Edit { old: original.to_owned(), new: text, all: false })
}

fn mixed(path: &str) -> NoChange {
    NoChange::unclear(path, "the file mixes line endings")
}

/// The length of the pieces that both begin with.
fn common<'a>(one: impl Iterator<Item = &'a str>, other: impl Iterator<Item = &'a str>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(piece, _)| piece.len()).sum()
}

fn tail(text: &str, from: usize) -> &str {
    text.get(from..).unwrap_or_default()
}

/// The length of so many lines before a line start.
fn before(text: &str, at: usize, lines: usize) -> usize {
    text.get(..at).unwrap_or_default().split_inclusive('\n').rev().take(lines).map(str::len).sum()
}

/// The length of so many lines from a line start on.
fn after(text: &str, at: usize, lines: usize) -> usize {
    tail(text, at).split_inclusive('\n').take(lines).map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit(old: &str, new: &str, all: bool) -> Edit {
        Edit { old: old.into(), new: new.into(), all }
    }

    fn plain(text: &str, edit: Edit) -> Result<String, NoChange> {
        edited("f", text, &[edit], LineEnds::DeletedWithLine)
    }

    #[test]
    fn each_agents_own_rules_for_line_ends_hold() {
        let lines = "one\ntwo\nthree\n";
        assert_eq!(plain(lines, edit("two", "", false)).unwrap(), "one\nthree\n");
        assert_eq!(plain("two, two\n", edit("two", "", true)).unwrap(), "two, ");
        let gemini = |text: &str, edit: Edit| edited("f", text, &[edit], LineEnds::LastKept).unwrap();
        assert_eq!(gemini(lines, edit("two", "", false)), "one\n\nthree\n");
        assert_eq!(gemini("a\nb\n", edit("b\n", "b", false)), "a\nb\n");
        assert_eq!(gemini("a\nb", edit("b", "c\n", false)), "a\nc");
        assert_eq!(gemini("a\nb\n", edit("a\r\nb", "c\r\nd", false)), "c\nd\n");
    }

    #[test]
    fn an_edit_applies_exactly_once_or_everywhere() {
        assert_eq!(plain("a b a", edit("b", "c", false)).unwrap(), "a c a");
        assert_eq!(plain("a b a", edit("a", "c", true)).unwrap(), "c b c");
        assert_eq!(plain("a\r\nb\r\n", edit("a\nb", "c\nd", false)).unwrap(), "c\r\nd\r\n");
        for wrong in [edit("a", "c", false), edit("x", "c", false), edit("", "c", false)] {
            assert!(matches!(plain("a b a", wrong), Err(NoChange::Refused { .. })));
        }
        assert!(matches!(plain("a\r\nb\n", edit("a", "b", false)), Err(NoChange::Unclear { .. })));
    }

    #[test]
    fn the_edit_between_two_texts_names_one_place() {
        let text = "same\nsame\none\nsame\nsame\n";
        let between = between("f", text, "same\nsame\nsame\nsame\n").unwrap();
        assert_eq!((between.old.as_str(), between.new.as_str()), ("one\n", ""));
        let inserted = super::between("f", "same\nsame\nsame\n", "same\nsame\nnew\nsame\n").unwrap();
        assert_eq!(plain("same\nsame\nsame\n", inserted).unwrap(), "same\nsame\nnew\nsame\n");
    }

    proptest! {
        #[test]
        fn the_edit_between_two_texts_makes_one_of_the_other(
            one in "([ab]{0,2}\n){0,9}[ab]{0,2}",
            other in "([ab]{0,2}\n){0,9}[ab]{0,2}",
            crlf in any::<bool>(),
        ) {
            prop_assume!(one != other);
            let ending = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
            // Without a line end in it, a file has no line ending of its own.
            prop_assume!(!crlf || one.contains('\n'));
            let (one, other) = (ending(&one), ending(&other));
            let edit = between("f", &one, &other).unwrap();
            prop_assert_eq!(plain(&one, edit).unwrap(), other);
        }
    }
}
