//! The work on a comment that blocks: reads the text of its lines, and has the source keep the comment.

use std::sync::Arc;

use alongside_desk::{CommentId, LineRange, Refusal, Side, Text};

use super::file_texts::{KnownTexts, texts};
use super::source::{AROUND, Feedback, MAX_CODE, NewComment, TurnLook, TurnSource};

/// The longest comment, in bytes.
const MAX_WORDS: usize = 64 << 10;

const TOO_LONG: &str = "these lines are too long to be quoted: take fewer, or comment on the whole file";

#[derive(Debug)]
pub(super) enum CommentWork {
    /// Adds a comment, which still lacks the text of its lines. `known` are the texts of the file, if it is
    /// open.
    Add {
        comment: Box<NewComment>,
        known: Option<KnownTexts>,
    },
    Change {
        id: CommentId,
        text: String,
    },
}

impl CommentWork {
    /// Does the work. Returns the comments after it; `None` if the comment is kept but the comments cannot
    /// be read.
    pub(super) fn run(self, source: &dyn TurnSource, look: &TurnLook) -> Result<Option<Feedback>, Refusal> {
        match self {
            Self::Add { comment, known } => {
                let comment = quoted(source, look, *comment, known)?;
                source.add_comment(look, &comment)?;
            }
            Self::Change { id, text } => source.change_comment(look, id, &text)?,
        }
        // The comment is kept from here on. After a refusal, the person would write it again.
        Ok(source.feedback(look).inspect_err(|reason| tracing::warn!(reason, "comments cannot be read")).ok())
    }
}

/// The words of a comment without the space around them.
///
/// # Errors
/// When they are too long.
pub(super) fn words(text: &str) -> Result<String, Refusal> {
    if text.len() > MAX_WORDS {
        return Err(not_kept("it is longer than 64 KB"));
    }
    Ok(text.trim().to_owned())
}

pub(super) fn not_kept(reason: &str) -> Refusal {
    Refusal::CommentNotKept { reason: reason.to_owned() }
}

/// The comment with the text of its lines.
fn quoted(
    source: &dyn TurnSource,
    look: &TurnLook,
    comment: NewComment,
    known: Option<KnownTexts>,
) -> Result<NewComment, Refusal> {
    let (Some(file), Some(lines)) = (&comment.file, comment.lines) else { return Ok(comment) };
    let (before, now) = match known {
        Some(known) => known,
        None => texts(source, look, file)?.0,
    };
    let text: Arc<str> = match comment.side {
        Side::New => now,
        Side::Old => before.unwrap_or_default(),
    };
    let text = Text::new(text);
    if lines.first == 0 || lines.last < lines.first || lines.last > text.len() {
        return Err(out_of_range(lines));
    }
    let range = lines.lines();
    let code = text.lines(range.start..range.end).to_owned();
    let before = text.lines(range.start.saturating_sub(AROUND)..range.start).to_owned();
    let after = text.lines(range.end..(range.end + AROUND).min(text.len())).to_owned();
    if code.len().max(before.len()).max(after.len()) > MAX_CODE {
        return Err(not_kept(TOO_LONG));
    }
    Ok(NewComment { code, before, after, ..comment })
}

pub(super) fn out_of_range(lines: LineRange) -> Refusal {
    Refusal::OutOfRange { place: lines.to_string() }
}
