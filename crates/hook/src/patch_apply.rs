//! Applies a patch to the text of a file as Codex does, but only where the patch describes that text byte for
//! byte.
//!
//! Codex looks for the old lines of a chunk below its header and below the chunk before, and takes the first
//! place where they stand. If there is none, Codex tries again without whitespace at the ends of lines, then
//! without indentation, then with plain quotes and dashes. Those places are guesses, and a person would
//! review a text that Codex may not write; here they are errors.
//!
//! The rest is Codex's rule: a chunk without old lines goes to the end of the file, wherever its header
//! stands, and every updated file gets a final newline.
//!
//! The rules are those of Codex 0.169. Older releases differ in two: they drop one newline from a text that
//! would end in an empty line, and put appended lines above such an empty line.
//!
//! No patch applies to a file with carriage returns: older releases keep `\r` as a part of its line and write
//! new lines with `\n`, newer ones read `\r`, `\n` and `\r\n` as line ends and write the first one they find.
//! In a file that has `\r\n` only, Codex 0.169 therefore does what it does with `\n`; a caller that knows the
//! release may convert such a text, apply the patch, and convert the result back.

use std::borrow::Cow;
use std::fmt;

use crate::patch::{Change, Chunk, FileChange};

/// A change that does not describe the file it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DoesNotApply {
    /// The line of the patch at which the chunk, or else the section, starts, from 1.
    pub line: usize,
    /// The reason, in words of ours only.
    pub why: &'static str,
}

impl fmt::Display for DoesNotApply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the patch does not apply at its line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for DoesNotApply {}

/// The text of a file after the change; `None` if the change deletes the file. With [`Change::Update`], the
/// text is that of the file under its new path, if it has one.
///
/// `original` is the text under the old path, or `None` if there is no such file. Takes linear time.
pub(crate) fn apply(change: &FileChange, original: Option<&str>) -> Result<Option<String>, DoesNotApply> {
    let does_not_apply = |why| DoesNotApply { line: change.line, why };
    match (&change.change, original) {
        (Change::Add { text }, _) => Ok(Some(text.clone())),
        (Change::Delete | Change::Update { .. }, None) => Err(does_not_apply("there is no such file")),
        (Change::Delete, Some(_)) => Ok(None),
        (Change::Update { .. }, Some(original)) if original.contains('\r') => {
            Err(does_not_apply("the file has carriage returns"))
        }
        (Change::Update { chunks, .. }, Some(original)) => updated(original, chunks).map(Some),
    }
}

fn updated(original: &str, chunks: &[Chunk]) -> Result<String, DoesNotApply> {
    let original = with_final_newline(original);
    let mut rest = &*original;
    let mut updated = String::with_capacity(original.len());
    let mut appended = String::new();
    for chunk in chunks {
        let does_not_apply = |why| DoesNotApply { line: chunk.line, why };
        if let Some(header) = &chunk.header {
            let header = format!("{header}\n");
            let (before, after) = split_at_first(rest, &header)
                .ok_or(does_not_apply("the file has no such line as the header, or only further up"))?;
            updated.push_str(before);
            updated.push_str(&header);
            rest = after;
        }
        if chunk.old.is_empty() {
            appended.push_str(&chunk.new);
            continue;
        }
        let (before, after) = if chunk.end_of_file {
            split_at_end(rest, &chunk.old).ok_or(does_not_apply("the file does not end in these lines"))?
        } else {
            split_at_first(rest, &chunk.old)
                .ok_or(does_not_apply("the file has no such lines, or only further up"))?
        };
        updated.push_str(before);
        updated.push_str(&chunk.new);
        rest = after;
    }
    updated.push_str(rest);
    updated.push_str(&appended);
    Ok(updated)
}

/// The text with a newline at the end of its last line, if it has a line.
pub(crate) fn with_final_newline(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{text}\n"))
    }
}

/// The texts before and after the first place where the lines of `block` stand in `text`. Both texts consist
/// of whole lines with their newlines.
pub(crate) fn split_at_first<'a>(text: &'a str, block: &str) -> Option<(&'a str, &'a str)> {
    if let Some(after) = text.strip_prefix(block) {
        return Some(("", after));
    }
    // Together with the newline before it, the block matches whole lines only. `find` is linear for any text.
    let newline = text.find(&format!("\n{block}"))?;
    let (before, rest) = text.split_at_checked(newline.checked_add(1)?)?;
    Some((before, rest.strip_prefix(block)?))
}

/// The texts before and after the lines of `block` if they are the last ones of `text`.
fn split_at_end<'a>(text: &'a str, block: &str) -> Option<(&'a str, &'a str)> {
    let before = text.strip_suffix(block)?;
    (before.is_empty() || before.ends_with('\n')).then_some((before, ""))
}

#[cfg(test)]
mod tests;
