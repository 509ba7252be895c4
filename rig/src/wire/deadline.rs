//! The deadline of every wait for a peer.

use std::future::Future;
use std::time::Duration;

/// The longest wait of a test. It is long enough for a busy machine: no test asserts speed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for a future, at most [`PATIENCE`].
///
/// # Panics
///
/// Panics with `what` at the deadline.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("waited {} s for {what}", PATIENCE.as_secs()),
    }
}
