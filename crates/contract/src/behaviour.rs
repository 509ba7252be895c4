//! How releases of an agent find a companion: all in which they may differ. Where a release is missing, the
//! boundary is the newer one.

use std::fmt;

use crate::discovery_file::DiscoveryFile;
pub use crate::settings::Release;

/// Stands for a release newer than any known one.
pub const NEWEST: Release = (u64::MAX, u64::MAX, u64::MAX);

/// A range of releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Releases {
    /// The first one.
    pub from: Release,
    /// The first one after them.
    pub until: Option<Release>,
}

impl Releases {
    /// Every release.
    pub const ALL: Self = Self { from: (0, 0, 0), until: None };
    /// No release.
    pub const NONE: Self = Self { from: (0, 0, 0), until: Some((0, 0, 0)) };

    /// This one and all newer ones.
    pub const fn from(from: Release) -> Self {
        Self { from, until: None }
    }

    /// All before this one.
    pub const fn until(until: Release) -> Self {
        Self { from: (0, 0, 0), until: Some(until) }
    }

    /// From one up to, but not including, the other.
    pub const fn between(from: Release, until: Release) -> Self {
        Self { from, until: Some(until) }
    }

    /// Whether a release is in the range.
    pub fn hold(&self, release: Release) -> bool {
        self.from <= release && self.until.is_none_or(|until| release < until)
    }
}

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |(major, minor, patch): Release| format!("{major}.{minor}.{patch}");
        match (self.from, self.until) {
            (from, Some(until)) if until <= from => write!(f, "no release"),
            ((0, 0, 0), None) => write!(f, "every release"),
            (from, None) => write!(f, "{} and newer", name(from)),
            ((0, 0, 0), Some(until)) => write!(f, "older than {}", name(until)),
            (from, Some(until)) => write!(f, "{}, older than {}", name(from), name(until)),
        }
    }
}

/// How the releases of an agent find a companion, and what they do with the records they find.
#[derive(Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// The newest release in whose code this was read; `None` if none was.
    pub known_to: Option<Release>,
    /// The releases that connect to a companion at all.
    pub connects: Releases,
    /// The places where they look for a record, in their order.
    pub lookups: &'static [Lookup],
    /// Those that read the variables of port and workspace.
    pub reads_variables: Releases,
    /// Those that read the editor's process from a variable.
    pub pid_variable: Releases,
    /// Those that read the token from a variable if the record has none.
    pub token_variable: Releases,
    /// Those that send a token.
    pub sends_token: Releases,
    /// Those that know `ide/diffRejected`. Older ones know `ide/diffClosed`, with the same meaning.
    pub knows_diff_rejected: Releases,
    /// Those that accept any editor that the record names, not only one of [`Self::terminals`].
    pub reads_editor_name: Releases,
    /// The terminals that count as part of a supported editor.
    pub terminals: &'static [Terminal],
    /// Those that skip files of other users.
    pub own_files_only: Releases,
    /// Those that give up if one of the listed files cannot be read.
    pub one_unreadable_ends: Releases,
    /// Those that read a record of another workspace if none fits, only to report it.
    pub takes_misfit: Releases,
    /// Those that delete a lock whose editor has ended.
    pub needs_living_editor: Releases,
    /// Those that dial the other fitting records if the first one does not answer.
    pub tries_others: Releases,
    /// Those that never dial the variable's port if its record belongs to another workspace.
    pub keeps_off_misfits: Releases,
    /// The hosts they dial. Together the ranges cover every release.
    pub hosts: &'static [(Releases, Hosts)],
    /// The hosts they dial without a proxy, besides those of `NO_PROXY`.
    pub unproxied: &'static [(Releases, Unproxied)],
}

/// A place where agents look for records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lookup {
    /// The releases that look there.
    pub releases: Releases,
    /// The file's directory and name.
    pub file: DiscoveryFile,
    /// How they find the name.
    pub how: How,
    /// The releases that take a record of any workspace from there, and fail if it is the wrong one.
    pub unchecked: Releases,
    /// The releases that look there only if no port variable is set.
    pub without_port_variable: Releases,
}

/// How an agent finds a file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It fills in the editor's PID, or the port variable.
    Spelled,
    /// It lists names with the editor's PID, sorted by name.
    ListedForPid,
    /// It lists all names: those with the editor's PID, then of running processes, then larger PIDs.
    ListedForAnyPid,
    /// It lists all files, the newest first.
    ListedByAge,
}

/// A variable that marks the terminal of a supported editor.
#[derive(Debug, PartialEq, Eq)]
pub struct Terminal {
    /// The releases that know it.
    pub releases: Releases,
    /// The name of the variable.
    pub variable: &'static str,
    /// The value it must have; `None` for any.
    pub value: Option<Value>,
}

/// A condition on the value of a variable.
#[derive(Debug, PartialEq, Eq)]
pub enum Value {
    /// It equals this.
    Is(&'static str),
    /// It contains this, in any case.
    Contains(&'static str),
}

/// The host that agents dial: this machine, or the machine around a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosts {
    /// This host; inside a container [`CONTAINER_HOST`].
    OneOf(&'static str),
    /// 127.0.0.1; inside a container [`CONTAINER_HOST`], unless one of these variables is set.
    UnlessSet(&'static [&'static str]),
    /// 127.0.0.1; inside a container then also [`CONTAINER_HOST`], if it resolves.
    BothInTurn,
}

/// The hosts that an agent dials without a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproxied {
    /// All: it reads no proxy variables.
    Everything,
    /// This one.
    Host(&'static str),
    /// The one that it dials for a companion.
    Dialled,
}

/// A fork without any release to read: it does the same as the newest release of its origin.
pub(crate) const FORK: Behaviour = Behaviour {
    known_to: None,
    connects: Releases::ALL,
    lookups: &[],
    reads_variables: Releases::ALL,
    pid_variable: Releases::ALL,
    token_variable: Releases::ALL,
    sends_token: Releases::ALL,
    knows_diff_rejected: Releases::ALL,
    reads_editor_name: Releases::ALL,
    terminals: &[VS_CODE],
    own_files_only: Releases::NONE,
    one_unreadable_ends: Releases::NONE,
    takes_misfit: Releases::NONE,
    needs_living_editor: Releases::NONE,
    tries_others: Releases::NONE,
    keeps_off_misfits: Releases::NONE,
    hosts: &[],
    unproxied: &[],
};

/// Marks the terminals of VS Code.
pub(crate) const VS_CODE: Terminal =
    Terminal { releases: Releases::ALL, variable: "TERM_PROGRAM", value: Some(Value::Is("vscode")) };

/// The name of the host inside a container.
pub const CONTAINER_HOST: &str = "host.docker.internal";

impl Lookup {
    pub(crate) const fn new(releases: Releases, file: DiscoveryFile, how: How) -> Self {
        Self { releases, file, how, unchecked: Releases::NONE, without_port_variable: Releases::NONE }
    }

    pub(crate) const fn unchecked(self, unchecked: Releases) -> Self {
        Self { unchecked, ..self }
    }
}

impl Behaviour {
    /// The hosts that a release dials.
    pub fn hosts(&self, release: Release) -> Hosts {
        let found = self.hosts.iter().find(|(releases, _)| releases.hold(release));
        found.map_or(Hosts::OneOf("127.0.0.1"), |(_, hosts)| *hosts)
    }

    /// Whether some release that sends a token knows only `ide/diffClosed` for a rejection.
    pub fn hears_that_diffs_close(&self) -> bool {
        self.sends_token.from < self.knows_diff_rejected.from
    }

    /// The hosts that a release dials without a proxy.
    pub fn unproxied(&self, release: Release) -> Unproxied {
        let found = self.unproxied.iter().find(|(releases, _)| releases.hold(release));
        found.map_or(Unproxied::Dialled, |(_, unproxied)| *unproxied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::with_family;
    use crate::discovery_file::Directory;

    #[test]
    fn a_range_includes_its_first_and_excludes_its_end() {
        let range = Releases::between((0, 5, 3), (0, 31, 0));
        assert!(range.hold((0, 5, 3)) && range.hold((0, 30, 1)));
        assert!(!range.hold((0, 5, 2)) && !range.hold((0, 31, 0)) && !range.hold(NEWEST));
        assert!(Releases::ALL.hold((0, 0, 0)) && Releases::ALL.hold(NEWEST));
        assert!(!Releases::NONE.hold((0, 0, 0)) && !Releases::NONE.hold(NEWEST));
        for (range, name) in [
            (range, "0.5.3, older than 0.31.0"),
            (Releases::from((1, 2, 3)), "1.2.3 and newer"),
            (Releases::until((1, 0, 0)), "older than 1.0.0"),
            (Releases::ALL, "every release"),
            (Releases::NONE, "no release"),
        ] {
            assert_eq!(range.to_string(), name);
        }
    }

    #[test]
    fn every_lookup_is_written_except_overriding_files() {
        for agent in with_family() {
            for lookup in agent.family.behaviour.lookups {
                // Home may be moved by a variable, or not.
                let place = |directory| match directory {
                    Directory::Tmp(below) => (false, below),
                    Directory::Home { below_home, .. } => (true, below_home),
                };
                let (name, looked) = (lookup.file.name, place(lookup.file.directory));
                let mut rows = agent.family.discovery_files().iter();
                let written = rows.any(|row| row.name == name && place(row.directory) == looked);
                let overriding = lookup.file.directory == Directory::Tmp("gemini/ide")
                    && lookup.file.name == "gemini-ide-server-{pid}.json";
                assert_eq!(written, !overriding, "{}: {:?}", agent.id, lookup.file);
            }
        }
    }

    #[test]
    fn every_release_dials_somewhere() {
        let known = |behaviour: &&Behaviour| behaviour.known_to.is_some();
        for behaviour in with_family().map(|agent| &agent.family.behaviour).filter(known) {
            for release in [(0, 0, 0), (0, 9, 0), (0, 26, 9), (0, 27, 0), NEWEST] {
                let hold = |releases: &Releases| releases.hold(release);
                assert_eq!(behaviour.hosts.iter().filter(|(releases, _)| hold(releases)).count(), 1);
                assert_eq!(behaviour.unproxied.iter().filter(|(one, _)| hold(one)).count(), 1);
            }
        }
    }
}
