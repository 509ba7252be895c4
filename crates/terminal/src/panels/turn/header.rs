//! The header of a turn review: the file on the screen; below it a summary of all files with the baseline;
//! then remarks and messages.

use alongside_desk::path_fit::shortened;
use alongside_desk::review_model::comment_state::answers;
use alongside_desk::{FileChange, TurnFile, messages};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::areas::Lists;
use crate::panels::drawn_state::{DrawnState, draw_lines};
use crate::panels::list_rows::counts;
use crate::text::fit::cut_end;
use crate::text::width::columns;
use crate::turn_files::TurnFiles;
use crate::words::turn_words as words;

/// The least columns of a file name beside the description of its change. With less room, the description
/// goes.
const MIN_NAME_COLUMNS: usize = 16;

/// The height of the header. The page keeps two thirds of the rows.
pub(crate) fn height(drawn: &DrawnState<'_>, main: Rect) -> u16 {
    let rows = u16::try_from(lines(drawn, main.width).len()).unwrap_or(u16::MAX);
    rows.min((main.height / 3).max(1))
}

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    let area = drawn.areas.header;
    draw_lines(frame, area, lines(drawn, area.width));
}

fn lines(drawn: &DrawnState<'_>, width: u16) -> Vec<Line<'static>> {
    let Some(files) = drawn.reviews.turn().files() else { return Vec::new() };
    let mut lines = Vec::new();
    lines.extend(files.file().map(|file| title(drawn, files, file, usize::from(width))));
    // The agent of an open review waits for the person, who may have missed the message about it.
    let waiting = words::reviews_wait(drawn.reviews.all().len());
    lines.extend(waiting.map(|said| Line::styled(said, drawn.palette.warning)));
    lines.push(summary(drawn, files, usize::from(width)));
    let at_work = drawn.reviews.at_work_words(drawn.now);
    let at_work = at_work.map(|said| cut_end(&said, usize::from(width)));
    lines.extend(at_work.map(|said| Line::styled(said, drawn.palette.warning)));
    lines.extend(remark(drawn, files, usize::from(width)));
    lines.extend(message(drawn, files, usize::from(width)));
    let answers = answers(&files.turn().comments);
    let answers = answers.map(|said| cut_end(&format!("Your last rounds: {said} (L)"), usize::from(width)));
    lines.extend(answers.map(|said| Line::styled(said, drawn.palette.reason)));
    let notes = files.view().into_iter().flat_map(|view| words::review_notes(view.review()));
    lines.extend(drawn.notes(notes, width));
    lines
}

/// The row of the file on the screen. Its name stays, and parts that do not fit beside the name go.
fn title(drawn: &DrawnState<'_>, files: &TurnFiles, file: &TurnFile, width: usize) -> Line<'static> {
    let palette = drawn.palette;
    let name = format!("{} {}", words::letter(file.change), words::harmless(&file.path));
    let size = format!("+{} -{}", file.added, file.removed).len();
    let what = match file.change {
        FileChange::Modified if file.executable.is_none() => None,
        _ => Some(words::change(file).into_owned()),
    };
    let author = words::author(file.told_author()).map(str::to_owned);
    let known = words::known_by_person(file).map(str::to_owned);
    let about: Vec<_> = what.into_iter().chain(author).chain(known).collect();
    let mut about = if about.is_empty() { "  ".to_owned() } else { format!("  {}  ", about.join(", ")) };
    let (hunk, marked) = state(files, file);
    let state = [&*hunk, &*marked].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    let mut choices = vec![state, marked, String::new()];
    if columns(&about) + size + MIN_NAME_COLUMNS > width {
        about = "  ".to_owned();
    }
    let room = width.saturating_sub(columns(&about) + size + 2);
    let fits = |state: &String| columns(&name).min(MIN_NAME_COLUMNS.max(room / 2)) + columns(state) <= room;
    let at = choices.iter().position(fits).unwrap_or(choices.len() - 1);
    let state = choices.swap_remove(at);
    let name = shortened(&name, room.saturating_sub(columns(&state)));
    let used = columns(&name) + columns(&about) + size + columns(&state);
    let gap = " ".repeat(width.saturating_sub(used));
    let before = [Span::styled(name, palette.heading), Span::styled(about, palette.text)];
    let after = [Span::raw(gap), Span::styled(state, palette.quiet)];
    let counts = counts((file.added, file.removed), palette, palette.text);
    Line::from_iter(before.into_iter().chain(counts).chain(after))
}

/// The hunk that keys act on, and the number of marked hunks of the file.
fn state(files: &TurnFiles, file: &TurnFile) -> (String, String) {
    let hunk = files.view().filter(|view| !view.review().hunks.is_empty());
    let new = match files.is_hunk_new() {
        _ if !file.accepted && files.is_hunk_accepted() => " (accepted before the write)",
        Some(true) => " (new)",
        Some(false) => " (as in your last round)",
        None => "",
    };
    let hunk = hunk.map(|view| format!("change {} of {}{new}", view.hunk() + 1, view.review().hunks.len()));
    (hunk.unwrap_or_default(), words::hunks_marked(files.marked(file)))
}

/// The row about all files.
fn summary(drawn: &DrawnState<'_>, files: &TurnFiles, width: usize) -> Line<'static> {
    let (palette, turn) = (drawn.palette, files.turn());
    let place = match files.all().len() {
        0 => String::new(),
        all if drawn.areas.lists == Lists::Column => format!("  {all} files  "),
        all => format!("  file {} of {all}  ", files.at() + 1),
    };
    let (added, removed) = words::lines(turn);
    let size = format!("+{added} -{removed}").len();
    let marked = match files.all_marked().count() {
        0 => String::new(),
        1 => "  1 file marked".to_owned(),
        marked => format!("  {marked} files marked"),
    };
    let comments = match files.turn().unsent_comments().count() {
        0 => String::new(),
        comments => format!("  {}", words::comments(comments)),
    };
    let since = words::since(&turn.baseline, drawn.now);
    let room = width.saturating_sub(columns(&place) + size + columns(&marked) + columns(&comments));
    let since = messages::capital(&cut_end(&since, room));
    let mut spans = vec![Span::styled(since, palette.quiet)];
    if !files.all().is_empty() {
        spans.push(Span::styled(place, palette.quiet));
        spans.extend(counts((added, removed), palette, palette.quiet));
        spans.push(Span::styled(marked, palette.warning));
        spans.push(Span::styled(comments, palette.reason));
    }
    Line::from(spans)
}

/// The row about the last message: its route, and whether an agent has read it.
fn message(drawn: &DrawnState<'_>, files: &TurnFiles, width: usize) -> Option<Line<'static>> {
    let message = files.turn().message.as_ref()?;
    let text = cut_end(&words::message(message, drawn.now), width);
    let style = if message.read.is_some() { drawn.palette.quiet } else { drawn.palette.reason };
    Some(Line::styled(text, style))
}

/// The row of the first remark, with the number of further remarks.
fn remark(drawn: &DrawnState<'_>, files: &TurnFiles, width: usize) -> Option<Line<'static>> {
    let remarks = &files.turn().remarks;
    let more = match remarks.len() {
        0 => return None,
        1 => " (L)".to_owned(),
        all => format!(" ({} more: L)", all - 1),
    };
    let first = words::harmless(remarks.first()?);
    let whole = format!("! {first}");
    if remarks.len() == 1 && columns(&whole) <= width {
        return Some(Line::styled(whole, drawn.palette.warning));
    }
    let cut = cut_end(&whole, width.saturating_sub(more.len()));
    Some(Line::styled(cut + &more, drawn.palette.warning))
}
