//! Joins the host that serves a project, or starts one, under a [lock](super::start_lock).

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_common::failure::failure;
use alongside_common::settings::Settings;
use alongside_companion::{AppDirs, Companion, PortHold};
use alongside_desk::socket::{JoinError, Joined, PROTOCOL, join};
use alongside_platform::ports::is_taken;
use anyhow::Context;
use tokio::time::Instant;

use super::join_request::JoinRequest;
use super::registry::Registry;
use super::registry_entry::Entry;
use super::spawn::spawn;
use super::start_lock::StartLock;

/// The time in which a living host restores its socket after its removal.
const SOCKET_TIMEOUT: Duration = Duration::from_secs(3);
/// The time between two attempts to reach that socket, or a host that another desk starts.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time for which a new desk leaves a crashed host to the desks that hold its port. A host that they
/// start keeps its token and its agents.
const HOLDERS_HEAD_START: Duration = Duration::from_secs(1);

/// The number of attempts of a desk to join a host that listens and closes the connection, and the time
/// between two of them: a host that is ending needs some time.
const MAX_JOIN_ATTEMPTS: usize = 20;
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// Joins the host that serves the projects and had the focus last, or starts a host.
///
/// # Errors
/// When there is no host and none can be started, or the host uses another version of the protocol.
pub(super) async fn connect(request: &JoinRequest) -> anyhow::Result<Joined> {
    let registry = Registry::of_this_process();
    let until = Instant::now() + HOLDERS_HEAD_START;
    let lock = loop {
        let lock = registry.lock().await?;
        let mut is_held = false;
        for entry in request.choose(registry.entries())? {
            if let Some(joined) = try_join(&registry, &entry.name, request).await? {
                return Ok(joined);
            }
            is_held = entry.addresses.iter().any(|address| is_taken(*address)) && Instant::now() < until;
            if is_held {
                break;
            }
            // The host has crashed, and no desk was left to start it again. A new host under its name adopts
            // its journal.
            match start(&registry, &lock, &request.restart(&entry), request, None).await {
                Err(error) if request.host.is_none() => {
                    tracing::warn!(host = entry.name, "a crashed host cannot be started again: {error:#}");
                    registry.remove(&entry);
                }
                started => return started,
            }
        }
        if !is_held {
            break lock;
        }
        drop(lock);
        tokio::time::sleep(POLL_INTERVAL).await;
    };
    // A mistake in the person's settings is reported here, where the person reads it. With a mistake in the
    // settings of a project, the host starts and reports the mistake to every desk.
    Settings::load(request.globals.config.as_deref(), &[])?;
    let entry = Entry {
        name: registry.free_name(request.dirs.first()),
        roots: request.dirs.clone(),
        editors: request.editor.iter().cloned().collect(),
        parties: request.party_without_editor().into_iter().collect(),
        config: request.globals.config.as_deref().map(absolute).transpose()?,
        log: request.globals.log.as_deref().map(absolute).transpose()?,
        ..Entry::default()
    };
    start(&registry, &lock, &entry, request, None).await
}

/// Returns an absolute path, because the host runs in another directory.
fn absolute(file: &Path) -> anyhow::Result<PathBuf> {
    let file = std::path::absolute(file)?;
    // Entries are JSON, which cannot hold other paths.
    match file.to_str() {
        Some(_) => Ok(file),
        None => {
            Err(failure(format!("the path {} is not UTF-8", file.display()), "give that file another name"))
        }
    }
}

/// Joins a lost host again, or starts it if no other desk has, on the port that `hold` has held meanwhile.
/// `lost`: the entry of the host, as far as the desk knows it.
///
/// # Errors
/// As [`connect`].
pub(super) async fn reconnect(
    request: &JoinRequest,
    lost: &Entry,
    hold: Option<&PortHold>,
) -> anyhow::Result<Joined> {
    let registry = Registry::of_this_process();
    let lock = registry.lock().await?;
    if let Some(joined) = try_join(&registry, &lost.name, request).await? {
        return Ok(joined);
    }
    // Parties may have come and gone since this desk joined, also at a host that another desk has started
    // meanwhile.
    let known = registry.entries().into_iter().find(|entry| entry.name == lost.name);
    let known = known.map(|entry| Entry { roots: lost.roots.clone(), ..entry });
    let entry = request.restart(known.as_ref().unwrap_or(lost));
    start(&registry, &lock, &entry, request, hold).await
}

/// Joins a host; `None` if no process listens there any more.
async fn try_join(registry: &Registry, name: &str, request: &JoinRequest) -> anyhow::Result<Option<Joined>> {
    let (mut broken, mut protocol) = (None, PROTOCOL);
    for _ in 0..MAX_JOIN_ATTEMPTS {
        let Ok(stream) = registry.dial(name).await else { return Ok(None) };
        match join(stream, &request.hello(protocol)).await {
            Ok(joined) => return Ok(Some(joined)),
            // The host is ending, and will soon stop listening.
            Err(JoinError::Broken(error)) => broken = Some(error),
            // The newer of the two sides uses the older version, or fails.
            Err(JoinError::Mismatch { host, .. }) if host.protocol < PROTOCOL => {
                if let Some(older) = host.version_below(protocol) {
                    protocol = older;
                    continue;
                }
                return Err(failure(
                    format!("the companion of this project still runs the older alongside {}", host.version),
                    "hand over to this version with `alongside host --replace`",
                ));
            }
            Err(error) => return Err(error).context("cannot join the companion of this project"),
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
    let error = broken.map_or_else(String::new, |error| format!(": {error}"));
    Err(failure(
        format!("the companion of this project listens but does not answer{error}"),
        "end it with `alongside host --stop`, or kill the process that `alongside status` shows",
    ))
}

/// Starts a host and joins it. If a living host has lost its socket, waits for the socket instead.
async fn start(
    registry: &Registry,
    lock: &StartLock,
    entry: &Entry,
    request: &JoinRequest,
    hold: Option<&PortHold>,
) -> anyhow::Result<Joined> {
    let dirs = AppDirs::of_this_process();
    let until = Instant::now() + SOCKET_TIMEOUT;
    while Companion::keeps_journal(&dirs, &entry.name) && Instant::now() < until {
        if let Some(joined) = try_join(registry, &entry.name, request).await? {
            return Ok(joined);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    spawn(entry, hold, lock).await?;
    let stream = registry.dial(&entry.name).await.context("the companion was started and does not listen")?;
    join(stream, &request.hello(PROTOCOL)).await.context("cannot join the companion that was started")
}
