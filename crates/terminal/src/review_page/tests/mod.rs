//! Tests of review pages. Their reviews are written as diffs.

mod accepted_hunks;
mod drawn;
mod large;
mod notes;
mod properties;
mod rows;
mod styled;

use alongside_desk::{Agent, Hunk, HunkState, Lines, Range, Review, Words};
use ratatui_core::buffer::{Buffer, CellWidth};
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Style};

use super::rows::BlockKind;
use super::texts;
use super::{DrawOptions, Match, Needle, Page, PageForm, RowIdentity, SeenLines, ShownLine, Wrap, draw};
use crate::colour::Colours;
use crate::palette::{Depth, Palette};
use crate::scripted_companion::{Piece, differs};
use crate::{Layout, Theme};

/// A review written as a diff. A line begins with ` ` (unchanged), `-` (original), `+` (proposed and kept),
/// `x` (proposed and dropped) or `~` (the person's). A line `|` separates two hunks. Lines are joined by
/// `ending`; the last line has none if the diff ends in `$`.
pub(super) fn review_with(diff: &str, ending: &str) -> Review {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut begins = true;
    for line in diff.strip_suffix('$').unwrap_or(diff).split_terminator('\n') {
        let (sign, text) = line.split_at(1);
        let text = format!("{text}{ending}");
        if matches!(sign, " " | "|") {
            pieces.extend((sign == " ").then_some(Piece::Same(text)));
            begins = true;
            continue;
        }
        if std::mem::take(&mut begins) {
            pieces.push(differs("", ""));
        }
        let Some(Piece::Differs { old, new, state, now }) = pieces.last_mut() else { continue };
        match sign {
            "-" => old.push_str(&text),
            "+" => new.push_str(&text),
            "x" => {
                *state = HunkState::Dropped;
                new.push_str(&text);
            }
            "~" => {
                if *state != HunkState::Edited {
                    now.clear();
                }
                *state = HunkState::Edited;
                now.push_str(&text);
            }
            other => panic!("{other:?} begins no line of a diff"),
        }
        match state {
            HunkState::Kept => now.clone_from(new),
            HunkState::Dropped => now.clone_from(old),
            HunkState::Edited => {}
        }
    }
    let mut review = crate::scripted_companion::review(1, &Agent::default(), "/p/basket.py", &pieces);
    if diff.ends_with('$') {
        for text in [&mut review.proposed, &mut review.current].into_iter().chain(&mut review.original) {
            *text = text.strip_suffix(ending).unwrap_or(text).into();
        }
    }
    review
}

pub(super) fn review(diff: &str) -> Review {
    review_with(diff, "\n")
}

/// Sets the words of a hunk that differ, as (line, first column, column after the last one), in the original
/// and in the text beside it.
fn words(review: &mut Review, hunk: usize, removed: &[[u32; 3]], added: &[[u32; 3]]) {
    let ranges = |of: &[[u32; 3]]| {
        of.iter()
            .map(|&[line, start, end]| {
                let at = |character| alongside_desk::Position { line, character };
                Range { start: at(start), end: at(end) }
            })
            .collect()
    };
    review.hunks[hunk].words = Some(Words { removed: ranges(removed), added: ranges(added) });
}

/// Unchanged lines that contain their number, counted from 1.
fn same(lines: std::ops::RangeInclusive<usize>) -> String {
    lines.map(|line| format!(" line {line}\n")).collect()
}

/// The options with which a test draws a page.
struct Eyes {
    palette: Palette,
    colours: Colours,
    hunk: Option<usize>,
    needle: Option<Needle>,
    found: Option<Match>,
    sideways: usize,
}

impl Eyes {
    fn new(depth: Depth) -> Self {
        Self {
            palette: Palette::new(Theme::Dark, depth),
            colours: Colours::new(),
            hunk: Some(0),
            needle: None,
            found: None,
            sideways: 0,
        }
    }

    fn options(&self) -> DrawOptions<'_> {
        DrawOptions {
            palette: &self.palette,
            colours: &self.colours,
            hunk: self.hunk,
            search: self.needle.as_ref(),
            found: self.found,
            sideways: self.sideways,
            chosen: None,
        }
    }

    fn drawn(&self, page: &Page, width: u16, height: u16) -> Buffer {
        let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
        draw(page, &mut buf, Rect::new(0, 0, width, height), 0, &self.options());
        buf
    }
}

/// The whole page as text.
fn shown(page: &Page, width: u16) -> String {
    let height = u16::try_from(page.rows()).unwrap();
    text(&Eyes::new(Depth::None).drawn(page, width, height))
}

/// The visible text, without spaces at the ends of lines.
fn text(buf: &Buffer) -> String {
    let lines: Vec<String> = buf.area.rows().map(|row| line(buf, row.y)).collect();
    lines.join("\n")
}

fn line(buf: &Buffer, y: u16) -> String {
    let (mut line, mut x) = (String::new(), 0);
    while x < buf.area.width {
        let symbol = buf[(x, y)].symbol();
        line.push_str(symbol);
        x += buf[(x, y)].cell_width().max(1);
    }
    line.trim_end().to_owned()
}

/// A row in pieces of one style, each with the description of its style.
fn styles(buf: &Buffer, y: u16) -> String {
    let mut pieces: Vec<(String, Style)> = Vec::new();
    for x in 0..buf.area.width {
        let cell = &buf[(x, y)];
        match pieces.last_mut() {
            Some((piece, style)) if *style == cell.style() => piece.push_str(cell.symbol()),
            _ => pieces.push((cell.symbol().to_owned(), cell.style())),
        }
    }
    let said = |(piece, style): &(String, Style)| {
        let colour = |before: &str, colour: Option<Color>| match colour {
            None | Some(Color::Reset) => String::new(),
            Some(colour) => format!("{before}{colour} "),
        };
        let (fg, bg) = (colour("", style.fg), colour("on ", style.bg));
        let modifiers = format!("{:?}", style.add_modifier).to_lowercase();
        let modifiers = if style.add_modifier.is_empty() { String::new() } else { modifiers };
        let all = format!("{fg}{bg}{modifiers}");
        if all.is_empty() { format!("{piece:?}") } else { format!("{piece:?} {}", all.trim_end()) }
    };
    pieces.iter().map(said).collect::<Vec<_>>().join("\n")
}

impl Page {
    /// The line of the current text at a row, or the nearest one, counted from 1.
    fn line_at(&self, row: usize) -> usize {
        let row = self.unwrapped(row);
        let content = self.content();
        let Some(block) = content.block(row) else { return 1 };
        let offset = block.offset(row).unwrap_or(0);
        let line = match block.kind {
            BlockKind::Same | BlockKind::Fold { .. } => block.at.current + offset,
            BlockKind::Hunk(hunk) => {
                let index = hunk;
                let hunk = &content.hunks[index];
                let above = match hunk.state {
                    HunkState::Dropped => 0,
                    HunkState::Kept | HunkState::Edited => content.row_of_new(index, 0),
                };
                let last = hunk.current.end.saturating_sub(1).max(hunk.current.start);
                (hunk.current.start + offset.saturating_sub(above)).min(last)
            }
        };
        line.min(content.texts.text(texts::Side::Current).len().saturating_sub(1)) + 1
    }
}
