//! The processes of the machine: from `/proc` on Linux, elsewhere from the process table, which is read once.

use super::table::Process;

/// All processes of the machine.
#[derive(Debug)]
pub struct Processes(system::Source);

impl Processes {
    /// Lists the current processes; none if reading fails. Takes milliseconds where there is no `/proc`.
    pub fn now() -> Self {
        Self(system::Source::all())
    }

    /// Looks up a process. `None` if it has ended, or the system hides it.
    pub fn get(&self, pid: u32) -> Option<Process> {
        self.0.get(pid)
    }

    /// Returns the ids of this user's processes, in no order.
    pub(super) fn ours(&self) -> Vec<u32> {
        self.0.all_pids().filter(|pid| self.is_ours(*pid)).collect()
    }

    /// Whether a process belongs to this user.
    pub fn is_ours(&self, pid: u32) -> bool {
        self.0.is_ours(pid)
    }
}

/// Looks up a process like [`Processes::get`].
pub fn look_up(pid: u32) -> Option<Process> {
    system::Source::only(pid).get(pid)
}

/// Whether a process belongs to this user, like [`Processes::is_ours`].
pub fn is_ours(pid: u32) -> bool {
    system::Source::only(pid).is_ours(pid)
}

/// Returns the id of the parent of this process.
pub fn parent() -> Option<u32> {
    #[cfg(unix)]
    return rustix::process::getppid().map(|pid| pid.as_raw_pid().unsigned_abs());
    #[cfg(not(unix))]
    look_up(std::process::id()).map(|process| process.parent).filter(|parent| *parent > 0)
}

#[cfg(target_os = "linux")]
mod system {
    use super::Process;
    use crate::proc_files::{ProcProcess, all_pids};
    use crate::process::table::name_in;

    /// Reads `/proc` again for each call.
    #[derive(Debug)]
    pub(super) struct Source;

    impl Source {
        pub(super) fn all() -> Self {
            Self
        }

        pub(super) fn only(_: u32) -> Self {
            Self
        }

        pub(super) fn all_pids(&self) -> impl Iterator<Item = u32> {
            all_pids()
        }

        pub(super) fn get(&self, pid: u32) -> Option<Process> {
            let process = ProcProcess::open(pid)?;
            let parent = process.parent()?;
            let mut words = process.command_line()?.into_iter();
            let name = name_in(&words.next().unwrap_or_default());
            Some(Process { parent, name, arguments: words.collect() })
        }

        pub(super) fn is_ours(&self, pid: u32) -> bool {
            let user = ProcProcess::open(pid).and_then(|process| process.user());
            user == Some(rustix::process::geteuid().as_raw())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

    use super::Process;
    use crate::Os;

    /// The process table of the system; `None` if it cannot be read.
    #[derive(Debug)]
    pub(super) struct Source(Option<System>);

    impl Source {
        pub(super) fn all() -> Self {
            Self::read(ProcessesToUpdate::All)
        }

        pub(super) fn only(pid: u32) -> Self {
            Self::read(ProcessesToUpdate::Some(&[Pid::from_u32(pid), Pid::from_u32(std::process::id())]))
        }

        fn read(which: ProcessesToUpdate<'_>) -> Self {
            let what =
                ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always).with_user(UpdateKind::Always);
            let mut system = System::new().ok();
            if let Some(system) = &mut system {
                system.refresh_processes_specifics(which, true, what);
            }
            Self(system)
        }

        fn found(&self, pid: u32) -> Option<&sysinfo::Process> {
            self.0.as_ref()?.process(Pid::from_u32(pid))
        }

        pub(super) fn all_pids(&self) -> impl Iterator<Item = u32> {
            self.0.iter().flat_map(|system| system.processes().keys().map(|pid| pid.as_u32()))
        }

        pub(super) fn get(&self, pid: u32) -> Option<Process> {
            let found = self.found(pid)?;
            let parent = found.parent().map_or(0, Pid::as_u32);
            let command: Vec<_> =
                found.cmd().iter().map(|word| word.to_string_lossy().into_owned()).collect();
            Some(Process::listed(Os::HERE, parent, &found.name().to_string_lossy(), &command))
        }

        pub(super) fn is_ours(&self, pid: u32) -> bool {
            let user = |pid| self.found(pid).and_then(|process| process.user_id());
            user(pid).is_some_and(|theirs| user(std::process::id()) == Some(theirs))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_found_with_parent_and_owner() {
        let (processes, here) = (Processes::now(), std::process::id());
        let found = processes.get(here).unwrap();
        assert_eq!(found.parent, parent().unwrap_or(0));
        assert!(found.name.starts_with("alongside_platform"), "{found:?}");
        assert!(processes.is_ours(here) && processes.get(u32::MAX).is_none() && !processes.is_ours(u32::MAX));
        assert_eq!((look_up(here), is_ours(here)), (Some(found), true));
        assert!(processes.ours().contains(&here));
    }
}
