//! Edits that replace one string by another, and the smallest such edit between two texts.

use alongside_contract::hook::{EditArguments, LineEnds, Replacing};

use crate::change::NoChange;
use crate::line_difference::Difference;
use crate::line_endings::{BOM, with_lf, with_line_ends, writes_crlf};

/// The numbers of context lines on each side that are tried before the whole text is replaced.
const CONTEXT: [usize; 4] = [0, 1, 3, 10];

/// The replacement of a string.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) old: String,
    pub(crate) new: String,
    /// Whether every occurrence is replaced. Otherwise the string must occur once.
    pub(crate) all: bool,
}

impl Edit {
    /// Returns the text after the edit.
    ///
    /// # Errors
    /// When the old string does not occur as often as required, or equals the new one.
    pub(crate) fn apply(&self, path: &str, text: &str, replacing: Replacing) -> Result<String, NoChange> {
        if self.old.is_empty() {
            return match text.is_empty() {
                true => Ok(self.new.clone()),
                false => Err(exists(path)),
            };
        }
        if self.old == self.new {
            // Some agents then ask a model for another edit, for which they run no hook.
            return Err(NoChange::refused(format!(
                "the string to replace in {path} and the one in its place are the same"
            )));
        }
        match text.matches(&self.old).count() {
            0 => Err(NoChange::refused(format!(
                "the string to replace does not occur in {path} exactly as given: read the file again"
            ))),
            2.. if !self.all => Err(NoChange::refused(format!(
                "the string to replace occurs several times in {path}: give more of the lines around it"
            ))),
            _ => Ok(self.replaced(text, replacing)),
        }
    }

    fn replaced(&self, text: &str, replacing: Replacing) -> String {
        let line = format!("{}\n", self.old);
        let deletes_line = match replacing {
            Replacing::LineEndGoesWithLine => {
                self.new.is_empty() && !self.old.ends_with('\n') && text.contains(&line)
            }
            Replacing::LastLineEndStays => false,
        };
        if deletes_line {
            return if self.all { text.replace(&line, "") } else { text.replacen(&line, "", 1) };
        }
        text.replace(&self.old, &self.new)
    }
}

/// Returns the text of a file after edits, as the tool writes it. `original` is `None` if there is no file.
///
/// # Errors
/// As [`Edit::apply`].
pub(crate) fn apply_all(
    path: &str,
    original: Option<&str>,
    edits: &[Edit],
    arguments: &EditArguments,
) -> Result<String, NoChange> {
    let apply = |text: String, edit: &Edit| edit.apply(path, &text, arguments.replacing);
    let Some(original) = original else { return edits.iter().try_fold(String::new(), apply) };
    // Some tools read the mark, and some only the text after it. So a string with the mark counts as not
    // found.
    let (mark, before) = match original.strip_prefix(BOM) {
        Some(text) => (Some(BOM), with_lf(text)),
        None => (None, with_lf(original)),
    };
    if mark.is_some() && edits.iter().any(|edit| edit.old.is_empty()) {
        return Err(exists(path));
    }
    let after = match arguments.replacing {
        Replacing::LineEndGoesWithLine => edits.iter().try_fold(before, apply)?,
        Replacing::LastLineEndStays => {
            let (is_empty, is_ended) = (before.is_empty(), before.ends_with('\n'));
            let mut text = edits.iter().try_fold(before, |text, edit| {
                let [old, new] = [&edit.old, &edit.new].map(|text| with_lf(text));
                apply(text, &Edit { old, new, all: edit.all })
            })?;
            match (is_ended, text.ends_with('\n')) {
                (true, false) => text.push('\n'),
                (false, true) if !is_empty => drop(text.pop()),
                _ => {}
            }
            text
        }
    };
    let after = match mark {
        Some(mark) => format!("{mark}{after}"),
        None => after,
    };
    Ok(with_line_ends(arguments.line_ends, original, &after))
}

fn exists(path: &str) -> NoChange {
    NoChange::refused(format!("{path} exists, and the string to replace is empty"))
}

/// Returns a small and unambiguous edit with which a tool of this rule turns `original` into `text`.
pub(crate) fn edit_between(original: &str, text: &str, line_ends: LineEnds) -> Edit {
    let is_crlf = writes_crlf(line_ends, original);
    let text = if is_crlf { with_lf(text) } else { text.to_owned() };
    let original = with_lf(original);
    // Some tools edit only the text after the mark.
    let (original, text) = match (original.strip_prefix(BOM), text.strip_prefix(BOM)) {
        (Some(original), Some(text)) => (original, text),
        _ => (&*original, &*text),
    };
    let difference = Difference::between(original, text);
    for lines in CONTEXT {
        let (above, below) = difference.context(lines);
        let old = [above, difference.old, below].concat();
        // Agents count occurrences that do not overlap, and replace the first one.
        let is_first = || original.find(&old) == Some(difference.above.len() - above.len());
        if !old.is_empty() && is_first() && original.matches(&old).nth(1).is_none() {
            return Edit { old, new: [above, difference.new, below].concat(), all: false };
        }
    }
    Edit { old: original.to_owned(), new: text.to_owned(), all: false }
}

#[cfg(test)]
mod tests {
    use alongside_contract::agent::HookAgent;
    use alongside_contract::hook::ToolArguments;
    use proptest::prelude::*;

    use super::*;

    fn edit(old: &str, new: &str, all: bool) -> Edit {
        Edit { old: old.into(), new: new.into(), all }
    }

    /// Returns the rules of a row with a tool that replaces strings.
    fn of(agent: &str) -> &'static EditArguments {
        let tools = HookAgent::named(agent).unwrap().hook.tools.iter();
        let mut edits = tools.filter_map(|tool| match &tool.arguments {
            ToolArguments::Edits(arguments) => Some(arguments),
            _ => None,
        });
        edits.next().unwrap()
    }

    fn plain(text: &str, edit: Edit) -> Result<String, NoChange> {
        apply_all("f", Some(text), &[edit], of("qwen"))
    }

    #[test]
    fn each_agents_own_rules_for_line_ends_hold() {
        let lines = "one\ntwo\nthree\n";
        assert_eq!(plain(lines, edit("two", "", false)).unwrap(), "one\nthree\n");
        assert_eq!(plain("two, two\n", edit("two", "", true)).unwrap(), "two, ");
        let gemini = |text: &str, edit: Edit| apply_all("f", Some(text), &[edit], of("gemini")).unwrap();
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
        for wrong in
            [edit("a", "c", false), edit("x", "c", false), edit("", "c", false), edit("b", "b", false)]
        {
            assert!(matches!(plain("a b a", wrong), Err(NoChange::Refused { .. })));
        }
        assert_eq!(plain("a\r\nb\n", edit("a", "c", false)).unwrap(), "c\r\nb\r\n");
    }

    #[test]
    fn the_edit_between_two_texts_names_one_place() {
        let text = "same\nsame\none\nsame\nsame\n";
        let any = LineEnds::CrlfIfAny;
        let between = edit_between(text, "same\nsame\nsame\nsame\n", any);
        assert_eq!((between.old.as_str(), between.new.as_str()), ("one\n", ""));
        let inserted = super::edit_between("same\nsame\nsame\n", "same\nsame\nnew\nsame\n", any);
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
            // A file without a line end has no kind of line end.
            prop_assume!(!crlf || one.contains('\n'));
            let (one, other) = (ending(&one), ending(&other));
            let edit = edit_between(&one, &other, LineEnds::CrlfIfAny);
            prop_assert_eq!(plain(&one, edit).unwrap(), other);
        }
    }
}
