//! Examines an agent that finds its editor by a lock file: judges the search, and reads the agent's settings.

use std::time::Duration;

use alongside_agent::find::{self, ClaudeSettings, Lock, LockSearch, Surroundings};
use alongside_contract::family::OwnSettings;
use tokio::net::TcpStream;

use super::causes::{Cause, LockCause};
use super::finding::Finding;
use super::running_companions::Companions;

/// The time that an editor has to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Stores the port that the agent reaches in `finding`, and returns the causes.
pub(super) async fn examine_lock_search(
    search: LockSearch,
    here: &Surroundings,
    companions: &Companions,
    finding: &mut Finding,
) -> Vec<Cause> {
    let agent = finding.agent.row;
    let ours = companions.serving_here().find(|companion| companion.host.is_some());
    let our_port = ours.map(|companion| companion.port);
    let (lock, by_variable) = match search {
        LockSearch::WithoutToken(name) => return vec![LockCause::WithoutToken { name }.into()],
        LockSearch::ByVariable(lock) => (lock, true),
        LockSearch::Holding(locks) => match <[Lock; 1]>::try_from(locks) {
            Ok([lock]) => (lock, false),
            Err(locks) if locks.is_empty() => {
                if let Some(ours) = our_port.filter(|port| find::lock_of(agent, *port, here).is_some()) {
                    return vec![LockCause::WithoutFolder { ours }.into()];
                }
                let host = ours.and_then(|companion| companion.host.as_ref());
                let gone = host.map(|host| LockCause::LockGone { host: host.name.clone() });
                return vec![gone.unwrap_or(LockCause::NoLock).into()];
            }
            Err(locks) => {
                let editors = locks.iter().map(label).collect();
                return vec![LockCause::Several { editors, ours: our_port }.into()];
            }
        },
    };
    let connection = TcpStream::connect(("127.0.0.1", lock.port));
    if !matches!(tokio::time::timeout(CONNECT_TIMEOUT, connection).await, Ok(Ok(_))) {
        return vec![LockCause::NotListening { editor: lock.content.ide_name, port: lock.port }.into()];
    }
    finding.other_port = Some(lock.port);
    let another = our_port.filter(|ours| *ours != lock.port);
    let mut causes: Vec<Cause> = Vec::new();
    causes.extend(another.map(|ours| LockCause::AnotherEditor { editor: label(&lock), ours }.into()));
    let settings = match agent.family.lock_rules().map(|rules| rules.own_settings) {
        Some(OwnSettings::ClaudeCode) => ClaudeSettings::of(here),
        Some(OwnSettings::None) | None => return causes,
    };
    let searches = settings.connects || by_variable;
    causes.extend((!searches).then_some(LockCause::SearchNotRequested.into()));
    let host = ours.and_then(|companion| companion.host.as_ref());
    let context_only = host.is_some_and(|host| host.status.context_only);
    causes.extend(match (context_only, settings.shows_diffs_itself) {
        (true, false) => Some(LockCause::AsksWithoutDiff.into()),
        (false, true) => Some(LockCause::ShowsDiffsItself.into()),
        _ => None,
    });
    causes
}

fn label(lock: &Lock) -> String {
    format!("{} (port {}, process {})", lock.content.ide_name, lock.port, lock.content.pid)
}
