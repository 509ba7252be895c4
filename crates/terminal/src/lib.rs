//! The terminal desk: agents, reviews and one review side by side on a whole screen, decided by keys.
//!
//! It draws what it is told and asks for what keys mean. What a hunk is, what accepting does and whether a
//! decision still counts is the companion's business, which is only ever spoken to through a [`Desk`].

mod act;
mod app;
mod asked;
#[doc(hidden)]
pub mod benching;
mod colour;
pub mod editor;
mod keys;
mod page;
mod palette;
mod panels;
mod reading;
mod replies;
mod run;
mod screen;
#[cfg(test)]
mod scripted;
mod signals;
#[cfg(test)]
mod tests;
mod texts;
mod told;
mod tty;
mod width;
pub mod words;
mod writer;

use std::path::PathBuf;

use std::time::Duration;

use alongside_desk::Desk;
use alongside_platform::signals::HANGUP;
use anyhow::Context;
use tokio::sync::mpsc;

use crate::app::App;
use crate::palette::{Depth, Palette};
use crate::run::Around;
use crate::signals::Signals;
use crate::tty::Tty;

/// How long the terminal may take to say what its background is.
const THEME: Duration = Duration::from_millis(500);

/// How long the companion may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

/// What a person may choose about the desk.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What file names are shown relative to.
    pub roots: Vec<PathBuf>,
    /// Which colours; the terminal is asked if nothing is said.
    pub theme: Option<Theme>,
    /// Side by side or one column; by the width if nothing is said.
    pub layout: Option<Layout>,
    /// Where texts go that a person typed and that cannot be handed on.
    pub keeping: editor::Keeping,
    /// Whether nothing outlives the desk, as in a demo: then it promises no drafts.
    pub rehearsal: bool,
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

/// Shows the desk on the terminal of standard output until the person leaves, a signal comes, or the
/// companion is gone. The terminal is given back as it was, whatever happens.
///
/// # Errors
/// When the terminal cannot be used.
pub async fn run(mut desk: Desk, options: Options) -> anyhow::Result<Ending> {
    let variable = |name: &str| std::env::var(name).ok();
    anyhow::ensure!(
        variable("TERM").is_none_or(|term| term != "dumb"),
        "this terminal (TERM=dumb) cannot show the desk"
    );
    let depth = Depth::promised(variable);
    let theme = match options.theme {
        Some(theme) => theme,
        None if depth == Depth::None => Theme::Dark,
        None => ask_for_theme().await,
    };
    let mut app = App::new(options, Palette::new(theme, depth));
    let (tell, panicked) = mpsc::unbounded_channel();
    let signals = Signals::listen().context("cannot listen for signals")?;
    let mut around = Around { signals, panicked, editor: editor::command(), clock: alongside_desk::now_ms };
    let mut tty = Tty::open(tell).context("cannot use the terminal")?;
    let ending = run::run(&mut desk, &mut app, &mut tty, &mut around).await;
    let last_words = match (&ending, app.last_words().await) {
        (Ok(Ending::Gone), words) => Some(app.parting_words(words)),
        (_, words) => words,
    };
    tty.close(last_words.as_deref()).await;
    // A terminal that went away has not been left: its person may come back.
    if matches!(ending, Ok(Ending::Left)) || matches!(ending, Ok(Ending::Signal(signal)) if signal != HANGUP)
    {
        // A companion that does not answer is left all the same.
        let _ = tokio::time::timeout(GOODBYE, desk.leave()).await;
    }
    ending
}

/// Asks the terminal what its background is. One that does not say has a dark one.
async fn ask_for_theme() -> Theme {
    let asked = tokio::task::spawn_blocking(|| {
        let mut query = terminal_colorsaurus::QueryOptions::default();
        query.timeout = THEME;
        terminal_colorsaurus::theme_mode(query)
    });
    match asked.await {
        Ok(Ok(terminal_colorsaurus::ThemeMode::Light)) => Theme::Light,
        _ => Theme::Dark,
    }
}
