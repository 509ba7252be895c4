//! A proposal. Reading its file and comparing it with the proposed text takes time, so that happens outside
//! the main loop.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::destination::{Destinations, Place};
use super::diff::composition::Composition;
use super::ground::Ground;
use super::line_endings::NormalizedOriginal;
use super::target::{BadTarget, Fingerprint, OpenTarget};
use crate::real_path;

/// A proposal whose target is open, and not compared yet.
#[derive(Debug)]
pub(crate) struct OpenProposal {
    /// The path as the agent spells it.
    file_path: String,
    target: OpenTarget,
    /// The target's path without links, if the system reports it.
    system_path: Option<PathBuf>,
    destinations: Destinations,
    proposed: Arc<str>,
}

/// A proposal that is compared with its file.
#[derive(Debug)]
pub(crate) struct PreparedProposal {
    /// The path as the agent spells it.
    pub(super) file_path: String,
    pub(super) composition: Composition,
    pub(super) normalized: NormalizedOriginal,
    /// The state of the target when it was read.
    pub(super) fingerprint: Fingerprint,
    /// The target's path without links.
    real: PathBuf,
    /// The destination of a write, if it is outside of every root.
    pub(super) outside: Option<String>,
    /// The destination of a write, if git runs or obeys what is there.
    pub(super) in_git: Option<String>,
    /// The destination of a write, if agents take settings or instructions from there.
    pub(super) of_agents: Option<String>,
    /// The target of a link within a project, if the path passes one.
    pub(super) leads_to: Option<String>,
    /// The places of the file, of the link that leads to it, and of a file that the tool also removes.
    places: Vec<Place>,
    /// The file that the tool also removes: its path as the agent spells it, and without links.
    removed: Option<Box<(String, PathBuf)>>,
    /// Whether the proposal is compared with the text of the removed file, which moves to a new place.
    is_of_removed: bool,
    /// Whether the file has other names (hard links), which no rule knows.
    pub(super) has_other_names: bool,
    /// The projects by which the places were judged. Each change of the rules makes a new list with a new
    /// pointer.
    roots: Option<Arc<[PathBuf]>>,
}

/// A file that a tool removes beside the file of its proposal.
#[derive(Debug)]
pub(crate) struct RemovedFile {
    /// The path of the file as the agent spells it, and without links.
    paths: Box<(String, PathBuf)>,
    places: Vec<Place>,
    /// The file, if it can be read.
    target: Option<OpenTarget>,
}

impl RemovedFile {
    /// Opens the file and judges its places. Reads the disk.
    pub(super) fn of(file: String, ground: &Ground<'_>) -> Self {
        let (path, target) = (Path::new(&file), OpenTarget::open(&file).ok());
        let (real, places) = (real_path::canonical(path), Place::all(path, ground));
        Self { paths: Box::new((file, real)), places, target }
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self) -> u64 {
        self.target.as_ref().map_or(0, OpenTarget::size)
    }
}

/// The reason why a proposal is not opened.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotOpened {
    UnknownSession,
    /// A later request has proposed for the file already.
    Overtaken,
    BadTarget(BadTarget),
}

impl OpenProposal {
    /// Opens the target, and resolves its path. Blocks briefly.
    pub(super) fn open(file_path: String, proposed: Arc<str>) -> Result<Self, BadTarget> {
        let target = OpenTarget::open(&file_path)?;
        Ok(Self::new(file_path, target, proposed))
    }

    /// Creates a proposal for an open target, and resolves its path.
    pub(super) fn new(file_path: String, target: OpenTarget, proposed: Arc<str>) -> Self {
        let system_path = target.real_path();
        let destinations = Destinations::of(Path::new(&file_path), system_path.as_deref());
        Self { file_path, target, system_path, destinations, proposed }
    }

    /// Returns the number of bytes to read and compare.
    pub(super) fn bytes(&self) -> u64 {
        self.target.size().saturating_add(self.proposed.len() as u64)
    }

    /// Whether the preparation needs few more system calls, if a person decides.
    pub(super) fn is_isolated(&self) -> bool {
        self.destinations.is_isolated()
    }

    /// Reads the target, and compares it with the proposed text. Blocks.
    pub(super) fn prepare(self, ground: &Ground<'_>) -> PreparedProposal {
        let Self { file_path, target, system_path, destinations, proposed } = self;
        let path = Path::new(&file_path);
        let (outside, in_git) = (destinations.outside(ground), destinations.in_git(ground));
        let place = destinations.place(outside.as_deref(), in_git.as_deref(), ground);
        // A place at the path itself means that the path is no link.
        let is_no_link = matches!(&place, Place::File(at) if at.file() == path);
        let link = if is_no_link { None } else { Place::of_link(path, ground) };
        let places = std::iter::once(place).chain(link).collect();
        let has_other_names = target.has_other_names();
        let real = system_path.unwrap_or_else(|| real_path::canonical(path));
        let (of_agents, leads_to) = (destinations.of_agents(ground), link_within(path, &real, ground));
        let (mut normalized, fingerprint) = target.read(&proposed);
        // Without a readable original, the comparison has nothing to compare with: the whole file is the
        // change.
        let original = normalized.original.take().map_or_else(|| Arc::from(""), Arc::<str>::from);
        let composition = Composition::new(original, proposed);
        PreparedProposal {
            file_path,
            composition,
            normalized,
            fingerprint,
            real,
            outside,
            in_git,
            of_agents,
            leads_to,
            places,
            removed: None,
            is_of_removed: false,
            has_other_names,
            roots: None,
        }
    }
}

impl PreparedProposal {
    /// Reads the target, and compares it with the proposed text, without rules. Blocks.
    pub(crate) fn prepare(file_path: String, proposed: &str, ground: &Ground<'_>) -> Result<Self, BadTarget> {
        Ok(OpenProposal::open(file_path, proposed.into())?.prepare(ground))
    }

    /// Records the projects by which the places were judged.
    pub(crate) fn judged_by(self, roots: Arc<[PathBuf]>) -> Self {
        Self { roots: Some(roots), ..self }
    }

    /// Whether the places were judged by these projects, and no rules have changed since.
    pub(crate) fn is_judged_by(&self, roots: &Arc<[PathBuf]>) -> bool {
        self.roots.as_ref().is_some_and(|judged_by| Arc::ptr_eq(judged_by, roots))
    }

    /// Creates the proposal of a change that is in the file already: `before` is the text of a baseline, if
    /// that has the file, and `now` is on disk. Both are compared byte for byte. Takes as long as the
    /// comparison.
    pub(crate) fn of_turn(path: PathBuf, before: Option<&Arc<str>>, now: &Arc<str>) -> Self {
        let original = before.cloned().unwrap_or_default();
        Self {
            file_path: path.to_string_lossy().into_owned(),
            composition: Composition::new(original, now.clone()),
            normalized: NormalizedOriginal::default(),
            fingerprint: Fingerprint::of_text(before.map(|text| &**text)),
            real: path,
            outside: None,
            in_git: None,
            places: Vec::new(),
            removed: None,
            is_of_removed: false,
            of_agents: None,
            leads_to: None,
            has_other_names: false,
            roots: None,
        }
    }

    /// Adds a file that the tool also removes. If the proposal's own file does not exist, the text of the
    /// removed file becomes the original: the person sees the changes of a move, and a dropped change
    /// restores the earlier text. Blocks.
    pub(super) fn with_removed(mut self, removed: RemovedFile) -> Self {
        self.places.extend(removed.places);
        self.removed = Some(removed.paths);
        if let Some(target) = removed.target.filter(|_| self.fingerprint.is_absent()) {
            let proposed = self.composition.proposed().clone();
            let (mut normalized, _) = target.read(&proposed);
            if let Some(original) = normalized.original.take() {
                self.composition = Composition::new(original, proposed);
                self.is_of_removed = true;
            }
            self.normalized = normalized;
        }
        self
    }

    /// Whether `is_dirty` is true of a file that the tool changes. `is_dirty` gets the path as the agent
    /// spells it, and the path without links.
    pub(crate) fn is_dirty(&self, is_dirty: impl Fn(&str, &Path) -> bool) -> bool {
        let removed = self.removed.iter().map(|removed| (removed.0.as_str(), removed.1.as_path()));
        std::iter::once((self.file_path.as_str(), &*self.real))
            .chain(removed)
            .any(|(file, real)| is_dirty(file, real))
    }

    /// Returns the places of all files that the tool changes, beginning with the proposal's own file.
    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    pub(crate) fn real_path(&self) -> &Path {
        &self.real
    }

    pub(crate) fn outside(&self) -> Option<&str> {
        self.outside.as_deref()
    }

    /// Whether a person can decide on hunks, because there is an original to compare with.
    pub(super) fn is_comparable(&self) -> bool {
        self.is_of_removed || self.has_file_text()
    }

    /// Whether the original is the text of the file itself.
    pub(super) fn has_file_text(&self) -> bool {
        !self.fingerprint.is_absent() && self.normalized.whole_file_only.is_none()
    }
}

/// Returns the target of a path that passes a link within a project. A path whose beginning alone is a link,
/// as the home directory of some systems is, counts as its project's path. Reads the disk.
fn link_within(path: &Path, real: &Path, ground: &Ground<'_>) -> Option<String> {
    let is_below = |above: &Path| {
        let (rest, root) = (path.strip_prefix(above).ok()?, real_path::canonical(above));
        (ground.is_root(&root) && root.join(rest) == *real).then_some(())
    };
    let is_as_spelled = real == path || path.ancestors().find_map(is_below).is_some();
    (!is_as_spelled && ground.is_in_project(real)).then(|| real.to_string_lossy().into_owned())
}
