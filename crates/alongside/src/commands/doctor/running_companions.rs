//! The companions that run on this machine, including each companion whose files are in another temporary
//! directory or home than this terminal's.

use std::path::{Path, PathBuf};

use alongside_agent::find::{self, Surroundings};
use alongside_contract::agents::discovery_files;
use alongside_contract::behaviour::{Lookup, NameSearch, Release};
use alongside_contract::discovery::{Record, WRITER, split_roots};
use alongside_contract::family::{Directory, Family};
use alongside_desk::socket::Report;
use alongside_host::companions::{self, Answer};
use alongside_platform::process;
use futures_util::future::join_all;

/// All companions, and the places of their files.
#[derive(Debug)]
pub(super) struct Companions {
    /// The searched places: this terminal's first, then the places of this user's other processes.
    pub(super) places: Vec<Surroundings>,
    pub(super) running: Vec<RunningCompanion>,
    /// Files in this terminal's place whose companion is gone.
    pub(super) stale: Vec<(PathBuf, Record)>,
    /// Files there whose companion runs in another network, so that no program here reaches its port.
    pub(super) unreachable: Vec<(PathBuf, Record)>,
}

/// A companion that answers.
#[derive(Debug, Clone)]
pub(super) struct RunningCompanion {
    /// The name for people.
    pub(super) name: String,
    pub(super) port: u16,
    pub(super) roots: Vec<String>,
    /// The discovery files, each with the index of its place in [`Companions::places`].
    files: Vec<(PathBuf, usize)>,
    /// The report of the host, if the companion is ours.
    pub(super) host: Option<Report>,
    pub(super) serves_here: bool,
}

/// The place of a companion's file relative to the search of one release.
#[derive(Debug)]
pub(super) enum FileLocation {
    /// A directory in which the release searches from this terminal.
    Here,
    /// This directory in the place with this index, another one than this terminal's.
    Elsewhere(usize, Directory),
    /// No directory in which the release would search from any place.
    Nowhere,
}

impl Companions {
    /// Asks each companion that has a file, once.
    pub(super) async fn find(here: &Surroundings) -> Self {
        let places = places(here);
        let mut known: Vec<(Record, Vec<(PathBuf, usize)>)> = Vec::new();
        for (at, place) in places.iter().enumerate() {
            for (path, record) in find::all_files(place) {
                match known.iter_mut().find(|(other, _)| other.is_same_companion(&record)) {
                    Some((_, files)) if files.iter().any(|(known, _)| *known == path) => {}
                    Some((_, files)) => files.push((path, at)),
                    None => known.push((record, vec![(path, at)])),
                }
            }
        }
        let answers = join_all(known.iter().map(|(record, _)| companions::ask(record))).await;
        let reports = alongside_host::reports().await;
        let ports_elsewhere = companions::ports_of_other_networks(&reports).await;
        let mut found = Self { places, running: Vec::new(), stale: Vec::new(), unreachable: Vec::new() };
        for ((record, files), answer) in known.into_iter().zip(answers) {
            match answer {
                Answer::Given(_) => found.running.push(RunningCompanion::of_record(&record, files, here)),
                // A stopped process may continue.
                Answer::Silence => {}
                Answer::Nothing => {
                    let is_ours = record.writer.as_deref() == Some(WRITER);
                    let runs_elsewhere = is_ours && ports_elsewhere.contains(&record.port)
                        || companions::is_in_other_network(
                            &record,
                            files.iter().map(|(path, _)| path.as_path()),
                        );
                    let files_here = files.into_iter().filter(|(_, place)| *place == 0);
                    let files_here = files_here.map(|(path, _)| (path, record.clone()));
                    match runs_elsewhere {
                        true => found.unreachable.extend(files_here),
                        false => found.stale.extend(files_here),
                    }
                }
            }
        }
        for report in reports {
            match found.running.iter_mut().find(|running| running.port == report.status.port) {
                Some(running) => running.host = Some(report),
                None => found.running.push(RunningCompanion::of_host(report, here)),
            }
        }
        found
    }

    pub(super) fn serving_here(&self) -> impl Iterator<Item = &RunningCompanion> {
        self.running.iter().filter(|companion| companion.serves_here)
    }

    pub(super) fn at_port(&self, port: u16) -> Option<&RunningCompanion> {
        self.running.iter().find(|companion| companion.port == port)
    }

    /// Whether the companion of this file runs in another network.
    pub(super) fn is_unreachable(&self, path: &Path) -> bool {
        self.unreachable.iter().any(|(unreachable, _)| unreachable == path)
    }

    /// Returns the place where that release would have to search for the companion.
    pub(super) fn locate(
        &self,
        companion: &RunningCompanion,
        family: &Family,
        release: Release,
    ) -> FileLocation {
        let applies = |lookup: &&Lookup| lookup.releases.hold(release);
        let lists = |lookup: &&Lookup| {
            matches!(lookup.name_search, NameSearch::ListedForAnyPid | NameSearch::ListedByAge)
        };
        let all: Vec<&Lookup> = family.behaviour.lookups.iter().filter(applies).collect();
        // A release that lists a directory accepts any file name in it.
        let listed: Vec<&Lookup> = all.iter().copied().filter(lists).collect();
        let lookups = if listed.is_empty() { all } else { listed };
        let mut location = FileLocation::Nowhere;
        for (path, at) in &companion.files {
            let place = &self.places[*at];
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let lookup = lookups.iter().find(|lookup| {
                lookup.file.matches(name)
                    && path.parent() == Some(place.resolve(lookup.file.directory).as_path())
            });
            let Some(lookup) = lookup else { continue };
            if *at == 0 {
                return FileLocation::Here;
            }
            if matches!(location, FileLocation::Nowhere) {
                location = FileLocation::Elsewhere(*at, lookup.file.directory);
            }
        }
        location
    }
}

impl RunningCompanion {
    fn of_record(record: &Record, files: Vec<(PathBuf, usize)>, here: &Surroundings) -> Self {
        Self {
            name: companions::display_name(record).to_owned(),
            port: record.port,
            roots: split_roots(&record.workspace_path).map(str::to_owned).collect(),
            files,
            host: None,
            serves_here: find::holds(&record.workspace_path, &here.cwd),
        }
    }

    /// Creates the entry of a host without discovery files.
    pub(super) fn of_host(report: Report, here: &Surroundings) -> Self {
        let roots: Vec<String> =
            report.status.roots.iter().map(|root| root.to_string_lossy().into_owned()).collect();
        Self {
            name: report.editors.first().map_or("alongside".into(), |editor| editor.display_name.clone()),
            port: report.status.port,
            serves_here: roots.iter().any(|root| find::holds(root, &here.cwd)),
            roots,
            files: Vec::new(),
            host: Some(report),
        }
    }

    /// Whether the companion has a file in this terminal's place, or no file at all.
    pub(super) fn has_file_here_or_none(&self) -> bool {
        self.files.is_empty() || self.files.iter().any(|(_, place)| *place == 0)
    }

    /// Returns the name, the port and the roots, for people.
    pub(super) fn label(&self) -> String {
        format!("{} (port {}, {})", self.name, self.port, self.roots.join(", "))
    }
}

/// Returns this terminal's place, and each place of this user's processes with another temporary directory,
/// home or base directory.
fn places(here: &Surroundings) -> Vec<Surroundings> {
    let mut places = vec![here.clone()];
    for place in process::ours().into_iter().filter_map(Surroundings::of_process) {
        let is_same = |known: &Surroundings| {
            known.tmp == place.tmp && known.home == place.home && bases(known) == bases(&place)
        };
        if !places.iter().any(is_same) {
            places.push(place);
        }
    }
    places
}

/// Returns the directories that variables set in place of the agents' directories below home.
fn bases(here: &Surroundings) -> Vec<Option<PathBuf>> {
    let directories = discovery_files().map(|file| file.directory);
    let base = |directory| match directory {
        Directory::Home { base_variable: Some(name), .. } => {
            Some(here.variables.get(name).map(|base| here.cwd.join(base)))
        }
        _ => None,
    };
    directories.filter_map(base).collect()
}
