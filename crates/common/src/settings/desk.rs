//! The choices of a person for the terminal desk, in the settings and on the command line. The desk has its
//! own types for them, so that this crate does not depend on a library for drawing.

/// A terminal's background.
#[expect(missing_docs, reason = "the doc comments of the values are their help")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Shade {
    Light,
    Dark,
}

/// The way in which a terminal announces a review.
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
