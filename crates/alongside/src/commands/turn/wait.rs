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
use alongside_turns::{Delivery, Fault, Places, Reader, TurnEvent, Waiter};

use super::event::{PATIENCE, log, read, tell};

/// How often the store is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// How much earlier than the agent's limit the wait ends.
const MARGIN: Duration = Duration::from_secs(60);

pub(super) async fn run(agent: &str, state: Option<PathBuf>) -> ExitCode {
    let agent = agent.to_owned();
    let event = tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(move || read(&agent))).await;
    let Ok(Ok(Ok(Some((turns, event, directory))))) = event else { return ExitCode::SUCCESS };
    let Some(wake) = turns.wake.as_ref().filter(|wake| event.moment == Moment::End && is_attended(wake))
    else {
        return ExitCode::SUCCESS;
    };
    let Some(agent) = process::caller() else { return ExitCode::SUCCESS };
    let places = Places::of_hook(state);
    tokio::select! {
        woken = wait(&places, turns, &event, &directory) => match woken {
            Ok(true) => {
                tell(&directory, SnapshotKind::Message).await;
                ExitCode::from(wake.code)
            }
            Ok(false) => ExitCode::SUCCESS,
            Err(fault) => {
                log(&format!("nothing waits for messages to {}: {fault}", event.agent));
                ExitCode::SUCCESS
            }
        },
        () = process::ended(agent) => ExitCode::SUCCESS,
        () = tokio::time::sleep(wake.patience.saturating_sub(MARGIN)) => ExitCode::SUCCESS,
    }
}

/// Whether a person is at the session. One without a person ends only after its hooks.
fn is_attended(wake: &Wake) -> bool {
    let (variable, value) = wake.attended;
    std::env::var_os(variable).is_some_and(|found| found == value)
}

/// Waits for a message, and says it. Returns whether there was one.
async fn wait(
    places: &Places,
    turns: &'static Turns,
    event: &TurnEvent,
    directory: &Path,
) -> Result<bool, Fault> {
    let reader = Reader { agent: event.agent.clone(), session: event.session.clone() };
    let Some(mut waiter) = Waiter::begin(places, directory, &reader)? else { return Ok(false) };
    // Desks say from now on that it is read at once.
    tell(directory, SnapshotKind::Message).await;
    loop {
        if waiter.take_news() {
            if waiter.is_over()? {
                return Ok(false);
            }
            let (places, directory, reader) = (places.clone(), directory.to_owned(), reader.clone());
            let said = move || say(&places, directory, &reader, turns.most);
            if tokio::task::spawn_blocking(said).await.unwrap_or(Ok(false))? {
                return Ok(true);
            }
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Says the message that waits, if there is one and nobody else delivers it.
fn say(places: &Places, directory: PathBuf, reader: &Reader, most: usize) -> Result<bool, Fault> {
    let Some(claim) = alongside_turns::claim(places, &directory, reader, Delivery::Wake, most)? else {
        return Ok(false);
    };
    let mut out = std::io::stderr().lock();
    out.write_all(claim.message().text.as_bytes()).and_then(|()| out.flush())?;
    // The agent reads it only with the exit code, which follows.
    claim.delivered().map(|()| true)
}
