//! The terminal desk: agents, reviews and one review side by side on a whole screen, decided by keys.
//!
//! It draws what it is told and asks for what keys mean. What a hunk is, what accepting does and whether a decision still
//! counts is the companion's business, which is only ever spoken to through a [`Desk`].

#[allow(dead_code, reason = "until the screen is there")]
mod colour;
pub mod editor;
#[allow(dead_code, reason = "until the screen is there")]
mod page;
#[allow(dead_code, reason = "until the screen is there")]
mod palette;
#[allow(dead_code, reason = "until the screen is there")]
mod width;

use std::path::PathBuf;

use alongside_desk::Desk;

/// What a person may choose about the desk.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What file names are shown relative to.
    pub roots: Vec<PathBuf>,
    /// Which colours; the terminal is asked if nothing is said.
    pub theme: Option<Theme>,
    /// Side by side or one column; by the width if nothing is said.
    pub layout: Option<Layout>,
}

/// Colours for which background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// For light backgrounds.
    Light,
    /// For dark ones.
    Dark,
}

/// How a review is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The original beside the text that would be accepted.
    SideBySide,
    /// Both in one column.
    OneColumn,
}

/// Why the desk was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The person left.
    Left,
    /// A signal came: its number.
    Signal(i32),
    /// The companion has stopped for good.
    Gone,
}

/// Shows the desk on the terminal of standard output until the person leaves, a signal comes, or the companion is gone.
/// The terminal is given back as it was, whatever happens.
///
/// # Errors
/// When the terminal cannot be used.
pub async fn run(desk: Desk, options: Options) -> anyhow::Result<Ending> {
    let _ = (desk, options);
    anyhow::bail!("the terminal desk cannot draw yet")
}
