//! Sleeping until a deadline that may not exist.

use tokio::time::Instant;

/// Returns at `deadline`; never without one.
pub(crate) async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
