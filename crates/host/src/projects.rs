//! The projects of a host, with their settings and the watcher of saved files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use alongside_common::settings::Settings;
use alongside_companion::{Companion, DeskProfile, StartError, Workspace};
use alongside_desk::Problem;
use alongside_platform::paths::real;
use alongside_turns::TurnDirs;
use tokio::task::AbortHandle;

use super::problem_reports::{settings_are_gone, settings_are_read, unreadable};
use super::project_paths::{holds, holds_in_project};
use crate::save_watcher::{self, SaveFilter};

/// Roots with their settings.
pub(super) struct Projects {
    settings: Settings,
    /// The project that the host was started for, unless an editor has closed it.
    own: Option<PathBuf>,
    /// The latest projects of its desks.
    followed: Option<Vec<PathBuf>>,
    roots: Vec<PathBuf>,
    /// Projects whose settings cannot be read, and the reason. Agents get no file of them.
    unread: Vec<(PathBuf, Problem)>,
    /// Projects whose settings could not be read at some time. Their settings are read again until the host
    /// ends, so that the host applies them once the person has corrected them.
    once_unread: BTreeSet<PathBuf>,
    /// The task that reports saved files while no desk reports the open ones.
    save_watcher: Option<AbortHandle>,
    /// The desks that report open files. They know the cursor, which saved files do not show.
    reporting: BTreeSet<u64>,
}

impl Projects {
    pub(super) fn new(settings: Settings, roots: Vec<PathBuf>, unread: Vec<(PathBuf, Problem)>) -> Self {
        // Desks bring the other projects.
        let (own, reporting) = (roots.first().cloned(), BTreeSet::new());
        let once_unread = unread.iter().map(|(root, _)| root.clone()).collect();
        Self { settings, own, followed: None, roots, unread, once_unread, save_watcher: None, reporting }
    }

    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Handles that a desk reports open files.
    pub(super) fn context_reported(&mut self, id: u64) {
        self.reporting.insert(id);
    }

    /// Handles that a desk has parted.
    pub(super) fn desk_parted(&mut self, id: u64) {
        self.reporting.remove(&id);
    }

    /// Starts the watcher of saved files while there is no editor and no desk reports open files, and stops
    /// it otherwise.
    pub(super) fn plan_save_watcher(&mut self, companion: &Companion, has_editor: bool) {
        let is_wanted = self.settings.context && !has_editor && self.reporting.is_empty();
        match (&self.save_watcher, is_wanted) {
            (None, true) => {
                let mut roots = self.roots.clone();
                roots.retain(|root| !self.unread.iter().any(|(unread, _)| unread == root));
                let filter =
                    SaveFilter::new(&roots, &self.settings.excludes(), self.settings.include_git_ignored);
                // The watcher receives turns: no person has saved the files that an agent writes.
                let profile = DeskProfile { observes: true, shows_turns: true, ..DeskProfile::default() };
                let desk = companion.join_as(profile).1;
                self.save_watcher =
                    Some(save_watcher::start(desk, roots, filter, TurnDirs::of_this_process()));
            }
            (Some(_), false) => self.stop_save_watcher(),
            _ => {}
        }
    }

    fn stop_save_watcher(&mut self) {
        if let Some(save_watcher) = self.save_watcher.take() {
            save_watcher.abort();
        }
    }

    /// Handles that an editor has closed projects. The host's own project stays while a party works in it.
    pub(super) fn close<'a>(&mut self, removed: &[PathBuf], mut theirs: impl Iterator<Item = &'a PathBuf>) {
        let mut is_used = |own: &PathBuf| theirs.any(|dir| holds(std::slice::from_ref(own), dir));
        self.own.take_if(|own| removed.contains(own) && !is_used(own));
        self.followed = None;
    }

    /// Whether these projects of desks are already served.
    pub(super) fn is_following<'a>(&self, theirs: impl Iterator<Item = &'a PathBuf>) -> bool {
        self.followed.as_ref().is_some_and(|followed| followed.iter().eq(theirs))
    }

    /// Serves the host's own project, and those of `theirs`, the projects of desks, that are in no other
    /// project, are repositories in another project, or have settings of their own. Returns the new roots, if
    /// they differ, and the problems to report. If the roots differ, stops the save watcher, because its
    /// folders have changed.
    pub(super) async fn follow(
        &mut self,
        companion: &Companion,
        theirs: Vec<PathBuf>,
    ) -> (Option<Vec<PathBuf>>, Vec<Problem>) {
        let mut roots: Vec<PathBuf> = self.own.iter().cloned().collect();
        // A root that no longer exists would make the companion refuse all others.
        for root in theirs.iter().filter(|root| root.is_dir()) {
            if !roots.contains(root) && (!holds_in_project(&roots, root) || Settings::has_file(root)) {
                roots.push(root.clone());
            }
        }
        self.followed = Some(theirs);
        if roots == self.roots {
            return (None, Vec::new());
        }
        match self.serve(companion, roots).await {
            Ok(problems) => {
                tracing::info!(roots = ?self.roots, "the projects have changed");
                (Some(self.roots.clone()), problems)
            }
            Err(error) => (None, vec![Problem::without_hint(error.to_string())]),
        }
    }

    /// Returns the directories of the settings files that could not be read and may change.
    pub(super) fn directories_with_mistakes(&self) -> BTreeSet<PathBuf> {
        let once_unread = self.roots.iter().filter(|root| self.once_unread.contains(*root));
        once_unread.flat_map(|root| around(root)).collect()
    }

    /// Reads the settings again that have held a mistake. Returns the problems to report, if the settings
    /// have changed.
    pub(super) async fn read_again(&mut self, companion: &Companion) -> Vec<Problem> {
        if self.once_unread.is_empty() {
            return Vec::new();
        }
        let (mut settings, roots) = (self.settings.clone(), self.roots.clone());
        let once_unread = self.once_unread.clone();
        // Every change in the top directory of a project causes this call.
        let read = tokio::task::spawn_blocking(move || {
            let unread = read(&mut settings, &roots, &once_unread);
            (settings, unread)
        });
        match read.await {
            Ok((settings, unread)) if settings != self.settings || unread != self.unread => {}
            _ => return Vec::new(),
        }
        let before = self.unread.clone();
        match self.serve(companion, self.roots.clone()).await {
            Ok(problems) => {
                let is_mended = |known: &&(PathBuf, Problem)| !self.unread.contains(known);
                for (root, problem) in before.iter().filter(is_mended) {
                    companion.end_problems(vec![problem.clone()], settings_are_read(root));
                }
                // Problems that stay were reported before.
                problems.into_iter().filter(|new| before.iter().all(|(_, known)| known != new)).collect()
            }
            Err(error) => {
                // The problem that desks know stays.
                tracing::warn!(%error, "the settings of a project do not hold yet");
                Vec::new()
            }
        }
    }

    /// Makes the companion serve these roots with their settings, and stops the save watcher. Returns the
    /// problems to report.
    async fn serve(
        &mut self,
        companion: &Companion,
        roots: Vec<PathBuf>,
    ) -> Result<Vec<Problem>, StartError> {
        let unread = read(&mut self.settings, &roots, &self.once_unread);
        let workspace = Workspace {
            roots: roots.clone(),
            excludes: self.settings.excludes(),
            untold: unread.iter().map(|(root, _)| root.clone()).collect(),
            asks: self.settings.project_rules.clone(),
        };
        match companion.set_workspace(workspace).await {
            Ok(mut problems) => {
                problems.extend(unread.iter().map(|(_, problem)| problem.clone()));
                self.once_unread.extend(unread.iter().map(|(root, _)| root.clone()));
                (self.roots, self.unread) = (roots, unread);
                self.stop_save_watcher();
                Ok(problems)
            }
            Err(error) => {
                self.settings.read_projects(&self.roots);
                Err(error)
            }
        }
    }
}

/// Returns the directories with settings of a project: its own directory, and the repositories around it.
fn around(root: &Path) -> Vec<PathBuf> {
    [Settings::repositories_around(root), vec![real(root)]].concat()
}

/// Reads the settings of these projects. Returns the projects whose settings are unknown, among them projects
/// whose settings held a mistake and are gone: a branch without the file does not show the settings.
fn read(
    settings: &mut Settings,
    roots: &[PathBuf],
    once_unread: &BTreeSet<PathBuf>,
) -> Vec<(PathBuf, Problem)> {
    let mut unread = unreadable(settings.read_projects(roots));
    let is_gone = |root: &&PathBuf| {
        once_unread.contains(*root) && !around(root).iter().any(|directory| Settings::has_file(directory))
    };
    unread.extend(roots.iter().filter(is_gone).map(|root| (root.clone(), settings_are_gone(root))));
    unread
}
