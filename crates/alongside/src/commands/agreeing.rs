//! Asking a person before something of theirs is changed.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use crate::signals::{self, Signals};

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Do it.
    Yes,
    /// Leave it.
    No,
    /// Ctrl-C, or another signal that asks to end.
    Interrupted(i32),
    /// There is nobody to ask.
    Nobody,
}

/// What everything that changes files of a person can be told.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Consent {
    /// Agree to what is shown, without being asked
    #[arg(long, short)]
    pub(super) yes: bool,

    /// Only show what would be changed
    #[arg(long, short = 'n', conflicts_with = "yes")]
    pub(super) dry_run: bool,

    /// Show every line, also those that are alongside's own
    #[arg(long, short)]
    pub(super) verbose: bool,
}

impl Consent {
    /// Whether to go on, or how to end instead.
    pub(super) async fn to(self, question: &str) -> Result<(), ExitCode> {
        self.to_or(question, "nothing is changed").await
    }

    /// The same; `otherwise` is what is told after anything but a yes.
    pub(super) async fn to_or(self, question: &str, otherwise: &str) -> Result<(), ExitCode> {
        if self.dry_run {
            only_shown();
            return Err(ExitCode::SUCCESS);
        }
        match if self.yes { Answer::Yes } else { ask(question).await } {
            Answer::Yes => Ok(()),
            Answer::No => {
                super::note(otherwise);
                Err(ExitCode::FAILURE)
            }
            Answer::Interrupted(signal) => {
                let _ = writeln!(std::io::stderr().lock());
                super::note(otherwise);
                Err(signals::exit_code(signal))
            }
            Answer::Nobody => {
                super::note(&format!(
                    "{otherwise}: there is no terminal to ask at; --yes agrees to what is shown"
                ));
                Err(ExitCode::from(2))
            }
        }
    }
}

/// Says that nothing was done.
pub(super) fn only_shown() {
    super::note("nothing is changed: this was --dry-run");
}

/// Asks a question that only a clear yes agrees to.
async fn ask(question: &str) -> Answer {
    if !std::io::stdin().is_terminal() {
        return Answer::Nobody;
    }
    // From before the question on: who sees it may press Ctrl-C at once.
    let mut signals = Signals::listen().ok();
    let interrupted = async {
        match &mut signals {
            Some(signals) => signals.next().await,
            // Where nobody can listen a signal ends the process by itself.
            None => std::future::pending().await,
        }
    };
    // What was typed before the question was there was not meant for it.
    alongside_platform::terminal::discard_typed();
    {
        let mut out = std::io::stderr().lock();
        let _ = write!(out, "{question} [y/N] ");
        let _ = out.flush();
    }
    let answer = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    tokio::select! {
        answer = answer => match answer {
            Ok(Ok(line)) if matches!(line.trim().to_lowercase().as_str(), "y" | "yes") => Answer::Yes,
            _ => Answer::No,
        },
        signal = interrupted => Answer::Interrupted(signal),
    }
}
