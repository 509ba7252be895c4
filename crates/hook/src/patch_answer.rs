//! Writes a patch that makes Codex write the text that a person decided on.
//!
//! A call of `apply_patch` can only be answered with another patch, not with a text. Codex then searches the
//! file again, by its own rules. So the patch quotes lines that those rules find in the right place: the
//! changed lines, with lines around them if the same lines also occur further up, or else all lines of the
//! file.

use crate::line_difference::Difference;
use crate::patch_apply::{split_at_first, with_final_newline};
use crate::patch_grammar::{ADD, BEGIN, CHUNK, DELETE, END, MOVE, UPDATE, is_path_of_patch};

/// The numbers of context lines on each side that are tried, in this order. Each attempt searches the file
/// once.
const CONTEXT_LINES: [usize; 3] = [0, 3, 24];

/// The reason why no patch describes a file: its path is empty, has a line break, or ends in whitespace, so
/// that Codex would read another path.
const PATH_NOT_ALLOWED: &str = "a patch cannot name this path";
/// The reason why no patch describes a file: it or the new text has a carriage return, which Codex drops,
/// adds or keeps depending on its release.
const CARRIAGE_RETURN: &str = "a patch cannot carry carriage returns";

/// Returns the section that gives a file this text. A non-empty text gets a final newline. `original` is the
/// current text of the file, or `None` if there is no such file.
pub(crate) fn update_section(path: &str, original: Option<&str>, text: &str) -> Result<String, &'static str> {
    check_expressible(&[path], &[original.unwrap_or_default(), text])?;
    Ok(match original {
        Some(original) if !(original.is_empty() && text.is_empty()) => {
            format!("{UPDATE}{path}\n{}", chunk(original, text))
        }
        // Codex rejects an update of an empty file to an empty text, but `Add File` may replace an existing
        // file.
        _ => add_section(path, text),
    })
}

/// Returns the section that moves the file at `path` to the path `to` and gives it this text. A non-empty
/// text gets a final newline. If both texts are empty, the result is two sections: a deletion and an
/// addition.
pub(crate) fn move_section(path: &str, to: &str, original: &str, text: &str) -> Result<String, &'static str> {
    check_expressible(&[path, to], &[original, text])?;
    if original.is_empty() && text.is_empty() {
        return Ok(format!("{DELETE}{path}\n{}", add_section(to, text)));
    }
    Ok(format!("{UPDATE}{path}\n{MOVE}{to}\n{}", chunk(original, text)))
}

/// Returns the section that deletes a file.
pub(crate) fn delete_section(path: &str) -> Result<String, &'static str> {
    check_expressible(&[path], &[])?;
    Ok(format!("{DELETE}{path}\n"))
}

/// Joins sections to a patch. No two sections may name the same path. Codex rejects a patch without sections.
pub(crate) fn assemble(sections: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut patch = format!("{BEGIN}\n");
    for section in sections {
        patch.push_str(section.as_ref());
    }
    patch.push_str(END);
    patch.push('\n');
    patch
}

fn check_expressible(paths: &[&str], texts: &[&str]) -> Result<(), &'static str> {
    if !paths.iter().all(|path| is_path_of_patch(path)) {
        return Err(PATH_NOT_ALLOWED);
    }
    if texts.iter().any(|text| text.contains('\r')) {
        return Err(CARRIAGE_RETURN);
    }
    Ok(())
}

fn add_section(path: &str, text: &str) -> String {
    let mut section = format!("{ADD}{path}\n");
    push_lines(&mut section, '+', text);
    section
}

/// Returns the chunk that turns one text into the other. At least one of the texts is not empty.
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

/// Returns the nearest `lines` lines above and below, if Codex finds the old lines with this context in their
/// place. Codex uses the first occurrence, and appends a chunk without old lines to the end of the file.
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

/// Appends every line after its sign.
fn push_lines(patch: &mut String, sign: char, text: &str) {
    for line in text.split_terminator('\n') {
        patch.push(sign);
        patch.push_str(line);
        patch.push('\n');
    }
}

#[cfg(test)]
mod tests;
