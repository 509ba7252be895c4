//! Determines the release of an agent's program. Its package contains the version, and then the program is
//! not started: agents leave files in the home directory even when they only print their version. A program
//! without a package is started with `--version`, in a home of its own that is removed afterwards.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use alongside_contract::agent::Agent;
use alongside_contract::agents::AGENTS;
use alongside_contract::behaviour::Release;
use alongside_platform::paths::Canonical as _;
use alongside_platform::untrusted::{self, Whose};
use serde::Deserialize;

use crate::find::Surroundings;

/// The longest time for a program to print its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of directories above a program that are searched for its package.
const MAX_LEVELS_ABOVE: usize = 6;
/// The largest number of launchers that start each other.
const MAX_LAUNCHERS: usize = 4;
/// The largest launcher, in bytes. A larger file is taken for a program.
const MAX_LAUNCHER_BYTES: u64 = 64 << 10;
/// The largest `package.json`, in bytes. A larger file is ignored.
const MAX_PACKAGE_BYTES: u64 = 4 << 20;

/// Version managers whose programs in PATH are launchers that do not name the package: the variable with
/// their directory, its default path below the home directory, and the places of packages in it.
const MANAGERS: &[(&str, &str, &[&str])] = &[
    (
        "VOLTA_HOME",
        ".volta",
        &["tools/image/packages/{package}/lib/node_modules", "tools/image/packages/{package}/node_modules"],
    ),
    (
        "ASDF_DATA_DIR",
        ".asdf",
        &["installs/nodejs/*/lib/node_modules", "installs/nodejs/*/.npm/lib/node_modules"],
    ),
    ("MISE_DATA_DIR", ".local/share/mise", &["installs/*/*/lib/node_modules"]),
    ("NODENV_ROOT", ".nodenv", &["versions/*/lib/node_modules"]),
];

/// The variables that lead programs to a person's files. The table of agents has those of the agents.
const HOMES: &[&str] = &["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TMP", "TEMP"];
const BASES: &[&str] =
    &["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"];

/// Returns the version of an agent's program, from its package or else from the program itself.
pub async fn of_program(program: &Path, agent: &Agent, here: &Surroundings) -> Option<String> {
    match written(program, agent, here) {
        Some(version) => Some(version),
        None => reported_by(program, here).await,
    }
}

/// Parses the release in a version, without what follows a hyphen.
pub fn release(version: &str) -> Option<Release> {
    let version = semver::Version::parse(version.trim()).ok()?;
    Some((version.major, version.minor, version.patch))
}

/// Returns what a program prints for `--version`. The program gets a home of its own, which is removed with
/// all files in it.
pub async fn reported_by(program: &Path, here: &Surroundings) -> Option<String> {
    let scratch = tempfile::tempdir().ok()?;
    let mut command = tokio::process::Command::new(program);
    command.env_clear().envs(&here.variables).envs(HOMES.iter().map(|name| (name, scratch.path())));
    for agent in AGENTS {
        for name in agent.directory_variables() {
            command.env_remove(name);
        }
        if let Some((name, _)) = agent.settings.and_then(|settings| settings.home_variable) {
            command.env(name, scratch.path());
        }
    }
    for name in BASES {
        command.env_remove(name);
    }
    command.arg("--version").current_dir(scratch.path()).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(VERSION_TIMEOUT, command.output()).await.ok()?.ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut words = said.split_whitespace().map(|word| word.trim_start_matches('v'));
    words.find(|word| release(word).is_some()).map(str::to_owned)
}

/// Returns the version in the package that the program belongs to, or that its launcher leads to. No program
/// is started.
pub fn written(program: &Path, agent: &Agent, here: &Surroundings) -> Option<String> {
    let mut program = program.to_owned();
    for _ in 0..MAX_LAUNCHERS {
        let real = program.canonical().ok()?;
        let version = above(&real, agent).or_else(|| managed(&program, agent, here));
        if version.is_some() {
            return version;
        }
        program = launched_by(&real, agent, here)?;
    }
    None
}

/// Returns the version of the nearest package above the program that is the agent's. A launcher may be in a
/// package of its own.
fn above(program: &Path, agent: &Agent) -> Option<String> {
    let mut packages = program.ancestors().skip(1).take(MAX_LEVELS_ABOVE).filter_map(Package::read);
    packages.find_map(|package| package.version_of(agent))
}

/// Returns the version of the package that a version manager starts. `None` if the manager has several, since
/// only it knows which it starts.
fn managed(program: &Path, agent: &Agent, here: &Surroundings) -> Option<String> {
    let named = |name: &str| here.variables.get(name).map(PathBuf::from);
    let (base, places) = MANAGERS.iter().find_map(|(variable, below_home, places)| {
        let base = named(variable).unwrap_or_else(|| here.home.join(below_home));
        program.starts_with(&base).then_some((base, places))
    })?;
    let mut versions = BTreeSet::new();
    for package in agent.packages {
        for place in *places {
            let modules = directories(&base, &place.replace("{package}", package));
            let read = |modules: PathBuf| Package::read(&modules.join(package))?.version_of(agent);
            versions.extend(modules.into_iter().filter_map(read));
        }
    }
    if versions.len() > 1 { None } else { versions.pop_first() }
}

/// Returns the directories that `below` matches below `base`, where `*` is any name.
fn directories(base: &Path, below: &str) -> Vec<PathBuf> {
    below.split('/').fold(vec![base.to_owned()], |found, name| {
        let next = |directory: PathBuf| match name {
            "*" => std::fs::read_dir(directory).into_iter().flatten().flatten().map(|it| it.path()).collect(),
            name => vec![directory.join(name)],
        };
        found.into_iter().flat_map(next).collect()
    })
}

/// Returns the script, or the command of the agent, that a launcher starts, as in `exec node
/// "$basedir/../lib/…/gemini.js" "$@"`.
fn launched_by(launcher: &Path, agent: &Agent, here: &Surroundings) -> Option<PathBuf> {
    let text = untrusted::read_text(launcher, MAX_LAUNCHER_BYTES, Whose::Anybodys).ok()?;
    let directory = launcher.parent()?;
    let is_program = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_script = [".js", ".mjs", ".cjs"].iter().any(|ending| name.ends_with(ending));
        (is_script || agent.commands.contains(&name)) && path != launcher && path.is_file()
    };
    let words = text.split(|c: char| c.is_whitespace() || "\"'`=;".contains(c));
    words
        .filter(|word| word.contains(['/', '\\']))
        .map(|word| named_by(word, directory, here))
        .find(is_program)
}

/// Resolves a path in a launcher. A variable is taken for the launcher's own directory, as in all launchers
/// of `npm` and similar tools, unless it is the variable of the home directory.
fn named_by(word: &str, directory: &Path, here: &Surroundings) -> PathBuf {
    let in_home = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| word.strip_prefix(home));
    if let Some(below) = in_home {
        return here.home.join(below);
    }
    // The quotation marks split `$(dirname "$0")/…` into several words.
    if let Some((_, below)) = word.rsplit_once(")/") {
        return directory.join(below);
    }
    if word.starts_with(['$', '%']) {
        let below = word.strip_prefix("%~dp0").or_else(|| Some(word.split_once(['/', '\\'])?.1));
        return directory.join(below.unwrap_or_default());
    }
    directory.join(word)
}

/// The fields of a `package.json` that are used.
#[derive(Deserialize)]
struct Package {
    name: Option<String>,
    version: Option<String>,
}

impl Package {
    fn read(directory: &Path) -> Option<Self> {
        let json = untrusted::read(&directory.join("package.json"), MAX_PACKAGE_BYTES, Whose::Anybodys);
        serde_json::from_slice(&json.ok()?).ok()
    }

    /// Returns its version if it is a package of the agent. For an agent without an npm package, any package
    /// with a name counts.
    fn version_of(self, agent: &Agent) -> Option<String> {
        let name = self.name?;
        (agent.packages.is_empty() || agent.packages.contains(&name.as_str())).then_some(self.version)?
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::collections::HashMap;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use tempfile::TempDir;

    use super::*;

    /// A machine with empty directories, because the programs that are started write into every place they
    /// know.
    struct Machine(TempDir);

    impl Machine {
        fn new() -> Self {
            let machine = Self(tempfile::tempdir().unwrap());
            for name in ["home", "tmp", "bin"] {
                std::fs::create_dir(machine.path(name)).unwrap();
            }
            machine
        }

        fn path(&self, below: &str) -> PathBuf {
            self.0.path().canonical().unwrap().join(below)
        }

        fn write(&self, below: &str, text: &str) -> PathBuf {
            let path = self.path(below);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        }

        /// Writes a package of this version into a `node_modules`, and its script, which prints another
        /// version.
        fn package(&self, modules: &str, name: &str, version: &str) -> PathBuf {
            let json = format!("{{\"name\":\"{name}\",\"version\":\"{version}\"}}");
            self.write(&format!("{modules}/{name}/package.json"), &json);
            self.write(&format!("{modules}/{name}/bundle/package.json"), "{\"type\":\"module\"}");
            self.write(&format!("{modules}/{name}/bundle/gemini.js"), "#!/bin/sh\necho 9.9.9\n")
        }

        fn here(&self) -> Surroundings {
            Surroundings {
                tmp: self.path("tmp"),
                home: self.path("home"),
                variables: HashMap::from([
                    ("PATH".into(), "/usr/bin:/bin".into()),
                    ("HOME".into(), self.path("home").to_str().unwrap().into()),
                    ("TMPDIR".into(), self.path("tmp").to_str().unwrap().into()),
                    ("QWEN_HOME".into(), self.path("home/.qwen").to_str().unwrap().into()),
                ]),
                cwd: self.path("home"),
                pid: std::process::id(),
            }
        }

        async fn version(&self, program: &Path) -> Option<String> {
            of_program(program, Agent::named("gemini").unwrap(), &self.here()).await
        }
    }

    const GEMINI: &str = "@google/gemini-cli";

    #[test]
    fn a_release_is_parsed_from_versions_of_packages_and_programs() {
        assert_eq!(release("0.61.0"), Some((0, 61, 0)));
        assert_eq!(release("0.31.0-preview.2"), Some((0, 31, 0)));
        assert_eq!(release("gemini"), None);
    }

    #[tokio::test]
    async fn the_version_comes_from_the_package_if_npm_links_to_its_script() {
        let machine = Machine::new();
        let script = machine.package("lib/node_modules", GEMINI, "0.61.0");
        let link = machine.path("bin/gemini");
        symlink(script, &link).unwrap();
        assert_eq!(machine.version(&link).await.as_deref(), Some("0.61.0"));
    }

    #[tokio::test]
    async fn launchers_lead_to_the_package_in_every_form_of_its_path() {
        let machine = Machine::new();
        let script = machine.package("lib/node_modules", GEMINI, "0.61.0");
        let below = "lib/node_modules/@google/gemini-cli/bundle/gemini.js";
        for line in [
            format!("exec node {} \"$@\"", script.display()),
            format!("exec /opt/node/bin/node --no-warnings=x.js '{}' \"$@\"", script.display()),
            format!("basedir=$(dirname \"$0\")\nexec node  \"$basedir/../{below}\" \"$@\""),
            format!("exec node \"$(dirname \"$0\")/../{below}\" \"$@\""),
            format!("exec node \"${{HOME}}/../{below}\""),
        ] {
            let launcher = machine.write("bin/gemini", &format!("#!/bin/sh\n{line}\n"));
            assert_eq!(machine.version(&launcher).await.as_deref(), Some("0.61.0"), "{line}");
        }
        // A launcher that starts another launcher.
        let first = machine.write(
            "home/bin/gemini",
            &format!("#!/bin/sh\nexec {} \"$@\"\n", machine.path("bin/gemini").display()),
        );
        assert_eq!(machine.version(&first).await.as_deref(), Some("0.61.0"));
    }

    #[tokio::test]
    async fn version_managers_start_packages_in_their_own_directory() {
        for (launcher, modules) in [
            (".volta/bin/gemini", ".volta/tools/image/packages/@google/gemini-cli/lib/node_modules"),
            (".asdf/shims/gemini", ".asdf/installs/nodejs/22.1.0/lib/node_modules"),
            (".local/share/mise/shims/gemini", ".local/share/mise/installs/node/22/lib/node_modules"),
            (".nodenv/shims/gemini", ".nodenv/versions/22.1.0/lib/node_modules"),
        ] {
            let machine = Machine::new();
            let launcher = machine.write(&format!("home/{launcher}"), "#!/bin/sh\necho 0.1.2\n");
            machine.package(&format!("home/{modules}"), GEMINI, "0.61.0");
            assert_eq!(machine.version(&launcher).await.as_deref(), Some("0.61.0"), "{modules}");
            // Only the manager knows which of several packages it starts.
            if modules.contains("22.1.0") {
                let other = modules.replace("22.1.0", "20.1.0");
                machine.package(&format!("home/{other}"), GEMINI, "0.60.0");
                assert_eq!(machine.version(&launcher).await.as_deref(), Some("0.1.2"), "{modules}");
            }
        }
    }

    #[tokio::test]
    async fn a_program_without_a_package_is_started_for_its_version() {
        let machine = Machine::new();
        // It is in a package that is not the agent's.
        machine.write("bin/package.json", "{\"name\":\"launcher\",\"version\":\"3.0.0\"}");
        let script = "#!/bin/sh\n\
            for base in \"$HOME\" \"$TMPDIR\" \"$GEMINI_CLI_HOME\" .; do : > \"$base/left\"; done\n\
                      [ -z \"$QWEN_HOME\" ] && [ -f \"$HOME/left\" ] && echo gemini v0.61.0\n";
        let program = machine.write("bin/gemini", script);
        assert_eq!(machine.version(&program).await.as_deref(), Some("0.61.0"));
        for place in ["home", "tmp"] {
            assert_eq!(std::fs::read_dir(machine.path(place)).unwrap().count(), 0, "{place}");
        }
        assert_eq!(machine.version(&machine.path("bin/none")).await, None);
    }
}
