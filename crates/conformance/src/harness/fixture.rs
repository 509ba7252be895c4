//! The state that all checks of a run share: the companion, the driver, temporary files, and everything that
//! must be closed at the end.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alongside_contract::discovery::split_roots;
use alongside_platform::paths::Canonical as _;
use serde_json::Value;

use crate::cleanup::editor_cleanup::EditorCleanup;
use crate::cleanup::session_cleanup::Cleanup;
use crate::cleanup::websocket_count::Connections;
use crate::companion::Companion;
use crate::discovery::target::Target;
use crate::driver::Driver;
use crate::harness::scenes::Scenes;
use crate::harness::unanswered_diffs::Unanswered;
use crate::http::stream_rules::StreamRules;
use crate::mutex::lock;
use crate::time::timeouts::Timeouts;

/// The state that all checks of a run share.
pub(crate) struct Fixture<'b> {
    pub(crate) target: &'b Target,
    pub(crate) timeouts: Timeouts,
    pub(crate) rules: Arc<StreamRules>,
    pub(crate) scenes: Scenes,
    pub(crate) driver: Option<&'b dyn Driver>,
    server: Mutex<Option<Value>>,
    scratch: tempfile::TempDir,
    pub(crate) cleanup: Cleanup,
    /// The WebSockets that are open.
    pub(crate) connections: Connections,
    pub(crate) editor_cleanup: EditorCleanup,
    cases: AtomicUsize,
    /// The failures of the driver.
    pub(crate) failures: Mutex<Vec<String>>,
    /// The calls of `openDiff` without an answer.
    pub(crate) unanswered: Unanswered,
    /// Set once the companion has answered an agent that connected while another one was connected.
    pub(crate) newest_is_served: AtomicBool,
}

impl<'b> Fixture<'b> {
    pub(crate) fn new(
        target: &'b Target,
        timeouts: Timeouts,
        driver: Option<&'b dyn Driver>,
    ) -> std::io::Result<Self> {
        let mut scratch = tempfile::Builder::new();
        let scratch = scratch.prefix("alongside-check-");
        let scratch = scratch.tempdir_in(&target.here.tmp).or_else(|_| scratch.tempdir())?;
        Ok(Self {
            target,
            timeouts,
            driver,
            scratch,
            rules: Arc::default(),
            scenes: Scenes::default(),
            server: Mutex::default(),
            cleanup: Cleanup::default(),
            connections: Connections::default(),
            editor_cleanup: EditorCleanup::default(),
            cases: AtomicUsize::new(0),
            failures: Mutex::default(),
            unanswered: Unanswered::default(),
            newest_is_served: false.into(),
        })
    }

    /// Returns the reason why a check with these needs cannot run, if there is one.
    pub(crate) fn lacks(&self, needs: &[&str]) -> Option<String> {
        (!needs.is_empty() && self.driver.is_none())
            .then(|| "it needs somebody at the editor; run it in a terminal or with --drive".into())
    }

    /// Records the result of `initialize`, which names the companion.
    pub(crate) fn set_server(&self, initialized: Value) {
        *lock(&self.server) = Some(initialized);
    }

    /// Returns the number of the next case.
    pub(crate) fn next_case(&self) -> usize {
        self.cases.fetch_add(1, Ordering::Relaxed)
    }

    /// Describes the companion for the report.
    pub(crate) fn companion(&self) -> Companion {
        let server = lock(&self.server);
        let server = server.as_ref().and_then(|result| {
            let info = &result["serverInfo"];
            let version = info["version"].as_str().unwrap_or_default();
            Some(format!("{} {version}", info["name"].as_str()?).trim_end().to_owned())
        });
        let record = &self.target.record;
        let editor = record.ide_info.as_ref().map(|info| info.display_name.clone());
        Companion {
            address: format!("{}:{}", self.target.host, record.port),
            server,
            editor: editor.filter(|name| !name.is_empty()),
            file: self.target.file.clone(),
        }
    }

    /// Returns the directory of files that the editor may open. It is deleted at the end of the run.
    pub(crate) fn scratch(&self) -> PathBuf {
        // Agents and editors use real paths, with links resolved.
        self.scratch.path().canonical().unwrap_or_else(|_| self.scratch.path().to_owned())
    }

    /// Returns the directory of the proposals' files. It is in the project, and does not exist.
    pub(crate) fn nowhere(&self) -> PathBuf {
        let name = self.scratch.path().file_name().unwrap_or_default().to_owned();
        let mut roots = split_roots(&self.target.record.workspace_path).map(Path::new);
        match roots.find(|root| root.is_absolute() && root.is_dir()) {
            Some(root) => root.join(name),
            None => self.scratch().join("proposals"),
        }
    }

    /// Returns the longest wait for the answer to a request that closes a diff or ends a session.
    pub(crate) fn patience(&self) -> Duration {
        self.timeouts.answer.min(Duration::from_secs(2))
    }

    /// Closes everything that is open, and removes files that the companion wrote in the directory that did
    /// not exist.
    pub(crate) async fn tidy_up(&self) {
        self.cleanup.give_all_back(self.patience()).await;
        self.connections.have_ended(self.patience()).await;
        if let Some(driver) = self.driver.filter(|driver| driver.tidies_up()) {
            self.editor_cleanup.close(driver).await;
        }
        // No other program uses this name: a file in it was written by the companion after an acceptance.
        let _ = std::fs::remove_dir_all(self.nowhere());
    }
}
