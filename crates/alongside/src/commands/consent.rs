//! Consent: asks a person before alongside changes files of theirs.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use super::{note, print};
use crate::adapters::plan::Plan;
use crate::adapters::preview::{OurLines, preview};
use crate::adapters::user_environment::UserEnvironment;
use crate::signals::{self, Signals};

/// The exit code where there is nobody to ask.
const NOBODY_TO_ASK: u8 = 2;

/// The options of every command that changes a person's files.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(super) struct Consent {
    /// Make the changes without asking
    #[arg(long, short)]
    pub(super) yes: bool,

    /// Show the changes, but do not make them
    #[arg(long, short = 'n', conflicts_with = "yes")]
    pub(super) dry_run: bool,

    /// Show every line, also the long runs that are alongside's own
    #[arg(long, short)]
    pub(super) verbose: bool,
}

/// The reply to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    Yes,
    No,
    /// This signal, such as that of Ctrl-C, asks the program to end.
    Interrupted(i32),
    /// Standard input is no terminal.
    NobodyToAsk,
}

impl Consent {
    /// Shows the changes that the question is about.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(super) fn show(self, plan: &Plan, user: &UserEnvironment, target: &str) -> anyhow::Result<()> {
        let changes = preview(&plan.changes, user, OurLines::Added, self.verbose);
        print(&format!("{target}:\n{changes}"))?;
        plan.notes.iter().for_each(|text| note(text));
        if let Some(summary) = &plan.summary {
            print(&format!("{summary}\n"))?;
        }
        Ok(())
    }

    /// Asks the question, unless the options answer it.
    ///
    /// # Errors
    /// The exit code to end with, if the answer is not yes.
    pub(super) async fn obtain(self, question: &str) -> Result<(), ExitCode> {
        self.obtain_or_note(question, "nothing is changed").await
    }

    /// The same; after any other answer than yes, `otherwise` tells the person what stays.
    ///
    /// # Errors
    /// The exit code to end with, if the answer is not yes.
    pub(super) async fn obtain_or_note(self, question: &str, otherwise: &str) -> Result<(), ExitCode> {
        if self.dry_run {
            note_dry_run();
            return Err(ExitCode::SUCCESS);
        }
        match if self.yes { Reply::Yes } else { ask(question).await } {
            Reply::Yes => Ok(()),
            Reply::No => {
                note(otherwise);
                Err(ExitCode::FAILURE)
            }
            Reply::Interrupted(signal) => {
                let _ = writeln!(std::io::stderr().lock());
                note(otherwise);
                Err(signals::exit_code(signal))
            }
            Reply::NobodyToAsk => {
                note(&format!("{otherwise}: there is no terminal to ask at; use --yes to agree"));
                Err(ExitCode::from(NOBODY_TO_ASK))
            }
        }
    }
}

/// Says that `--dry-run` changed nothing.
pub(super) fn note_dry_run() {
    note("nothing is changed: this was --dry-run");
}

fn prompt(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "{text}");
    let _ = out.flush();
}

/// Asks a question. Only `y` and `yes` agree.
async fn ask(question: &str) -> Reply {
    if !std::io::stdin().is_terminal() {
        return Reply::NobodyToAsk;
    }
    // Before the question: the person may press Ctrl-C as soon as it appears.
    let mut signals = Signals::listen().ok();
    let interrupted = async {
        match &mut signals {
            Some(signals) => signals.next().await,
            // Without a listener a signal ends the process by itself.
            None => std::future::pending().await,
        }
    };
    // Keys that were pressed before the question are no answer to it.
    alongside_platform::terminal::discard_typed();
    prompt(&format!("{question} [y/N] "));
    let answer = tokio::task::spawn_blocking(|| {
        loop {
            let mut line = String::new();
            let read = std::io::stdin().read_line(&mut line);
            match line.trim().to_lowercase().as_str() {
                "y" | "yes" => return Reply::Yes,
                "" | "n" | "no" => return Reply::No,
                // A command that was meant for the shell is no answer.
                _ if read.is_ok() => prompt("Type y or n: "),
                _ => return Reply::No,
            }
        }
    });
    tokio::select! {
        answer = answer => answer.unwrap_or(Reply::No),
        signal = interrupted => Reply::Interrupted(signal),
    }
}
