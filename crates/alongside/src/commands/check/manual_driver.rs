//! A person at the editor, whom the terminal asks for one thing after the other.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use alongside_common::signals::Signals;
use alongside_conformance::{Action, Driver, Refusal, Reply};
use alongside_desk::harmless;
use alongside_platform::terminal::{columns_for_errors, discard_typed};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use crate::line_mode::LineReader;

/// Somebody who does what they are asked for, and says so.
pub(super) struct ManualDriver {
    lines: Mutex<LineReader>,
    asked: AtomicUsize,
    /// How many things are about to be asked for.
    things: usize,
}

/// Asks whether the person will do things in the editor at all, for so many checks.
pub(super) async fn offer(
    checks: usize,
    things: usize,
    signals: &mut Signals,
) -> anyhow::Result<Option<ManualDriver>> {
    let driver =
        ManualDriver { lines: Mutex::new(LineReader::for_answers()), asked: AtomicUsize::new(0), things };
    discard_typed();
    let checks = if checks == 1 { "1 check needs".into() } else { format!("{checks} checks need") };
    let actions = if things == 1 { "1 small action".into() } else { format!("about {things} small actions") };
    say(&folded(&format!(
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
    say(&folded(
        "\nDo each thing in the editor, then press Enter here. s skips it, c says that the editor \
         cannot do it.\n\n",
    ));
    Ok(Some(driver))
}

impl ManualDriver {
    /// The next line that the person types; none if there are no more.
    async fn answer(&self) -> Option<String> {
        self.lines.lock().await.next_answer().await
    }

    async fn does(&self, action: &Action) -> Result<Reply, Refusal> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let is_question = matches!(action, Action::IsShown { .. });
        let sentence = action.sentence();
        let mut letters = sentence.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        let sentence = format!("{first}{}", letters.as_str());
        let keys = if is_question { "[y/n, s skip]" } else { "[Enter done, s skip, c cannot]" };
        loop {
            let end = if is_question { "" } else { "." };
            // An answer to a question that was not shown yet is none.
            discard_typed();
            let question = folded(&format!("{number}. {}{end}", harmless::name(&sentence)));
            let of = self.things.max(number);
            say(&format!("{}{question}\n   {number} of about {of} {keys} ", super::ticker::ERASE));
            let Some(answer) = self.answer().await else { return Err(Refusal::Skip) };
            match (answer.trim().to_lowercase().as_str(), is_question) {
                ("", false) | ("y" | "yes", true) => return Ok(Reply::Done),
                ("n" | "no", true) => return Ok(Reply::No),
                ("s" | "skip", _) => return Err(Refusal::Skip),
                ("c" | "cannot", _) => return Err(Refusal::Cannot("you said that it cannot".into())),
                _ => say("Please type one of the keys shown, then Enter.\n"),
            }
        }
    }
}

impl Driver for ManualDriver {
    fn act<'a>(&'a self, action: &'a Action) -> BoxFuture<'a, Result<Reply, Refusal>> {
        self.does(action).boxed()
    }

    fn tidies_up(&self) -> bool {
        false
    }

    fn is_certain(&self) -> bool {
        false
    }
}

/// A text, folded to the width of the terminal; blanks at its end stay.
fn folded(text: &str) -> String {
    let columns = usize::from(columns_for_errors().unwrap_or(80)).clamp(40, 120);
    let end = &text[text.trim_end().len()..];
    // The person's answer follows on the last line.
    textwrap::fill(text.trim_end(), columns.saturating_sub(4)) + end
}

/// Questions go to standard error: the report may be piped away.
fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
