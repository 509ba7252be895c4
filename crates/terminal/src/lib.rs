//! The terminal desk: agents, reviews and one review side by side on a whole screen, decided by keys.
//!
//! The desk draws the state that the companion's events report, and sends a request for each key. The
//! companion, at the other end of a [`Desk`], computes the hunks and carries out the decisions.

mod agent_offers;
mod app;
mod areas;
mod attention;
#[doc(hidden)]
pub mod bench_desk;
mod colour;
mod demo_guide;
mod desk_state;
mod editor;
mod key_gate;
mod keys;
mod leaving;
mod message_log;
mod notification;
mod options;
mod output;
mod overlays;
mod palette;
mod panels;
mod review_page;
mod review_view;
mod reviews;
mod run;
mod screen_layout;
#[cfg(test)]
mod scripted_companion;
mod search_input;
mod shown_frame;
#[cfg(test)]
mod tests;
mod text;
mod tty;
mod turn_files;
mod turn_review;
mod unsaved_texts;
mod words;

use std::io::Write as _;
use std::time::Duration;

use alongside_desk::Desk;
use alongside_platform::signals::HANGUP;
use anyhow::Context;
use tokio::sync::mpsc;

pub use crate::editor::command::command as editor_command;
pub use crate::editor::{EditOutcome, Editing};
pub use crate::notification::Notification;
pub use crate::options::{AgentPane, Ending, Layout, Options, Theme, TurnOptions, UndoBack, UndoneText};
pub use crate::review_page::{HunkEmphasis, LineEmphasis, columns_of, cut_at};
pub use crate::unsaved_texts::{COMMENT_UNSENT, DESK_CLOSED, DraftStore, REASON_UNSENT, UnsavedText};

use crate::app::App;
use crate::palette::{Depth, Palette};
use crate::run::Inputs;
use crate::tty::Tty;
use crate::tty::signals::Signals;

/// The time that the terminal has to report its background.
const THEME_TIMEOUT: Duration = Duration::from_millis(500);

/// Shows the desk on the terminal of standard output until the person leaves, a signal arrives, or the
/// companion stops. Restores the terminal in each case.
///
/// # Errors
/// If the terminal cannot be used.
pub async fn run(mut desk: Desk, options: Options) -> anyhow::Result<Ending> {
    let variable = |name: &str| std::env::var(name).ok();
    anyhow::ensure!(
        variable("TERM").is_none_or(|term| term != "dumb"),
        "this terminal (TERM=dumb) cannot show the desk"
    );
    let theme = theme(options.theme).await;
    let mut app = App::new(options, Palette::new(theme, Depth::promised(variable)));
    let (panic_hook, panicked) = mpsc::unbounded_channel();
    let signals = Signals::listen().context("cannot listen for signals")?;
    let in_tmux = variable("TMUX").is_some_and(|value| !value.is_empty());
    let (editor, clock) = (editor_command(), alongside_desk::now_ms);
    let mut inputs = Inputs { signals, panicked, editor, clock, in_tmux };
    let mut tty = Tty::open(panic_hook).context("cannot use the terminal")?;
    let ending = run::run(&mut desk, &mut app, &mut tty, &mut inputs).await;
    let last_lines = match (&ending, app.requests_mut().keep_unsent_texts().await) {
        (Ok(Ending::Left), words) => leaving::words_on_leaving(&app, words),
        (Ok(Ending::Gone), words) => Some(leaving::parting_words(&app, words)),
        (_, words) => words,
    };
    let width = alongside_platform::terminal::columns().filter(|columns| *columns > 0);
    let in_rows = |words: &str| match width {
        Some(width) => text::fit::broken_at_spaces(words, usize::from(width)),
        None => words.to_owned(),
    };
    tty.close(last_lines.as_deref().map(in_rows).as_deref()).await;
    // After a hangup, the person has not chosen to leave, and may come back.
    let left = match ending {
        Ok(Ending::Left) => true,
        Ok(Ending::Signal(signal)) => signal != HANGUP,
        _ => false,
    };
    if left {
        let mut out = std::io::stdout();
        for end in leaving::leave(&mut desk, &app).await {
            // The terminal may be closed by now, and then nobody reads the line.
            let _ = writeln!(out, "{}", in_rows(&end));
        }
    }
    ending
}

/// Returns the background of the terminal: the given one, or the one that the terminal reports. A program may
/// call this before [`run()`], so that the terminal replies while a host does.
pub async fn theme(given: Option<Theme>) -> Theme {
    match given {
        Some(theme) => theme,
        None if Depth::promised(|name| std::env::var(name).ok()) == Depth::None => Theme::Dark,
        None => terminal_theme().await,
    }
}

/// Asks the terminal for its background. If the terminal does not answer, the background counts as dark.
async fn terminal_theme() -> Theme {
    let query = tokio::task::spawn_blocking(|| {
        let mut query = terminal_colorsaurus::QueryOptions::default();
        query.timeout = THEME_TIMEOUT;
        terminal_colorsaurus::theme_mode(query)
    });
    match query.await {
        Ok(Ok(terminal_colorsaurus::ThemeMode::Light)) => Theme::Light,
        _ => Theme::Dark,
    }
}
