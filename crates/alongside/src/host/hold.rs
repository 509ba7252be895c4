//! Holding a host's port while it is away, so that nobody else gets what agents say who come back to it.
//!
//! A token stays good only as long as its port was held without a gap: by the host, and by the desks that
//! start it again. Every desk takes a hold of its own while the host lives. That it did live is shown by its
//! proof, which comes after the hold was taken.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use alongside_agent::{Endpoint, prove};
use alongside_companion::PortHold;
use alongside_desk::socket::{Host, join};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::meet::Wish;
use super::registry::{Entry, Registry};
use crate::globals::Globals;

/// How long a desk waits for its hold before it shows anything.
const FIRST_WITHIN: Duration = Duration::from_millis(250);

/// How often it is tried again where the host does not answer.
const TRY_EVERY: Duration = Duration::from_secs(1);

/// The hold of a desk on the port of its host, once it has it.
#[derive(Debug, Default)]
pub(super) struct Holding {
    hold: Arc<OnceLock<PortHold>>,
    /// Ends with this.
    trying: JoinSet<()>,
}

impl Holding {
    /// Takes a hold, and goes on trying beside everything else, for a host may be frozen; one that has it
    /// already is kept.
    pub(super) async fn follow(&mut self, host: Host) {
        if self.get().is_some_and(|hold| hold.covers(&host.addresses)) {
            return;
        }
        *self = Self::default();
        let hold = self.hold.clone();
        let (tried, is_tried) = oneshot::channel();
        self.trying.spawn(async move {
            let mut tried = Some(tried);
            loop {
                let taken = take(&host).await;
                let goes_on = matches!(taken, Taken::NotYet);
                if let Taken::Held(taken) = taken {
                    drop(hold.set(taken));
                }
                // Nobody may wait for it any more.
                tried.take().map(|tried| tried.send(()));
                if !goes_on {
                    return;
                }
                tokio::time::sleep(TRY_EVERY).await;
            }
        });
        // A host that has just answered does so again at once: whoever sees the desk may count on its hold.
        let _ = tokio::time::timeout(FIRST_WITHIN, is_tried).await;
    }

    /// What it has by now.
    pub(super) fn get(&self) -> Option<&PortHold> {
        self.hold.get()
    }
}

enum Taken {
    Held(PortHold),
    /// The host does not answer just now.
    NotYet,
    /// Ports cannot be held here.
    Never,
}

async fn take(host: &Host) -> Taken {
    let hold = match PortHold::take(&host.addresses) {
        Ok(hold) if hold.covers(&host.addresses) => hold,
        Err(error) if error.kind() != std::io::ErrorKind::Unsupported => return Taken::NotYet,
        _ => return Taken::Never,
    };
    match prove(&Endpoint::local(host.port), &host.token).await {
        Ok(()) => Taken::Held(hold),
        Err(_) => Taken::NotYet,
    }
}

/// A hold on the port of a host that lives and is to be replaced.
pub(super) async fn of_entry(registry: &Registry, entry: &Entry) -> Option<PortHold> {
    let stream = registry.dial(&entry.name).await.ok()?;
    let wish = Wish::keeper(entry.roots.clone(), Globals::default());
    let joined = join(stream, &wish.hello()).await.ok()?;
    match take(&joined.welcome.alongside).await {
        Taken::Held(hold) => Some(hold),
        Taken::NotYet | Taken::Never => None,
    }
}
