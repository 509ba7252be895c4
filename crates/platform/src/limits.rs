//! What a process may have, and what it leaves: how many files it may have open, and whether its memory is
//! written to disk when it crashes. Shells grant few files (1,024 on most Linuxes, 256 on macOS), and each
//! agent takes two connections; the system itself allows far more to whoever asks.

/// As many as anybody needs. Some systems promise a billion, and others refuse to keep so large a promise.
#[cfg(unix)]
const WANTED: u64 = 65_536;
/// What macOS grants at least, also where it promises more and refuses it.
#[cfg(unix)]
const GRANTED_ANYWHERE: u64 = 10_240;

/// Lets this process have as many files open as the system allows it, 65,536 at most. Returns how many that
/// are; `None` where there is no such limit, as on Windows.
///
/// What the process starts from then on inherits the limit, and programs that use `select()` break with more
/// than 1,024: only a process that starts none of the user's programs may call this.
pub fn raise_open_files() -> Option<u64> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let now = getrlimit(Resource::Nofile);
        for wanted in [WANTED, GRANTED_ANYWHERE] {
            let wanted = now.maximum.map_or(wanted, |most| most.min(wanted));
            // `None` is no limit at all.
            if now.current.is_none_or(|current| current >= wanted) {
                break;
            }
            if setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..now }).is_ok() {
                return Some(wanted);
            }
        }
        now.current
    }
    #[cfg(not(unix))]
    None
}

/// From now on this process leaves no picture of its memory behind when it crashes, and neither does what it
/// starts. A person who wants one raises the limit again (`prlimit --core`).
pub fn leave_no_core() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let now = getrlimit(Resource::Core);
        // A limit may always be lowered.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..now });
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::*;

    #[test]
    fn the_soft_limit_rises_to_the_hard_one_and_never_falls() {
        let before = getrlimit(Resource::Nofile);
        let most = before.maximum.map_or(WANTED, |most| most.min(WANTED));
        setrlimit(Resource::Nofile, Rlimit { current: Some(most.min(512)), ..before }).unwrap();
        assert_eq!(raise_open_files(), Some(most));
        assert_eq!(getrlimit(Resource::Nofile).current, Some(most));
        assert_eq!(
            getrlimit(Resource::Nofile).maximum,
            before.maximum,
            "the hard limit is not ours to change"
        );
        assert_eq!(raise_open_files(), Some(most));
        setrlimit(Resource::Nofile, before).unwrap();
    }
}
