//! Applies a patch to the text of a file as Codex does, but only where the patch describes that text byte for
//! byte.
//!
//! Codex searches the old lines of a chunk below its header and below the previous chunk, and uses the first
//! occurrence. If there is none, Codex tries again without whitespace at the ends of lines, then without
//! indentation, then with plain quotes and dashes. Such an occurrence is a guess, and a person might review a
//! text that Codex does not write. So this crate reports an error instead.
//!
//! All other rules are those of Codex: a chunk without old lines is appended to the end of the file, wherever
//! its header is; of two insertions at one place, the first one in the patch comes first; lines of context
//! keep their line ends, and new lines get the first line end of the file; every apply_chunks file gets a
//! final line end.
//!
//! These are the rules of Codex 0.169, compared with its program for thousands of patches. Older releases
//! differ: they drop one newline from a text that would end in an empty line, put appended lines above such
//! an empty line, and write new lines with `\n`.
//!
//! No patch applies to a file with a carriage return within a line: some releases treat it as a line end,
//! others do not.

use std::borrow::Cow;
use std::fmt;

use crate::line_endings::with_lf;
use crate::patch_grammar::{Change, Chunk, FileChange};

/// A change that does not describe the file to which it applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DoesNotApply {
    /// The line of the patch at which the chunk, or else the section, starts, from 1.
    pub line: usize,
    /// The reason.
    pub why: Why,
}

/// The reason why a change does not describe its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    NoFile,
    CarriageReturn,
    NoHeader,
    NoLines,
    NotLastLines,
}

impl fmt::Display for DoesNotApply {
    /// Writes only our own words, for the model, which has to write the patch again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the patch does not apply at its line {}: ", self.line)?;
        f.write_str(match self.why {
            Why::NoFile => return f.write_str("there is no such file"),
            Why::CarriageReturn => {
                return f.write_str(
                    "the file has carriage returns within its lines, which no patch names; write the whole \
                     file with `*** Add File: `",
                );
            }
            Why::NoHeader => "the file has no such line as the header, or only further up",
            Why::NoLines => "the file has no such lines, or only further up",
            Why::NotLastLines => "the file does not end in these lines",
        })?;
        f.write_str(
            "; read the file again, and write whole lines exactly as they stand there, with indentation, \
             blanks at the end, quotes and dashes",
        )
    }
}

/// Returns the text of a file after the change; `None` if the change deletes the file. With
/// [`Change::Update`], the text belongs to the new path of the file, if there is one.
///
/// `original` is the text at the old path, or `None` if there is no such file. Takes linear time.
pub(crate) fn apply(change: &FileChange, original: Option<&str>) -> Result<Option<String>, DoesNotApply> {
    let does_not_apply = |why| DoesNotApply { line: change.line, why };
    match (&change.change, original) {
        (Change::Add { text }, _) => Ok(Some(text.clone())),
        (Change::Delete | Change::Update { .. }, None) => Err(does_not_apply(Why::NoFile)),
        (Change::Delete, Some(_)) => Ok(None),
        (Change::Update { chunks, .. }, Some(original)) => {
            let text = with_lf(original);
            if text.contains('\r') {
                return Err(does_not_apply(Why::CarriageReturn));
            }
            apply_chunks(original, &with_final_newline(&text), chunks).map(Some)
        }
    }
}

/// Applies the chunks. `text` is the original with `\n` after each line.
fn apply_chunks(original: &str, text: &str, chunks: &[Chunk]) -> Result<String, DoesNotApply> {
    let (mut rest, mut line, all) = (text, 0, newlines(text));
    let mut places = Vec::new();
    for chunk in chunks {
        let does_not_apply = |why| DoesNotApply { line: chunk.line, why };
        if let Some(header) = &chunk.header {
            let header = format!("{header}\n");
            let (before, after) = split_at_first(rest, &header).ok_or(does_not_apply(Why::NoHeader))?;
            line += newlines(before) + 1;
            rest = after;
        }
        let mut at = if chunk.old.is_empty() {
            all
        } else {
            let (before, after) = if chunk.end_of_file {
                split_at_end(rest, &chunk.old).ok_or(does_not_apply(Why::NotLastLines))?
            } else {
                split_at_first(rest, &chunk.old).ok_or(does_not_apply(Why::NoLines))?
            };
            let at = line + newlines(before);
            line = at + newlines(&chunk.old);
            rest = after;
            at
        };
        for step in &chunk.steps {
            at += step.kept;
            places.push(Replaced { at, removed: step.removed, added: &step.added });
            at += step.removed;
        }
    }
    // The sort is stable: two changes at one line keep their order.
    places.sort_by_key(|place| place.at);
    Ok(replace_lines(original, &places))
}

/// Lines of a file that others replace.
struct Replaced<'a> {
    /// The index of the first of these lines in the file.
    at: usize,
    removed: usize,
    added: &'a str,
}

/// Replaces the lines at these places, which are sorted and do not overlap.
fn replace_lines(original: &str, places: &[Replaced<'_>]) -> String {
    let mut lines = original.split_inclusive('\n');
    let is_crlf = lines.clone().next().is_some_and(|line| line.ends_with("\r\n"));
    let end = if is_crlf { "\r\n" } else { "\n" };
    let mut text = String::with_capacity(original.len());
    let mut line = 0;
    for place in places {
        text.extend(lines.by_ref().take(place.at.saturating_sub(line)));
        if !(text.is_empty() || text.ends_with('\n')) {
            text.push_str(end);
        }
        for added in place.added.split_terminator('\n') {
            text.push_str(added);
            text.push_str(end);
        }
        lines.by_ref().take(place.removed).for_each(drop);
        line = place.at + place.removed;
    }
    text.extend(lines);
    if !(text.is_empty() || text.ends_with('\n')) {
        text.push_str(end);
    }
    text
}

fn newlines(text: &str) -> usize {
    text.matches('\n').count()
}

/// Returns the text with a newline at its end, if it is not empty.
pub(crate) fn with_final_newline(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{text}\n"))
    }
}

/// Splits `text` around the first occurrence of the lines of `block`. Both texts consist of whole lines with
/// their newlines.
pub(crate) fn split_at_first<'a>(text: &'a str, block: &str) -> Option<(&'a str, &'a str)> {
    if let Some(after) = text.strip_prefix(block) {
        return Some(("", after));
    }
    // Together with the newline before it, the block matches whole lines only. `find` is linear for any text.
    let newline = text.find(&format!("\n{block}"))?;
    let (before, rest) = text.split_at_checked(newline.checked_add(1)?)?;
    Some((before, rest.strip_prefix(block)?))
}

/// Splits off the lines of `block` if they are the last lines of `text`.
fn split_at_end<'a>(text: &'a str, block: &str) -> Option<(&'a str, &'a str)> {
    let before = text.strip_suffix(block)?;
    (before.is_empty() || before.ends_with('\n')).then_some((before, ""))
}

#[cfg(test)]
mod tests;
