//! How a desk and a host come together: join the host that serves a project, or start one, so that two who
//! come at once end up with the same.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use alongside_companion::{Companion, Places, PortHold};
use alongside_desk::socket::{
    ClientInfo, Hello, JoinError, Joined, Options, Owner, PROTOCOL, Role, Terms, join,
};
use alongside_platform::memory;
use alongside_platform::ports::is_taken;
use alongside_platform::process::own_program;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::Instant;

use super::VERSION;
use super::registry::{Entry, Lock, Registry};
use crate::failure::{Hint, failure};
use crate::globals::Globals;
use crate::settings::Settings;

/// How long a host that lives may take to put its socket back, which somebody has removed.
const BACK_WITHIN: Duration = Duration::from_secs(3);
/// How often that is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a desk that comes to a host that has crashed leaves it to the desks that hold its port: started
/// by them, it has its token and its agents.
const HOLDERS_FIRST: Duration = Duration::from_secs(1);

/// How long a host may take until it listens.
const STARTED_WITHIN: Duration = Duration::from_secs(20);

/// How often a host that listens and breaks off is dialled, and how long lies between: one that ends takes
/// some time.
const ATTEMPTS: usize = 20;
const BETWEEN: Duration = Duration::from_millis(200);

/// Who wants to join which host, and as what.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    /// The projects; absolute.
    pub(crate) dirs: Vec<PathBuf>,
    pub(crate) role: Role,
    /// The editor that speaks.
    pub(crate) owner: Option<Owner>,
    /// The host that was chosen by name or process, if one was.
    pub(crate) host: Option<String>,
    /// The settings and the log that were named.
    pub(crate) globals: Globals,
}

/// What a host says on its standard output once it knows whether it can serve.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Begins {
    /// It listens.
    Ready,
    /// It does not, for this reason, with hints.
    Failed { error: String, hints: Vec<String> },
}

impl Wish {
    /// A person's desk for these projects.
    pub(crate) fn desk(dirs: Vec<PathBuf>, host: Option<String>, globals: Globals) -> Self {
        Self { dirs, role: Role::Desk, owner: None, host, globals }
    }

    /// A keeper of the host for these projects.
    pub(crate) fn keeper(dirs: Vec<PathBuf>, globals: Globals) -> Self {
        Self { role: Role::Keeper, ..Self::desk(dirs, None, globals) }
    }

    pub(super) fn hello(&self) -> Hello {
        let pid = self.owner.as_ref().map_or_else(std::process::id, |owner| owner.pid);
        let terms = Terms { protocol: PROTOCOL, role: self.role, owner: self.owner.clone() };
        Hello {
            process_id: Some(pid),
            client_info: ClientInfo { name: "alongside".into(), version: VERSION.into() },
            initialization_options: Options { alongside: terms },
        }
    }

    /// The hosts that will do, best first.
    fn choose(&self, entries: Vec<Entry>) -> anyhow::Result<Vec<Entry>> {
        if let Some(chosen) = &self.host {
            let is_it =
                |entry: &Entry| entry.pid.to_string() == *chosen || entry.name.starts_with(chosen.as_str());
            let found: Vec<_> = entries.into_iter().filter(is_it).collect();
            return match found.len() {
                1 => Ok(found),
                0 => Err(failure(
                    format!("there is no host {chosen:?}"),
                    "`alongside status` shows those there are, with their processes",
                )),
                _ => Err(failure(format!("several hosts begin with {chosen:?}"), "give more of its name")),
            };
        }
        let will_do = |entry: &Entry| match &self.owner {
            None => entry.serves(&self.dirs),
            Some(owner) => {
                let free = entry.is_free();
                let same = entry
                    .owner
                    .as_ref()
                    .is_some_and(|its| its.pid == owner.pid && its.window == owner.window);
                // Its own may have come to serve more projects.
                (free && entry.roots == self.dirs) || (same && entry.serves(&self.dirs))
            }
        };
        Ok(entries.into_iter().filter(will_do).collect())
    }
}

/// Joins the host that serves the projects and was focused last, or starts one.
///
/// # Errors
/// When there is none and none can be started, or the one there is speaks another version of the protocol.
pub(crate) async fn meet(wish: &Wish) -> anyhow::Result<Joined> {
    let registry = Registry::open()?;
    let until = Instant::now() + HOLDERS_FIRST;
    let lock = loop {
        let lock = registry.lock().await?;
        let mut holder = false;
        for entry in wish.choose(registry.entries())? {
            if let Some(joined) = try_join(&registry, &entry.name, wish).await? {
                return Ok(joined);
            }
            holder = entry.addresses.iter().any(|address| is_taken(*address)) && Instant::now() < until;
            if holder {
                break;
            }
            // It has crashed, and nobody was there to start it again. Under its name a new one adopts what it
            // left.
            let again = entry.again_for(wish);
            match start(&registry, &lock, &again, wish, None).await {
                Err(error) if wish.host.is_none() => {
                    tracing::warn!(host = entry.name, "what has crashed cannot be started again: {error:#}");
                    registry.remove(&entry);
                }
                started => return started,
            }
        }
        if !holder {
            break lock;
        }
        drop(lock);
        tokio::time::sleep(LOOK_EVERY).await;
    };
    // What is wrong in the settings is said here, where somebody reads it.
    Settings::load(wish.globals.config.as_deref(), &wish.dirs)?;
    let named = |file: &Option<PathBuf>| -> anyhow::Result<Option<PathBuf>> {
        let Some(file) = file else { return Ok(None) };
        // What is needed to start the host again is written as text.
        match std::path::absolute(file)? {
            file if file.to_str().is_none() => Err(failure(
                format!("the path {} is not UTF-8", file.display()),
                "give that file another name",
            )),
            file => Ok(Some(file)),
        }
    };
    let entry = Entry {
        name: Registry::name(wish.owner.as_ref(), &wish.dirs),
        roots: wish.dirs.clone(),
        owner: wish.owner.clone(),
        // The host lives in another directory.
        config: named(&wish.globals.config)?,
        log: named(&wish.globals.log)?,
        ..Entry::default()
    };
    start(&registry, &lock, &entry, wish, None).await
}

/// Joins a host again that was lost, starting it if nobody else has, on the port that was held meanwhile.
///
/// # Errors
/// As [`meet`].
pub(super) async fn meet_again(
    wish: &Wish,
    entry: &Entry,
    hold: Option<&PortHold>,
) -> anyhow::Result<Joined> {
    let registry = Registry::open()?;
    let lock = registry.lock().await?;
    match try_join(&registry, &entry.name, wish).await? {
        Some(joined) => Ok(joined),
        None => start(&registry, &lock, entry, wish, hold).await,
    }
}

/// `None` if nobody listens there any more.
async fn try_join(registry: &Registry, name: &str, wish: &Wish) -> anyhow::Result<Option<Joined>> {
    let mut broken = None;
    for _ in 0..ATTEMPTS {
        let Ok(stream) = registry.dial(name).await else { return Ok(None) };
        match join(stream, &wish.hello()).await {
            Ok(joined) => return Ok(Some(joined)),
            // It was just ending, and will not listen for long.
            Err(JoinError::Broken(error)) => broken = Some(error),
            // The newer of the two knows what to do.
            Err(JoinError::Mismatch { host, .. }) if host.protocol < PROTOCOL => {
                return Err(failure(
                    format!("the companion of this project still runs the older alongside {}", host.version),
                    "hand over to this version with `alongside host --replace`",
                ));
            }
            Err(error) => return Err(error).context("cannot join the companion of this project"),
        }
        tokio::time::sleep(BETWEEN).await;
    }
    let error = broken.map_or_else(String::new, |error| format!(": {error}"));
    Err(failure(
        format!("the companion of this project listens and cannot be spoken to{error}"),
        "end it with `alongside host --stop`, or by its process, which `alongside status` shows",
    ))
}

/// Starts a host and joins it. If there is one whose socket was removed, it is waited for instead.
async fn start(
    registry: &Registry,
    _: &Lock,
    entry: &Entry,
    wish: &Wish,
    hold: Option<&PortHold>,
) -> anyhow::Result<Joined> {
    let places = Places::of_this_process();
    let until = Instant::now() + BACK_WITHIN;
    while Companion::keeps_journal(&places, &entry.name) && Instant::now() < until {
        if let Some(joined) = try_join(registry, &entry.name, wish).await? {
            return Ok(joined);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    spawn(entry, hold).await?;
    let stream = registry.dial(&entry.name).await.context("the companion was started and does not listen")?;
    join(stream, &wish.hello()).await.context("cannot join the companion that was started")
}

/// Starts a host as a process of its own, which outlives us; returns when it listens. The caller holds the
/// lock. Whoever has held the port of the one before hands the hold on.
pub(super) async fn spawn(entry: &Entry, hold: Option<&PortHold>) -> anyhow::Result<()> {
    let program = own_program().context("cannot tell which program this is")?;
    let mut command = Command::new(&program);
    if let Some(config) = &entry.config {
        command.arg("--config").arg(config);
    }
    if let Some(log) = &entry.log {
        command.arg("--log").arg(log);
    }
    command.args(["host", "--serve", &entry.name, "--starter", &std::process::id().to_string()]);
    if let Some(owner) = &entry.owner {
        command.arg("--owner").arg(serde_json::to_string(owner)?);
    }
    let held = hold.and_then(|hold| {
        let to_stdin = hold.to_stdin();
        to_stdin.inspect_err(|error| tracing::warn!(%error, "the hold on the port cannot be handed on")).ok()
    });
    if held.is_some() {
        command.arg("--holds-port");
    }
    command.arg("--").args(&entry.roots);
    command.envs(memory::gives_back());
    // A detached process keeps no directory busy, and no terminal.
    command
        .current_dir("/")
        .stdin(held.unwrap_or_else(Stdio::null))
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let mut said = String::new();
    if let Some(out) = child.stdout.take() {
        let mut out = BufReader::new(out);
        let reading = tokio::time::timeout(STARTED_WITHIN, out.read_line(&mut said)).await;
        reading.context("the companion does not start")??;
    }
    // Somebody has to wait for it when it ends before we do.
    tokio::spawn(async move { child.wait().await });
    match serde_json::from_str(&said) {
        Ok(Begins::Ready) => Ok(()),
        Ok(Begins::Failed { error, hints }) => {
            // As if it had failed here.
            let failed = Err(anyhow::Error::msg(error));
            hints.into_iter().rev().fold(failed, |failed, hint| failed.hint(hint))
        }
        Err(_) => Err(failure("the companion ended while it started", "`alongside log` shows what it said")),
    }
}
