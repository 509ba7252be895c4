//! The sentences, lists and prompts of a turn review. Pure functions to text; [`harmless`] escapes paths and
//! all other text from outside.

use alongside_desk::review_model::comment_place::place;
use alongside_desk::review_model::comment_state::state_words;
use alongside_desk::review_model::{OpenReview, can_send};
use alongside_desk::{
    Author, Comment, FileChange, HunkState, Marked, Turn, TurnFile, TurnFinished, UndoneFile, harmless,
    messages,
};

use super::comment_words;
use super::walk::{Place, Walk, Wish};
use crate::age::age;
use crate::line_mode::printer::Inks;
use crate::line_mode::{render, undo};

/// The line after the companion has stopped.
pub(super) const COMPANION_STOPPED: &str = "The companion has stopped. Nothing more is written.";

/// The line after a reply of the companion without a list.
pub(super) const NO_LIST: &str = "The companion has not said what changed.";

/// The line after a finish without a result.
pub(super) const NO_RESULT: &str = "The companion has not said what it has undone.";

/// The line at the end of the input.
pub(super) const INPUT_ENDED: &str = "The input has ended.";

/// The line after the person left, or answered no.
pub(super) const NOTHING_WRITTEN: &str = "Nothing is written.";

/// The line after the person left, or answered no, if changes were undone before.
pub(super) const NOTHING_MORE_WRITTEN: &str = "Nothing more is written.";

/// The answer to a split in a file that is undone as a whole or not at all.
pub(super) const NOT_SPLIT: &str = "This file is undone as a whole, or stays as it is.";

/// The answer to a mark at the end.
const NO_CHANGE_HERE: &str = "There is no change here; b goes to the first one.";

/// Returns the reason why the person's file takes no mark, and the alternative.
pub(super) fn no_undo(walk: &Walk) -> String {
    let Place::Whole(file, _) = walk.place() else { return NO_CHANGE_HERE.to_owned() };
    let why = file.no_undo_words().unwrap_or_default();
    format!("{} {why}. cf asks the agent.", harmless::name(&file.path))
}

/// The answer to the number of a change where no change has a number.
pub(super) const NO_NUMBERED_CHANGE: &str = "No change here has a number; a number alone goes to that file.";

/// The announcement of other texts of the person's file.
pub(super) const FILE_CHANGED: &str = "The file has changed; this is how it stands now.";

/// The answer to a number that no file has.
pub(super) const NO_SUCH_FILE: &str = "No file has that number; l lists them.";

/// The introduction for a person at a terminal.
pub(super) const INTRODUCTION: &str =
    "y keeps a change, n marks it to be undone, Enter goes on. Nothing is written before the end. (? help)";

/// The answer to an invalid reply to the question before leaving.
pub(super) const YES_OR_NO: &str = "Type one of [y,n] and Enter.";

/// The prompt after the last file.
const END_PROMPT: &str = "at the end [f,b,K,C,u,l,q,?]?";

/// The help.
pub(super) const HELP: &str = "\
Type one of these, then Enter:
   Enter alone goes on: a change without a mark stays, and a mark stays
y  keep this change: a mark on it is taken back
n  mark it to be undone
Y  keep this change and all behind it in the file; N marks them
X  mark the whole file to be undone, or take its marks back
E  mark it and all files behind it that have no mark
m  show the next lines of a long change
s  split it into smaller changes
c  comment on it, for the agent: c and the words, c 4-7: and words on these
   lines; c alone for several lines; cf on the file, C on the whole turn
c3 write comment 3 anew; c3 - removes it, or closes it once it was read
a3 ask comment 3 again: the next finish sends it
u  take back your last step here; U makes it again
j  next change; K the previous one, b the first of the file, g 3 the third
/  go to the next change with a text: / and the text (/ alone looks on)
l  list the files with their marks; a number goes to that one
f  finish: the list of all that is undone and sent, and one question
q  quit, also Ctrl-D: nothing is written
?  this help
Lines with ~ belong to another change, near this one.
Nothing is written or sent before you answer the list of it.";

/// Returns the answer if the person has no step to undo or to redo.
pub(super) fn no_step(to: undo::Step) -> &'static str {
    match to {
        undo::Step::Undo => "You have taken no step here that could be taken back.",
        undo::Step::Redo => "You have taken nothing back that could be made again.",
    }
}

/// Returns the answer after a step was undone or redone.
pub(super) fn step_taken(to: undo::Step) -> &'static str {
    match to {
        undo::Step::Undo => "Your last step is taken back.",
        undo::Step::Redo => "The step is made again.",
    }
}

/// Returns the answer after several changes were marked at once, or their marks removed.
pub(super) fn rest_marked(changes: usize, wish: Wish) -> String {
    let state = match wish {
        Wish::Stay => "kept",
        Wish::Undo => "marked to be undone",
    };
    format!("{} {state}; u takes that back.", messages::changes(changes))
}

/// Returns the answer after all files from the person's file on were marked in one step.
pub(super) fn files_marked(files: usize) -> String {
    match files {
        0 => "From here on, no change of the agent is without a mark.".to_owned(),
        files => format!("{} marked to be undone; u takes that back.", file_count(files)),
    }
}

/// Returns the head of the review: its baseline, its size, the agents at work, and the remarks.
pub(super) fn head(walk: &Walk, inks: Inks) -> String {
    let turn = walk.turn();
    let (files, added, removed) = walk.totals();
    let baseline = baseline_words(turn);
    let title = match files {
        0 => format!("Nothing has changed since {baseline}."),
        _ => format!("Since {baseline}: {} (+{added} -{removed}).", file_count(files)),
    };
    let (accepted, others): (Vec<_>, Vec<_>) = walk.skipped().partition(|file| file.accepted);
    let skipped = |files: usize, one: &str, several: &str| match files {
        0 => None,
        1 => Some(format!("1 file {one}; l lists it.")),
        _ => Some(format!("{files} files {several}; l lists them.")),
    };
    let others = skipped(others.len(), "is not the agent's work", "are not the agent's work");
    let accepted = skipped(accepted.len(), "was accepted before the write", "were accepted before the write");
    let remarks = turn.remarks.iter().map(|remark| harmless::name(remark).into_owned());
    let remarks = turn.at_work_words("at work", &[]).into_iter().chain(remarks);
    render::titled(&title, remarks.chain(others).chain(accepted), inks)
}

/// Returns the announcement of another list.
pub(super) fn list_changed(walk: &Walk) -> String {
    match walk.turn().files.len() {
        0 => format!("Nothing differs from {} any more.", baseline_words(walk.turn())),
        files => format!("The list of changes is another one now: {}.", file_count(files)),
    }
}

/// Returns the name and the age of the baseline.
fn baseline_words(turn: &Turn) -> String {
    let name = harmless::name(&turn.baseline.name);
    match turn.baseline.at {
        Some(at) => format!("{name}, {}", age(at)),
        None => name.into_owned(),
    }
}

fn file_count(files: usize) -> String {
    if files == 1 { "1 file".into() } else { format!("{files} files") }
}

/// Returns the header of the person's file.
pub(super) fn file_header(walk: &Walk, inks: Inks) -> String {
    let (file, open) = match walk.place() {
        Place::Hunk(file, open, _) => (file, Some(open)),
        Place::Whole(file, open) => (file, open),
        Place::End => return String::new(),
    };
    let files = walk.turn().files.len();
    let hunks = match (file.change, open) {
        // The change of the mode is the only change.
        (_, Some(open)) if file.executable.is_some() && open.review().hunks.is_empty() => String::new(),
        (FileChange::Modified | FileChange::Renamed, Some(open)) => {
            format!(", {}", messages::changes(open.review().hunks.len()))
        }
        _ => String::new(),
    };
    let title = format!(
        "{} ({} of {files}): {}{hunks}{}",
        harmless::name(&file.path),
        walk.file() + 1,
        change_words(file),
        line_counts(file)
    );
    render::titled(&title, file_notes(walk, file, open).into_iter(), inks)
}

fn file_notes(walk: &Walk, file: &TurnFile, open: Option<&OpenReview>) -> Vec<String> {
    let review = open.map(OpenReview::review);
    let why = file.without_text.as_ref().or(review.and_then(|review| review.whole_file_only.as_ref()));
    // If no author is known, the list has one remark about it.
    let is_author_known = has_known_author(walk);
    let author = match file.told_author() {
        Author::Agent => None,
        Author::Person => Some("This is not the agent's work.".to_owned()),
        Author::Both => Some("A part of this is yours: you have changed the file between turns.".to_owned()),
        Author::Unknown => is_author_known.then(|| "It is not known whose work this is.".to_owned()),
    };
    let is_saved = file.saved && file.author != Author::Both;
    let saved = is_saved.then(|| "You saved it in an editor meanwhile: a part may be yours.".to_owned());
    let accepted = match (file.accepted, walk.skipped_hunks()) {
        (true, _) => Some("You accepted all of it before the write.".to_owned()),
        (false, 0) => None,
        (false, hunks) => {
            Some(format!("You accepted {} before the write; K goes back.", messages::changes(hunks)))
        }
    };
    let is = |flag: fn(&alongside_desk::Review) -> bool| review.is_some_and(flag);
    let stale = is(|review| review.stale).then(|| "The file has changed since: it is not undone.".to_owned());
    let dirty = is(|review| review.dirty).then(|| "An editor holds unsaved changes to the file.".to_owned());
    let is_there = matches!(file.change, FileChange::Modified | FileChange::Renamed);
    let empties = (is_there && is(messages::empties)).then(|| render::EMPTIES.to_owned());
    let not_undone = if file.without_undo { ", and it cannot be undone" } else { "" };
    let why = why.map(|why| format!("Its text is not shown{not_undone}: {}.", harmless::name(why)));
    let limits = review.and_then(messages::coarse_changes);
    [why, author, saved, accepted, stale, dirty, empties, limits].into_iter().flatten().collect()
}

/// Whether the author of any file is known.
fn has_known_author(walk: &Walk) -> bool {
    walk.turn().files.iter().any(|file| file.author != Author::Unknown)
}

/// Describes the change of a file in a few words.
fn change_words(file: &TurnFile) -> String {
    let change = match (file.change, &file.from) {
        (FileChange::Mode, _) => return file.executable_words().unwrap_or("another mode").into(),
        (FileChange::Added, _) => "new".into(),
        (FileChange::Deleted, _) => "deleted".into(),
        (FileChange::Modified, _) => "changed".into(),
        (FileChange::Renamed, Some(from)) => format!("renamed from {}", harmless::name(from)),
        (FileChange::Renamed, None) => "renamed".into(),
        (FileChange::Kind, _) => "another kind of file".into(),
        (FileChange::Unknown, _) => "new or changed".into(),
    };
    file.executable_words().map_or(change.clone(), |words| format!("{change}, {words}"))
}

/// Returns the numbers of added and removed lines of a file, after a space; empty without any.
fn line_counts(file: &TurnFile) -> String {
    match (file.added, file.removed) {
        (0, 0) => String::new(),
        (added, removed) => format!(" (+{added} -{removed})"),
    }
}

/// Returns the files with their marks, each on a line with its number.
pub(super) fn file_list(walk: &Walk) -> String {
    let row = |(at, file): (usize, &TurnFile)| {
        let why = file.without_text.as_ref().map(|why| format!(", {}", harmless::name(why)));
        let author = match file.told_author() {
            Author::Person => ", not the agent's work",
            Author::Both => ", partly yours",
            Author::Unknown if has_known_author(walk) => ", unknown whose",
            Author::Agent | Author::Unknown => "",
        };
        let properties = [
            (file.accepted, ", accepted before the write"),
            (file.saved && file.author != Author::Both, ", saved by you, too"),
            (file.known, ", as in your last round"),
        ];
        let properties: String =
            properties.iter().filter(|(holds, _)| *holds).map(|(_, words)| *words).collect();
        let marked = match file.marked {
            Marked::Nothing => String::new(),
            Marked::Hunks(hunks) => format!(", {} marked to be undone", messages::changes(hunks)),
            Marked::Whole => ", marked to be undone".into(),
        };
        let here = if walk.file() == at { " - you are here" } else { "" };
        let (path, change, lines) = (harmless::name(&file.path), change_words(file), line_counts(file));
        format!(
            "{}. {path}: {change}{lines}{}{author}{properties}{marked}{here}",
            at + 1,
            why.unwrap_or_default()
        )
    };
    let rows: Vec<_> = walk.turn().files.iter().enumerate().map(row).collect();
    rows.join("\n")
}

/// Returns the question below the list of all that a finish undoes and sends.
pub(super) fn finish_question(walk: &Walk) -> String {
    let comments = walk.turn().unsent_comments().count();
    let sends = format!("send {}", comment_words::comment_count(comments));
    match (walk.has_marks(), comments, can_send(walk.turn())) {
        (true, _, false) => "Nothing else is written. Undo these [y,n]?".into(),
        (true, 0, true) => {
            "Nothing else is written. y undo these and tell the agent, a ask the agent to undo, o only undo, \
             n no [y,a,o,n]?"
                .into()
        }
        (true, _, true) => {
            format!(
                "Nothing else is written. y undo and {sends}, a send and ask the agent to undo, o only undo, \
                 n no [y,a,o,n]?"
            )
        }
        (false, comments, true) if comments > 0 => {
            format!("Nothing is written. y {sends}, o finish without sending, n no [y,o,n]?")
        }
        (false, ..) => "Finish, so that the next review begins here [y,n]?".into(),
    }
}

/// Returns the request to answer with one of these letters.
pub(super) fn invalid_reply(letters: &[&str]) -> String {
    format!("Type one of [{}] and Enter.", letters.join(","))
}

/// Returns the files, with all comments below them.
pub(super) fn list_with_comments(walk: &Walk) -> String {
    let row = |comment: &Comment| {
        let state = state_words(comment, walk.turn());
        format!("Comment {} is on {}{state}.", comment.id.0, place(comment))
    };
    let comments = walk.turn().comments.iter().map(row);
    std::iter::once(file_list(walk)).chain(comments).collect::<Vec<_>>().join("\n")
}

/// Returns all marks, for the person to confirm.
pub(super) fn mark_list(walk: &Walk) -> String {
    if !walk.has_marks() {
        return "Nothing is marked to be undone: everything stays as it is.".into();
    }
    let row = |file: &TurnFile| {
        let extent = match (file.marked, file.change, &file.from) {
            (Marked::Nothing, ..) => "nothing".to_owned(),
            (Marked::Hunks(hunks), ..) => messages::changes(hunks),
            (Marked::Whole, FileChange::Added, _) => "the whole file; it is removed".into(),
            (Marked::Whole, FileChange::Deleted, _) => "the whole file; it comes back".into(),
            (Marked::Whole, FileChange::Renamed, Some(from)) => {
                format!("the whole file; it is {} again", harmless::name(from))
            }
            (Marked::Whole, FileChange::Mode, _) => "its mode".into(),
            (Marked::Whole, ..) => "the whole file".into(),
        };
        format!("  {}: {extent}", harmless::name(&file.path))
    };
    let is_git_mv = |file: &TurnFile| file.marked == Marked::Whole && file.staged;
    let index = walk.marked().any(is_git_mv).then(|| messages::INDEX_STAYS.to_owned());
    // An agent at work may change the lines that are undone.
    let at_work = walk.turn().at_work_words("at work", &[]);
    let rows = std::iter::once("To be undone:".to_owned()).chain(walk.marked().map(row));
    let rows = rows.chain(index).chain(at_work);
    rows.collect::<Vec<_>>().join("\n")
}

/// Returns the result of a finish: the undone files, the refused ones, and the message.
pub(super) fn finish_result(finished: &TurnFinished) -> String {
    let row = |file: &UndoneFile| {
        let draft = file.draft.as_ref();
        let draft = draft.map(|draft| format!("; the undone text is in {}", harmless::name(draft)));
        let refused = file.refused.as_ref().map(|why| format!(": {}", harmless::name(why)));
        format!(
            "  {}{}{}",
            harmless::name(&file.path),
            refused.unwrap_or_default(),
            draft.unwrap_or_default()
        )
    };
    let (refused, undone): (Vec<_>, Vec<_>) = finished.files.iter().partition(|file| file.refused.is_some());
    let mut report = Vec::new();
    for (title, files) in [("Undone:", undone), ("Not undone:", refused)] {
        if !files.is_empty() {
            report.push(title.to_owned());
            report.extend(files.into_iter().map(row));
        }
    }
    if !finished.asked.is_empty() {
        report.push("The agent is asked to undo:".into());
        report.extend(finished.asked.iter().map(|path| format!("  {}", harmless::name(path))));
    }
    report.extend(finished.sent.as_ref().map(|sent| format!("Sent: {}", harmless::name(&sent.words))));
    let not_sent = finished.not_sent.as_ref();
    report
        .extend(not_sent.map(|why| format!("Nothing was sent, and comments wait: {}", harmless::name(why))));
    if finished.files.iter().any(|file| file.draft.is_some()) {
        report.push("`alongside drafts` lists the undone texts.".into());
    }
    match report.is_empty() {
        true => "Finished; nothing is written.".into(),
        false => report.join("\n"),
    }
}

/// Returns the prompt at the person's place. `has_more`: another page of the change follows.
pub(super) fn prompt(walk: &Walk, has_more: bool) -> String {
    let more = if has_more { "m," } else { "" };
    let action = |is_marked, subject| match is_marked {
        true => "marked to be undone".to_owned(),
        false => format!("keep {subject}"),
    };
    match walk.place() {
        Place::Hunk(file, open, hunk) => {
            let is_marked = hunk.state == HunkState::Dropped || file.marked == Marked::Whole;
            let (number, all) = (open.hunk() + 1, open.review().hunks.len());
            let new = match walk.is_new(hunk) {
                Some(true) => ", new",
                Some(false) => ", as in your last round",
                None => "",
            };
            let accepted = if walk.is_accepted(hunk) { ", accepted before the write" } else { "" };
            format!(
                "({number}/{all}{new}{accepted}) {} [y,n,{more}s,c,u,f,?]?",
                action(is_marked, "this change")
            )
        }
        Place::Whole(file, _) if file.without_undo => "the whole file stays [y,c,u,f,?]?".into(),
        Place::Whole(file, _) => {
            format!("{} [y,n,{more}c,u,f,?]?", action(!file.marked.is_nothing(), "the whole file"))
        }
        Place::End => END_PROMPT.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_for_a_change_include_its_mode() {
        let words_for = |change_kind, from: Option<&str>, executable| {
            let from = from.map(str::to_owned);
            change_words(&TurnFile { change: change_kind, from, executable, ..TurnFile::default() })
        };
        assert_eq!(
            words_for(FileChange::Renamed, Some("old\u{1b}"), Some(true)),
            "renamed from old\\x1b, now executable"
        );
        assert_eq!(words_for(FileChange::Modified, None, Some(false)), "changed, no longer executable");
        assert_eq!(words_for(FileChange::Mode, None, Some(true)), "now executable");
        assert_eq!(words_for(FileChange::Mode, None, None), "another mode");
        assert_eq!(words_for(FileChange::Renamed, Some("old"), None), "renamed from old");
    }

    #[test]
    fn help_fits_on_a_terminal_of_80_columns_and_24_rows() {
        // The prompt needs the last row.
        assert!(HELP.lines().count() < 24);
        for row in HELP.lines() {
            assert!(row.chars().count() <= 80, "{row}");
        }
    }
}
