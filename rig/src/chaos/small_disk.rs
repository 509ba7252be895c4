//! A small file system (8 MB tmpfs) that holds a companion's state and that a round can fill. Mounting one
//! needs a mount namespace of its own, so a program that wants small disks restarts itself with
//! [`restart_with_small_disks`].

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

/// The variable that names the directory of the disks.
const VARIABLE: &str = "ALONGSIDE_SMALL_DISKS";
/// At most one disk per harness of a process.
const DISKS: usize = 16;
/// Number of disks in use.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// A small disk of this process.
#[derive(Debug)]
pub struct SmallDisk {
    root: PathBuf,
    is_full: bool,
}

/// The command that restarts this program with small disks, and the directory of their mount points, which
/// the caller keeps until the program ends; `None` where mounting is not allowed.
pub fn restart_with_small_disks(
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Option<(TempDir, Command)> {
    let place = tempfile::Builder::new().prefix("alongside-small-").tempdir().ok()?;
    let mount = format!(
        "{mount} \"$0\" || exit 1; \
         for n in $(seq 0 {}); do mkdir \"$0/$n\" && {mount} \"$0/$n\" || exit 1; done",
        DISKS - 1,
        mount = "mount -t tmpfs -o size=8m,mode=700 none"
    );
    // Without root rights, a user namespace of its own gives them.
    let view = ["-m", "-rm"].into_iter().find(|view| {
        let tried = Command::new("unshare").arg(view).args(["sh", "-c", &mount]).arg(place.path()).output();
        tried.is_ok_and(|tried| tried.status.success())
    })?;
    let mut command = Command::new("unshare");
    command.args([view, "sh", "-c", &format!("{mount}; exec \"$@\"")]).arg(place.path());
    command.arg(std::env::current_exe().ok()?).args(arguments).env(VARIABLE, place.path());
    Some((place, command))
}

/// Whether this program was started with small disks.
pub fn are_mounted() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

impl SmallDisk {
    /// A free disk; `None` where there is none.
    pub fn take() -> Option<Self> {
        let place = std::env::var_os(VARIABLE)?;
        let number = TAKEN.fetch_add(1, Ordering::Relaxed);
        (number < DISKS).then(|| Self { root: PathBuf::from(place).join(number.to_string()), is_full: false })
    }

    /// Empties the disk, and makes `name` a link to a directory on it.
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

    /// Fills the disk; false if it was full already. See [`Self::fill_again`].
    pub fn fill(&mut self) -> bool {
        let was_full = std::mem::replace(&mut self.is_full, true);
        self.fill_again();
        !was_full
    }

    /// Fills the space that has become free since, if the disk is to be full.
    pub fn fill_again(&self) {
        let file = File::options().create(true).append(true).open(self.filler());
        if let Some(mut file) = file.ok().filter(|_| self.is_full) {
            for size in [1 << 20, 4096] {
                while file.write_all(&vec![b'x'; size]).is_ok() {}
            }
        }
    }

    /// Frees the disk.
    pub fn free(&mut self) {
        self.is_full = false;
        // The file is missing if the disk was never filled.
        let _ = fs::remove_file(self.filler());
    }

    fn filler(&self) -> PathBuf {
        self.root.join("filler")
    }
}
