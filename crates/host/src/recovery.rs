//! Starts a host that takes over from an interrupted one. Agents with an open diff wait for it, so it serves
//! despite all problems: it ignores projects and settings that it cannot use, and reports that to desks.

use std::path::PathBuf;

use alongside_common::failure::parts;
use alongside_common::settings::Settings;
use alongside_desk::Problem;

use super::problem_reports::{report, unreadable};
use super::projects::Projects;
use super::startup_plan::{Plan, Started, start_companion};

/// Starts a companion with the usable part of the plan and the settings.
///
/// # Errors
/// When no companion can start at all.
pub(super) async fn recover(plan: &Plan) -> anyhow::Result<Started> {
    let mut problems = Vec::new();
    let (roots, gone): (Vec<PathBuf>, Vec<PathBuf>) =
        plan.roots.iter().cloned().partition(|root| root.is_dir());
    problems.extend(gone.iter().map(|root| {
        let what = format!("the workspace {} no longer exists", root.display());
        Problem::new(what, "Open it again when it is back.")
    }));
    let mut settings = match Settings::load(plan.globals.config.as_deref(), &[]) {
        Ok(settings) => settings,
        Err(error) => {
            let until = "until you correct your settings, none of them holds, and agents hear of no files";
            problems.push(problem(&error, until));
            Settings::tell_nothing()
        }
    };
    let unread = unreadable(settings.read_projects(&roots));
    problems.extend(unread.iter().map(|(_, problem)| problem.clone()));
    let companion = match start_companion(&settings, plan, (&roots, &unread)).await {
        Err(error) if settings.listen.is_some() => {
            problems.push(problem(&error, "it does not listen at that address"));
            settings.listen = None;
            start_companion(&settings, plan, (&roots, &unread)).await?
        }
        started => started?,
    };
    report(&companion, problems);
    Ok(Started { companion, projects: Projects::new(settings, roots, unread) })
}

fn problem(error: &anyhow::Error, limit: &str) -> Problem {
    let (what, hints) = parts(error);
    let hint = format!("The companion is back after an interruption all the same; {limit}.");
    Problem::new(what, [hints, vec![hint]].concat().join(" "))
}
