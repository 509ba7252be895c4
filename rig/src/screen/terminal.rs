//! The properties of a terminal, and its answers to a program's queries.

use std::collections::BTreeSet;
use std::ffi::OsString;

/// The private mode for focus events.
pub(super) const FOCUS: u16 = 1004;

/// The private modes that the emulator tracks by itself.
const KNOWN_MODES: [u16; 12] = [1, 6, 9, 25, 47, 1000, 1002, 1003, 1005, 1006, 1049, 2004];

/// The properties of a terminal: its size, answers, speed, and environment variables.
#[derive(Debug, Clone)]
pub struct Terminal {
    pub(super) columns: u16,
    pub(super) rows: u16,
    pub(super) answers: Answers,
    pub(super) bytes_per_second: Option<u32>,
    pub(super) variables: Vec<(OsString, OsString)>,
}

/// A terminal's answers to queries for its colours and its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// No answer to any query.
    Nothing,
    /// The type, but not the colours, as from the Linux console.
    TypeOnly,
    /// The type, and the colours of a dark terminal.
    Dark,
    /// The type, and the colours of a light terminal.
    Light,
}

impl Terminal {
    /// Creates a terminal with 256 colours that answers as a dark one.
    pub fn new(columns: u16, rows: u16) -> Self {
        let variables = Vec::new();
        Self { columns, rows, answers: Answers::Dark, bytes_per_second: None, variables }
    }

    /// Sets the answers.
    #[must_use]
    pub fn answering(self, answers: Answers) -> Self {
        Self { answers, ..self }
    }

    /// Sets the speed of the link.
    #[must_use]
    pub fn slow(self, bytes_per_second: u32) -> Self {
        Self { bytes_per_second: Some(bytes_per_second.max(1)), ..self }
    }

    /// Adds a variable to the program's environment.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }
}

/// The state that the emulator does not keep: pending answers and modes.
#[derive(Debug)]
pub(super) struct TerminalState {
    answers: Answers,
    /// The answers that are not sent yet.
    pub(super) pending_answers: Vec<u8>,
    /// The enabled private modes, except for the modes that the emulator tracks.
    pub(super) modes: BTreeSet<u16>,
    /// The number of pushed levels of the keyboard protocol.
    pub(super) keyboards: u16,
}

impl TerminalState {
    pub(super) fn new(answers: Answers) -> Self {
        Self { answers, pending_answers: Vec::new(), modes: BTreeSet::new(), keyboards: 0 }
    }
}

impl vt100::Callbacks for TerminalState {
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        _second: Option<u8>,
        parameters: &[&[u16]],
        end: char,
    ) {
        let number = parameters.first().and_then(|parameter| parameter.first()).copied().unwrap_or(0);
        let modes = parameters.iter().flat_map(|parameter| parameter.first());
        let modes = modes.copied().filter(|mode| !KNOWN_MODES.contains(mode));
        let answers = self.answers != Answers::Nothing;
        match (first, end) {
            (Some(b'?'), 'h') => self.modes.extend(modes),
            (Some(b'?'), 'l') => {
                let disabled: BTreeSet<_> = modes.collect();
                self.modes.retain(|mode| !disabled.contains(mode));
            }
            (Some(b'>'), 'u') => self.keyboards += 1,
            (Some(b'<'), 'u') => self.keyboards = self.keyboards.saturating_sub(number.max(1)),
            (None, 'c') if answers => self.pending_answers.extend(b"\x1b[?62;22c"),
            (None, 'n') if answers && number == 5 => self.pending_answers.extend(b"\x1b[0n"),
            (None, 'n') if answers && number == 6 => {
                let (row, column) = screen.cursor_position();
                self.pending_answers.extend(format!("\x1b[{};{}R", row + 1, column + 1).bytes());
            }
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, parameters: &[&[u8]]) {
        let (text, background) = match self.answers {
            Answers::Dark => ("d0d0/d0d0/d0d0", "1212/1212/1212"),
            Answers::Light => ("2020/2020/2020", "fafa/fafa/fafa"),
            Answers::Nothing | Answers::TypeOnly => return,
        };
        let (number, colour) = match parameters {
            [b"10", b"?"] => (10, text),
            [b"11", b"?"] => (11, background),
            _ => return,
        };
        self.pending_answers.extend(format!("\x1b]{number};rgb:{colour}\x1b\\").bytes());
    }
}
