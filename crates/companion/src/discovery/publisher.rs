//! The publisher of the discovery files of every family. It writes them when the companion starts, rewrites
//! them when the roots change or the companion gets the focus, and removes them when the companion stops. A
//! [plan](super::plan) has the files that it wants.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_contract::discovery::Stdio;
use alongside_contract::family::DiscoveryFile;
use alongside_desk::Problem;
use alongside_platform::directory::Directory;
use alongside_platform::paths::Canonical as _;

use super::ancestors;
use super::liveness::is_listening;
use super::locations::{self, SearchPlace, SearchedFile};
use super::lock::{Lock, WantedLock};
use super::plan::{Claim, Facts, PlannedFile};
use super::problems::{foreign_file, not_discoverable};
use super::record_file::{self, RecordFile};
use super::workspace_path::workspace_path;
use crate::config::Editor;
use crate::endpoint::Endpoint;
use crate::persistence::app_dirs::{AppDirs, SearchDirectory};
use crate::persistence::private_files::LinkedCopies;

/// The publisher of one companion. Its methods block; only the writer calls them.
#[derive(Debug)]
pub(crate) struct Publisher {
    dirs: AppDirs,
    /// The editors under which agents find the companion. The first editor has the file names without a
    /// process.
    editors: Vec<Editor>,
    /// Whether agents find the companion under the editors' ancestors, too.
    aliases: bool,
    endpoint: Endpoint,
    stdio: Option<Stdio>,
    /// The files that were written into the places in which agents search.
    written: Vec<RecordFile>,
    locks: Vec<Lock>,
    /// The directories in the user's home that this companion has created.
    created: Vec<PathBuf>,
}

/// The result of writing the discovery files.
#[derive(Debug, Default)]
pub(crate) struct PublishResult {
    /// The reasons why some agents cannot find the companion.
    pub(crate) problems: Vec<Problem>,
    /// Whether another companion has a file name that this one wants.
    pub(crate) has_rival: bool,
    /// The directories of agents that the user does not have. Once one exists, the files are to be written.
    pub(crate) awaited: BTreeSet<PathBuf>,
}

/// One attempt to write the discovery files.
#[derive(Debug, Default)]
struct Attempt {
    /// Whether the person uses this companion now, so that it takes over shared names.
    focused: bool,
    /// The files of other companions of ours.
    siblings: Vec<RecordFile>,
    /// The files that this companion gets, each with the agents that read it.
    claimed: BTreeMap<PathBuf, (RecordFile, &'static str)>,
    /// The directories of lock files, each with the agents that read it.
    locks: BTreeMap<PathBuf, (Directory, &'static str)>,
    published: PublishResult,
    /// The names under which another user has created something, each with the agents that read it.
    foreign: BTreeMap<PathBuf, &'static str>,
    /// The agents that lack a file or directory, by the reason why it cannot be written.
    unwritable: BTreeMap<String, Vec<&'static str>>,
    created: Vec<PathBuf>,
    /// Whether a directory was removed meanwhile.
    lost_directory: bool,
}

impl Attempt {
    fn fail(&mut self, error: &io::Error, why: String, readers: &'static str) {
        self.lost_directory |= error.kind() == io::ErrorKind::NotFound;
        self.unwritable.entry(why).or_default().push(readers);
    }

    fn end(self) -> PublishResult {
        let mut published = self.published;
        published.problems.extend(self.foreign.iter().map(|(path, readers)| foreign_file(path, readers)));
        let unwritable = self.unwritable.iter().map(|(why, readers)| not_discoverable(readers, why));
        published.problems.extend(unwritable);
        published
    }
}

impl Publisher {
    pub(crate) fn new(
        dirs: AppDirs,
        editors: Vec<Editor>,
        aliases: bool,
        endpoint: Endpoint,
        stdio: Option<Stdio>,
    ) -> Self {
        let (written, locks, created) = Default::default();
        Self { dirs, editors, aliases, endpoint, stdio, written, locks, created }
    }

    /// Sets the editors for the next publication.
    pub(crate) fn set_editors(&mut self, editors: Vec<Editor>) {
        self.editors = editors;
    }

    /// Writes every file for these roots that is not on disk already. With the focus, also takes over shared
    /// names; without it, only those of dead companions.
    pub(crate) fn publish(&mut self, roots: &[PathBuf], focused: bool) -> PublishResult {
        let mut attempt = self.try_publish(roots, focused);
        if attempt.lost_directory {
            // A companion that ends removes empty directories, so the second attempt creates them again.
            attempt = self.try_publish(roots, focused);
        }
        attempt.end()
    }

    fn try_publish(&mut self, roots: &[PathBuf], focused: bool) -> Attempt {
        let ours = record_file::list_ours(&self.dirs).into_iter();
        let (mut outdated, siblings): (Vec<_>, Vec<_>) = ours.partition(|file| self.is_ours(file));
        if self.written.is_empty() {
            // A crashed companion has created these directories, and its successor removes them.
            let of_predecessor = outdated.iter().filter_map(|file| file.path.parent());
            self.created.extend(
                of_predecessor.flat_map(|directory| locations::own_directories(&self.dirs, directory)),
            );
        }
        let mut attempt = self.plan(roots, Attempt { focused, siblings, ..Attempt::default() });
        self.created.append(&mut attempt.created);
        // The outdated files are those for other roots, or of this companion before a crash.
        outdated.retain(|old| !attempt.claimed.contains_key(&old.path));
        for old in outdated {
            old.remove();
        }
        self.write(&mut attempt);
        self.write_locks(roots, &mut attempt);
        attempt
    }

    /// Finds out which files this companion gets, and creates their directories.
    fn plan(&self, roots: &[PathBuf], mut attempt: Attempt) -> Attempt {
        // An alias is found from any directory, so it never names a root that contains home.
        let narrow: Vec<PathBuf> = roots.iter().filter(|root| !self.contains_home(root)).cloned().collect();
        let has_aliases = self.aliases && !narrow.is_empty();
        let ancestors = |editor: &Editor| if has_aliases { ancestors::of(editor.pid) } else { Vec::new() };
        let editors = self.editors.iter().map(|editor| (editor, ancestors(editor))).collect();
        let (own_path, problems) = workspace_path(roots);
        attempt.published.problems = problems;
        let (alias_path, _) = workspace_path(&narrow);
        let (endpoint, stdio) = (&self.endpoint, self.stdio.as_ref());
        let facts = Facts { editors, endpoint, stdio, own_path, alias_path };
        for place in locations::search_places(&self.dirs) {
            let Some(directory) = self.open_place(&place, &mut attempt) else { continue };
            match place.kind {
                SearchedFile::Record(row) => {
                    self.claim_files(row, facts.files(place.agent, row), directory, &mut attempt)
                }
                SearchedFile::Lock => {
                    attempt.locks.insert(directory.path().to_owned(), (directory, place.readers));
                }
            }
        }
        attempt
    }

    /// Opens the directory of a place, and creates it if needed. `None` if it is not wanted, or cannot be
    /// opened.
    fn open_place(&self, place: &SearchPlace, attempt: &mut Attempt) -> Option<Directory> {
        let searched = &place.directory;
        if !self.is_wanted(searched) {
            attempt.published.awaited.extend(searched.agent_directory().map(Path::to_owned));
            return None;
        }
        let missing = searched.missing();
        match searched.create() {
            Ok(directory) => {
                attempt.created.extend(missing.into_iter().flatten());
                Some(directory)
            }
            Err(error) => {
                attempt.fail(&error, error.to_string(), place.readers);
                None
            }
        }
    }

    /// Finds out which of the planned files this companion gets in a directory.
    fn claim_files(
        &self,
        row: &DiscoveryFile,
        files: Vec<PlannedFile>,
        directory: Directory,
        attempt: &mut Attempt,
    ) {
        let directory = Arc::new(directory);
        for PlannedFile { name, claim, record } in files {
            let path = directory.path().join(&name);
            if attempt.claimed.contains_key(&path) {
                continue;
            }
            let file = RecordFile { directory: directory.clone(), path: path.clone(), record };
            if file.is_foreign() {
                attempt.foreign.insert(path, row.readers);
            } else if self.claim(&file, claim, row, attempt) {
                attempt.claimed.insert(path, (file, row.readers));
            } else {
                attempt.published.has_rival = true;
            }
        }
    }

    /// Claims a name. Returns whether this companion gets it: its own name, a free one, that of a dead
    /// companion or, with the focus, any name. Removes the files of companions that lose theirs.
    fn claim(&self, file: &RecordFile, kind: Claim, row: &DiscoveryFile, attempt: &Attempt) -> bool {
        match kind {
            Claim::Own => true,
            Claim::Shared => match file.read_again() {
                Some(file) => attempt.focused || self.is_ours(&file) || !is_listening(&file.companion()),
                None => file.is_free(),
            },
            Claim::Alias { ancestor } => {
                let pid = Some(ancestor);
                let rivals = attempt.siblings.iter().filter(|sibling| {
                    sibling.path.parent() == file.path.parent()
                        && sibling.path.file_name().and_then(|name| row.pid_in(name.to_str()?)) == pid
                        && sibling.record.workspace_path == file.record.workspace_path
                        // The process in the record distinguishes an alias from a sibling's own file.
                        && sibling.record.ppid != pid
                });
                let mut is_free = true;
                for rival in rivals {
                    if attempt.focused || !is_listening(&rival.companion()) {
                        rival.remove();
                    } else {
                        is_free = false;
                    }
                }
                is_free
            }
        }
    }

    /// Writes the claimed files that are not on disk already.
    fn write(&mut self, attempt: &mut Attempt) {
        let before = std::mem::take(&mut self.written);
        let mut copies = LinkedCopies::default();
        for (path, (file, readers)) in std::mem::take(&mut attempt.claimed) {
            // Another program has replaced our file, and not only removed it.
            let was_ours = before.iter().any(|old| old.path == path);
            let is_taken = was_ours && !file.is_free() && file.read_again().is_none();
            // With the focus, even an unchanged file is written, because some agents take the newest file.
            let is_on_disk = !attempt.focused && file.is_on_disk();
            if !is_taken
                && !is_on_disk
                && let Err(error) = file.write(&mut copies)
            {
                attempt.fail(&error, format!("{}: {error}", path.display()), readers);
            }
            self.written.push(file);
        }
    }

    /// Writes a [lock file](super::lock) into each of their directories.
    fn write_locks(&mut self, roots: &[PathBuf], attempt: &mut Attempt) {
        let Some(editor) = self.editors.first() else { return };
        let (pid, ide_name, endpoint) = (editor.pid, &*editor.display_name, &self.endpoint);
        let wanted = WantedLock { pid, ide_name, endpoint, roots, focused: attempt.focused };
        self.locks.clear();
        for (directory, readers) in std::mem::take(&mut attempt.locks).into_values() {
            match Lock::publish(directory, wanted) {
                Ok(lock) => self.locks.push(lock),
                Err(error) => attempt.fail(&error, error.to_string(), readers),
            }
        }
    }

    /// Removes the files that are still ours, not those that another companion took over, and empty
    /// directories.
    pub(crate) fn withdraw(&mut self) {
        for lock in self.locks.drain(..) {
            lock.remove();
        }
        for file in self.written.drain(..) {
            file.remove();
        }
        locations::remove_empty(&self.dirs);
        self.created.sort();
        self.created.dedup();
        for created in self.created.drain(..).rev() {
            // Fails if an agent uses the directory by now.
            let _ = std::fs::remove_dir(created);
        }
    }

    /// Whether to write into a directory. Home gets no directory of an agent that the person does not have,
    /// except of a proven one: Qwen Code 0.24 searches once, 1.3 s after it creates `~/.qwen`, and the check
    /// of the disk follows a change after 1 s. The command of an agent need not be in our `PATH`, as with
    /// `npx`.
    fn is_wanted(&self, searched: &SearchDirectory) -> bool {
        let has_agent = |place: &SearchPlace| match place.kind {
            SearchedFile::Record(_) if place.agent.is_proven() => true,
            SearchedFile::Record(_) | SearchedFile::Lock => self.dirs.has_command(place.agent.commands),
        };
        let mut readers = locations::search_places(&self.dirs).filter(|place| place.directory == *searched);
        searched.agent_directory().is_none_or(Path::exists) || readers.any(|place| has_agent(&place))
    }

    fn is_ours(&self, file: &RecordFile) -> bool {
        file.companion() == (self.endpoint.port(), Some(self.endpoint.token.to_string()))
    }

    fn contains_home(&self, root: &Path) -> bool {
        let real = |path: &Path| path.canonical().unwrap_or_else(|_| path.to_owned());
        real(&self.dirs.home).starts_with(real(root))
    }
}

#[cfg(test)]
mod tests;
