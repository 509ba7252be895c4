//! Errors with hints: the failure, and the remedy. The end of `main` prints them.

use std::fmt;
use std::io::Write as _;

use alongside_desk::{harmless, without_error_codes};

/// An error with its hint, which is printed on a line of its own.
struct Hinted {
    error: anyhow::Error,
    hint: String,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.error)
    }
}

impl fmt::Debug for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#} (hint: {})", self.error, self.hint)
    }
}

impl std::error::Error for Hinted {}

/// Adds a hint to an error.
pub trait Hint<T> {
    /// Adds a hint. The hint is a whole sentence without a full stop, in the imperative.
    fn hint(self, hint: impl Into<String>) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> Hint<T> for Result<T, E> {
    fn hint(self, hint: impl Into<String>) -> anyhow::Result<T> {
        self.map_err(|error| anyhow::Error::new(Hinted { error: error.into(), hint: hint.into() }))
    }
}

/// Creates an error from a message and a hint.
pub fn failure(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Hinted { error: anyhow::Error::msg(message.into()), hint: hint.into() })
}

/// Returns the lines of an error message: all causes in one line, then each hint in its own line.
pub fn lines(error: &anyhow::Error) -> Vec<String> {
    let (error, hints) = parts(error);
    let hints = hints.iter().map(|hint| format!("{HINT_PREFIX}{}", harmless::text(hint)));
    std::iter::once(format!("alongside: {}", harmless::text(&error))).chain(hints).collect()
}

/// The beginning of the line of a hint.
const HINT_PREFIX: &str = "  hint: ";

/// The largest number of columns of a line, because longer lines are hard to read in a wide terminal.
const MAX_COLUMNS: usize = 100;

/// Wraps a line between words for a terminal with this number of columns. Without a terminal, the line stays
/// whole, for programs.
pub fn wrap(line: &str, columns: Option<u16>) -> String {
    let Some(columns) = columns.map(usize::from).filter(|columns| *columns > 2 * HINT_PREFIX.len()) else {
        return line.to_owned();
    };
    let indent = " ".repeat(if line.starts_with(HINT_PREFIX) { HINT_PREFIX.len() } else { 2 });
    let options = textwrap::Options::new(columns.min(MAX_COLUMNS))
        .subsequent_indent(&indent)
        // A path or a command stays whole, so that a person can copy it.
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(line, options)
}

/// Wraps each line of a text, as [`wrap`] does.
pub fn wrap_lines(text: &str, columns: Option<u16>) -> String {
    // `str::lines` would drop an empty last line.
    text.split('\n').map(|line| wrap(line, columns)).collect::<Vec<_>>().join("\n")
}

/// Returns the error with all its causes, for people and unescaped: without the numbers of system errors,
/// which only a log contains.
pub fn words(error: &anyhow::Error) -> String {
    without_error_codes(&format!("{error:#}"))
}

/// Returns the error with all its causes, like [`words`], and its hints, unescaped.
pub fn parts(error: &anyhow::Error) -> (String, Vec<String>) {
    let mut hints = Vec::new();
    let mut inner = error.downcast_ref::<Hinted>();
    while let Some(hinted) = inner {
        hints.push(hinted.hint.clone());
        inner = hinted.error.downcast_ref();
    }
    (words(error), hints)
}

/// Prints an error to standard error.
pub fn print(error: &anyhow::Error) {
    let mut stderr = std::io::stderr().lock();
    let columns = alongside_platform::terminal::columns_for_errors();
    for line in lines(error) {
        let _ = writeln!(stderr, "{}", wrap(&line, columns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn causes_share_one_line_and_each_hint_has_its_own() {
        let error = Err::<(), _>(std::io::Error::other("disk \x1bfull"))
            .hint("make room")
            .context("cannot save")
            .hint("try elsewhere")
            .unwrap_err();
        assert_eq!(
            lines(&error),
            ["alongside: cannot save: disk \\x1bfull", "  hint: try elsewhere", "  hint: make room"]
        );
    }

    #[test]
    fn lines_are_wrapped_at_spaces_and_paths_stay_whole() {
        let path = "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o.txt";
        let text = &format!("1. {path} (Codex, now): the text before an undo\n  draft    kept\n");
        let rows = wrap_lines(text, Some(25));
        assert!(rows.lines().all(|row| row.len() <= 25 || row.contains(path)), "{rows}");
        assert!(rows.lines().count() > 3 && rows.ends_with("\n  draft    kept\n"), "{rows}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&rows), words(text));
        assert_eq!(&wrap_lines(text, None), text);
    }

    #[test]
    fn messages_have_no_number_of_a_system_error() {
        let missing = || std::io::Error::from_raw_os_error(2);
        let error = Err::<(), _>(missing()).context("cannot save").hint("try elsewhere").unwrap_err();
        assert!(format!("{error:#}").contains("os error"), "a log has it");
        let shown = [words(&error), parts(&error).0, lines(&error).join(" ")];
        assert!(shown.iter().all(|shown| !shown.contains("os error")), "{shown:?}");
        assert!(words(&error).starts_with("cannot save: "));
    }

    #[test]
    fn lines_wrap_only_for_terminals() {
        let hint = "  hint: start it in the project, or say where with `alongside --help`, in \
                    /a/long/path-that-stays-whole";
        assert_eq!(
            wrap(hint, Some(40)),
            "  hint: start it in the project, or say\n        where with `alongside --help`,\n        \
             in /a/long/path-that-stays-whole"
        );
        assert_eq!(wrap(hint, None), hint);
        assert_eq!(wrap(hint, Some(0)), hint, "a terminal that does not know its size");
        let most = wrap(&"word ".repeat(60), Some(250));
        assert!(most.lines().all(|line| line.len() <= 100) && most.lines().count() > 2, "{most}");
    }
}
