//! Consent: asks a person before alongside changes files of theirs.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use alongside_adapters::plan::Plan;
use alongside_adapters::preview::{OurLines, preview};
use alongside_adapters::user_environment::UserEnvironment;
use alongside_common::signals::{self, Signals};

use super::{note, print};
use crate::line_mode::LineReader;

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

/// Why a person has not agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum No {
    /// The changes were only to be shown.
    DryRun,
    /// They declined.
    Declined,
    /// This signal, such as that of Ctrl-C, asks the program to end.
    Interrupted(i32),
    /// Standard input is no terminal.
    NobodyToAsk,
}

impl No {
    /// The exit code of a command that ends with it.
    pub(super) fn exit_code(self) -> ExitCode {
        match self {
            Self::DryRun => ExitCode::SUCCESS,
            Self::Declined => ExitCode::FAILURE,
            Self::Interrupted(signal) => signals::exit_code(signal),
            Self::NobodyToAsk => ExitCode::from(NOBODY_TO_ASK),
        }
    }
}

impl Consent {
    /// Shows the changes that the question is about.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(super) fn show(self, plan: &Plan, user: &UserEnvironment, target: &str) -> anyhow::Result<()> {
        let changes = preview(&plan.changes, user, OurLines::Added, self.verbose);
        let extension = if plan.extension.is_some() { "  new      the extension alongside\n" } else { "" };
        print(&format!("{target}:\n{changes}{extension}"))?;
        for text in &plan.notes {
            note(text);
        }
        if let Some(summary) = &plan.summary {
            print(&format!("{summary}\n"))?;
        }
        Ok(())
    }

    /// Asks the question, unless the options answer it. After any other answer than yes, `otherwise` tells
    /// the person what stays.
    ///
    /// # Errors
    /// Any other answer than yes.
    pub(super) async fn obtain(self, question: &str, otherwise: &str) -> Result<(), No> {
        if self.dry_run {
            note_dry_run();
            return Err(No::DryRun);
        }
        if self.yes {
            return Ok(());
        }
        let no = match ask(&format!("{question} [y/N] "), "Type y or n: ", yes_or_no).await {
            Ok(true) => return Ok(()),
            Ok(false) => No::Declined,
            Err(no) => no,
        };
        match no {
            No::NobodyToAsk => note_nobody_to_ask(otherwise),
            No::DryRun | No::Declined | No::Interrupted(_) => note(otherwise),
        }
        Err(no)
    }
}

/// Only `y` and `yes` agree.
fn yes_or_no(answer: &str) -> Option<bool> {
    match answer {
        "y" | "yes" => Some(true),
        "" | "n" | "no" => Some(false),
        // A command that was meant for the shell is no answer.
        _ => None,
    }
}

/// Has the person choose one of several options by its number, or by Enter alone `default`. Returns its
/// index. Further lines of an option stand below it.
///
/// # Errors
/// When they choose none.
pub(super) async fn choose(question: &str, options: &[&str], default: Option<usize>) -> Result<usize, No> {
    let count = options.len();
    let options = options.iter().enumerate().map(|(index, option)| {
        let option = option.replace('\n', "\n     ");
        format!("  {}  {option}\n", index + 1)
    });
    let options: Vec<_> = options.collect();
    let enter = default.map_or_else(|| "none".to_owned(), |index| (index + 1).to_string());
    let question = format!("{question}\n{}Number (Enter for {enter}): ", options.concat());
    let again = format!("Type a number from 1 to {count}, or only Enter: ");
    let number = |answer: &str| match answer {
        "" => Some(default),
        _ => {
            let number = answer.parse::<usize>().ok().filter(|number| (1..=count).contains(number));
            number.map(|number| Some(number - 1))
        }
    };
    ask(&question, &again, number).await?.ok_or(No::Declined)
}

/// Says that `--dry-run` changed nothing.
pub(super) fn note_dry_run() {
    note("nothing is changed: this was --dry-run");
}

/// Says that there is no terminal to ask at, and that therefore this is so.
pub(super) fn note_nobody_to_ask(otherwise: &str) {
    note(&format!("{otherwise}: there is no terminal to ask at; use --yes to agree"));
}

fn prompt(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "{text}");
    let _ = out.flush();
}

/// Asks a question, and again until `read` understands the answer, in lower case. The end of input is an
/// empty answer.
async fn ask<T>(question: &str, again: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, No> {
    if !std::io::stdin().is_terminal() {
        return Err(No::NobodyToAsk);
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
    tokio::pin!(interrupted);
    // Keys that were pressed before the question are no answer to it.
    alongside_platform::terminal::discard_typed();
    prompt(question);
    let mut lines = LineReader::for_answers();
    loop {
        let line = tokio::select! {
            line = lines.next_answer() => line,
            signal = &mut interrupted => {
                // The shell's prompt begins in a line of its own.
                let _ = writeln!(std::io::stderr().lock());
                return Err(No::Interrupted(signal));
            }
        };
        match read(&line.as_deref().unwrap_or_default().trim().to_lowercase()) {
            Some(answer) => return Ok(answer),
            None if line.is_some() => prompt(again),
            None => return Err(No::Declined),
        }
    }
}
