//! The context of all desks: the files that they report, and the part of them that agents know now.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alongside_contract::context::IdeContext;
use alongside_desk::{ContextReport, SharedFile};
use tokio::time::Instant;

use super::debounce::Debounce;
use super::file_scan::{FileChecks, ScanResult};
use super::open_files::{OpenFiles, shared_files};
use super::privacy::Privacy;
use crate::ids::DeskId;

/// The time for which the checks of a scan are valid, while the cursor moves in the same files. A change that
/// the system reports ends it at once.
const CHECKS_VALIDITY: Duration = Duration::from_secs(1);

/// The files of all desks, the scan that is under way, and the context that agents know.
#[derive(Debug)]
pub(crate) struct ContextTracker {
    files: OpenFiles,
    debounce: Debounce,
    /// Only scans lock the rules; the main loop never does.
    privacy: Arc<Mutex<Privacy>>,
    scan: Option<RunningScan>,
    /// The checks of the last scan, and the end of their validity.
    checks: Option<(FileChecks, Instant)>,
    last_sent: IdeContext,
}

/// The scan that is under way.
#[derive(Debug)]
struct RunningScan {
    began: Instant,
    /// Whether the disk has changed since the scan began.
    is_stale: bool,
    /// Whether other files were reported since the scan began, so that another scan has to follow.
    is_outdated: bool,
    /// Whether agents must not get the result, because the rules have changed or every desk has closed its
    /// files.
    is_void: bool,
}

/// The input of a scan, which blocks and runs on a thread of its own.
#[derive(Debug)]
pub(crate) struct FileScan {
    files: OpenFiles,
    privacy: Arc<Mutex<Privacy>>,
}

impl FileScan {
    /// Checks the files on disk. Blocks.
    pub(crate) fn run(self) -> ScanResult {
        self.files.scan(&self.privacy.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ContextTracker {
    pub(crate) fn new(files: OpenFiles, privacy: Privacy) -> Self {
        Self {
            files,
            debounce: Debounce::default(),
            privacy: Arc::new(Mutex::new(privacy)),
            scan: None,
            checks: None,
            last_sent: IdeContext::default(),
        }
    }

    pub(crate) fn report(&mut self, desk: DeskId, report: ContextReport) {
        self.files.report(desk, report);
        self.touch();
    }

    /// Gives agents the cursor of the desk that has got the focus.
    pub(crate) fn focus(&mut self, desk: DeskId) {
        if self.files.focus(desk) {
            self.touch();
        }
    }

    /// Pauses or resumes the context. Fails with the reason why it cannot be resumed.
    pub(crate) fn pause(&mut self, paused: bool) -> Result<(), String> {
        self.files.pause(paused)?;
        self.touch();
        Ok(())
    }

    pub(crate) fn leave(&mut self, desk: DeskId) {
        self.files.leave(desk);
        self.touch();
    }

    pub(crate) fn forget_all(&mut self) {
        self.files.forget_all();
        self.void_scan();
        self.touch();
    }

    fn touch(&mut self) {
        self.debounce.touch(Instant::now());
    }

    /// Discards the checks of the last scan because the disk has changed, so that the next context needs a
    /// scan.
    pub(crate) fn forget_scan(&mut self) {
        self.checks = None;
        if let Some(scan) = &mut self.scan {
            scan.is_stale = true;
        }
    }

    fn void_scan(&mut self) {
        self.forget_scan();
        if let Some(scan) = &mut self.scan {
            scan.is_void = true;
        }
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.debounce.deadline()
    }

    /// Takes a due update. Returns whether the next context is due.
    pub(crate) fn on_deadline(&mut self, now: Instant) -> bool {
        self.debounce.take_due(now)
    }

    /// Returns the new context, if valid checks cover the same files; `None` if the context needs a scan.
    pub(crate) fn update_without_scan(&mut self, now: Instant) -> Option<IdeContext> {
        let (checks, _) = self.checks.as_ref().filter(|(_, until)| now < *until && self.scan.is_none())?;
        let context = self.files.context_by(checks)?;
        self.last_sent = context.clone();
        Some(context)
    }

    /// Begins a scan, which the caller runs. Returns `None` while another scan runs; a new scan follows that
    /// one.
    pub(crate) fn begin_scan(&mut self) -> Option<FileScan> {
        if let Some(scan) = &mut self.scan {
            scan.is_outdated = true;
            return None;
        }
        let began = Instant::now();
        self.scan = Some(RunningScan { began, is_stale: false, is_outdated: false, is_void: false });
        Some(FileScan { files: self.files.clone(), privacy: self.privacy.clone() })
    }

    /// Ends a scan. Returns the new context, and whether another scan has to follow.
    pub(crate) fn end_scan(&mut self, result: ScanResult) -> (IdeContext, bool) {
        self.files.set_real_paths(result.real);
        let Some(scan) = self.scan.take() else { return (self.files.no_files(), true) };
        // The context may have been paused meanwhile.
        let is_withheld = scan.is_void || self.files.is_paused();
        self.checks =
            (!is_withheld && !scan.is_stale).then_some((result.checks, scan.began + CHECKS_VALIDITY));
        let context = if is_withheld { self.files.no_files() } else { result.context };
        self.last_sent = context.clone();
        (context, scan.is_outdated)
    }

    /// Replaces the rules. Returns the context until the files are scanned by the new rules: no files.
    pub(crate) fn set_privacy(&mut self, privacy: Privacy) -> IdeContext {
        self.privacy = Arc::new(Mutex::new(privacy));
        self.void_scan();
        self.last_sent = self.files.no_files();
        self.last_sent.clone()
    }

    pub(crate) fn is_dirty(&self, path: &str, real: &Path) -> bool {
        self.files.is_dirty(path, real)
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.files.is_paused()
    }

    /// Returns the rules, for a task that may block.
    pub(crate) fn privacy(&self) -> Arc<Mutex<Privacy>> {
        self.privacy.clone()
    }

    /// Returns the context that agents know.
    pub(crate) fn last_sent(&self) -> IdeContext {
        // Shortly after a pause, `last_sent` still has files.
        if self.files.is_paused() { self.files.no_files() } else { self.last_sent.clone() }
    }

    /// Returns the files that agents know, as desks show them.
    pub(crate) fn shared_files(&self) -> Vec<SharedFile> {
        // Shortly after a pause, `last_sent` still has files.
        if self.files.is_paused() { Vec::new() } else { shared_files(&self.last_sent) }
    }

    /// Returns the files that agents know and that have unsaved changes.
    pub(crate) fn dirty_files(&self) -> BTreeSet<String> {
        let context = self.last_sent();
        let dirty =
            context.open_files().iter().filter(|file| self.is_dirty(&file.path, Path::new(&file.path)));
        dirty.map(|file| file.path.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{ActiveFile, Position};

    use super::*;
    use crate::config::Workspace;
    use crate::persistence::app_dirs::AppDirs;

    const DESK: DeskId = DeskId(1);

    fn tracker(home: &Path) -> ContextTracker {
        let workspace = Workspace { roots: vec![home.to_owned()], ..Workspace::default() };
        let privacy = Privacy::new(&workspace, false, &AppDirs::below(home)).unwrap();
        ContextTracker::new(OpenFiles::new(None), privacy)
    }

    /// Moves the cursor to a line of a file.
    fn move_cursor(tracker: &mut ContextTracker, file: &Path, line: u32) {
        let cursor = Some(Position { line, character: 0 });
        let active =
            ActiveFile { path: file.to_str().unwrap().to_owned(), cursor, anchor: None, selected_text: None };
        tracker.report(DESK, ContextReport { active: Some(active), ..ContextReport::default() });
    }

    fn run_scan(tracker: &mut ContextTracker) {
        let result = tracker.begin_scan().unwrap().run();
        tracker.end_scan(result);
    }

    fn line(context: IdeContext) -> Option<u32> {
        context.workspace_state?.open_files?.first()?.cursor.map(|cursor| cursor.line)
    }

    #[tokio::test(start_paused = true)]
    async fn a_cursor_that_moves_in_the_same_file_needs_no_scan_for_a_second() {
        let home = tempfile::tempdir().unwrap();
        let [file, other] = ["a.rs", "b.rs"].map(|name| home.path().join(name));
        std::fs::write(&file, "").unwrap();
        let mut tracker = tracker(home.path());
        let now = Instant::now();
        move_cursor(&mut tracker, &file, 0);
        assert_eq!(tracker.update_without_scan(now), None, "no scan has checked the file");
        run_scan(&mut tracker);
        move_cursor(&mut tracker, &file, 7);
        assert_eq!(tracker.update_without_scan(now).and_then(line), Some(8));
        assert_eq!(tracker.shared_files()[0].cursor.unwrap().line, 7, "desks get the new line as well");
        assert_eq!(tracker.update_without_scan(now + CHECKS_VALIDITY), None);
        move_cursor(&mut tracker, &other, 0);
        assert_eq!(tracker.update_without_scan(now), None, "no scan has checked the other file");
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_on_disk_or_a_closed_file_needs_a_scan() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a.rs");
        std::fs::write(&file, "").unwrap();
        let mut tracker = tracker(home.path());
        let now = Instant::now();
        move_cursor(&mut tracker, &file, 0);
        run_scan(&mut tracker);
        tracker.forget_scan();
        assert_eq!(tracker.update_without_scan(now), None);

        let scan = tracker.begin_scan().unwrap();
        tracker.forget_scan();
        tracker.end_scan(scan.run());
        assert_eq!(tracker.update_without_scan(now), None, "the disk has changed during the scan");

        run_scan(&mut tracker);
        assert!(tracker.update_without_scan(now).is_some());
        tracker.leave(DESK);
        assert_eq!(tracker.update_without_scan(now), None, "its directory must no longer be watched");
    }
}
