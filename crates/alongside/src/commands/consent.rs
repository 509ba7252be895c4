//! Asks a person for consent before alongside changes the person's files.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use alongside_adapters::plan::Plan;
use alongside_adapters::preview::{OurLines, preview};
use alongside_adapters::user_environment::UserEnvironment;
use alongside_common::signals::{self, Signals};

use super::output::print_to_stderr;
use super::{note, print};
use crate::line_mode::LineReader;

/// The exit code if nobody can be asked.
const NOBODY_TO_ASK: u8 = 2;

/// The options of every command that changes a person's files.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(super) struct ConsentOptions {
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

/// The reason why a person has not agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoConsent {
    /// `--dry-run` only shows the changes.
    DryRun,
    /// The person declined.
    Declined,
    /// A signal with this number, such as SIGINT after Ctrl-C, asks the program to end.
    Interrupted(i32),
    /// Standard input is no terminal.
    NobodyToAsk,
}

impl NoConsent {
    /// Returns the exit code of a command that ends for this reason.
    pub(super) fn exit_code(self) -> ExitCode {
        match self {
            Self::DryRun => ExitCode::SUCCESS,
            Self::Declined => ExitCode::FAILURE,
            Self::Interrupted(signal) => signals::exit_code(signal),
            Self::NobodyToAsk => ExitCode::from(NOBODY_TO_ASK),
        }
    }
}

impl ConsentOptions {
    /// Prints the changes that the question is about.
    ///
    /// # Errors
    /// If standard output cannot be written.
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

    /// Asks the question, unless the options answer it. After any other answer than yes, prints
    /// `declined_message`.
    ///
    /// # Errors
    /// If the answer is not yes.
    pub(super) async fn obtain(self, question: &str, declined_message: &str) -> Result<(), NoConsent> {
        if self.dry_run {
            note_dry_run();
            return Err(NoConsent::DryRun);
        }
        if self.yes {
            return Ok(());
        }
        let no = match ask(&format!("{question} [y/N] "), "Type y or n: ", parse_yes_or_no).await {
            Ok(true) => return Ok(()),
            Ok(false) => NoConsent::Declined,
            Err(no) => no,
        };
        match no {
            NoConsent::NobodyToAsk => note_nobody_to_ask(declined_message),
            NoConsent::DryRun | NoConsent::Declined | NoConsent::Interrupted(_) => note(declined_message),
        }
        Err(no)
    }
}

/// Parses the answer to a question. Only `y` and `yes` agree.
fn parse_yes_or_no(answer: &str) -> Option<bool> {
    match answer {
        "y" | "yes" => Some(true),
        "" | "n" | "no" => Some(false),
        // Another text may be a command for the shell, so the question is asked again.
        _ => None,
    }
}

/// Asks the person to choose an option by its number. Enter alone chooses `default`, or no option if there is
/// no default. Returns the index of the option. An option may have several lines.
///
/// # Errors
/// If the person chooses none.
pub(super) async fn choose(
    question: &str,
    options: &[&str],
    default: Option<usize>,
) -> Result<usize, NoConsent> {
    let count = options.len();
    let options = options.iter().enumerate().map(|(index, option)| {
        let option = option.replace('\n', "\n     ");
        format!("  {}  {option}\n", index + 1)
    });
    let options: Vec<_> = options.collect();
    let enter = default.map_or_else(|| "none".to_owned(), |index| (index + 1).to_string());
    let question = format!("{question}\n{}Number (Enter for {enter}): ", options.concat());
    let retry_prompt = format!("Type a number from 1 to {count}, or only Enter: ");
    let parse_index = |answer: &str| match answer {
        "" => Some(default),
        _ => {
            let number = answer.parse::<usize>().ok().filter(|number| (1..=count).contains(number));
            number.map(|number| Some(number - 1))
        }
    };
    ask(&question, &retry_prompt, parse_index).await?.ok_or(NoConsent::Declined)
}

/// Prints that `--dry-run` changed nothing.
pub(super) fn note_dry_run() {
    note("nothing is changed: this was --dry-run");
}

/// Prints `consequence`, and its reason: standard input is no terminal.
pub(super) fn note_nobody_to_ask(consequence: &str) {
    note(&format!("{consequence}: standard input is no terminal; use --yes to agree"));
}

/// Asks a question until `parse` accepts the answer, in lower case. The end of the input counts as an empty
/// answer.
async fn ask<T>(
    question: &str,
    retry_prompt: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, NoConsent> {
    if !std::io::stdin().is_terminal() {
        return Err(NoConsent::NobodyToAsk);
    }
    // The listener is set before the question, because the person may press Ctrl-C as soon as it appears.
    let mut signals = Signals::listen().ok();
    let interrupted = async {
        match &mut signals {
            Some(signals) => signals.next().await,
            // Without a listener, a signal ends the process.
            None => std::future::pending().await,
        }
    };
    tokio::pin!(interrupted);
    // Keys that were pressed before the question do not answer it.
    alongside_platform::terminal::discard_typed();
    print_to_stderr(question);
    let mut lines = LineReader::for_answers();
    loop {
        let line = tokio::select! {
            line = lines.next_answer() => line,
            signal = &mut interrupted => {
                // So that the shell's prompt begins on a new line.
                print_to_stderr("\n");
                return Err(NoConsent::Interrupted(signal));
            }
        };
        match parse(&line.as_deref().unwrap_or_default().trim().to_lowercase()) {
            Some(answer) => return Ok(answer),
            None if line.is_some() => print_to_stderr(retry_prompt),
            None => return Err(NoConsent::Declined),
        }
    }
}
