//! A machine of a test's own, for programs that no variable leads to the hosts of their home: `/run` and the
//! user database are the test's, and nothing of the real user is in reach.

use std::ffi::OsStr;
use std::process::Command;

use rustix::process::{getegid, geteuid};

use super::{Home, Running};

/// A mount namespace, which ends with this value.
pub(crate) struct Machine<'h> {
    home: &'h Home,
    holder: Running,
}

impl<'h> Machine<'h> {
    /// The machine of a home, with a directory of the user below `/run/user` or without. `None` if the test
    /// may not make one.
    pub(crate) async fn of(home: &'h Home, has_runtime_dir: bool) -> Option<Self> {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let passwd = home.path("passwd");
        let entry = format!("person:x:{user}:{group}::{}:/bin/sh\n", home.path("home").display());
        std::fs::write(&passwd, entry).unwrap();
        // The last place where hosts publish themselves is everybody's.
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

    /// A program on this machine, in the project. No variable leads it to hosts.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--target", &self.holder.pid().to_string(), "env", "-C"]);
        command.arg(&self.home.project).arg(program).env_clear().envs(self.home.variables());
        command
    }

    pub(crate) fn alongside(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_alongside"));
        command.args(args);
        command
    }

    /// Starts line mode.
    pub(crate) fn review(&self) -> Running {
        self.home.start(&mut self.alongside(&["review"]))
    }

    /// The same path as programs on this machine see it.
    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        format!("/proc/{}/root{path}", self.holder.pid()).into()
    }
}
