//! `cargo xtask dist --try`: tries each way to get the program in a new, minimal Debian without a compiler,
//! and a static program where there is nothing else. The steps are in packaging/trial; each trial gets a
//! system of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use alongside_testing::chores::{checkout, fill_directory_once, run};
use anyhow::Context as _;

use super::product::Product;
use super::{bare_root_trial, debian_package, tools, winget_schemas};
use crate::systems::debian_root::APT_INSTALL;

/// Packages on top of the smallest system: a manual reader, and shells with completions.
const PACKAGES: &str = "bash-completion,fish,man-db,zsh";

/// Package managers, and the programs that read recipes of others.
const MANAGERS: &str = "npm pipx python3-pip fakeroot libarchive-tools makepkg nix-bin ruby \
                        python3-jsonschema python3-yaml";

/// A system for trials, which is made once and never changed.
#[derive(Debug, Clone, Copy)]
enum Base {
    Minimal,
    WithManagers,
}

/// The trials, with the user who runs them.
const TRIALS: [(Base, &str, &str); 6] = [
    (Base::Minimal, "package", "root"),
    (Base::Minimal, "script", "dev"),
    (Base::Minimal, "archive", "dev"),
    (Base::WithManagers, "pip", "dev"),
    (Base::WithManagers, "npm", "dev"),
    (Base::WithManagers, "recipes", "dev"),
];

/// The release of uv to try.
const UV: &str = "uv==0.13.9";

/// The release to try where this machine does not run Debian.
const SUITE: &str = "stable";

/// Runs all trials of the programs that start here. A trial that this machine cannot run is skipped with a
/// message.
pub(super) fn run_all(products: &[Product], out: &Path, targets: &Path) -> anyhow::Result<ExitCode> {
    let Some(product) = products.first() else { return Ok(ExitCode::SUCCESS) };
    let mut failed = 0;
    for (base, trial, user) in TRIALS {
        if trial == "package" && !out.join(debian_package::file_name(product)?).is_file() {
            println!("SKIPPED: the trial of the package, which was not built");
            continue;
        }
        let made = match base {
            Base::Minimal => minimal(targets),
            Base::WithManagers => with_managers(targets),
        };
        let base = match made {
            Ok(base) => base,
            Err(why) => {
                println!("SKIPPED: the trial {trial} in a clean Debian: {why:#}");
                continue;
            }
        };
        println!("==> a clean Debian, the trial {trial}");
        let debian = Debian::copy_of(&base, targets)?;
        debian.take_in(out)?;
        match trial {
            "pip" => debian.take_uv(),
            "recipes" => debian.take_schemas(),
            _ => {}
        }
        if !debian.run(user, trial, &product.version)? {
            failed += 1;
        }
    }
    let processor = |product: &Product| product.target.split('-').next().map(str::to_owned);
    let runs_here = |other: &&Product| other.is_static() && processor(other) == processor(product);
    match products.iter().find(runs_here) {
        Some(product) => bare_root_trial::run(&product.program, targets)?,
        None => println!("SKIPPED: the trial where nothing else is, because no static program was built"),
    }
    println!("{}", if failed == 0 { "All trials passed." } else { "A TRIAL FAILED" });
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the smallest Debian that people use.
fn minimal(targets: &Path) -> anyhow::Result<PathBuf> {
    let user = tools::output(Command::new("id").arg("-u"))?;
    anyhow::ensure!(user.trim() == "0", "chroot needs root");
    anyhow::ensure!(tools::is_installed("debootstrap"), "debootstrap is not installed");
    tools::run(Command::new("unshare").args(["--mount", "--pid", "--fork", "true"]))
        .context("this machine does not allow new namespaces")?;
    let suite = suite();
    fill_directory_once(targets.join(format!("debian-{suite}")), |half| {
        let mut debootstrap = Command::new("debootstrap");
        debootstrap.args(["--variant=minbase", &format!("--include={PACKAGES}"), &suite]).arg(half);
        let made = run(debootstrap.stdout(Stdio::null()))?;
        anyhow::ensure!(made.success(), "debootstrap cannot install Debian {suite}; check the mirror");
        Ok(())
    })
}

/// Makes the minimal Debian with package managers, once.
fn with_managers(targets: &Path) -> anyhow::Result<PathBuf> {
    let minimal = minimal(targets)?;
    // The number rises with each change of the packages.
    fill_directory_once(targets.join(format!("managers-2-{}", suite())), |half| {
        tools::run(Command::new("cp").arg("-a").args([minimal.as_path(), half]))?;
        // An old list of packages is enough if the mirror has no new one.
        let _ = tools::run(chroot(half, "root").args(["apt-get", "update"]));
        let mut install = chroot(half, "root");
        install.args(APT_INSTALL.split(' ')).args(MANAGERS.split(' '));
        tools::run(&mut install).context("apt cannot install package managers; check the mirror")?;
        tools::run(chroot(half, "root").args(["apt-get", "clean"]))
    })
}

/// Returns the machine's own release if it runs Debian: the program needs its C library or a newer one.
fn suite() -> String {
    let about = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let field = |name: &str| {
        let line = about.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.map(|value| value.trim_matches('"').to_owned())
    };
    let is_debian = field("ID").as_deref() == Some("debian");
    field("VERSION_CODENAME").filter(|_| is_debian).unwrap_or_else(|| SUITE.to_owned())
}

/// A Debian system for one trial.
struct Debian {
    root: PathBuf,
}

impl Debian {
    fn copy_of(base: &Path, targets: &Path) -> anyhow::Result<Self> {
        let debian = Self { root: targets.join(format!("debian-trial-{}", std::process::id())) };
        tools::run(Command::new("cp").arg("-a").arg(base).arg(&debian.root))?;
        tools::run(chroot(&debian.root, "root").args(["useradd", "--create-home", "dev"]))?;
        Ok(debian)
    }

    /// Puts the packages and the trials where every user of the system can read them.
    fn take_in(&self, out: &Path) -> anyhow::Result<()> {
        let dist = self.root.join("dist");
        tools::run(Command::new("cp").arg("-r").arg(out).arg(&dist))?;
        tools::run(Command::new("cp").arg("-r").arg(checkout().join("packaging/trial")).arg(&dist))?;
        tools::run(Command::new("chmod").args(["-R", "a+rX"]).arg(&dist))
    }

    /// Puts uv, which Debian does not have, where pip finds it.
    fn take_uv(&self) {
        let mut download = Command::new("python3");
        download.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
        let fetched = tools::run(download.args([UV, "--dest"]).arg(self.root.join("uv")));
        if let Err(why) = fetched {
            println!("SKIPPED: uv tool install: pip cannot fetch {UV}: {why}");
        }
    }

    /// Puts the schemas of WinGet where the trial of the recipes reads them.
    fn take_schemas(&self) {
        let taken = winget_schemas::schemas().and_then(|schemas| {
            let directory = self.root.join("dist/trial/winget/schemas");
            tools::run(Command::new("cp").arg("-r").arg(schemas).arg(&directory))?;
            tools::run(Command::new("chmod").args(["-R", "a+rX"]).arg(directory))
        });
        if let Err(why) = taken {
            println!("SKIPPED: the schemas of WinGet: {why:#}");
        }
    }

    fn run(&self, user: &str, trial: &str, version: &str) -> anyhow::Result<bool> {
        let mut command = chroot(&self.root, user);
        command.args(["timeout", "300", "sh", &format!("/dist/trial/{trial}.sh"), version]);
        let status = command.stdin(Stdio::null()).status().context("cannot start unshare")?;
        Ok(status.success())
    }
}

/// Returns a command in a root directory, with nothing of this machine's environment; what it starts ends
/// with it.
fn chroot(root: &Path, user: &str) -> Command {
    let home = if user == "root" { "/root".to_owned() } else { format!("/home/{user}") };
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "--pid", "--fork", "--kill-child"])
        .arg(format!("--mount-proc={}", root.join("proc").display()))
        .arg("chroot")
        .args((user != "root").then(|| format!("--userspec={user}:{user}")))
        .arg(root)
        .args(["env", "-i", "--chdir=/", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"])
        .arg(format!("HOME={home}"));
    command
}

impl Drop for Debian {
    fn drop(&mut self) {
        // The mounts end with the namespace of the command.
        if let Err(error) = fs::remove_dir_all(&self.root) {
            println!("cannot remove {}: {error}", self.root.display());
        }
    }
}
