//! Limits of this process: open files, and core dumps. Shells allow few open files (1,024 on most Linuxes,
//! 256 on macOS), but each agent takes two connections, and the system allows far more on request.

/// The limit of open files that is requested. Some systems allow a billion, but a request for more than
/// needed may fail.
#[cfg(unix)]
const MAX_OPEN_FILES: u64 = 65_536;
/// A number of open files that macOS allows, even if it refuses a larger number within its own limit.
#[cfg(unix)]
const MACOS_OPEN_FILES: u64 = 10_240;

/// Raises the limit of open files as far as the system allows, to at most 65,536. Returns the new limit;
/// `None` if there is none, as on Windows.
///
/// Children inherit the limit, and programs with `select()` break above 1,024: call this only in a process
/// that starts none of the user's programs.
pub fn raise_open_files() -> Option<u64> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let now = getrlimit(Resource::Nofile);
        for wanted in [MAX_OPEN_FILES, MACOS_OPEN_FILES] {
            let wanted = now.maximum.map_or(wanted, |most| most.min(wanted));
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

/// Disables core dumps, which contain the token, also of children. `prlimit --core` enables them again.
pub fn leave_no_core() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let now = getrlimit(Resource::Core);
        // Lowering a limit always succeeds.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..now });
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::*;

    #[test]
    fn the_soft_limit_rises_to_the_hard_one() {
        let before = getrlimit(Resource::Nofile);
        let most = before.maximum.map_or(MAX_OPEN_FILES, |most| most.min(MAX_OPEN_FILES));
        setrlimit(Resource::Nofile, Rlimit { current: Some(most.min(512)), ..before }).unwrap();
        assert_eq!(raise_open_files(), Some(most));
        assert_eq!(getrlimit(Resource::Nofile).current, Some(most));
        let hard = getrlimit(Resource::Nofile).maximum;
        assert_eq!(hard, before.maximum, "the hard limit is not ours to change");
        assert_eq!(raise_open_files(), Some(most));
        setrlimit(Resource::Nofile, before).unwrap();
    }
}
