//! Drafts: texts that a person edited and that no agent has written into their file. They stay for two weeks.
//!
//! The writer saves a draft with the first edit of a review and updates it with each edit, so that even a
//! crash loses nothing. A draft is removed only when its file has the text: an agent also confirms an
//! accepted text for which it no longer waits. A draft appears and disappears in one step.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_platform::private::create_directory;

use super::app_dirs::AppDirs;
use super::draft::{DESCRIPTION, file_holds, text_file_name};
use super::private_files::{self, PathTrust};
use super::reserve::{Reserve, ReserveUse};

pub use super::draft::Draft;
pub(crate) use super::draft::{EarlierDraft, NewDraft, WrittenDraft};

/// The time for which a draft is kept.
pub const RETENTION: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// The least time between the two checks that find a draft too old before it is removed. So a clock that is
/// wrong for a while, as after a start without a network, removes nothing.
const MIN_CHECK_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// The first character of the names of drafts that are being created or deleted. No id begins with it.
const UNFINISHED: &str = ".";

/// The drafts of this user.
#[derive(Debug, Clone)]
pub struct Drafts {
    state: PathBuf,
}

impl Drafts {
    /// Returns the drafts in these directories. Touches no file.
    pub fn open(dirs: &AppDirs) -> Self {
        Self { state: dirs.state.clone() }
    }

    /// Returns the directory of all files that survive a crash.
    pub(crate) fn state(&self) -> &Path {
        &self.state
    }

    /// Returns the directory of the drafts.
    pub fn directory(&self) -> PathBuf {
        self.state.join("drafts")
    }

    /// Lists all drafts, newest first, without those that cannot be read.
    ///
    /// # Errors
    /// When the directory exists but cannot be read.
    pub fn list(&self) -> io::Result<Vec<Draft>> {
        let entries = match fs::read_dir(self.directory()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut drafts: Vec<Draft> = entries
            .flatten()
            .filter_map(|entry| self.load(&entry.file_name().into_string().ok()?).ok())
            .collect();
        drafts.sort_by_key(|draft| std::cmp::Reverse((draft.saved_at_ms, draft.id.clone())));
        Ok(drafts)
    }

    /// Reads the text of a draft.
    ///
    /// # Errors
    /// When there is no such draft, or when it cannot be read.
    pub fn read(&self, id: &str) -> io::Result<String> {
        fs::read_to_string(self.load(id)?.path)
    }

    /// Removes a draft permanently.
    ///
    /// # Errors
    /// When there is no such draft, or when it cannot be removed.
    pub fn delete(&self, id: &str) -> io::Result<()> {
        let path = self.draft_directory(id)?;
        let removed = self.unfinished(id)?;
        fs::rename(path, &removed)?;
        #[cfg(test)]
        private_files::disk_steps::step(&removed);
        fs::remove_dir_all(removed)
    }

    /// Removes the draft whose text has this path, permanently.
    ///
    /// # Errors
    /// As [`delete`](Self::delete).
    pub fn delete_at(&self, path: &Path) -> io::Result<()> {
        let directory = path.parent().filter(|directory| directory.parent() == Some(&self.directory()));
        let id = directory.and_then(Path::file_name).and_then(|id| id.to_str());
        self.delete(id.ok_or(io::ErrorKind::NotFound)?)
    }

    /// Saves a text that a person edited and that the companion has not taken. Returns the path of the text.
    ///
    /// # Errors
    /// When the draft cannot be written.
    pub fn keep(&self, file: &str, agent: &str, why: &str, text: &str) -> io::Result<PathBuf> {
        let (now, process) = (alongside_desk::now_ms(), std::process::id());
        // The last number distinguishes two drafts of the same millisecond.
        let free =
            (0_u32..).map(|n| format!("{now}-{process}-{n}")).find(|id| !self.directory().join(id).exists());
        let id = free.ok_or_else(|| io::Error::other("no name is free"))?;
        let (file, agent, why) = (file.to_owned(), agent.to_owned(), why.to_owned());
        let new = NewDraft { id, file, agent, why, text: text.into(), ..NewDraft::default() };
        self.reserve().write(ReserveUse::Drafts, || self.save(&new))
    }

    /// Records in a draft that its review was interrupted. Blocks.
    pub(crate) fn mark_interrupted(&self, id: &str) -> io::Result<()> {
        let mut draft = self.load(id)?;
        draft.mark_interrupted();
        self.describe(&self.draft_directory(id)?, &draft)
    }

    /// Returns the room on the disk that is reserved for drafts.
    pub(crate) fn reserve(&self) -> Reserve {
        Reserve::of(&self.state)
    }

    /// Removes the drafts whose text their agents have written. Blocks.
    pub fn settle(&self) {
        for draft in self.list().unwrap_or_default().into_iter().filter(|draft| draft.awaited) {
            if self.read(&draft.id).is_ok_and(|text| file_holds(&draft.file, &text)) {
                // The next call retries a draft that cannot be removed.
                let _ = self.delete(&draft.id);
            }
        }
    }

    /// Returns the drafts that agents may be writing now: those saved since `since_ms`, in milliseconds since
    /// the Unix epoch. Blocks.
    pub(crate) fn awaited_since(&self, since_ms: u64) -> Vec<EarlierDraft> {
        let drafts = self.list().unwrap_or_default().into_iter();
        let awaited = drafts.filter(|draft| draft.awaited && draft.saved_at_ms >= since_ms);
        let earlier = awaited.filter_map(|draft| {
            let text = self.read(&draft.id).ok()?.into();
            Some(EarlierDraft { file: draft.file, agent: draft.agent, text })
        });
        earlier.collect()
    }

    /// Removes drafts that two checks have found older than [`RETENTION`], and unfinished ones of dead
    /// processes. Blocks.
    pub(crate) fn prune(&self, now_ms: u64) {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        for mut draft in self.list().unwrap_or_default() {
            private_files::remove_unfinished(&self.directory().join(&draft.id));
            let is_old = draft.saved_at_ms.saturating_add(millis(RETENTION)) < now_ms;
            let since = draft.old_since_ms.filter(|since| is_old && *since <= now_ms);
            if since.is_some_and(|since| since.saturating_add(millis(MIN_CHECK_INTERVAL)) <= now_ms) {
                let _ = self.delete(&draft.id);
                continue;
            }
            let since = is_old.then(|| since.unwrap_or(now_ms));
            if since != draft.old_since_ms {
                draft.old_since_ms = since;
                // If the write fails, the next check records it.
                let _ = self.describe(&self.directory().join(&draft.id), &draft);
            }
        }
        self.remove_unfinished();
    }

    fn remove_unfinished(&self) {
        for entry in fs::read_dir(self.directory()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_dead = name.rsplit('-').nth(1).is_some_and(private_files::is_of_dead_process);
            if name.starts_with(UNFINISHED)
                && (is_dead || entry.metadata().is_ok_and(|found| private_files::is_old(&found)))
            {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Writes or replaces a draft. Returns the path of the text. Blocks.
    pub(crate) fn save(&self, new: &NewDraft) -> io::Result<PathBuf> {
        let directory = self.draft_directory(&new.id)?;
        private_files::directory(&self.state, Path::new("drafts"), PathTrust::Own)?;
        if directory.is_dir() {
            return self.fill(&directory, new);
        }
        let unfinished = self.unfinished(&new.id)?;
        create_directory(&unfinished)?;
        let filled = self.fill(&unfinished, new).and_then(|_| fs::rename(&unfinished, &directory));
        #[cfg(test)]
        private_files::disk_steps::step(&directory);
        if filled.is_err() {
            let _ = fs::remove_dir_all(&unfinished);
        }
        filled.map(|()| directory.join(text_file_name(&new.file)))
    }

    /// Writes the files of a draft. Returns the path of the text.
    fn fill(&self, directory: &Path, new: &NewDraft) -> io::Result<PathBuf> {
        let text_file = text_file_name(&new.file);
        let path = directory.join(&text_file);
        private_files::write(&path, new.text.as_bytes())?;
        self.describe(directory, &new.description(path.clone(), text_file))?;
        Ok(path)
    }

    fn describe(&self, directory: &Path, draft: &Draft) -> io::Result<()> {
        private_files::write(&directory.join(DESCRIPTION), &serde_json::to_vec_pretty(draft)?)
    }

    fn unfinished(&self, id: &str) -> io::Result<PathBuf> {
        let path = |n: u32| self.directory().join(format!("{UNFINISHED}{id}-{}-{n}", std::process::id()));
        let free = (0..).map(path).find(|path| !path.exists());
        free.ok_or_else(|| io::Error::other("no name is free"))
    }

    /// Returns the path that [`save`](Self::save) uses for the text.
    pub(crate) fn path_of(&self, id: &str, file: &str) -> PathBuf {
        self.directory().join(id).join(text_file_name(file))
    }

    fn load(&self, id: &str) -> io::Result<Draft> {
        let directory = self.draft_directory(id)?;
        let mut draft: Draft = serde_json::from_slice(&fs::read(directory.join(DESCRIPTION))?)?;
        // Another release may have given the text file another name. Only the last part is used, so it leads
        // nowhere else.
        let text_file = Path::new(&draft.text_file).file_name().ok_or(io::ErrorKind::InvalidData)?;
        draft.path = directory.join(text_file);
        id.clone_into(&mut draft.id);
        Ok(draft)
    }

    /// Returns the directory of a draft. An id has only digits and dashes; nothing else is ever joined to a
    /// path.
    fn draft_directory(&self, id: &str) -> io::Result<PathBuf> {
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such draft"));
        }
        Ok(self.directory().join(id))
    }
}

#[cfg(test)]
mod tests;
