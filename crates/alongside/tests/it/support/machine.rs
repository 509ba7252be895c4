//! A mount namespace for programs that have no variable with the directory of their hosts: `/run` and the
//! user database belong to the test, so that the programs do not reach the hosts of the real user.

use std::ffi::OsStr;
use std::process::Command;

use rustix::process::{getegid, geteuid};

use super::{Home, Running};

/// A mount namespace. It ends when this value is dropped.
pub(crate) struct Machine<'h> {
    home: &'h Home,
    holder: Running,
}

impl<'h> Machine<'h> {
    /// Returns a machine for a home. `has_runtime_dir` is whether the user has a directory below `/run/user`.
    /// Returns `None` if this user may not create mount namespaces.
    pub(crate) async fn of(home: &'h Home, has_runtime_dir: bool) -> Option<Self> {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let passwd = home.path("passwd");
        let entry = format!("person:x:{user}:{group}::{}:/bin/sh\n", home.path("home").display());
        std::fs::write(&passwd, entry).unwrap();
        // Hosts publish themselves in this directory if there is no other. All homes share it.
        let temporary = format!("/tmp/alongside-{user}");
        let hide = format!("if [ -d {temporary} ]; then mount -t tmpfs -o mode=700 none {temporary}; fi");
        let mounts =
            format!("mount -t tmpfs none /run && mount --bind '{}' /etc/passwd && {hide}", passwd.display());
        let can = home.command("unshare").args(["-m", "sh", "-c", &mounts]).output();
        if !can.is_ok_and(|output| output.status.success()) {
            alongside_testing::skip("this user cannot make a machine of its own for a test");
            return None;
        }
        let directory = match has_runtime_dir {
            true => format!("mkdir -p /run/user/{user} && chmod 700 /run/user/{user}"),
            false => "true".to_owned(),
        };
        let script = format!("{mounts} && {directory} && echo made; read line");
        let mut holder = home.start(home.command("unshare").args(["-m", "sh", "-c", &script]));
        holder.shows("made").await;
        Some(Self { home, holder })
    }

    /// Returns a command that runs in the project on this machine. None of its variables names the directory
    /// of hosts.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--target", &self.holder.pid().to_string(), "env", "-C"]);
        command.arg(&self.home.project).arg(program).env_clear().envs(self.home.variables());
        command
    }

    /// Returns a command that runs alongside in the project on this machine.
    pub(crate) fn alongside(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_alongside"));
        command.args(args);
        command
    }

    /// Starts line mode on this machine.
    pub(crate) fn review(&self) -> Running {
        self.home.start(&mut self.alongside(&["review"]))
    }

    /// Returns a path of this machine as the test reaches it.
    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        format!("/proc/{}/root{path}", self.holder.pid()).into()
    }
}
