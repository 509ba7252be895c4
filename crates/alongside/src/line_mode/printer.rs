//! The line desk's output: whole lines, one after the other. Nothing moves the cursor or draws over a line,
//! so a screen reader, a dumb terminal and a pipe get the same text. Only a terminal gets colour, and shorter
//! forms of lines that it has no room for.

use std::io::{IsTerminal, Write};

use alongside_common::failure;

/// A meaning that colour may stress; the text says it too.
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
    /// Places and prompts.
    Mark,
    /// Things that a person may miss, and those that may do harm.
    Warning,
}

impl Ink {
    /// One of the sixteen colours that every terminal lets its user choose.
    fn code(self) -> &'static str {
        match self {
            Self::Added => "\x1b[32m",
            Self::Removed => "\x1b[31m",
            Self::Dropped => "\x1b[90m",
            Self::Neighbour => "\x1b[2m",
            Self::Mark => "\x1b[36m",
            Self::Warning => "\x1b[33m",
        }
    }
}

/// Colours a line, or leaves it as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inks {
    /// Whether colours are used.
    pub(crate) on: bool,
}

impl Inks {
    /// On a terminal that has colours, unless `NO_COLOR` says otherwise.
    pub(crate) fn for_stdout() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        Self { on: std::io::stdout().is_terminal() && !refused && !dumb }
    }

    /// The line in its colour.
    pub(crate) fn ink(self, ink: Ink, line: &str) -> String {
        if self.on { format!("{}{line}\x1b[0m", ink.code()) } else { line.to_owned() }
    }

    /// Begins or ends a stressed part within a line that is in a colour.
    pub(crate) fn stress(self, begins: bool) -> &'static str {
        match (self.on, begins) {
            (false, _) => "",
            (true, true) => "\x1b[7m",
            (true, false) => "\x1b[27m",
        }
    }

    /// Words of ours within a line that is in a colour: they are dim.
    pub(crate) fn aside(self, said: &str) -> String {
        if self.on { format!("\x1b[2m{said}\x1b[22m") } else { said.to_owned() }
    }
}

/// How text is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// The colours in use.
    pub(crate) inks: Inks,
    /// The columns of the terminal, if it is one.
    pub(crate) columns: Option<usize>,
    /// Its rows.
    pub(crate) rows: Option<usize>,
}

/// A message as a terminal gets it: its lines broken between words.
pub(crate) fn wrapped(text: &str, look: Look) -> String {
    let columns = look.columns.and_then(|columns| u16::try_from(columns).ok());
    // `lines` would lose an empty one at the end.
    text.split('\n').map(|line| failure::wrapped(line, columns)).collect::<Vec<_>>().join("\n")
}

/// A terminal that tells fewer columns than this does not know its width.
const FEWEST_COLUMNS: u16 = 20;

/// A terminal that tells fewer rows than this does not know its height.
const FEWEST_ROWS: u16 = 10;

/// Writes lines and prompts from top to bottom.
pub(crate) struct Printer {
    out: Box<dyn Write + Send>,
    /// Whether a prompt stands at the end, so that the next line must start a new one.
    prompted: bool,
    /// The first error of writing: nobody reads any more.
    broken: bool,
    /// Lines that wait while an editor has the terminal.
    held: Option<Vec<String>>,
    /// Whether it writes to standard output, which may be a terminal.
    is_stdout: bool,
    /// The colours in use.
    pub(crate) inks: Inks,
}

impl Printer {
    /// Writes to standard output.
    pub(crate) fn stdout() -> Self {
        Self { is_stdout: true, ..Self::on(Box::new(std::io::stdout()), Inks::for_stdout()) }
    }

    /// Writes elsewhere.
    pub(crate) fn on(out: Box<dyn Write + Send>, inks: Inks) -> Self {
        Self { out, prompted: false, broken: false, held: None, is_stdout: false, inks }
    }

    /// How text is printed now: a terminal may get another size.
    pub(crate) fn look(&self) -> Look {
        let columns = alongside_platform::terminal::columns().filter(|_| self.is_stdout);
        let columns = columns.filter(|columns| *columns >= FEWEST_COLUMNS).map(usize::from);
        let rows = alongside_platform::terminal::rows().filter(|_| self.is_stdout);
        let rows = rows.filter(|rows| *rows >= FEWEST_ROWS).map(usize::from);
        Look { inks: self.inks, columns, rows }
    }

    /// Writes a message of one line or several, harmless already. A terminal gets it broken between words.
    pub(crate) fn say(&mut self, text: &str) {
        let text = wrapped(text, self.look());
        self.show(&text);
    }

    /// Writes lines as they are: those of a text that somebody else wrote, or that are wrapped already.
    pub(crate) fn show(&mut self, text: &str) {
        if let Some(held) = &mut self.held {
            held.push(text.to_owned());
            return;
        }
        let start = if std::mem::take(&mut self.prompted) { "\n" } else { "" };
        self.write(&format!("{start}{text}\n"));
    }

    /// Writes a prompt; the person types behind it.
    pub(crate) fn ask(&mut self, question: &str) {
        let start = if std::mem::replace(&mut self.prompted, true) { "\n" } else { "" };
        let question = self.inks.ink(Ink::Mark, &wrapped(question, self.look()));
        self.write(&format!("{start}{question} "));
    }

    /// The reply has come. A terminal showed it as it was typed; elsewhere it is written down.
    pub(crate) fn end_prompt(&mut self, reply: Option<&str>) {
        self.prompted = false;
        if let Some(reply) = reply {
            self.write(&format!("{}\n", alongside_desk::harmless::name(reply)));
        }
    }

    /// The current line may hold text, such as what the person has begun to type: the next output begins a
    /// new line.
    pub(crate) fn break_line(&mut self) {
        self.prompted = true;
    }

    /// An editor has the terminal: lines wait from now on.
    pub(crate) fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Whether an editor has the terminal.
    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// The terminal is the desk's again: writes the lines that waited.
    pub(crate) fn release(&mut self) {
        for text in self.held.take().unwrap_or_default() {
            self.show(&text);
        }
    }

    /// Ends the last line.
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.prompted) {
            self.write("\n");
        }
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    fn write(&mut self, text: &str) {
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        self.broken |= written.is_err();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_broken_between_words_and_colours_take_no_room() {
        let inks = Inks { on: true };
        let look = |columns| Look { inks, columns, rows: None };
        let text = format!(
            "  note: {}\n\n/a/path/that/is/longer/than/a/row",
            inks.ink(Ink::Warning, "one two three")
        );
        let expected = "  note: \x1b[33mone two\n  three\x1b[0m\n\n/a/path/that/is/longer/than/a/row";
        assert_eq!(wrapped(&text, look(Some(20))), expected);
        assert_eq!(wrapped(&text, look(None)), text, "programs read whole lines");
    }
}
