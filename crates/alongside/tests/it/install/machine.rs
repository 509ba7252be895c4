//! A machine whose editors and agents are scripts.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Home, Ran, Running, finish, write_file, write_program};

/// Answers as Helix 25.01: it lists the programs of servers, and does not know the settings.
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

/// Answers as a newer Helix: it lists names, and fails without a terminal.
pub(super) const NEW_HELIX: &str = r#"
case "$*" in
  --version) echo "helix 25.07.1" ;;
  "--health rust") printf 'Configured language servers:\n  ✘ rust-analyzer: no\n' ;;
  "--health "*) echo 'Configured language servers: None' ;;
  *--config*) echo "Error: unable to start Helix" >&2; exit 1 ;;
esac
"#;

pub(super) const NEOVIM: &str = "echo 'NVIM v0.10.4'\n";

/// A file as people have them.
pub(super) const LANGUAGES: &str = "# mine\n[[language]]\nname = \"rust\" # best\nauto-format = true\n\
                                    language-servers = [\"rust-analyzer\"]\n";

impl Home {
    /// A home with a script on the PATH.
    pub(super) fn with_program(name: &str, body: &str) -> Self {
        let home = Self::new();
        home.program(name, body);
        home
    }

    /// A home with an agent as npm installs it.
    pub(super) fn with_agent(name: &str, version: &str) -> Self {
        let home = Self::new();
        home.agent_program(name, version);
        home
    }

    pub(super) fn program(&self, name: &str, body: &str) {
        let path = self.path("bin").join(name);
        write_program(&path, &format!("#!/bin/sh\n{body}"));
    }

    /// An agent as npm installs it: a link to a file of a package.
    pub(super) fn agent_program(&self, name: &str, version: &str) {
        let package = self.path("lib").join(name);
        // Its name on npm.
        let package_name = alongside_contract::agent::Agent::named(name).unwrap().packages[0];
        let json = serde_json::json!({ "name": package_name, "version": version });
        write_file(&package.join("package.json"), &json.to_string());
        let script = package.join("dist/cli.js");
        write_program(&script, "");
        symlink(script, self.directory("bin").join(name)).unwrap();
    }

    pub(super) fn in_home(&self, below: &str) -> PathBuf {
        self.path("home").join(below)
    }

    pub(super) fn writes(&self, below: &str, text: &str) -> PathBuf {
        let path = self.in_home(below);
        write_file(&path, text);
        path
    }

    pub(super) fn reads(&self, below: &str) -> String {
        fs::read_to_string(self.in_home(below)).unwrap()
    }

    /// Nothing but the scripts is on the PATH, whatever editors and agents this machine has.
    pub(super) fn with_path(&self, command: &mut Command) {
        let bin = self.directory("bin");
        if !bin.join("setsid").exists() {
            let path = std::env::var_os("PATH").unwrap();
            let mut setsid = std::env::split_paths(&path).map(|place| place.join("setsid"));
            symlink(setsid.find(|path| path.is_file()).unwrap(), bin.join("setsid")).unwrap();
        }
        command.env("PATH", bin);
    }

    /// Runs with the machine's scripts on the PATH, and nobody to ask.
    pub(super) fn does(&self, args: &[&str]) -> Ran {
        let mut command = self.alongside(args);
        self.with_path(&mut command);
        finish(command)
    }

    /// The same for a snapshot: all that it prints, and its exit code unless that is 0.
    pub(super) fn says(&self, args: &[&str]) -> String {
        self.stable(self.does(args))
    }

    /// Runs commands one after the other, for `played`.
    pub(super) fn plays(&self, commands: &[impl AsRef<str>]) {
        for command in commands.iter().map(AsRef::as_ref) {
            self.notes(command, &self.says(&command.split(' ').collect::<Vec<_>>()));
        }
    }

    /// The row of an editor or agent in the list. One space stands between columns, however wide they are.
    pub(super) fn listed(&self, name: &str) -> String {
        let list = self.does(&["install", "--list"]).out;
        let row = list.lines().find(|line| line.starts_with(name)).expect("a row of that name");
        row.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The same for `played`.
    pub(super) fn lists(&self, name: &str) {
        self.notes("install --list", &self.stable(format!("…\n{}\n…\n", self.listed(name))));
    }

    pub(super) fn succeeds(&self, args: &[&str]) -> String {
        let output = self.does(args);
        assert!(output.status.success(), "{args:?}: {}", output.said());
        output.said()
    }

    /// The same at a terminal.
    pub(super) fn asks(&self, args: &[&str]) -> Running {
        let mut command = self.command("setsid");
        self.with_path(&mut command);
        command.args(["--ctty", env!("CARGO_BIN_EXE_alongside")]).args(args).env("TERM", "dumb");
        Running::at_terminal(&mut command)
    }

    /// The same for `played`, of commands that change nothing.
    pub(super) fn changes_nothing(&self, commands: &[impl AsRef<str>]) {
        let before = self.everything();
        self.plays(commands);
        assert_eq!(self.everything(), before);
    }

    /// Installs a package into an editor of this id and name, and removes it: all of its new `directory`
    /// goes. `looks` while it is installed; `stamp` names the program that installed it.
    pub(super) fn gets_a_package_once(
        &self,
        (id, name): (&str, &str),
        directory: &str,
        stamp: &str,
        looks: impl Fn(),
    ) -> String {
        let before = self.everything();
        self.plays(&[format!("install {id} --yes")]);
        let stamp = self.reads(stamp);
        assert!(stamp.contains(env!("CARGO_BIN_EXE_alongside")), "{stamp}");
        looks();
        self.changes_nothing(&[format!("install {id}")]);
        self.lists(name);
        self.plays(&[format!("uninstall {id} --yes")]);
        assert_eq!(self.everything(), before);
        assert!(!self.in_home(directory).exists(), "the new directories are removed, too");
        self.played()
    }

    /// Every file of the home directory: where links lead, or what is in it and its mode.
    pub(super) fn everything(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
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
