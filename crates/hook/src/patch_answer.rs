//! Writes a patch that makes Codex write the text that a person decided on.
//!
//! A call of `apply_patch` can only be answered with another patch, not with a text. Codex then searches the
//! file again, by its own rules, so the patch names a place that those rules find: the changed lines, with
//! some lines around them if the same lines also stand further up, or else all lines of the file.

use crate::line_difference::Difference;
use crate::patch_apply::{split_at_first, with_final_newline};
use crate::patch_grammar::{ADD, BEGIN, CHUNK, DELETE, END, MOVE, UPDATE, is_path_of_patch};

/// The lines of context on each side to try, in this order. Each try searches the file once.
const CONTEXT_LINES: [usize; 3] = [0, 3, 24];

/// Why no patch describes a file: its path is empty, has a line break, or ends in whitespace, so that Codex
/// would read another one.
const NO_PATH: &str = "a patch cannot name this path";
/// Why no patch describes a file: it or the new text has a carriage return, which Codex drops, adds or keeps
/// depending on its release.
const CARRIAGE_RETURN: &str = "a patch cannot carry carriage returns";

/// The section that makes a file have this text, and a final newline if it has a line. `original` is the text
/// of the file as it is, or `None` if there is no such file.
pub(crate) fn whole_file(path: &str, original: Option<&str>, text: &str) -> Result<String, &'static str> {
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
pub(crate) fn moved_file(path: &str, to: &str, original: &str, text: &str) -> Result<String, &'static str> {
    check(&[path, to], &[original, text])?;
    if original.is_empty() && text.is_empty() {
        return Ok(format!("{DELETE}{path}\n{}", added(to, text)));
    }
    Ok(format!("{UPDATE}{path}\n{MOVE}{to}\n{}", chunk(original, text)))
}

/// The section that deletes a file.
pub(crate) fn deleted_file(path: &str) -> Result<String, &'static str> {
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

fn check(paths: &[&str], texts: &[&str]) -> Result<(), &'static str> {
    if !paths.iter().all(|path| is_path_of_patch(path)) {
        return Err(NO_PATH);
    }
    if texts.iter().any(|text| text.contains('\r')) {
        return Err(CARRIAGE_RETURN);
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
    match CONTEXT_LINES.iter().find_map(|lines| unambiguous_context(&difference, &original, *lines)) {
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

/// The nearest `lines` lines above and below, if Codex finds the old lines with this context in their place.
/// Codex takes the first place, and takes a chunk without old lines for the end of the file.
fn unambiguous_context<'a>(
    difference: &Difference<'a>,
    original: &str,
    lines: usize,
) -> Option<(&'a str, &'a str)> {
    let (above, below) = difference.context(lines);
    let block = [above, difference.old, below].concat();
    if block.is_empty() {
        return None;
    }
    let (found, _) = split_at_first(original, &block)?;
    (found.len() == difference.above.len() - above.len()).then_some((above, below))
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
