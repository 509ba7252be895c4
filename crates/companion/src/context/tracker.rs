//! The context of all desks: the files that they report, and which of these agents know of at the moment.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use alongside_contract::context::IdeContext;
use alongside_desk::{ContextReport, SharedFile};
use tokio::time::Instant;

use super::debounce::Debounce;
use super::file_scan::ScanResult;
use super::open_files::{OpenFiles, shared_files};
use super::privacy::Privacy;
use crate::ids::DeskId;

#[derive(Debug)]
pub(crate) struct ContextTracker {
    files: OpenFiles,
    debounce: Debounce,
    /// Locked by scans only, never by the loop.
    privacy: Arc<Mutex<Privacy>>,
    scan: Option<RunningScan>,
    /// The context of agents as desks show it.
    shared_files: Vec<SharedFile>,
}

/// The scan that runs.
#[derive(Debug, Default)]
struct RunningScan {
    /// Files have changed since it began: another one has to follow.
    is_outdated: bool,
    /// Its result must not be told: other rules hold by now, or every desk has closed its files.
    is_void: bool,
}

/// All that a scan needs. It runs on a thread of its own, for it blocks.
#[derive(Debug)]
pub(crate) struct FileScan {
    files: OpenFiles,
    privacy: Arc<Mutex<Privacy>>,
}

impl FileScan {
    /// Looks at the disk. Blocks.
    pub(crate) fn run(self) -> ScanResult {
        self.files.scan(&mut self.privacy.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ContextTracker {
    pub(crate) fn new(files: OpenFiles, privacy: Privacy) -> Self {
        Self {
            files,
            debounce: Debounce::default(),
            privacy: Arc::new(Mutex::new(privacy)),
            scan: None,
            shared_files: Vec::new(),
        }
    }

    /// Takes in the report of a desk.
    pub(crate) fn report(&mut self, desk: DeskId, report: ContextReport) {
        self.files.report(desk, report);
        self.touch();
    }

    /// Stops telling agents, or continues. Fails with the reason that forbids it.
    pub(crate) fn pause(&mut self, paused: bool) -> Result<(), String> {
        self.files.pause(paused)?;
        self.touch();
        Ok(())
    }

    /// A desk left, and closed its files by that.
    pub(crate) fn leave(&mut self, desk: DeskId) {
        self.files.leave(desk);
        self.touch();
    }

    /// No desk has any file open any more.
    pub(crate) fn forget_all(&mut self) {
        self.files.forget_all();
        self.void_scan();
        self.touch();
    }

    fn touch(&mut self) {
        self.debounce.touch(Instant::now());
    }

    fn void_scan(&mut self) {
        self.scan.iter_mut().for_each(|scan| scan.is_void = true);
    }

    /// When the next context is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.debounce.deadline()
    }

    /// Whether files have to be scanned for the next context.
    pub(crate) fn on_deadline(&mut self, now: Instant) -> bool {
        self.debounce.take_due(now)
    }

    /// Begins a scan, which the caller runs; `None` while one runs, which another one will follow.
    pub(crate) fn begin_scan(&mut self) -> Option<FileScan> {
        if let Some(scan) = &mut self.scan {
            scan.is_outdated = true;
            return None;
        }
        self.scan = Some(RunningScan::default());
        Some(FileScan { files: self.files.clone(), privacy: self.privacy.clone() })
    }

    /// A scan has ended. Returns the new context, and whether another scan has to follow.
    pub(crate) fn end_scan(&mut self, result: ScanResult) -> (IdeContext, bool) {
        self.files.set_real_paths(result.real);
        let RunningScan { is_outdated, is_void } = self.scan.take().unwrap_or_default();
        // The context may have been paused meanwhile.
        let context = if is_void || self.files.is_paused() { self.files.no_files() } else { result.context };
        self.shared_files = shared_files(&context);
        (context, is_outdated)
    }

    /// Replaces the rules. Returns the context until files are scanned by the new ones: none.
    pub(crate) fn set_privacy(&mut self, privacy: Privacy) -> IdeContext {
        self.privacy = Arc::new(Mutex::new(privacy));
        self.void_scan();
        self.shared_files.clear();
        self.files.no_files()
    }

    /// Whether an editor holds unsaved changes to a file, whatever path it has there.
    pub(crate) fn is_dirty(&self, path: &str, real: &Path) -> bool {
        self.files.is_dirty(path, real)
    }

    /// Whether agents are told of no files now.
    pub(crate) fn is_paused(&self) -> bool {
        self.files.is_paused()
    }

    /// The files that agents know of, as desks show them.
    pub(crate) fn shared_files(&self) -> Vec<SharedFile> {
        // For a moment after a pause they are still the last ones.
        if self.files.is_paused() { Vec::new() } else { self.shared_files.clone() }
    }
}
