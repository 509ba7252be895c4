//! A sandbox for a test: home, temporary and runtime directories, a project, and a hermetic environment.
//! Every process started in it ends with it.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;

pub use alongside_testing::files_below;
use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// The variable that every process of a sandbox inherits, also outside of the process groups, as a tmux
/// server.
const SANDBOX_VARIABLE: &str = "ALONGSIDE_SANDBOX";

/// A sandbox. Dropping it kills its processes and removes its directories.
#[derive(Debug)]
pub struct Sandbox {
    dir: TempDir,
    groups: Mutex<Vec<Pid>>,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// Creates the directories, with short names: the path of a Unix socket has at most 108 bytes.
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("al-").tempdir_in("/tmp").expect("a temporary directory");
        let sandbox = Self { dir, groups: Mutex::default() };
        for path in [sandbox.home(), sandbox.tmp(), sandbox.run(), sandbox.project()] {
            fs::create_dir(&path).expect("a directory in the sandbox");
        }
        // Some programs refuse a runtime directory that others can read.
        fs::set_permissions(sandbox.run(), Permissions::from_mode(0o700)).expect("our own directory");
        sandbox
    }

    /// `HOME`, and `GEMINI_CLI_HOME`.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// `TMPDIR`.
    pub fn tmp(&self) -> PathBuf {
        self.dir.path().join("tmp")
    }

    /// `XDG_RUNTIME_DIR`, also for sockets of the test itself.
    pub fn run(&self) -> PathBuf {
        self.dir.path().join("run")
    }

    /// The registry of the sandbox's hosts, in place of the real user's.
    pub fn hosts(&self) -> PathBuf {
        self.run().join("alongside")
    }

    /// The workspace of agents and editors.
    pub fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    /// Writes a file of the project, and returns its path.
    pub fn write(&self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(relative);
        fs::create_dir_all(path.parent().expect("a file has a directory"))
            .expect("a directory in the sandbox");
        fs::write(&path, content).expect("a file in the sandbox");
        path
    }

    /// Writes a file below the home, and returns its path.
    pub fn write_home(&self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        self.write(self.home().join(relative), content)
    }

    /// Returns the whole environment of a process in this sandbox, without any variable of an agent.
    pub fn env(&self) -> Vec<(&'static str, OsString)> {
        let at = |path: &str| OsString::from(self.dir.path().join(path));
        vec![
            (SANDBOX_VARIABLE, self.dir.path().into()),
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", at("home")),
            ("GEMINI_CLI_HOME", at("home")),
            ("TMPDIR", at("tmp")),
            ("XDG_RUNTIME_DIR", at("run")),
            ("ALONGSIDE_RUNTIME_DIR", self.hosts().into()),
            ("XDG_CONFIG_HOME", at("home/.config")),
            ("XDG_STATE_HOME", at("home/.local/state")),
            ("XDG_DATA_HOME", at("home/.local/share")),
            ("XDG_CACHE_HOME", at("home/.cache")),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "xterm-256color".into()),
            ("SHELL", "/bin/bash".into()),
            ("NO_PROXY", "127.0.0.1,localhost".into()),
            ("no_proxy", "127.0.0.1,localhost".into()),
            // In a container, agents would connect to host.docker.internal instead of the loopback.
            (
                "NODE_OPTIONS",
                format!("--require={}", crate::node_script("hide-container.cjs").display()).into(),
            ),
        ]
    }

    /// Reads the logs of all hosts, each with its path.
    pub fn logs(&self) -> Vec<String> {
        let logs = files_below(self.home().join(".local/state/alongside/log"));
        let read = |path: PathBuf| Some(format!("{}:\n{}", path.display(), fs::read_to_string(&path).ok()?));
        logs.into_iter().filter_map(read).collect()
    }

    /// Creates a command in the project, with only this sandbox's environment.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.env()).current_dir(self.project()).kill_on_drop(true);
        command
    }

    /// Makes the project a repository with all its files in the first commit.
    pub fn commit(&self) -> Result<()> {
        let identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
        for arguments in
            [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "The beginning"]]
        {
            let mut git = self.command("git").into_std();
            let status = git.args(identity).args(arguments).stdin(Stdio::null()).status();
            ensure!(status.context("git does not start")?.success(), "git {arguments:?} fails");
        }
        Ok(())
    }

    /// Starts a command in a process group of its own, which ends with the sandbox.
    pub fn spawn(&self, command: &mut Command) -> Child {
        let child = command.process_group(0).spawn();
        let child = child.unwrap_or_else(|error| panic!("{:?} does not start: {error}", command.as_std()));
        let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
        self.groups.lock().expect("no test thread panics here").extend(pid);
        child
    }

    /// Returns the running processes of this sandbox, whatever their process group. Linux only.
    pub fn processes(&self) -> Vec<Pid> {
        processes_of(self.dir.path())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for group in self.groups.get_mut().expect("no test thread panics here").drain(..) {
            // Fails if the group has ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
        // On systems without `/proc`, tests end processes outside of the process groups themselves.
        for pid in processes_of(self.dir.path()) {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }
}

/// Returns the processes with the sandbox's variable; none without `/proc`.
fn processes_of(dir: &Path) -> Vec<Pid> {
    let variable = format!("{SANDBOX_VARIABLE}={}\0", dir.display()).into_bytes();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw)?;
        let environment = fs::read(entry.path().join("environ")).ok()?;
        environment.windows(variable.len()).any(|window| window == variable).then_some(pid)
    });
    processes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn process_outside_its_group_dies_with_the_sandbox() {
        let sandbox = Sandbox::new();
        let script = "setsid sleep 1000 & echo $!; wait";
        let mut child =
            sandbox.spawn(sandbox.command("sh").args(["-c", script]).stdout(std::process::Stdio::piped()));
        let mut line = String::new();
        let mut stdout = tokio::io::BufReader::new(child.stdout.take().expect("piped"));
        tokio::io::AsyncBufReadExt::read_line(&mut stdout, &mut line).await.expect("the pid");
        let dir = sandbox.dir.path().to_owned();
        assert!(!sandbox.processes().is_empty(), "the sleeper should live");
        drop(sandbox);
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(5);
        while !processes_of(&dir).is_empty() {
            assert!(std::time::Instant::now() < deadline, "a process of the sandbox outlived it");
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }
}
