//! The times at which the disk is checked: after a change, or every second on a system that reports no
//! changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use alongside_platform::watch::Watch;
use tokio::time::Instant;

/// The time from a change to the scan of files and the check of the targets of waiting reviews.
const SCAN_INTERVAL: Duration = Duration::from_secs(1);
/// The time from a change to the check of discovery files: cleaners remove them, and shared names get free.
const REPUBLISH_INTERVAL: Duration = Duration::from_secs(10);
/// The delay from which a scan shows a suspension: the process was stopped, or the machine slept.
const SUSPEND_THRESHOLD: Duration = Duration::from_secs(5);

/// The watch of the disk, and the times of the next checks.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    watch: Arc<Watch>,
    /// The directories of our own files, which other programs may remove.
    own_directories: Vec<PathBuf>,
    /// `None` while no scan is planned.
    next_scan: Option<Instant>,
    next_republish: Option<Instant>,
}

/// The checks that are due.
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

    /// Returns the watch and the directories of our own files, for a scan, whose result has further paths to
    /// watch.
    pub(crate) fn watch(&self) -> (Arc<Watch>, Vec<PathBuf>) {
        (self.watch.clone(), self.own_directories.clone())
    }

    /// Waits for a change after which a check is to be planned.
    pub(crate) async fn wait_for_change(&self) {
        if self.next_scan.is_some() && self.next_republish.is_some() {
            // Both checks are planned already, and most changes come in many steps.
            return std::future::pending().await;
        }
        self.watch.changed().await;
    }

    /// Plans both checks after a change.
    pub(crate) fn plan_checks(&mut self, now: Instant) {
        self.next_scan.get_or_insert(now + SCAN_INTERVAL);
        self.next_republish.get_or_insert(now + REPUBLISH_INTERVAL);
    }

    /// Plans the checks that are needed even if the system reports no change: an agent or a review runs out
    /// of time, or our own files are incomplete. Without such a reason, the loop does not wake.
    pub(crate) fn plan_needed_checks(
        &mut self,
        now: Instant,
        time_runs_out: bool,
        own_files_incomplete: bool,
    ) {
        let may_miss_changes = self.watch.may_miss_changes();
        if time_runs_out || may_miss_changes {
            self.next_scan.get_or_insert(now + SCAN_INTERVAL);
        }
        if own_files_incomplete || may_miss_changes {
            self.next_republish.get_or_insert(now + REPUBLISH_INTERVAL);
        }
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        [self.next_scan, self.next_republish].into_iter().flatten().min()
    }

    /// Returns the time for which the process was stopped, if it was. The scan is then due at once.
    pub(crate) fn take_suspension(&mut self, now: Instant) -> Option<Duration> {
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
    async fn no_check_is_planned_without_a_reason() {
        let mut disk = DiskWatch::begin(Vec::new());
        disk.plan_needed_checks(Instant::now(), false, false);
        // Where the system reports no changes, only regular checks find them.
        assert_eq!(disk.deadline().is_some(), disk.watch.may_miss_changes());
    }

    #[tokio::test(start_paused = true)]
    async fn checks_are_due_at_their_intervals() {
        let mut disk = DiskWatch::begin(Vec::new());
        let start = Instant::now();
        disk.plan_checks(start);
        assert_eq!(disk.deadline(), Some(start + SCAN_INTERVAL));
        assert_eq!(disk.on_deadline(start + SCAN_INTERVAL), Due { scan: true, republish: false });
        assert_eq!(disk.on_deadline(start + REPUBLISH_INTERVAL), Due { scan: false, republish: true });
        assert_eq!(disk.deadline(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_scan_shows_that_the_process_was_stopped() {
        let mut disk = DiskWatch::begin(Vec::new());
        let start = Instant::now();
        disk.plan_checks(start);
        assert_eq!(disk.take_suspension(start + SUSPEND_THRESHOLD), None);
        let gap = Duration::from_secs(60);
        assert_eq!(disk.take_suspension(start + SCAN_INTERVAL + gap), Some(gap));
        assert_eq!(disk.next_scan, Some(start + SCAN_INTERVAL + gap), "the scan is due at once");
    }
}
