//! Checks alongside itself: adapters, hosts and programs of other versions, and its leftover files.

use std::collections::BTreeSet;
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
use alongside_desk::harmless;
use alongside_platform::paths::Canonical as _;
use alongside_platform::{Os, path_lists};

use super::diagnosis::{Diagnosis, Fix};
use super::running_companions::Companions;

/// This program's version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the diagnoses of alongside itself, which concern every agent.
pub(super) async fn check(
    here: &Surroundings,
    companions: &Companions,
    config: Option<&Path>,
) -> Vec<Diagnosis> {
    let mut diagnoses: Vec<_> = broken_settings(here, config).into_iter().collect();
    diagnoses.extend(old_hosts(companions));
    diagnoses.extend(faulty_adapters());
    diagnoses.extend(check_path(here).await);
    let own_files = companions.stale.iter().filter(|(_, record)| record.writer.as_deref() == Some(WRITER));
    match own_files.count() {
        0 => {}
        count => diagnoses.push(Diagnosis::note(
            "stale-files-of-ours",
            format!("{count} discovery files of alongside remain from companions that are gone"),
            [Fix::command("alongside doctor --fix")],
        )),
    }
    let unreachable: BTreeSet<_> = companions.unreachable.iter().map(|(_, record)| record.port).collect();
    diagnoses.extend(unreachable.into_iter().map(|port| {
        let text = format!(
            "the companion on port {port} runs in another network namespace, as a container has one: from \
             here nobody reaches it"
        );
        let fix = Fix::advice("start agents where it runs; --fix leaves its files alone");
        Diagnosis::note("companion-in-another-network", text, [fix])
    }));
    diagnoses
}

/// Returns a mistake in the person's settings, with which no companion starts, or in the settings of this
/// project, with which each change is asked about.
fn broken_settings(here: &Surroundings, config: Option<&Path>) -> Option<Diagnosis> {
    let (error, is_project) = match Settings::load(config, &[]) {
        Err(error) => (error, false),
        Ok(mut settings) => {
            (settings.read_projects(std::slice::from_ref(&here.cwd)).into_iter().next()?.1, true)
        }
    };
    let (error, hints) = failure::parts(&error);
    Some(match is_project {
        true => Diagnosis::hinders(
            "broken-project-settings",
            format!("{error}: agents hear of no file in this project, and every change is asked about"),
            [],
        ),
        false => Diagnosis::fails(
            "broken-own-settings",
            format!("alongside does not start: {error}"),
            hints.iter().map(Fix::advice).collect::<Vec<_>>(),
        ),
    })
}

/// Returns a diagnosis for each host of this directory that runs another version of this program.
fn old_hosts(companions: &Companions) -> Vec<Diagnosis> {
    let hosts = companions.serving_here().filter_map(|companion| companion.host.as_ref());
    let old = hosts.filter(|host| host.version != VERSION);
    let diagnoses = old.map(|host| {
        let version = &host.version;
        Diagnosis::note(
            "old-host",
            format!("the companion of this directory is alongside {version}; this is {VERSION}"),
            [Fix::command(format!("alongside host --replace {}", host.name))],
        )
    });
    diagnoses.collect()
}

/// Returns a diagnosis for each adapter that is older than this version, or that needs a missing program.
fn faulty_adapters() -> Vec<Diagnosis> {
    let Ok(user) = UserEnvironment::of_this_process() else { return Vec::new() };
    let Ok(ledger) = Ledger::read(&user.state) else { return Vec::new() };
    let diagnose = |editor: &Editor| match (editor.state)(editor, &user, ledger.get(editor.id)) {
        Ok(AdapterState::Outdated { by }) => Some(Diagnosis::note(
            "old-adapter",
            format!("the adapter in {} is from alongside {by}; {VERSION} has a newer one", editor.name),
            [Fix::command(format!("alongside install {}", editor.id))],
        )),
        Ok(AdapterState::Current | AdapterState::ByHand { .. }) => {
            let (program, command) = (editor.missing_program)(&user)?;
            Some(Diagnosis::fails(
                "adapter-needs-program",
                format!("the adapter in {} needs {program}, which no directory of PATH holds", editor.name),
                [Fix::command(command)],
            ))
        }
        _ => None,
    };
    EDITORS.iter().filter_map(diagnose).collect()
}

/// Returns a diagnosis if a shell does not find this program, or finds several versions of it.
async fn check_path(here: &Surroundings) -> Option<Diagnosis> {
    let path = here.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let mut programs: Vec<PathBuf> = Vec::new();
    for program in which::which_in_all("alongside", Some(path), &here.cwd).into_iter().flatten() {
        let real = program.canonical().unwrap_or(program);
        if !programs.contains(&real) {
            programs.push(real);
        }
    }
    if programs.is_empty() {
        let program = PathBuf::from(own_program());
        let text = format!(
            "editors start `alongside` by that name, but no directory of PATH holds it; this is {}",
            harmless::path(&program)
        );
        let fix = match directory_for_path(&program) {
            Some(directory) => Fix::command(path_lists::addition(Os::HERE, &directory.to_string_lossy())),
            None => Fix::advice(
                "install it with `npm install -g alongside`, and put `bin` below `npm prefix -g` into PATH \
                 (of pnpm: `pnpm bin -g`)",
            ),
        };
        return Some(Diagnosis::note("alongside-not-in-path", text, [fix]));
    }
    let mut versions = Vec::new();
    for program in programs {
        if let Some(version) = version::reported_by(&program, here).await {
            versions.push((program, version));
        }
    }
    let has_several_versions =
        versions.iter().any(|(_, version)| Some(version) != versions.first().map(|(_, first)| first));
    has_several_versions.then(|| {
        let each =
            versions.iter().map(|(program, version)| format!("{version} in {}", harmless::path(program)));
        let text =
            format!("PATH holds several versions of alongside: {}", each.collect::<Vec<_>>().join(", "));
        let fix = Fix::advice("keep the one you want; editors start the first");
        Diagnosis::note("two-alongsides", text, [fix])
    })
}

/// Returns the directory to add to PATH: the program's own. npm may move its packages, so for a program in a
/// package of npm, returns the directory of npm's global programs, if ours is among them.
fn directory_for_path(program: &Path) -> Option<PathBuf> {
    let is_modules = |path: &&Path| path.file_name().is_some_and(|name| name == "node_modules");
    let Some(modules) = program.ancestors().filter(is_modules).last() else {
        return program.parent().map(Path::to_owned);
    };
    let above = modules.parent()?;
    // `PREFIX/lib/node_modules` beside `PREFIX/bin`; on Windows, the programs are in PREFIX itself.
    let directory = match above.file_name().is_some_and(|name| name == "lib") {
        true => above.parent()?.join("bin"),
        false => above.to_owned(),
    };
    let holds = |name: &str| directory.join(name).symlink_metadata().is_ok();
    (holds("alongside") || holds("alongside.cmd")).then_some(directory)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::running_companions::RunningCompanion;
    use super::*;

    #[test]
    fn path_gets_the_directory_of_npms_global_programs() {
        let prefix = tempfile::tempdir().unwrap();
        let (prefix, bin) = (prefix.path(), prefix.path().join("bin"));
        let inside = prefix.join("lib/node_modules/alongside/node_modules/alongside-linux-x64/bin/alongside");
        assert_eq!(directory_for_path(&inside), None, "npx keeps no global program");
        std::fs::create_dir(&bin).unwrap();
        std::fs::write(bin.join("alongside"), "").unwrap();
        assert_eq!(directory_for_path(&inside), Some(bin));
        assert_eq!(directory_for_path(Path::new("/opt/bin/alongside")), Some("/opt/bin".into()));
    }

    #[test]
    fn a_host_of_another_version_is_reported() {
        let here = Surroundings::of_this_process().unwrap();
        let companions = |version: &str| {
            let status = json!({ "port": 1, "pid": 1, "roots": [here.cwd], "agents": [], "reviews": 0,
                "paused": false });
            let report = json!({ "name": "cafe", "version": version, "status": status });
            let running = vec![RunningCompanion::of_host(serde_json::from_value(report).unwrap(), &here)];
            Companions { places: vec![here.clone()], running, stale: Vec::new(), unreachable: Vec::new() }
        };
        let old = Diagnosis::note(
            "old-host",
            format!("the companion of this directory is alongside 0.0.1; this is {VERSION}"),
            [Fix::command("alongside host --replace cafe")],
        );
        assert_eq!(old_hosts(&companions("0.0.1")), [old]);
        assert_eq!(old_hosts(&companions(VERSION)), []);
    }
}
