//! `alongside turn AGENT --wait`: waits beside an idle session, and wakes it with a person's message.
//!
//! The agent starts it at the end of a turn and does not wait for it. It ends with the agent, with the
//! session's next prompt, with the store, and after some hours: then a message comes with the next prompt, as
//! it would without this hook.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use alongside_contract::turns::{Moment, Turns, Wake};
use alongside_desk::SnapshotKind;
use alongside_platform::process;
use alongside_turns::{Claimed, Delivery, Error, Reader, TurnDirs, Waiter};

use super::event::{PATIENCE, listener, log, read, tell};

/// How often the store is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// How much earlier than the agent's limit the wait ends.
const MARGIN: Duration = Duration::from_secs(60);

/// `at`: when the turn ended, in milliseconds since the Unix epoch.
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
    let wait = Wait { places, turns, directory, reader, at };
    let over = async {
        tokio::select! {
            () = process::ended(agent) => {}
            () = tokio::time::sleep(wake.patience.saturating_sub(MARGIN)) => {}
        }
    };
    match wait.until(over).await {
        Ok(true) => ExitCode::from(wake.code),
        Ok(false) => ExitCode::SUCCESS,
        Err(fault) => {
            log(&format!("nothing waits for messages to {}: {fault}", wait.reader.agent));
            ExitCode::SUCCESS
        }
    }
}

/// Whether a person is at the session. One without a person ends only after its hooks.
fn is_attended(wake: &Wake) -> bool {
    let (variable, value) = wake.attended;
    std::env::var_os(variable).is_some_and(|found| found == value)
}

/// A wait for the messages to a session.
struct Wait {
    places: TurnDirs,
    turns: &'static Turns,
    directory: PathBuf,
    reader: Reader,
    /// When the turn ended, in milliseconds since the Unix epoch.
    at: u64,
}

impl Wait {
    /// Waits for a message until there is nothing to wait for, and delivers it. Returns whether there was
    /// one: then the process ends with the code that wakes the session, and nothing comes in between.
    async fn until(&self, over: impl Future<Output = ()>) -> Result<bool, Error> {
        // A message that the turn has read before its end must not wake the session.
        alongside_turns::confirm(&self.places, &self.directory, &self.reader, self.at)?;
        let Some(mut waiter) = Waiter::begin(&self.places, &self.directory, &self.reader)? else {
            return Ok(false);
        };
        // Desks say from now on that it is read at once.
        tell(&self.directory, SnapshotKind::Message).await;
        tokio::pin!(over);
        let mut is_busy = false;
        loop {
            // The delivery is no branch of this: one that has begun is not given up.
            tokio::select! {
                has_news = news(&mut waiter, is_busy) => if !has_news? { return Ok(false) },
                () = &mut over => return Ok(false),
            }
            let (places, directory) = (self.places.clone(), self.directory.clone());
            let (reader, most) = (self.reader.clone(), self.turns.most);
            let said = move || say(&places, &directory, &reader, most);
            let said = tokio::task::spawn_blocking(said).await;
            match said.map_err(std::io::Error::other)?? {
                Claimed::Message(claim) => {
                    let listener = listener(&self.directory).await;
                    claim.mark_delivered()?;
                    if let Some(listener) = listener {
                        listener.tell(SnapshotKind::Message).await;
                    }
                    return Ok(true);
                }
                Claimed::Nothing => is_busy = false,
                Claimed::Busy => is_busy = true,
            }
        }
    }
}

/// Waits until something is written, or for the next attempt where somebody was busy. Returns `false` once
/// there is nothing left to wait for.
async fn news(waiter: &mut Waiter, is_busy: bool) -> Result<bool, Error> {
    let mut tries = is_busy;
    loop {
        if waiter.take_news() {
            return Ok(!waiter.is_over()?);
        }
        tokio::time::sleep(INTERVAL).await;
        if std::mem::take(&mut tries) {
            return Ok(!waiter.is_over()?);
        }
    }
}

/// Says the message that waits, if there is one and nobody else delivers it.
fn say(places: &TurnDirs, directory: &Path, reader: &Reader, most: usize) -> Result<Claimed, Error> {
    let claimed = alongside_turns::claim(places, directory, reader, Delivery::Wake, most)?;
    if let Claimed::Message(claim) = &claimed {
        claim.begin()?;
        let mut out = std::io::stderr().lock();
        // The agent reads it only with the exit code. Where this fails, it may have a part of it.
        out.write_all(claim.message().text.as_bytes()).and_then(|()| out.flush())?;
    }
    Ok(claimed)
}
