//! The behaviour of an agent's releases when they find a companion, with every difference between releases.
//! If a release was not read, the boundary is the newer release.

use std::fmt;

use crate::discovery_file::DiscoveryFile;
pub use crate::settings::Release;
use crate::settings::release_number;

/// A release newer than any known release.
pub const NEWEST: Release = (u64::MAX, u64::MAX, u64::MAX);

/// A range of releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Releases {
    /// The first release in the range.
    pub from: Release,
    /// The first release after the range.
    pub until: Option<Release>,
}

impl Releases {
    /// Every release.
    pub const ALL: Self = Self { from: (0, 0, 0), until: None };
    /// No release.
    pub const NONE: Self = Self { from: (0, 0, 0), until: Some((0, 0, 0)) };

    /// Makes the range of this release and all newer releases.
    pub const fn from(from: Release) -> Self {
        Self { from, until: None }
    }

    /// Makes the range of all releases before this one.
    pub const fn until(until: Release) -> Self {
        Self { from: (0, 0, 0), until: Some(until) }
    }

    /// Makes the range from a release up to another, without the latter.
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
        match (self.from, self.until) {
            (from, Some(until)) if until <= from => write!(f, "no release"),
            ((0, 0, 0), None) => write!(f, "every release"),
            (from, None) => write!(f, "{} and newer", release_number(from)),
            ((0, 0, 0), Some(until)) => write!(f, "older than {}", release_number(until)),
            (from, Some(until)) => {
                write!(f, "{}, older than {}", release_number(from), release_number(until))
            }
        }
    }
}

/// The behaviour of an agent's releases when they find a companion, and when they use its records.
#[derive(Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// The newest release in whose code this was read; `None` if none was.
    pub known_to: Option<Release>,
    /// The releases that connect to a companion at all.
    pub connects: Releases,
    /// The places where they look for a record, in their order.
    pub lookups: &'static [Lookup],
    /// The releases that read the variables of port and workspace.
    pub reads_variables: Releases,
    /// The releases that read the editor's process from a variable.
    pub pid_variable: Releases,
    /// The releases that read the token from a variable if the record has none.
    pub token_variable: Releases,
    /// The releases that send a token.
    pub sends_token: Releases,
    /// The releases that know `ide/diffRejected`. Older ones know `ide/diffClosed`, with the same meaning.
    pub knows_diff_rejected: Releases,
    /// The releases that accept any editor that the record names, not only one of [`Self::terminals`].
    pub reads_editor_name: Releases,
    /// The terminals that count as part of a supported editor.
    pub terminals: &'static [Terminal],
    /// The releases that skip files of other users.
    pub own_files_only: Releases,
    /// The releases that give up if one of the listed files cannot be read.
    pub one_unreadable_ends: Releases,
    /// The releases that read a record of another workspace if none fits, only to report it.
    pub takes_misfit: Releases,
    /// The releases that delete a lock whose editor has ended.
    pub needs_living_editor: Releases,
    /// The releases that dial the other fitting records if the first one does not answer.
    pub tries_others: Releases,
    /// The releases that never dial the variable's port if its record belongs to another workspace.
    pub keeps_off_misfits: Releases,
    /// The hosts that they dial. Together the ranges cover every release.
    pub hosts: &'static [(Releases, Hosts)],
    /// The hosts that they dial without a proxy, besides those of `NO_PROXY`.
    pub unproxied: &'static [(Releases, Unproxied)],
}

/// A place where an agent looks for records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lookup {
    /// The releases that look there.
    pub releases: Releases,
    /// The file's directory and name.
    pub file: DiscoveryFile,
    /// The way in which they search for the name.
    pub name_search: NameSearch,
    /// The releases that take a record of any workspace from there, and fail if the workspace is another.
    pub unchecked: Releases,
    /// The releases that look there only if no port variable is set.
    pub without_port_variable: Releases,
}

/// The way in which an agent searches for a file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameSearch {
    /// It fills the editor's PID or the port variable into the name.
    Spelled,
    /// It lists names with the editor's PID, sorted by name.
    ListedForPid,
    /// It lists all names: first those with the editor's PID, then those of running processes, each with the
    /// larger PIDs first.
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
    /// The value that it must have. `None` for any value.
    pub value: Option<Value>,
}

/// A condition on the value of a variable.
#[derive(Debug, PartialEq, Eq)]
pub enum Value {
    /// The value equals this.
    Is(&'static str),
    /// The value contains this, in any case.
    Contains(&'static str),
}

/// The hosts that agents dial: this machine, or the host of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosts {
    /// This host, or inside a container [`CONTAINER_HOST`].
    OneOf(&'static str),
    /// 127.0.0.1, or inside a container [`CONTAINER_HOST`] if none of these variables is set.
    UnlessSet(&'static [&'static str]),
    /// 127.0.0.1, and inside a container then also [`CONTAINER_HOST`] if it resolves.
    BothInTurn,
}

/// The hosts that an agent dials without a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproxied {
    /// All hosts, because it reads no proxy variables.
    Everything,
    /// This host.
    Host(&'static str),
    /// The host that it dials for a companion.
    Dialled,
}

/// The behaviour of an agent whose releases were not read: that of the newest releases of its origin.
pub(crate) const DEFAULT_BEHAVIOUR: Behaviour = Behaviour {
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

/// The sign of VS Code's terminals.
pub(crate) const VS_CODE: Terminal =
    Terminal { releases: Releases::ALL, variable: "TERM_PROGRAM", value: Some(Value::Is("vscode")) };

/// The name of the host inside a container.
pub const CONTAINER_HOST: &str = "host.docker.internal";

impl Lookup {
    pub(crate) const fn new(releases: Releases, file: DiscoveryFile, name_search: NameSearch) -> Self {
        Self { releases, file, name_search, unchecked: Releases::NONE, without_port_variable: Releases::NONE }
    }

    pub(crate) const fn unchecked(self, unchecked: Releases) -> Self {
        Self { unchecked, ..self }
    }
}

impl Behaviour {
    /// Returns the hosts that a release dials.
    pub fn hosts(&self, release: Release) -> Hosts {
        let found = self.hosts.iter().find(|(releases, _)| releases.hold(release));
        found.map_or(Hosts::OneOf("127.0.0.1"), |(_, hosts)| *hosts)
    }

    /// Whether some release that sends a token knows only `ide/diffClosed` for a rejection.
    pub fn hears_that_diffs_close(&self) -> bool {
        self.sends_token.from < self.knows_diff_rejected.from
    }

    /// Returns the hosts that a release dials without a proxy.
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
                // A variable may replace the home directory.
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
    fn every_release_dials_a_host() {
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
