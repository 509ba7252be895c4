//! Draws the list over a turn review: all files, the changes and comments of a finish, or the result of a
//! finish.

use alongside_desk::path_fit::shortened;
use alongside_desk::{TurnFile, messages};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::overlays::turn_list::{ListPurpose, TurnList};
use crate::overlays::turn_list_rows::TurnRow;
use crate::panels::drawn_state::{DrawnState, draw_lines};
use crate::panels::list_rows::{counts, item_sign};
use crate::text::fit::cut_end;
use crate::text::width::columns;
use crate::words::turn_words as words;

/// The least columns of a file name.
const MIN_NAME_COLUMNS: usize = 12;

pub(crate) fn draw(drawn: &DrawnState<'_>, list: &TurnList, frame: &mut Frame<'_>) {
    let area = drawn.list_area();
    let width = usize::from(area.width);
    let shown = list.rows_on_screen(area.height);
    let rows = list.rows().iter().enumerate().skip(shown.start).take(shown.len());
    // A turn may have thousands of files, so only the visible rows are measured.
    let files = rows.clone().filter_map(|(_, row)| match row {
        TurnRow::File { file, what, .. } => Some((columns(&words::harmless(&file.path)), columns(what))),
        _ => None,
    });
    let (names, notes) = files.fold((0, 0), |widest, row| (widest.0.max(row.0), widest.1.max(row.1)));
    let names = names.min(width.saturating_sub(notes + 20).max(MIN_NAME_COLUMNS));
    let lines = rows.map(|(index, row)| {
        let is_at = list.at() == Some(index);
        let line = line(drawn, row, is_at, (names, width));
        if is_at { line.style(drawn.palette.selected) } else { line }
    });
    draw_lines(frame, area, lines);
}

fn line(drawn: &DrawnState<'_>, row: &TurnRow, is_at: bool, (names, width): (usize, usize)) -> Line<'static> {
    let palette = drawn.palette;
    match row {
        TurnRow::Blank => Line::default(),
        TurnRow::Heading(text) => drawn.title(cut_end(text, width)),
        TurnRow::Comment { text, .. } => {
            let text = format!("{} {text}", item_sign(is_at, true));
            Line::styled(cut_end(&text, width), if is_at { palette.selected } else { palette.text })
        }
        TurnRow::Item(path) => {
            Line::styled(format!("  {}", shortened(path, width.saturating_sub(2))), palette.text)
        }
        TurnRow::Words(text) => Line::styled(cut_end(&format!("    {text}"), width), palette.reason),
        TurnRow::Sentence(text) => Line::styled(cut_end(&format!("    {text}"), width), palette.quiet),
        TurnRow::Warning(text) => Line::styled(cut_end(&format!("    {text}"), width), palette.warning),
        TurnRow::File { file, is_seen, what } => {
            file_line(drawn, (file, *is_seen, what), is_at, (names, width))
        }
    }
}

fn file_line(
    drawn: &DrawnState<'_>,
    (file, is_seen, what): (&TurnFile, bool, &str),
    is_at: bool,
    (names, width): (usize, usize),
) -> Line<'static> {
    let palette = drawn.palette;
    let style = match (is_at, file.author.is_agent()) {
        (true, _) => palette.selected,
        (false, true) => palette.text,
        (false, false) => palette.quiet,
    };
    let name = shortened(&words::harmless(&file.path), names);
    let gap = " ".repeat(names.saturating_sub(columns(&name)));
    let name = format!("{} {} {name}{gap}  ", item_sign(is_at, is_seen), words::letter(file.change));
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
    let below = if list.has_unseen_rows_below(main.height) { " The list goes on below (j)." } else { "" };
    match list.purpose() {
        ListPurpose::Leave => format!("Leave without undoing what is marked?{below}"),
        ListPurpose::Finish | ListPurpose::Files | ListPurpose::Finished => {
            let end = list.finish_parts();
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

/// Keys with their labels, in the order of the bottom line.
type Keys = Vec<(&'static str, &'static str)>;

/// The keys of the list, in a form that fits into `room` columns.
pub(crate) fn keys(list: &TurnList, main: Rect, room: u16) -> Keys {
    let is_long = list.rows().len() > usize::from(main.height);
    let more: Keys = is_long.then_some(("j/k", "more")).into_iter().collect();
    let copy: Keys = list.message().map(|_| [("y", "copy"), ("p", "paste")]).into_iter().flatten().collect();
    let forms = match list.purpose() {
        ListPurpose::Files => {
            let chosen: &[_] = match (list.chosen_comment(), list.chosen()) {
                (Some(_), _) if list.asks_again() => &[("a, x", "do not ask again")],
                (Some(_), _) => &[("a", "ask again"), ("x", "close it")],
                (None, Some(_)) => &[("Enter", "open"), ("c", "comment")],
                (None, None) => &[],
            };
            let (chosen, on_all, back) = (chosen.to_vec(), vec![("C", "on all")], vec![("Esc", "back")]);
            let all = [&*chosen, &on_all, &copy, &back].concat();
            // A person finds `j` without a hint, so this key goes first.
            let moving = [&[("j/k", "move")], &*all].concat();
            vec![moving, all, [&*chosen, &on_all, &back].concat(), [chosen, back].concat()]
        }
        ListPurpose::Finish => finish_keys(list)
            .into_iter()
            .map(|ways| [ways, vec![("n", "no")]].concat())
            // The corner shows that there are more rows, so `j/k` may be left out.
            .flat_map(|keys| [[keys.clone(), more.clone()].concat(), keys])
            .collect(),
        ListPurpose::Leave => vec![[vec![("y", "leave"), ("n", "stay")], more].concat()],
        ListPurpose::Finished => {
            let back: Keys = list.has_undone().then_some(("u", "take it back")).into_iter().collect();
            let last = [("L", "files"), ("Esc", "back")];
            [[more, copy.clone()].concat(), copy, Keys::new()]
                .map(|keys| [&*back, &keys, &last].concat())
                .into()
        }
    };
    fitting(forms, usize::from(room))
}

/// The first form that fits into `room` columns, or the last form.
fn fitting(forms: Vec<Keys>, room: usize) -> Keys {
    let last = forms.last().cloned().unwrap_or_default();
    let width = |keys: &Keys| keys.iter().map(|(key, word)| columns(key) + columns(word) + 3).sum::<usize>();
    // The last key needs no gap behind it.
    forms.into_iter().find(|keys| width(keys).saturating_sub(2) <= room).unwrap_or(last)
}

/// The keys of a finish in several forms, from the longest to the shortest. The shortest forms have only the
/// most important keys.
fn finish_keys(list: &TurnList) -> Vec<Keys> {
    let end = list.finish_parts();
    match (end.has_marks, end.comments > 0, end.has_route) {
        (true, _, true) => {
            let (send, only) = (("y", "undo, send"), ("o", "only undo"));
            let asking = ["ask the agent to undo", "ask the agent", "ask"].map(|ask| ("a", ask));
            let all = asking.map(|ask| vec![send, ask, only]);
            all.into_iter().chain([vec![send, asking[2]], vec![send]]).collect()
        }
        (true, _, false) => vec![vec![("y", "undo")]],
        (false, _, true) => {
            let quietly = ["finish without sending", "do not send"].map(|quietly| ("o", quietly));
            quietly.map(|quietly| vec![("y", "send"), quietly]).into()
        }
        (false, _, false) => vec![vec![("y", "finish")]],
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Comment, Marked, Route, Turn};

    use super::*;
    use crate::turn_files::TurnFiles;

    #[test]
    fn the_keys_of_a_finish_fit_and_the_most_important_ones_stay() {
        let route = Some(Route { agent: "Codex".into(), ..Route::default() });
        let marked =
            |at: usize| TurnFile { path: at.to_string(), marked: Marked::Whole, ..TurnFile::default() };
        let shown = |files: usize, comments: usize, room: u16| {
            let (files, comments) = ((0..files).map(marked).collect(), vec![Comment::default(); comments]);
            let turn = Turn { files, comments, route: route.clone(), ..Turn::default() };
            let list = TurnList::finish(&TurnFiles::new(turn)).unwrap();
            let keys = keys(&list, Rect { width: room, height: 12, ..Rect::default() }, room);
            let said = keys.iter().map(|(key, word)| format!("{key} {word}")).collect::<Vec<_>>().join("  ");
            assert!(said.len() <= usize::from(room), "{room}: {said}");
            said
        };
        let all = "y undo, send  a ask the agent to undo  o only undo  n no";
        assert_eq!(shown(20, 1, 66), format!("{all}  j/k more"));
        assert_eq!((shown(20, 1, 60), shown(2, 1, 60)), (all.to_owned(), all.to_owned()));
        // Beside the rows that are on the screen: ` 1-10 of 30`.
        assert_eq!(shown(20, 1, 49), "y undo, send  a ask the agent  o only undo  n no");
        assert_eq!(shown(2, 1, 40), "y undo, send  a ask  o only undo  n no");
        assert_eq!(shown(20, 1, 29), "y undo, send  a ask  n no");
        assert_eq!(shown(20, 1, 20), "y undo, send  n no");
        assert_eq!(shown(0, 1, 40), "y send  o finish without sending  n no");
        assert_eq!(shown(0, 1, 29), "y send  o do not send  n no");
    }
}
