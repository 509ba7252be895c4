//! The sentences, lists and prompts of a turn review. Pure functions to text; paths and whatever else came
//! from outside go through [`harmless`].

use alongside_desk::review_model::OpenReview;
use alongside_desk::{Author, FileChange, HunkState, Marked, Turn, TurnFile, harmless, messages};

use super::walk::{Place, Walk};
use crate::age::age;
use crate::line_mode::printer::Inks;
use crate::line_mode::render;

/// The companion stopped while the desk was open.
pub(super) const COMPANION_STOPPED: &str = "The companion has stopped. Nothing more is written.";

/// The companion has answered without a list.
pub(super) const NO_LIST: &str = "The companion has not said what changed.";

/// The input ended before the person left.
pub(super) const INPUT_ENDED: &str = "The input has ended.";

/// The person left, or said no.
pub(super) const NOTHING_WRITTEN: &str = "Nothing is written.";

/// The file where the person is has other texts now.
pub(super) const FILE_CHANGED: &str = "The file has changed; this is how it stands now.";

/// Sounds like a number of the list, and is none.
pub(super) const NO_SUCH_FILE: &str = "No file has that number; l lists them.";

/// The first words to a person at a terminal.
pub(super) const HOW: &str = "Enter goes on to the next change. (? help)";

/// The request to answer that question, or the one before leaving.
pub(super) const YES_OR_NO: &str = "Type one of [y,n] and Enter.";

/// The prompt behind the last file.
const END_PROMPT: &str = "at the end [b,K,l,q,?]?";

/// The help.
pub(super) const HELP: &str = "\
Type one of these, then Enter:
   Enter alone goes on (also: j)
K  previous change (also: k)
b  the first change of the file
l  list the files with their marks; a number goes to that one (also: g and the number)
q  quit, also Ctrl-D
?  this help
Nothing is written.";

/// The head of the review: its baseline, its size, and the remarks.
pub(super) fn head(walk: &Walk, inks: Inks) -> String {
    let turn = walk.turn();
    let (files, added, removed) = walk.totals();
    let since = since(turn);
    let title = match files {
        0 => format!("Nothing has changed since {since}."),
        _ => format!("Since {since}: {} (+{added} -{removed}).", count(files)),
    };
    let passed = match walk.passed_over() {
        0 => None,
        1 => Some("1 file is not the agent's work; l lists it.".to_owned()),
        passed => Some(format!("{passed} files are not the agent's work; l lists them.")),
    };
    let remarks = turn.remarks.iter().map(|remark| harmless::name(remark).into_owned());
    render::titled(&title, remarks.chain(passed), inks)
}

/// The list has become another one.
pub(super) fn list_changed(walk: &Walk) -> String {
    match walk.turn().files.len() {
        0 => format!("Nothing differs from {} any more.", since(walk.turn())),
        files => format!("The list of changes is another one now: {}.", count(files)),
    }
}

fn since(turn: &Turn) -> String {
    let name = harmless::name(&turn.baseline.name);
    match turn.baseline.at {
        Some(at) => format!("{name}, {}", age(at)),
        None => name.into_owned(),
    }
}

fn count(files: usize) -> String {
    if files == 1 { "1 file".into() } else { format!("{files} files") }
}

/// The header of a file, with its texts if they can be shown.
pub(super) fn file_header(walk: &Walk, inks: Inks) -> String {
    let (file, open) = match walk.place() {
        Place::Hunk(file, open, _) => (file, Some(open)),
        Place::Whole(file, open) => (file, open),
        Place::End => return String::new(),
    };
    let files = walk.turn().files.len();
    let hunks = match (file.change, open) {
        (FileChange::Modified | FileChange::Renamed, Some(open)) => {
            format!(", {}", messages::changes(open.review().hunks.len()))
        }
        _ => String::new(),
    };
    let title = format!(
        "{} ({} of {files}): {}{hunks}{}",
        harmless::name(&file.path),
        walk.file() + 1,
        change(file),
        lines(file)
    );
    render::titled(&title, file_notes(walk, file, open).into_iter(), inks)
}

fn file_notes(walk: &Walk, file: &TurnFile, open: Option<&OpenReview>) -> Vec<String> {
    let review = open.map(OpenReview::review);
    let why = file.without_text.as_ref().or(review.and_then(|review| review.whole_file_only.as_ref()));
    // If nothing is known of any file, a remark of the list says so once.
    let is_known = walk.turn().files.iter().any(|file| file.author != Author::Unknown);
    let author = match file.author {
        Author::Agent => None,
        Author::Person => Some("This is not the agent's work.".to_owned()),
        Author::Unknown => is_known.then(|| "It is not known whose work this is.".to_owned()),
    };
    let is = |flag: fn(&alongside_desk::Review) -> bool| review.is_some_and(flag);
    let stale = is(|review| review.stale).then(|| "The file has changed since: it is not undone.".to_owned());
    let dirty = is(|review| review.dirty).then(|| "An editor holds unsaved changes to the file.".to_owned());
    let why = why.map(|why| format!("Its text is not shown: {}.", harmless::name(why)));
    let limits = review.and_then(messages::coarse_changes);
    [why, author, stale, dirty, limits].into_iter().flatten().collect()
}

/// The change of a file in a few words.
fn change(file: &TurnFile) -> String {
    match (file.change, &file.from) {
        (FileChange::Added, _) => "new".into(),
        (FileChange::Deleted, _) => "deleted".into(),
        (FileChange::Modified, _) => "changed".into(),
        (FileChange::Renamed, Some(from)) => format!("renamed from {}", harmless::name(from)),
        (FileChange::Renamed, None) => "renamed".into(),
        (FileChange::Mode, _) => "another mode".into(),
        (FileChange::Kind, _) => "another kind of file".into(),
    }
}

fn lines(file: &TurnFile) -> String {
    match (file.added, file.removed) {
        (0, 0) => String::new(),
        (added, removed) => format!(" (+{added} -{removed})"),
    }
}

/// The files with their marks, each in a line with its number.
pub(super) fn list(walk: &Walk) -> String {
    let row = |(at, file): (usize, &TurnFile)| {
        let why = file.without_text.as_ref().map(|why| format!(", {}", harmless::name(why)));
        let author = match file.author {
            Author::Person => ", not the agent's work",
            Author::Agent | Author::Unknown => "",
        };
        let marked = match file.marked {
            Marked::Nothing => String::new(),
            Marked::Hunks(hunks) => format!(", {} marked to be undone", messages::changes(hunks)),
            Marked::Whole => ", marked to be undone".into(),
        };
        let here = if walk.file() == at { " - you are here" } else { "" };
        let (path, change, lines) = (harmless::name(&file.path), change(file), lines(file));
        format!("{}. {path}: {change}{lines}{}{author}{marked}{here}", at + 1, why.unwrap_or_default())
    };
    let rows: Vec<_> = walk.turn().files.iter().enumerate().map(row).collect();
    rows.join("\n")
}

/// The prompt at the person's place.
pub(super) fn prompt(walk: &Walk) -> String {
    let marked = |is_marked| if is_marked { ": marked" } else { "" };
    match walk.place() {
        Place::Hunk(file, open, hunk) => {
            let is_marked = hunk.state == HunkState::Dropped || file.marked == Marked::Whole;
            let (at, all) = (open.hunk() + 1, open.review().hunks.len());
            format!("({at}/{all}) next{} [j,K,b,l,q,?]?", marked(is_marked))
        }
        Place::Whole(file, _) => {
            format!("next{} [j,K,b,l,q,?]?", marked(!file.marked.is_nothing()))
        }
        Place::End => END_PROMPT.into(),
    }
}
