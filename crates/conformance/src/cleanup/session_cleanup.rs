//! The sessions and diffs that checks opened and must close. A run may be interrupted at any moment, so a
//! session or a diff is recorded here before the companion may have it, and removed after the companion has
//! closed it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;

use crate::http::peer::Peer;
use crate::http::request::Request;
use crate::http::response::{NoResponse, Response};
use crate::mutex::lock;
use crate::time::clock::within;

/// The open sessions and diffs of a run. All clones share them.
#[derive(Clone, Default)]
pub(crate) struct Cleanup {
    left: Arc<Mutex<Left>>,
    /// The number of requests in flight that may begin a session.
    begun: Arc<watch::Sender<usize>>,
}

#[derive(Default)]
struct Left {
    things: Vec<Thing>,
    /// The number of sessions and diffs that the run has opened so far.
    count: usize,
}

/// A session, or with its path a diff of that agent.
#[derive(Clone)]
struct Thing {
    number: usize,
    /// The case that opened it. Several cases run at the same time.
    case: usize,
    peer: Peer,
    diff: Option<String>,
}

impl Cleanup {
    pub(crate) fn add(&self, case: usize, peer: &Peer, diff: Option<&str>) {
        let mut left = lock(&self.left);
        left.count += 1;
        let number = left.count;
        left.things.push(Thing { number, case, peer: peer.clone(), diff: diff.map(str::to_owned) });
    }

    /// Sends a request that may begin a session. An interruption of the run does not cancel the request,
    /// because only the answer has the id that ends the session.
    pub(crate) async fn begin(
        &self,
        case: usize,
        peer: &Peer,
        request: Request,
    ) -> Result<Response, NoResponse> {
        let (taken, peer) = (self.clone(), peer.clone());
        self.begun.send_modify(|begun| *begun += 1);
        let exchange = tokio::spawn(async move {
            let answer = peer.send(&request).await;
            let welcome = answer.as_ref().ok().filter(|answer| (200..300).contains(&answer.status()));
            if let Some(peer) =
                welcome.map(|answer| peer.after(answer)).filter(|peer| peer.session().is_some())
            {
                taken.add(case, &peer, None);
            }
            taken.begun.send_modify(|begun| *begun -= 1);
            answer
        });
        exchange.await.unwrap_or_else(|error| Err(NoResponse(format!("there was no answer: {error}"))))
    }

    /// Closes the diffs and ends the sessions of a case, the newest first. Waits for each answer for
    /// `patience` at most.
    pub(crate) async fn give_back(&self, case: usize, patience: Duration) {
        self.give_back_where(|thing| thing.case == case, patience).await;
    }

    /// Closes the diffs and ends the sessions of all cases, also of interrupted ones.
    pub(crate) async fn give_all_back(&self, patience: Duration) {
        let mut begun = self.begun.subscribe();
        let _ = within(patience, begun.wait_for(|begun| *begun == 0)).await;
        self.give_back_where(|_| true, patience).await;
    }

    async fn give_back_where(&self, fits: impl Fn(&Thing) -> bool, patience: Duration) {
        loop {
            let last = lock(&self.left).things.iter().rfind(|thing| fits(thing)).cloned();
            let Some(Thing { number, peer, diff, .. }) = last else { return };
            let given_back = async {
                match diff {
                    Some(path) => peer.quietly_close(&path).await,
                    None => peer.quietly_leave().await,
                }
            };
            within(patience, given_back).await;
            // Removed only now: if the case is interrupted, the end of the run closes it once more, which
            // does no harm.
            lock(&self.left).things.retain(|thing| thing.number != number);
        }
    }
}
