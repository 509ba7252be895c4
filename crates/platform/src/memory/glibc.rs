//! The settings of glibc's allocator, and the trim in a pause.
//!
//! The allocator returns by itself what is free at the end of the heap, and blocks that it has mapped. A text
//! that begins small and grows lies in the heap however large it is, and leaves a hole there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::libc;

use super::pause::Pause;

/// The variable with which a person sets a setting, its number, and our value. They allow one arena, of which
/// at most 16 MiB stay free for reuse, and return blocks of 8 MiB or more as soon as they are free. An
/// `openDiff` of 1 MB takes 3.8 ms, or 8.2 ms if each of its blocks comes from the system.
const SETTINGS: [(&str, i32, i32); 3] = [
    ("MALLOC_ARENA_MAX", libc::M_ARENA_MAX, 1),
    ("MALLOC_MMAP_THRESHOLD_", libc::M_MMAP_THRESHOLD, 8 << 20),
    ("MALLOC_TRIM_THRESHOLD_", libc::M_TRIM_THRESHOLD, 16 << 20),
];

/// The time without a large message after which the heap is trimmed.
const QUIET_TIME: Duration = Duration::from_secs(2);

/// Whether the allocator is ours to configure and to trim.
static IS_OURS: AtomicBool = AtomicBool::new(false);
/// The pause that a thread waits for.
static PAUSE: Pause = Pause::new(QUIET_TIME);

pub(super) fn configure() {
    for (variable, setting, value) in SETTINGS {
        if std::env::var_os(variable).is_none() {
            set(setting, value);
        }
    }
    IS_OURS.store(true, Ordering::Relaxed);
}

pub(super) fn trim_later() {
    if !IS_OURS.load(Ordering::Relaxed) || !PAUSE.postpone(Instant::now()) {
        return;
    }
    let waiting = thread::Builder::new().name("memory".to_owned()).spawn(|| {
        while let Some(left) = PAUSE.left(Instant::now()) {
            thread::sleep(left);
        }
        trim();
    });
    if waiting.is_err() {
        // Without a thread, the memory stays until the next large message.
        PAUSE.cancel();
    }
}

/// Sets one setting. Returns whether the allocator took it.
#[allow(unsafe_code, reason = "no crate wraps mallopt; it reads two numbers, and takes the allocator's lock")]
fn set(setting: i32, value: i32) -> bool {
    // SAFETY: mallopt takes any two numbers, in any thread.
    unsafe { libc::mallopt(setting, value) == 1 }
}

/// Returns every free page of the heap.
#[allow(
    unsafe_code,
    reason = "no crate wraps malloc_trim; it reads a number, and takes the allocator's lock"
)]
fn trim() {
    // SAFETY: malloc_trim takes any number, in any thread, and touches free blocks only.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_allocator_takes_each_setting() {
        for (variable, setting, value) in SETTINGS {
            assert!(set(setting, value), "{variable}");
        }
    }

    /// Returns the resident memory of this process in KiB.
    fn resident_kib() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    #[test]
    fn a_trim_returns_holes_between_used_blocks() {
        const BLOCK_KIB: usize = 100;
        let mut blocks: Vec<Vec<u8>> = (0..400).map(|_| vec![1; BLOCK_KIB << 10]).collect();
        for (at, block) in blocks.iter_mut().enumerate() {
            if at % 40 != 39 {
                *block = Vec::new();
            }
        }
        let before = resident_kib();
        trim();
        let returned = before.saturating_sub(resident_kib());
        assert!(returned > 200 * BLOCK_KIB, "{returned} KiB of {before}");
        assert!(blocks.iter().flatten().all(|byte| *byte == 1));
    }
}
