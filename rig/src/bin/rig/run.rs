//! Parts that the rig's chores share: the program under test, Ctrl-C and progress.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use alongside_testing::chores::{cargo, must};
use anyhow::Context as _;

/// The program that an option or the variable `ALONGSIDE_BIN` names, or else the one that `cargo build` makes
/// with these arguments.
pub(crate) fn program(named: Option<&Path>, build: &[&str]) -> anyhow::Result<PathBuf> {
    if let Some(named) = named {
        return named.canonicalize().with_context(|| format!("cannot find the program {}", named.display()));
    }
    // The variable names another build, as in the tests.
    if std::env::var_os("ALONGSIDE_BIN").is_none() {
        must(cargo().arg("build").args(build).args(["-p", "alongside"]))?;
    }
    alongside_rig::alongside_bin()
}

/// Becomes true on Ctrl-C, which then ends nothing by itself.
pub(crate) fn interruption() -> &'static AtomicBool {
    static INTERRUPTED: AtomicBool = AtomicBool::new(false);
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        // Without a handler, Ctrl-C ends this process at once.
        if runtime.is_ok_and(|runtime| runtime.block_on(tokio::signal::ctrl_c()).is_ok()) {
            INTERRUPTED.store(true, Ordering::Relaxed);
        }
    });
    &INTERRUPTED
}

/// The progress of a chore.
pub(crate) struct Progress {
    started: Instant,
    printed: Instant,
    all: usize,
    done: usize,
}

impl Progress {
    /// The beginning of so many pieces of work.
    pub(crate) fn of(all: usize) -> Self {
        Self { started: Instant::now(), printed: Instant::now(), all, done: 0 }
    }

    /// One more is done. Prints the progress every 10 s.
    pub(crate) fn step(&mut self) {
        let text = self.count();
        if self.printed.elapsed() >= Duration::from_secs(10) {
            self.printed = Instant::now();
            println!("{text}");
        }
    }

    /// One more is done: how many are, and the time the others will take if it goes on like that.
    pub(crate) fn count(&mut self) -> String {
        self.done += 1;
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let left = self.started.elapsed() / count(self.done) * count(self.all - self.done);
        format!("[{}/{}, {} min left]", self.done, self.all, left.as_secs().div_ceil(60))
    }
}
