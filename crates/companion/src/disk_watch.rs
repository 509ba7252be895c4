//! Says when to look at the disk again: after a change, or every second on a system that tells of no changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use alongside_platform::watch::Watch;
use tokio::time::Instant;

/// How soon files are scanned after a change, and how often the targets of waiting reviews are checked.
const SCAN_INTERVAL: Duration = Duration::from_secs(1);
/// How soon discovery files are checked after a change: cleaners remove them, and shared names get free.
const REPUBLISH_INTERVAL: Duration = Duration::from_secs(10);
/// A scan that begins this much late could not begin before: the process was stopped, or the machine slept.
const SUSPEND_THRESHOLD: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct DiskWatch {
    watch: Arc<Watch>,
    /// The directories of our own files, which others may remove.
    own_directories: Vec<PathBuf>,
    /// `None` while there is nothing to look at.
    next_scan: Option<Instant>,
    next_republish: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) scan: bool,
    pub(crate) republish: bool,
}

impl DiskWatch {
    /// Begins to watch the directories of our own files.
    pub(crate) fn begin(own_directories: Vec<PathBuf>) -> Self {
        Self { watch: Arc::new(Watch::begin()), own_directories, next_scan: None, next_republish: None }
    }

    /// The watch, and the directories of our own files: for a scan, which says what else to watch.
    pub(crate) fn watch(&self) -> (Arc<Watch>, Vec<PathBuf>) {
        (self.watch.clone(), self.own_directories.clone())
    }

    pub(crate) async fn changed(&self) {
        if self.next_scan.is_some() && self.next_republish.is_some() {
            // Both looks are planned already, and most changes come in many steps.
            return std::future::pending().await;
        }
        self.watch.changed().await;
    }

    pub(crate) fn plan_looks(&mut self, now: Instant) {
        self.next_scan.get_or_insert(now + SCAN_INTERVAL);
        self.next_republish.get_or_insert(now + REPUBLISH_INTERVAL);
    }

    /// Plans the looks for which there is a reason before the system tells of a change: time runs out for an
    /// agent or a review, or our own files are not as they should be. Without one, nobody wakes.
    pub(crate) fn plan_looks_for(&mut self, now: Instant, time_runs_out: bool, own_files_incomplete: bool) {
        let is_deaf = self.watch.is_deaf();
        if time_runs_out || is_deaf {
            self.next_scan.get_or_insert(now + SCAN_INTERVAL);
        }
        if own_files_incomplete || is_deaf {
            self.next_republish.get_or_insert(now + REPUBLISH_INTERVAL);
        }
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        [self.next_scan, self.next_republish].into_iter().flatten().min()
    }

    /// How long the process was stopped, if it was. The next scan is due at once then.
    pub(crate) fn suspended_for(&mut self, now: Instant) -> Option<Duration> {
        let late = now.saturating_duration_since(self.next_scan?);
        (late >= SUSPEND_THRESHOLD).then(|| {
            self.next_scan = Some(now);
            late
        })
    }

    pub(crate) fn on_deadline(&mut self, now: Instant) -> Due {
        Due {
            scan: self.next_scan.take_if(|at| *at <= now).is_some(),
            republish: self.next_republish.take_if(|at| *at <= now).is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn nobody_wakes_without_a_reason() {
        let mut disk = DiskWatch::begin(Vec::new());
        disk.plan_looks_for(Instant::now(), false, false);
        // Where the system tells of no changes, looking is the only way.
        assert_eq!(disk.deadline().is_some(), disk.watch.is_deaf());
    }

    #[tokio::test(start_paused = true)]
    async fn looks_are_due_at_their_intervals() {
        let mut disk = DiskWatch::begin(Vec::new());
        let start = Instant::now();
        disk.plan_looks(start);
        assert_eq!(disk.deadline(), Some(start + SCAN_INTERVAL));
        assert_eq!(disk.on_deadline(start + SCAN_INTERVAL), Due { scan: true, republish: false });
        assert_eq!(disk.on_deadline(start + REPUBLISH_INTERVAL), Due { scan: false, republish: true });
        assert_eq!(disk.deadline(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_scan_shows_that_the_process_was_stopped() {
        let mut disk = DiskWatch::begin(Vec::new());
        let start = Instant::now();
        disk.plan_looks(start);
        assert_eq!(disk.suspended_for(start + SUSPEND_THRESHOLD), None);
        let gap = Duration::from_secs(60);
        assert_eq!(disk.suspended_for(start + SCAN_INTERVAL + gap), Some(gap));
        assert_eq!(disk.next_scan, Some(start + SCAN_INTERVAL + gap), "the scan is due at once");
    }
}
