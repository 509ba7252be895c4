//! The forms of one draft: as it is stored, before it is written, and after its write.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use alongside_desk::harmless;
use alongside_platform::process;
use alongside_platform::untrusted::{self, Whose};
use serde::{Deserialize, Serialize};

/// The file in a draft's directory that describes the draft.
pub(super) const DESCRIPTION: &str = "draft.json";

/// The precision of the start time of a process.
const START_PRECISION: Duration = Duration::from_secs(2);

/// The state of a draft whose review was open when its companion was interrupted.
const INTERRUPTED: &str = "its review was interrupted";

/// One draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// The name of the draft.
    #[serde(skip)]
    pub id: String,
    /// The reviewed file, as the agent spelled it: render it harmless before showing it.
    pub file: String,
    /// The agent that proposed the file; render it harmless as well.
    pub agent: String,
    /// The time at which the draft was last written, in milliseconds since the Unix epoch.
    pub saved_at_ms: u64,
    /// The state of the review for people: open, or how it ended.
    why: String,
    /// The process in which the review is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open_in: Option<u32>,
    /// Whether the agent is to write the text into the file: see
    /// [`Drafts::settle`](super::drafts::Drafts::settle).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
    /// The reasons that the person gave and no agent has read; empty without reasons. Render them harmless.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasons: String,
    /// Whether the person dropped changes of the proposal, and typed nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_only_dropped: bool,
    /// The path of the file with the text.
    #[serde(skip)]
    pub path: PathBuf,
    /// The name of the file with the text.
    pub(super) text_file: String,
    /// The time at which the draft was first found to be too old.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) old_since_ms: Option<u64>,
}

impl Draft {
    /// Marks the review as ended, because its process was interrupted.
    pub(super) fn mark_interrupted(&mut self) {
        self.open_in = None;
        INTERRUPTED.clone_into(&mut self.why);
    }

    /// Whether the process of the open review has ended, and the draft does not say so yet.
    pub(crate) fn is_orphaned(&self) -> bool {
        self.open_in.is_some_and(|pid| !self.was_saved_by(pid))
    }

    /// Returns how the review ended, for people, or that it is still open.
    pub fn state(&self) -> &str {
        if self.is_orphaned() {
            return INTERRUPTED;
        }
        &self.why
    }

    /// Whether the process with this id saved the draft. A later process may have the same id.
    fn was_saved_by(&self, pid: u32) -> bool {
        let saved = SystemTime::UNIX_EPOCH + Duration::from_millis(self.saved_at_ms);
        let is_older = || process::started(pid).is_none_or(|started| started <= saved + START_PRECISION);
        process::is_alive(pid) && is_older()
    }
}

/// A draft of an earlier companion whose text its agent may write now.
#[derive(Debug)]
pub(crate) struct EarlierDraft {
    pub(crate) file: String,
    pub(crate) agent: String,
    pub(crate) text: Arc<str>,
}

/// A draft that is to be written.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewDraft {
    pub(crate) id: String,
    /// The number of the version, which rises with each write of this draft.
    pub(crate) number: u64,
    pub(crate) file: String,
    pub(crate) agent: String,
    pub(crate) why: String,
    /// Whether the agent is to write the text into the file.
    pub(crate) awaited: bool,
    /// Whether the review is open in this process.
    pub(crate) is_open: bool,
    /// The reasons that the person gave; empty without reasons.
    pub(crate) reasons: String,
    /// Whether the person dropped changes, and typed nothing.
    pub(crate) is_only_dropped: bool,
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
    /// Returns the description of this draft, saved now.
    pub(super) fn description(&self, path: PathBuf, text_file: String) -> Draft {
        Draft {
            id: self.id.clone(),
            file: self.file.clone(),
            agent: self.agent.clone(),
            saved_at_ms: alongside_desk::now_ms(),
            why: self.why.clone(),
            open_in: self.is_open.then(std::process::id),
            awaited: self.awaited,
            reasons: self.reasons.clone(),
            is_only_dropped: self.is_only_dropped,
            path,
            text_file,
            old_since_ms: None,
        }
    }

    /// Whether the agent was to write the text into the file, and has done so.
    pub(crate) fn is_settled(&self) -> bool {
        self.awaited && file_holds(&self.file, &self.text)
    }
}

/// Whether a file has this text, in any line endings, with or without a byte-order mark.
pub(super) fn file_holds(file: &str, text: &str) -> bool {
    // Each line ending may be one byte longer in the file, and the byte-order mark has three bytes.
    let limit = u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_mul(2).saturating_add(3);
    let Ok(found) = untrusted::read(Path::new(file), limit, Whose::Anybodys) else { return false };
    let plain = |text: &str| text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    std::str::from_utf8(&found).is_ok_and(|found| found == text || plain(found) == plain(text))
}

/// Returns the name of the file with the text: that of the reviewed file, by which editors know its language.
pub(super) fn text_file_name(file: &str) -> String {
    let name = harmless::copy_name(file);
    if name == DESCRIPTION { format!("{name}.txt") } else { name }
}
