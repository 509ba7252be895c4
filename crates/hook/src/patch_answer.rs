//! Writes a patch that makes Codex write the text that a person decided on.
//!
//! A call of `apply_patch` can only be answered with another patch, not with a text. Codex then searches the
//! file again, by its own rules, so the patch names a place that those rules find: the changed lines, with
//! some lines around them if the same lines also stand further up, or else all lines of the file.

use std::fmt;

use crate::patch::{ADD, BEGIN, CHUNK, DELETE, END, MOVE, UPDATE, is_path_of_patch};
use crate::patch_apply::{split_at_first, with_final_newline};

/// The lines of context on each side to try, in this order. Each try searches the file once.
const CONTEXT_LINES: [usize; 3] = [0, 3, 24];

/// A file that no patch can describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inexpressible {
    /// The path is empty, has a line break, or ends in whitespace: Codex would read another one.
    Path,
    /// The file or the new text has a carriage return, which Codex drops, adds or keeps depending on its
    /// release.
    CarriageReturn,
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "a patch cannot name this path",
            Self::CarriageReturn => "a patch cannot carry carriage returns",
        })
    }
}

impl std::error::Error for Inexpressible {}

/// The section that makes a file have this text, and a final newline if it has a line. `original` is the text
/// of the file as it is, or `None` if there is no such file.
pub(crate) fn whole_file(path: &str, original: Option<&str>, text: &str) -> Result<String, Inexpressible> {
    check(&[path], &[original.unwrap_or_default(), text])?;
    Ok(match original {
        Some(original) if !(original.is_empty() && text.is_empty()) => {
            format!("{UPDATE}{path}\n{}", chunk(original, text))
        }
        // Codex accepts no update that changes nothing of nothing, but replaces a file.
        _ => added(path, text),
    })
}

/// The section that moves the file at `path` to another path, where it gets this text, and a final newline if
/// it has a line. Without a line in both texts, these are two sections.
pub(crate) fn moved_file(path: &str, to: &str, original: &str, text: &str) -> Result<String, Inexpressible> {
    check(&[path, to], &[original, text])?;
    if original.is_empty() && text.is_empty() {
        return Ok(format!("{DELETE}{path}\n{}", added(to, text)));
    }
    Ok(format!("{UPDATE}{path}\n{MOVE}{to}\n{}", chunk(original, text)))
}

/// The section that deletes a file.
pub(crate) fn deleted_file(path: &str) -> Result<String, Inexpressible> {
    check(&[path], &[])?;
    Ok(format!("{DELETE}{path}\n"))
}

/// The patch of these sections, of which no two may name the same path. Codex rejects a patch without one.
pub(crate) fn assemble(sections: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut patch = format!("{BEGIN}\n");
    for section in sections {
        patch.push_str(section.as_ref());
    }
    patch.push_str(END);
    patch.push('\n');
    patch
}

fn check(paths: &[&str], texts: &[&str]) -> Result<(), Inexpressible> {
    if !paths.iter().all(|path| is_path_of_patch(path)) {
        return Err(Inexpressible::Path);
    }
    if texts.iter().any(|text| text.contains('\r')) {
        return Err(Inexpressible::CarriageReturn);
    }
    Ok(())
}

fn added(path: &str, text: &str) -> String {
    let mut section = format!("{ADD}{path}\n");
    push_lines(&mut section, '+', text);
    section
}

/// The chunk that turns one text into the other. At least one of them has a line.
fn chunk(original: &str, text: &str) -> String {
    let original = with_final_newline(original);
    let text = with_final_newline(text);
    let difference = Difference::between(&original, &text);
    let mut chunk = format!("{CHUNK}\n");
    match CONTEXT_LINES.iter().find_map(|lines| difference.unambiguous_context(&original, *lines)) {
        Some((above, below)) => {
            push_lines(&mut chunk, ' ', above);
            push_lines(&mut chunk, '-', difference.old);
            push_lines(&mut chunk, '+', difference.new);
            push_lines(&mut chunk, ' ', below);
        }
        None => {
            push_lines(&mut chunk, '-', &original);
            push_lines(&mut chunk, '+', &text);
        }
    }
    chunk
}

/// The one run of lines in which two texts differ, and the common lines around that run.
struct Difference<'a> {
    above: &'a str,
    old: &'a str,
    new: &'a str,
    below: &'a str,
}

impl<'a> Difference<'a> {
    /// Compares two texts that consist of whole lines with their newlines.
    fn between(original: &'a str, text: &'a str) -> Self {
        let above = common_bytes(original.split_inclusive('\n'), text.split_inclusive('\n'));
        let (above, old_and_below) = split(original, above);
        let (_, new_and_below) = split(text, above.len());
        let below = common_bytes(
            old_and_below.split_inclusive('\n').rev(),
            new_and_below.split_inclusive('\n').rev(),
        );
        let (old, below) = split_before_last(old_and_below, below);
        let (new, _) = split_before_last(new_and_below, below.len());
        Self { above, old, new, below }
    }

    /// The nearest `lines` lines above and below, if Codex finds the old lines with this context in their
    /// place. Codex takes the first place, and takes a chunk without old lines for the end of the file.
    fn unambiguous_context(&self, original: &str, lines: usize) -> Option<(&'a str, &'a str)> {
        let near_above = self.above.split_inclusive('\n').rev().take(lines).map(str::len).sum();
        let near_below = self.below.split_inclusive('\n').take(lines).map(str::len).sum();
        let (far_above, above) = split_before_last(self.above, near_above);
        let (below, _) = split(self.below, near_below);
        let block = [above, self.old, below].concat();
        if block.is_empty() {
            return None;
        }
        let (found, _) = split_at_first(original, &block)?;
        (found.len() == far_above.len()).then_some((above, below))
    }
}

/// The length of the pieces that two texts have in common before the first different one.
fn common_bytes<'a>(one: impl Iterator<Item = &'a str>, other: impl Iterator<Item = &'a str>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(piece, _)| piece.len()).sum()
}

/// The first `bytes` bytes of whole lines, and the rest.
fn split(text: &str, bytes: usize) -> (&str, &str) {
    text.split_at_checked(bytes).unwrap_or((text, ""))
}

/// The text before its last `bytes` bytes of whole lines, and those.
fn split_before_last(text: &str, bytes: usize) -> (&str, &str) {
    split(text, text.len().saturating_sub(bytes))
}

/// Appends every line with its sign.
fn push_lines(patch: &mut String, sign: char, text: &str) {
    for line in text.split_terminator('\n') {
        patch.push(sign);
        patch.push_str(line);
        patch.push('\n');
    }
}

#[cfg(test)]
mod tests;
