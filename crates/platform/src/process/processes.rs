//! The processes of the machine: `/proc` on Linux, elsewhere the table that agents read, read once.

use super::table::{Process, ProcessOwner, Table};
#[cfg(target_os = "linux")]
use super::table::{Row, name_in};
use super::{cim, ps};
use crate::Os;

/// All processes of the machine.
#[derive(Debug)]
pub struct Processes(Source);

#[derive(Debug)]
enum Source {
    /// `/proc`, read again for each question.
    #[cfg(target_os = "linux")]
    Proc,
    #[cfg_attr(target_os = "linux", allow(dead_code, reason = "only a test uses a table"))]
    Table(Table),
}

impl Processes {
    /// The processes now; none if reading fails. Takes milliseconds on macOS, up to a second on Windows.
    pub fn now() -> Self {
        #[cfg(target_os = "linux")]
        return Self(Source::Proc);
        #[cfg(not(target_os = "linux"))]
        Self(Source::Table(read_table(Os::HERE).unwrap_or_default()))
    }

    /// Looks one up. `None` if it has ended, or the system hides it.
    pub fn get(&self, pid: u32) -> Option<Process> {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Source::Proc => proc_row(pid, false).map(|row| row.process),
            Source::Table(table) => table.get(&pid).map(|row| row.process.clone()),
        }
    }

    /// The processes of this user, in no order.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn ours(&self) -> Vec<u32> {
        let Source::Table(table) = &self.0;
        table.keys().copied().filter(|pid| self.is_ours(*pid)).collect()
    }

    /// Whether a process belongs to this user.
    pub fn is_ours(&self, pid: u32) -> bool {
        let owner = match &self.0 {
            #[cfg(target_os = "linux")]
            Source::Proc => proc_row(pid, true).map(|row| row.owner),
            Source::Table(table) => table.get(&pid).map(|row| row.owner),
        };
        match owner.unwrap_or(ProcessOwner::Unknown) {
            ProcessOwner::User(user) => this_user() == Some(user),
            ProcessOwner::Ours => true,
            ProcessOwner::Unknown => false,
        }
    }
}

/// Looks one process up, like [`Processes::get`].
pub fn look_up(pid: u32) -> Option<Process> {
    Processes::now().get(pid)
}

/// The parent of this process.
pub fn parent() -> Option<u32> {
    #[cfg(unix)]
    return rustix::process::getppid().map(|pid| pid.as_raw_pid().unsigned_abs());
    #[cfg(not(unix))]
    look_up(std::process::id()).map(|process| process.parent).filter(|parent| *parent > 0)
}

fn this_user() -> Option<u32> {
    #[cfg(unix)]
    return Some(rustix::process::geteuid().as_raw());
    #[cfg(not(unix))]
    None
}

/// Reads the table as agents do: with `ps`, or on Windows with PowerShell.
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "/proc shows more; a test compares the two"))]
pub(super) fn read_table(os: Os) -> Option<Table> {
    let (program, arguments) = match os {
        Os::Linux | Os::MacOs => ("ps", ps::ARGUMENTS),
        Os::Windows => ("powershell", cim::ARGUMENTS),
    };
    let output = std::process::Command::new(program)
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    match os {
        Os::Linux | Os::MacOs => Some(ps::parse(&text)),
        Os::Windows => cim::parse(&text),
    }
}

#[cfg(target_os = "linux")]
fn proc_row(pid: u32, with_owner: bool) -> Option<Row> {
    let process = crate::proc_files::ProcProcess::open(pid)?;
    let parent = process.parent()?;
    let owner = match with_owner {
        true => process.user().map_or(ProcessOwner::Unknown, ProcessOwner::User),
        false => ProcessOwner::Unknown,
    };
    let mut words = process.command_line()?.into_iter();
    let name = name_in(&words.next().unwrap_or_default());
    Some(Row { process: Process { parent, name, arguments: words.collect() }, owner })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_found_with_parent_and_owner() {
        let (processes, here) = (Processes::now(), std::process::id());
        let found = processes.get(here).unwrap();
        assert_eq!(Some(found.parent), parent());
        assert!(found.name.starts_with("alongside_platform"), "{found:?}");
        assert!(processes.is_ours(here) && processes.get(u32::MAX).is_none() && !processes.is_ours(u32::MAX));
        assert_eq!(look_up(here), Some(found));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn ps_and_proc_agree() {
        let Some(table) = read_table(Os::MacOs).filter(|table| !table.is_empty()) else {
            println!("skipped: there is no ps here");
            return;
        };
        let table = Processes(Source::Table(table));
        let here = std::process::id();
        assert_eq!(table.get(here).map(|row| row.parent), parent());
        assert_eq!(table.get(here).unwrap().name, look_up(here).unwrap().name);
        assert!(table.is_ours(here));
    }
}
