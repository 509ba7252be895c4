//! The environment of the user: the directories of programs and of their files. No other file of this crate
//! reads environment variables.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use alongside_common::failure::failure;
use alongside_common::own_program::own_program;
use alongside_platform::Os;
use alongside_platform::files::is_roots_visit;
use alongside_platform::path_lists::reaches_editors;
use alongside_platform::paths::Canonical as _;
use tokio::process::Command;

use super::program_directories::{NPM_PREFIX_VARIABLE, directories_of, usual_directories};

/// The longest run of a program that prints its version, or its servers for a language.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(10);

/// The directories, programs and variables of the person.
#[derive(Debug, Clone)]
pub struct UserEnvironment {
    pub(crate) home: PathBuf,
    /// The path of this program, which editors start.
    pub(crate) program: String,
    /// Our state directory, which holds the ledger.
    pub state: PathBuf,
    variables: HashMap<String, OsString>,
}

impl UserEnvironment {
    /// Returns the environment of this process.
    ///
    /// # Errors
    /// When HOME is not a directory, or belongs to another user while this process is root's. The home
    /// directory of the account is no substitute: a person who sets HOME means another directory.
    pub fn of_this_process() -> anyhow::Result<Self> {
        let variable = match Os::HERE {
            Os::Linux | Os::MacOs => "HOME",
            Os::Windows => "USERPROFILE",
        };
        check_home(variable, std::env::var_os(variable))?;
        let dirs = alongside_companion::AppDirs::of_this_process();
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        Ok(Self { home: dirs.home, program: own_program(), state: dirs.state, variables })
    }

    /// Returns the value of a variable; `None` if it is empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name)
    }

    /// Returns the directory that the variable names, or else the directory `below_home`.
    pub(crate) fn directory(&self, variable: &str, below_home: &str) -> PathBuf {
        let named = self.variable(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        named.unwrap_or_else(|| self.home.join(below_home))
    }

    /// Returns the first of these commands that is in PATH or in the usual directories of programs.
    pub fn find(&self, commands: &[&str]) -> Option<PathBuf> {
        let usual = usual_directories(&self.home, self.variable(NPM_PREFIX_VARIABLE).map(Path::new));
        let dirs = std::env::join_paths(self.path().chain(usual)).ok()?;
        commands.iter().find_map(|command| which::which_in(command, Some(&dirs), "/").ok())
    }

    /// Returns the command by which an editor starts this program: the name if PATH leads to this program,
    /// else the path.
    pub(crate) fn own_command(&self) -> String {
        let real = |path: &Path| path.canonical().ok();
        let on_path = std::env::join_paths(self.path()).ok();
        let found = on_path.and_then(|path| which::which_in("alongside", Some(path), "/").ok());
        match found.and_then(|path| real(&path)) {
            Some(path)
                if reaches_editors(Os::HERE) && Some(&path) == real(Path::new(&self.program)).as_ref() =>
            {
                "alongside".into()
            }
            _ => self.program.clone(),
        }
    }

    /// Returns the directories in PATH.
    fn path(&self) -> impl Iterator<Item = PathBuf> {
        self.variable("PATH").into_iter().flat_map(|path| directories_of(path))
    }

    /// Returns a path for people, with `~` and without control characters.
    pub fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(below) => alongside_desk::harmless::path(&Path::new("~").join(below)),
            Err(_) => alongside_desk::harmless::path(path),
        }
    }
}

/// Checks that the variable names a directory.
fn check_home(variable: &str, value: Option<OsString>) -> anyhow::Result<()> {
    let wrong = match value.map(PathBuf::from) {
        None => format!("{variable} is not set"),
        Some(home) if home.as_os_str().is_empty() => format!("{variable} is empty"),
        Some(home) if !home.is_absolute() => {
            format!("{variable} is not an absolute path: {}", home.display())
        }
        Some(home) if !home.is_dir() => format!("{variable} is not a directory: {}", home.display()),
        Some(home) if home.metadata().is_ok_and(|found| is_roots_visit(&found)) => {
            // The user could not change files of root there, and links of the user could lead root to any
            // file.
            return Err(failure(
                format!("{} belongs to another user; nothing is changed", home.display()),
                format!("repeat this as that user, without sudo; or set {variable} to root's own"),
            ));
        }
        Some(_) => return Ok(()),
    };
    Err(failure(format!("{wrong}; nothing is changed"), format!("set {variable} to your home directory")))
}

/// Returns the text that a program prints on standard output and standard error without a terminal, whatever
/// its exit status. `None` if the program does not start, or does not end in time.
pub(crate) async fn output_of(program: &Path, args: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    // Without a display, Kate prints nothing on the default platform of Qt.
    command.args(args).env("QT_QPA_PLATFORM", "offscreen").stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(OUTPUT_TIMEOUT, command.output()).await.ok()?.ok()?;
    Some(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// Returns the first word of `text` that begins with a digit, or with `v` and a digit: "NVIM v0.10.4" gives
/// "0.10.4".
pub(crate) fn version_in(text: &str) -> Option<String> {
    let words = text.lines().next()?.split([' ', '(', ')', ',']);
    let mut words = words.map(|word| word.strip_prefix('v').unwrap_or(word));
    words.find(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned)
}

/// Returns the first two numbers of a version. The second is 0 if there is none. `None` if the first part is
/// no number.
pub fn major_minor(version: &str) -> Option<(u64, u64)> {
    let mut numbers = version.split('.').map(|number| {
        let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        number[..digits].parse().ok()
    });
    Some((numbers.next()??, numbers.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_must_be_an_existing_directory() {
        let home = tempfile::tempdir().unwrap();
        let error_for = |value: Option<&Path>| {
            let checked = check_home("HOME", value.map(|path| path.as_os_str().to_owned()));
            checked.err().map(|error| error.to_string())
        };
        assert_eq!(error_for(Some(home.path())), None);
        for (value, expected) in [
            (None, "HOME is not set"),
            (Some(Path::new("")), "HOME is empty"),
            (Some(Path::new("me")), "HOME is not an absolute path: me"),
            (Some(&home.path().join("gone")), "HOME is not a directory: "),
        ] {
            let error = error_for(value).unwrap();
            assert!(error.starts_with(expected) && error.ends_with("nothing is changed"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_found_where_installers_put_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        let (home, npm) = (temp.path().join("home"), temp.path().join("npm"));
        let variables = HashMap::from([(NPM_PREFIX_VARIABLE.to_owned(), npm.clone().into_os_string())]);
        let state = home.join("state");
        let user = UserEnvironment { home: home.clone(), program: String::new(), state, variables };
        for (name, directory) in [
            ("of-npm", npm.join("bin")),
            ("of-npm-in-home", home.join(".npm-global/bin")),
            ("of-volta", home.join(".volta/bin")),
            ("of-cargo", home.join(".cargo/bin")),
        ] {
            std::fs::create_dir_all(&directory).unwrap();
            let program = directory.join(name);
            assert_eq!(user.find(&[name]), None);
            std::fs::write(&program, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(user.find(&[name]), Some(program));
        }
    }

    #[test]
    fn version_is_found_in_output() {
        for (output, version) in [
            ("NVIM v0.10.4\nBuild type: Release\n", Some("0.10.4")),
            ("NVIM v0.12.0-dev-1234+gabc\n", Some("0.12.0-dev-1234+gabc")),
            ("helix 25.01.1 (e7ac2fcd)\n", Some("25.01.1")),
            ("command not found", None),
            ("", None),
        ] {
            assert_eq!(version_in(output).as_deref(), version, "{output:?}");
        }
        assert_eq!(major_minor("0.12.0-dev-1234"), Some((0, 12)));
        assert_eq!(major_minor("25.07"), Some((25, 7)));
        assert!(major_minor("0.9.5") < major_minor("0.10.0"));
    }
}
