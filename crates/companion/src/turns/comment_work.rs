//! The work on a comment that blocks: reading the text of its lines, and storing the comment.

use std::sync::Arc;

use alongside_desk::{CommentId, LineRange, Refusal, Side, Text};

use super::file_texts::{KnownTexts, texts};
use super::source::{Feedback, MAX_QUOTED_BYTES, NewComment, SURROUNDING_LINES, TurnLook, TurnSource};

/// The longest comment, in bytes.
const MAX_COMMENT_BYTES: usize = 64 << 10;

const TOO_LONG_TO_QUOTE: &str =
    "these lines are too long to be quoted: take fewer, or comment on the whole file";

/// The work on a comment.
#[derive(Debug)]
pub(super) enum CommentWork {
    /// Adds a comment, which still lacks the text of its lines. `known`: the texts of the file, if it is
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
    /// Carries out the work. Returns the comments after it; `None` if the comment is stored but the comments
    /// cannot be read.
    pub(super) fn run(self, source: &dyn TurnSource, look: &TurnLook) -> Result<Option<Feedback>, Refusal> {
        match self {
            Self::Add { comment, known } => {
                let comment = with_quoted_lines(source, look, *comment, known)?;
                source.add_comment(look, &comment)?;
            }
            Self::Change { id, text } => source.change_comment(look, id, &text)?,
        }
        // The comment is stored from here on. After a refusal, the person would write it again.
        Ok(source.feedback(look).inspect_err(|reason| tracing::warn!(reason, "comments cannot be read")).ok())
    }
}

/// Returns the text of a comment without whitespace at both ends.
///
/// # Errors
/// When the text is too long.
pub(super) fn trimmed_text(text: &str) -> Result<String, Refusal> {
    if text.len() > MAX_COMMENT_BYTES {
        return Err(not_kept_refusal("it is longer than 64 KB"));
    }
    Ok(text.trim().to_owned())
}

pub(super) fn not_kept_refusal(reason: &str) -> Refusal {
    Refusal::CommentNotKept { reason: reason.to_owned() }
}

/// Returns the comment with the text of its lines.
fn with_quoted_lines(
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
    let before = text.lines(range.start.saturating_sub(SURROUNDING_LINES)..range.start).to_owned();
    let after = text.lines(range.end..(range.end + SURROUNDING_LINES).min(text.len())).to_owned();
    if code.len().max(before.len()).max(after.len()) > MAX_QUOTED_BYTES {
        return Err(not_kept_refusal(TOO_LONG_TO_QUOTE));
    }
    Ok(NewComment { code, before, after, ..comment })
}

pub(super) fn out_of_range(lines: LineRange) -> Refusal {
    Refusal::OutOfRange { place: lines.to_string() }
}
