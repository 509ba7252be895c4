//! Asks a person at the terminal to do each action in the editor.

use std::sync::atomic::{AtomicUsize, Ordering};

use alongside_common::signals::Signals;
use alongside_conformance::{Action, Driver, Refusal, Reply};
use alongside_desk::{harmless, messages};
use alongside_platform::terminal::{columns_for_errors, discard_typed};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use crate::commands::output::print_to_stderr;
use crate::line_mode::LineReader;

/// A person who does the actions, and confirms each one.
pub(super) struct ManualDriver {
    lines: Mutex<LineReader>,
    /// The number of actions so far.
    asked: AtomicUsize,
    /// The approximate number of all actions.
    actions: usize,
}

/// Asks whether the person will do actions in the editor, for this number of checks.
pub(super) async fn offer(
    checks: usize,
    actions: usize,
    signals: &mut Signals,
) -> anyhow::Result<Option<ManualDriver>> {
    let driver =
        ManualDriver { lines: Mutex::new(LineReader::for_answers()), asked: AtomicUsize::new(0), actions };
    discard_typed();
    let checks = if checks == 1 { "1 check needs".into() } else { format!("{checks} checks need") };
    let actions =
        if actions == 1 { "1 small action".into() } else { format!("about {actions} small actions") };
    print_to_stderr(&wrapped(&format!(
        "{checks} somebody at the editor for {actions}, such as opening files, moving the cursor, \
         accepting and rejecting proposals. Otherwise they are not observable.\n\
         Will you? [y/N] ",
    )));
    let answer = tokio::select! {
        answer = driver.answer() => answer,
        _ = signals.next() => None,
    };
    let answer = answer.unwrap_or_default().trim().to_lowercase();
    if !matches!(answer.as_str(), "y" | "yes") {
        return Ok(None);
    }
    print_to_stderr(&wrapped(
        "\nDo each thing in the editor, then press Enter here. s skips it, c says that the editor \
         cannot do it.\n\n",
    ));
    Ok(Some(driver))
}

impl ManualDriver {
    /// Waits for the next line that the person types; returns `None` at the end of the input.
    async fn answer(&self) -> Option<String> {
        self.lines.lock().await.next_answer().await
    }

    /// Asks the person to do an action, until the answer is a known key.
    async fn ask(&self, action: &Action) -> Result<Reply, Refusal> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let is_question = matches!(action, Action::IsShown { .. });
        let sentence = messages::capital(&action.sentence());
        let keys = if is_question { "[y/n, s skip]" } else { "[Enter done, s skip, c cannot]" };
        loop {
            let end = if is_question { "" } else { "." };
            // Keys that were pressed before the question do not answer it.
            discard_typed();
            let question = wrapped(&format!("{number}. {}{end}", harmless::name(&sentence)));
            let total = self.actions.max(number);
            print_to_stderr(&format!(
                "{}{question}\n   {number} of about {total} {keys} ",
                super::ticker::ERASE
            ));
            let Some(answer) = self.answer().await else { return Err(Refusal::Skip) };
            match (answer.trim().to_lowercase().as_str(), is_question) {
                ("", false) | ("y" | "yes", true) => return Ok(Reply::Done),
                ("n" | "no", true) => return Ok(Reply::No),
                ("s" | "skip", _) => return Err(Refusal::Skip),
                ("c" | "cannot", _) => return Err(Refusal::Cannot("you said that it cannot".into())),
                _ => print_to_stderr("Please type one of the keys shown, then Enter.\n"),
            }
        }
    }
}

impl Driver for ManualDriver {
    fn act<'a>(&'a self, action: &'a Action) -> BoxFuture<'a, Result<Reply, Refusal>> {
        self.ask(action).boxed()
    }

    fn tidies_up(&self) -> bool {
        false
    }

    fn is_certain(&self) -> bool {
        false
    }
}

/// Wraps a text to the width of the terminal, and keeps whitespace at its end.
fn wrapped(text: &str) -> String {
    let columns = usize::from(columns_for_errors().unwrap_or(80)).clamp(40, 120);
    let end = &text[text.trim_end().len()..];
    // The person's answer follows on the last line.
    textwrap::fill(text.trim_end(), columns.saturating_sub(4)) + end
}
