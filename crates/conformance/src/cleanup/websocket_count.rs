//! Counts the open WebSockets of a run. A separate task closes each of them, and the run waits for these
//! tasks.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::time::clock::within;

/// The open WebSockets. All clones share the count.
#[derive(Clone, Default)]
pub(crate) struct Connections(Arc<watch::Sender<usize>>);

/// An open WebSocket, which counts until this value is dropped.
pub(crate) struct Connected(Connections);

impl Connections {
    /// Counts one more WebSocket.
    pub(crate) fn connect(&self) -> Connected {
        self.0.send_modify(|open| *open += 1);
        Connected(self.clone())
    }

    /// Waits until all WebSockets have ended, for `patience` at most.
    pub(crate) async fn have_ended(&self, patience: Duration) {
        let mut open = self.0.subscribe();
        let _ = within(patience, open.wait_for(|open| *open == 0)).await;
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.0.send_modify(|open| *open -= 1);
    }
}
