//! What a person typed is never lost: edits that no agent has taken lie here for two weeks.
//!
//! A draft is written with the first edit of a review and kept up to date, so that even a crash loses nothing; it goes
//! away only when the agent has confirmed that it has the accepted text.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::places::Places;
use crate::private::{self, Ground};

/// How long a draft is kept.
pub const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 60 * 60);

const ABOUT: &str = "draft.json";

/// The drafts of this user.
#[derive(Debug, Clone)]
pub struct Drafts {
    state: PathBuf,
}

/// One draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// Names it.
    #[serde(skip)]
    pub id: String,
    /// The reviewed file, as the agent spelled it: render it harmless before showing it.
    pub file: String,
    /// The agent that proposed, likewise.
    pub agent: String,
    /// When it was last written, in milliseconds since the Unix epoch.
    pub saved_at_ms: u64,
    /// How its review ended, for people.
    pub why: String,
    /// The file that holds the text.
    #[serde(skip)]
    pub path: PathBuf,
    /// That file's name.
    text_file: String,
}

/// What to write.
#[derive(Debug, Clone)]
pub(crate) struct NewDraft {
    pub(crate) id: String,
    /// Tells what is written apart.
    pub(crate) number: u64,
    pub(crate) file: String,
    pub(crate) agent: String,
    pub(crate) why: String,
    pub(crate) text: Arc<str>,
}

impl Drafts {
    /// The drafts that lie at these places. Nothing is touched until something is saved.
    pub fn open(places: &Places) -> Self {
        Self { state: places.state.clone() }
    }

    /// Where they lie.
    pub fn directory(&self) -> PathBuf {
        self.state.join("drafts")
    }

    /// All drafts, newest first. One that cannot be read is left out.
    ///
    /// # Errors
    /// When the directory exists and cannot be read.
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

    /// The text of a draft.
    ///
    /// # Errors
    /// When there is no such draft, or it cannot be read.
    pub fn read(&self, id: &str) -> io::Result<String> {
        fs::read_to_string(self.load(id)?.path)
    }

    /// Removes a draft for good.
    ///
    /// # Errors
    /// When there is no such draft, or it cannot be removed.
    pub fn delete(&self, id: &str) -> io::Result<()> {
        fs::remove_dir_all(self.place(id)?)
    }

    /// Keeps a text that a person typed and that no companion took over. Returns where it is.
    ///
    /// # Errors
    /// When the disk does not let us.
    pub fn keep(&self, file: &str, agent: &str, why: &str, text: &str) -> io::Result<PathBuf> {
        let (now, process) = (alongside_desk::now_ms(), std::process::id());
        // Two within one millisecond get names of their own.
        let free =
            (0_u32..).map(|n| format!("{now}-{process}-{n}")).find(|id| !self.directory().join(id).exists());
        let id = free.ok_or_else(|| io::Error::other("no name is free"))?;
        let (file, agent, why) = (file.to_owned(), agent.to_owned(), why.to_owned());
        self.save(&NewDraft { id, number: 0, file, agent, why, text: text.into() })
    }

    /// Removes what is older than [`KEPT_FOR`].
    pub(crate) fn prune(&self, now_ms: u64) {
        let oldest = now_ms.saturating_sub(u64::try_from(KEPT_FOR.as_millis()).unwrap_or(u64::MAX));
        for draft in self.list().unwrap_or_default() {
            if draft.saved_at_ms < oldest {
                let _ = self.delete(&draft.id);
            }
        }
    }

    /// Writes a draft, or replaces it. Blocks.
    pub(crate) fn save(&self, new: &NewDraft) -> io::Result<PathBuf> {
        private::directory(&self.state, &Path::new("drafts").join(&new.id), Ground::Own)?;
        let place = self.place(&new.id)?;
        let text_file = text_file_name(&new.file);
        let path = place.join(&text_file);
        private::write(&path, new.text.as_bytes())?;
        let about = Draft {
            id: new.id.clone(),
            file: new.file.clone(),
            agent: new.agent.clone(),
            saved_at_ms: alongside_desk::now_ms(),
            why: new.why.clone(),
            path: path.clone(),
            text_file,
        };
        private::write(&place.join(ABOUT), &serde_json::to_vec_pretty(&about)?)?;
        Ok(path)
    }

    /// The path that [`save`](Self::save) uses for the text.
    pub(crate) fn path_of(&self, id: &str, file: &str) -> PathBuf {
        self.directory().join(id).join(text_file_name(file))
    }

    fn load(&self, id: &str) -> io::Result<Draft> {
        let place = self.place(id)?;
        let mut draft: Draft = serde_json::from_slice(&fs::read(place.join(ABOUT))?)?;
        draft.path = place.join(text_file_name(&draft.text_file));
        id.clone_into(&mut draft.id);
        Ok(draft)
    }

    /// Ids are made of digits and dashes: nothing else is ever joined to a path.
    fn place(&self, id: &str) -> io::Result<PathBuf> {
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such draft"));
        }
        Ok(self.directory().join(id))
    }
}

/// The reviewed file's own name, so that editors know what it is.
fn text_file_name(file: &str) -> String {
    let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or("text");
    if name == ABOUT {
        format!("{name}.txt")
    } else {
        name.chars().filter(|c| !c.is_control()).take(100).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(id: &str, text: &str) -> NewDraft {
        let text = text.into();
        NewDraft {
            id: id.into(),
            number: 0,
            file: "/p/a b.rs".into(),
            agent: "Gemini CLI".into(),
            why: "rejected".into(),
            text,
        }
    }

    #[test]
    fn a_draft_is_saved_replaced_listed_read_and_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&Places::below(directory.path()));
        assert_eq!(drafts.list().unwrap(), []);
        drafts.save(&new("1-1", "one")).unwrap();
        let path = drafts.save(&new("1-1", "two")).unwrap();
        assert_eq!(path, drafts.path_of("1-1", "/p/a b.rs"));
        let listed = drafts.list().unwrap();
        assert_eq!((listed.len(), listed[0].path.clone()), (1, path));
        assert_eq!(drafts.read("1-1").unwrap(), "two");
        drafts.delete("1-1").unwrap();
        assert_eq!(drafts.list().unwrap(), []);
    }

    #[test]
    fn what_no_companion_took_over_is_kept_too() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&Places::below(directory.path()));
        let paths =
            ["one", "two"].map(|text| drafts.keep("/p/a.rs", "Gemini CLI", "it ended", text).unwrap());
        assert_ne!(paths[0], paths[1]);
        assert_eq!(paths.map(|path| fs::read_to_string(path).unwrap()), ["one", "two"]);
        assert_eq!(drafts.list().unwrap().len(), 2);
    }

    #[test]
    fn an_id_cannot_lead_elsewhere() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&Places::below(directory.path()));
        for id in ["..", "", "a", "1/../..", "/etc"] {
            assert!(drafts.delete(id).is_err(), "{id}");
            assert!(drafts.save(&new(id, "x")).is_err(), "{id}");
        }
    }

    #[test]
    fn after_two_weeks_a_draft_goes() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&Places::below(directory.path()));
        drafts.save(&new("1-1", "x")).unwrap();
        let now = alongside_desk::now_ms();
        drafts.prune(now);
        assert_eq!(drafts.list().unwrap().len(), 1);
        drafts.prune(now + u64::try_from(KEPT_FOR.as_millis()).unwrap() + 60_000);
        assert_eq!(drafts.list().unwrap().len(), 0);
    }
}
