//! Parses the patches that Codex passes to its tool `apply_patch`, so that a person can review the files that
//! such a patch would write.
//!
//! The grammar is published by Codex (`tool_apply_patch.lark` and `parser.rs` in `codex-rs`):
//!
//! ```text
//! patch   = "*** Begin Patch" LF section+ "*** End Patch"
//! section = "*** Add File: " path LF ("+" text LF)*
//!         | "*** Delete File: " path LF
//!         | "*** Update File: " path LF ("*** Move to: " path LF)? chunk+
//! chunk   = ("@@" | "@@ " header) LF ((" " | "-" | "+") text LF)+ ("*** End of File" LF)?
//! ```
//!
//! In addition, this parser accepts only texts that every release of Codex reads in the same way: whitespace
//! around the patch and its first and last line, a first chunk without `@@`, an empty line as an empty line
//! of context, empty lines after `*** End of File`, and a new file without lines. The parser rejects every
//! other text, also where Codex guesses, or where its releases disagree:
//!
//! - a carriage return, which Codex drops at the end of a line;
//! - whitespace at the end of a path, which Codex drops, or of a header, which only newer releases drop;
//! - an empty line before the first chunk: context in newer releases, nothing in older ones;
//! - a path that occurs twice: Codex applies the second section to the text of the first, and deletes
//!   a file that moves to its own path;
//! - `*** Environment ID:`, because such a patch may be for another machine;
//! - a here-document around the patch: Codex accepts one only for the sake of an old model.
//!
//! The reasons are for the model, which has to write the patch again.

use std::collections::HashSet;
use std::fmt;
use std::iter::Peekable;
use std::str::Split;

pub(crate) const BEGIN: &str = "*** Begin Patch";
pub(crate) const END: &str = "*** End Patch";
pub(crate) const ADD: &str = "*** Add File: ";
pub(crate) const DELETE: &str = "*** Delete File: ";
pub(crate) const UPDATE: &str = "*** Update File: ";
pub(crate) const MOVE: &str = "*** Move to: ";
pub(crate) const CHUNK: &str = "@@";
const END_OF_FILE: &str = "*** End of File";
const ENVIRONMENT: &str = "*** Environment ID:";

/// A patch: one change for each file, at least one change, and no path twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch {
    /// The changes, in the order of the patch.
    pub files: Vec<FileChange>,
}

/// The section of a patch for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// The path in the patch: relative to Codex's directory, or absolute, and possibly outside of any
    /// project.
    pub path: String,
    /// The line of the patch with the path, from 1.
    pub line: usize,
    /// The change of the file.
    pub change: Change,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// Writes a whole file. Codex replaces an existing file.
    Add {
        /// The text, in which every line ends in `\n`.
        text: String,
    },
    /// Deletes a file.
    Delete,
    /// Changes parts of a file.
    Update {
        /// The new path of the changed file, if it moves. Codex deletes the old one.
        move_to: Option<String>,
        /// The parts, from the top of the file down; at least one.
        chunks: Vec<Chunk>,
    },
}

/// A run of lines in a file, and their changes. It has at least one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// The line of the patch at which the chunk starts, from 1.
    pub line: usize,
    /// The text of a line of the file above the chunk.
    pub header: Option<String>,
    /// The context and the removed lines, each with its `\n`. If there are none, Codex appends to the file.
    pub old: String,
    /// The changes of the old lines, in order.
    pub steps: Vec<Step>,
    /// Whether the old lines are the last lines of the file.
    pub end_of_file: bool,
}

/// Lines of context, followed by lines that are replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// The number of lines that stay.
    pub kept: usize,
    /// The number of lines after them that are removed.
    pub removed: usize,
    /// The lines in place of the removed ones, each with its `\n`.
    pub added: String,
}

impl Chunk {
    fn keep(&mut self, context: &str) {
        push_line(&mut self.old, context);
        match self.steps.last_mut().filter(|step| step.removed == 0 && step.added.is_empty()) {
            Some(step) => step.kept += 1,
            None => self.steps.push(Step { kept: 1, ..Step::default() }),
        }
    }

    fn remove(&mut self, line: &str) {
        push_line(&mut self.old, line);
        let step = self.steps.pop().unwrap_or_default();
        self.steps.push(Step { removed: step.removed + 1, ..step });
    }

    fn add(&mut self, line: &str) {
        let mut step = self.steps.pop().unwrap_or_default();
        push_line(&mut step.added, line);
        self.steps.push(step);
    }
}

/// Lists the paths in a text that Codex may accept as a patch, although [`Patch::parse`] rejects it.
pub(crate) fn named_paths(text: &str) -> Vec<&str> {
    text.lines().filter_map(named_path).filter(|path| !path.is_empty()).collect()
}

fn named_path(line: &str) -> Option<&str> {
    let line = line.trim();
    let markers = [ADD, DELETE, UPDATE, MOVE];
    markers.into_iter().find_map(|marker| line.strip_prefix(marker.trim_end())).map(str::trim)
}

/// A text that is not a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// The line of the text, from 1.
    pub line: usize,
    /// The reason, in our own words only.
    pub why: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the patch: {}", self.line, self.why)
    }
}

impl Patch {
    /// Parses a patch, in linear time. An error names the first line that is not in the grammar.
    pub(crate) fn parse(text: &str) -> Result<Self, Malformed> {
        let body = text.trim_start();
        let first_line = 1 + newlines(text.bytes().take(text.len() - body.len()));
        let body = body.trim_end();
        let malformed = |newlines: usize, why| Malformed { line: first_line + newlines, why };
        if let Some(at) = body.find('\r') {
            let why = "Codex drops carriage returns; end every line of the patch with a line feed only";
            return Err(malformed(newlines(body.bytes().take(at)), why));
        }
        let (begin, rest) = body.split_once('\n').unwrap_or((body, ""));
        if begin.trim_end() != BEGIN {
            return Err(malformed(
                0,
                "expected `*** Begin Patch`, without a here-document or anything before",
            ));
        }
        let (sections, end) =
            rest.rsplit_once('\n').map_or((None, rest), |(sections, end)| (Some(sections), end));
        if end.trim_start() != END {
            return Err(malformed(newlines(body.bytes()), "expected `*** End Patch` at the end"));
        }
        let Some(sections) = sections else {
            return Err(malformed(0, "the patch changes no file"));
        };
        let mut lines = Lines { rest: sections.split('\n').peekable(), number: first_line };
        let mut files = Vec::new();
        while let Some(line) = lines.next() {
            files.push(section(line, &mut lines)?);
        }
        refuse_repeated_paths(&files)?;
        Ok(Self { files })
    }
}

/// Whether a patch can name this path. Otherwise Codex would read another path, or another section.
pub(crate) fn is_path_of_patch(path: &str) -> bool {
    !path.is_empty() && !path.contains(['\n', '\r']) && !path.ends_with(char::is_whitespace)
}

fn newlines(bytes: impl Iterator<Item = u8>) -> usize {
    bytes.filter(|byte| *byte == b'\n').count()
}

/// The lines of a patch, with their numbers.
struct Lines<'a> {
    rest: Peekable<Split<'a, char>>,
    /// The number of the line that was read last.
    number: usize,
}

impl<'a> Lines<'a> {
    fn peek(&mut self) -> Option<&'a str> {
        self.rest.peek().copied()
    }

    fn next(&mut self) -> Option<&'a str> {
        let line = self.rest.next()?;
        self.number += 1;
        Some(line)
    }

    /// Returns the remainder of the next line if that line starts with `prefix`.
    fn next_after(&mut self, prefix: &str) -> Option<&'a str> {
        let rest = self.peek()?.strip_prefix(prefix)?;
        self.next();
        Some(rest)
    }

    /// Returns an error in the line that was read last.
    fn malformed(&self, why: &'static str) -> Malformed {
        Malformed { line: self.number, why }
    }

    fn path(&self, path: &str) -> Result<String, Malformed> {
        if !is_path_of_patch(path) {
            return Err(self.malformed("the path is empty, or ends in whitespace; write it without"));
        }
        Ok(path.to_owned())
    }
}

/// Parses the section that starts with the line `start`, which is read already.
fn section(start: &str, lines: &mut Lines<'_>) -> Result<FileChange, Malformed> {
    let line = lines.number;
    let (path, change) = if let Some(path) = start.strip_prefix(ADD) {
        let path = lines.path(path)?;
        let mut text = String::new();
        while let Some(added) = lines.next_after("+") {
            push_line(&mut text, added);
        }
        (path, Change::Add { text })
    } else if let Some(path) = start.strip_prefix(DELETE) {
        (lines.path(path)?, Change::Delete)
    } else if let Some(path) = start.strip_prefix(UPDATE) {
        (lines.path(path)?, update(lines)?)
    } else if start.starts_with(ENVIRONMENT) {
        let why = "only files of this machine are reviewed; leave out `*** Environment ID:` if it is theirs";
        return Err(lines.malformed(why));
    } else {
        let why = "expected `*** Add File: `, `*** Delete File: ` or `*** Update File: ` with a path";
        return Err(lines.malformed(why));
    };
    Ok(FileChange { path, line, change })
}

fn update(lines: &mut Lines<'_>) -> Result<Change, Malformed> {
    let without_chunks = lines.malformed("the update has no lines");
    let move_to = lines.next_after(MOVE).map(|path| lines.path(path)).transpose()?;
    let mut chunks: Vec<Chunk> = Vec::new();
    while let Some(line) = lines.peek() {
        let after_end_of_file = chunks.last().is_some_and(|chunk| chunk.end_of_file);
        if line.starts_with("*** ") {
            break;
        } else if after_end_of_file && line.trim().is_empty() {
            lines.next();
        } else {
            chunks.push(chunk(lines, chunks.is_empty())?);
        }
    }
    if chunks.is_empty() {
        return Err(without_chunks);
    }
    Ok(Change::Update { move_to, chunks })
}

/// Parses a chunk. Only the first chunk may lack its `@@`.
fn chunk(lines: &mut Lines<'_>, is_first: bool) -> Result<Chunk, Malformed> {
    let mut chunk = Chunk {
        line: lines.number + 1,
        header: None,
        old: String::new(),
        steps: Vec::new(),
        end_of_file: false,
    };
    let starts_with_change =
        lines.peek().is_some_and(|line| line.starts_with([' ', '-', '+']) && !line.trim().is_empty());
    if !(is_first && starts_with_change) {
        chunk.header = chunk_header(lines)?;
    }
    while let Some(line) = lines.peek() {
        if let Some(context) = line.strip_prefix(' ').or(line.is_empty().then_some(line)) {
            chunk.keep(context);
        } else if let Some(removed) = line.strip_prefix('-') {
            chunk.remove(removed);
        } else if let Some(added) = line.strip_prefix('+') {
            chunk.add(added);
        } else {
            break;
        }
        lines.next();
    }
    if chunk.steps.is_empty() {
        return Err(Malformed { line: chunk.line, why: "the chunk has no lines" });
    }
    chunk.end_of_file = lines.peek() == Some(END_OF_FILE);
    if chunk.end_of_file {
        lines.next();
    }
    Ok(chunk)
}

/// Reads the line that starts a chunk, and returns the header in it.
fn chunk_header(lines: &mut Lines<'_>) -> Result<Option<String>, Malformed> {
    let line = lines.next().unwrap_or_default();
    match line.strip_prefix("@@ ") {
        Some(header) if header.is_empty() || header.ends_with(char::is_whitespace) => {
            Err(lines.malformed("the header after `@@` is empty, or ends in whitespace; take another line"))
        }
        Some(header) => Ok(Some(header.to_owned())),
        None if line == CHUNK => Ok(None),
        None => Err(lines.malformed("expected `@@`, or a line that starts with ` `, `-` or `+`")),
    }
}

/// Appends a line with its `\n`.
fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Refuses a patch that names a path twice: sections are independent only if each names other paths.
fn refuse_repeated_paths(files: &[FileChange]) -> Result<(), Malformed> {
    let mut seen = HashSet::new();
    for file in files {
        let moved_to =
            if let Change::Update { move_to, .. } = &file.change { move_to.as_deref() } else { None };
        for path in std::iter::once(file.path.as_str()).chain(moved_to) {
            if !seen.insert(path) {
                let why = "the patch names the path twice; write one section for each file, and no \
                           `*** Move to:` if it stays where it is";
                return Err(Malformed { line: file.line, why });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
