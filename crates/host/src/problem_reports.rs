//! Reports problems to desks: mistakes in the settings of projects, and all other problems that last while
//! the host serves.

use std::path::{Path, PathBuf};

use alongside_common::settings::Settings;
use alongside_companion::Companion;
use alongside_desk::{Problem, Request, harmless};

/// Reports problems to every desk, also to desks that join later.
pub(super) fn report(companion: &Companion, problems: impl IntoIterator<Item = Problem>) {
    // An observer costs a status and a file scan, so it joins only for a report.
    for problem in problems {
        companion.observe().send(Request::Report(problem));
    }
}

/// Returns the problem that the settings of a project held a mistake, and that their file is gone.
pub(super) fn settings_are_gone(root: &Path) -> Problem {
    let file = Settings::project_file(root);
    let hint = format!(
        "Agents hear of no file in {}, and every change is asked about there, until it is back. To go on \
         without it, start alongside again.",
        harmless::path(root)
    );
    Problem::new(format!("{} held a mistake, and is gone", harmless::path(&file)), hint)
}

/// Returns a problem for each project whose settings cannot be read: the files to hide there are unknown.
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

/// Returns the notice that the person has changed the settings of a project, which held a mistake.
pub(super) fn settings_are_read(root: &Path) -> String {
    format!("The settings of {} were changed, and are read anew.", harmless::path(root))
}
