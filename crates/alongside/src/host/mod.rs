//! The host: a small process of its own around the companion, which desks join over a private socket. It
//! outlives each of them, so that a desk can crash, be joined by another, or be closed, and nothing is lost.

mod again;
mod hold;
mod life;
mod meet;
mod reach;
mod registry;
mod serve;
mod visit;

use std::io::Write as _;
use std::path::PathBuf;

use alongside_companion::{Companion, Places, PortHold, StartError};
use alongside_desk::socket::{Owner, Report};
use anyhow::Context;
use futures_util::future::join_all;

pub(crate) use meet::Wish;
pub(crate) use reach::reach;
pub(crate) use registry::{Entry, Registry};

use crate::failure::{Hint, parts};
use crate::globals::Globals;
use crate::own_program::own_program;
use crate::settings::Settings;
use crate::signals::Signals;
use meet::Begins;

/// This program's version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How long a host on this machine may take to answer.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);
/// How long a host that is told to end may take: agents that stopped reading are waited for, but not for
/// good.
const ENDS_WITHIN: std::time::Duration = std::time::Duration::from_secs(20);

/// What a host that is started has to be.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) owner: Option<Owner>,
    /// The process of whoever starts it.
    pub(crate) starter: u32,
    /// The port of the host before, which whoever starts this one has held.
    pub(crate) port_hold: Option<PortHold>,
    pub(crate) globals: Globals,
}

/// Is a host until its life is over. Whoever started it reads from standard output whether it could begin.
///
/// # Errors
/// When it cannot begin.
pub(crate) async fn serve(plan: Plan) -> anyhow::Result<()> {
    alongside_platform::process::detach();
    // A host starts no programs of the user's, who would inherit it.
    alongside_platform::limits::raise_open_files();
    let begun = begin(plan).await;
    let report = match &begun {
        Ok(_) => Begins::Ready,
        Err(error) => {
            let (error, hints) = parts(error);
            Begins::Failed { error, hints }
        }
    };
    let mut line = serde_json::to_string(&report)?;
    line.push('\n');
    // Whoever started us may be gone; somebody else may come.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    drop(out);
    let (serving, listener, signals) = begun?;
    serving.run(listener, signals).await;
    Ok(())
}

type Begun = (serve::Serving, interprocess::local_socket::tokio::Listener, Signals);

async fn begin(plan: Plan) -> anyhow::Result<Begun> {
    let registry = Registry::open()?;
    let signals = Signals::listen()?;
    let again = Companion::has_journal(&Places::of_this_process(), &plan.name);
    let Ready { companion, settings, plan, untold } = if again {
        again::companion_again(plan).await?
    } else {
        let settings = Settings::load(plan.globals.config.as_deref(), &plan.roots)?;
        let companion = companion(&settings, &plan).await?;
        Ready { companion, settings, plan, untold: Vec::new() }
    };
    if let Some(problem) = crate::logging::trouble() {
        companion.observe().send(alongside_desk::Request::Report(problem.clone()));
    }
    let listener = match registry.listen(&plan.name) {
        Ok(listener) => listener,
        Err(error) => {
            // Agents must not look for it, nor anybody believe that it has crashed.
            companion.stop().await;
            return Err(error);
        }
    };
    let entry = Entry {
        name: plan.name,
        pid: std::process::id(),
        version: VERSION.into(),
        roots: plan.roots,
        owner: plan.owner,
        addresses: companion.addresses().to_vec(),
        config: plan.globals.config,
        log: plan.globals.log,
        ..Entry::default()
    };
    let serving = serve::Serving::new(companion, entry, registry, settings, untold, plan.starter);
    // Who starts it finds it without. Where there is no room, the first look says so, and it is tried until
    // there is.
    serving.write_entry();
    Ok((serving, listener, signals))
}

/// What a host is made of.
struct Ready {
    companion: Companion,
    settings: Settings,
    /// As far as it could be carried out.
    plan: Plan,
    /// Projects of which agents are told nothing.
    untold: Vec<PathBuf>,
}

/// A companion as the plan and the settings say.
async fn companion(settings: &Settings, plan: &Plan) -> anyhow::Result<Companion> {
    let mut builder =
        settings.companion(Places::of_this_process()).journal_as(&plan.name).stdio(own_program(), ["stdio"]);
    builder = match &plan.owner {
        Some(owner) => builder.editor(&owner.name, &owner.display_name).pid(owner.pid),
        None => builder.pid(plan.starter),
    };
    if let Some(hold) = &plan.port_hold {
        builder = builder.port_hold(hold.clone());
    }
    let builder = plan.roots.iter().fold(builder, alongside_companion::Builder::root);
    let started = builder.start().await;
    let theirs = match &started {
        Err(StartError::Listen { address, .. }) => {
            settings.listen.is_some_and(|listen| listen.ip() == address.ip())
        }
        _ => false,
    };
    let started = started.context("cannot start the companion");
    if theirs {
        return started.hint(
            "[server] listen in the settings names this address; it must be one of this machine, with a port \
             that is free",
        );
    }
    started
}

/// Ends a host politely, so that a new one of this program's version takes its place, with the same port and
/// token.
///
/// # Errors
/// When it does not hand over, or the new one does not start.
pub(crate) async fn replace(entry: &Entry) -> anyhow::Result<()> {
    let registry = Registry::open()?;
    let _lock = registry.lock().await?;
    let hold = hold::of_entry(&registry, entry).await;
    if let Ok(stream) = registry.dial(&entry.name).await {
        answers(entry, alongside_desk::socket::hand_over(stream))
            .await?
            .context("the host does not hand over")?;
    }
    meet::spawn(entry, hold.as_ref()).await
}

/// Ends a host as if its last desk had left.
///
/// # Errors
/// When it does not end.
pub(crate) async fn stop(entry: &Entry) -> anyhow::Result<()> {
    let registry = Registry::open()?;
    match registry.dial(&entry.name).await {
        Ok(stream) => {
            answers(entry, alongside_desk::socket::stop(stream)).await?.context("the host does not end")?;
            // It has done everything; its process takes a moment more.
            let _ = tokio::time::timeout(PATIENCE, alongside_platform::process::ended(entry.pid)).await;
            Ok(())
        }
        Err(_) => {
            registry.remove(entry);
            Ok(())
        }
    }
}

/// What a host does that was told to end, unless it does nothing.
async fn answers<T>(entry: &Entry, does: impl Future<Output = T>) -> anyhow::Result<T> {
    tokio::time::timeout(ENDS_WITHIN, does).await.map_err(|_| {
        crate::failure::failure(
            format!("the host {} (process {}) has not answered for {} s", entry.name, entry.pid, ENDS_WITHIN.as_secs()),
            "it may be stopped (`kill -CONT` lets it go on) or hang: `kill -KILL` ends it, and the next one frees the agents that wait",
        )
    })
}

/// How every host is that answers. One that has crashed is not among them.
pub(crate) async fn reports() -> Vec<Report> {
    let Ok(registry) = Registry::open() else { return Vec::new() };
    let asked = registry.entries().into_iter().map(|entry| {
        let registry = registry.clone();
        async move {
            let stream = registry.dial(&entry.name).await.ok()?;
            let asked = tokio::time::timeout(PATIENCE, alongside_desk::socket::report(stream)).await;
            asked.ok()?.ok()
        }
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// The process of the host that serves these directories, also of one that does not answer.
pub(crate) fn process_of(dirs: &[PathBuf]) -> Option<u32> {
    let lives = |entry: &Entry| alongside_platform::process::look_up(entry.pid).is_some();
    let entries = Registry::open().ok()?.entries().into_iter();
    entries.filter(|entry| entry.serves(dirs)).find(lives).map(|entry| entry.pid)
}

/// Whether a host serves these directories, or is being started for them. Others' companions may.
///
/// # Errors
/// As [`Registry::lock`].
pub(crate) async fn serves(dirs: &[PathBuf]) -> anyhow::Result<bool> {
    let registry = Registry::open()?;
    let _lock = registry.lock().await?;
    Ok(registry.entries().into_iter().any(|entry| entry.serves(dirs)))
}
