//! The network namespace of a process. On Linux, a container or `unshare --net` has its own: its processes
//! cannot reach ports outside, nor can outside processes reach its ports, although all of them see the same
//! files.

/// Whether a process of this user lives in another network namespace than this one. In a container with its
/// own user ids, a process with a hidden namespace counts: the container hides those outside. Always false on
/// other systems.
pub fn is_in_other_network(pid: u32) -> bool {
    super::is_alive(pid) && super::is_ours(pid) && differs(pid)
}

#[cfg(target_os = "linux")]
fn differs(pid: u32) -> bool {
    use crate::proc_files::ProcProcess;
    let Some(own) = ProcProcess::own().and_then(|own| own.network()) else { return false };
    let Some(process) = ProcProcess::open(pid) else { return false };
    // Outside such a container, the namespace of a process is hidden if it has more rights than this one.
    process.network().map_or_else(|| !sees_all_users(), |network| network != own)
}

/// Whether the user ids are those of the machine.
#[cfg(target_os = "linux")]
fn sees_all_users() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

#[cfg(not(target_os = "linux"))]
fn differs(_: u32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_in_its_own_network() {
        assert!(!is_in_other_network(std::process::id()) && !is_in_other_network(0));
        assert!(!is_in_other_network(u32::MAX), "there is no such process");
    }
}
