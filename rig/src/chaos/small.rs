//! A disk that others fill: a small file system of its own, on which companions keep their state. It takes a
//! view of the machine's file systems of one's own, so a program that wants one starts itself again, with
//! [`beside_small_disks`].

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

/// Says where they are.
const WHERE: &str = "ALONGSIDE_SMALL_DISKS";
/// One for each stage of a process, at most.
const DISKS: usize = 16;
/// How many of them are taken.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// See the module.
#[derive(Debug)]
pub struct SmallDisk {
    root: PathBuf,
    is_full: bool,
}

/// How this program is started again with small disks; `None` where nobody may mount any. They vanish with
/// it; the directory on which they lie is to be kept until then.
pub fn beside_small_disks(
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Option<(TempDir, Command)> {
    let place = tempfile::Builder::new().prefix("alongside-small-").tempdir().ok()?;
    // Nobody else sees what is made on the first one.
    let mount = format!(
        "{mount} \"$0\" || exit 1; \
         for n in $(seq 0 {}); do mkdir \"$0/$n\" && {mount} \"$0/$n\" || exit 1; done",
        DISKS - 1,
        mount = "mount -t tmpfs -o size=8m,mode=700 none"
    );
    // Whoever is not root is one in a view of their own.
    let view = ["-m", "-rm"].into_iter().find(|view| {
        let tried = Command::new("unshare").arg(view).args(["sh", "-c", &mount]).arg(place.path()).output();
        tried.is_ok_and(|tried| tried.status.success())
    })?;
    let mut command = Command::new("unshare");
    command.args([view, "sh", "-c", &format!("{mount}; exec \"$@\"")]).arg(place.path());
    command.arg(std::env::current_exe().ok()?).args(arguments).env(WHERE, place.path());
    Some((place, command))
}

/// Whether this program was started so.
pub fn are_here() -> bool {
    std::env::var_os(WHERE).is_some()
}

impl SmallDisk {
    /// One that nobody has; `None` where there is none.
    pub fn take() -> Option<Self> {
        let place = std::env::var_os(WHERE)?;
        let number = TAKEN.fetch_add(1, Ordering::Relaxed);
        (number < DISKS).then(|| Self { root: PathBuf::from(place).join(number.to_string()), is_full: false })
    }

    /// An empty directory on it, to which a name elsewhere leads. What lay on the disk is gone.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn lead(&mut self, name: &Path) -> Result<()> {
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

    /// Leaves no room; false if there was none. See [`Self::fill_again`].
    pub fn fill(&mut self) -> bool {
        let was_full = std::mem::replace(&mut self.is_full, true);
        self.fill_again();
        !was_full
    }

    /// Others take what has become free since.
    pub fn fill_again(&self) {
        let file = File::options().create(true).append(true).open(self.filler());
        if let Some(mut file) = file.ok().filter(|_| self.is_full) {
            for size in [1 << 20, 4096] {
                while file.write_all(&vec![b'x'; size]).is_ok() {}
            }
        }
    }

    /// They let it go.
    pub fn free(&mut self) {
        self.is_full = false;
        // It may never have been filled.
        let _ = fs::remove_file(self.filler());
    }

    fn filler(&self) -> PathBuf {
        self.root.join("filler")
    }
}
