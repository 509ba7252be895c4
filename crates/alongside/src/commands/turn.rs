//! `alongside turn`: what an agent runs at a person's prompt and at the end of a turn.
//!
//! It succeeds, whatever happens: at the end of a turn, an agent takes every other exit code for the wish
//! that it goes on. A fault is one line of the log. It says nothing but a person's message, at a prompt.

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

use self::event::{PATIENCE, log, read, tell};

/// How much later the process ends in any case.
const GRACE: Duration = Duration::from_millis(500);
/// How long a store is seeded and then trimmed while no prompt waits for that.
const DETACHED: Duration = Duration::from_secs(600);
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

/// Makes a panic the end of the process as any other: by itself it would end with a signal.
pub(crate) fn ignore_panics() {
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
}

pub(crate) async fn run(args: Args) -> ExitCode {
    let (begun, at) = (Instant::now(), now_ms());
    if let Some(top) = args.go_on.clone() {
        process::detach();
        let work = tokio::task::spawn_blocking(move || go_on(&args, &top, begun + DETACHED));
        // Nobody waits for it, and the next prompt tries again.
        let _ = work.await;
        return ExitCode::SUCCESS;
    }
    if args.wait {
        return wait::run(&args.agent, args.state_dir, at).await;
    }
    let work = tokio::task::spawn_blocking(move || note(&args, begun + PATIENCE, at));
    match tokio::time::timeout(PATIENCE + GRACE, work).await {
        Ok(Ok(Noted { news, faults })) => {
            if let Some(SnapshotTaken { directory, kind }) = news {
                tell(&directory, kind).await;
            }
            for fault in faults {
                log(&fault);
            }
        }
        Ok(Err(_)) | Err(_) => log("a turn was not noted: it takes too long"),
    }
    ExitCode::SUCCESS
}

/// The outcome of an event.
#[derive(Default)]
struct Noted {
    /// For the host of the working tree.
    news: Option<SnapshotTaken>,
    /// For the log.
    faults: Vec<String>,
}

/// `at`: when the event came, in milliseconds since the Unix epoch.
fn note(args: &Args, until: Instant, at: u64) -> Noted {
    match read(&args.agent) {
        Ok(Some((turns, event, directory))) => on_event(args, turns, &event, directory, (until, at)),
        Ok(None) => Noted::default(),
        Err(error) => Noted { news: None, faults: vec![format!("a turn was not noted: {error}")] },
    }
}

fn on_event(
    args: &Args,
    turns: &Turns,
    event: &TurnEvent,
    directory: PathBuf,
    (until, at): (Instant, u64),
) -> Noted {
    let places = TurnDirs::of_hook(args.state_dir.clone());
    let mut noted = Noted::default();
    let mut kind = keep(args, &places, event, &directory, until).unwrap_or_else(|fault| {
        noted.faults.push(format!("a turn was not noted: {fault}"));
        None
    });
    if event.moment == Moment::End {
        match alongside_turns::confirm(&places, &directory, &reader(event), at) {
            Ok(true) => kind = kind.or(Some(SnapshotKind::Message)),
            Ok(false) => {}
            Err(fault) => noted.faults.push(format!("a message was not marked as read: {fault}")),
        }
    }
    // Last, since an agent ignores a hook that it kills before its end.
    if event.moment == Moment::Prompt {
        match deliver(&places, turns, event, &directory) {
            Ok(true) => kind = kind.or(Some(SnapshotKind::Message)),
            Ok(false) => {}
            Err(fault) => noted.faults.push(format!("a message was not delivered: {fault}")),
        }
    }
    noted.news = kind.map(|kind| SnapshotTaken { directory, kind });
    noted
}

/// Keeps a snapshot. Returns its moment, unless there is nothing new.
fn keep(
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
                detached(args, directory)?;
            }
            Ok(Some(kind))
        }
        Recorded::Nothing => Ok(None),
        Recorded::TooLate(top) => {
            detached(args, &top)?;
            Err(Error::Late)
        }
    }
}

fn reader(event: &TurnEvent) -> Reader {
    let TurnEvent { agent, session, is_attended, .. } = event.clone();
    Reader { agent, session, is_attended }
}

/// Gives the agent the message that waits for it. Returns whether there was one.
fn deliver(places: &TurnDirs, turns: &Turns, event: &TurnEvent, directory: &Path) -> Result<bool, Error> {
    let claimed = alongside_turns::claim(places, directory, &reader(event), Delivery::Prompt, turns.most)?;
    // It waits for the next prompt if somebody is busy with it.
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

/// The process of the session that runs this hook. One that has only just begun may be a helper that the
/// agent has started for the hook, and that ends with it.
fn session_process() -> Option<u32> {
    let caller = process::caller()?;
    let age = process::started(caller)?.elapsed().ok()?;
    (age >= PATIENCE).then_some(caller)
}

/// Goes on without an agent that waits.
fn detached(args: &Args, top: &Path) -> std::io::Result<()> {
    let mut command = Command::new(process::running_program()?);
    command.args(["turn", &args.agent]).arg("--go-on").arg(top);
    if let Some(state) = &args.state_dir {
        command.arg("--state-dir").arg(state);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    process::lead_group(&mut command);
    command.spawn().map(drop)
}

fn go_on(args: &Args, top: &Path, until: Instant) {
    let places = TurnDirs::of_hook(args.state_dir.clone());
    let done =
        alongside_turns::seed(&places, top, until).and_then(|()| match alongside_turns::is_due(&places) {
            true => alongside_turns::trim(&places, &top.canonical()?, MAX_BYTES, until),
            false => Ok(()),
        });
    if let Err(fault) = done {
        log(&format!("the store of turns was not brought up to date: {fault}"));
    }
}
