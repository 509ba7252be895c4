//! The life of a host's process: it starts, reports on standard output whether it can serve, and serves.

use std::io::Write as _;

use alongside_common::failure::parts;
use alongside_common::logging;
use alongside_common::settings::Settings;
use alongside_common::signals::Signals;
use alongside_companion::{AppDirs, Companion};
use alongside_platform::machine::Boot;

use super::presence::Presence;
use super::problem_reports::{report, unreadable};
use super::projects::Projects;
use super::recovery::recover;
use super::registry::Registry;
use super::registry_entry::{Entry, VERSION};
use super::serve::RunningHost;
use super::spawn::{START_TIMEOUT, StartReport};
use super::startup_plan::{Plan, Started, start_companion};

/// Runs a host until its end. The starter reads one line from standard output.
///
/// # Errors
/// When the host cannot start.
pub async fn serve(plan: Plan) -> anyhow::Result<()> {
    alongside_platform::process::detach();
    // A host starts no program of the user, which would inherit this limit.
    alongside_platform::limits::raise_open_files();
    let started = start(plan).await;
    let report = match &started {
        Ok(_) => StartReport::Ready,
        Err(error) => {
            let (error, hints) = parts(error);
            StartReport::Failed { error, hints }
        }
    };
    let mut line = serde_json::to_string(&report)?;
    line.push('\n');
    // The starter may have ended, and another desk may join.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    drop(out);
    started?.run().await;
    Ok(())
}

async fn start(mut plan: Plan) -> anyhow::Result<RunningHost> {
    let holds_lock = plan.start_lock.take().map(|lock| lock.hold_for(START_TIMEOUT));
    let registry = Registry::of_this_process();
    let signals = Signals::listen()?;
    let Plan { name, editors, parties, globals, .. } = &plan;
    let Started { companion, projects } = if Companion::has_journal(&AppDirs::of_this_process(), name) {
        recover(&plan).await?
    } else {
        let mut settings = Settings::load(globals.config.as_deref(), &[])?;
        // Without a companion, no change would be reviewed in a project whose settings hold a mistake.
        let unread = unreadable(settings.read_projects(&plan.roots));
        let companion = start_companion(&settings, &plan, (&plan.roots, &unread)).await?;
        report(&companion, unread.iter().map(|(_, problem)| problem.clone()));
        Started { companion, projects: Projects::new(settings, plan.roots.clone(), unread) }
    };
    report(&companion, logging::problem().cloned());
    let (at, listener) = match registry.listen(name) {
        Ok(listening) => listening,
        Err(error) => {
            // Otherwise agents would search for the companion, and desks would believe that it has crashed.
            companion.stop().await;
            return Err(error);
        }
    };
    let entry = Entry {
        name: name.clone(),
        pid: std::process::id(),
        version: VERSION.into(),
        boot: Boot::here(),
        roots: projects.roots().to_vec(),
        editors: editors.clone(),
        parties: parties.clone(),
        addresses: companion.addresses().to_vec(),
        config: globals.config.clone(),
        log: globals.log.clone(),
        ..Entry::default()
    };
    let presence = Presence::new(registry, at, entry);
    drop(holds_lock);
    let expected = plan.expected(projects.roots());
    Ok(RunningHost::new(companion, listener, signals, presence, projects, expected))
}
