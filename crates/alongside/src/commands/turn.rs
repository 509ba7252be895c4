//! `alongside turn`: the program that an agent runs at a person's prompt and at the end of a turn.
//!
//! The exit code is always 0, because at the end of a turn an agent takes every other exit code for the
//! request to work on. A fault is logged on one line. The only output is a person's message, at a prompt.

mod event;
mod wait;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use alongside_contract::agents::with_turns;
use alongside_contract::turns::{Moment, Turns};
use alongside_desk::{SnapshotKind, SnapshotTaken, now_ms};
use alongside_hook::prompt_answer;
use alongside_platform::paths::Canonical as _;
use alongside_platform::process;
use alongside_turns::{Claimed, Delivery, Error, MAX_BYTES, Reader, Recorded, TurnDirs, TurnEvent};

use self::event::{PATIENCE, log, notify_host, read};

/// The time after the agent's patience at which the process ends in any case.
const GRACE: Duration = Duration::from_millis(500);
/// The time in which a detached process seeds and trims a store.
const DETACHED_TIMEOUT: Duration = Duration::from_secs(600);
/// Note the beginning or the end of an agent's turn, for a review afterwards
///
/// An agent runs it as a hook: at your prompt, and when it has ended its work. It keeps a snapshot of the Git
/// working tree, so that `alongside review --since` and your desks show what has changed since. At your
/// prompt, it gives the agent the comments that you have sent. It prints nothing else, and never holds the
/// agent up for longer than two seconds.
///
/// It reads the event as JSON from standard input.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`alongside install agent` enters it into the agents' settings; docs/turns.md has the lines."
)]
pub(crate) struct Args {
    /// The agent that runs it
    #[arg(value_parser = with_turns().map(|agent| agent.id).collect::<Vec<_>>())]
    agent: String,

    /// Keep the store in this directory. For tests: no variable decides where it is
    #[arg(long, value_name = "DIR", hide = true)]
    state_dir: Option<PathBuf>,

    /// Wait beside the agent's idle session, and give it the comments that you send
    #[arg(long, hide = true)]
    wait: bool,

    /// Bring the store of this working tree up to date, detached, for the next prompt
    #[arg(long, value_name = "TOP", hide = true)]
    go_on: Option<PathBuf>,
}

/// Makes a panic end the process with exit code 0. Without it, a panic would end the process with a signal.
pub(crate) fn ignore_panics() {
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
}

pub(crate) async fn run(args: Args) -> ExitCode {
    let (begun, at) = (Instant::now(), now_ms());
    if let Some(top) = args.go_on.clone() {
        process::detach();
        let work = tokio::task::spawn_blocking(move || update_store(&args, &top, begun + DETACHED_TIMEOUT));
        // No agent waits for the result, and the next prompt tries again.
        let _ = work.await;
        return ExitCode::SUCCESS;
    }
    if args.wait {
        return wait::run(&args.agent, args.state_dir, at).await;
    }
    let work = tokio::task::spawn_blocking(move || handle_event(&args, begun + PATIENCE, at));
    match tokio::time::timeout(PATIENCE + GRACE, work).await {
        Ok(Ok(EventResult { taken, faults })) => {
            if let Some(SnapshotTaken { directory, kind }) = taken {
                notify_host(&directory, kind).await;
            }
            for fault in faults {
                log(&fault);
            }
        }
        Ok(Err(_)) | Err(_) => log("a turn was not noted: it takes too long"),
    }
    ExitCode::SUCCESS
}

/// The result of an event.
#[derive(Default)]
struct EventResult {
    /// The snapshot that the host of the working tree is notified of.
    taken: Option<SnapshotTaken>,
    /// The lines for the log.
    faults: Vec<String>,
}

/// Reads the event from standard input, and handles it. `at`: the time of the event, in milliseconds since
/// the Unix epoch.
fn handle_event(args: &Args, until: Instant, at: u64) -> EventResult {
    match read(&args.agent) {
        Ok(Some((turns, event, directory))) => record_event(args, turns, &event, directory, (until, at)),
        Ok(None) => EventResult::default(),
        Err(error) => EventResult { taken: None, faults: vec![format!("a turn was not noted: {error}")] },
    }
}

fn record_event(
    args: &Args,
    turns: &Turns,
    event: &TurnEvent,
    directory: PathBuf,
    (until, at): (Instant, u64),
) -> EventResult {
    let places = TurnDirs::of_hook(args.state_dir.clone());
    let mut result = EventResult::default();
    let mut kind = take_snapshot(args, &places, event, &directory, until).unwrap_or_else(|fault| {
        result.faults.push(format!("a turn was not noted: {fault}"));
        None
    });
    if event.moment == Moment::End {
        match alongside_turns::confirm(&places, &directory, &reader(event), at) {
            Ok(true) => kind = kind.or(Some(SnapshotKind::Message)),
            Ok(false) => {}
            Err(fault) => result.faults.push(format!("a message was not marked as read: {fault}")),
        }
    }
    // The delivery comes last, because an agent ignores the output of a hook that it has to kill.
    if event.moment == Moment::Prompt {
        match deliver(&places, turns, event, &directory) {
            Ok(true) => kind = kind.or(Some(SnapshotKind::Message)),
            Ok(false) => {}
            Err(fault) => result.faults.push(format!("a message was not delivered: {fault}")),
        }
    }
    result.taken = kind.map(|kind| SnapshotTaken { directory, kind });
    result
}

/// Takes a snapshot. Returns its kind, or `None` if nothing is new.
fn take_snapshot(
    args: &Args,
    places: &TurnDirs,
    event: &TurnEvent,
    directory: &Path,
    until: Instant,
) -> Result<Option<SnapshotKind>, Error> {
    let kind = match event.moment {
        Moment::Prompt | Moment::Continued => SnapshotKind::Prompt,
        Moment::End => SnapshotKind::End,
    };
    match alongside_turns::record(places, event, directory, until)? {
        Recorded::Kept => {
            if alongside_turns::is_due(places) {
                spawn_store_update(args, directory)?;
            }
            Ok(Some(kind))
        }
        Recorded::Nothing => Ok(None),
        Recorded::TooLate(top) => {
            spawn_store_update(args, &top)?;
            Err(Error::Late)
        }
    }
}

fn reader(event: &TurnEvent) -> Reader {
    let TurnEvent { agent, session, is_attended, .. } = event.clone();
    Reader { agent, session, is_attended }
}

/// Writes the message that waits for the agent to standard output. Returns whether there was one.
fn deliver(places: &TurnDirs, turns: &Turns, event: &TurnEvent, directory: &Path) -> Result<bool, Error> {
    let claimed = alongside_turns::claim(places, directory, &reader(event), Delivery::Prompt, turns.most)?;
    // A message that another process delivers waits for the next prompt.
    let Claimed::Message(claim) = claimed else { return Ok(false) };
    let line = prompt_answer(turns, &claim.message().text) + "\n";
    claim.begin()?;
    let mut out = std::io::stdout().lock();
    match out.write_all(line.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => claim.mark_given(session_process()).map(|()| true),
        Err(error) => {
            claim.give_back()?;
            Err(error.into())
        }
    }
}

/// Returns the process of the session that runs this hook. Returns `None` for a process that has just begun,
/// because it may be a helper that the agent has started only for the hook.
fn session_process() -> Option<u32> {
    let caller = process::caller()?;
    let age = process::started(caller)?.elapsed().ok()?;
    (age >= PATIENCE).then_some(caller)
}

/// Starts a detached process that updates the store of a working tree, for which no agent waits.
fn spawn_store_update(args: &Args, top: &Path) -> std::io::Result<()> {
    let mut command = Command::new(process::running_program()?);
    command.args(["turn", &args.agent]).arg("--go-on").arg(top);
    if let Some(state) = &args.state_dir {
        command.arg("--state-dir").arg(state);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    process::lead_group(&mut command);
    command.spawn().map(drop)
}

/// Seeds the store of a working tree, and trims the store if that is due.
fn update_store(args: &Args, top: &Path, until: Instant) {
    let places = TurnDirs::of_hook(args.state_dir.clone());
    let result =
        alongside_turns::seed(&places, top, until).and_then(|()| match alongside_turns::is_due(&places) {
            true => alongside_turns::trim(&places, &top.canonical()?, MAX_BYTES, until),
            false => Ok(()),
        });
    if let Err(fault) = result {
        log(&format!("the store of turns was not brought up to date: {fault}"));
    }
}
