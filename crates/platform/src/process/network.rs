//! The network of a process. On Linux, a container or `unshare --net` has one of its own: neither reaches the
//! other's ports, although both see the same files.

/// Whether a process of this user lives in another network than this one. Within a container with users of
/// its own, one whose network is hidden counts: the container hides those outside. False on other systems.
pub fn is_in_other_network(pid: u32) -> bool {
    super::is_alive(pid) && super::is_ours(pid) && differs(pid)
}

#[cfg(target_os = "linux")]
fn differs(pid: u32) -> bool {
    use crate::proc_files::ProcProcess;
    let Some(own) = ProcProcess::own().and_then(|own| own.network()) else { return false };
    let Some(process) = ProcProcess::open(pid) else { return false };
    // Elsewhere a process is hidden that has more rights than this one.
    process.network().map_or_else(|| !sees_all_users(), |network| network != own)
}

/// Whether the numbers of users are those of the machine.
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
