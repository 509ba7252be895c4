//! The context of all desks: the files that they report, and the part of these that agents know of now.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alongside_contract::context::IdeContext;
use alongside_desk::{ContextReport, SharedFile};
use tokio::time::Instant;

use super::debounce::Debounce;
use super::file_scan::{Looks, ScanResult};
use super::open_files::{OpenFiles, shared_files};
use super::privacy::Privacy;
use crate::ids::DeskId;

/// How long the looks of a scan count, while the cursor moves in the same files. A change that the system
/// reports ends them at once.
const LOOKS_VALID: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct ContextTracker {
    files: OpenFiles,
    debounce: Debounce,
    /// Locked by scans only, never by the loop.
    privacy: Arc<Mutex<Privacy>>,
    scan: Option<RunningScan>,
    /// The looks of the last scan, and until when they count.
    looks: Option<(Looks, Instant)>,
    told: IdeContext,
}

#[derive(Debug)]
struct RunningScan {
    began: Instant,
    /// Whether the disk has changed since the scan began.
    is_stale: bool,
    /// Whether other files were reported since the scan began, so that another scan has to follow.
    is_outdated: bool,
    /// Whether agents must not get the result: other rules hold by now, or every desk has closed its files.
    is_void: bool,
}

/// The input of a scan, which blocks and runs on a thread of its own.
#[derive(Debug)]
pub(crate) struct FileScan {
    files: OpenFiles,
    privacy: Arc<Mutex<Privacy>>,
}

impl FileScan {
    /// Looks at the disk. Blocks.
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
            looks: None,
            told: IdeContext::default(),
        }
    }

    pub(crate) fn report(&mut self, desk: DeskId, report: ContextReport) {
        self.files.report(desk, report);
        self.touch();
    }

    /// Makes the cursor of a desk, to which the person has turned, the one that agents know.
    pub(crate) fn focus(&mut self, desk: DeskId) {
        if self.files.focus(desk) {
            self.touch();
        }
    }

    /// Pauses or resumes the context. Fails with the reason that forbids it.
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

    /// Forgets the looks of the last scan, since the disk has changed: the next context needs a scan.
    pub(crate) fn forget_looks(&mut self) {
        self.looks = None;
        if let Some(scan) = &mut self.scan {
            scan.is_stale = true;
        }
    }

    fn void_scan(&mut self) {
        self.forget_looks();
        if let Some(scan) = &mut self.scan {
            scan.is_void = true;
        }
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.debounce.deadline()
    }

    /// Whether the next context is due.
    pub(crate) fn on_deadline(&mut self, now: Instant) -> bool {
        self.debounce.take_due(now)
    }

    /// The new context, if the last scan has looked at the same files a moment ago; `None` if it needs a
    /// scan.
    pub(crate) fn without_scan(&mut self, now: Instant) -> Option<IdeContext> {
        let (looks, _) = self.looks.as_ref().filter(|(_, until)| now < *until && self.scan.is_none())?;
        let context = self.files.context_by(looks)?;
        self.told = context.clone();
        Some(context)
    }

    /// Begins a scan, which the caller runs. `None` while another scan runs: then one follows that.
    pub(crate) fn begin_scan(&mut self) -> Option<FileScan> {
        if let Some(scan) = &mut self.scan {
            scan.is_outdated = true;
            return None;
        }
        let began = Instant::now();
        self.scan = Some(RunningScan { began, is_stale: false, is_outdated: false, is_void: false });
        Some(FileScan { files: self.files.clone(), privacy: self.privacy.clone() })
    }

    /// A scan has ended. Returns the new context, and whether another scan has to follow.
    pub(crate) fn end_scan(&mut self, result: ScanResult) -> (IdeContext, bool) {
        self.files.set_real_paths(result.real);
        let Some(scan) = self.scan.take() else { return (self.files.no_files(), true) };
        // The context may have been paused meanwhile.
        let is_untold = scan.is_void || self.files.is_paused();
        self.looks = (!is_untold && !scan.is_stale).then_some((result.looks, scan.began + LOOKS_VALID));
        let context = if is_untold { self.files.no_files() } else { result.context };
        self.told = context.clone();
        (context, scan.is_outdated)
    }

    /// Replaces the rules. Returns the context until files are scanned by the new ones: none.
    pub(crate) fn set_privacy(&mut self, privacy: Privacy) -> IdeContext {
        self.privacy = Arc::new(Mutex::new(privacy));
        self.void_scan();
        self.told = self.files.no_files();
        self.told.clone()
    }

    pub(crate) fn is_dirty(&self, path: &str, real: &Path) -> bool {
        self.files.is_dirty(path, real)
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.files.is_paused()
    }

    /// The rules, for a task that may block.
    pub(crate) fn privacy(&self) -> Arc<Mutex<Privacy>> {
        self.privacy.clone()
    }

    /// The context that agents know.
    pub(crate) fn told(&self) -> IdeContext {
        // For a moment after a pause it is still the last one.
        if self.files.is_paused() { self.files.no_files() } else { self.told.clone() }
    }

    /// The files that agents know of, as desks show them.
    pub(crate) fn shared_files(&self) -> Vec<SharedFile> {
        // For a moment after a pause the context is still the last one.
        if self.files.is_paused() { Vec::new() } else { shared_files(&self.told) }
    }

    /// The files that agents know of and that have unsaved changes.
    pub(crate) fn dirty_files(&self) -> BTreeSet<String> {
        let told = self.told();
        let dirty = told.open_files().iter().filter(|file| self.is_dirty(&file.path, Path::new(&file.path)));
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
    fn moved(tracker: &mut ContextTracker, file: &Path, line: u32) {
        let cursor = Some(Position { line, character: 0 });
        let active =
            ActiveFile { path: file.to_str().unwrap().to_owned(), cursor, anchor: None, selected_text: None };
        tracker.report(DESK, ContextReport { active: Some(active), ..ContextReport::default() });
    }

    fn scanned(tracker: &mut ContextTracker) {
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
        moved(&mut tracker, &file, 0);
        assert_eq!(tracker.without_scan(now), None, "nobody has looked at the file");
        scanned(&mut tracker);
        moved(&mut tracker, &file, 7);
        assert_eq!(tracker.without_scan(now).and_then(line), Some(8));
        assert_eq!(tracker.shared_files()[0].cursor.unwrap().line, 7, "desks see it as well");
        assert_eq!(tracker.without_scan(now + LOOKS_VALID), None);
        moved(&mut tracker, &other, 0);
        assert_eq!(tracker.without_scan(now), None, "nobody has looked at the other file");
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_on_disk_or_a_closed_file_needs_a_scan() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a.rs");
        std::fs::write(&file, "").unwrap();
        let mut tracker = tracker(home.path());
        let now = Instant::now();
        moved(&mut tracker, &file, 0);
        scanned(&mut tracker);
        tracker.forget_looks();
        assert_eq!(tracker.without_scan(now), None);

        let scan = tracker.begin_scan().unwrap();
        tracker.forget_looks();
        tracker.end_scan(scan.run());
        assert_eq!(tracker.without_scan(now), None, "the disk has changed during the scan");

        scanned(&mut tracker);
        assert!(tracker.without_scan(now).is_some());
        tracker.leave(DESK);
        assert_eq!(tracker.without_scan(now), None, "its directory need not be watched any more");
    }
}
