//! The choices of a person for the terminal desk, in the settings and on the command line. The desk itself
//! has types of its own for them, so that nothing here waits for a library that draws.

/// A terminal's background.
#[expect(missing_docs, reason = "the doc comments of the values are their help")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Shade {
    Light,
    Dark,
}

/// How a terminal announces a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Notify {
    /// No announcement, whatever the settings say
    Off,
    /// The bell, which tmux takes for an alert
    Bell,
    /// A notification of iTerm2, WezTerm, Windows Terminal, Ghostty
    Osc9,
    /// A notification of foot, rxvt-unicode, VTE
    Osc777,
}
