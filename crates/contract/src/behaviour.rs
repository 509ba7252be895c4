//! How the releases of a family differ in what they do to find a companion: what can differ is here, what
//! does in `rows`.

use std::fmt;

mod rows;

use crate::family::DiscoveryFile;
pub use crate::settings::Release;
pub(crate) use rows::*;

/// Stands for a release newer than any that is known.
pub const NEWEST: Release = (u64::MAX, u64::MAX, u64::MAX);

/// A stretch of releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Releases {
    /// The first of them.
    pub from: Release,
    /// The first that is none of them any more.
    pub until: Option<Release>,
}

impl Releases {
    /// Every one.
    pub const ALL: Self = Self { from: (0, 0, 0), until: None };
    /// Not a single one.
    pub const NONE: Self = Self { from: (0, 0, 0), until: Some((0, 0, 0)) };

    /// This one and all that followed.
    pub const fn from(from: Release) -> Self {
        Self { from, until: None }
    }

    /// All before that one.
    pub const fn until(until: Release) -> Self {
        Self { from: (0, 0, 0), until: Some(until) }
    }

    /// From one, to the last before the other.
    pub const fn between(from: Release, until: Release) -> Self {
        Self { from, until: Some(until) }
    }

    /// Whether that release is among them.
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

/// What the releases of a family do to find a companion, and what they do with what they find.
#[derive(Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// The newest release this was read in; `None` where no release was.
    pub known_to: Option<Release>,
    /// Which releases connect to a companion at all.
    pub connects: Releases,
    /// Where they look for a record, in their order.
    pub lookups: &'static [Lookup],
    /// Which read the variables of port and workspace.
    pub reads_variables: Releases,
    /// Which let a variable name the editor's process.
    pub pid_variable: Releases,
    /// Which take the token from a variable where the record has none.
    pub token_variable: Releases,
    /// Which send a token.
    pub sends_token: Releases,
    /// Which know `ide/diffRejected`. Those before know `ide/diffClosed`, which all of them take for the
    /// same.
    pub knows_diff_rejected: Releases,
    /// Which let a record introduce an editor they have never heard of. Without that, the terminal must be
    /// one of [`Self::terminals`].
    pub reads_editor_name: Releases,
    /// Terminals that are believed to belong to a supported editor.
    pub terminals: &'static [Terminal],
    /// Which pass over files of other users.
    pub own_files_only: Releases,
    /// Which give up where a single file among those listed cannot be read.
    pub one_unreadable_ends: Releases,
    /// Which take a record of another workspace where none fits, only to say so.
    pub takes_misfit: Releases,
    /// Which believe no lock whose editor is gone (they delete it).
    pub needs_living_editor: Releases,
    /// Which dial the other records that fit when the first one does not answer.
    pub tries_others: Releases,
    /// Which never dial the variable's port if its record was of another workspace.
    pub keeps_off_misfits: Releases,
    /// Where a companion is dialled. Together they cover every release.
    pub hosts: &'static [(Releases, Hosts)],
    /// Which hosts are kept from proxies, beside those of `NO_PROXY`.
    pub unproxied: &'static [(Releases, Unproxied)],
}

/// One place where records are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lookup {
    /// Which releases look there.
    pub releases: Releases,
    /// The file's directory and name.
    pub file: DiscoveryFile,
    /// How the name is come by.
    pub how: How,
    /// Which releases take a record of whatever workspace from there, and fail if it is not the right one.
    pub unchecked: Releases,
    /// Which releases look there only if no port variable is set.
    pub without_port_variable: Releases,
}

/// How an agent comes by a file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It is spelled: the agent fills in the editor's PID, or else the port variable.
    Spelled,
    /// The directory is listed for names with the editor's PID, sorted by name.
    ListedForPid,
    /// The directory is listed: first names with the editor's PID, then with that of a living process, then
    /// larger PIDs.
    ListedForAnyPid,
    /// The directory is listed, newest file first.
    ListedByAge,
}

/// What marks a terminal as that of a supported editor.
#[derive(Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Which releases know it.
    pub releases: Releases,
    /// The variable.
    pub variable: &'static str,
    /// What its value contains, without regard to case where it is not the whole; `None` for any value.
    pub value: Option<Value>,
}

/// What a variable must hold.
#[derive(Debug, PartialEq, Eq)]
pub enum Value {
    /// Exactly this.
    Is(&'static str),
    /// This somewhere within, in whatever case.
    Contains(&'static str),
}

/// Where a companion is dialled: on this machine, or inside a container on the machine around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosts {
    /// This name; inside a container [`CONTAINER_HOST`].
    OneOf(&'static str),
    /// 127.0.0.1; inside a container [`CONTAINER_HOST`], unless one of these variables is set.
    UnlessSet(&'static [&'static str]),
    /// 127.0.0.1; inside a container [`CONTAINER_HOST`] after that, if the name can be resolved.
    BothInTurn,
}

/// What is kept from proxies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproxied {
    /// Everything: variables of proxies are not read.
    Everything,
    /// This host.
    Host(&'static str),
    /// Whatever host is dialled.
    Dialled,
}

/// The machine around a container, as seen from within.
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
    /// Where a release dials.
    pub fn hosts(&self, release: Release) -> Hosts {
        let found = self.hosts.iter().find(|(releases, _)| releases.hold(release));
        found.map_or(Hosts::OneOf("127.0.0.1"), |(_, hosts)| *hosts)
    }

    /// Whether some release that sends a token knows of no rejection but `ide/diffClosed`.
    pub fn hears_that_diffs_close(&self) -> bool {
        self.sends_token.from < self.knows_diff_rejected.from
    }

    /// What a release keeps from proxies.
    pub fn unproxied(&self, release: Release) -> Unproxied {
        let found = self.unproxied.iter().find(|(releases, _)| releases.hold(release));
        found.map_or(Unproxied::Dialled, |(_, unproxied)| *unproxied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{Directory, FAMILIES};

    #[test]
    fn a_stretch_holds_its_first_and_not_the_one_it_ends_before() {
        let stretch = Releases::between((0, 5, 3), (0, 31, 0));
        assert!(stretch.hold((0, 5, 3)) && stretch.hold((0, 30, 1)));
        assert!(!stretch.hold((0, 5, 2)) && !stretch.hold((0, 31, 0)) && !stretch.hold(NEWEST));
        assert!(Releases::ALL.hold((0, 0, 0)) && Releases::ALL.hold(NEWEST));
        assert!(!Releases::NONE.hold((0, 0, 0)) && !Releases::NONE.hold(NEWEST));
        let names: Vec<_> =
            [stretch, Releases::from((1, 2, 3)), Releases::until((1, 0, 0)), Releases::ALL, Releases::NONE]
                .iter()
                .map(ToString::to_string)
                .collect();
        assert_eq!(
            names,
            [
                "0.5.3, older than 0.31.0",
                "1.2.3 and newer",
                "older than 1.0.0",
                "every release",
                "no release"
            ]
        );
    }

    #[test]
    fn what_agents_look_for_is_written_but_for_the_files_that_override_all() {
        for family in FAMILIES {
            for lookup in family.behaviour.lookups {
                let written = family.files.iter().any(|row| {
                    row.name == lookup.file.name
                        && match (row.directory, lookup.file.directory) {
                            (Directory::Tmp(one), Directory::Tmp(other)) => one == other,
                            (
                                Directory::Home { below_home: one, .. },
                                Directory::Home { below_home: other, .. },
                            ) => one == other,
                            _ => false,
                        }
                });
                let overriding = lookup.file.directory == Directory::Tmp("gemini/ide")
                    && lookup.file.name == "gemini-ide-server-{pid}.json";
                assert_eq!(written, !overriding, "{}: {:?}", family.id, lookup.file);
            }
        }
    }

    #[test]
    fn every_release_dials_somewhere() {
        for family in FAMILIES.iter().filter(|family| family.behaviour.known_to.is_some()) {
            for release in [(0, 0, 0), (0, 9, 0), (0, 26, 9), (0, 27, 0), NEWEST] {
                let hold = |releases: &Releases| releases.hold(release);
                assert_eq!(family.behaviour.hosts.iter().filter(|(releases, _)| hold(releases)).count(), 1);
                assert_eq!(family.behaviour.unproxied.iter().filter(|(one, _)| hold(one)).count(), 1);
            }
        }
    }
}
