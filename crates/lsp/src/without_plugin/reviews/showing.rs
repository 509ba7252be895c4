//! The ways in which a person gets to see a proposal: its announcement, its document, the text before it, and
//! the way back.

use alongside_desk::messages as desk_messages;

use super::waiting_review::WaitingReview;
use crate::io::Io;
use crate::uri;
use crate::without_plugin::commands::hunks_at_lines::next_line;
use crate::without_plugin::editor::{Editor, Question};
use crate::without_plugin::messages;
use crate::without_plugin::messages::one_line_messages;
use crate::without_plugin::open_documents::document::DocumentKey;

/// Announces the new review to the person; `others` wait as well.
pub(crate) fn announce(waiting: &WaitingReview, io: &mut Io, editor: &mut Editor, others: usize) {
    let path = waiting.document.path().filter(|_| !editor.can_show_documents());
    let kind = editor.kind();
    let (review, roots) = (waiting.review(), editor.roots());
    let message = match (path, kind.showing_key()) {
        (None, Some(key)) => one_line_messages::announced(review, roots, key, others),
        // The mark in the file says how to see the review.
        (None, None) if kind.brief => desk_messages::proposes(review),
        _ => messages::announced(review, roots, path, kind.language_command.is_some()),
    };
    if kind.prompts && path.is_none() {
        let question = Question::Announced(review.id);
        editor.ask(io, &message, [messages::LATER, messages::REVIEW], question);
    } else {
        editor.inform_about(io, review, message);
    }
}

/// Shows the proposal at the first change after a line, to a person who is in the document `from`.
pub(crate) fn show(
    waiting: &mut WaitingReview,
    io: &mut Io,
    editor: &mut Editor,
    after: Option<usize>,
    from: Option<DocumentKey>,
) {
    waiting.take_saved(io, editor);
    let target = editor.documents.key_of(&waiting.review().file);
    waiting.shown_from = from.filter(|from| *from != target).or_else(|| waiting.shown_from.take());
    waiting.document.refresh_file();
    let Some(uri) = waiting.document.path().and_then(uri::of_path) else {
        let message = messages::no_file(waiting.review(), editor.roots());
        return editor.warn_about(io, waiting.review(), message);
    };
    match editor.can_show_documents() {
        true => {
            editor.show_proposal(io, waiting.review().id, &uri, next_line(waiting.review(), after));
        }
        false => show_by_hand(waiting, io, editor),
    }
}

/// Names the file to open, in an editor that shows no documents on request.
pub(crate) fn show_by_hand(waiting: &WaitingReview, io: &Io, editor: &Editor) {
    if let Some(path) = waiting.document.path() {
        editor.inform(io, &messages::open_by_hand(waiting.review(), editor.roots(), path));
    }
}

/// Shows the text before the proposal: as a document of ours, or as a file in editors that know only
/// those.
pub(crate) fn show_original(waiting: &mut WaitingReview, io: &mut Io, editor: &mut Editor) {
    let Some(original) = waiting.review().original.clone() else {
        return editor.inform(io, messages::NO_ORIGINAL);
    };
    let shows = editor.can_show_documents();
    if shows && editor.knows_our_documents() {
        let name = waiting.document.path().and_then(|path| path.file_name()).unwrap_or_default();
        if let Some(uri) = uri::of_original(waiting.review().id, &name.to_string_lossy()) {
            return editor.show_document(io, &uri);
        }
    }
    let Some(path) = waiting.document.copy.write_original(&original) else {
        return editor.warn(io, messages::CANNOT_WRITE_ORIGINAL);
    };
    match uri::of_path(path).filter(|_| shows) {
        Some(uri) => editor.show_document(io, &uri),
        None => editor.inform(io, &messages::original_by_hand(path)),
    }
}

/// Returns the document to show after a decision: the target, or the document from which the person came.
/// `None` if the proposal is not open, or the editor cannot show a document.
pub(crate) fn way_back(
    waiting: &WaitingReview,
    editor: &Editor,
    target: &DocumentKey,
) -> Option<DocumentKey> {
    let back = if target.is_file() { Some(target) } else { waiting.shown_from.as_ref() };
    let can_return = waiting.document.phase.opened().is_some() && editor.can_show_documents();
    back.filter(|back| can_return && !(editor.kind().strict_uris && uri::is_escaped(back))).cloned()
}
