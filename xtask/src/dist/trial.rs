//! `cargo xtask dist --try`: tries the package (as root) and the script (as an ordinary user) in a new,
//! minimal Debian without a compiler. The steps are in packaging/trial; each trial gets a Debian of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use alongside_testing::chores::{checkout, run};
use anyhow::Context as _;

use super::product::Product;
use super::{debian, tools};

/// Packages on top of a minimal system: a manual reader, and shells with completions.
const PACKAGES: &str = "bash-completion,fish,man-db,zsh";

/// The release to try where this machine does not run Debian.
const SUITE: &str = "stable";

/// Runs both trials. A trial that this machine cannot run is skipped with a message.
pub(super) fn run_all(product: &Product, out: &Path, targets: &Path) -> anyhow::Result<ExitCode> {
    let base = match minimal_debian(targets) {
        Ok(base) => base,
        Err(why) => {
            println!("SKIPPED: the trials in a clean Debian: {why:#}");
            return Ok(ExitCode::SUCCESS);
        }
    };
    let mut failed = 0;
    for (trial, user) in [("package", "root"), ("script", "dev")] {
        if trial == "package" && !out.join(debian::file_name(product)?).is_file() {
            println!("SKIPPED: the trial of the package, which was not built");
            continue;
        }
        println!("==> a clean Debian, the {trial}");
        let debian = Debian::copy_of(&base, targets)?;
        debian.take_in(out)?;
        if !debian.run(user, trial, &product.version)? {
            failed += 1;
        }
    }
    println!("{}", if failed == 0 { "All trials passed." } else { "A TRIAL FAILED" });
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A minimal Debian that is never changed; made once.
fn minimal_debian(targets: &Path) -> anyhow::Result<PathBuf> {
    let user = tools::output(Command::new("id").arg("-u"))?;
    anyhow::ensure!(user.trim() == "0", "chroot needs root");
    anyhow::ensure!(tools::is_installed("debootstrap"), "debootstrap is not installed");
    tools::run(Command::new("unshare").args(["--mount", "--pid", "--fork", "true"]))
        .context("this machine does not allow new namespaces")?;
    let suite = suite();
    let base = targets.join(format!("debian-{suite}"));
    if base.join("etc/debian_version").is_file() && !base.join("debootstrap").exists() {
        return Ok(base);
    }
    // A half-made Debian is of no use.
    let half = targets.join(format!("debian-{suite}.half"));
    let _ = fs::remove_dir_all(&half);
    let mut debootstrap = Command::new("debootstrap");
    debootstrap.args(["--variant=minbase", &format!("--include={PACKAGES}"), &suite]).arg(&half);
    let made = run(debootstrap.stdout(Stdio::null()))?;
    anyhow::ensure!(made.success(), "debootstrap cannot install Debian {suite}; check the mirror");
    fs::rename(&half, &base)?;
    Ok(base)
}

/// The machine's own release if it runs Debian: the program needs its C library or a newer one.
fn suite() -> String {
    let about = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let field = |name: &str| {
        let line = about.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.map(|value| value.trim_matches('"').to_owned())
    };
    let is_debian = field("ID").as_deref() == Some("debian");
    field("VERSION_CODENAME").filter(|_| is_debian).unwrap_or_else(|| SUITE.to_owned())
}

/// A Debian to be used once.
struct Debian {
    root: PathBuf,
}

impl Debian {
    fn copy_of(base: &Path, targets: &Path) -> anyhow::Result<Self> {
        let debian = Self { root: targets.join(format!("debian-trial-{}", std::process::id())) };
        tools::run(Command::new("cp").arg("-a").arg(base).arg(&debian.root))?;
        tools::run(debian.chroot("root").args(["useradd", "--create-home", "dev"]))?;
        Ok(debian)
    }

    /// Puts what was made, and the trials, where everybody there can read them.
    fn take_in(&self, out: &Path) -> anyhow::Result<()> {
        let dist = self.root.join("dist");
        tools::run(Command::new("cp").arg("-r").arg(out).arg(&dist))?;
        tools::run(Command::new("cp").arg("-r").arg(checkout().join("packaging/trial")).arg(&dist))?;
        tools::run(Command::new("chmod").args(["-R", "a+rX"]).arg(&dist))
    }

    fn run(&self, user: &str, trial: &str, version: &str) -> anyhow::Result<bool> {
        let mut command = self.chroot(user);
        command.args(["timeout", "300", "sh", &format!("/dist/trial/{trial}.sh"), version]);
        let status = command.stdin(Stdio::null()).status().context("cannot start unshare")?;
        Ok(status.success())
    }

    /// A command in there, with nothing of this machine's environment; what it starts ends with it.
    fn chroot(&self, user: &str) -> Command {
        let home = if user == "root" { "/root".to_owned() } else { format!("/home/{user}") };
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--pid", "--fork", "--kill-child"])
            .arg(format!("--mount-proc={}", self.root.join("proc").display()))
            .arg("chroot")
            .args((user != "root").then(|| format!("--userspec={user}:{user}")))
            .arg(&self.root)
            .args([
                "env",
                "-i",
                "--chdir=/",
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            ])
            .arg(format!("HOME={home}"));
        command
    }
}

impl Drop for Debian {
    fn drop(&mut self) {
        // Its mounts end with its namespace.
        if let Err(error) = fs::remove_dir_all(&self.root) {
            println!("cannot remove {}: {error}", self.root.display());
        }
    }
}
