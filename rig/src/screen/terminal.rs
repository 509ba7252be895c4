//! The kind of terminal, and its answers to a program's queries.

use std::collections::BTreeSet;
use std::ffi::OsString;

/// The private mode for focus events.
pub(super) const FOCUS: u16 = 1004;

/// Private modes that the emulator tracks by itself.
const KNOWN_MODES: [u16; 12] = [1, 6, 9, 25, 47, 1000, 1002, 1003, 1005, 1006, 1049, 2004];

/// The description of a terminal: its size, answers, speed, and environment variables.
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
    /// No answer at all, as over a broken link.
    Nothing,
    /// Its type, but not its colours, as the Linux console.
    TypeOnly,
    /// Its type, and a dark background.
    Dark,
    /// Its type, and a light background.
    Light,
}

impl Terminal {
    /// A terminal with 256 colours that answers as a dark one.
    pub fn new(columns: u16, rows: u16) -> Self {
        let variables = Vec::new();
        Self { columns, rows, answers: Answers::Dark, bytes_per_second: None, variables }
    }

    /// With these answers.
    #[must_use]
    pub fn answering(self, answers: Answers) -> Self {
        Self { answers, ..self }
    }

    /// Behind a link of this speed.
    #[must_use]
    pub fn slow(self, bytes_per_second: u32) -> Self {
        Self { bytes_per_second: Some(bytes_per_second.max(1)), ..self }
    }

    /// With a variable in the program's environment.
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
    /// Answers to be sent to the program.
    pub(super) owed: Vec<u8>,
    /// Private modes that are on, except those that the emulator tracks.
    pub(super) modes: BTreeSet<u16>,
    /// Number of pushed levels of the keyboard protocol.
    pub(super) keyboards: u16,
}

impl TerminalState {
    pub(super) fn new(answers: Answers) -> Self {
        Self { answers, owed: Vec::new(), modes: BTreeSet::new(), keyboards: 0 }
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
        let asked = self.answers != Answers::Nothing;
        match (first, end) {
            (Some(b'?'), 'h') => self.modes.extend(modes),
            (Some(b'?'), 'l') => {
                let off: BTreeSet<_> = modes.collect();
                self.modes.retain(|mode| !off.contains(mode));
            }
            (Some(b'>'), 'u') => self.keyboards += 1,
            (Some(b'<'), 'u') => self.keyboards = self.keyboards.saturating_sub(number.max(1)),
            (None, 'c') if asked => self.owed.extend(b"\x1b[?62;22c"),
            (None, 'n') if asked && number == 5 => self.owed.extend(b"\x1b[0n"),
            (None, 'n') if asked && number == 6 => {
                let (row, column) = screen.cursor_position();
                self.owed.extend(format!("\x1b[{};{}R", row + 1, column + 1).bytes());
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
        self.owed.extend(format!("\x1b]{number};rgb:{colour}\x1b\\").bytes());
    }
}
