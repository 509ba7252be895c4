//! The output of line mode: whole lines, in sequence. No output moves the cursor or overwrites a line, so a
//! screen reader, a dumb terminal and a pipe get the same text. Only a terminal gets colours, and shorter
//! forms of lines that do not fit.

use std::io::{IsTerminal, Write};

use alongside_common::failure;

/// A meaning that a colour stresses. The text has the same meaning without the colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Added lines.
    Added,
    /// Removed lines.
    Removed,
    /// Changed lines of a hunk that is dropped.
    Dropped,
    /// Lines of a neighbouring change.
    Neighbour,
    /// Titles, headers of hunks, and prompts.
    Heading,
    /// Text about changes that a person may overlook, or that may do harm.
    Warning,
}

impl Ink {
    /// Returns the escape sequence of a colour, one of the sixteen that users choose in their terminal.
    fn code(self) -> &'static str {
        match self {
            Self::Added => "\x1b[32m",
            Self::Removed => "\x1b[31m",
            Self::Dropped => "\x1b[90m",
            Self::Neighbour => "\x1b[2m",
            Self::Heading => "\x1b[36m",
            Self::Warning => "\x1b[33m",
        }
    }
}

/// The switch for colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inks {
    /// Whether the output has colours.
    pub(crate) on: bool,
}

impl Inks {
    /// Returns the switch for standard output: on if it is a terminal with colours, and `NO_COLOR` is not
    /// set.
    pub(crate) fn for_stdout() -> Self {
        let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        Self { on: std::io::stdout().is_terminal() && !is_refused && !is_dumb }
    }

    /// Returns the line in a colour.
    pub(crate) fn ink(self, ink: Ink, line: &str) -> String {
        if self.on { format!("{}{line}\x1b[0m", ink.code()) } else { line.to_owned() }
    }

    /// Returns the escape sequence that begins or ends a stressed part of a coloured line.
    pub(crate) fn stress(self, begins: bool) -> &'static str {
        match (self.on, begins) {
            (false, _) => "",
            (true, true) => "\x1b[7m",
            (true, false) => "\x1b[27m",
        }
    }

    /// Returns a remark of ours within a coloured line, in dim letters.
    pub(crate) fn aside(self, remark: &str) -> String {
        if self.on { format!("\x1b[2m{remark}\x1b[22m") } else { remark.to_owned() }
    }
}

/// The layout of printed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) inks: Inks,
    /// The columns of the terminal; `None` if the output is not a terminal, or its width is unknown.
    pub(crate) columns: Option<usize>,
    /// The rows of the terminal; `None` as for the columns.
    pub(crate) rows: Option<usize>,
}

/// Wraps the lines of a message between words, for a terminal.
pub(crate) fn wrapped(text: &str, layout: Layout) -> String {
    let columns = layout.columns.and_then(|columns| u16::try_from(columns).ok());
    failure::wrap_lines(text, columns)
}

/// The fewest columns that a terminal can have. One that reports fewer does not know its width.
const MIN_COLUMNS: u16 = 20;

/// The fewest rows that a terminal can have. One that reports fewer does not know its height.
const MIN_ROWS: u16 = 10;

/// Writes lines and prompts from top to bottom.
pub(crate) struct Printer {
    out: Box<dyn Write + Send>,
    /// Whether the last line is a prompt or typed text, so that the next output begins a new line.
    has_open_line: bool,
    /// Whether a write has failed, because the output is closed.
    is_closed: bool,
    /// The lines that wait while an editor has the terminal.
    held: Option<Vec<String>>,
    /// Whether the output is standard output, which may be a terminal.
    is_stdout: bool,
    pub(crate) inks: Inks,
}

impl Printer {
    /// Creates a printer on standard output.
    pub(crate) fn stdout() -> Self {
        Self { is_stdout: true, ..Self::on(Box::new(std::io::stdout()), Inks::for_stdout()) }
    }

    /// Creates a printer on another output.
    pub(crate) fn on(out: Box<dyn Write + Send>, inks: Inks) -> Self {
        Self { out, has_open_line: false, is_closed: false, held: None, is_stdout: false, inks }
    }

    /// Returns the current layout, because a terminal may change its size.
    pub(crate) fn layout(&self) -> Layout {
        let columns = alongside_platform::terminal::columns().filter(|_| self.is_stdout);
        let columns = columns.filter(|columns| *columns >= MIN_COLUMNS).map(usize::from);
        let rows = alongside_platform::terminal::rows().filter(|_| self.is_stdout);
        let rows = rows.filter(|rows| *rows >= MIN_ROWS).map(usize::from);
        Layout { inks: self.inks, columns, rows }
    }

    /// Writes a message of one or several lines, which is escaped already. On a terminal, it is wrapped.
    pub(crate) fn say(&mut self, text: &str) {
        let text = wrapped(text, self.layout());
        self.show(&text);
    }

    /// Writes lines without wrapping: lines of a text from outside, or wrapped ones.
    pub(crate) fn show(&mut self, text: &str) {
        if let Some(held) = &mut self.held {
            held.push(text.to_owned());
            return;
        }
        let start = if std::mem::take(&mut self.has_open_line) { "\n" } else { "" };
        self.write(&format!("{start}{text}\n"));
    }

    /// Writes a prompt, after which the person types.
    pub(crate) fn ask(&mut self, question: &str) {
        let start = if std::mem::replace(&mut self.has_open_line, true) { "\n" } else { "" };
        let question = self.inks.ink(Ink::Heading, &wrapped(question, self.layout()));
        self.write(&format!("{start}{question} "));
    }

    /// Ends the line of a prompt. `reply`: the reply to write, if no terminal has shown it.
    pub(crate) fn end_prompt(&mut self, reply: Option<&str>) {
        self.has_open_line = false;
        if let Some(reply) = reply {
            self.write(&format!("{}\n", alongside_desk::harmless::name(reply)));
        }
    }

    /// Makes the next output begin a new line, because the current line may have typed text.
    pub(crate) fn break_line(&mut self) {
        self.has_open_line = true;
    }

    /// Has all lines wait from now on, because an editor has the terminal.
    pub(crate) fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Whether an editor has the terminal.
    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Writes the lines that waited, because the desk has the terminal again.
    pub(crate) fn release(&mut self) {
        for text in self.held.take().unwrap_or_default() {
            self.show(&text);
        }
    }

    /// Ends the last line.
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.has_open_line) {
            self.write("\n");
        }
    }

    /// Whether the output is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn write(&mut self, text: &str) {
        let result = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        self.is_closed |= result.is_err();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_wrapped_between_words_without_counting_colours() {
        let inks = Inks { on: true };
        let layout = |columns| Layout { inks, columns, rows: None };
        let text = format!(
            "  note: {}\n\n/a/path/that/is/longer/than/a/row",
            inks.ink(Ink::Warning, "one two three")
        );
        let expected = "  note: \x1b[33mone two\n  three\x1b[0m\n\n/a/path/that/is/longer/than/a/row";
        assert_eq!(wrapped(&text, layout(Some(20))), expected);
        assert_eq!(wrapped(&text, layout(None)), text, "programs read whole lines");
    }
}
