//! A home whose editors and agents are scripts.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{CommandResult, Home, Running, finish, write_file, write_program};

/// A script that answers as Helix 25.01 does: `--health` lists the programs of servers, and the new settings
/// are unknown.
pub(super) const OLD_HELIX: &str = r#"
case "$*" in
  --version) echo "helix 25.01.1 (e7ac2fcd)" ;;
  "--health rust")
    printf 'Configured language servers:\n  \033[38;5;9m✘\033[39m rust-analyzer: not found\n' ;;
  "--health python") printf 'Configured language servers:\n  ✘ ruff: no\n  ✘ jedi-language-server: no\n' ;;
  "--health ini"|"--health mine") echo 'Configured language servers: None' ;;
  --health*) echo "Language 'x' not found" ;;
  *--config*) echo "Bad config: Gutter type can only be ..." >&2; exit 1 ;;
esac
"#;

/// A script that answers as a newer Helix does: `--health` lists the names of servers, and a start fails
/// without a terminal.
pub(super) const NEW_HELIX: &str = r#"
case "$*" in
  --version) echo "helix 25.07.1" ;;
  "--health rust") printf 'Configured language servers:\n  ✘ rust-analyzer: no\n' ;;
  "--health "*) echo 'Configured language servers: None' ;;
  *--config*) echo "Error: unable to start Helix" >&2; exit 1 ;;
esac
"#;

/// A script that answers as Neovim 0.10.4 does.
pub(super) const NEOVIM: &str = "echo 'NVIM v0.10.4'\n";

/// A typical `languages.toml` of a person who uses Helix.
pub(super) const LANGUAGES: &str = "# mine\n[[language]]\nname = \"rust\" # best\nauto-format = true\n\
                                    language-servers = [\"rust-analyzer\"]\n";

impl Home {
    /// Returns a home with a script on the PATH.
    pub(super) fn with_program(name: &str, body: &str) -> Self {
        let home = Self::new();
        home.program(name, body);
        home
    }

    /// Returns a home with an agent as npm installs it.
    pub(super) fn with_agent(name: &str, version: &str) -> Self {
        let home = Self::new();
        home.agent_program(name, version);
        home
    }

    /// Writes a shell script into the directory that is the PATH.
    pub(super) fn program(&self, name: &str, body: &str) {
        let path = self.path("bin").join(name);
        write_program(&path, &format!("#!/bin/sh\n{body}"));
    }

    /// Installs an agent as npm does: as a link to a file of a package.
    pub(super) fn agent_program(&self, name: &str, version: &str) {
        let package = self.path("lib").join(name);
        // The name of the package on npm.
        let package_name = alongside_contract::agent::Agent::named(name).unwrap().packages[0];
        let json = serde_json::json!({ "name": package_name, "version": version });
        write_file(&package.join("package.json"), &json.to_string());
        let script = package.join("dist/cli.js");
        write_program(&script, "");
        symlink(script, self.directory("bin").join(name)).unwrap();
    }

    /// Returns a path below the home directory.
    pub(super) fn in_home(&self, below: &str) -> PathBuf {
        self.path("home").join(below)
    }

    /// Writes a file below the home directory and returns its path.
    pub(super) fn writes(&self, below: &str, text: &str) -> PathBuf {
        let path = self.in_home(below);
        write_file(&path, text);
        path
    }

    /// Reads a file below the home directory.
    pub(super) fn reads(&self, below: &str) -> String {
        fs::read_to_string(self.in_home(below)).unwrap()
    }

    /// Sets the PATH of a command to the directory of the scripts, so that no editor or agent of the real
    /// machine is found.
    pub(super) fn with_path(&self, command: &mut Command) {
        let bin = self.directory("bin");
        if !bin.join("setsid").exists() {
            let path = std::env::var_os("PATH").unwrap();
            let mut setsid = std::env::split_paths(&path).map(|place| place.join("setsid"));
            symlink(setsid.find(|path| path.is_file()).unwrap(), bin.join("setsid")).unwrap();
        }
        command.env("PATH", bin);
    }

    /// Runs alongside with the scripts on the PATH and without a terminal.
    pub(super) fn run_with_path(&self, args: &[&str]) -> CommandResult {
        let mut command = self.alongside(args);
        self.with_path(&mut command);
        finish(command)
    }

    /// Runs alongside with the scripts on the PATH and returns its output for a snapshot, with the exit code
    /// unless the code is 0.
    pub(super) fn output_of(&self, args: &[&str]) -> String {
        self.stable(self.run_with_path(args))
    }

    /// Runs commands one after the other and adds them to the transcript.
    pub(super) fn run_recorded(&self, commands: &[impl AsRef<str>]) {
        for command in commands.iter().map(AsRef::as_ref) {
            self.add_to_transcript(command, &self.output_of(&command.split(' ').collect::<Vec<_>>()));
        }
    }

    /// Returns the row of an editor or agent in the list, with one space between columns.
    pub(super) fn list_row(&self, name: &str) -> String {
        let list = self.run_with_path(&["install", "--list"]).out;
        let row = list.lines().find(|line| line.starts_with(name)).expect("a row of that name");
        row.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Adds the row of an editor or agent in the list to the transcript.
    pub(super) fn record_list_row(&self, name: &str) {
        self.add_to_transcript("install --list", &self.stable(format!("…\n{}\n…\n", self.list_row(name))));
    }

    /// Runs alongside with the scripts on the PATH, asserts that it succeeds, and returns its output.
    pub(super) fn succeeds(&self, args: &[&str]) -> String {
        let output = self.run_with_path(args);
        assert!(output.status.success(), "{args:?}: {}", output.all_output());
        output.all_output()
    }

    /// Starts alongside in a new terminal with the scripts on the PATH.
    pub(super) fn start_at_terminal(&self, args: &[&str]) -> Running {
        let mut command = self.command("setsid");
        self.with_path(&mut command);
        command.args(["--ctty", env!("CARGO_BIN_EXE_alongside")]).args(args).env("TERM", "dumb");
        Running::at_terminal(&mut command)
    }

    /// Runs commands as [`Self::run_recorded`] does and asserts that they change no file of the home
    /// directory.
    pub(super) fn changes_nothing(&self, commands: &[impl AsRef<str>]) {
        let before = self.all_files();
        self.run_recorded(commands);
        assert_eq!(self.all_files(), before);
    }

    /// Installs a package into the editor of this id and name, and uninstalls it. Asserts that a second
    /// installation changes nothing and that uninstalling removes `directory`. Calls `check` while the
    /// package is installed. `stamp` is the file that names the program that installed the package. Returns
    /// the transcript.
    pub(super) fn installs_and_removes_a_package(
        &self,
        (id, name): (&str, &str),
        directory: &str,
        stamp: &str,
        check: impl Fn(),
    ) -> String {
        let before = self.all_files();
        self.run_recorded(&[format!("install {id} --yes")]);
        let stamp = self.reads(stamp);
        assert!(stamp.contains(env!("CARGO_BIN_EXE_alongside")), "{stamp}");
        check();
        self.changes_nothing(&[format!("install {id}")]);
        self.record_list_row(name);
        self.run_recorded(&[format!("uninstall {id} --yes")]);
        assert_eq!(self.all_files(), before);
        assert!(!self.in_home(directory).exists(), "the new directories are removed, too");
        self.transcript()
    }

    /// Returns every file of the home directory with its mode and its content. A link has the mode 0 and its
    /// target as the content.
    pub(super) fn all_files(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        fn below(directory: &Path, found: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let kind = path.symlink_metadata().unwrap();
                if kind.is_dir() {
                    below(&path, found);
                } else if kind.is_symlink() {
                    found.insert(
                        path.clone(),
                        (0, fs::read_link(path).unwrap().into_os_string().into_encoded_bytes()),
                    );
                } else {
                    found.insert(path.clone(), (kind.permissions().mode(), fs::read(path).unwrap()));
                }
            }
        }
        let mut found = BTreeMap::new();
        below(&self.path("home"), &mut found);
        found
    }
}
