//! The projects of a host, and what agents are told of files in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use alongside_common::settings::Settings;
use alongside_companion::{Companion, StartError, Workspace};
use alongside_desk::{Problem, harmless};
use tokio::task::AbortHandle;

use super::directories::{holds, holds_in_project};
use crate::save_watcher::{self, SaveFilter};

/// Roots with their settings.
pub(super) struct Projects {
    settings: Settings,
    /// The project that the host was started for, unless an editor has closed it.
    own: Option<PathBuf>,
    /// The projects of its desks, as they were last.
    followed: Option<Vec<PathBuf>>,
    roots: Vec<PathBuf>,
    /// Projects whose settings cannot be read, and why: agents are told of no file in them.
    unread: Vec<(PathBuf, Problem)>,
    /// Tells agents of saved files while no desk tells more.
    save_watcher: Option<AbortHandle>,
    /// The desks that report what is open. They know the cursor, which saved files do not show.
    reporting: BTreeSet<u64>,
}

impl Projects {
    pub(super) fn new(settings: Settings, roots: Vec<PathBuf>, unread: Vec<(PathBuf, Problem)>) -> Self {
        // Its desks bring the others.
        let (own, reporting) = (roots.first().cloned(), BTreeSet::new());
        Self { settings, own, followed: None, roots, unread, save_watcher: None, reporting }
    }

    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// A desk reports what is open.
    pub(super) fn context_reported(&mut self, id: u64) {
        self.reporting.insert(id);
    }

    /// A desk has parted.
    pub(super) fn desk_parted(&mut self, id: u64) {
        self.reporting.remove(&id);
    }

    /// Watches saved files while no editor is there and no desk reports what is open.
    pub(super) fn plan_save_watcher(&mut self, companion: &Companion, has_editor: bool) {
        let is_wanted = self.settings.context && !has_editor && self.reporting.is_empty();
        match (&self.save_watcher, is_wanted) {
            (None, true) => {
                let mut roots = self.roots.clone();
                roots.retain(|root| !self.unread.iter().any(|(unread, _)| unread == root));
                let filter =
                    SaveFilter::new(&roots, &self.settings.excludes(), self.settings.include_git_ignored);
                self.save_watcher = Some(save_watcher::start(companion.observe(), roots, filter));
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

    /// An editor has closed projects. The host's own stays while somebody works in it.
    pub(super) fn close<'a>(&mut self, removed: &[PathBuf], mut theirs: impl Iterator<Item = &'a PathBuf>) {
        let mut is_used = |own: &PathBuf| theirs.any(|dir| holds(std::slice::from_ref(own), dir));
        self.own.take_if(|own| removed.contains(own) && !is_used(own));
        self.followed = None;
    }

    /// Whether these projects of desks are served already.
    pub(super) fn is_following<'a>(&self, theirs: impl Iterator<Item = &'a PathBuf>) -> bool {
        self.followed.as_ref().is_some_and(|followed| followed.iter().eq(theirs))
    }

    /// Serves the host's own project, and those of `theirs`, its desks, that are in none of the others, are
    /// repositories in them, or have settings of their own. Returns the new roots, if they differ, and the
    /// problems to report. The save watcher is stopped then: its folders have changed.
    pub(super) async fn follow(
        &mut self,
        companion: &Companion,
        theirs: Vec<PathBuf>,
    ) -> (Option<Vec<PathBuf>>, Vec<Problem>) {
        let mut roots: Vec<PathBuf> = self.own.iter().cloned().collect();
        // One that is gone would keep all others out.
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

    /// The directories in which a file may change that could not be read.
    pub(super) fn with_mistakes(&self) -> BTreeSet<PathBuf> {
        let around = |root: &PathBuf| {
            let real = root.canonicalize().unwrap_or_else(|_| root.clone());
            let above: Vec<_> = real.ancestors().filter(|above| above.join(".git").exists()).collect();
            let above: Vec<_> = above.into_iter().map(Path::to_owned).collect();
            above.into_iter().chain([real])
        };
        self.unread.iter().flat_map(|(root, _)| around(root)).collect()
    }

    /// Reads the settings once more where they held a mistake. Returns the problems to report, if they have
    /// changed.
    pub(super) async fn read_again(&mut self, companion: &Companion) -> Vec<Problem> {
        if self.unread.is_empty()
            || unreadable(self.settings.clone().read_projects(&self.roots)) == self.unread
        {
            return Vec::new();
        }
        let before = self.unread.clone();
        match self.serve(companion, self.roots.clone()).await {
            Ok(problems) => {
                let is_mended = |known: &&(PathBuf, Problem)| !self.unread.contains(known);
                for (root, problem) in before.iter().filter(is_mended) {
                    companion.end_problems(vec![problem.clone()], settings_are_read(root));
                }
                // Those that stay have been told.
                problems.into_iter().filter(|new| before.iter().all(|(_, known)| known != new)).collect()
            }
            Err(error) => {
                // The problem that desks know stays.
                tracing::warn!(%error, "the settings of a project do not hold yet");
                Vec::new()
            }
        }
    }

    /// Has the companion serve these roots with their settings. Returns the problems to report. The save
    /// watcher is stopped then.
    async fn serve(
        &mut self,
        companion: &Companion,
        roots: Vec<PathBuf>,
    ) -> Result<Vec<Problem>, StartError> {
        let unread = unreadable(self.settings.read_projects(&roots));
        let workspace = Workspace {
            roots: roots.clone(),
            excludes: self.settings.excludes(),
            untold: unread.iter().map(|(root, _)| root.clone()).collect(),
            asks: self.settings.project_rules.clone(),
        };
        match companion.set_workspace(workspace).await {
            Ok(mut problems) => {
                problems.extend(unread.iter().map(|(_, problem)| problem.clone()));
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

/// Projects whose settings cannot be read, each with the words for it: nobody knows what to hide there.
pub(super) fn unreadable(unread: Vec<(PathBuf, anyhow::Error)>) -> Vec<(PathBuf, Problem)> {
    let problem = |root: &Path, error: &anyhow::Error| {
        let hint = format!(
            "Agents hear of no file in {}, and every change is asked about there, until you correct its \
             settings.",
            root.display()
        );
        Problem::new(format!("{error:#}"), hint)
    };
    unread.into_iter().map(|(root, error)| (root.clone(), problem(&root, &error))).collect()
}

/// The person has changed the settings of a project, which held a mistake.
fn settings_are_read(root: &Path) -> String {
    format!("The settings of {} were changed, and are read anew.", harmless::path(root))
}
