//! Prints a hunk as a unified diff, page by page if it is long. The context is the text that would be
//! written: the proposed lines of a kept neighbour, marked with a `~`, and the original lines of a dropped
//! neighbour.

use std::ops::Range;

use alongside_desk::{Hunk, HunkState, Lines, Review, Text, harmless, messages};
use alongside_terminal::{HunkEmphasis, LineEmphasis, cut_at};

use super::changed_line::{MAX_LINE_CHARS, TAB_COLUMNS, changed_line};
use super::pages::{MAX_LINES, Page, Spot, rows_for_lines, rows_of};
use super::printer::{Ink, Layout, wrapped};

/// The lines of context on each side of a hunk.
const CONTEXT_LINES: usize = 3;

/// The columns in which the prompt below a page takes one row. On a narrower terminal it takes two.
const PROMPT_COLUMNS: usize = 80;

/// The sign of a line of context that a neighbouring change makes.
const NEIGHBOUR_SIGN: char = '~';

/// The most columns for the name of a function or heading.
const MAX_NAME_COLUMNS: usize = 60;

/// The origin of hunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A proposal. The current text is the text that may be accepted.
    Proposal,
    /// A turn. The proposed text is on disk, and dropped hunks are to be undone. The current text is the text
    /// after a finish.
    Turn,
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

    /// Returns the first line of a hunk in the text whose line numbers the person knows.
    fn first_line(self, hunk: &Hunk) -> usize {
        match self {
            // Dropped hunks shift the lines of the proposed text.
            Self::Proposal => hunk.current.start,
            Self::Turn => hunk.proposed.start,
        }
    }

    /// Whether `\r\n` ends every line, so that `\r` is not printed.
    fn has_crlf(self, original: &Text, proposed: &Text) -> bool {
        match self {
            Self::Proposal => proposed.is_crlf(),
            // A turn has the texts of the disk, so changed line endings are a change.
            Self::Turn => proposed.is_crlf() && (original.is_empty() || original.is_crlf()),
        }
    }

    /// Returns the hint on how to see the lines that are not printed.
    fn hint(self, review: &Review) -> &'static str {
        match self {
            // Such a proposal cannot be edited.
            Self::Proposal if review.whole_file_only.is_some() => "; m shows the next ones",
            Self::Proposal => "; m shows the next ones, e the whole text in your editor",
            Self::Turn => "; m shows the next ones",
        }
    }
}

/// Returns the neighbouring changes that make some of these lines of the current text: each with its number,
/// counted from 1, and its lines.
fn neighbours_in(review: &Review, lines: &Range<usize>) -> Vec<(usize, Lines)> {
    let from = review.hunks.partition_point(|hunk| hunk.current.end <= lines.start);
    let near = review.hunks.iter().enumerate().skip(from);
    let near = near.take_while(|(_, hunk)| hunk.current.start < lines.end);
    // A dropped change makes no line: its place has the original lines.
    let made = near.filter(|(_, hunk)| hunk.state != HunkState::Dropped);
    made.map(|(at, hunk)| (at + 1, hunk.current)).collect()
}

/// Prints the page of a hunk that begins at a spot. Below the lines follow the differences that are hard to
/// see, and the person's reason.
pub(super) fn hunk_page(origin: Origin, review: &Review, hunk: &Hunk, from: Spot, layout: Layout) -> Page {
    let [original, proposed, file] = review.texts();
    let (new_text, new) = match hunk.state {
        HunkState::Edited => (&file, hunk.current),
        HunkState::Kept | HunkState::Dropped => (&proposed, hunk.proposed),
    };
    let in_file = hunk.current;
    let before = in_file.start.min(CONTEXT_LINES);
    let after = file.len().saturating_sub(in_file.end).min(CONTEXT_LINES);
    let is_continued = from.old + from.new > 0;
    let marks = HunkEmphasis::new(review, hunk);
    let (removed, added) = match hunk.state {
        HunkState::Dropped => (Ink::Dropped, Ink::Dropped),
        HunkState::Kept | HunkState::Edited => (Ink::Removed, Ink::Added),
    };
    let crlf = origin.has_crlf(&original, &proposed);
    let mut page = PageWriter { crlf, ..PageWriter::new(layout) };
    let header = hunk_header(hunk, origin.first_line(hunk), (before, after), new);
    let (above, below) =
        (in_file.start - before..in_file.start, in_file.end..in_file.end.saturating_add(after));
    let neighbours = [&above, &below]
        .map(|lines| if lines.is_empty() { Vec::new() } else { neighbours_in(review, lines) });
    let about = [
        origin.state(hunk.state).map(str::to_owned),
        is_continued.then(|| "goes on".to_owned()),
        made_by(&neighbours),
        marks.enclosing().map(|name| format!("in {}", short_name(name))),
    ];
    let about: Vec<_> = about.into_iter().flatten().collect();
    let about = if about.is_empty() { String::new() } else { format!(" {}", about.join(", ")) };
    page.lines.push(layout.inks.ink(Ink::Heading, &wrapped(&format!("{header}{about}"), layout)));
    if !is_continued {
        page.write_context(&file, above, &neighbours[0]);
    }
    let warning = marks.hard_to_see().map(|text| layout.inks.ink(Ink::Warning, text));
    let notes = warning.into_iter().chain(messages::why(hunk));
    let notes: Vec<_> = notes.map(|note| wrapped(&note, layout)).collect();
    let others = page.lines.iter().chain(&notes).map(|line| rows_of(line, layout)).sum::<usize>();
    // Below the lines follows the context, or the remark about the next page.
    let rows_below = after.max(rows_of(&more_lines(MAX_LINES, origin.hint(review), layout), layout));
    let rows = rows_for_lines(layout, rows_of_prompt(layout) + others + rows_below);
    let (old_left, new_left) = (lines_after(hunk.original, from.old), lines_after(new, from.new));
    // The longer side gets the rows that the shorter side does not need.
    let old_rows = (rows / 2).max(rows.saturating_sub(new_left.len()));
    let (old_part, old_rows_taken) =
        page.write_changed(('-', removed), &original, old_left, old_rows, |line| {
            marks.removed(line - hunk.original.start)
        });
    let (new_part, _) =
        page.write_changed(('+', added), new_text, new_left, rows.saturating_sub(old_rows_taken), |line| {
            marks.added(line - new.start)
        });
    let more = (old_left.len() - old_part.len()) + (new_left.len() - new_part.len());
    if more > 0 {
        page.lines.push(more_lines(more, origin.hint(review), layout));
    } else {
        page.write_context(&file, below, &neighbours[1]);
    }
    page.lines.extend(notes);
    let proposed = match hunk.state {
        HunkState::Kept | HunkState::Dropped => new_part,
        HunkState::Edited => {
            let first = lines_after(hunk.proposed, from.new);
            let part = Lines { start: first.start, end: (first.start + new_part.len()).min(first.end) };
            replaced_part(part, hunk.proposed, more > 0)
        }
    };
    let is_edited = hunk.state == HunkState::Edited;
    let begun = (old_part, proposed);
    let seen = (!page.is_cut).then_some(begun);
    let next = Spot { old: from.old + old_part.len(), new: from.new + new_part.len(), ..from };
    let next = (more > 0).then_some(next);
    Page { seen, begun, is_edited, has_neighbours: page.has_neighbours, next, text: page.lines.join("\n") }
}

/// Prints the page of a proposal without hunks to decide on that begins at a spot.
pub(super) fn text_page(review: &Review, from: Spot, layout: Layout) -> Page {
    let [_, _, text] = review.texts();
    let left = lines_after(Lines::from(0..text.len()), from.new);
    let mut page = PageWriter { crlf: text.is_crlf(), ..PageWriter::new(layout) };
    let rows_below = rows_of(&more_lines(MAX_LINES, Origin::Proposal.hint(review), layout), layout);
    let rows = rows_for_lines(layout, rows_of_prompt(layout) + rows_below);
    let (part, _) = page.write_changed(('+', Ink::Added), &text, left, rows, |_| LineEmphasis::default());
    let more = left.len() - part.len();
    if more > 0 {
        page.lines.push(more_lines(more, Origin::Proposal.hint(review), layout));
    }
    let begun = (Lines::default(), part);
    let seen = (!page.is_cut).then_some(begun);
    let next = (more > 0).then_some(Spot { new: from.new + part.len(), ..from });
    Page { seen, begun, is_edited: false, has_neighbours: false, next, text: page.lines.join("\n") }
}

/// Returns the proposed lines that the person's own lines of a page replace. The last proposed line is on the
/// last page, also if the two texts differ in length.
fn replaced_part(part: Lines, lines: Lines, has_more: bool) -> Lines {
    let last = lines.end.saturating_sub(1).max(lines.start);
    match has_more {
        true => Lines { start: part.start.min(last), end: part.end.min(last) },
        false => Lines { start: part.start.min(last), end: lines.end },
    }
}

fn rows_of_prompt(layout: Layout) -> usize {
    1 + usize::from(layout.columns.is_some_and(|columns| columns < PROMPT_COLUMNS))
}

/// Returns the remark at the end of a page on the lines that follow on the next one.
fn more_lines(lines: usize, hint: &str, layout: Layout) -> String {
    wrapped(&format!("... ({lines} more lines{hint})"), layout)
}

/// Returns the lines after the first `shown` ones.
fn lines_after(lines: Lines, shown: usize) -> Lines {
    let end = lines.end.max(lines.start);
    Lines { start: (lines.start + shown).min(end), end }
}

fn hunk_header(hunk: &Hunk, first: usize, (before, after): (usize, usize), new: Lines) -> String {
    let range = |sign: char, lines: Lines| {
        let count = before + lines.len() + after;
        let first = lines.start.saturating_sub(before) + usize::from(count > 0);
        if count == 1 { format!("{sign}{first}") } else { format!("{sign}{first},{count}") }
    };
    let new = Lines { start: first, end: first + new.len() };
    format!("@@ {} {} @@", range('-', hunk.original), range('+', new))
}

/// Returns the remark on the changes that make the lines of context with a sign.
fn made_by(neighbours: &[Vec<(usize, Lines)>]) -> Option<String> {
    let numbers: Vec<_> = neighbours.iter().flatten().map(|(number, _)| number.to_string()).collect();
    match &*numbers {
        [] => None,
        [number] => Some(format!("{NEIGHBOUR_SIGN} by change {number}")),
        [first @ .., last] => Some(format!("{NEIGHBOUR_SIGN} by changes {} and {last}", first.join(", "))),
    }
}

/// Escapes and shortens the name of a function or heading.
fn short_name(name: &str) -> String {
    match cut_at(name, MAX_NAME_COLUMNS, (0, TAB_COLUMNS)) {
        Some(end) => format!("{}…", harmless::name(&name[..end])),
        None => harmless::name(name).into_owned(),
    }
}

/// Writes the lines of a page, each after its sign.
struct PageWriter {
    layout: Layout,
    /// As [`Origin::has_crlf`].
    crlf: bool,
    lines: Vec<String>,
    /// Whether a changed part of a line is cut.
    is_cut: bool,
    /// Whether a line of context has the sign of another change.
    has_neighbours: bool,
}

impl PageWriter {
    fn new(layout: Layout) -> Self {
        Self { layout, crlf: false, lines: Vec::new(), is_cut: false, has_neighbours: false }
    }

    /// Writes as many of these changed lines as fit the rows, and at least one. `marks`: the marks of a line
    /// by its number in the text. Returns the written lines, and their rows.
    fn write_changed(
        &mut self,
        (sign, ink): (char, Ink),
        text: &Text,
        lines: Lines,
        rows: usize,
        marks: impl Fn(usize) -> LineEmphasis,
    ) -> (Lines, usize) {
        let (mut end, mut rows_taken) = (lines.start, 0);
        let range = lines.start..lines.end.min(lines.start + MAX_LINES);
        for (number, line) in range.clone().zip(text.each_line(range)) {
            let (line, has_ending) = self.without_ending(line);
            let shown = changed_line(sign, line, &marks(number), ink, self.layout);
            let height = rows_of(&shown.text, self.layout) + usize::from(!has_ending);
            if rows_taken + height > rows && end > lines.start {
                break;
            }
            self.is_cut |= shown.is_cut;
            self.lines.push(shown.text);
            self.write_missing_newline(has_ending);
            (end, rows_taken) = (number + 1, rows_taken + height);
        }
        (Lines { start: lines.start, end }, rows_taken)
    }

    /// Writes lines of context. A line of a neighbouring change has a sign.
    fn write_context(&mut self, text: &Text, lines: Range<usize>, neighbours: &[(usize, Lines)]) {
        for (number, line) in lines.clone().zip(text.each_line(lines)) {
            let (line, has_ending) = self.without_ending(line);
            let shown = match self.layout.columns {
                Some(columns) => match cut_at(line, columns, (1, TAB_COLUMNS)) {
                    Some(end) => format!("{}…", harmless::line(&line[..end])),
                    None => harmless::line(line).into_owned(),
                },
                None => match line.char_indices().nth(MAX_LINE_CHARS) {
                    Some((end, _)) => {
                        let more = line[end..].chars().count();
                        format!("{} ... ({more} more characters)", harmless::line(&line[..end]))
                    }
                    None => harmless::line(line).into_owned(),
                },
            };
            let is_of = |(_, lines): &(usize, Lines)| (lines.start..lines.end).contains(&number);
            let is_neighbour = neighbours.iter().any(is_of);
            self.has_neighbours |= is_neighbour;
            self.lines.push(match is_neighbour {
                true => self.layout.inks.ink(Ink::Neighbour, &format!("{NEIGHBOUR_SIGN}{shown}")),
                false => format!(" {shown}"),
            });
            self.write_missing_newline(has_ending);
        }
    }

    /// Returns a line without its line ending, and whether it has one.
    fn without_ending<'a>(&self, line: &'a str) -> (&'a str, bool) {
        let (text, has_ending) = line.strip_suffix('\n').map_or((line, false), |text| (text, true));
        (if self.crlf { text.strip_suffix('\r').unwrap_or(text) } else { text }, has_ending)
    }

    /// Writes git's remark after a line without a line ending.
    fn write_missing_newline(&mut self, has_ending: bool) {
        if !has_ending {
            self.lines.push("\\ No newline at end of file".into());
        }
    }
}
