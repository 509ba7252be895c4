//! Being found: the discovery files of every family, written when the companion starts, rewritten when its
//! roots change or it gets the focus, removed when it stops.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_contract::discovery::{IdeInfo, Record, Stdio, WRITER};
use alongside_contract::family::{DiscoveryFile, FAMILIES, Family, Fields};
use alongside_contract::token;
use alongside_desk::Problem;

use crate::persistence::app_dirs::AppDirs;
use crate::persistence::private_files::{ANOTHERS, Copies};

use super::sweep::{self, Found};
use super::workspace_path::workspace_path;
use super::{ancestors, locations};

/// Writes and removes the discovery files of one companion. Blocks; the writer's.
#[derive(Debug)]
pub(crate) struct Publisher {
    pub(crate) dirs: AppDirs,
    pub(crate) name: String,
    pub(crate) display_name: String,
    pub(crate) pid: u32,
    pub(crate) aliases: bool,
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) stdio: Option<Stdio>,
    /// What is out there under our name.
    pub(crate) written: Vec<Found>,
    /// Another companion has a name that we want.
    pub(crate) has_rival: bool,
    /// Directories in the user's home that were not there before.
    pub(crate) made: Vec<PathBuf>,
}

impl Publisher {
    /// Writes every file for these roots that is not there already. Names that companions share are taken
    /// over if this one has the focus, and otherwise if nobody living has them. Returns what keeps which
    /// agents from finding us.
    pub(crate) fn publish(&mut self, roots: &[PathBuf], focused: bool) -> Vec<Problem> {
        let (problems, is_gone) = self.try_publish(roots, focused);
        // Another companion that ends takes empty directories away.
        if is_gone { self.try_publish(roots, focused).0 } else { problems }
    }

    /// Says as well whether a directory was taken away meanwhile.
    fn try_publish(&mut self, roots: &[PathBuf], focused: bool) -> (Vec<Problem>, bool) {
        let mut problems = Vec::new();
        let mut unwritable: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let own = workspace_path(roots, &mut problems);
        // Under an ancestor's PID we may be found from anywhere: never with a root that holds everything.
        let narrow: Vec<PathBuf> = roots.iter().filter(|root| !self.holds_home(root)).cloned().collect();
        let alias = if narrow.is_empty() { None } else { Some(workspace_path(&narrow, &mut Vec::new())) };
        let ancestors = match alias {
            Some(_) if self.aliases => ancestors::of(self.pid),
            _ => Vec::new(),
        };
        let (mut former, siblings): (Vec<Found>, Vec<Found>) =
            sweep::ours(&self.dirs).into_iter().partition(|found| self.is_ours(&found.record));

        let mut wanted: BTreeMap<PathBuf, Found> = BTreeMap::new();
        let mut has_rival = false;
        let mut planted: BTreeMap<PathBuf, &str> = BTreeMap::new();
        for (family, row) in
            FAMILIES.iter().flat_map(|family| family.files.iter().map(move |row| (family, row)))
        {
            for place in self.dirs.resolve(row.directory) {
                let missing = place.missing();
                let directory = match place.make() {
                    Ok(directory) => {
                        self.made.extend(missing.into_iter().flatten());
                        Arc::new(directory)
                    }
                    Err(error) => {
                        unwritable.entry(error.to_string()).or_default().push(row.readers);
                        continue;
                    }
                };
                let found = |pid, workspace_path| {
                    let path = directory.path().join(row.file_name(pid, self.port));
                    let record = self.record(family, row.fields, workspace_path);
                    Found { directory: directory.clone(), path, record }
                };
                let one = found(self.pid, &own);
                // Several companions of one process share a name without a port.
                if one.is_anothers() {
                    planted.insert(one.path.clone(), row.readers);
                } else if row.names_port() || self.may_have(&one, row, self.pid, &siblings, focused) {
                    wanted.insert(one.path.clone(), one);
                } else {
                    has_rival = true;
                }
                if let (true, Some(workspace_path)) = (row.names_pid(), &alias) {
                    for pid in &ancestors {
                        let one = found(*pid, workspace_path);
                        if one.is_anothers() {
                            planted.insert(one.path.clone(), row.readers);
                        } else if self.may_have(&one, row, *pid, &siblings, focused) {
                            wanted.entry(one.path.clone()).or_insert(one);
                        } else {
                            has_rival = true;
                        }
                    }
                }
            }
        }
        self.has_rival = has_rival;
        // What was written for other roots, or by a life before a crash.
        former.retain(|old| !wanted.contains_key(&old.path));
        former.iter().for_each(sweep::remove);
        let before = std::mem::replace(&mut self.written, wanted.into_values().collect());
        let (mut copies, mut is_gone) = (Copies::default(), false);
        for found in &self.written {
            // Somebody else has put theirs in the place of ours: that is no cleaner's doing.
            let was_ours = before.iter().any(|old| old.path == found.path);
            if was_ours && !found.is_free() && found.again().is_none() {
                continue;
            }
            // The focus shows in the time of writing, too: some agents take the newest file.
            if !focused && found.again().as_ref() == Some(&found.record) {
                continue;
            }
            if let Err(error) = found.write(&mut copies) {
                is_gone |= error.kind() == std::io::ErrorKind::NotFound;
                let readers = row_of(&self.dirs, &found.path).map_or("some agents", |row| row.readers);
                let why = format!("{}: {error}", found.path.display());
                unwritable.entry(why).or_default().push(readers);
            }
        }
        problems.extend(planted.iter().map(|(path, readers)| leads_astray(path, readers)));
        problems.extend(unwritable.into_iter().map(|(why, readers)| will_not_be_found(&readers, &why)));
        (problems, is_gone)
    }

    /// Removes every file that is still ours, and the directories that are empty then. A name that another
    /// companion has taken over stays.
    pub(crate) fn withdraw(&mut self) {
        self.written.drain(..).for_each(|found| sweep::remove(&found));
        locations::remove_empty(&self.dirs);
        self.made.sort();
        for made in self.made.drain(..).rev() {
            // An agent may use it by now.
            let _ = std::fs::remove_dir(made);
        }
    }

    fn record(&self, family: &Family, fields: Fields, workspace_path: &str) -> Record {
        Record {
            port: self.port,
            workspace_path: workspace_path.to_owned(),
            auth_token: Some(token::for_family(&self.token, family)),
            ide_info: Some(IdeInfo { name: self.name.clone(), display_name: self.display_name.clone() }),
            // In every record: it tells an editor's own file from an alias. Gemini does not look at it.
            ppid: Some(self.pid),
            ide_name: (fields == Fields::WithParent).then(|| self.display_name.clone()),
            stdio: self.stdio.clone(),
            writer: Some(WRITER.to_owned()),
        }
    }

    /// Whether a shared name may be ours: it is free, or left by the dead, or a sibling's and we have the
    /// focus.
    fn may_have(
        &self,
        found: &Found,
        row: &DiscoveryFile,
        pid: u32,
        siblings: &[Found],
        focused: bool,
    ) -> bool {
        if !row.names_port() {
            return match found.again() {
                Some(there) => focused || self.is_ours(&there) || !sweep::answers(&there),
                None => found.is_free(),
            };
        }
        let rivals = siblings.iter().filter(|sibling| {
            sibling.path.parent() == found.path.parent()
                && sibling.path.file_name().and_then(|name| row.pid_in(name.to_str()?)) == Some(pid)
                && sibling.record.workspace_path == found.record.workspace_path
                // The other one's own editor, not an alias.
                && sibling.record.ppid != Some(pid)
        });
        let mut ours = true;
        for rival in rivals {
            if focused || !sweep::answers(&rival.record) {
                sweep::remove(rival);
            } else {
                ours = false;
            }
        }
        ours
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
    FAMILIES.iter().flat_map(|family| family.files).find(|row| {
        row.matches(name)
            && dirs.resolve(row.directory).iter().any(|place| path.parent() == Some(&place.path()))
    })
}

/// Which agents will not find us, and what to do.
fn will_not_be_found(readers: &[&str], why: &str) -> Problem {
    let mut readers: Vec<&str> = readers.to_vec();
    readers.dedup();
    let others = match why.contains(ANOTHERS) {
        true => " Its owner can remove it with `rmdir` while no companion of theirs runs.",
        false => "",
    };
    Problem {
        what: format!("some agents will not find this companion by themselves: {why}"),
        hint: Some(format!(
            "That is {}. See that the directory is there and writable for you alone, or set TMPDIR to one that is, for the agent too; \
             or start the agent with `alongside run`, or after `eval \"$(alongside env)\"`.{others}",
            readers.join("; ")
        )),
    }
}

/// Another user's file has a name by which some agents go, whoever wrote it.
fn leads_astray(path: &Path, readers: &str) -> Problem {
    Problem {
        what: format!(
            "{} belongs to another user, and leads agents to whatever that user says",
            path.display()
        ),
        hint: Some(format!(
            "That is {readers}. Do not use their IDE mode here until it is gone: ask that user or root to remove it; or set TMPDIR to \
             a directory of yours, for the agent too."
        )),
    }
}

#[cfg(test)]
mod tests;
