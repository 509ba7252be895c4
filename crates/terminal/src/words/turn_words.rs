//! The words about turn reviews at the terminal desk. They never say "accept" or "reject": in a turn review a
//! change stays, or is marked and then undone.

use std::borrow::Cow;

use alongside_desk::messages::sentence;
use alongside_desk::review_model::{Note, ReviewNews};
use alongside_desk::{
    AtWork, Author, Baseline, FileChange, Marked, Refusal, Review, Turn, TurnFile, TurnMessage, harmless,
    messages,
};

use super::messages::ago;

/// The message while the companion looks for changes.
pub(crate) const LOOKING: &str = "Looking what has changed…";

/// The message while the companion reads the texts of a file.
pub(crate) const READING: &str = "Reading…";

/// The message after the person left a turn review that has marks.
pub(crate) const MARKS_WAIT: &str = "Nothing is undone yet: your marks wait. T comes back, f undoes them.";

/// The sentence in the list before leaving the desk while changes are marked.
pub(crate) const MARKS_END: &str = "Nothing of it is undone. The marks stay only while the companion runs.";

/// The answer after the message to the agent was copied to the clipboard.
pub(crate) const COPIED: &str =
    "Message copied, if your terminal allows it. The agent gets it by its own way too.";

/// Returns the warning that the message to an agent could not be pasted into the agent's pane.
pub(crate) fn not_pasted(why: &str) -> String {
    format!("{} y copies it instead.", sentence(why))
}

/// The message if the person tries to finish while no change is marked and no comment waits.
pub(crate) const NOTHING_MARKED: &str =
    "Nothing is marked: every change stays. space marks one that is to be undone, c comments.";

/// The message after the list before a finish closed, because the finish would now do something else.
pub(crate) const LIST_CHANGED: &str =
    "Nothing was undone or sent: the list has changed. Press f for the new one.";

/// The message after a change of the file on disk, once the screen shows the new text.
pub(crate) const CHANGED_NOW: &str = "The file has changed on disk; this is how it stands now.";

/// The message if the list has no other file to show.
pub(crate) const NO_OTHER_FILE: &str = "No other file has changed.";

/// The message if the file has no hunk after the current one.
pub(crate) const LAST_CHANGE: &str = "This is the last change of this file. Tab goes to the next one.";

/// The message after a key for a hunk on a file without a text, which has no hunks.
pub(crate) const WHOLE_ONLY: &str = "This file is only undone as a whole: X marks it.";

/// Returns the message that proposals wait for a decision while the turn review is on the screen. `None`: no
/// proposal waits.
pub(crate) fn reviews_wait(reviews: usize) -> Option<String> {
    match reviews {
        0 => None,
        1 => Some("1 review waits: T goes to it.".to_owned()),
        many => Some(format!("{many} reviews wait: T goes to them.")),
    }
}

/// The message after a key for a comment while a file is selected.
pub(crate) const NO_READ_COMMENT: &str =
    "a and x are for a comment that an agent has read: choose one below the files.";

/// The message after a key that decides on proposals.
pub(crate) const NO_PROPOSAL: &str =
    "Nothing waits for a yes here: what changed stays. space marks a change that is to be undone.";

/// A path, or a sentence of the companion, escaped and in one line.
pub(crate) fn harmless(text: &str) -> String {
    harmless::name(text).into_owned()
}

/// The reason why a file cannot be marked, with the key to use instead; `None` if it can be marked.
pub(crate) fn no_undo(file: &TurnFile) -> Option<String> {
    let why = file.no_undo_words()?;
    let name = harmless(file.path.trim_end_matches('/').rsplit('/').next().unwrap_or(&file.path));
    Some(format!("{name} {why}. c asks the agent."))
}

/// The letter of a change, as in `git status`.
pub(crate) fn letter(change: FileChange) -> &'static str {
    match change {
        FileChange::Added => "A",
        FileChange::Deleted => "D",
        FileChange::Modified | FileChange::Mode => "M",
        FileChange::Renamed => "R",
        FileChange::Kind => "T",
        FileChange::Unknown => "?",
    }
}

/// The description of a file's change.
pub(crate) fn change(file: &TurnFile) -> Cow<'static, str> {
    let change: Cow<'static, str> = match (file.change, &file.from) {
        (FileChange::Mode, _) => return file.executable_words().unwrap_or("only executable or not").into(),
        (FileChange::Added, _) => "new file".into(),
        (FileChange::Deleted, _) => "deleted".into(),
        (FileChange::Modified, _) => "changed".into(),
        (FileChange::Renamed, Some(from)) => format!("was {}", harmless(from)).into(),
        (FileChange::Renamed, None) => "renamed".into(),
        (FileChange::Kind, _) => "another kind of file".into(),
        (FileChange::Unknown, _) => "new or changed".into(),
    };
    match file.executable_words() {
        Some(words) => format!("{change}, {words}").into(),
        None => change,
    }
}

/// The author of a change for people; `None` for the agent.
pub(crate) fn author(author: Author) -> Option<&'static str> {
    match author {
        Author::Agent => None,
        Author::Person => Some("not the agent's"),
        Author::Both => Some("partly yours"),
        Author::Unknown => Some("unknown whose"),
    }
}

/// The note that the person accepted the file as a proposal, or has saved it.
pub(crate) fn known_by_person(file: &TurnFile) -> Option<&'static str> {
    match (file.accepted, file.saved && file.author != Author::Both) {
        (true, _) => Some("accepted before the write"),
        (false, true) => Some("saved by you, too"),
        (false, false) => None,
    }
}

/// A number of comments in words.
pub(crate) fn comments(comments: usize) -> String {
    if comments == 1 { "1 comment".into() } else { format!("{comments} comments") }
}

/// The marked part of a file, in a few letters.
pub(crate) fn marks(marked: Marked) -> Option<String> {
    match marked {
        Marked::Nothing => None,
        Marked::Hunks(hunks) => Some(format!("x {hunks}")),
        Marked::Whole => Some("x all".into()),
    }
}

/// The notes on a file in a list: its marks, its comments, its author, and the reason why it has no text.
pub(crate) fn notes(file: &TurnFile, marked: Marked, comments: usize) -> String {
    let special = match file.change {
        FileChange::Mode | FileChange::Kind | FileChange::Renamed | FileChange::Unknown => {
            Some(change(file).into_owned())
        }
        FileChange::Modified if file.executable.is_some() => Some(change(file).into_owned()),
        FileChange::Added | FileChange::Deleted | FileChange::Modified => None,
    };
    let author = author(file.told_author()).map(str::to_owned);
    let comments = (comments > 0).then(|| self::comments(comments));
    let by_person = known_by_person(file).map(str::to_owned);
    let known = file.known.then(|| "as in your last round".to_owned());
    let why = file.without_text.as_deref().map(harmless);
    let all = [marks(marked), comments, author, by_person, known, special, why];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The baseline and its age, as in `since the end of the last turn of Codex, 5 min ago`.
pub(crate) fn since(baseline: &Baseline, now: u64) -> String {
    let asked = baseline.asked.as_deref().map(|asked| format!("{}, ", harmless(asked))).unwrap_or_default();
    let age = match baseline.at.map(|at| ago(at, now)) {
        None => String::new(),
        Some(age) if age == "now" => ", just now".into(),
        Some(age) => format!(", {age} ago"),
    };
    format!("since {asked}{}{age}", harmless(&baseline.name))
}

/// A number of files in words.
pub(crate) fn count(files: usize) -> String {
    if files == 1 { "1 file".into() } else { format!("{files} files") }
}

/// The summary of a turn review in one line: `12 files changed since …`.
pub(crate) fn summary(turn: &Turn, now: u64) -> String {
    format!("{} changed {}", count(turn.files.len()), since(&turn.baseline, now))
}

/// The time in ms until an age on the screen changes; `None` if the turn review shows no age.
pub(crate) fn next_age(turn: &Turn, now: u64) -> Option<u64> {
    const MINUTE: u64 = 60_000;
    let message = turn.message.as_ref().map(|message| message.ended.or(message.read).unwrap_or(message.at));
    let at_work = turn.at_work.iter().map(|agent| agent.since);
    let since = turn.baseline.at.into_iter().chain(at_work).chain(message);
    since.map(|since| MINUTE - now.saturating_sub(since) % MINUTE).min()
}

/// The numbers of lines that were added and removed in all files.
pub(crate) fn lines(turn: &Turn) -> (usize, usize) {
    let add =
        |(added, removed): (usize, usize), file: &TurnFile| (added + file.added, removed + file.removed);
    turn.files.iter().fold((0, 0), add)
}

/// The text beside an agent that is at work: `at work, 2 min`.
pub(crate) fn at_work_since(since: u64, now: u64) -> String {
    match ago(since, now) {
        age if age == "now" => "at work".into(),
        age => format!("at work, {age}"),
    }
}

/// The sentence about the agents at work; `None` if no agent is. `rejected`: the turns that a rejection may
/// have ended.
pub(crate) fn at_work(turn: &Turn, rejected: &[AtWork], now: u64) -> Option<String> {
    let since = turn.at_work.iter().map(|agent| agent.since).min()?;
    turn.at_work_words(&at_work_since(since, now), rejected)
}

/// Returns the message that files have changed, while the turn review is not open.
pub(crate) fn waits(turn: &Turn) -> String {
    waits_for(turn, "T")
}

/// Returns the message that files have changed, for the last lines of a desk that has ended.
pub(crate) fn waits_outside(turn: &Turn) -> String {
    waits_for(turn, "`alongside --since`")
}

/// Returns the message that files have changed. `how`: the key or the command that shows them.
fn waits_for(turn: &Turn, how: &str) -> String {
    let (files, name) = (turn.files.len(), harmless(&turn.baseline.name));
    let them = if files == 1 { "it" } else { "them" };
    format!("A turn waits: {} changed since {name}; {how} shows {them}.", count(files))
}

/// Returns the message that files have changed, for a screen without a proposal.
pub(crate) fn waits_here(turn: &Turn, now: u64) -> String {
    format!("{}. Press T to look at the changes.", summary(turn, now))
}

/// Returns the message that the list on the screen has `added` more files.
pub(crate) fn more_files(added: usize) -> String {
    format!("{} more changed: L lists all.", count(added))
}

/// The state of the last message and its age: `Codex reads it with your next prompt (sent 5 min ago)`, or
/// `Codex has read it, and has ended its turn (1 min ago)`.
pub(crate) fn message(message: &TurnMessage, now: u64) -> String {
    let (what, since) = match message.ended.or(message.read) {
        Some(since) => ("", since),
        None => ("sent ", message.at),
    };
    let age = ago(since, now);
    let age = if age == "now" { "just now".into() } else { format!("{age} ago") };
    format!("{} ({what}{age})", messages::capital(&harmless(&message.words)).trim_end_matches('.'))
}

/// Returns the message that an agent has read the person's message.
pub(crate) fn read(turn: &Turn) -> String {
    let words = turn.message.as_ref().map(|message| sentence(&message.words)).unwrap_or_default();
    format!("Your message was read. {words}").trim_end().to_owned()
}

/// A refusal as a sentence, with the remedy. `key`: the key that requests another look.
pub(crate) fn refusal(refusal: &Refusal, key: char) -> String {
    let said = messages::refusal(refusal);
    match refusal {
        Refusal::NoSuchTurn | Refusal::Stale { .. } => {
            "The list of changes is another one now. Look at it again; r renews it.".into()
        }
        Refusal::TurnUnknown { .. } => format!("{said} Press {key} to try again."),
        Refusal::Other { words } if words.starts_with("there is no method") => {
            "The companion that runs is older and shows no turns. Close all its desks, then start again."
                .into()
        }
        _ => said,
    }
}

/// The notes above the text of a file.
pub(crate) fn review_notes(review: &Review) -> impl Iterator<Item = Note> {
    let stale = review.stale.then(|| "The file has changed since it was read. Press r to look again.".into());
    let dirty = review.dirty.then(|| "An editor holds unsaved changes to the file: save them first.".into());
    let whole =
        review.whole_file_only.as_deref().map(|why| format!("It is undone as a whole: {}.", harmless(why)));
    let remark = review.remark.as_deref().map(harmless);
    let warnings = [stale, dirty, whole, remark].into_iter().flatten();
    let limits = messages::coarse_changes(review);
    let warnings = warnings.map(Note::warning);
    warnings.chain(limits.map(Note::info))
}

/// The messages about a new revision of an open file. `foreign`: whether another desk has marked the file.
pub(crate) fn news(news: ReviewNews, name: &str, foreign: bool) -> Vec<String> {
    let all = [
        (foreign, format!("{name}: marked at another desk; this is how it stands now.")),
        (news.became_stale, format!("{name}: the file has changed on disk. Press r to look again.")),
        (news.became_dirty, format!("{name}: an editor now holds unsaved changes to the file.")),
    ];
    all.into_iter().filter_map(|(is_news, text)| is_news.then_some(text)).collect()
}

/// The number of marked hunks of a file: `1 marked`. Empty if no hunk is marked.
pub(crate) fn hunks_marked(marked: Marked) -> String {
    match marked {
        Marked::Nothing => String::new(),
        Marked::Hunks(hunks) => format!("{hunks} marked"),
        Marked::Whole => "all marked".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_mode_is_said_of_every_change() {
        let of = |kind, executable| {
            let from = Some("old".to_owned());
            change(&TurnFile { change: kind, from, executable, ..TurnFile::default() }).into_owned()
        };
        assert_eq!(of(FileChange::Renamed, Some(true)), "was old, now executable");
        assert_eq!(of(FileChange::Renamed, None), "was old");
        assert_eq!(of(FileChange::Modified, Some(false)), "changed, no longer executable");
        assert_eq!(of(FileChange::Mode, Some(true)), "now executable");
    }

    #[test]
    fn each_refusal_says_what_to_do() {
        let reason = "there is no git program".to_owned();
        let unknown = refusal(&Refusal::TurnUnknown { reason }, 'T');
        assert_eq!(unknown, "The changes cannot be told: there is no git program. Press T to try again.");
        let older = Refusal::Other { words: "there is no method \"alongside/reviewTurn\"".into() };
        assert!(refusal(&older, 'T').contains("start again"));
        let other = Refusal::Other { words: "some reason".into() };
        assert_eq!(refusal(&other, 'T'), "Some reason.");
        assert!(refusal(&Refusal::NoSuchTurn, 'r').contains("r renews it"));
    }

    #[test]
    fn the_age_of_a_baseline_is_told_where_it_is_known() {
        let mut baseline = Baseline { name: "the commit 1a2b3c4".into(), ..Baseline::default() };
        assert_eq!(since(&baseline, 0), "since the commit 1a2b3c4");
        baseline.asked = Some("main".into());
        assert_eq!(since(&baseline, 0), "since main, the commit 1a2b3c4");
        baseline = Baseline { at: Some(0), name: "the end of the last turn".into(), asked: None };
        assert_eq!(since(&baseline, 300_000), "since the end of the last turn, 5 min ago");
        assert_eq!(since(&baseline, 1), "since the end of the last turn, just now");
    }

    #[test]
    fn ages_hold_until_the_first_of_them_is_another_one() {
        let baseline = Baseline { at: Some(10_000), ..Baseline::default() };
        let at_work = vec![AtWork { agent: "Codex".into(), since: 75_000 }];
        let turn = Turn { baseline, at_work, ..Turn::default() };
        assert_eq!(next_age(&turn, 80_000), Some(50_000), "two minutes since the baseline");
        assert_eq!(next_age(&turn, 130_000), Some(5_000), "one minute at work");
        assert_eq!(next_age(&Turn::default(), 80_000), None);
    }

    #[test]
    fn a_message_is_as_old_as_what_is_said_of_it() {
        let said = |read, ended| {
            let words = "Codex reads it".into();
            message(&TurnMessage { words, at: 0, read, ended, ..TurnMessage::default() }, 600_000)
        };
        assert_eq!(said(None, None), "Codex reads it (sent 10 min ago)");
        assert_eq!(said(Some(60_000), None), "Codex reads it (9 min ago)");
        assert_eq!(said(Some(60_000), Some(540_000)), "Codex reads it (1 min ago)");
    }

    #[test]
    fn a_list_says_whose_a_file_is_and_what_is_not_known() {
        let file = TurnFile { author: Author::Both, saved: true, ..TurnFile::default() };
        assert_eq!(notes(&file, Marked::Nothing, 0), "partly yours");
        let file = TurnFile { author: Author::Unknown, change: FileChange::Unknown, ..TurnFile::default() };
        assert_eq!(
            (letter(file.change), &*notes(&file, Marked::Nothing, 0)),
            ("?", "unknown whose, new or changed")
        );
        // The file was an agent's proposal.
        let file = TurnFile { author: Author::Unknown, accepted: true, ..TurnFile::default() };
        assert_eq!(notes(&file, Marked::Nothing, 0), "accepted before the write");
    }
}
