//! The companions that run on this machine, also those whose files are in another temporary directory or home
//! than this terminal's.

use std::path::{Path, PathBuf};

use alongside_agent::find::{self, Surroundings};
use alongside_contract::agents::discovery_files;
use alongside_contract::behaviour::{How, Lookup, Release};
use alongside_contract::discovery::{Record, WRITER, split_roots};
use alongside_contract::family::{Directory, Family};
use alongside_desk::socket::Report;
use alongside_host::companions::{self, Answer};
use alongside_platform::process;
use futures_util::future::join_all;

/// All companions, and where their files are.
#[derive(Debug)]
pub(super) struct Companions {
    /// Where files were looked for: this terminal first, then other places that processes of this user have.
    pub(super) places: Vec<Surroundings>,
    pub(super) running: Vec<RunningCompanion>,
    /// Files in this terminal's place whose companion is gone.
    pub(super) stale: Vec<(PathBuf, Record)>,
    /// Files there whose companion lives in another network, where nobody here reaches its port.
    pub(super) unreached: Vec<(PathBuf, Record)>,
}

/// A companion that answers.
#[derive(Debug, Clone)]
pub(super) struct RunningCompanion {
    /// Its name for people.
    pub(super) name: String,
    pub(super) port: u16,
    pub(super) roots: Vec<String>,
    /// Its files, each with the index of the place it was found in.
    files: Vec<(PathBuf, usize)>,
    /// The report of its host, if it is one of ours.
    pub(super) host: Option<Report>,
    pub(super) serves_here: bool,
}

/// Where a companion's file is, as seen by one release.
#[derive(Debug)]
pub(super) enum FileLocation {
    /// Where this terminal's agents look.
    Here,
    /// In this directory of the place with this index.
    Elsewhere(usize, Directory),
    /// Nowhere that such an agent looks.
    Nowhere,
}

impl Companions {
    /// Asks every companion that has a file, each once.
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
        let elsewhere = companions::ports_of_other_networks(&reports).await;
        let mut found = Self { places, running: Vec::new(), stale: Vec::new(), unreached: Vec::new() };
        for ((record, files), answer) in known.into_iter().zip(answers) {
            match answer {
                Answer::Given(_) => found.running.push(RunningCompanion::of_record(&record, files, here)),
                // A stopped process may go on.
                Answer::Silence => {}
                Answer::Nothing => {
                    let is_ours = record.writer.as_deref() == Some(WRITER);
                    let lives = is_ours && elsewhere.contains(&record.port)
                        || companions::is_in_other_network(
                            &record,
                            files.iter().map(|(path, _)| path.as_path()),
                        );
                    let near = files.into_iter().filter(|(_, place)| *place == 0);
                    let near = near.map(|(path, _)| (path, record.clone()));
                    if lives { found.unreached.extend(near) } else { found.stale.extend(near) }
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

    /// Whether the companion of this file lives in another network.
    pub(super) fn is_unreached(&self, path: &Path) -> bool {
        self.unreached.iter().any(|(unreached, _)| unreached == path)
    }

    /// Where that release would have to look for the companion.
    pub(super) fn locate(
        &self,
        companion: &RunningCompanion,
        family: &Family,
        release: Release,
    ) -> FileLocation {
        let applies = |lookup: &&Lookup| lookup.releases.hold(release);
        let lists = |lookup: &&Lookup| matches!(lookup.how, How::ListedForAnyPid | How::ListedByAge);
        let all: Vec<&Lookup> = family.behaviour.lookups.iter().filter(applies).collect();
        // A release that lists a directory accepts any file name in it.
        let listed: Vec<&Lookup> = all.iter().copied().filter(lists).collect();
        let lookups = if listed.is_empty() { all } else { listed };
        let mut location = FileLocation::Nowhere;
        for (path, at) in &companion.files {
            let place = &self.places[*at];
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let read = lookups.iter().find(|lookup| {
                lookup.file.matches(name)
                    && path.parent() == Some(place.resolve(lookup.file.directory).as_path())
            });
            let Some(lookup) = read else { continue };
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

    /// A host without discovery files.
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

    /// Whether one of its files is in this terminal's place, or it has none.
    pub(super) fn is_near(&self) -> bool {
        self.files.is_empty() || self.files.iter().any(|(_, place)| *place == 0)
    }

    /// Its name, port and roots, for people.
    pub(super) fn label(&self) -> String {
        format!("{} (port {}, {})", self.name, self.port, self.roots.join(", "))
    }
}

/// This terminal's place, and every other temporary directory, home and base of this user's processes.
fn places(here: &Surroundings) -> Vec<Surroundings> {
    let mut places = vec![here.clone()];
    for theirs in process::ours().into_iter().filter_map(Surroundings::of_process) {
        let is_known = |place: &Surroundings| {
            place.tmp == theirs.tmp && place.home == theirs.home && bases(place) == bases(&theirs)
        };
        if !places.iter().any(is_known) {
            places.push(theirs);
        }
    }
    places
}

/// The directories that replace an agent's directory below home.
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
