//! How a process that lives long gives back what it needed for a moment.
//!
//! A proposal may have many megabytes. glibc learns from the first of them to keep such blocks for the next,
//! in each of up to eight arenas a processor, and nothing of that returns to the system: with a thousand
//! agents a host grew by a third in ten minutes, of which nearly all was free. Other systems' allocators have
//! no such habit, and do not read these.

/// What glibc reads, and the value for it: few arenas, and blocks from 128 KiB on go back as soon as they are
/// free.
const SETTINGS: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "2"), ("MALLOC_MMAP_THRESHOLD_", "131072"), ("MALLOC_TRIM_THRESHOLD_", "131072")];

/// Environment variables for a process that shall give its memory back. What a person has set themselves
/// stays as it is.
///
/// They are read before a program's first line, so it cannot set them for itself; whoever starts it does.
/// What it starts inherits them.
pub fn gives_back() -> impl Iterator<Item = (&'static str, &'static str)> {
    unset(|name| std::env::var_os(name).is_some())
}

fn unset(is_set: impl Fn(&str) -> bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    SETTINGS.into_iter().filter(move |(name, _)| !is_set(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_has_set_stays() {
        assert_eq!(unset(|_| false).count(), SETTINGS.len());
        assert!(unset(|name| name == "MALLOC_ARENA_MAX").all(|(name, _)| name != "MALLOC_ARENA_MAX"));
    }
}
