//! A Debian in a directory, with what one machine needs to build for other systems and to run what it has
//! built: a Rust with the sources of its standard library, a linker for Windows, Wine, and QEMU for
//! programs of other processors. It takes four minutes and 4 GB, once, below the cache of the rig.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use alongside_testing::chores::{
    cache_directory, checkout, fill_directory_once, run, run_to_success, target_directory,
};
use anyhow::{Context as _, ensure};

/// The release of Debian: the one whose Rust is new enough.
const SUITE: &str = "sid";

/// The packages on top of a minimal system.
const PACKAGES: &str = "rustc cargo rust-src mingw-w64-x86-64-dev gcc-mingw-w64-x86-64-win32 \
                        ca-certificates wine wine64 qemu-user";

/// The command before the names of packages that apt installs without a question, for `env`.
pub(crate) const APT_INSTALL: &str =
    "DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends";

/// The number rises with each change of the packages.
const NAME: &str = "systems-sid-1";

/// Where the checkout, the target directory, cargo's own directory and what the rig installs are in there.
const MOUNTS: [&str; 4] = ["checkout", "target", "cargo", "rig"];

/// The directory.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
}

impl Root {
    /// Returns the directory if it is there and can be used; else why not.
    ///
    /// # Errors
    /// When the root is missing, or this machine does not allow its use.
    pub(crate) fn existing() -> anyhow::Result<Self> {
        let root = Self { path: path()? };
        ensure!(root.path.is_dir(), "nothing is installed for them (`cargo xtask systems` does, in 4 min)");
        can_enter()?;
        Ok(root)
    }

    /// Returns the directory, which is made where it is missing. The progress is shown.
    ///
    /// # Errors
    /// When a tool is missing, or the mirror of Debian is down.
    pub(crate) fn made() -> anyhow::Result<Self> {
        can_enter()?;
        let path = fill_directory_once(path()?, |half| Self { path: half.to_owned() }.fill())?;
        Ok(Self { path })
    }

    fn fill(&self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.path)?;
        println!("==> what other systems need is installed in {}: 4 min, 4 GB", path()?.display());
        let mut debootstrap = Command::new("debootstrap");
        debootstrap.args(["--variant=minbase", SUITE]).arg(&self.path).args(mirror());
        let made = run(&mut debootstrap).context("cannot start debootstrap: is it installed?")?;
        ensure!(made.success(), "debootstrap cannot install Debian {SUITE}: check the mirror");
        for name in MOUNTS {
            fs::create_dir_all(self.path.join(name))?;
        }
        // No package there may start a service.
        let policy = self.path.join("usr/sbin/policy-rc.d");
        fs::write(&policy, "#!/bin/sh\nexit 101\n")?;
        fs::set_permissions(&policy, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        // A mirror may be some days behind; the installation says so if that matters.
        run(self.command("apt-get").arg("update"))?;
        let mut apt = self.command("env");
        apt.args(APT_INSTALL.split(' ')).args(PACKAGES.split(' '));
        run_to_success(&mut apt).context("apt cannot install the packages")?;
        run_to_success(self.command("apt-get").arg("clean"))?;
        // A network may have a certificate of its own.
        fs::copy(CERTIFICATES, self.path.join(CERTIFICATES.trim_start_matches('/')))?;
        Ok(())
    }

    /// Returns a command in there, in the checkout. It and all that it starts share nothing with another
    /// command but the files.
    pub(crate) fn command(&self, program: &str) -> Command {
        let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let cargo = cargo.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let target = target_directory().join("other-systems");
        // Without the directory, the mount fails with a message.
        let _ = fs::create_dir_all(&target);
        let mut command = Command::new("unshare");
        command.args(["--mount", "--pid", "--fork", "--kill-child", "sh"]);
        command
            .arg(checkout().join("xtask/src/systems/enter.sh"))
            .arg(&self.path)
            .arg(checkout())
            .arg(target)
            .arg(cargo.unwrap_or_default());
        command.arg(cache_directory().unwrap_or_default()).arg(program);
        command
    }
}

/// The certificates of this machine, and those in there.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

fn path() -> anyhow::Result<PathBuf> {
    let cache = cache_directory().context("neither XDG_CACHE_HOME nor HOME is an absolute path")?;
    Ok(cache.join(NAME))
}

fn can_enter() -> anyhow::Result<()> {
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--pid", "--fork", "mount", "--bind", "/", "/"]);
    let entered = unshare.stdout(Stdio::null()).stderr(Stdio::null()).status();
    ensure!(entered.is_ok_and(|status| status.success()), "mounts of its own need root here");
    Ok(())
}

/// Returns the mirror that this machine's own packages come from, if it runs Debian.
fn mirror() -> Option<String> {
    let files = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];
    files.iter().find_map(|file| mirror_in(&fs::read_to_string(Path::new(file)).ok()?))
}

fn mirror_in(sources: &str) -> Option<String> {
    let is_mirror = |word: &&str| word.starts_with("http") && word.trim_end_matches('/').ends_with("/debian");
    let lines = sources.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.flat_map(str::split_whitespace).find(is_mirror).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_that_of_debian_itself() {
        let sources =
            "Types: deb\n# http://snapshot.debian.org/archive/debian/2025\nURIs: http://a.org/debian\n";
        assert_eq!(mirror_in(sources).as_deref(), Some("http://a.org/debian"));
        let line =
            "deb https://packages.example.com/apt x main\ndeb http://deb.debian.org/debian/ bookworm main\n";
        assert_eq!(mirror_in(line).as_deref(), Some("http://deb.debian.org/debian/"));
        assert_eq!(mirror_in("deb http://archive.ubuntu.com/ubuntu noble main\n"), None);
    }
}
