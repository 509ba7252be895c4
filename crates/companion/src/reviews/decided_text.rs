//! A decided text, and the comparison of its file with it. Agents write line ends, a byte-order mark or the
//! last line end in another form than the text has. A file with such a difference only still holds the
//! text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_contract::agents::with_hook;
use alongside_contract::hook::{Replacing, ToolArguments};
use alongside_desk::LineEnding;
use alongside_platform::Os;
use alongside_platform::untrusted::{self, Whose};

use super::line_endings::{NormalizedOriginal, uniform_line_ending};
use super::proposal::PreparedProposal;
use super::review::PendingReview;
use super::target::{self, Fingerprint};
use crate::long_work::MAX_INLINE_BYTES;

const BOM: char = '\u{feff}';

/// A text, and the file for which it was decided.
#[derive(Debug)]
pub(crate) struct DecidedText {
    /// The path as the agent spells it.
    pub(crate) file: String,
    /// The path without links.
    pub(crate) real: PathBuf,
    pub(crate) text: Arc<str>,
    /// The file at the time of the decision; `None` if it is not known.
    original: Option<Fingerprint>,
    form: WrittenForm,
    /// Whether the agent deletes the file.
    deletes: bool,
    before: Before,
}

/// The file before an accepted text is written.
#[derive(Debug)]
enum Before {
    Nothing,
    /// The text as it was compared, and its form on disk.
    Text(Arc<str>, NormalizedOriginal),
    /// The file moves, cannot be read, or is not known.
    Unknown,
}

/// The form in which an agent may write a text, which it takes from the file before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WrittenForm {
    /// The line ends that the agent may write throughout.
    crlf: bool,
    lf: bool,
    /// Whether the agent may write a byte-order mark.
    bom: bool,
    /// Whether the agent ends the last line.
    ends_last_line: bool,
}

/// The content of a file, compared with a decided text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    AsDecided,
    AsBefore,
    SomethingElse,
    Gone,
    /// The file cannot be read.
    Unknown,
}

impl DecidedText {
    /// The text that was accepted: the agent writes it.
    pub(crate) fn accepted(ended: &PendingReview) -> Self {
        let before = Before::of(&ended.text.proposal);
        Self { before, ..Self::of(ended, ended.text.current().clone()) }
    }

    /// The text that was rejected: the agent does not write it.
    pub(crate) fn rejected(ended: &PendingReview) -> Self {
        Self::of(ended, ended.text.proposed().clone())
    }

    fn of(ended: &PendingReview, text: Arc<str>) -> Self {
        let (proposal, original) = (&ended.text.proposal, ended.text.seen().clone());
        // An empty text and a remark: the tool does more than emptying the file.
        let deletes = text.is_empty()
            && !proposal.fingerprint.is_absent()
            && ended.hook().is_some_and(|hook| hook.remark.is_some());
        Self {
            file: ended.text.file_path().to_owned(),
            real: proposal.real_path().to_owned(),
            form: WrittenForm::of(ended),
            text,
            original: Some(original),
            deletes,
            before: Before::Unknown,
        }
    }

    /// A text that an earlier companion has given to an agent. Every form of it counts.
    pub(crate) fn of_before(file: String, text: Arc<str>) -> Self {
        let form = WrittenForm { crlf: true, lf: true, bom: true, ends_last_line: false };
        let real = PathBuf::from(&file);
        Self { file, real, text, original: None, form, deletes: false, before: Before::Unknown }
    }

    pub(crate) fn original(&self) -> Option<&Fingerprint> {
        self.original.as_ref()
    }

    /// Reads and compares the file. `is_before_first`: a file that both holds the text and is as before
    /// counts as before. Blocks.
    pub(crate) fn look(&self, is_before_first: bool) -> (Found, Fingerprint) {
        let now = target::fingerprint(&self.file);
        let found = self.found(&now, is_before_first, || self.held(&now).is_some());
        (found, now)
    }

    /// Compares the file as the next proposal has found it; `None` if that takes too long.
    pub(crate) fn found_by(&self, next: &PendingReview, is_before_first: bool) -> Option<Found> {
        let (proposal, now) = (&next.text.proposal, next.text.seen());
        let original = proposal.composition.original();
        if !proposal.has_file_text() || self.text.len().max(original.len()) > MAX_INLINE_BYTES {
            return None;
        }
        let on_disk = proposal.normalized.restored(original);
        Some(self.found(now, is_before_first, || self.is_text(on_disk.as_bytes(), now)))
    }

    /// `holds_text`: whether the file, which is there, holds the text.
    fn found(&self, now: &Fingerprint, is_before_first: bool, holds_text: impl FnOnce() -> bool) -> Found {
        let is_before = self.original.as_ref().is_some_and(|original| !now.differs_from(original));
        match () {
            () if is_before && is_before_first => Found::AsBefore,
            () if now.is_gone() && self.deletes => Found::AsDecided,
            () if !now.is_gone() && !self.deletes && holds_text() => Found::AsDecided,
            () if is_before => Found::AsBefore,
            () if now.is_gone() => Found::Gone,
            () if now.is_unreadable() => Found::Unknown,
            () => Found::SomethingElse,
        }
    }

    /// The bytes of the file before and now; `None` if the file does not hold the text, or either is not
    /// known. Blocks.
    pub(crate) fn written(&self) -> Option<(Option<Vec<u8>>, Vec<u8>)> {
        let before = match &self.before {
            Before::Nothing => None,
            Before::Text(text, normalized) => Some(normalized.restored(text).into_bytes()),
            Before::Unknown => return None,
        };
        let now = target::fingerprint(&self.file);
        let is_there = !now.is_gone() && !self.deletes;
        Some((before, self.held(&now).filter(|_| is_there)?))
    }

    /// The bytes of the file, if the file holds the text.
    fn held(&self, now: &Fingerprint) -> Option<Vec<u8>> {
        // Four bytes in the file for each of the text: CRLF in UTF-16 for a line end; and some for a mark.
        let limit = u64::try_from(self.text.len()).unwrap_or(u64::MAX).saturating_mul(4).saturating_add(8);
        let found = untrusted::read(Path::new(&self.file), limit, Whose::Anybodys);
        found.ok().filter(|found| self.is_text(found, now))
    }

    /// Whether these bytes are the text. If the file is unchanged since the decision, no agent has written
    /// it in another form, so only the very bytes count.
    fn is_text(&self, found: &[u8], now: &Fingerprint) -> bool {
        let is_untouched = self.original.as_ref() == Some(now);
        if is_untouched { found == self.text.as_bytes() } else { self.form.writes(&self.text, found) }
    }
}

impl Before {
    fn of(proposal: &PreparedProposal) -> Self {
        let (composition, normalized) = (&proposal.composition, &proposal.normalized);
        match () {
            () if proposal.has_file_text() => Self::Text(composition.original().clone(), normalized.clone()),
            () if proposal.fingerprint.is_absent() && !proposal.is_comparable() => Self::Nothing,
            () => Self::Unknown,
        }
    }
}

impl WrittenForm {
    fn of(ended: &PendingReview) -> Self {
        let proposal = &ended.text.proposal;
        if proposal.fingerprint.is_absent() {
            let crlf = Os::HERE == Os::Windows;
            return Self { crlf, lf: !crlf, bom: false, ends_last_line: ends_last_lines(ended, false) };
        }
        let (original, normalized) = (proposal.composition.original(), &proposal.normalized);
        let is_text = normalized.whole_file_only.is_none();
        let (crlf, lf) = match normalized.file_line_ending.or_else(|| uniform_line_ending(original)) {
            Some(LineEnding::Crlf) => (true, false),
            Some(LineEnding::Lf) => (false, true),
            // The file has both line ends, or none.
            None => (original.contains('\n'), original.contains('\n')),
        };
        let bom = normalized.file_has_bom.unwrap_or_else(|| original.starts_with(BOM));
        let ends_last_line = ends_last_lines(ended, original.ends_with('\n'));
        Self { crlf: crlf || !is_text, lf: lf || !is_text, bom, ends_last_line }
    }

    /// Whether these bytes are the text in this form.
    fn writes(self, text: &str, found: &[u8]) -> bool {
        let Some((found_bom, found)) = decoded(found) else { return false };
        let (text_bom, text) = split_bom(text);
        let is_marked = found_bom.is_none_or(|found| found == text_bom || found == self.bom);
        let is_text = |text: &str| {
            found == text
                || (found.replace("\r\n", "\n") == text.replace("\r\n", "\n")
                    && uniform_line_ending(&found).is_some_and(|ending| self.may_end_lines(ending)))
        };
        let is_ended = || self.ends_last_line && !text.ends_with('\n') && is_text(&format!("{text}\n"));
        is_marked && (is_text(text) || is_ended())
    }

    fn may_end_lines(self, ending: LineEnding) -> bool {
        match ending {
            LineEnding::Crlf => self.crlf,
            LineEnding::Lf => self.lf,
        }
    }
}

/// Whether the tool of the agent ends the last line of a file by itself. Some tools do if the last line was
/// ended before.
fn ends_last_lines(ended: &PendingReview, was_ended: bool) -> bool {
    let ends = |arguments: &ToolArguments| match arguments {
        ToolArguments::Edits(edit) => was_ended && edit.replacing == Replacing::LastLineEndStays,
        ToolArguments::Patch { .. } => true,
        ToolArguments::File(_) | ToolArguments::Cell => false,
    };
    let name = ended.hook().map(|hook| hook.agent.as_str());
    let mut rows = with_hook().filter(|agent| name == Some(agent.display_name));
    rows.any(|agent| agent.hook.tools.iter().any(|tool| ends(&tool.arguments)))
}

/// The text in these bytes, without a byte-order mark, and whether UTF-8 has one. UTF-16 always does.
fn decoded(bytes: &[u8]) -> Option<(Option<bool>, String)> {
    let utf_16 = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|unit| of([unit[0], unit[1]])).collect();
        bytes.len().is_multiple_of(2).then(|| String::from_utf16(&units).ok()).flatten()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf_16(rest, u16::from_le_bytes).map(|text| (None, text)),
        [0xfe, 0xff, rest @ ..] => utf_16(rest, u16::from_be_bytes).map(|text| (None, text)),
        _ => std::str::from_utf8(bytes).ok().map(|text| {
            let (bom, text) = split_bom(text);
            (Some(bom), text.to_owned())
        }),
    }
}

fn split_bom(text: &str) -> (bool, &str) {
    text.strip_prefix(BOM).map_or((false, text), |rest| (true, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIX: WrittenForm = WrittenForm { crlf: false, lf: true, bom: false, ends_last_line: false };

    #[test]
    fn a_text_counts_in_the_line_ends_of_its_file_and_in_no_others() {
        let dos = WrittenForm { crlf: true, lf: false, ..UNIX };
        for (form, text, found, is_written) in [
            (UNIX, "a\nb\n", "a\nb\n", true),
            (UNIX, "a\nb\n", "a\r\nb\r\n", false),
            (UNIX, "a\r\nb\r\n", "a\nb\n", true),
            (dos, "a\nb\n", "a\r\nb\r\n", true),
            (dos, "a\nb\n", "a\nb\n", true),
            (dos, "a\nb\n", "a\r\nb\n", false),
            (dos, "a\r\nb\n", "a\r\nb\n", true),
            (UNIX, "a\n", "a", false),
            (UNIX, "a\n", "a\n\n", false),
            (WrittenForm { ends_last_line: true, ..UNIX }, "a", "a\n", true),
            (UNIX, "a", "a\n", false),
        ] {
            assert_eq!(form.writes(text, found.as_bytes()), is_written, "{form:?} {text:?} {found:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_counts_as_the_file_had_it() {
        let marked = WrittenForm { bom: true, ..UNIX };
        assert!(marked.writes("a\n", "\u{feff}a\n".as_bytes()) && marked.writes("a\n", b"a\n"));
        assert!(!UNIX.writes("a\n", "\u{feff}a\n".as_bytes()));
        assert!(UNIX.writes("\u{feff}a\n", b"a\n"), "the file had none");
        assert!(!marked.writes("\u{feff}a\n", b"a\n"), "the file had one, and so has the text");
    }

    #[test]
    fn a_text_counts_in_utf_16_with_a_mark_and_in_no_other_encoding() {
        let le: Vec<u8> = "\u{feff}é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}é\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(UNIX.writes("é\n", &le) && UNIX.writes("é\n", &be));
        assert!(!UNIX.writes("é\n", &le[..le.len() - 1]));
        assert!(!UNIX.writes("é\n", b"\xe9\n"));
    }
}
