//! Removes the files of alongside itself: discovery files, sockets, journal, logs, snapshots. A running
//! companion keeps its files; a companion that only waits is ended.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use alongside_adapters::change;
use alongside_adapters::editors::EDITORS;
use alongside_adapters::user_environment::UserEnvironment;
use alongside_common::runtime_dirs::RuntimeDirs;
use alongside_companion::AppDirs;
use alongside_companion::drafts::Drafts;
use alongside_desk::socket::Report;
use alongside_host::Registry;
use alongside_turns::{Error, TurnDirs};
use anyhow::Context as _;

use crate::commands::{note, waiting_host};

/// The directories below our state that are removed. Drafts are not among them, because they need a consent
/// of their own.
const STATE_DIRECTORIES: [&str; 3] = ["journal", "log", "reserve"];

/// The longest wait for a store of turns that a hook uses.
pub(super) const STORE_TIMEOUT: Duration = Duration::from_secs(10);

/// The files and the processes of alongside itself.
pub(super) struct OwnFiles {
    /// The directories with our files only.
    directories: Vec<PathBuf>,
    /// The working trees with snapshots in a store.
    stored: Vec<PathBuf>,
    /// The companions that have a party.
    running: Vec<Report>,
    /// The companions that only wait for an editor or a desk.
    waiting: Vec<Report>,
}

/// Runs a job on the stores of turns, which may block.
pub(super) async fn in_stores<T: Send + 'static>(
    job: impl FnOnce(TurnDirs) -> Result<T, Error> + Send + 'static,
) -> anyhow::Result<T> {
    Ok(tokio::task::spawn_blocking(|| job(TurnDirs::of_this_process())).await??)
}

/// Returns each directory with our files only. A directory may be missing.
fn own_directories(user: &UserEnvironment) -> Vec<PathBuf> {
    let state = STATE_DIRECTORIES.iter().map(|name| user.state.join(name));
    let of_adapters = EDITORS.iter().filter_map(|editor| editor.own_directory.map(|path| path(user)));
    let sockets = RuntimeDirs::of_this_process();
    let mut sockets: Vec<_> = sockets.existing().map(|directory| directory.path().to_owned()).collect();
    // A directory may occur twice.
    sockets.sort();
    sockets.dedup();
    state.chain(of_adapters).chain(sockets).collect()
}

impl OwnFiles {
    /// Finds the files. While a companion runs, none of them can be removed.
    pub(super) async fn find(user: &UserEnvironment) -> Self {
        let (waiting, running): (Vec<_>, _) =
            alongside_host::reports().await.into_iter().partition(waiting_host::only_waits);
        let mut directories = if running.is_empty() { own_directories(user) } else { Vec::new() };
        directories.retain(|path| std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()));
        let stored = if running.is_empty() {
            in_stores(|places| Ok(alongside_turns::stored(&places))).await
        } else {
            Ok(Vec::new())
        };
        Self { directories, stored: stored.unwrap_or_default(), running, waiting }
    }

    /// Whether there is nothing to remove or to end, apart from stale discovery files, which are not listed.
    pub(super) fn is_empty(&self) -> bool {
        self.directories.is_empty() && self.stored.is_empty() && self.waiting.is_empty()
    }

    /// Returns the list that a person reads before they agree.
    pub(super) fn preview(&self, user: &UserEnvironment) -> String {
        let has_nothing = self.is_empty() && self.running.is_empty();
        let mut text = if has_nothing { String::new() } else { "Files of alongside itself:\n".into() };
        let projects = |report: &Report| {
            let roots: Vec<_> = report.status.roots.iter().map(|root| user.shown(root)).collect();
            roots.join(", ")
        };
        for report in &self.waiting {
            let (pid, waits) = (report.status.pid, waiting_host::wait_words(report));
            text.push_str(&format!(
                "  end      the companion of {} (process {pid}), which {waits}\n",
                projects(report)
            ));
        }
        for directory in &self.directories {
            text.push_str(&format!("  remove   {}\n", user.shown(directory)));
        }
        for top in &self.stored {
            text.push_str(&format!("  remove   the snapshots of turns in {}\n", user.shown(top)));
        }
        for report in &self.running {
            let pid = report.status.pid;
            text.push_str(&format!(
                "  stays    the companion of {} (process {pid}), which runs, and its files\n           \
                 (end it with `alongside host --stop {pid}`, then run `alongside uninstall --all`)\n",
                projects(report)
            ));
        }
        text
    }

    /// Ends the waiting companions, and removes the directories and the discovery files of companions that do
    /// not answer.
    pub(super) async fn remove(self, user: &UserEnvironment) -> anyhow::Result<()> {
        self.end_waiting().await?;
        let dirs = AppDirs::of_this_process();
        for path in alongside_companion::remove_stale_files(&dirs) {
            // A directory with files of other programs stays.
            let _ = std::fs::remove_dir(path.parent().unwrap_or(Path::new("/")));
        }
        if self.running.is_empty() && !alongside_host::reports().await.is_empty() {
            note("a companion is in use again, so its files stay; run `alongside uninstall --all` later");
            return Ok(());
        }
        // A companion that has ended may have removed a directory itself.
        for directory in self.directories.iter().filter(|path| path.is_dir()) {
            std::fs::remove_dir_all(directory)
                .with_context(|| format!("cannot remove {}", directory.display()))?;
        }
        if !self.stored.is_empty() {
            let clear =
                |places: TurnDirs| alongside_turns::clear_all(&places, Instant::now() + STORE_TIMEOUT);
            in_stores(clear).await.context("cannot remove the snapshots of turns")?;
        }
        self.remove_empty(user);
        Ok(())
    }

    /// Removes our empty directories, unless a companion runs, which keeps them.
    pub(super) fn remove_empty(&self, user: &UserEnvironment) {
        if !self.running.is_empty() {
            return;
        }
        let drafts = Drafts::open(&AppDirs::of_this_process()).directory();
        let inner = own_directories(user).into_iter().chain([drafts]);
        change::remove_empty(&std::iter::once(user.state.clone()).chain(inner).collect::<Vec<_>>());
        alongside_companion::remove_empty_directories(&AppDirs::of_this_process());
    }

    /// Ends the companions that still wait. A companion may have got a party while the person read the list.
    async fn end_waiting(&self) -> anyhow::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let was_shown = |now: &Report| self.waiting.iter().any(|shown| shown.name == now.name);
        let still_waits = |now: &Report| waiting_host::only_waits(now) && was_shown(now);
        let waiting: Vec<Report> = alongside_host::reports().await.into_iter().filter(still_waits).collect();
        for entry in Registry::of_this_process().entries() {
            if waiting.iter().any(|report| report.name == entry.name) {
                alongside_host::stop(&entry).await?;
            }
        }
        Ok(())
    }
}
