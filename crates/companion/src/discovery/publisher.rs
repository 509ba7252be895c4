//! The publisher of the discovery files of every family: writes them when the companion starts, rewrites them
//! when its roots change or it gets the focus, and removes them when it stops.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_contract::agent::FamilyAgent;
use alongside_contract::agents::with_family;
use alongside_contract::discovery::{IdeInfo, Record, Stdio, WRITER};
use alongside_contract::family::{DiscoveryFile, Fields};
use alongside_contract::token;
use alongside_desk::Problem;

use super::liveness::answers;
use super::lock::{Lock, Wanted};
use super::problems::{foreign_file, not_discoverable};
use super::record_file::{self, RecordFile};
use super::workspace_path::workspace_path;
use super::{ancestors, locations};
use crate::config::Editor;
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
    port: u16,
    token: String,
    stdio: Option<Stdio>,
    /// The files that lie where agents search.
    written: Vec<RecordFile>,
    locks: Vec<Lock>,
    /// Another companion has a file name that this one wants.
    has_rival: bool,
    /// Directories in the user's home that this companion has created.
    created: Vec<PathBuf>,
    /// The directories of agents that the user does not have: once they exist, the files are to be written.
    awaited: Vec<PathBuf>,
}

impl Publisher {
    pub(crate) fn new(
        dirs: AppDirs,
        editors: Vec<Editor>,
        aliases: bool,
        port: u16,
        token: String,
        stdio: Option<Stdio>,
    ) -> Self {
        let (written, locks, created, awaited) = Default::default();
        let has_rival = false;
        Self { dirs, editors, aliases, port, token, stdio, written, locks, has_rival, created, awaited }
    }

    /// From the next write on, the files are these editors'.
    pub(crate) fn set_editors(&mut self, editors: Vec<Editor>) {
        self.editors = editors;
    }

    /// Whether another companion had a file name that this one wants, at the last write.
    pub(crate) fn has_rival(&self) -> bool {
        self.has_rival
    }

    /// The directories of agents that the user did not have at the last write.
    pub(crate) fn awaited(&self) -> &[PathBuf] {
        &self.awaited
    }

    /// Writes every file for these roots that is not there already, and takes over shared names with the
    /// focus, or of dead companions. Returns the reasons why some agents cannot find us.
    pub(crate) fn publish(&mut self, roots: &[PathBuf], focused: bool) -> Vec<Problem> {
        let (problems, is_gone) = self.try_publish(roots, focused);
        // A companion that ends removes empty directories.
        if is_gone { self.try_publish(roots, focused).0 } else { problems }
    }

    /// Returns also whether a directory was removed meanwhile.
    fn try_publish(&mut self, roots: &[PathBuf], focused: bool) -> (Vec<Problem>, bool) {
        let mut problems = Vec::new();
        let mut unwritable: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let own = workspace_path(roots, &mut problems);
        // An alias is found from anywhere, so it never names a root that holds home.
        let narrow: Vec<PathBuf> = roots.iter().filter(|root| !self.holds_home(root)).cloned().collect();
        let alias = if narrow.is_empty() { None } else { Some(workspace_path(&narrow, &mut Vec::new())) };
        let ancestors: Vec<(&Editor, Vec<u32>)> = match alias {
            Some(_) if self.aliases => {
                self.editors.iter().map(|editor| (editor, ancestors::of(editor.pid))).collect()
            }
            _ => Vec::new(),
        };
        let (mut outdated, siblings): (Vec<RecordFile>, Vec<RecordFile>) =
            record_file::ours(&self.dirs).into_iter().partition(|file| self.is_ours(&file.record));

        let mut wanted: BTreeMap<PathBuf, RecordFile> = BTreeMap::new();
        let mut has_rival = false;
        let mut planted: BTreeMap<PathBuf, &str> = BTreeMap::new();
        self.awaited.clear();
        if self.written.is_empty() {
            // A companion that crashed has made these directories, and its successor removes them.
            let left = outdated.iter().filter_map(|file| file.path.parent());
            self.created.extend(left.flat_map(|directory| locations::of_agent(&self.dirs, directory)));
        }
        for (agent, row) in
            with_family().flat_map(|agent| agent.family.files.iter().map(move |row| (agent, row)))
        {
            for searched in self.dirs.resolve(row.directory) {
                if !self.is_wanted(agent, &searched) {
                    self.awaited.extend(searched.agent_directory().map(Path::to_owned));
                    continue;
                }
                let missing = searched.missing();
                let directory = match searched.create() {
                    Ok(directory) => {
                        self.created.extend(missing.into_iter().flatten());
                        Arc::new(directory)
                    }
                    Err(error) => {
                        unwritable.entry(error.to_string()).or_default().push(row.readers);
                        continue;
                    }
                };
                let file = |editor, pid, workspace_path| {
                    let path = directory.path().join(row.file_name(pid, self.port));
                    let record = self.record(editor, agent, row.fields, workspace_path);
                    (pid, RecordFile { directory: directory.clone(), path, record })
                };
                // An editor's own name precedes the alias of another editor that it runs in.
                let owns = self.editors.iter().map(|editor| file(editor, editor.pid, &own));
                let alias = alias.iter().filter(|_| row.names_pid());
                let aliases = alias.flat_map(|path| {
                    let of = |(editor, pids): &(_, Vec<u32>)| {
                        pids.iter().map(|pid| file(*editor, *pid, path)).collect::<Vec<_>>()
                    };
                    ancestors.iter().flat_map(of)
                });
                for (pid, one) in owns.chain(aliases) {
                    // Several companions of one process share the names without a port.
                    let is_certain = one.record.ppid == Some(pid) && row.names_port();
                    if wanted.contains_key(&one.path) {
                        continue;
                    } else if one.is_anothers() {
                        planted.insert(one.path.clone(), row.readers);
                    } else if !is_certain && !self.may_have(&one, row, pid, &siblings, focused) {
                        has_rival = true;
                    } else {
                        wanted.insert(one.path.clone(), one);
                    }
                }
            }
        }
        self.has_rival = has_rival;
        // Files for other roots, or of this companion before a crash.
        outdated.retain(|old| !wanted.contains_key(&old.path));
        outdated.iter().for_each(RecordFile::remove);
        let before = std::mem::replace(&mut self.written, wanted.into_values().collect());
        let (mut copies, mut is_gone) = (LinkedCopies::default(), false);
        for file in &self.written {
            // Somebody has put another file in the place of ours, and not just removed ours.
            let was_ours = before.iter().any(|old| old.path == file.path);
            if was_ours && !file.is_free() && file.read_again().is_none() {
                continue;
            }
            // With the focus, even an unchanged file is written: some agents take the newest one.
            if !focused && file.read_again().as_ref() == Some(&file.record) {
                continue;
            }
            if let Err(error) = file.write(&mut copies) {
                is_gone |= error.kind() == std::io::ErrorKind::NotFound;
                let readers = row_of(&self.dirs, &file.path).map_or("some agents", |row| row.readers);
                let why = format!("{}: {error}", file.path.display());
                unwritable.entry(why).or_default().push(readers);
            }
        }
        if let Err(error) = self.publish_lock(roots, focused) {
            is_gone |= error.kind() == std::io::ErrorKind::NotFound;
            unwritable.entry(error.to_string()).or_default().push(LOCK_READERS);
        }
        problems.extend(planted.iter().map(|(path, readers)| foreign_file(path, readers)));
        problems.extend(unwritable.into_iter().map(|(why, readers)| not_discoverable(&readers, &why)));
        (problems, is_gone)
    }

    /// Writes the [lock](super::lock) for each agent of the user that reads one.
    fn publish_lock(&mut self, roots: &[PathBuf], focused: bool) -> std::io::Result<()> {
        let Some(editor) = self.editors.first() else { return Ok(()) };
        self.locks.clear();
        for searched in locations::lock_directories(&self.dirs) {
            let has_directory = searched.agent_directory().is_none_or(Path::exists);
            let mut readers = with_family().filter(|agent| {
                let locks = agent.family.websocket.as_ref().map(|agent| self.dirs.resolve(agent.locks));
                locks.is_some_and(|locks| locks.contains(&searched))
            });
            if !has_directory && !readers.any(|agent| self.dirs.has_command(agent.commands)) {
                self.awaited.extend(searched.agent_directory().map(Path::to_owned));
                continue;
            }
            let missing = searched.missing();
            let directory = searched.create()?;
            self.created.extend(missing.into_iter().flatten());
            let wanted = Wanted {
                pid: editor.pid,
                ide_name: &editor.display_name,
                port: self.port,
                token: &self.token,
                roots,
                focused,
            };
            self.locks.push(Lock::publish(directory, wanted)?);
        }
        Ok(())
    }

    /// Removes the files that are still ours, not those that another took over, and empty directories.
    pub(crate) fn withdraw(&mut self) {
        self.locks.drain(..).for_each(|lock| lock.remove());
        self.written.drain(..).for_each(|file| file.remove());
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

    fn record(&self, editor: &Editor, agent: FamilyAgent, fields: Fields, workspace_path: &str) -> Record {
        Record {
            port: self.port,
            workspace_path: workspace_path.to_owned(),
            auth_token: Some(token::for_agent(&self.token, agent)),
            ide_info: Some(IdeInfo { name: editor.name.clone(), display_name: editor.display_name.clone() }),
            // In every record: tells an editor's own file from an alias. Gemini ignores it.
            ppid: Some(editor.pid),
            ide_name: (fields == Fields::WithParent).then(|| editor.display_name.clone()),
            stdio: self.stdio.clone(),
            writer: Some(WRITER.to_owned()),
        }
    }

    /// Whether it may take a shared name: a free one, a dead companion's, or with the focus any one.
    fn may_have(
        &self,
        file: &RecordFile,
        row: &DiscoveryFile,
        pid: u32,
        siblings: &[RecordFile],
        focused: bool,
    ) -> bool {
        if !row.names_port() {
            return match file.read_again() {
                Some(there) => focused || self.is_ours(&there) || !answers(&there),
                None => file.is_free(),
            };
        }
        let rivals = siblings.iter().filter(|sibling| {
            sibling.path.parent() == file.path.parent()
                && sibling.path.file_name().and_then(|name| row.pid_in(name.to_str()?)) == Some(pid)
                && sibling.record.workspace_path == file.record.workspace_path
                // An alias, and not a sibling's own editor.
                && sibling.record.ppid != Some(pid)
        });
        let mut is_free = true;
        for rival in rivals {
            if focused || !answers(&rival.record) {
                rival.remove();
            } else {
                is_free = false;
            }
        }
        is_free
    }

    fn is_ours(&self, record: &Record) -> bool {
        record.port == self.port
            && record.auth_token.as_deref().is_some_and(|known| token::split(known).0 == self.token)
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
