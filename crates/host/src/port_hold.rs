//! Keeps the host's port from all other programs while the host is away, so that only a host of this user
//! receives the agents that reconnect.
//!
//! A token stays valid only while its port is held without a gap: by the host, or by the desks that start it
//! again. Every desk takes its own hold while the host lives. The host proves that it lives after the hold
//! was taken.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use alongside_agent::{Endpoint, prove};
use alongside_common::globals::Globals;
use alongside_companion::PortHold;
use alongside_desk::socket::{Host, join};
use interprocess::local_socket::tokio::Stream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::join_request::JoinRequest;
use super::registry::Registry;
use super::registry_entry::Entry;

/// The longest wait of a desk for its hold before it shows anything. Normally the hold takes some 20 ms, and
/// a second on a busy machine.
const FIRST_TIMEOUT: Duration = Duration::from_secs(3);

/// The time between two attempts while the host does not answer.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The hold of a desk on the port of its host, once the desk has it.
#[derive(Debug, Default)]
pub(super) struct HostPortHold {
    hold: Arc<OnceLock<PortHold>>,
    /// The task that takes the hold. Dropping this value ends the task.
    task: JoinSet<()>,
}

impl HostPortHold {
    /// Takes a hold on this host's port, unless there is already a hold. A background task keeps trying,
    /// because the host may be frozen.
    pub(super) async fn follow(&mut self, host: Host) {
        if self.get().is_some_and(|hold| hold.covers(&host.addresses)) {
            return;
        }
        *self = Self::default();
        let hold = self.hold.clone();
        let (tried, is_tried) = oneshot::channel();
        self.task.spawn(async move {
            let mut tried = Some(tried);
            loop {
                let attempt = take(&host).await;
                let is_retried = matches!(attempt, Attempt::NotYet);
                if let Attempt::Held(taken) = attempt {
                    drop(hold.set(taken));
                }
                // The caller may no longer wait.
                if let Some(tried) = tried.take() {
                    let _ = tried.send(());
                }
                if !is_retried {
                    return;
                }
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        });
        // A host that has just answered proves itself at once, so a desk that is shown normally has its hold.
        let _ = tokio::time::timeout(FIRST_TIMEOUT, is_tried).await;
    }

    /// Returns the hold, if it was taken.
    pub(super) fn get(&self) -> Option<&PortHold> {
        self.hold.get()
    }
}

/// An attempt to take a hold.
enum Attempt {
    Held(PortHold),
    /// The host does not answer at the moment.
    NotYet,
    /// This system cannot hold ports.
    Never,
}

async fn take(host: &Host) -> Attempt {
    let hold = match PortHold::take(&host.addresses) {
        Ok(hold) if hold.covers(&host.addresses) => hold,
        Err(error) if error.kind() != std::io::ErrorKind::Unsupported => return Attempt::NotYet,
        _ => return Attempt::Never,
    };
    match prove(&Endpoint::local(host.port), &host.token).await {
        Ok(()) => Attempt::Held(hold),
        Err(_) => Attempt::NotYet,
    }
}

/// Takes a hold on the port of a living host that is to be replaced.
pub(super) async fn hold_port_of(registry: &Registry, entry: &Entry) -> Option<PortHold> {
    let request = JoinRequest::keeper("alongside host --replace", entry.roots.clone(), Globals::default());
    let joins = async |stream: Stream, protocol: u32| join(stream, &request.hello(protocol)).await;
    let joined = registry.ask(&entry.name, joins).await.ok()?;
    match take(&joined.welcome.alongside).await {
        Attempt::Held(hold) => Some(hold),
        Attempt::NotYet | Attempt::Never => None,
    }
}
