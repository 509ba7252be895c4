//! What a person typed is never lost: edits that no agent has written into their file lie here for two weeks.
//!
//! A draft is written with the first edit of a review and kept up to date, so that even a crash loses
//! nothing. That the agent has confirmed the accepted text is not enough for it to go: an agent also confirms
//! what it does not wait for any more. It goes when its file holds the text. It comes and goes in one step,
//! so that there is never half of one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::harmless;
use alongside_platform::private::create_directory;
use serde::{Deserialize, Serialize};

use crate::persistence::app_dirs::AppDirs;
use crate::persistence::private_files::{self, Ground};
use crate::persistence::reserve::{For, Reserve};
use alongside_platform::untrusted::{self, Whose};

/// How long a draft is kept.
pub const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// How far apart two looks must be that find a draft too old, before it goes: a clock that is wrong for a
/// while, as after a start without a network, takes nothing.
const LOOKS_APART: Duration = Duration::from_secs(24 * 60 * 60);

const ABOUT: &str = "draft.json";

/// Begins the names of drafts that are just coming or going. No id does.
const UNFINISHED: &str = ".";
/// How long that may take. One that is older is of somebody who was killed, as is one whose process is no
/// more.
const FINISHED_WITHIN: Duration = Duration::from_secs(60);

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
    /// The agent is to write it into the file: see [`Drafts::settle`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
    /// The file that holds the text.
    #[serde(skip)]
    pub path: PathBuf,
    /// That file's name.
    text_file: String,
    /// When it was first found to be too old.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old_since_ms: Option<u64>,
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
    /// The agent is to write it into the file.
    pub(crate) awaited: bool,
    pub(crate) text: Arc<str>,
}

/// The result of writing a draft.
#[derive(Debug)]
pub(crate) struct WrittenDraft {
    pub(crate) id: String,
    pub(crate) number: u64,
    /// The reviewed file.
    pub(crate) file: String,
    /// The reason why the draft is not on disk.
    pub(crate) error: Option<String>,
}

impl NewDraft {
    /// Whether the agent has written it into the file.
    pub(crate) fn is_settled(&self) -> bool {
        self.awaited && is_held(&self.file, &self.text)
    }
}

impl Drafts {
    /// The drafts that lie at these dirs. Nothing is touched until something is saved.
    pub fn open(dirs: &AppDirs) -> Self {
        Self { state: dirs.state.clone() }
    }

    /// The directory of all that survives a crash.
    pub(crate) fn state(&self) -> &Path {
        &self.state
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
        let place = self.place(id)?;
        let going = self.unfinished(id)?;
        fs::rename(place, &going)?;
        #[cfg(test)]
        private_files::steps::step(&going);
        fs::remove_dir_all(going)
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
        let new = NewDraft { id, number: 0, file, agent, why, awaited: false, text: text.into() };
        self.reserve().write(For::Drafts, || self.save(&new))
    }

    /// The room that is kept for them.
    pub(crate) fn reserve(&self) -> Reserve {
        Reserve::of(&self.state)
    }

    /// Removes the drafts that agents have written into their files, as they were to. Returns whether others
    /// are still waited for. Blocks.
    pub fn settle(&self) -> bool {
        let awaited = self.list().unwrap_or_default().into_iter().filter(|draft| draft.awaited);
        let is_settled = |draft: &Draft| self.read(&draft.id).is_ok_and(|text| is_held(&draft.file, &text));
        // One that cannot be removed is tried again.
        awaited.filter(|draft| !is_settled(draft) || self.delete(&draft.id).is_err()).count() > 0
    }

    /// Removes what is older than [`KEPT_FOR`] and was found so before, and what the killed left of drafts.
    /// Blocks.
    pub(crate) fn prune(&self, now_ms: u64) {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        for mut draft in self.list().unwrap_or_default() {
            private_files::remove_unfinished(&self.directory().join(&draft.id));
            let is_old = draft.saved_at_ms.saturating_add(millis(KEPT_FOR)) < now_ms;
            let since = draft.old_since_ms.filter(|since| is_old && *since <= now_ms);
            if since.is_some_and(|since| since.saturating_add(millis(LOOKS_APART)) <= now_ms) {
                let _ = self.delete(&draft.id);
                continue;
            }
            let since = is_old.then(|| since.unwrap_or(now_ms));
            if since != draft.old_since_ms {
                draft.old_since_ms = since;
                // What cannot be noted now is noted by the next look.
                let _ = self.describe(&self.directory().join(&draft.id), &draft);
            }
        }
        for entry in fs::read_dir(self.directory()).into_iter().flatten().flatten() {
            let is_old = |found: fs::Metadata| {
                found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > FINISHED_WITHIN))
            };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_dead = name.rsplit('-').nth(1).is_some_and(private_files::is_of_the_dead);
            if name.starts_with(UNFINISHED) && (is_dead || entry.metadata().is_ok_and(is_old)) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Writes a draft, or replaces it. Blocks.
    pub(crate) fn save(&self, new: &NewDraft) -> io::Result<PathBuf> {
        let place = self.place(&new.id)?;
        private_files::directory(&self.state, Path::new("drafts"), Ground::Own)?;
        if place.is_dir() {
            return self.fill(&place, new);
        }
        let coming = self.unfinished(&new.id)?;
        create_directory(&coming)?;
        let filled = self.fill(&coming, new).and_then(|_| fs::rename(&coming, &place));
        #[cfg(test)]
        private_files::steps::step(&place);
        if filled.is_err() {
            let _ = fs::remove_dir_all(&coming);
        }
        filled.map(|()| place.join(text_file_name(&new.file)))
    }

    /// Writes what a draft is made of. Returns where the text is.
    fn fill(&self, place: &Path, new: &NewDraft) -> io::Result<PathBuf> {
        let text_file = text_file_name(&new.file);
        let path = place.join(&text_file);
        private_files::write(&path, new.text.as_bytes())?;
        let about = Draft {
            id: new.id.clone(),
            file: new.file.clone(),
            agent: new.agent.clone(),
            saved_at_ms: alongside_desk::now_ms(),
            why: new.why.clone(),
            awaited: new.awaited,
            path: path.clone(),
            text_file,
            old_since_ms: None,
        };
        self.describe(place, &about)?;
        Ok(path)
    }

    fn describe(&self, place: &Path, about: &Draft) -> io::Result<()> {
        private_files::write(&place.join(ABOUT), &serde_json::to_vec_pretty(about)?)
    }

    /// Where a draft is that is coming or going; free.
    fn unfinished(&self, id: &str) -> io::Result<PathBuf> {
        let path = |n: u32| self.directory().join(format!("{UNFINISHED}{id}-{}-{n}", std::process::id()));
        let free = (0..).map(path).find(|path| !path.exists());
        free.ok_or_else(|| io::Error::other("no name is free"))
    }

    /// The path that [`save`](Self::save) uses for the text.
    pub(crate) fn path_of(&self, id: &str, file: &str) -> PathBuf {
        self.directory().join(id).join(text_file_name(file))
    }

    fn load(&self, id: &str) -> io::Result<Draft> {
        let place = self.place(id)?;
        let mut draft: Draft = serde_json::from_slice(&fs::read(place.join(ABOUT))?)?;
        // As it was written, by a release of other rules too; but it leads nowhere else.
        let text_file = Path::new(&draft.text_file).file_name().ok_or(io::ErrorKind::InvalidData)?;
        draft.path = place.join(text_file);
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

/// Whether a file holds a text, in whatever line endings, with or without a byte-order mark.
fn is_held(file: &str, text: &str) -> bool {
    // Each line end may be one byte longer there.
    let limit = u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_mul(2).saturating_add(3);
    let Ok(found) = untrusted::read(Path::new(file), limit, Whose::Anybodys) else { return false };
    let plain = |text: &str| text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    std::str::from_utf8(&found).is_ok_and(|found| found == text || plain(found) == plain(text))
}

/// The reviewed file's own name, so that editors know what it is.
fn text_file_name(file: &str) -> String {
    let name = harmless::file_name(file);
    if name == ABOUT { format!("{name}.txt") } else { name }
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
            awaited: false,
            text,
        }
    }

    #[test]
    fn what_an_agent_was_to_write_goes_when_it_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&AppDirs::below(directory.path()));
        let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
        let [plain, windows, marked] = ["plain", "windows", "marked"].map(path);
        for (id, file) in [("1-1", &plain), ("1-2", &windows), ("1-3", &marked)] {
            drafts.save(&NewDraft { file: file.clone(), awaited: true, ..new(id, "one\ntwo\n") }).unwrap();
        }
        // Of one that was rejected nobody waits for anything.
        drafts.save(&NewDraft { file: plain.clone(), ..new("1-4", "one\ntwo\n") }).unwrap();
        let left = || {
            let mut left: Vec<_> = drafts.list().unwrap().into_iter().map(|draft| draft.id).collect();
            left.sort();
            left
        };
        assert!(drafts.settle(), "none of the files is there");
        fs::write(&plain, "one\n").unwrap();
        fs::write(&windows, "one\r\ntwo\r\n\r\n").unwrap();
        fs::write(&marked, [b"one\ntwo\n".as_slice(), &[0xff]].concat()).unwrap();
        assert!(drafts.settle());
        assert_eq!(left(), ["1-1", "1-2", "1-3", "1-4"], "each holds something else");
        fs::write(&plain, "one\ntwo\n").unwrap();
        fs::write(&windows, "one\r\ntwo\r\n").unwrap();
        assert!(drafts.settle());
        assert_eq!(left(), ["1-3", "1-4"]);
        fs::write(&marked, "\u{feff}one\ntwo\n").unwrap();
        assert!(!drafts.settle(), "nobody is waited for any more");
        assert_eq!(left(), ["1-4"]);
    }

    #[test]
    fn a_draft_is_saved_replaced_listed_read_and_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&AppDirs::below(directory.path()));
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
    fn a_draft_has_the_name_of_its_file_without_what_deceives_whoever_sees_it() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&AppDirs::below(directory.path()));
        for (id, file, name) in [
            ("1-1", "/p/a\u{202e}sr\u{200b}.\x1b[2Jtxt", "a_sr_._[2Jtxt"),
            ("1-2", "/p/draft.json", "draft.json.txt"),
            ("1-3", "/p/..", "proposal"),
        ] {
            let path = drafts.save(&NewDraft { file: file.into(), ..new(id, "mine") }).unwrap();
            assert_eq!(path.file_name().unwrap(), name);
            assert_eq!(drafts.read(id).unwrap(), "mine", "{file:?}");
        }
        // One of a release that kept more of the name is found under the name it has.
        let place = drafts.directory().join("1-1");
        let rename = |from: &str, to: &str| {
            fs::rename(place.join(from), place.join(to)).unwrap();
            let about = fs::read_to_string(place.join(ABOUT)).unwrap();
            let about: serde_json::Value = serde_json::from_str(&about).unwrap();
            let mut about = about.as_object().unwrap().clone();
            about.insert("textFile".into(), to.into());
            fs::write(place.join(ABOUT), serde_json::to_vec(&about).unwrap()).unwrap();
        };
        rename("a_sr_._[2Jtxt", "a\u{202e}sr.txt");
        assert_eq!(drafts.read("1-1").unwrap(), "mine");
    }

    #[test]
    fn what_no_companion_took_over_is_kept_too() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&AppDirs::below(directory.path()));
        let paths =
            ["one", "two"].map(|text| drafts.keep("/p/a.rs", "Gemini CLI", "it ended", text).unwrap());
        assert_ne!(paths[0], paths[1]);
        assert_eq!(paths.map(|path| fs::read_to_string(path).unwrap()), ["one", "two"]);
        assert_eq!(drafts.list().unwrap().len(), 2);
    }

    #[test]
    fn an_id_cannot_lead_elsewhere() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&AppDirs::below(directory.path()));
        for id in ["..", "", "a", "1/../..", "/etc"] {
            assert!(drafts.delete(id).is_err(), "{id}");
            assert!(drafts.save(&new(id, "x")).is_err(), "{id}");
        }
    }

    fn millis(time: Duration) -> u64 {
        u64::try_from(time.as_millis()).unwrap()
    }

    #[test]
    fn after_two_weeks_a_draft_goes_once_that_was_seen_on_two_days() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&AppDirs::below(directory.path()));
        drafts.save(&new("1-1", "x")).unwrap();
        let now = alongside_desk::now_ms();
        drafts.prune(now);
        let old = now + millis(KEPT_FOR) + 60_000;
        drafts.prune(old);
        drafts.prune(old + millis(LOOKS_APART) - 1);
        assert_eq!(drafts.list().unwrap().len(), 1);
        drafts.prune(old + millis(LOOKS_APART));
        assert_eq!(drafts.list().unwrap().len(), 0);
        assert_eq!(fs::read_dir(drafts.directory()).unwrap().count(), 0);
    }

    #[test]
    fn a_clock_that_is_wrong_for_a_while_takes_no_draft() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&AppDirs::below(directory.path()));
        drafts.save(&new("1-1", "x")).unwrap();
        let now = alongside_desk::now_ms();
        let far = now + 73 * 365 * millis(LOOKS_APART);
        drafts.prune(far);
        drafts.prune(far + 60_000);
        drafts.prune(now);
        assert_eq!(drafts.list().unwrap()[0].old_since_ms, None, "it was right again");
        drafts.prune(far);
        drafts.prune(0);
        drafts.prune(now + 2 * millis(LOOKS_APART));
        assert_eq!(drafts.list().unwrap()[0].saved_at_ms / 60_000, now / 60_000, "nor makes it older");
    }

    #[test]
    fn of_a_draft_that_was_just_coming_or_going_at_a_crash_nothing_stays() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&AppDirs::below(directory.path()));
        drafts.save(&new("1-1", "x")).unwrap();
        let half = |name: &str| {
            let half = drafts.directory().join(name);
            fs::create_dir(&half).unwrap();
            fs::write(half.join("a b.rs"), "half").unwrap();
            half
        };
        let own = std::process::id();
        let [old, now] = [half(&format!(".2-1-{own}-0")), half(&format!(".3-1-{own}-0"))];
        let of_the_dead = half(&format!(".4-1-{}-0", u32::MAX >> 1));
        let long_ago = std::time::SystemTime::now() - 2 * FINISHED_WITHIN;
        fs::File::open(&old).unwrap().set_modified(long_ago).unwrap();
        assert_eq!(drafts.list().unwrap().len(), 1, "nobody is shown half of one");
        drafts.prune(alongside_desk::now_ms());
        assert!(!old.exists() && !of_the_dead.exists());
        assert!(now.exists(), "another companion may be at it");
        assert_eq!(drafts.read("1-1").unwrap(), "x");
    }

    #[cfg(unix)]
    #[test]
    fn a_draft_is_private_at_every_step() {
        use std::os::unix::fs::MetadataExt as _;
        let directory = tempfile::tempdir().unwrap();
        let drafts = Drafts::open(&AppDirs::below(directory.path()));
        let text = drafts.save(&new("1-1", "x")).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        let place = text.parent().unwrap();
        assert_eq!([drafts.directory().as_path(), place].map(mode), [0o700; 2]);
        assert_eq!([text.as_path(), &place.join(ABOUT)].map(mode), [0o600; 2]);
    }
}
