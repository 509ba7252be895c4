//! A host that takes over from one that was interrupted. Agents with an open diff wait for it, so whatever is
//! wrong by now in the settings or with the projects, it serves: what cannot be known is not told, what
//! cannot be had is gone without, and desks are told so.

use std::path::PathBuf;

use alongside_companion::Workspace;
use alongside_desk::{Problem, Request};

use super::serve::untold_problem;
use super::{Plan, Ready, companion};
use crate::failure::parts;
use crate::settings::Settings;

/// A companion as far as the plan and the settings can be carried out.
///
/// # Errors
/// When none can run at all.
pub(super) async fn companion_again(mut plan: Plan) -> anyhow::Result<Ready> {
    let mut problems = Vec::new();
    let (there, gone): (Vec<PathBuf>, Vec<PathBuf>) =
        plan.roots.iter().cloned().partition(|root| root.is_dir());
    problems.extend(gone.iter().map(|root| Problem {
        what: format!("the workspace {} is not there any more", root.display()),
        hint: Some("Open it again when it is back.".into()),
    }));
    plan.roots = there;
    let mut settings = match Settings::load(plan.globals.config.as_deref(), &[]) {
        Ok(settings) => settings,
        Err(error) => {
            problems.push(problem(
                &error,
                "agents are told of no files, and nothing else of your settings holds, until they are right",
            ));
            Settings::silent()
        }
    };
    let wrong = settings.visit(&plan.roots);
    problems.extend(wrong.iter().map(|(root, error)| untold_problem(root, error)));
    let untold: Vec<PathBuf> = wrong.into_iter().map(|(root, _)| root).collect();
    let companion = match companion(&settings, &plan).await {
        Err(error) if settings.listen.is_some() => {
            problems.push(problem(&error, "nobody is listened to at that address"));
            settings.listen = None;
            companion(&settings, &plan).await?
        }
        started => started?,
    };
    if !untold.is_empty() {
        let excludes = settings.excludes();
        // No desk has told anything yet.
        companion
            .set_workspace(Workspace { roots: plan.roots.clone(), excludes, untold: untold.clone() })
            .await?;
    }
    let desk = companion.observe();
    problems.into_iter().for_each(|problem| drop(desk.send(Request::Report(problem))));
    Ok(Ready { companion, settings, plan, untold })
}

fn problem(error: &anyhow::Error, until: &str) -> Problem {
    let (what, hints) = parts(error);
    let hint = format!("The companion is back after an interruption all the same; {until}.");
    Problem { what, hint: Some([hints, vec![hint]].concat().join(" ")) }
}
