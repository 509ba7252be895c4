//! The words of a finish at the terminal desk: its plan, its result, and the way to take it back.

use alongside_desk::messages::sentence;
use alongside_desk::review_model::comment_place::lines_words;
use alongside_desk::{
    FileChange, Hunk, LineRange, Marked, Review, Side, TurnFile, TurnFinished, TurnMessage, messages,
};

use super::turn_words::{count, harmless};

/// The sentence below the list of marked changes.
pub(crate) const NOTHING_ELSE: &str =
    "Nothing else is written. The texts of before stay in `alongside drafts`.";

/// The sentence below the list of comments, if no change is marked.
pub(crate) const NOTHING_WRITTEN: &str = "Nothing is written in the project.";

/// The sentence below the list of undone files.
pub(crate) const HOW_BACK: &str =
    "u takes it back, while nothing else changes there. `alongside drafts` has the texts, too.";

/// The sentence for a finish that undoes no change and sends no comment.
pub(crate) const ALL_STAYS: &str =
    "Nothing is to be undone or sent: all of this is reviewed. The next review begins here.";

/// The message while the companion takes an undo back.
pub(crate) const TAKING_BACK: &str = "Taking the undo back…";

/// Returns the message if the person leaves the desk while files are written. `is_taking_back`: whether the
/// companion takes an undo back, instead of finishing a review.
pub(crate) fn leaves_then(is_taking_back: bool) -> &'static str {
    match is_taking_back {
        true => "Taking the undo back… The desk closes once that is done.",
        false => "Undoing what is marked… The desk closes once that is done.",
    }
}

/// The consequence of an undo for a file.
pub(crate) fn undoing(file: &TurnFile, marked: Marked, hunks: Option<usize>) -> String {
    match (marked, file.change) {
        (Marked::Nothing, _) => String::new(),
        (Marked::Hunks(marked), _) => match hunks {
            Some(hunks) => format!("{marked} of {}", messages::changes(hunks)),
            None => messages::changes(marked),
        },
        (Marked::Whole, FileChange::Added) => "the new file is removed".into(),
        (Marked::Whole, FileChange::Deleted) => "the file comes back".into(),
        (Marked::Whole, FileChange::Renamed) => match &file.from {
            Some(from) => format!("all of it: it is {} again", harmless(from)),
            None => "all of it".into(),
        },
        (Marked::Whole, FileChange::Modified | FileChange::Mode | FileChange::Kind | FileChange::Unknown) => {
            "all of it".into()
        }
    }
}

/// The lines of a marked hunk with the first of them, as in `lines 4–7: limit = 240`. For a hunk that only
/// removes lines, the old lines.
pub(crate) fn marked_lines(hunk: &Hunk, review: &Review) -> String {
    let old = review.original.as_deref().unwrap_or_default();
    let (side, lines, text) = match LineRange::of(hunk.proposed) {
        Some(lines) => (Side::New, Some(lines), &*review.proposed),
        None => (Side::Old, LineRange::of(hunk.original), old),
    };
    let Some(lines) = lines else { return String::new() };
    format!("{}: {}", lines_words(side, lines), first_words(text, lines))
}

/// The first old line that returns if a marked hunk is undone; `None` if the hunk only adds or only removes
/// lines.
pub(crate) fn returning_line(hunk: &Hunk, review: &Review) -> Option<String> {
    let (old, _) = LineRange::of(hunk.original).zip(LineRange::of(hunk.proposed))?;
    let first = first_words(review.original.as_deref().unwrap_or_default(), old);
    Some(format!("  comes back: {first}"))
}

/// The first line in a range that is not empty, or an empty text.
fn first_words(text: &str, lines: LineRange) -> String {
    let of_hunk = text.lines().skip(lines.first.saturating_sub(1)).take(lines.last + 1 - lines.first);
    let first = of_hunk.map(str::trim).find(|line| !line.is_empty());
    harmless(first.unwrap_or_default())
}

/// Whether a part of a finish was refused or not sent.
pub(crate) fn is_partial(finished: &TurnFinished) -> bool {
    finished.has_refused() || finished.not_sent.is_some()
}

/// The result of a finish in one line.
pub(crate) fn result(finished: &TurnFinished) -> String {
    let undone = undone(finished);
    let sent = match (&finished.sent, &finished.not_sent) {
        (Some(sent), _) => format!("Sent: {}", sentence(&sent.words)),
        (None, Some(why)) => format!("Nothing was sent: {}", sentence(why)),
        (None, None) if undone.is_empty() => "Finished; nothing was undone.".into(),
        (None, None) => String::new(),
    };
    [undone, sent].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn undone(finished: &TurnFinished) -> String {
    let refused = finished.files.iter().filter(|file| file.refused.is_some()).count();
    match (finished.files.len() - refused, refused) {
        (0, 0) => match finished.asked.len() {
            0 => String::new(),
            asked => format!("The agent is asked to undo {}.", count(asked)),
        },
        (undone, 0) => format!("{} undone.", count(undone)),
        (0, refused) => format!("Nothing was undone: {} could not be.", count(refused)),
        (undone, refused) => format!("{} undone; {} could not be.", count(undone), count(refused)),
    }
}

/// The result of taking the last finish back. `back`: success, or the reason why the file stays, for each
/// file. `others`: the number of files that the finish has renamed or restored, which stay. `sent`: the
/// sentence about the message of the finish, if there was one.
pub(crate) fn taking_back_result(
    back: &[(String, Result<(), String>)],
    others: usize,
    sent: Option<&str>,
) -> String {
    let name = |file: &str| harmless(file.rsplit('/').next().unwrap_or(file));
    let done: Vec<_> = back.iter().filter(|(_, done)| done.is_ok()).collect();
    let done = match &*done {
        [] => None,
        [(path, _)] => Some(format!("Taken back: {} is as it was before f.", name(path))),
        files => Some(format!("Taken back: {} are as they were before f.", count(files.len()))),
    };
    let sent = sent.filter(|_| done.is_some()).map(str::to_owned);
    let others = match others {
        0 => None,
        others => Some(format!("f has renamed or brought back {}: that stays.", count(others))),
    };
    let stays = back.iter().filter_map(|(path, done)| Some((path, done.as_ref().err()?)));
    let stays = stays.map(|(path, why)| format!("{} stays as f has left it: {}", name(path), sentence(why)));
    done.into_iter().chain(sent).chain(stays).chain(others).collect::<Vec<_>>().join(" ")
}

/// The sentence about the message of a finish whose undo was taken back. `sent`: the time at which that
/// message was sent. `message`: the message that waits now, or was read last.
pub(crate) fn message_state(sent: u64, message: Option<&TurnMessage>) -> &'static str {
    match message {
        Some(message) if message.at == sent && message.read.is_some() => {
            "Your message to the agent says that it is undone."
        }
        Some(message) if message.at >= sent => {
            "Where no agent has read your message yet, it says so no more."
        }
        // The message was only about the undo, so it has been withdrawn.
        Some(_) | None => "No agent is told of the undo any more.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(at: u64, read: Option<u64>) -> TurnMessage {
        TurnMessage { at, read, ..TurnMessage::default() }
    }

    #[test]
    fn an_undo_that_is_taken_back_says_what_its_message_says() {
        let unread = "Where no agent has read your message yet, it says so no more.";
        assert_eq!(message_state(7, Some(&message(7, None))), unread);
        // The message was only about the undo, and the last message is an earlier one.
        let gone = "No agent is told of the undo any more.";
        assert_eq!((message_state(7, None), message_state(7, Some(&message(5, Some(6))))), (gone, gone));
    }

    #[test]
    fn an_undo_that_is_taken_back_says_what_stays() {
        let back =
            [("a/b.py".to_owned(), Ok(())), ("c.py".to_owned(), Err("it has changed since the undo".into()))];
        assert_eq!(
            taking_back_result(&back, 0, Some(message_state(7, Some(&message(7, Some(9)))))),
            "Taken back: b.py is as it was before f. Your message to the agent says that it is undone. c.py \
             stays as f has left it: It has changed since the undo."
        );
        assert_eq!(
            taking_back_result(&back[1..], 0, Some(message_state(7, None))),
            "c.py stays as f has left it: It has changed since the undo."
        );
        let two = [back[0].clone(), back[0].clone()];
        assert_eq!(
            taking_back_result(&two, 1, None),
            "Taken back: 2 files are as they were before f. f has renamed or brought back 1 file: that stays."
        );
    }

    #[test]
    fn an_end_says_what_could_not_be_undone() {
        let file = |refused: bool| alongside_desk::UndoneFile {
            refused: refused.then(|| "why".to_owned()),
            ..Default::default()
        };
        let said = |files: &[bool]| {
            let files = files.iter().map(|refused| file(*refused)).collect();
            result(&TurnFinished { files, ..TurnFinished::default() })
        };
        assert_eq!(said(&[false]), "1 file undone.");
        assert_eq!(said(&[false, false, true]), "2 files undone; 1 file could not be.");
        assert_eq!(said(&[true]), "Nothing was undone: 1 file could not be.");
        assert_eq!(said(&[]), "Finished; nothing was undone.");
    }
}
