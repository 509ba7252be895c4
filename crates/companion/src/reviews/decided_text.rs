//! A decided text, and the comparison of its file with it. Agents may write line endings, the byte-order mark
//! or the end of the last line in another form than the text has. A file that differs only in form still
//! holds the text.

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
    /// The path with symbolic links resolved.
    pub(crate) real_path: PathBuf,
    /// The accepted or rejected text.
    pub(crate) text: Arc<str>,
    /// The file at the time of the decision; `None` if unknown.
    original: Option<Fingerprint>,
    form: WrittenForm,
    /// Whether the agent deletes the file.
    deletes: bool,
    before: FileBefore,
}

/// The file before an accepted text is written.
#[derive(Debug)]
enum FileBefore {
    Nothing,
    /// The text as it was compared, and its form on disk.
    Text(Arc<str>, NormalizedOriginal),
    /// The file moves, cannot be read, or is unknown.
    Unknown,
}

/// The form in which an agent may write a text, which depends on the file before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WrittenForm {
    /// Whether the agent may write `\r\n` throughout.
    crlf: bool,
    /// Whether the agent may write `\n` throughout.
    lf: bool,
    /// Whether the agent may write a byte-order mark.
    bom: bool,
    /// Whether the agent adds a line ending to the last line.
    ends_last_line: bool,
}

/// The content of a file, compared with a decided text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoundContent {
    AsDecided,
    AsBefore,
    SomethingElse,
    Gone,
    /// The file cannot be read.
    Unknown,
}

impl DecidedText {
    /// Creates the text of an accepted review, which the agent writes.
    pub(crate) fn accepted(ended: &PendingReview) -> Self {
        let before = FileBefore::of(&ended.text.proposal);
        Self { before, ..Self::of(ended, ended.text.current().clone()) }
    }

    /// Creates the text of a rejected review, which the agent does not write.
    pub(crate) fn rejected(ended: &PendingReview) -> Self {
        Self::of(ended, ended.text.proposed().clone())
    }

    fn of(ended: &PendingReview, text: Arc<str>) -> Self {
        let (proposal, original) = (&ended.text.proposal, ended.text.last_read().clone());
        // An empty text with a remark means that the tool does more than empty the file.
        let deletes = text.is_empty()
            && !proposal.fingerprint.is_absent()
            && ended.hook().is_some_and(|hook| hook.remark.is_some());
        Self {
            file: ended.text.file_path().to_owned(),
            real_path: proposal.real_path().to_owned(),
            form: WrittenForm::of(ended),
            text,
            original: Some(original),
            deletes,
            before: FileBefore::Unknown,
        }
    }

    /// Creates a text that an earlier companion has sent to an agent. Every form of the text counts.
    pub(crate) fn of_earlier_companion(file: String, text: Arc<str>) -> Self {
        let form = WrittenForm { crlf: true, lf: true, bom: true, ends_last_line: false };
        let real_path = PathBuf::from(&file);
        Self { file, real_path, text, original: None, form, deletes: false, before: FileBefore::Unknown }
    }

    pub(crate) fn original(&self) -> Option<&Fingerprint> {
        self.original.as_ref()
    }

    /// Reads and compares the file. With `prefers_unchanged`, a file that holds the text and is unchanged
    /// counts as [`AsBefore`](FoundContent::AsBefore). Blocks.
    pub(crate) fn look(&self, prefers_unchanged: bool) -> (FoundContent, Fingerprint) {
        let now = target::fingerprint(&self.file);
        let found = self.classify(&now, prefers_unchanged, || self.read_if_text(&now).is_some());
        (found, now)
    }

    /// Compares the file as the next proposal has found it; `None` if the comparison would take too long.
    pub(crate) fn content_at_proposal(
        &self,
        next: &PendingReview,
        prefers_unchanged: bool,
    ) -> Option<FoundContent> {
        let (proposal, now) = (&next.text.proposal, next.text.last_read());
        let original = proposal.composition.original();
        if !proposal.has_file_text() || self.text.len().max(original.len()) > MAX_INLINE_BYTES {
            return None;
        }
        let on_disk = proposal.normalized.restore(original);
        Some(self.classify(now, prefers_unchanged, || self.is_text(on_disk.as_bytes(), now)))
    }

    /// Classifies the content of the file. `holds_text`: whether the file, which exists, holds the text.
    fn classify(
        &self,
        now: &Fingerprint,
        prefers_unchanged: bool,
        holds_text: impl FnOnce() -> bool,
    ) -> FoundContent {
        let is_before = self.original.as_ref().is_some_and(|original| !now.differs_from(original));
        match () {
            () if is_before && prefers_unchanged => FoundContent::AsBefore,
            () if now.is_gone() && self.deletes => FoundContent::AsDecided,
            () if !now.is_gone() && !self.deletes && holds_text() => FoundContent::AsDecided,
            () if is_before => FoundContent::AsBefore,
            () if now.is_gone() => FoundContent::Gone,
            () if now.is_unreadable() => FoundContent::Unknown,
            () => FoundContent::SomethingElse,
        }
    }

    /// Returns the bytes of the file before and now; `None` if the file does not hold the text, or if the
    /// bytes before are unknown. Blocks.
    pub(crate) fn bytes_before_and_now(&self) -> Option<(Option<Vec<u8>>, Vec<u8>)> {
        let before = match &self.before {
            FileBefore::Nothing => None,
            FileBefore::Text(text, normalized) => Some(normalized.restore(text).into_bytes()),
            FileBefore::Unknown => return None,
        };
        let now = target::fingerprint(&self.file);
        let is_there = !now.is_gone() && !self.deletes;
        Some((before, self.read_if_text(&now).filter(|_| is_there)?))
    }

    /// Reads the file. Returns its bytes if they are the text.
    fn read_if_text(&self, now: &Fingerprint) -> Option<Vec<u8>> {
        // At most four bytes in the file for one of the text, as for a line ending that becomes CRLF in
        // UTF-16, and a BOM.
        let limit = u64::try_from(self.text.len()).unwrap_or(u64::MAX).saturating_mul(4).saturating_add(8);
        let found = untrusted::read(Path::new(&self.file), limit, Whose::Anybodys);
        found.ok().filter(|found| self.is_text(found, now))
    }

    /// Whether these bytes are the text. In a file that is unchanged since the decision, only the identical
    /// bytes count, because no agent has written the text in another form.
    fn is_text(&self, found: &[u8], now: &Fingerprint) -> bool {
        let is_untouched = self.original.as_ref() == Some(now);
        if is_untouched { found == self.text.as_bytes() } else { self.form.matches(&self.text, found) }
    }
}

impl FileBefore {
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
    fn matches(self, text: &str, found: &[u8]) -> bool {
        let Some((found_bom, found)) = decode(found) else { return false };
        let (text_bom, text) = split_bom(text);
        let has_valid_bom = found_bom.is_none_or(|found| found == text_bom || found == self.bom);
        let is_text = |text: &str| {
            found == text
                || (found.replace("\r\n", "\n") == text.replace("\r\n", "\n")
                    && uniform_line_ending(&found).is_some_and(|ending| self.may_end_lines(ending)))
        };
        let is_ended = || self.ends_last_line && !text.ends_with('\n') && is_text(&format!("{text}\n"));
        has_valid_bom && (is_text(text) || is_ended())
    }

    fn may_end_lines(self, ending: LineEnding) -> bool {
        match ending {
            LineEnding::Crlf => self.crlf,
            LineEnding::Lf => self.lf,
        }
    }
}

/// Whether the tool of the agent ends the last line of a file by itself. Some tools do so only if the last
/// line had an end before.
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

/// Decodes these bytes without their byte-order mark. Returns whether UTF-8 has the mark, `None` for UTF-16,
/// which always has it; and the text.
fn decode(bytes: &[u8]) -> Option<(Option<bool>, String)> {
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
    fn a_text_counts_in_the_line_endings_of_its_file_only() {
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
            assert_eq!(form.matches(text, found.as_bytes()), is_written, "{form:?} {text:?} {found:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_counts_as_the_file_had_it() {
        let with_bom = WrittenForm { bom: true, ..UNIX };
        assert!(with_bom.matches("a\n", "\u{feff}a\n".as_bytes()) && with_bom.matches("a\n", b"a\n"));
        assert!(!UNIX.matches("a\n", "\u{feff}a\n".as_bytes()));
        assert!(UNIX.matches("\u{feff}a\n", b"a\n"), "the file had none");
        assert!(!with_bom.matches("\u{feff}a\n", b"a\n"), "the file had one, and so has the text");
    }

    #[test]
    fn a_text_counts_in_utf_16_with_a_bom_and_in_no_other_encoding() {
        let le: Vec<u8> = "\u{feff}é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}é\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(UNIX.matches("é\n", &le) && UNIX.matches("é\n", &be));
        assert!(!UNIX.matches("é\n", &le[..le.len() - 1]));
        assert!(!UNIX.matches("é\n", b"\xe9\n"));
    }
}
