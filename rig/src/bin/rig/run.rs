//! The parts that the rig's chores share: the program under test, Ctrl-C and progress.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use alongside_testing::chores::{cargo, run_to_success};
use anyhow::Context as _;

/// Returns the program that an option or the variable `ALONGSIDE_BIN` names. Without both, builds the program
/// with these arguments of `cargo build`.
pub(crate) fn program(named: Option<&Path>, build: &[&str]) -> anyhow::Result<PathBuf> {
    if let Some(named) = named {
        return named.canonicalize().with_context(|| format!("cannot find the program {}", named.display()));
    }
    // The variable names a program that is built already, as in the tests.
    if std::env::var_os("ALONGSIDE_BIN").is_none() {
        run_to_success(cargo().arg("build").args(build).args(["-p", "alongside"]))?;
    }
    alongside_rig::alongside_bin()
}

/// Returns a flag that Ctrl-C sets. Ctrl-C then no longer ends this process.
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
    /// Starts the progress of `all` pieces of work.
    pub(crate) fn of(all: usize) -> Self {
        Self { started: Instant::now(), printed: Instant::now(), all, done: 0 }
    }

    /// Counts a piece of work as done. Prints the progress every 10 s.
    pub(crate) fn step(&mut self) {
        let text = self.count();
        if self.printed.elapsed() >= Duration::from_secs(10) {
            self.printed = Instant::now();
            println!("{text}");
        }
    }

    /// Counts a piece of work as done. Returns the number done, and the time that the others will take at
    /// this speed.
    pub(crate) fn count(&mut self) -> String {
        self.done += 1;
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let remaining = self.started.elapsed() / count(self.done) * count(self.all - self.done);
        format!("[{}/{}, {} min left]", self.done, self.all, remaining.as_secs().div_ceil(60))
    }
}
