//! The publisher of the discovery files of every family: writes them when the companion starts, rewrites them
//! when its roots change or it gets the focus, and removes them when it stops. A [plan](super::plan) says
//! which files it wants.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_contract::agent::FamilyAgent;
use alongside_contract::agents::with_family;
use alongside_contract::discovery::{Record, Stdio};
use alongside_contract::family::DiscoveryFile;
use alongside_contract::token;
use alongside_desk::Problem;
use alongside_platform::directory::Directory;

use super::lock::{Lock, Wanted};
use super::plan::{Claim, Facts, PlannedFile, PlannedRow, plan};
use super::problems::{foreign_file, not_discoverable};
use super::record_file::{self, RecordFile, answers};
use super::workspace_path::workspace_path;
use super::{ancestors, locations};
use crate::config::Editor;
use crate::endpoint::Endpoint;
use crate::persistence::app_dirs::{AppDirs, SearchDirectory};
use crate::persistence::private_files::LinkedCopies;

/// The agents that read the lock, for messages.
const LOCK_READERS: &str = "Claude Code and OpenCode";

/// The discovery files of one companion. Its methods block; only the writer calls them.
#[derive(Debug)]
pub(crate) struct Publisher {
    dirs: AppDirs,
    /// The editors that agents find the companion as. The first one has the names that hold no process.
    editors: Vec<Editor>,
    /// Whether to publish under the editors' ancestors too.
    aliases: bool,
    endpoint: Endpoint,
    stdio: Option<Stdio>,
    /// The files that lie where agents search.
    written: Vec<RecordFile>,
    locks: Vec<Lock>,
    /// Directories in the user's home that this companion has created.
    created: Vec<PathBuf>,
}

/// How far the discovery files could be written.
#[derive(Debug, Default)]
pub(crate) struct Published {
    /// The reasons why some agents cannot find the companion.
    pub(crate) problems: Vec<Problem>,
    /// Another companion has a file name that this one wants.
    pub(crate) has_rival: bool,
    /// The directories of agents that the user does not have: once they exist, the files are to be written.
    pub(crate) awaited: Vec<PathBuf>,
}

#[derive(Debug, Default)]
struct Attempt {
    /// The person uses this companion now: it takes over shared names.
    focused: bool,
    /// The files of other companions of ours.
    siblings: Vec<RecordFile>,
    granted: BTreeMap<PathBuf, RecordFile>,
    published: Published,
    /// Another user has put a file under a name that these agents read.
    planted: BTreeMap<PathBuf, &'static str>,
    /// The agents that miss a file or directory, by the reason why it cannot be written.
    unwritable: BTreeMap<String, Vec<&'static str>>,
    /// A directory was removed meanwhile.
    is_gone: bool,
}

impl Attempt {
    fn fail(&mut self, error: &io::Error, why: String, readers: &'static str) {
        self.is_gone |= error.kind() == io::ErrorKind::NotFound;
        self.unwritable.entry(why).or_default().push(readers);
    }

    fn end(self) -> Published {
        let mut published = self.published;
        published.problems.extend(self.planted.iter().map(|(path, readers)| foreign_file(path, readers)));
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

    /// From the next write on, the files are these editors'.
    pub(crate) fn set_editors(&mut self, editors: Vec<Editor>) {
        self.editors = editors;
    }

    /// Writes every file for these roots that is not there already, and takes over shared names with the
    /// focus, or of dead companions.
    pub(crate) fn publish(&mut self, roots: &[PathBuf], focused: bool) -> Published {
        let mut attempt = self.try_publish(roots, focused);
        if attempt.is_gone {
            // A companion that ends removes empty directories.
            attempt = self.try_publish(roots, focused);
        }
        attempt.end()
    }

    fn try_publish(&mut self, roots: &[PathBuf], focused: bool) -> Attempt {
        let (rows, problems) = self.plan(roots);
        let ours = record_file::ours(&self.dirs).into_iter();
        let (mut outdated, siblings): (Vec<_>, Vec<_>) = ours.partition(|file| self.is_ours(&file.record));
        if self.written.is_empty() {
            // A companion that crashed has made these directories, and its successor removes them.
            let left = outdated.iter().filter_map(|file| file.path.parent());
            self.created.extend(left.flat_map(|directory| locations::of_agent(&self.dirs, directory)));
        }
        let published = Published { problems, ..Published::default() };
        let mut attempt = Attempt { focused, siblings, published, ..Attempt::default() };
        for planned in &rows {
            for searched in self.dirs.resolve(planned.row.directory) {
                if !self.is_wanted(planned.agent, &searched) {
                    let awaited = searched.agent_directory().map(Path::to_owned);
                    attempt.published.awaited.extend(awaited);
                    continue;
                }
                match self.create(&searched) {
                    Ok(directory) => self.claim(planned, &Arc::new(directory), &mut attempt),
                    Err(error) => {
                        attempt.unwritable.entry(error.to_string()).or_default().push(planned.row.readers);
                    }
                }
            }
        }
        // Files for other roots, or of this companion before a crash.
        outdated.retain(|old| !attempt.granted.contains_key(&old.path));
        for old in outdated {
            old.remove();
        }
        self.write(&mut attempt);
        if let Err(error) = self.publish_lock(roots, &mut attempt) {
            attempt.fail(&error, error.to_string(), LOCK_READERS);
        }
        attempt
    }

    /// The files that this companion wants, and the problems of roots.
    fn plan(&self, roots: &[PathBuf]) -> (Vec<PlannedRow>, Vec<Problem>) {
        // An alias is found from anywhere, so it never names a root that holds home.
        let narrow: Vec<PathBuf> = roots.iter().filter(|root| !self.holds_home(root)).cloned().collect();
        let has_aliases = self.aliases && !narrow.is_empty();
        let ancestors = |editor: &Editor| if has_aliases { ancestors::of(editor.pid) } else { Vec::new() };
        let editors = self.editors.iter().map(|editor| (editor, ancestors(editor))).collect();
        let (own_path, problems) = workspace_path(roots);
        let (alias_path, _) = workspace_path(&narrow);
        let (endpoint, stdio) = (&self.endpoint, self.stdio.as_ref());
        (plan(&Facts { editors, endpoint, stdio, own_path, alias_path }), problems)
    }

    fn create(&mut self, searched: &SearchDirectory) -> io::Result<Directory> {
        let missing = searched.missing();
        let directory = searched.create()?;
        self.created.extend(missing.into_iter().flatten());
        Ok(directory)
    }

    /// Finds out which of the planned files this companion gets in a directory.
    fn claim(&self, planned: &PlannedRow, directory: &Arc<Directory>, attempt: &mut Attempt) {
        for wanted in &planned.files {
            let path = directory.path().join(&wanted.name);
            if attempt.granted.contains_key(&path) {
                continue;
            }
            let record = wanted.record.clone();
            let file = RecordFile { directory: directory.clone(), path: path.clone(), record };
            if file.is_anothers() {
                attempt.planted.insert(path, planned.row.readers);
            } else if self.gets(&file, wanted, planned.row, attempt) {
                attempt.granted.insert(path, file);
            } else {
                attempt.published.has_rival = true;
            }
        }
    }

    /// Whether it gets a name: its own, a free one, a dead companion's, or with the focus any one.
    fn gets(&self, file: &RecordFile, wanted: &PlannedFile, row: &DiscoveryFile, attempt: &Attempt) -> bool {
        match wanted.claim {
            Claim::Own => true,
            Claim::Shared => match file.read_again() {
                Some(there) => attempt.focused || self.is_ours(&there) || !answers(&there),
                None => file.is_free(),
            },
            Claim::Alias => {
                let pid = Some(wanted.pid);
                let rivals = attempt.siblings.iter().filter(|sibling| {
                    sibling.path.parent() == file.path.parent()
                        && sibling.path.file_name().and_then(|name| row.pid_in(name.to_str()?)) == pid
                        && sibling.record.workspace_path == file.record.workspace_path
                        // An alias, and not a sibling's own editor.
                        && sibling.record.ppid != pid
                });
                let mut is_free = true;
                for rival in rivals {
                    if attempt.focused || !answers(&rival.record) {
                        rival.remove();
                    } else {
                        is_free = false;
                    }
                }
                is_free
            }
        }
    }

    /// Writes the files that are granted and not there already.
    fn write(&mut self, attempt: &mut Attempt) {
        let granted = std::mem::take(&mut attempt.granted).into_values().collect();
        let before = std::mem::replace(&mut self.written, granted);
        let mut copies = LinkedCopies::default();
        for file in &self.written {
            // Somebody has put another file in the place of ours, and not just removed ours.
            let was_ours = before.iter().any(|old| old.path == file.path);
            if was_ours && !file.is_free() && file.read_again().is_none() {
                continue;
            }
            // With the focus, even an unchanged file is written: some agents take the newest one.
            if !attempt.focused && file.read_again().as_ref() == Some(&file.record) {
                continue;
            }
            if let Err(error) = file.write(&mut copies) {
                let readers = row_of(&self.dirs, &file.path).map_or("some agents", |row| row.readers);
                attempt.fail(&error, format!("{}: {error}", file.path.display()), readers);
            }
        }
    }

    /// Writes the [lock](super::lock) for each agent of the user that reads one.
    fn publish_lock(&mut self, roots: &[PathBuf], attempt: &mut Attempt) -> io::Result<()> {
        let Some(editor) = self.editors.first().cloned() else { return Ok(()) };
        self.locks.clear();
        for searched in locations::lock_directories(&self.dirs) {
            let has_directory = searched.agent_directory().is_none_or(Path::exists);
            let mut readers = with_family().filter(|agent| {
                let locks = agent.family.lock_rules().map(|rules| self.dirs.resolve(rules.directory));
                locks.is_some_and(|locks| locks.contains(&searched))
            });
            if !has_directory && !readers.any(|agent| self.dirs.has_command(agent.commands)) {
                attempt.published.awaited.extend(searched.agent_directory().map(Path::to_owned));
                continue;
            }
            let directory = self.create(&searched)?;
            let wanted = Wanted {
                pid: editor.pid,
                ide_name: &editor.display_name,
                endpoint: &self.endpoint,
                roots,
                focused: attempt.focused,
            };
            self.locks.push(Lock::publish(directory, wanted)?);
        }
        Ok(())
    }

    /// Removes the files that are still ours, not those that another took over, and empty directories.
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

    /// Whether to write into a directory. A person who does not have an agent gets no directory of it in
    /// home, except of a proven one: Qwen Code 0.24 looks once, 1.3 s after it makes `~/.qwen`, and the look
    /// at the disk follows a change after 1 s. Its command need not be in our `PATH`, as with `npx`.
    fn is_wanted(&self, agent: FamilyAgent, searched: &SearchDirectory) -> bool {
        searched.agent_directory().is_none_or(|own| own.exists())
            || agent.is_proven()
            || self.dirs.has_command(agent.commands)
    }

    fn is_ours(&self, record: &Record) -> bool {
        let is_token = |known: &str| *token::split(known).0 == *self.endpoint.token;
        record.port == self.endpoint.port() && record.auth_token.as_deref().is_some_and(is_token)
    }

    fn holds_home(&self, root: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        real(&self.dirs.home).starts_with(real(root))
    }
}

fn row_of(dirs: &AppDirs, path: &Path) -> Option<&'static DiscoveryFile> {
    let name = path.file_name()?.to_str()?;
    let mut rows = locations::searched(dirs).filter(|(row, _)| row.matches(name));
    rows.find(|(_, searched)| path.parent() == Some(&searched.path())).map(|(row, _)| row)
}

#[cfg(test)]
mod tests;
