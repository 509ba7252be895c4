//! Checks alongside itself: adapters, hosts and programs of other versions, and files that it left behind.

use std::path::{Path, PathBuf};

use alongside_adapters::editor::Editor;
use alongside_adapters::editors::EDITORS;
use alongside_adapters::ledger::Ledger;
use alongside_adapters::plan::AdapterState;
use alongside_adapters::user_environment::UserEnvironment;
use alongside_agent::find::Surroundings;
use alongside_agent::version;
use alongside_common::failure;
use alongside_common::own_program::own_program;
use alongside_common::settings::Settings;
use alongside_contract::discovery::WRITER;
use alongside_platform::paths::Canonical as _;

use super::causes::InstallationCause;
use super::message::Message;
use super::running_companions::Companions;

/// The messages about alongside itself, which concern every agent.
pub(super) async fn check(
    here: &Surroundings,
    companions: &Companions,
    config: Option<&Path>,
) -> Vec<Message> {
    let mut causes: Vec<_> = broken_settings(here, config).into_iter().collect();
    causes.extend(old_hosts(companions));
    causes.extend(adapters());
    causes.extend(programs_in_path(here).await);
    let ours = companions.stale.iter().filter(|(_, record)| record.writer.as_deref() == Some(WRITER));
    match ours.count() {
        0 => {}
        count => causes.push(InstallationCause::StaleFiles { count }),
    }
    causes.iter().map(InstallationCause::message).collect()
}

/// A mistake in the person's settings or in those of this project.
fn broken_settings(here: &Surroundings, config: Option<&Path>) -> Option<InstallationCause> {
    let (error, is_project) = match Settings::load(config, &[]) {
        Err(error) => (error, false),
        Ok(mut settings) => {
            (settings.read_projects(std::slice::from_ref(&here.cwd)).into_iter().next()?.1, true)
        }
    };
    let (error, hints) = failure::parts(&error);
    Some(InstallationCause::BrokenSettings { error, hints, is_project })
}

/// Hosts of this directory that run another version of this program.
fn old_hosts(companions: &Companions) -> Vec<InstallationCause> {
    let hosts = companions.serving_here().filter_map(|companion| companion.host.as_ref());
    let old = hosts.filter(|host| host.version != env!("CARGO_PKG_VERSION"));
    old.map(|host| InstallationCause::OldHost { name: host.name.clone(), version: host.version.clone() })
        .collect()
}

/// Adapters that differ from those of this version, or lack a program.
fn adapters() -> Vec<InstallationCause> {
    let Ok(user) = UserEnvironment::of_this_process() else { return Vec::new() };
    let Ok(ledger) = Ledger::read(&user.state) else { return Vec::new() };
    let of = |editor: &Editor| match editor.state(&user, ledger.get(editor.id)) {
        Ok(AdapterState::Outdated { by }) => {
            Some(InstallationCause::OldAdapter { editor: editor.name, id: editor.id, by })
        }
        Ok(AdapterState::Current | AdapterState::ByHand { .. }) => {
            let (program, command) = (editor.needs)(&user)?;
            Some(InstallationCause::AdapterNeeds { editor: editor.name, program, command })
        }
        _ => None,
    };
    EDITORS.iter().filter_map(of).collect()
}

/// Whether a shell finds this program, and only one version of it.
async fn programs_in_path(here: &Surroundings) -> Option<InstallationCause> {
    let path = here.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let mut programs: Vec<PathBuf> = Vec::new();
    for program in which::which_in_all("alongside", Some(path), &here.cwd).into_iter().flatten() {
        let real = program.canonical().unwrap_or(program);
        if !programs.contains(&real) {
            programs.push(real);
        }
    }
    if programs.is_empty() {
        return Some(InstallationCause::NotInPath { program: PathBuf::from(own_program()).into() });
    }
    let mut versions = Vec::new();
    for program in programs {
        if let Some(version) = version::said_by(&program, here).await {
            versions.push((program.into(), version));
        }
    }
    let differ =
        versions.iter().any(|(_, version)| Some(version) != versions.first().map(|(_, first)| first));
    differ.then_some(InstallationCause::TwoVersions { programs: versions })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::running_companions::RunningCompanion;
    use super::*;

    #[test]
    fn reports_a_host_of_another_version() {
        let here = Surroundings::of_this_process().unwrap();
        let companions = |version: &str| {
            let status = json!({ "port": 1, "pid": 1, "roots": [here.cwd], "agents": [], "reviews": 0,
                "paused": false });
            let report = json!({ "name": "cafe", "version": version, "status": status });
            let running = vec![RunningCompanion::of_host(serde_json::from_value(report).unwrap(), &here)];
            Companions { places: vec![here.clone()], running, stale: Vec::new() }
        };
        let expected = InstallationCause::OldHost { name: "cafe".into(), version: "0.0.1".into() };
        assert_eq!(old_hosts(&companions("0.0.1")), [expected]);
        assert_eq!(old_hosts(&companions(env!("CARGO_PKG_VERSION"))), []);
    }
}
