//! A small file system (8 MB tmpfs) for a companion's state, which a round can fill. Mounting a file system
//! needs a mount namespace, so a program that needs small disks restarts itself with
//! [`restart_with_small_disks`].

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

/// The variable with the directory of the disks.
const DISKS_VARIABLE: &str = "ALONGSIDE_SMALL_DISKS";
/// The number of disks of a process: enough for one in each harness.
const DISK_COUNT: usize = 16;
/// The number of disks in use.
static DISKS_IN_USE: AtomicUsize = AtomicUsize::new(0);

/// A small disk of this process.
#[derive(Debug)]
pub struct SmallDisk {
    root: PathBuf,
    is_full: bool,
}

/// Returns the command that restarts this program with small disks, and the directory of their mount points,
/// which the caller keeps until the program ends. `None` if mounting is not allowed.
pub fn restart_with_small_disks(
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Option<(TempDir, Command)> {
    let directory = tempfile::Builder::new().prefix("alongside-small-").tempdir().ok()?;
    let mount = format!(
        "{mount} \"$0\" || exit 1; \
         for n in $(seq 0 {}); do mkdir \"$0/$n\" && {mount} \"$0/$n\" || exit 1; done",
        DISK_COUNT - 1,
        mount = "mount -t tmpfs -o size=8m,mode=700 none"
    );
    // A user namespace gives the rights that a user without root lacks.
    let option = ["-m", "-rm"].into_iter().find(|option| {
        let mut attempt = Command::new("unshare");
        attempt.arg(option).args(["sh", "-c", &mount]).arg(directory.path());
        attempt.output().is_ok_and(|output| output.status.success())
    })?;
    let mut command = Command::new("unshare");
    command.args([option, "sh", "-c", &format!("{mount}; exec \"$@\"")]).arg(directory.path());
    command.arg(std::env::current_exe().ok()?).args(arguments).env(DISKS_VARIABLE, directory.path());
    Some((directory, command))
}

/// Whether this program was started with small disks.
pub fn are_mounted() -> bool {
    std::env::var_os(DISKS_VARIABLE).is_some()
}

impl SmallDisk {
    /// Takes a free disk; `None` if there is none.
    pub fn take() -> Option<Self> {
        let directory = std::env::var_os(DISKS_VARIABLE)?;
        let number = DISKS_IN_USE.fetch_add(1, Ordering::Relaxed);
        (number < DISK_COUNT)
            .then(|| Self { root: PathBuf::from(directory).join(number.to_string()), is_full: false })
    }

    /// Empties the disk, and makes `name` a symbolic link to a directory on the disk.
    pub fn link(&mut self, name: &Path) -> Result<()> {
        self.is_full = false;
        let directory = self.root.join("state");
        for entry in fs::read_dir(&self.root)? {
            let path = entry?.path();
            if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
        }
        fs::create_dir(&directory)?;
        if let Some(above) = name.parent() {
            fs::create_dir_all(above)?;
        }
        std::os::unix::fs::symlink(&directory, name)
            .with_context(|| format!("cannot make {}", name.display()))
    }

    /// Fills the disk. Returns false if it was full already.
    pub fn fill(&mut self) -> bool {
        let was_full = std::mem::replace(&mut self.is_full, true);
        self.fill_again();
        !was_full
    }

    /// Fills the space that has become free since [`Self::fill`], if the disk is to be full.
    pub fn fill_again(&self) {
        let file = File::options().create(true).append(true).open(self.filler());
        if let Some(mut file) = file.ok().filter(|_| self.is_full) {
            for size in [1 << 20, 4096] {
                while file.write_all(&vec![b'x'; size]).is_ok() {}
            }
        }
    }

    /// Frees the space that [`Self::fill`] took.
    pub fn free(&mut self) {
        self.is_full = false;
        // The file is missing if the disk was never filled.
        let _ = fs::remove_file(self.filler());
    }

    fn filler(&self) -> PathBuf {
        self.root.join("filler")
    }
}
