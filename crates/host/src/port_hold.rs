//! Keeps a host's port from everybody else while the host is away, so that only a host of this user hears the
//! agents that come back to it.
//!
//! A token stays good only as long as its port was held without a gap: by the host, and by the desks that
//! start it again. Every desk takes a hold of its own while the host lives. The host shows that it lives by
//! proving itself after the hold was taken.

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

/// How long a desk waits for its hold before it shows anything: some 20 ms are enough, and a second on a busy
/// machine.
const FIRST_TIMEOUT: Duration = Duration::from_secs(3);

/// How often a desk tries again where the host does not answer.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The hold of a desk on the port of its host, once the desk has it.
#[derive(Debug, Default)]
pub(super) struct HostPortHold {
    hold: Arc<OnceLock<PortHold>>,
    /// Dropped with this.
    task: JoinSet<()>,
}

impl HostPortHold {
    /// Takes a hold on this host's port, unless there is one already. A background task goes on trying, for
    /// the host may be frozen.
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
                // Nobody may wait for it any more.
                if let Some(tried) = tried.take() {
                    let _ = tried.send(());
                }
                if !is_retried {
                    return;
                }
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        });
        // A host that has just answered proves itself at once, so a desk that is shown has its hold.
        let _ = tokio::time::timeout(FIRST_TIMEOUT, is_tried).await;
    }

    /// The hold, if it was taken by now.
    pub(super) fn get(&self) -> Option<&PortHold> {
        self.hold.get()
    }
}

/// One try to take a hold.
enum Attempt {
    Held(PortHold),
    /// The host does not answer just now.
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

/// A hold on the port of a living host that is to be replaced.
pub(super) async fn hold_port_of(registry: &Registry, entry: &Entry) -> Option<PortHold> {
    let request = JoinRequest::keeper("alongside host --replace", entry.roots.clone(), Globals::default());
    let joins = async |stream: Stream, protocol: u32| join(stream, &request.hello(protocol)).await;
    let joined = registry.ask(&entry.name, joins).await.ok()?;
    match take(&joined.welcome.alongside).await {
        Attempt::Held(hold) => Some(hold),
        Attempt::NotYet | Attempt::Never => None,
    }
}
