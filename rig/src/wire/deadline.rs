//! The deadline of every wait for a peer.

use std::future::Future;
use std::time::Duration;

/// How long anything may take before a test says what it was waiting for. Nothing ever asserts that it is
/// quick.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for something, and fails with what it was.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("waited {} s for {what}", PATIENCE.as_secs()),
    }
}
