//! What may be wrong with alongside itself here: adapters, hosts and programs of other versions, and files
//! left behind.

use std::path::PathBuf;

use alongside_agent::find::Surroundings;
use alongside_agent::version;
use alongside_contract::discovery::WRITER;

use super::cause::Cause;
use super::living::Machine;
use crate::adapters::{self, State};
use crate::own_program::own_program;

/// What is worth knowing, whatever the agent.
pub(super) async fn look(here: &Surroundings, machine: &Machine) -> Vec<Cause> {
    let mut causes = old_hosts(machine);
    for (editor, state) in adapters::outdated() {
        if let State::Outdated { by } = state {
            causes.push(Cause::OldAdapter { editor: editor.name(), id: editor.id(), by });
        }
    }
    causes.extend(in_path(here).await);
    let of_ours = machine.stale.iter().filter(|(_, record)| record.writer.as_deref() == Some(WRITER));
    match of_ours.count() {
        0 => {}
        count => causes.push(Cause::StaleFilesOfOurs { count }),
    }
    causes
}

/// Hosts that another version of this program is.
fn old_hosts(machine: &Machine) -> Vec<Cause> {
    let hosts = machine.here().filter_map(|living| living.host.as_ref());
    let old = hosts.filter(|host| host.version != env!("CARGO_PKG_VERSION"));
    old.map(|host| Cause::OldHost { name: host.name.clone(), version: host.version.clone() }).collect()
}

/// Which programs of our name a shell finds.
async fn in_path(here: &Surroundings) -> Option<Cause> {
    let path = here.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let mut programs: Vec<PathBuf> = Vec::new();
    for program in which::which_in_all("alongside", Some(path), &here.cwd).into_iter().flatten() {
        let real = program.canonicalize().unwrap_or(program);
        if !programs.contains(&real) {
            programs.push(real);
        }
    }
    if programs.is_empty() {
        return Some(Cause::NotInPath { program: own_program().into() });
    }
    let mut versions = Vec::new();
    for program in programs {
        if let Some(version) = version::said_by(&program, here).await {
            versions.push((program, version));
        }
    }
    let differ =
        versions.iter().any(|(_, version)| Some(version) != versions.first().map(|(_, first)| first));
    differ.then_some(Cause::TwoVersions { programs: versions })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::living::Living;
    use super::*;

    #[test]
    fn a_host_of_another_version_is_pointed_out() {
        let here = Surroundings::of_this_process().unwrap();
        let machine = |version: &str| {
            let status = json!({ "port": 1, "pid": 1, "roots": [here.cwd], "agents": [], "reviews": 0, "paused": false });
            let report = json!({ "name": "cafe", "version": version, "status": status });
            let living = vec![Living::of_host(serde_json::from_value(report).unwrap(), &here)];
            Machine { places: vec![here.clone()], living, stale: Vec::new() }
        };
        let expected = Cause::OldHost { name: "cafe".into(), version: "0.0.1".into() };
        assert_eq!(old_hosts(&machine("0.0.1")), [expected]);
        assert_eq!(old_hosts(&machine(env!("CARGO_PKG_VERSION"))), []);
    }
}
