//! A hunk as a unified diff, page by page if it is long. The context is the text that would be written: a
//! neighbour that is kept stands there as it comes, marked with a `~`, and a dropped one as it was.

use std::ops::Range;

use alongside_desk::{Hunk, HunkState, Lines, Review, Text, harmless, messages};
use alongside_terminal::{HunkEmphasis, LineEmphasis, cut_at};

use super::changed_line::{LONGEST_LINE, TAB, changed_line};
use super::pages::{MOST_LINES, Page, Spot, rows_for_lines, rows_of};
use super::printer::{Ink, Look, wrapped};

/// Lines of context around a hunk.
const CONTEXT: usize = 3;

/// A prompt below a page takes one row where the terminal has so many columns, and two elsewhere.
const COLUMNS_OF_PROMPT: usize = 80;

/// The sign of a line of context that another change makes.
const NEIGHBOUR: char = '~';

/// The name of a function or heading takes so many columns at most.
const LONGEST_NAME: usize = 60;

/// The origin of the hunks that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A proposal: the current text is the one that may be accepted.
    Proposal,
    /// A turn: the proposed text is on disk, and dropped hunks are to be undone. The current text is the one
    /// that a finish would leave.
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

    /// The line with which a hunk begins in the text whose lines the person knows by number.
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
            Self::Turn => "; m shows the next ones",
        }
    }
}

/// The number of each change that makes some of these lines of the current text, counted from 1, and its
/// lines.
fn neighbours(review: &Review, lines: &Range<usize>) -> Vec<(usize, Lines)> {
    let from = review.hunks.partition_point(|hunk| hunk.current.end <= lines.start);
    let near = review.hunks.iter().enumerate().skip(from);
    let near = near.take_while(|(_, hunk)| hunk.current.start < lines.end);
    // The lines in the place of a dropped change are those of the original.
    let made = near.filter(|(_, hunk)| hunk.state != HunkState::Dropped);
    made.map(|(at, hunk)| (at + 1, hunk.current)).collect()
}

/// The page of a hunk that begins at a spot. Below the lines stand why some that look the same differ, and
/// the person's reason.
pub(super) fn hunk_page(origin: Origin, review: &Review, hunk: &Hunk, from: Spot, look: Look) -> Page {
    let original = Text::new(review.original.clone().unwrap_or_default());
    let (new_text, new) = match hunk.state {
        HunkState::Edited => (Text::new(review.current.clone()), hunk.current),
        HunkState::Kept | HunkState::Dropped => (Text::new(review.proposed.clone()), hunk.proposed),
    };
    let (file, in_file) = (Text::new(review.current.clone()), hunk.current);
    let before = in_file.start.min(CONTEXT);
    let after = file.len().saturating_sub(in_file.end).min(CONTEXT);
    let is_begun = from.old + from.new > 0;
    let marks = HunkEmphasis::new(review, hunk);
    let (removed, added) = match hunk.state {
        HunkState::Dropped => (Ink::Dropped, Ink::Dropped),
        HunkState::Kept | HunkState::Edited => (Ink::Removed, Ink::Added),
    };
    let crlf = origin.has_crlf(original.text(), &review.proposed);
    let mut show = Show { crlf, ..Show::of(look) };
    let place = place(hunk, origin.first_line(hunk), (before, after), new);
    let (above, under) =
        (in_file.start - before..in_file.start, in_file.end..in_file.end.saturating_add(after));
    let neighbours =
        [&above, &under].map(|lines| if lines.is_empty() { Vec::new() } else { neighbours(review, lines) });
    let about = [
        origin.state(hunk.state).map(str::to_owned),
        is_begun.then(|| "goes on".to_owned()),
        made_by(&neighbours),
        marks.enclosing().map(|name| format!("in {}", short(name))),
    ];
    let about: Vec<_> = about.into_iter().flatten().collect();
    let about = if about.is_empty() { String::new() } else { format!(" {}", about.join(", ")) };
    show.lines.push(look.inks.ink(Ink::Mark, &wrapped(&format!("{place}{about}"), look)));
    if !is_begun {
        show.context(&file, above, &neighbours[0]);
    }
    let said = marks.hard_to_see().map(|said| look.inks.ink(Ink::Warning, said));
    let said: Vec<_> = said.into_iter().chain(messages::why(hunk)).map(|said| wrapped(&said, look)).collect();
    let others = show.lines.iter().chain(&said).map(|line| rows_of(line, look)).sum::<usize>();
    // Below the lines stands the context, or what is left for the next page.
    let below = after.max(rows_of(&more_lines(MOST_LINES, origin.remedy(review), look), look));
    let rows = rows_for_lines(look, rows_of_prompt(look) + others + below);
    let (old_left, new_left) = (rest(hunk.original, from.old), rest(new, from.new));
    // The shorter side leaves its rows to the other one.
    let old_rows = (rows / 2).max(rows.saturating_sub(new_left.len()));
    let (old_part, taken) = show.changed(('-', removed), &original, old_left, old_rows, |line| {
        marks.removed(line - hunk.original.start)
    });
    let (new_part, _) = show.changed(('+', added), &new_text, new_left, rows.saturating_sub(taken), |line| {
        marks.added(line - new.start)
    });
    let more = (old_left.len() - old_part.len()) + (new_left.len() - new_part.len());
    if more > 0 {
        show.lines.push(more_lines(more, origin.remedy(review), look));
    } else {
        show.context(&file, under, &neighbours[1]);
    }
    show.lines.extend(said);
    let proposed = match hunk.state {
        HunkState::Kept | HunkState::Dropped => new_part,
        HunkState::Edited => {
            let first = rest(hunk.proposed, from.new);
            let part = Lines { start: first.start, end: (first.start + new_part.len()).min(first.end) };
            replaced_part(part, hunk.proposed, more > 0)
        }
    };
    let is_edited = hunk.state == HunkState::Edited;
    let begun = (old_part, proposed);
    let seen = (!show.is_cut).then_some(begun);
    let next = Spot { old: from.old + old_part.len(), new: from.new + new_part.len(), ..from };
    let next = (more > 0).then_some(next);
    Page { seen, begun, is_edited, has_neighbours: show.has_neighbours, next, text: show.lines.join("\n") }
}

/// The page of the proposal that begins at a spot, where there are no hunks to decide on.
pub(super) fn text_page(review: &Review, from: Spot, look: Look) -> Page {
    let text = Text::new(review.current.clone());
    let left = rest(Lines::from(0..text.len()), from.new);
    let mut show = Show { crlf: is_crlf(&review.current), ..Show::of(look) };
    let below = rows_of(&more_lines(MOST_LINES, Origin::Proposal.remedy(review), look), look);
    let rows = rows_for_lines(look, rows_of_prompt(look) + below);
    let (part, _) = show.changed(('+', Ink::Added), &text, left, rows, |_| LineEmphasis::default());
    let more = left.len() - part.len();
    if more > 0 {
        show.lines.push(more_lines(more, Origin::Proposal.remedy(review), look));
    }
    let begun = (Lines::default(), part);
    let seen = (!show.is_cut).then_some(begun);
    let next = (more > 0).then_some(Spot { new: from.new + part.len(), ..from });
    Page { seen, begun, is_edited: false, has_neighbours: false, next, text: show.lines.join("\n") }
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

fn rows_of_prompt(look: Look) -> usize {
    1 + usize::from(look.columns.is_some_and(|columns| columns < COLUMNS_OF_PROMPT))
}

/// Says that a page ends before the text.
fn more_lines(lines: usize, remedy: &str, look: Look) -> String {
    wrapped(&format!("... ({lines} more lines{remedy})"), look)
}

/// The lines behind so many of them.
fn rest(lines: Lines, shown: usize) -> Lines {
    let end = lines.end.max(lines.start);
    Lines { start: (lines.start + shown).min(end), end }
}

fn place(hunk: &Hunk, first: usize, (before, after): (usize, usize), new: Lines) -> String {
    let range = |sign: char, lines: Lines| {
        let count = before + lines.len() + after;
        let first = lines.start.saturating_sub(before) + usize::from(count > 0);
        if count == 1 { format!("{sign}{first}") } else { format!("{sign}{first},{count}") }
    };
    let new = Lines { start: first, end: first + new.len() };
    format!("@@ {} {} @@", range('-', hunk.original), range('+', new))
}

/// Says which changes make the lines of the context that have a sign.
fn made_by(neighbours: &[Vec<(usize, Lines)>]) -> Option<String> {
    let numbers: Vec<_> = neighbours.iter().flatten().map(|(number, _)| number.to_string()).collect();
    match &*numbers {
        [] => None,
        [number] => Some(format!("{NEIGHBOUR} by change {number}")),
        [first @ .., last] => Some(format!("{NEIGHBOUR} by changes {} and {last}", first.join(", "))),
    }
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
    /// Whether a line of the context has the sign of another change.
    has_neighbours: bool,
}

impl Show {
    fn of(look: Look) -> Self {
        Self { look, crlf: false, lines: Vec::new(), is_cut: false, has_neighbours: false }
    }

    /// As many of these lines that change as there are rows for, each with its marks, by its number in the
    /// text; one at least. Returns those that were written, and their rows.
    fn changed(
        &mut self,
        (sign, ink): (char, Ink),
        text: &Text,
        lines: Lines,
        rows: usize,
        marks: impl Fn(usize) -> LineEmphasis,
    ) -> (Lines, usize) {
        let (mut end, mut taken) = (lines.start, 0);
        let range = lines.start..lines.end.min(lines.start + MOST_LINES);
        for (number, line) in range.clone().zip(text.each_line(range)) {
            let (line, ended) = self.without_end(line);
            let shown = changed_line(sign, line, &marks(number), ink, self.look);
            let height = rows_of(&shown.text, self.look) + usize::from(!ended);
            if taken + height > rows && end > lines.start {
                break;
            }
            self.is_cut |= shown.is_cut;
            self.lines.push(shown.text);
            self.end(ended);
            (end, taken) = (number + 1, taken + height);
        }
        (Lines { start: lines.start, end }, taken)
    }

    /// Lines that this change leaves as they are; those that another one makes have a sign.
    fn context(&mut self, text: &Text, lines: Range<usize>, neighbours: &[(usize, Lines)]) {
        for (number, line) in lines.clone().zip(text.each_line(lines)) {
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
            let is_of = |(_, lines): &(usize, Lines)| (lines.start..lines.end).contains(&number);
            let is_neighbour = neighbours.iter().any(is_of);
            self.has_neighbours |= is_neighbour;
            self.lines.push(match is_neighbour {
                true => self.look.inks.ink(Ink::Neighbour, &format!("{NEIGHBOUR}{shown}")),
                false => format!(" {shown}"),
            });
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
