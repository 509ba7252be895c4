//! The list over a turn review: all files, what is undone and sent after an answer, or what was.

use alongside_desk::path_fit::shortened;
use alongside_desk::{TurnFile, messages};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::listed_review::{counts, place_mark};
use super::scene::{Scene, draw_lines};
use crate::text_fit::cut_end;
use crate::turn_list::{ListPurpose, TurnList};
use crate::turn_rows::TurnRow;
use crate::turn_words as words;
use crate::width::columns;

/// A name gets so many columns at least.
const NAME: usize = 12;

pub(crate) fn draw(scene: &Scene<'_>, list: &TurnList, frame: &mut Frame<'_>) {
    let main = scene.areas.main;
    let area = Rect { x: main.x + 1, width: main.width.saturating_sub(1), ..main };
    let width = usize::from(area.width);
    let shown = list.rows_on_screen(main.height);
    let rows = list.rows().iter().enumerate().skip(shown.start).take(shown.len());
    // Of thousands, only those on the screen are measured.
    let files = rows.clone().filter_map(|(_, row)| match row {
        TurnRow::File { file, what, .. } => Some((columns(&words::path(&file.path)), columns(what))),
        _ => None,
    });
    let (names, notes) = files.fold((0, 0), |widest, row| (widest.0.max(row.0), widest.1.max(row.1)));
    let names = names.min(width.saturating_sub(notes + 20).max(NAME));
    let lines = rows.map(|(index, row)| {
        let is_at = list.at() == Some(index);
        let line = line(scene, row, is_at, (names, width));
        if is_at { line.style(scene.palette.selected) } else { line }
    });
    draw_lines(frame, area, lines);
}

fn line(scene: &Scene<'_>, row: &TurnRow, is_at: bool, (names, width): (usize, usize)) -> Line<'static> {
    let palette = scene.palette;
    match row {
        TurnRow::Blank => Line::default(),
        TurnRow::Heading(text) => scene.title(cut_end(text, width)),
        TurnRow::Comment { text, .. } => {
            let text = format!("{} {text}", place_mark(is_at, true));
            Line::styled(cut_end(&text, width), if is_at { palette.selected } else { palette.text })
        }
        TurnRow::Item(path) => {
            Line::styled(format!("  {}", shortened(path, width.saturating_sub(2))), palette.text)
        }
        TurnRow::Words(text) => Line::styled(cut_end(&format!("    {text}"), width), palette.reason),
        TurnRow::Sentence(text) => Line::styled(cut_end(&format!("    {text}"), width), palette.quiet),
        TurnRow::Warning(text) => Line::styled(cut_end(&format!("    {text}"), width), palette.warning),
        TurnRow::File { file, is_seen, what } => {
            file_line(scene, (file, *is_seen, what), is_at, (names, width))
        }
    }
}

fn file_line(
    scene: &Scene<'_>,
    (file, is_seen, what): (&TurnFile, bool, &str),
    is_at: bool,
    (names, width): (usize, usize),
) -> Line<'static> {
    let palette = scene.palette;
    let style = match (is_at, file.author.is_agent()) {
        (true, _) => palette.selected,
        (false, true) => palette.text,
        (false, false) => palette.quiet,
    };
    let name = shortened(&words::path(&file.path), names);
    let gap = " ".repeat(names.saturating_sub(columns(&name)));
    let name = format!("{} {} {name}{gap}  ", place_mark(is_at, is_seen), words::letter(file.change));
    let size = format!("+{} -{}", file.added, file.removed);
    let gap = " ".repeat(12_usize.saturating_sub(size.len()).max(2));
    let used = columns(&name) + size.len() + gap.len();
    let what = cut_end(what, width.saturating_sub(used));
    let what_style = if is_at { palette.selected } else { palette.quiet };
    let line = std::iter::once(Span::styled(name, style))
        .chain(counts((file.added, file.removed), palette, style))
        .chain([Span::styled(gap, style), Span::styled(what, what_style)]);
    Line::from_iter(line)
}

/// The question below the list.
pub(crate) fn question(list: &TurnList, main: Rect) -> String {
    let below = if list.goes_on(main.height) { " The list goes on below (j)." } else { "" };
    match list.purpose() {
        ListPurpose::Leave => format!("Leave without undoing what is marked?{below}"),
        ListPurpose::Finish | ListPurpose::Files | ListPurpose::Finished => {
            let end = list.end();
            let comments = words::comments(end.comments);
            let undo = end.has_marks.then(|| format!("Undo {}", marked(list)));
            let asks = match (undo, end.comments, end.has_route) {
                (Some(undo), 0, _) => undo,
                (Some(undo), _, true) => format!("{undo}, and send {comments}"),
                (Some(undo), _, false) => undo,
                (None, _, true) => format!("Send {comments}"),
                (None, _, false) => "Finish".to_owned(),
            };
            format!("{asks}?{below}")
        }
    }
}

/// The marked changes in a few words.
fn marked(list: &TurnList) -> String {
    let (files, hunks) = list.marked_files();
    match (files, hunks) {
        (1, Some(hunks)) => messages::changes(hunks),
        (1, None) => "this file".to_owned(),
        (files, Some(hunks)) => format!("{} in {files} files", messages::changes(hunks)),
        (files, None) => format!("what is marked in these {files} files"),
    }
}

/// The keys of the list.
pub(crate) fn keys(list: &TurnList, main: Rect) -> Vec<(&'static str, &'static str)> {
    let is_long = list.rows().len() > usize::from(main.height);
    let more = is_long.then_some(("j/k", "more"));
    let copy = list.message().map(|_| [("y", "copy"), ("p", "paste")]).into_iter().flatten();
    match list.purpose() {
        ListPurpose::Files => {
            let chosen: &[_] = match (list.chosen_comment(), list.chosen()) {
                (Some(_), _) if list.asks_again() => &[("a, x", "do not ask again")],
                (Some(_), _) => &[("a", "ask again"), ("x", "close it")],
                (None, Some(_)) => &[("Enter", "open"), ("c", "comment")],
                (None, None) => &[],
            };
            let keys = chosen.iter().copied().chain([("C", "on all")]).chain(copy).chain([("Esc", "back")]);
            let keys: Vec<_> = std::iter::once(("j/k", "move")).chain(keys).collect();
            // Where not all of them fit, the person finds this one alone.
            let columns: usize = keys.iter().map(|(key, word)| key.len() + word.len() + 3).sum();
            let fits = columns.saturating_sub(2) <= usize::from(main.width);
            keys.into_iter().skip(usize::from(!fits)).collect()
        }
        ListPurpose::Finish => finish_keys(list).into_iter().chain([("n", "no")]).chain(more).collect(),
        ListPurpose::Leave => [("y", "leave"), ("n", "stay")].into_iter().chain(more).collect(),
        ListPurpose::Finished => {
            let back = list.has_undone().then_some(("u", "take it back"));
            back.into_iter().chain(more).chain(copy).chain([("L", "files"), ("Esc", "back")]).collect()
        }
    }
}

/// The ways to finish.
fn finish_keys(list: &TurnList) -> Vec<(&'static str, &'static str)> {
    let end = list.end();
    match (end.has_marks, end.comments > 0, end.has_route) {
        (true, _, true) => vec![("y", "undo, send"), ("a", "ask the agent to undo"), ("o", "only undo")],
        (true, _, false) => vec![("y", "undo")],
        (false, _, true) => vec![("y", "send"), ("o", "finish without sending")],
        (false, _, false) => vec![("y", "finish")],
    }
}
