//! A hunk as a unified diff, page by page if it is long. The context is the file as it is, whatever other
//! hunks make of it.

use std::ops::Range;

use alongside_desk::{Hunk, HunkState, Lines, Review, Text, harmless, messages};
use alongside_terminal::{HunkMarks, LineMarks, cut_at};

use super::changed_line::{LONGEST_LINE, TAB, changed_line};
use super::printer::{Ink, Look};

/// Lines of context around a hunk.
const CONTEXT: usize = 3;

/// A page has so many lines of each side at most.
pub(super) const MOST_LINES: usize = 2_000;

/// The rows of a page that are no lines of a change: its place, the context on both sides, and the prompt.
const OTHER_ROWS: usize = 2 + 2 * CONTEXT;

/// The name of a function or heading takes so many columns at most.
const LONGEST_NAME: usize = 60;

/// The origin of the hunks that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A proposal: the current text is the one that may be accepted.
    Proposal,
    /// A turn: the proposed text is on disk, and dropped hunks are to be undone.
    Turn,
}

/// A hunk or a whole text as it is printed, or a page of it.
pub(super) struct Page {
    /// Its lines.
    pub(super) text: String,
    /// The lines of the original and of the proposal of which all is printed now; none if a part of a line is
    /// cut that changes.
    pub(super) seen: Option<(Lines, Lines)>,
    /// Whether the person's own lines are printed in the place of those of the proposal.
    pub(super) is_edited: bool,
    /// Whether another page follows.
    pub(super) has_more: bool,
}

impl Origin {
    fn state(self, state: HunkState) -> Option<&'static str> {
        match (self, state) {
            (_, HunkState::Kept) => None,
            (Self::Proposal, HunkState::Dropped) => Some("dropped so far"),
            (Self::Turn, HunkState::Dropped) => Some("marked to be undone"),
            (_, HunkState::Edited) => Some("edited by hand"),
        }
    }

    /// The first of the new lines, in the text whose lines the person knows by number.
    fn first_line(self, hunk: &Hunk) -> usize {
        match self {
            // Other hunks may have been dropped.
            Self::Proposal => hunk.current.start,
            Self::Turn => hunk.proposed.start,
        }
    }

    /// Whether `\r\n` ends lines throughout, so that `\r` is not worth showing on each.
    fn has_crlf(self, original: &str, proposed: &str) -> bool {
        match self {
            Self::Proposal => is_crlf(proposed),
            // Nothing is normalised there: line ends that changed are a change.
            Self::Turn => is_crlf(proposed) && (original.is_empty() || is_crlf(original)),
        }
    }

    /// The way to lines that are not shown.
    fn remedy(self, review: &Review) -> &'static str {
        match self {
            // No person edits it.
            Self::Proposal if review.whole_file_only.is_some() => "; m shows the next ones",
            Self::Proposal => "; m shows the next ones, e the whole text in your editor",
            Self::Turn => ", not shown here",
        }
    }
}

/// A page of a hunk; of one that is not there, the last one. Below the lines stand why some that look the
/// same differ, and the person's reason.
pub(super) fn hunk_page(origin: Origin, review: &Review, hunk: &Hunk, page: usize, look: Look) -> Page {
    let original = Text::new(review.original.clone().unwrap_or_default());
    let (new_text, new) = match hunk.state {
        HunkState::Edited => (Text::new(review.current.clone()), hunk.current),
        HunkState::Kept | HunkState::Dropped => (Text::new(review.proposed.clone()), hunk.proposed),
    };
    let most = most_lines(look, hunk.original.len().min(new.len()));
    let pages = pages(hunk, look);
    let page = page.min(pages - 1);
    let (old_part, new_part) = (part(hunk.original, page, most), part(new, page, most));
    let before = hunk.original.start.min(CONTEXT);
    let after = original.len().saturating_sub(hunk.original.end).min(CONTEXT);
    let marks = HunkMarks::new(review, hunk);
    let (removed, added) = match hunk.state {
        HunkState::Dropped => (Ink::Dropped, Ink::Dropped),
        HunkState::Kept | HunkState::Edited => (Ink::Removed, Ink::Added),
    };
    let crlf = origin.has_crlf(original.text(), &review.proposed);
    let mut show = Show { look, crlf, lines: Vec::new(), is_cut: false };
    let place = place(origin, hunk, (before, after), new);
    let about = [
        origin.state(hunk.state).map(str::to_owned),
        (page > 0).then(|| "goes on".to_owned()),
        marks.enclosing().map(|name| format!("in {}", short(name))),
    ];
    let about: Vec<_> = about.into_iter().flatten().collect();
    let about = if about.is_empty() { String::new() } else { format!(" {}", about.join(", ")) };
    show.lines.push(look.inks.ink(Ink::Mark, &format!("{place}{about}")));
    if page == 0 {
        show.context(&original, hunk.original.start - before..hunk.original.start);
    }
    show.changed('-', removed, &original, old_part, |line| marks.removed(line - hunk.original.start));
    show.changed('+', added, &new_text, new_part, |line| marks.added(line - new.start));
    let more = hunk.original.end.saturating_sub(old_part.end) + new.end.saturating_sub(new_part.end);
    let has_more = page + 1 < pages;
    if has_more {
        show.lines.push(format!("... ({more} more lines{})", origin.remedy(review)));
    } else {
        show.context(&original, hunk.original.end..hunk.original.end + after);
    }
    show.lines.extend(marks.hard_to_see().map(|said| look.inks.ink(Ink::Warning, said)));
    show.lines.extend(messages::why(hunk));
    let proposed = match hunk.state {
        HunkState::Kept | HunkState::Dropped => new_part,
        HunkState::Edited => replaced_part(part(hunk.proposed, page, most), hunk.proposed, has_more),
    };
    let is_edited = hunk.state == HunkState::Edited;
    let seen = (!show.is_cut).then_some((old_part, proposed));
    Page { seen, is_edited, has_more, text: show.lines.join("\n") }
}

/// A page of the proposal, where there are no hunks to decide on; of one that is not there, the last one.
pub(super) fn text_page(review: &Review, page: usize, look: Look) -> Page {
    let text = Text::new(review.current.clone());
    let most = most_lines(look, 0);
    let pages = text.len().div_ceil(most).max(1);
    let page = page.min(pages - 1);
    let all = Lines::from(0..text.len());
    let lines = part(all, page, most);
    let mut show = Show { look, crlf: is_crlf(&review.current), lines: Vec::new(), is_cut: false };
    show.changed('+', Ink::Added, &text, lines, |_| LineMarks::default());
    let has_more = page + 1 < pages;
    if has_more {
        show.lines.push(format!(
            "... ({} more lines{})",
            all.end - lines.end,
            Origin::Proposal.remedy(review)
        ));
    }
    let seen = (!show.is_cut).then_some((Lines::default(), lines));
    Page { seen, is_edited: false, has_more, text: show.lines.join("\n") }
}

/// The proposed lines of which a page has the person's own ones in their place: the last one is on the last
/// page, however long both are.
fn replaced_part(part: Lines, lines: Lines, has_more: bool) -> Lines {
    let last = lines.end.saturating_sub(1).max(lines.start);
    match has_more {
        true => Lines { start: part.start.min(last), end: part.end.min(last) },
        false => Lines { start: part.start.min(last), end: lines.end },
    }
}

/// How many pages a hunk has.
pub(super) fn pages(hunk: &Hunk, look: Look) -> usize {
    let new = match hunk.state {
        HunkState::Edited => hunk.current,
        HunkState::Kept | HunkState::Dropped => hunk.proposed,
    };
    let (old, new) = (hunk.original.len(), new.len());
    old.max(new).div_ceil(most_lines(look, old.min(new))).max(1)
}

/// How many lines of each side a page has. On a terminal, a page that is higher than the screen scrolls away
/// before anybody reads it. `shorter`: the lines of the shorter side.
fn most_lines(look: Look, shorter: usize) -> usize {
    let Some(rows) = look.rows else { return MOST_LINES };
    let rows = rows.saturating_sub(OTHER_ROWS).max(2);
    (rows / 2).max(rows.saturating_sub(shorter)).min(MOST_LINES)
}

/// The lines of a side that stand on a page, which has at most so many.
fn part(lines: Lines, page: usize, most: usize) -> Lines {
    let at = |page: usize| (lines.start + page * most).min(lines.end.max(lines.start));
    Lines { start: at(page), end: at(page + 1) }
}

fn place(origin: Origin, hunk: &Hunk, (before, after): (usize, usize), new: Lines) -> String {
    let range = |sign: char, lines: Lines| {
        let count = before + lines.len() + after;
        let first = lines.start.saturating_sub(before) + usize::from(count > 0);
        if count == 1 { format!("{sign}{first}") } else { format!("{sign}{first},{count}") }
    };
    let first = origin.first_line(hunk);
    let new = Lines { start: first, end: first + new.len() };
    format!("@@ {} {} @@", range('-', hunk.original), range('+', new))
}

/// The name of a function or heading, harmless and not too long.
fn short(name: &str) -> String {
    match cut_at(name, LONGEST_NAME, (0, TAB)) {
        Some(end) => format!("{}…", harmless::name(&name[..end])),
        None => harmless::name(name).into_owned(),
    }
}

/// Writes lines of a text behind their sign.
struct Show {
    look: Look,
    /// As [`Origin::has_crlf`].
    crlf: bool,
    lines: Vec<String>,
    /// Whether a part of a line is cut that changes.
    is_cut: bool,
}

impl Show {
    /// Lines that change, each with its marks, by its number in the text.
    fn changed(
        &mut self,
        sign: char,
        ink: Ink,
        text: &Text,
        lines: Lines,
        marks: impl Fn(usize) -> LineMarks,
    ) {
        let range = lines.start..lines.end;
        for (number, line) in range.clone().zip(text.each_line(range)) {
            let (line, ended) = self.without_end(line);
            let shown = changed_line(sign, line, &marks(number), ink, self.look);
            self.is_cut |= shown.is_cut;
            self.lines.push(shown.text);
            self.end(ended);
        }
    }

    /// Lines that stay.
    fn context(&mut self, text: &Text, lines: Range<usize>) {
        for line in text.each_line(lines) {
            let (line, ended) = self.without_end(line);
            let shown = match self.look.columns {
                Some(columns) => match cut_at(line, columns, (1, TAB)) {
                    Some(end) => format!("{}…", harmless::line(&line[..end])),
                    None => harmless::line(line).into_owned(),
                },
                None => match line.char_indices().nth(LONGEST_LINE) {
                    Some((end, _)) => {
                        let more = line[end..].chars().count();
                        format!("{} ... ({more} more characters)", harmless::line(&line[..end]))
                    }
                    None => harmless::line(line).into_owned(),
                },
            };
            self.lines.push(format!(" {shown}"));
            self.end(ended);
        }
    }

    /// A line without its end, and whether it has one.
    fn without_end<'a>(&self, line: &'a str) -> (&'a str, bool) {
        let (text, ended) = line.strip_suffix('\n').map_or((line, false), |text| (text, true));
        (if self.crlf { text.strip_suffix('\r').unwrap_or(text) } else { text }, ended)
    }

    fn end(&mut self, ended: bool) {
        if !ended {
            self.lines.push("\\ No newline at end of file".into());
        }
    }
}

/// Whether `\r\n` ends every line.
pub(super) fn is_crlf(text: &str) -> bool {
    let ends = text.matches('\n').count();
    ends > 0 && text.matches("\r\n").count() == ends
}
