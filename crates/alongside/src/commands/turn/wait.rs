//! `alongside turn AGENT --wait`: waits beside an idle session, and wakes the session with a person's
//! message.
//!
//! The agent starts the waiter at the end of a turn, and works on meanwhile. The waiter ends with the agent,
//! with the session's next prompt, with the store, and after some hours. Then a message comes with the next
//! prompt, as without a waiter.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use alongside_contract::turns::{Moment, Turns, Wake};
use alongside_desk::SnapshotKind;
use alongside_platform::process;
use alongside_turns::{Claimed, Delivery, Error, Reader, TurnDirs, Waiter};

use super::event::{PATIENCE, log, notify_host, read, snapshot_reporter};

/// The time between two checks of the store.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The time by which the wait ends before the agent's limit.
const MARGIN: Duration = Duration::from_secs(60);

/// Runs the waiter. `at`: the end of the turn, in milliseconds since the Unix epoch.
pub(super) async fn run(agent: &str, state: Option<PathBuf>, at: u64) -> ExitCode {
    let agent = agent.to_owned();
    let event = tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(move || read(&agent))).await;
    let Ok(Ok(Ok(Some((turns, event, directory))))) = event else { return ExitCode::SUCCESS };
    let Some(wake) = turns.wake.as_ref().filter(|wake| event.moment == Moment::End && is_attended(wake))
    else {
        return ExitCode::SUCCESS;
    };
    let Some(agent) = process::caller() else { return ExitCode::SUCCESS };
    let places = TurnDirs::of_hook(state);
    let reader = Reader { agent: event.agent, session: event.session, is_attended: true };
    let waiting = WaitingHook { places, turns, directory, reader, at };
    let over = async {
        tokio::select! {
            () = process::ended(agent) => {}
            () = tokio::time::sleep(wake.patience.saturating_sub(MARGIN)) => {}
        }
    };
    match waiting.wait(over).await {
        Ok(true) => ExitCode::from(wake.code),
        Ok(false) => ExitCode::SUCCESS,
        Err(fault) => {
            log(&format!("nothing waits for messages to {}: {fault}", waiting.reader.agent));
            ExitCode::SUCCESS
        }
    }
}

/// Whether a person is at the session. A session without a person would wait for its hooks before it ends.
fn is_attended(wake: &Wake) -> bool {
    let (variable, value) = wake.attended;
    std::env::var_os(variable).is_some_and(|found| found == value)
}

/// A hook that waits for messages to a session.
struct WaitingHook {
    places: TurnDirs,
    turns: &'static Turns,
    directory: PathBuf,
    reader: Reader,
    /// The end of the turn, in milliseconds since the Unix epoch.
    at: u64,
}

impl WaitingHook {
    /// Waits for a message until `over` or the end of the waiter, and delivers it. Returns whether there was
    /// a message: then the process must end at once with the code that wakes the session.
    async fn wait(&self, over: impl Future<Output = ()>) -> Result<bool, Error> {
        // A message that the agent has read before the end of the turn must not wake the session.
        alongside_turns::confirm(&self.places, &self.directory, &self.reader, self.at)?;
        let Some(mut waiter) = Waiter::begin(&self.places, &self.directory, &self.reader)? else {
            return Ok(false);
        };
        // From now on, desks show that a message is read at once.
        notify_host(&self.directory, SnapshotKind::Message).await;
        tokio::pin!(over);
        let mut is_busy = false;
        loop {
            // The delivery is outside of this select, so that it is never aborted.
            tokio::select! {
                has_news = wait_for_news(&mut waiter, is_busy) => if !has_news? { return Ok(false) },
                () = &mut over => return Ok(false),
            }
            let (places, directory) = (self.places.clone(), self.directory.clone());
            let (reader, most) = (self.reader.clone(), self.turns.most);
            let delivery = move || write_message(&places, &directory, &reader, most);
            let claimed = tokio::task::spawn_blocking(delivery).await;
            match claimed.map_err(std::io::Error::other)?? {
                Claimed::Message(claim) => {
                    let reporter = snapshot_reporter(&self.directory).await;
                    claim.mark_delivered()?;
                    if let Some(reporter) = reporter {
                        reporter.report(SnapshotKind::Message).await;
                    }
                    return Ok(true);
                }
                Claimed::Nothing => is_busy = false,
                Claimed::Busy => is_busy = true,
            }
        }
    }
}

/// Waits for a write to the store, or for the next attempt if another process was busy. Returns `false` once
/// the waiter is over.
async fn wait_for_news(waiter: &mut Waiter, is_busy: bool) -> Result<bool, Error> {
    let mut is_retry = is_busy;
    loop {
        if waiter.take_news() {
            return Ok(!waiter.is_over()?);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
        if std::mem::take(&mut is_retry) {
            return Ok(!waiter.is_over()?);
        }
    }
}

/// Writes the waiting message to standard error, if there is one and no other process delivers it.
fn write_message(
    places: &TurnDirs,
    directory: &Path,
    reader: &Reader,
    most: usize,
) -> Result<Claimed, Error> {
    let claimed = alongside_turns::claim(places, directory, reader, Delivery::Wake, most)?;
    if let Claimed::Message(claim) = &claimed {
        claim.begin()?;
        let mut out = std::io::stderr().lock();
        // The agent reads standard error only with the exit code. After a failure, the agent may have a part
        // of it.
        out.write_all(claim.message().text.as_bytes()).and_then(|()| out.flush())?;
    }
    Ok(claimed)
}
