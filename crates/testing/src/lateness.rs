//! The delay of sleeping threads on a busy machine: all other work of a test is delayed by at least as much.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The sum of the delays, which a thread measures as long as this value lives.
#[derive(Debug)]
pub struct Lateness(Arc<AtomicU64>);

impl Lateness {
    /// Starts to measure.
    pub fn begin() -> Self {
        const NAP: Duration = Duration::from_millis(10);
        let late = Arc::new(AtomicU64::new(0));
        let sum = Arc::downgrade(&late);
        std::thread::spawn(move || {
            loop {
                let began = Instant::now();
                std::thread::sleep(NAP);
                let Some(sum) = sum.upgrade() else { return };
                let over = began.elapsed().saturating_sub(NAP);
                sum.fetch_add(over.as_micros().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
            }
        });
        Self(late)
    }

    /// Returns the sum of all delays until now.
    pub fn so_far(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}
