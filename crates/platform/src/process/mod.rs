//! Processes: which are above which, what they are called, whose they are. Linux is asked about one at a
//! time; elsewhere the table that agents read too is read once.

mod alive;
mod cim;
mod editor;
#[cfg(feature = "tokio")]
mod ending;
mod others;
mod ps;
mod sending;

use std::collections::HashMap;

use crate::Os;

pub use alive::{is_alive, may_signal};
pub use editor::editor_above;
#[cfg(feature = "tokio")]
pub use ending::ended;
pub use others::{directory, environment, ours, started};
pub use sending::{detach, end_group, ended_by, lead_group, own_program, send};

/// A process as `ps -o ppid=,command=` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The process above it; 0 if there is none.
    pub parent: u32,
    /// What follows the last slash of the command line's first word.
    pub name: String,
    /// The rest of the command line. Only Linux says where one argument ends; elsewhere they are split at
    /// blanks.
    pub arguments: Vec<String>,
}

/// A process in a table of all.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    process: Process,
    whose: Whose,
}

/// What a table says of the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The user with this number.
    User(u32),
    /// This user, for nobody else's command line can be read.
    Ours,
    /// Somebody else, or it is not told.
    Unknown,
}

type Table = HashMap<u32, Row>;

/// The processes there are.
#[derive(Debug)]
pub struct Processes(Source);

#[derive(Debug)]
enum Source {
    /// `/proc`, which is asked anew each time.
    #[cfg(target_os = "linux")]
    Proc,
    #[cfg_attr(target_os = "linux", allow(dead_code, reason = "a test puts a table here"))]
    Table(Table),
}

impl Processes {
    /// As they are now. Where a table has to be read (a few milliseconds on macOS, up to a second on Windows)
    /// and cannot be, it is empty.
    pub fn now() -> Self {
        #[cfg(target_os = "linux")]
        return Self(Source::Proc);
        #[cfg(not(target_os = "linux"))]
        Self(Source::Table(read_table(Os::HERE).unwrap_or_default()))
    }

    /// Looks one up. `None` if it is gone, or nothing may be known of it.
    pub fn get(&self, pid: u32) -> Option<Process> {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Source::Proc => proc_row(pid, false).map(|row| row.process),
            Source::Table(table) => table.get(&pid).map(|row| row.process.clone()),
        }
    }

    /// Whether a process is this user's.
    pub fn is_ours(&self, pid: u32) -> bool {
        let whose = match &self.0 {
            #[cfg(target_os = "linux")]
            Source::Proc => proc_row(pid, true).map(|row| row.whose),
            Source::Table(table) => table.get(&pid).map(|row| row.whose),
        };
        match whose.unwrap_or(Whose::Unknown) {
            Whose::User(user) => this_user() == Some(user),
            Whose::Ours => true,
            Whose::Unknown => false,
        }
    }
}

/// Looks one process up, as [`Processes::get`] does.
pub fn look_up(pid: u32) -> Option<Process> {
    Processes::now().get(pid)
}

/// The process that started this one.
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

/// Reads the table as agents do: with `ps`, and on Windows with PowerShell.
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "/proc knows more; a test compares the two"))]
fn read_table(os: Os) -> Option<Table> {
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
    let process = procfs::process::Process::new(i32::try_from(pid).ok()?).ok()?;
    let parent = u32::try_from(process.stat().ok()?.ppid).ok()?;
    let whose = match with_owner {
        true => process.uid().map_or(Whose::Unknown, Whose::User),
        false => Whose::Unknown,
    };
    let mut words = process.cmdline().ok()?.into_iter();
    let name = name_in(&words.next().unwrap_or_default());
    Some(Row { process: Process { parent, name, arguments: words.collect() }, whose })
}

/// Agents split the command line at blanks before they look for the last slash, so we do too.
fn name_in(command: &str) -> String {
    let word = command.split(' ').next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_its_parent_and_their_owner_are_known() {
        let (processes, here) = (Processes::now(), std::process::id());
        let found = processes.get(here).unwrap();
        assert_eq!(Some(found.parent), parent());
        assert!(found.name.starts_with("alongside_platform"), "{found:?}");
        assert!(processes.is_ours(here) && processes.get(u32::MAX).is_none() && !processes.is_ours(u32::MAX));
        assert_eq!(look_up(here), Some(found));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_table_that_other_systems_read_says_what_proc_says() {
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
