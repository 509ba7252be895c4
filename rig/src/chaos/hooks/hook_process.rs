//! A run of alongside's hook by an agent: the tool call on its input, its answer, and the agent's patience.

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

/// The time for which the rig waits for a hook whose call has ended.
const REAP_TIMEOUT: Duration = Duration::from_secs(30);

/// The exit code of a shell that cannot find a program.
const NOT_FOUND: i32 = 127;

/// The process of the hook that an agent waits for, which the script can kill or freeze. Clones share it.
pub(super) type RunningHookPid = watch::Sender<Option<Pid>>;

/// The way in which the script ends a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallEnd {
    /// The script has not ended the call.
    Pending,
    /// A person cancels the call, and the agent terminates its hook.
    Cancelled,
    /// The agent is killed, and the other ends of the hook's pipes close.
    AgentKilled,
}

/// Runs the hook, and returns its end and its answer.
pub(super) async fn run(
    command: &mut Command,
    input: String,
    event: &HookEvent,
    running: &RunningHookPid,
    call_end: &mut watch::Receiver<CallEnd>,
) -> Result<(HookEnd, Answer)> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().context("cannot start a hook")?;
    running.send_replace(child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())));
    let mut stdin = child.stdin.take().context("the standard stream is not piped")?;
    let (mut stdout, mut stderr) = (
        child.stdout.take().context("the standard stream is not piped")?,
        child.stderr.take().context("the standard stream is not piped")?,
    );
    let (mut output, mut error) = (String::new(), String::new());
    let exchange = async {
        // Fails if the hook answers before it has read the whole input.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        let read = tokio::join!(stdout.read_to_string(&mut output), stderr.read_to_string(&mut error));
        read.0.and(read.1)
    };
    let until = tokio::time::Instant::now() + Duration::from_secs(HOOK_LIMIT);
    tokio::select! {
        read = exchange => {
            read?;
        }
        () = tokio::time::sleep_until(until) => {
            running.send_replace(None);
            child.kill().await?;
            return Ok((HookEnd::Late, Answer::Failure("the hook is late".into())));
        }
        how = script_end(call_end) => {
            running.send_replace(None);
            drop((stdout, stderr));
            end_hook(child, how);
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

/// Waits until the script ends the call.
async fn script_end(call_end: &mut watch::Receiver<CallEnd>) -> CallEnd {
    match call_end.wait_for(|how| *how != CallEnd::Pending).await {
        Ok(how) => *how,
        // The round has dropped the agent.
        Err(_) => CallEnd::AgentKilled,
    }
}

/// Ends a hook as its agent does. The hook has to end by itself then; a hook that does not is found at the
/// end of the round.
fn end_hook(mut child: Child, how: CallEnd) {
    if let Some(pid) = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())) {
        match how {
            CallEnd::Cancelled => signal(pid, Signal::TERM),
            CallEnd::Pending | CallEnd::AgentKilled => {}
        }
        // The script may have frozen the hook, and thaws only hooks that an agent waits for.
        signal(pid, Signal::CONT);
    }
    tokio::spawn(async move { tokio::time::timeout(REAP_TIMEOUT, child.wait()).await });
}
