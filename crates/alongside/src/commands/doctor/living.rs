//! The companions that run on this machine, wherever their files are: those that this terminal's agents may
//! know, and those that other processes of this user have beside another temporary directory or home.

use std::path::PathBuf;

use alongside_agent::find::{self, Surroundings};
use alongside_contract::behaviour::{How, Lookup, Release};
use alongside_contract::discovery::{Record, split_roots};
use alongside_contract::family::{Directory, Family};
use alongside_desk::socket::Report;
use alongside_platform::process;
use futures_util::future::join_all;

use crate::commands::serving::{self, Answer};
use crate::host;

/// What lives, and where its files lie.
#[derive(Debug)]
pub(super) struct Machine {
    /// Where files were looked for: this terminal first, then whatever differs for other processes.
    pub(super) places: Vec<Surroundings>,
    pub(super) living: Vec<Living>,
    /// Files of ours whose companion is gone, in this terminal's places.
    pub(super) stale: Vec<(PathBuf, Record)>,
}

/// A companion that answers.
#[derive(Debug, Clone)]
pub(super) struct Living {
    /// As people know it.
    pub(super) name: String,
    pub(super) port: u16,
    pub(super) roots: Vec<String>,
    /// Its files, each with the place it was found in.
    files: Vec<(PathBuf, usize)>,
    /// What its host says, if it has one.
    pub(super) host: Option<Report>,
    /// Whether this directory is one of its.
    pub(super) serves_here: bool,
}

/// Where a companion's file lies, for one release.
#[derive(Debug)]
pub(super) enum Lies {
    /// Where this terminal's agents look.
    Here,
    /// In a directory that another place has, by this rule.
    There(usize, Directory),
    /// Nowhere that such an agent looks.
    Nowhere,
}

impl Machine {
    /// All that answer, each once.
    pub(super) async fn look(here: &Surroundings) -> Self {
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
        let asked = known.iter().map(|(record, _)| serving::ask(record));
        let answers = join_all(asked).await;
        let mut machine = Self { places, living: Vec::new(), stale: Vec::new() };
        for ((record, files), answer) in known.into_iter().zip(answers) {
            match answer {
                Answer::Given(_) => machine.living.push(Living::of(&record, files, here)),
                // It may go on.
                Answer::Silence => {}
                Answer::Nothing => {
                    let near = files.into_iter().filter(|(_, place)| *place == 0);
                    machine.stale.extend(near.map(|(path, _)| (path, record.clone())));
                }
            }
        }
        for report in host::reports().await {
            match machine.living.iter_mut().find(|living| living.port == report.status.port) {
                Some(living) => living.host = Some(report),
                None => machine.living.push(Living::of_host(report, here)),
            }
        }
        machine
    }

    /// Those that serve this directory.
    pub(super) fn here(&self) -> impl Iterator<Item = &Living> {
        self.living.iter().filter(|living| living.serves_here)
    }

    /// Where that release would have to look for a companion.
    pub(super) fn lies(&self, living: &Living, family: &Family, release: Release) -> Lies {
        let looks = |lookup: &&Lookup| lookup.releases.hold(release);
        let of_any = |lookup: &&Lookup| matches!(lookup.how, How::ListedForAnyPid | How::ListedByAge);
        let all: Vec<&Lookup> = family.behaviour.lookups.iter().filter(looks).collect();
        // What is found under any name decides, where the release lists at all.
        let listed: Vec<&Lookup> = all.iter().copied().filter(of_any).collect();
        let lookups = if listed.is_empty() { all } else { listed };
        let mut there = Lies::Nowhere;
        for (path, at) in &living.files {
            let place = &self.places[*at];
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let read = lookups.iter().find(|lookup| {
                lookup.file.matches(name)
                    && path.parent() == Some(place.resolve(lookup.file.directory).as_path())
            });
            let Some(lookup) = read else { continue };
            if *at == 0 {
                return Lies::Here;
            }
            if matches!(there, Lies::Nowhere) {
                there = Lies::There(*at, lookup.file.directory);
            }
        }
        there
    }
}

impl Living {
    fn of(record: &Record, files: Vec<(PathBuf, usize)>, here: &Surroundings) -> Self {
        let info = record.ide_info.as_ref().map(|info| info.display_name.clone());
        Self {
            name: info.or(record.ide_name.clone()).unwrap_or_else(|| "a companion without a name".into()),
            port: record.port,
            roots: split_roots(&record.workspace_path).map(str::to_owned).collect(),
            files,
            host: None,
            serves_here: find::holds(&record.workspace_path, &here.cwd),
        }
    }

    /// A host whose files nobody has.
    pub(super) fn of_host(report: Report, here: &Surroundings) -> Self {
        let roots: Vec<String> =
            report.status.roots.iter().map(|root| root.to_string_lossy().into_owned()).collect();
        Self {
            name: report.owner.as_ref().map_or("alongside".into(), |owner| owner.display_name.clone()),
            port: report.status.port,
            serves_here: roots.iter().any(|root| find::holds(root, &here.cwd)),
            roots,
            files: Vec::new(),
            host: Some(report),
        }
    }

    /// Whether this terminal has anything to do with it: one of its files, or the host behind it.
    pub(super) fn is_near(&self) -> bool {
        self.files.is_empty() || self.files.iter().any(|(_, place)| *place == 0)
    }

    /// As it is shown.
    pub(super) fn shown(&self) -> String {
        format!("{} (port {}, {})", self.name, self.port, self.roots.join(", "))
    }
}

/// This terminal, and every other temporary directory, home and base that processes of this user have.
fn places(here: &Surroundings) -> Vec<Surroundings> {
    let mut places = vec![here.clone()];
    for theirs in process::ours().into_iter().filter_map(Surroundings::of_process) {
        let known = |place: &Surroundings| {
            place.tmp == theirs.tmp && place.home == theirs.home && bases(place) == bases(&theirs)
        };
        if !places.iter().any(known) {
            places.push(theirs);
        }
    }
    places
}

/// The directories that replace some family's directory below home.
fn bases(here: &Surroundings) -> Vec<Option<PathBuf>> {
    let families = alongside_contract::family::FAMILIES.iter();
    let directories = families.flat_map(|family| family.files).map(|file| file.directory);
    let base = |directory| match directory {
        Directory::Home { base_variable: Some(name), .. } => {
            Some(here.variables.get(name).map(|base| here.cwd.join(base)))
        }
        _ => None,
    };
    directories.filter_map(base).collect()
}
