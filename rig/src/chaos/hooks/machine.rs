//! The machine of rounds with hooks: a sandbox in a mount namespace. `/run` and the user database are those
//! of the namespace, so a hook finds its host without a variable of the sandbox, and reaches no file of the
//! real user.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};

use alongside_contract::agent::HookAgent;
use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, getegid, geteuid};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::fault::HookFault;
use crate::chaos::processes::companions_in;
use crate::chaos::tool_call::{FilePath, Variables};
use crate::program::alongside_bin;
use crate::sandbox::{Sandbox, files_below};

/// The patience of an agent for a hook, in seconds, which is also an option of the hook.
pub(super) const HOOK_LIMIT: u64 = 8;

/// The variable that names the registry of a sandbox's hosts. Hooks must work without it.
const HOSTS_VARIABLE: &str = "ALONGSIDE_RUNTIME_DIR";

/// The directory of the links to the project and to its files, which no host serves.
const ELSEWHERE: &str = "elsewhere";

/// The machine of rounds with hooks.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) sandbox: Sandbox,
    /// The process that keeps the namespace.
    holder: Pid,
    /// That process with its input: it ends with the input.
    _child: Child,
    pub(super) fault: Option<HookFault>,
}

/// Returns the shell commands that make a machine of the present mount namespace. `passwd` is its user
/// database.
fn mounts(passwd: &Path) -> String {
    let user = geteuid().as_raw();
    // The last registry of hosts is in /tmp, which the namespace shares with the system.
    let temporary = format!("/tmp/alongside-{user}");
    let hide = format!("if [ -d {temporary} ]; then mount -t tmpfs -o mode=700 none {temporary}; fi");
    format!("mount -t tmpfs none /run && mount --bind '{}' /etc/passwd && {hide}", passwd.display())
}

/// Whether this user may make a mount namespace.
pub(super) fn can_be_made() -> bool {
    let script = mounts(Path::new("/etc/passwd"));
    let output = Program::new("unshare").args(["-m", "sh", "-c", &script]).output();
    output.is_ok_and(|output| output.status.success())
}

impl Machine {
    /// Makes a machine on which nothing runs, and whose hooks have this fault.
    pub(super) async fn new(fault: Option<HookFault>) -> Result<Self> {
        let sandbox = Sandbox::new();
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let root =
            sandbox.home().parent().context("the home of the sandbox has no parent directory")?.to_owned();
        let passwd = root.join("passwd");
        fs::write(&passwd, format!("person:x:{user}:{group}::{}:/bin/sh\n", sandbox.home().display()))?;
        fs::create_dir(root.join(ELSEWHERE))?;
        let script = format!("{} && echo made; read line", mounts(&passwd));
        let mut command = sandbox.command("unshare");
        command.args(["-m", "sh", "-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = sandbox.spawn(&mut command);
        let mut line = String::new();
        let stdout = child.stdout.take().context("the standard stream is not piped")?;
        BufReader::new(stdout).read_line(&mut line).await?;
        ensure!(line == "made\n", "cannot make a machine: {line:?}");
        let holder = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
        Ok(Self { sandbox, holder: holder.context("the process has ended")?, _child: child, fault })
    }

    /// Makes the directories and links of a round: with `has_runtime_dir` the user's directory below
    /// `/run/user`, and the links to the project and its files.
    pub(super) fn prepare(&self, files: &[PathBuf], has_runtime_dir: bool) -> Result<()> {
        let run = self.runtime_dir();
        if has_runtime_dir {
            fs::create_dir_all(&run)?;
            fs::set_permissions(&run, fs::Permissions::from_mode(0o700))?;
        }
        symlink(self.sandbox.project(), self.elsewhere().join("project"))?;
        for file in files {
            symlink(
                file,
                self.elsewhere().join(file.file_name().context("the path of a file has no name")?),
            )?;
        }
        Ok(())
    }

    fn elsewhere(&self) -> PathBuf {
        self.sandbox.home().with_file_name(ELSEWHERE)
    }

    /// The path of the user's directory below `/run/user`, for this process outside of the namespace.
    fn runtime_dir(&self) -> PathBuf {
        let user = geteuid().as_raw();
        format!("/proc/{}/root/run/user/{user}", self.holder.as_raw_nonzero()).into()
    }

    /// The paths of the hosts' registries, for this process outside of the namespace.
    fn registries(&self) -> [PathBuf; 2] {
        let home = self.sandbox.home().join(".local/state/alongside/run");
        [self.runtime_dir().join("alongside"), home]
    }

    /// Returns the command that runs a program in a directory of this machine.
    pub(super) fn command(&self, directory: &Path, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--target", &self.holder.as_raw_nonzero().to_string(), "env", "-C"]);
        command.arg(directory).arg(program).env_clear().kill_on_drop(true);
        command.envs(self.sandbox.env().into_iter().filter(|(name, _)| *name != HOSTS_VARIABLE));
        command
    }

    /// Returns the command that runs alongside in the project.
    pub(super) fn alongside(&self) -> Result<Command> {
        Ok(self.command(&self.sandbox.project(), alongside_bin()?))
    }

    /// Returns the working directory of an agent, and the path by which it names a file of the project.
    pub(super) fn directory_and_path(&self, file_path: FilePath, name: &str) -> (PathBuf, PathBuf) {
        let (project, elsewhere) = (self.sandbox.project(), self.elsewhere());
        match file_path {
            FilePath::Project => (project.clone(), project.join(name)),
            FilePath::Outside => (PathBuf::from("/"), project.join(name)),
            FilePath::DirectoryLink => (elsewhere.join("project"), elsewhere.join("project").join(name)),
            FilePath::FileLink => (elsewhere.clone(), elsewhere.join(name)),
        }
    }

    /// Returns the command of alongside's hook as an agent runs it: the command line of its settings, in a
    /// shell.
    pub(super) fn hook(
        &self,
        agent: HookAgent,
        directory: &Path,
        variables: Variables,
        is_missing: bool,
    ) -> Result<Command> {
        let program = if is_missing { PathBuf::from("/nowhere/alongside") } else { alongside_bin()? };
        let search = match self.fault {
            Some(HookFault::LooksInRuntimeDirOnly) => " --runtime-dir \"$XDG_RUNTIME_DIR/alongside\"",
            Some(HookFault::YesWithoutArguments) | None => "",
        };
        let line = format!("exec '{}' hook {} --timeout {HOOK_LIMIT}{search}", program.display(), agent.id);
        let mut command = self.command(directory, "sh");
        command.args(["-c", &line]);
        let elsewhere = OsString::from(self.elsewhere());
        match variables {
            Variables::Same => {}
            Variables::NoRuntimeDir => {
                command.env_remove("XDG_RUNTIME_DIR");
            }
            Variables::OtherRuntimeDir => {
                command.env("XDG_RUNTIME_DIR", elsewhere);
            }
            Variables::MissingRuntimeDir => {
                command.env("XDG_RUNTIME_DIR", "/nowhere");
            }
            Variables::OtherTmp => {
                command.env("TMPDIR", elsewhere);
            }
            Variables::OtherHome => {
                command.env("HOME", &elsewhere).env("XDG_STATE_HOME", elsewhere);
            }
            Variables::NoHome => {
                command.env_remove("HOME").env_remove("XDG_STATE_HOME");
            }
            Variables::Cleaned => {
                // The first variable stays: the sandbox finds its processes by it.
                for (name, _) in self.sandbox.env().into_iter().skip(1).filter(|(name, _)| *name != "PATH") {
                    command.env_remove(name);
                }
            }
        }
        Ok(command)
    }

    /// Returns the hosts that live.
    pub(super) fn companions(&self) -> Vec<Pid> {
        let found = self.registries().map(|registry| companions_in(&registry, &self.sandbox));
        found.concat()
    }

    /// Returns the processes of the machine, except for the process that keeps the namespace.
    pub(super) fn processes(&self) -> Vec<Pid> {
        let mut all = self.sandbox.processes();
        all.retain(|pid| *pid != self.holder);
        all
    }

    /// Returns the files that must not be left when everything has ended.
    pub(super) fn strays(&self) -> Vec<String> {
        let state = self.sandbox.home().join(".local/state/alongside");
        let is_lock = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "lock");
        let registered = self.registries().into_iter().flat_map(files_below);
        let all = registered.chain(files_below(state.join("journal"))).filter(|path| !is_lock(path));
        let all = all.chain(files_below(self.sandbox.tmp()));
        let all: BTreeSet<_> = all.map(|path| format!("a file: {}", path.display())).collect();
        all.into_iter().collect()
    }

    /// Returns the texts of all drafts.
    pub(super) fn drafts(&self) -> Vec<String> {
        let all = files_below(self.sandbox.home().join(".local/state/alongside/drafts"));
        let is_text = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "txt");
        all.into_iter().filter(is_text).filter_map(|path| fs::read_to_string(path).ok()).collect()
    }

    /// Deletes the leftovers of a round.
    pub(super) fn tidy(&self) -> Result<()> {
        let run = self.runtime_dir();
        if run.exists() {
            fs::remove_dir_all(&run)?;
        }
        let sandbox = &self.sandbox;
        for directory in [sandbox.home(), sandbox.tmp(), sandbox.run(), sandbox.project(), self.elsewhere()] {
            fs::remove_dir_all(&directory)?;
            fs::create_dir(&directory)?;
        }
        fs::set_permissions(sandbox.run(), fs::Permissions::from_mode(0o700))?;
        Ok(())
    }
}
