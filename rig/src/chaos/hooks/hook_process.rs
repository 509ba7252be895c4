//! A run of our hook by an agent: the tool call on its input, its answer, and the agent's patience.

use std::process::Stdio;
use std::time::Duration;

use alongside_contract::hook::HookEvent;
use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::sync::watch;

use super::answers::{self, Answer};
use super::machine::HOOK_LIMIT;
use crate::chaos::processes::signal;
use crate::chaos::record::HookEnd;

/// How long a hook may live whose agent is gone.
const LAST_BREATH: Duration = Duration::from_secs(30);

/// The exit code of a shell that does not find a program.
const NOT_FOUND: i32 = 127;

/// The process of the hook that an agent waits for, so that the script can hit it. A clone is the same.
pub(super) type Running = watch::Sender<Option<Pid>>;

/// The way in which the script ends a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    /// Not at all.
    No,
    /// A person breaks the call off: the agent ends its hook.
    BreaksOff,
    /// The agent is killed: nobody holds the hook's pipes any more.
    Dies,
}

/// Runs the hook, and returns its end and its answer.
pub(super) async fn run(
    command: &mut Command,
    input: String,
    event: &HookEvent,
    running: &Running,
    leave: &mut watch::Receiver<Leave>,
) -> Result<(HookEnd, Answer)> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().context("cannot start a hook")?;
    running.send_replace(child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())));
    let mut stdin = child.stdin.take().context("piped")?;
    let (mut stdout, mut stderr) =
        (child.stdout.take().context("piped")?, child.stderr.take().context("piped")?);
    let (mut output, mut error) = (String::new(), String::new());
    let talk = async {
        // A hook that answers before it has read everything breaks the pipe.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        let read = tokio::join!(stdout.read_to_string(&mut output), stderr.read_to_string(&mut error));
        read.0.and(read.1)
    };
    let until = tokio::time::Instant::now() + Duration::from_secs(HOOK_LIMIT);
    tokio::select! {
        read = talk => {
            read?;
        }
        () = tokio::time::sleep_until(until) => {
            running.send_replace(None);
            child.kill().await?;
            return Ok((HookEnd::Late, Answer::Failure("the hook is late".into())));
        }
        how = left(leave) => {
            running.send_replace(None);
            drop((stdout, stderr));
            end(child, how);
            return Ok((HookEnd::Abandoned, Answer::Silence));
        }
    }
    running.send_replace(None);
    let status = child.wait().await?;
    let answer = answers::read(event, status, &output, &error);
    let end = match (&answer, status.code()) {
        (_, None) => HookEnd::Killed,
        (_, Some(NOT_FOUND)) => HookEnd::Missing,
        (Answer::Refusal(why), _) => HookEnd::Refused(why.clone()),
        (Answer::Yes(_), _) => HookEnd::Allowed,
        (Answer::Silence, _) => HookEnd::Silent,
        (Answer::Failure(why), _) => HookEnd::Failed(why.clone()),
    };
    Ok((end, answer))
}

/// Waits until the call is to end.
async fn left(leave: &mut watch::Receiver<Leave>) -> Leave {
    match leave.wait_for(|how| *how != Leave::No).await {
        Ok(how) => *how,
        // The round has dropped the agent.
        Err(_) => Leave::Dies,
    }
}

/// Ends a hook as its agent does. It has to end by itself; one that does not is found at the round's end.
fn end(mut child: Child, how: Leave) {
    if let Some(pid) = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())) {
        match how {
            Leave::BreaksOff => signal(pid, Signal::TERM),
            Leave::No | Leave::Dies => {}
        }
        // The script may have frozen it, and does not know that it is still there.
        signal(pid, Signal::CONT);
    }
    tokio::spawn(async move { tokio::time::timeout(LAST_BREATH, child.wait()).await });
}
