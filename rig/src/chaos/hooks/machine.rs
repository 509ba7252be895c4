//! The machine of rounds with hooks: a sandbox in a mount namespace of its own. No variable leads a hook to
//! its host there, and nothing of the real user is in reach: `/run` and the user database are the machine's.

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
use crate::chaos::tool_call::{Variables, Way};
use crate::program::alongside_bin;
use crate::sandbox::{Sandbox, files_below};

/// How long an agent waits for a hook, in seconds. The hook knows that time.
pub(super) const HOOK_LIMIT: u64 = 8;

/// The variable that would lead programs to the hosts of a sandbox.
const HOSTS_VARIABLE: &str = "ALONGSIDE_RUNTIME_DIR";

/// Where the links to the project and to its files are, and where nobody serves anything.
const ELSEWHERE: &str = "elsewhere";

/// A machine.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) sandbox: Sandbox,
    /// The process that keeps the namespace.
    holder: Pid,
    /// Its input, whose end is its end.
    _child: Child,
    pub(super) fault: Option<HookFault>,
}

/// The commands that make a machine of the present mount namespace. `passwd` is its user database.
fn mounts(passwd: &Path) -> String {
    let user = geteuid().as_raw();
    // The last place where hosts publish themselves is everybody's.
    let temporary = format!("/tmp/alongside-{user}");
    let hide = format!("if [ -d {temporary} ]; then mount -t tmpfs -o mode=700 none {temporary}; fi");
    format!("mount -t tmpfs none /run && mount --bind '{}' /etc/passwd && {hide}", passwd.display())
}

/// Whether this user may make machines.
pub(super) fn can_be_made() -> bool {
    let tried = Program::new("unshare").args(["-m", "sh", "-c", &mounts(Path::new("/etc/passwd"))]).output();
    tried.is_ok_and(|tried| tried.status.success())
}

impl Machine {
    /// A machine on which nothing runs, whose hooks have this fault.
    pub(super) async fn new(fault: Option<HookFault>) -> Result<Self> {
        let sandbox = Sandbox::new();
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let root = sandbox.home().parent().context("a sandbox")?.to_owned();
        let passwd = root.join("passwd");
        fs::write(&passwd, format!("person:x:{user}:{group}::{}:/bin/sh\n", sandbox.home().display()))?;
        fs::create_dir(root.join(ELSEWHERE))?;
        let script = format!("{} && echo made; read line", mounts(&passwd));
        let mut command = sandbox.command("unshare");
        command.args(["-m", "sh", "-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = sandbox.spawn(&mut command);
        let mut said = String::new();
        let stdout = child.stdout.take().context("piped")?;
        BufReader::new(stdout).read_line(&mut said).await?;
        ensure!(said == "made\n", "cannot make a machine: {said:?}");
        let holder = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
        Ok(Self { sandbox, holder: holder.context("a running process")?, _child: child, fault })
    }

    /// Makes the places of a round: the user's directory below `/run/user`, unless the system makes none, and
    /// the links to the project and its files.
    pub(super) fn set(&self, files: &[PathBuf], has_runtime_dir: bool) -> Result<()> {
        let run = self.runtime_dir();
        if has_runtime_dir {
            fs::create_dir_all(&run)?;
            fs::set_permissions(&run, fs::Permissions::from_mode(0o700))?;
        }
        symlink(self.sandbox.project(), self.elsewhere().join("project"))?;
        for file in files {
            symlink(file, self.elsewhere().join(file.file_name().context("a file")?))?;
        }
        Ok(())
    }

    fn elsewhere(&self) -> PathBuf {
        self.sandbox.home().with_file_name(ELSEWHERE)
    }

    /// The user's directory below `/run/user`, as this process sees it.
    fn runtime_dir(&self) -> PathBuf {
        let user = geteuid().as_raw();
        format!("/proc/{}/root/run/user/{user}", self.holder.as_raw_nonzero()).into()
    }

    /// The directories in which hosts publish themselves, as this process sees them.
    fn registries(&self) -> [PathBuf; 2] {
        let home = self.sandbox.home().join(".local/state/alongside/run");
        [self.runtime_dir().join("alongside"), home]
    }

    /// The command of a program in a directory of this machine.
    pub(super) fn command(&self, directory: &Path, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--target", &self.holder.as_raw_nonzero().to_string(), "env", "-C"]);
        command.arg(directory).arg(program).env_clear().kill_on_drop(true);
        command.envs(self.sandbox.env().into_iter().filter(|(name, _)| *name != HOSTS_VARIABLE));
        command
    }

    /// The program's own command in the project.
    pub(super) fn alongside(&self) -> Result<Command> {
        Ok(self.command(&self.sandbox.project(), alongside_bin()?))
    }

    /// The directory in which an agent works, and the path by which it names a file of the project.
    pub(super) fn directory_and_path(&self, way: Way, name: &str) -> (PathBuf, PathBuf) {
        let (project, elsewhere) = (self.sandbox.project(), self.elsewhere());
        match way {
            Way::Project => (project.clone(), project.join(name)),
            Way::Outside => (PathBuf::from("/"), project.join(name)),
            Way::DirectoryLink => (elsewhere.join("project"), elsewhere.join("project").join(name)),
            Way::FileLink => (elsewhere.clone(), elsewhere.join(name)),
        }
    }

    /// The command of our hook as an agent runs it: the line of its settings, in a shell.
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
                // The sandbox finds its processes by its own variable.
                for (name, _) in self.sandbox.env().into_iter().skip(1).filter(|(name, _)| *name != "PATH") {
                    command.env_remove(name);
                }
            }
        }
        Ok(command)
    }

    /// The hosts that live.
    pub(super) fn companions(&self) -> Vec<Pid> {
        let found = self.registries().map(|registry| companions_in(&registry, &self.sandbox));
        found.concat()
    }

    /// The processes of the machine, without the one that keeps it.
    pub(super) fn processes(&self) -> Vec<Pid> {
        let mut all = self.sandbox.processes();
        all.retain(|pid| *pid != self.holder);
        all
    }

    /// Files that should be gone when everything has ended.
    pub(super) fn strays(&self) -> Vec<String> {
        let state = self.sandbox.home().join(".local/state/alongside");
        let is_lock = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "lock");
        let registered = self.registries().into_iter().flat_map(files_below);
        let all = registered.chain(files_below(state.join("journal"))).filter(|path| !is_lock(path));
        let all = all.chain(files_below(self.sandbox.tmp()));
        let all: BTreeSet<_> = all.map(|path| format!("a file: {}", path.display())).collect();
        all.into_iter().collect()
    }

    /// The texts of all drafts.
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
