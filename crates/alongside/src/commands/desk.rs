//! `alongside` without a command: opens the terminal desk.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use alongside_common::failure;
use alongside_common::globals::Globals;
use alongside_common::settings::{Notify, Settings, Shade};
use alongside_common::signals::{self, Signals};
use alongside_contract::agent::Agent;
use alongside_host::JoinRequest;
use alongside_platform::paths::Canonical as _;
use alongside_platform::process;
use alongside_terminal::{DraftStore, Ending, Layout, Notification, Options, Theme, TurnOptions};

use super::{agent_setup, comments, drafts, output, review};
use crate::draft_keeper::draft_keeper;

/// The terminal desk's own arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The projects [default: that of the current directory, up to the top of its repository]
    #[arg(value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Join the companion with this process ID or beginning of its name (see `alongside status`)
    #[arg(long, value_name = "HOST")]
    host: Option<String>,

    /// Colours for a light or a dark terminal [default: ask the terminal]
    #[arg(long, value_enum)]
    theme: Option<Shade>,

    /// Announce a review that arrives while another window has the focus [default: off]
    #[arg(long, value_enum, value_name = "HOW")]
    notify: Option<Notify>,

    /// Begin with the changes since this revision [default: since the last turn]
    #[arg(long, value_name = "REV", num_args = 0..=1)]
    since: Option<Option<String>>,

    /// Leave when this process ends
    #[arg(long, value_name = "PID", hide = true)]
    until: Option<u32>,

    /// The identifier of the agent that was started with this desk
    #[arg(long, value_name = "AGENT", hide = true)]
    beside: Option<String>,
}

impl Args {
    /// Returns the first argument, if it is a word of letters that names no file.
    pub(crate) fn missing_word(&self) -> Option<&str> {
        let dir = self.dirs.first()?;
        let word = dir.to_str().filter(|word| word.chars().all(|c| c.is_ascii_alphabetic() || c == '-'))?;
        matches!(dir.try_exists(), Ok(false)).then_some(word)
    }

    pub(crate) fn any_given(&self) -> bool {
        !self.dirs.is_empty()
            || self.host.is_some()
            || self.theme.is_some()
            || self.notify.is_some()
            || self.since.is_some()
    }
}

/// The time between two signals to a desk whose agent has ended.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// The exit code if the desk cannot draw.
const NO_TERMINAL: u8 = 2;

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    if !output::can_draw() {
        let error = failure::failure(
            "the desk needs a terminal that it can draw on",
            "use `alongside review` to review line by line (--json in scripts), or `alongside status` to see \
             what runs",
        );
        failure::print(&error);
        return Ok(ExitCode::from(NO_TERMINAL));
    }
    // An agent that has ended before the start of its desk needs no companion.
    if args.until.is_some_and(|pid| !process::is_alive(pid)) {
        return Ok(ExitCode::SUCCESS);
    }
    let roots = review::roots(&args.dirs)?;
    let settings = Settings::load(globals.config.as_deref(), &[])?;
    // From now on, a signal does not kill the desk, whose host would wait for it.
    let _listening = args.until.map(|_| Signals::listen()).transpose()?;
    let has_host = args.host.is_some();
    // The terminal and the host reply at the same time. An error waits for the reply of the terminal, whose
    // modes are other ones until then.
    let theme = alongside_terminal::theme(args.theme.or(settings.theme).map(theme));
    let request = JoinRequest::desk("a terminal desk", roots.clone(), args.host, globals);
    let (reached, theme) = tokio::join!(alongside_host::join(request), theme);
    let reached = reached?;
    if let Some(pid) = args.until {
        tokio::spawn(end_with(pid));
    }
    // With a named host, the desk shows that host's project.
    let is_elsewhere = has_host && args.dirs.is_empty();
    // A path that is not UTF-8 is left out: the companion's first root mostly is the same directory.
    let directory = roots.first().filter(|_| !is_elsewhere).and_then(|root| root.canonical().ok());
    let options = Options {
        roots: reached.welcome.alongside.roots,
        theme: Some(theme),
        layout: None::<Layout>,
        notify: notification(args.notify.unwrap_or(settings.notify)),
        drafts: DraftStore::among_drafts(draft_keeper()),
        agent_setup: Some(agent_setup::of_this_user()),
        turn: TurnOptions {
            directory: directory.and_then(|root| root.to_str().map(str::to_owned)),
            at_start: args.since.is_some(),
            since: args.since.flatten(),
        },
        agent_pane: Some(comments::panes()),
        undo_back: Some(drafts::undo_back()),
        started: args.beside.as_deref().and_then(hook_agent_name),
        rehearsal: false,
    };
    let ending = alongside_terminal::run(reached.desk, options).await?;
    Ok(match ending {
        Ending::Left => ExitCode::SUCCESS,
        Ending::Signal(signal) => signals::exit_code(signal),
        Ending::Gone => ExitCode::FAILURE,
    })
}

/// Returns the name of an agent that a companion knows only once its hook has run; `None` for another agent.
fn hook_agent_name(id: &str) -> Option<String> {
    let agent = Agent::named(id).filter(|agent| agent.family.is_none() && agent.turns.is_some())?;
    Some(agent.display_name.to_owned())
}

fn theme(shade: Shade) -> Theme {
    match shade {
        Shade::Light => Theme::Light,
        Shade::Dark => Theme::Dark,
    }
}

fn notification(notify: Notify) -> Option<Notification> {
    match notify {
        Notify::Off => None,
        Notify::Bell => Some(Notification::Bell),
        Notify::Osc9 => Some(Notification::Osc9),
        Notify::Osc777 => Some(Notification::Osc777),
    }
}

/// Ends this process when another one ends. The signal lets the desk restore the terminal and leave its host.
async fn end_with(pid: u32) {
    process::ended(pid).await;
    // The desk may not listen for signals yet.
    loop {
        process::send(std::process::id(), signals::TERMINATE);
        tokio::time::sleep(SIGNAL_INTERVAL).await;
    }
}
