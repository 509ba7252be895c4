//! The words of a finish at the terminal desk: what it undoes and sends, what it has done, and its way back.

use alongside_desk::review_model::comment_place::lines_words;
use alongside_desk::{
    FileChange, Hunk, LineRange, Marked, Review, Side, TurnFile, TurnFinished, TurnMessage, messages,
};

use super::turn_words::{count, harmless, sentence};

/// Below the list of what is undone.
pub(crate) const NOTHING_ELSE: &str =
    "Nothing else is written. The texts of before stay in `alongside drafts`.";

/// Below the list of what is sent, if nothing is undone.
pub(crate) const NOTHING_WRITTEN: &str = "Nothing is written in the project.";

/// Below what was undone.
pub(crate) const HOW_BACK: &str =
    "u takes it back, while nothing else changes there. `alongside drafts` has the texts, too.";

/// In place of a list of what is undone and sent, where there is nothing of either.
pub(crate) const ALL_STAYS: &str =
    "Nothing is to be undone or sent: all of this is reviewed. The next review begins here.";

/// The program takes an undo back.
pub(crate) const TAKING_BACK: &str = "Taking the undo back…";

/// The person wants to leave the desk while files are written: by a finish, or as an undo is taken back.
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

/// The lines of a marked hunk, and the first of them: `lines 4–7: limit = 240`. Where lines only went, the
/// old ones.
pub(crate) fn marked_lines(hunk: &Hunk, review: &Review) -> String {
    let old = review.original.as_deref().unwrap_or_default();
    let (side, lines, text) = match LineRange::of(hunk.proposed) {
        Some(lines) => (Side::New, Some(lines), &*review.proposed),
        None => (Side::Old, LineRange::of(hunk.original), old),
    };
    let Some(lines) = lines else { return String::new() };
    format!("{}: {}", lines_words(side, lines), first_words(text, lines))
}

/// The first line that comes back in the place of those of a marked hunk; `None` where lines only come, or
/// only go.
pub(crate) fn returning_line(hunk: &Hunk, review: &Review) -> Option<String> {
    let (old, _) = LineRange::of(hunk.original).zip(LineRange::of(hunk.proposed))?;
    let first = first_words(review.original.as_deref().unwrap_or_default(), old);
    Some(format!("  comes back: {first}"))
}

/// The first of some lines that has words, or none.
fn first_words(text: &str, lines: LineRange) -> String {
    let of_hunk = text.lines().skip(lines.first.saturating_sub(1)).take(lines.last + 1 - lines.first);
    let first = of_hunk.map(str::trim).find(|line| !line.is_empty());
    harmless(first.unwrap_or_default())
}

/// Whether something of a finish was not done.
pub(crate) fn is_partial(finished: &TurnFinished) -> bool {
    finished.has_refused() || finished.not_sent.is_some()
}

/// The end of a finish in a line.
pub(crate) fn finished(finished: &TurnFinished) -> String {
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

/// Files that the last finish has changed are as they were before it, or stay; so do others, which it has
/// renamed or has brought back. `sent`: the words on the message of the finish, if there was one.
pub(crate) fn taken_back(back: &[(String, Result<(), String>)], others: usize, sent: Option<&str>) -> String {
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

/// The words on the message of a finish whose undo was taken back. `sent`: when it was sent; `message`: the
/// one that waits or was read last, after that.
pub(crate) fn told_of(sent: u64, message: Option<&TurnMessage>) -> &'static str {
    match message {
        Some(message) if message.at == sent && message.read.is_some() => {
            "Your message to the agent says that it is undone."
        }
        Some(message) if message.at >= sent => {
            "Where no agent has read your message yet, it says so no more."
        }
        // The undo was all that the message told.
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
        assert_eq!(told_of(7, Some(&message(7, None))), unread);
        // Nothing else was in it, and the last one is an earlier one.
        let gone = "No agent is told of the undo any more.";
        assert_eq!((told_of(7, None), told_of(7, Some(&message(5, Some(6))))), (gone, gone));
    }

    #[test]
    fn an_undo_that_is_taken_back_says_what_stays() {
        let back =
            [("a/b.py".to_owned(), Ok(())), ("c.py".to_owned(), Err("it has changed since the undo".into()))];
        assert_eq!(
            taken_back(&back, 0, Some(told_of(7, Some(&message(7, Some(9)))))),
            "Taken back: b.py is as it was before f. Your message to the agent says that it is undone. c.py \
             stays as f has left it: It has changed since the undo."
        );
        assert_eq!(
            taken_back(&back[1..], 0, Some(told_of(7, None))),
            "c.py stays as f has left it: It has changed since the undo."
        );
        let two = [back[0].clone(), back[0].clone()];
        assert_eq!(
            taken_back(&two, 1, None),
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
            finished(&TurnFinished { files, ..TurnFinished::default() })
        };
        assert_eq!(said(&[false]), "1 file undone.");
        assert_eq!(said(&[false, false, true]), "2 files undone; 1 file could not be.");
        assert_eq!(said(&[true]), "Nothing was undone: 1 file could not be.");
        assert_eq!(said(&[]), "Finished; nothing was undone.");
    }
}
