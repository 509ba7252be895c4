//! The bottom of the screen: the status line, with one message or question at a time, and the keys.

use std::ops::Range;

use alongside_desk::review_model::MessageKind;
use alongside_desk::{HunkState, harmless};
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::Style;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::drawn_overlays;
use super::drawn_state::{DrawnState, draw_lines};
use super::list_rows::list_extent;
use crate::keys::{self, Action, DeskMode, KeyBinding};
use crate::overlays::Overlay;
use crate::text::fit::{cut_start, wrapped};
use crate::text::width;

/// The most columns of the searched text in the corner.
const MAX_SEARCH_COLUMNS: usize = 16;

/// The height of the status line: one row, or more rows for a message that is wider than the screen.
/// `stays`: whether the status line keeps a row without a message.
pub(crate) fn height(drawn: &DrawnState<'_>, size: Size, stays: bool) -> u16 {
    let most = match drawn.overlays.front() {
        // The text of a comment gets more rows than a message, so that the person can read it.
        Some(Overlay::Comment(_)) => (size.height / 3).clamp(2, 8),
        _ => (size.height / 5).clamp(1, 5),
    };
    u16::try_from(status(drawn, size.width, most).0.len()).unwrap_or(u16::MAX).clamp(stays.into(), most)
}

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    let area = drawn.areas.messages;
    let (rows, style) = status(drawn, area.width, area.height);
    let rows = shortened(rows, usize::from(area.height), usize::from(area.width));
    draw_lines(frame, area, rows.into_iter().map(|row| Line::styled(row, style)));
    if let Some(column) = cursor(drawn, usize::from(area.width)) {
        let x = area.x + u16::try_from(column).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
        frame.set_cursor_position(Position { x, y: area.bottom().saturating_sub(1) });
    }
    let found = corner_text(drawn);
    let room = area.width.saturating_sub(u16::try_from(width::columns(&found)).unwrap_or(0));
    frame.render_widget(keys(drawn, room), drawn.areas.keys);
    if room < area.width {
        // A style of the line would apply to the whole row.
        let found = Line::from(Span::styled(found, drawn.palette.key));
        frame.render_widget(found.right_aligned(), drawn.areas.keys);
    }
}

/// The column behind the text that the person types.
fn cursor(drawn: &DrawnState<'_>, width: usize) -> Option<usize> {
    match drawn.overlays.front()? {
        Overlay::Reason(input) => Some(drawn_overlays::reason_input::cursor(drawn, input, width)),
        Overlay::Comment(input) => Some(drawn_overlays::comment_input::cursor(input, width)),
        Overlay::Search(needle) => Some(1 + width::columns(&harmless::name(needle))),
        _ => None,
    }
}

/// The text in the corner: the number that the person types, the visible rows of a list, or the search with
/// the number of the current match and of all matches.
fn corner_text(drawn: &DrawnState<'_>) -> String {
    let matches = drawn.reviews.current().and_then(|view| view.matches.as_ref());
    let rows = |shown: Range<usize>, all: usize| match shown.len() < all {
        true => format!(" {}-{} of {all}", shown.start + 1, shown.end),
        false => String::new(),
    };
    match (drawn.overlays.front(), matches) {
        (None, _) if let Some(number) = drawn.number => format!(" {number}"),
        (Some(Overlay::AcceptAll(list)), _) => {
            rows(list.rows_on_screen(drawn.areas.main.height), list.rows())
        }
        (Some(Overlay::Turn(list)), _) => {
            rows(list.rows_on_screen(drawn.areas.main.height), list.rows().len())
        }
        (Some(Overlay::Question(_) | Overlay::Help(_)), _) | (_, None) => String::new(),
        (_, Some(matches)) => {
            format!(
                " /{} {}",
                cut_start(&harmless::name(drawn.search.text()), MAX_SEARCH_COLUMNS),
                matches.count()
            )
        }
    }
}

/// The rows that fit, with a `…` at the end if rows are left out.
fn shortened(mut rows: Vec<String>, height: usize, width: usize) -> Vec<String> {
    if rows.len() > height {
        rows.truncate(height);
        if let Some(last) = rows.last_mut() {
            while width::columns(last) + 1 > width && last.pop().is_some() {}
            last.push('…');
        }
    }
    rows
}

/// The rows of the status line: the text of an input, a question, or a message. `most`: the most rows of a
/// comment.
fn status(drawn: &DrawnState<'_>, width: u16, most: u16) -> (Vec<String>, Style) {
    let (palette, width) = (drawn.palette, usize::from(width));
    let rows = |text: &str| wrapped(text, width);
    match drawn.overlays.front() {
        Some(Overlay::Reason(input)) => {
            return (drawn_overlays::reason_input::rows(drawn, input, width), palette.text);
        }
        Some(Overlay::Comment(input)) => {
            return (
                drawn_overlays::comment_input::rows(drawn, input, width, usize::from(most)),
                palette.text,
            );
        }
        Some(Overlay::Lines(split)) => {
            return (vec![format!("A change of its own: {}", split.choice.words())], palette.text);
        }
        Some(Overlay::Search(needle)) => {
            let text = format!("/{}", harmless::name(needle));
            return (vec![cut_start(&text, width.saturating_sub(1))], palette.text);
        }
        Some(Overlay::NoInput(why)) => return (rows(why), palette.warning),
        Some(Overlay::Question(open)) => {
            let reviews = drawn.reviews.all();
            let is_edited = reviews.iter().any(|view| view.review().is_edited());
            let about = drawn.reviews.current().map(|view| (view.review(), drawn.reviews.roots()));
            let text = open.question.text(about, reviews.len(), drawn.keeps_drafts && is_edited);
            return (rows(&text), palette.warning);
        }
        Some(Overlay::AcceptAll(list)) => {
            return (rows(&drawn_overlays::accept_all::question(list, drawn.areas.main)), palette.warning);
        }
        Some(Overlay::Turn(list)) if list.asks() => {
            return (rows(&drawn_overlays::turn_list::question(list, drawn.areas.main)), palette.warning);
        }
        _ => {}
    }
    let Some((message, behind)) = drawn.messages.current() else { return (Vec::new(), palette.text) };
    let style = if message.kind == MessageKind::Warning { palette.warning } else { palette.text };
    let more = if behind > 0 { format!(" ({behind} more: m)") } else { String::new() };
    let beside = drawn.messages.beside().map(|news| format!(" {}", in_one_line(&news.text)));
    let text = in_one_line(&message.text) + &more + &beside.unwrap_or_default();
    (text.lines().flat_map(rows).collect(), style)
}

/// Joins a problem and its remedy to one line. A text of more than two lines stays as it is.
fn in_one_line(text: &str) -> String {
    if text.lines().count() > 2 {
        return text.to_owned();
    }
    let mut line = String::new();
    for part in text.lines().map(str::trim).filter(|part| !part.is_empty()) {
        if !line.is_empty() {
            let begins = part.starts_with(char::is_uppercase);
            line.push_str(match line.ends_with(['.', ':', '!', '?']) {
                true => " ",
                false if begins => ". ",
                false => "; ",
            });
        }
        line.push_str(part);
    }
    line
}

fn keys(drawn: &DrawnState<'_>, width: u16) -> Line<'static> {
    let palette = drawn.palette;
    let keys = match drawn.overlays.front() {
        Some(Overlay::Question(open)) => open.question.choices().to_vec(),
        Some(Overlay::Reason(input)) => drawn_overlays::reason_input::keys(drawn, input),
        Some(Overlay::Comment(input)) => drawn_overlays::comment_input::keys(input),
        Some(Overlay::Lines(_)) => {
            vec![("Enter", "split"), ("Esc", "back"), ("j/k", "line"), ("J/K", "more lines")]
        }
        Some(Overlay::Search(_)) => vec![("Enter", "find"), ("Esc", "end the search")],
        Some(Overlay::AcceptAll(list)) => drawn_overlays::accept_all::keys(list, drawn.areas.main),
        Some(Overlay::Accepted(list)) => drawn_overlays::accepted_by_rule::keys(list),
        Some(Overlay::Turn(list)) => drawn_overlays::turn_list::keys(list, drawn.areas.main, width),
        Some(Overlay::Messages(_)) => drawn_overlays::message_list::KEYS.to_vec(),
        Some(Overlay::Waiting(_)) => drawn_overlays::review_list::KEYS.to_vec(),
        Some(Overlay::Offer(_)) => vec![("y", "change it"), ("n", "leave it"), ("Esc", "back")],
        Some(Overlay::Help(_))
            if drawn_overlays::help::excess(drawn.areas.main, drawn.reviews.mode()) > 0 =>
        {
            vec![("j/k", "more"), ("Esc", "back")]
        }
        Some(Overlay::Help(_) | Overlay::NoInput(_)) => vec![("Esc", "back")],
        None if drawn.number.is_some() => {
            vec![("j/k", "so many changes"), ("g", "to that change"), ("Esc", "back")]
        }
        None => table_keys(drawn, usize::from(width)),
    };
    let mut spans = Vec::new();
    for (key, what) in keys {
        spans.push(Span::styled(key, palette.key));
        spans.push(Span::styled(format!(" {what}  "), palette.quiet));
    }
    Line::from(spans)
}

/// Whether an agent accepts mentions, and a file is active.
fn can_send(drawn: &DrawnState<'_>) -> bool {
    let status = drawn.status();
    status.agents.iter().any(|agent| agent.takes_files) && status.context.iter().any(|file| file.active)
}

/// The keys of the table that fit. The last two, help and leave, always stay.
fn table_keys(drawn: &DrawnState<'_>, width: usize) -> Vec<(&'static str, &'static str)> {
    let mode = drawn.reviews.mode();
    let means = |act: Action| match drawn.reviews.current() {
        None if mode == DeskMode::Turn => match drawn.reviews.turn().has_file() {
            // A file without text is marked as a whole.
            true => !matches!(act, Action::KeepOrDrop | Action::NextHunk | Action::Search | Action::Layout),
            false => matches!(act, Action::Turn | Action::LookAgain | Action::Help | Action::Leave),
        },
        None => matches!(
            act,
            Action::Pause | Action::Send | Action::SetUpAgents | Action::Turn | Action::Help | Action::Leave
        ),
        Some(_) if mode == DeskMode::Turn => true,
        // A proposal that is decided as a whole has no changes to keep, drop, split or edit.
        Some(view) if view.review().whole_file_only.is_some() => {
            let decides = matches!(act, Action::Accept | Action::AcceptAll | Action::Reject | Action::Reason);
            !act.touches_review() || decides
        }
        Some(_) => true,
    };
    let applies = |act: Action| match act {
        Action::NextReview | Action::AcceptAll | Action::Files => list_extent(drawn).0 > 1,
        Action::Turn => mode == DeskMode::Turn || drawn.reviews.current().is_none(),
        Action::Pause => mode == DeskMode::Proposals,
        Action::Undo | Action::Split if mode == DeskMode::Turn => drawn.reviews.current().is_some(),
        Action::Reason => drawn.reviews.current().is_some_and(|view| !view.review().reasons.are_lost()),
        Action::Send => drawn.reviews.current().is_none() && can_send(drawn),
        Action::SetUpAgents => drawn.reviews.current().is_none() && !drawn.offers.is_empty(),
        _ => true,
    };
    let rows = keys::bindings(mode).filter(|row| means(row.action) && applies(row.action));
    let hunk = drawn.reviews.current().and_then(|view| view.review().hunks.get(view.hunk()));
    let word = |row: &KeyBinding| match (row.action, hunk) {
        (Action::KeepOrDrop, _) if drawn.reviews.turn().is_hunk_marked() => Some(("space", "unmark")),
        (Action::KeepOrDrop, _) if mode == DeskMode::Turn => row.brief,
        (Action::KeepOrDrop, Some(hunk)) if hunk.state == HunkState::Dropped => Some(("space", "keep")),
        (Action::KeepOrDrop, Some(_)) => Some(("space", "drop")),
        _ => row.brief,
    };
    let mut keys: Vec<_> = rows.filter_map(word).collect();
    fit_keys(&mut keys, width + 2);
    keys
}

/// The keys that stay longest on a narrow screen: the keys that decide, and the keys that go to the next
/// change, to the next review, and to the turn review and back.
const NEEDED_KEYS: [&str; 10] = ["a", "r", "space", "X", "c", "f", "j/k", "Tab", "A", "T"];

/// Removes keys, from the end but for the last two, until the rest fits. Before a needed key is removed,
/// other keys lose their word: first quit, then the next change, the help, and the mark of a file.
fn fit_keys(keys: &mut Vec<(&'static str, &'static str)>, room: usize) {
    let columns = |keys: &[(&str, &str)]| -> usize {
        keys.iter().map(|(key, what)| width::columns(key) + width::columns(what) + 3).sum()
    };
    while columns(keys) > room && keys.len() > 2 {
        let help = keys.len() - 2;
        let others = &keys[..help];
        let least_needed = others.iter().rposition(|(key, _)| !NEEDED_KEYS.contains(key));
        let least_needed = least_needed.or_else(|| others.iter().position(|(key, _)| *key == "A"));
        let with_word = |wanted: &str| keys.iter().position(|(key, what)| *key == wanted && !what.is_empty());
        let word = with_word("q").or_else(|| with_word("j/k")).or_else(|| with_word("?"));
        let word = word.or_else(|| with_word("X"));
        match (least_needed, word) {
            (Some(least), _) => _ = keys.remove(least),
            (None, Some(word)) => keys[word].1 = "",
            (None, None) => _ = keys.remove(help - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_and_its_remedy_are_one_line() {
        assert_eq!(in_one_line("disk full\n  make room"), "disk full; make room");
        assert_eq!(in_one_line("disk full\n  Make room."), "disk full. Make room.");
        assert_eq!(in_one_line("disk full.\n  Make room."), "disk full. Make room.");
        assert_eq!(in_one_line("typed:\none\ntwo"), "typed:\none\ntwo");
    }

    #[test]
    fn the_keys_that_are_needed_stay_longest() {
        let shown = |room: usize| {
            let mut keys = vec![
                ("a", "accept"),
                ("r", "reject"),
                ("space", "drop"),
                ("j/k", "change"),
                ("Tab", "next"),
                ("A", "all"),
                ("R", "why"),
                ("?", "help"),
                ("q", "quit"),
            ];
            fit_keys(&mut keys, room);
            let key = |(key, what): (&str, &str)| format!("{key}{}", if what.is_empty() { "-" } else { "" });
            keys.into_iter().map(key).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(90), "a r space j/k Tab A R ? q");
        assert_eq!(shown(82), "a r space j/k Tab A ? q");
        assert_eq!(shown(62), "a r space j/k- Tab ? q-");
        assert_eq!(shown(56), "a r space j/k- Tab ?- q-");
        assert_eq!(shown(46), "a r space j/k- ?- q-");
        assert_eq!(shown(0), "?- q-");
    }

    #[test]
    fn a_message_that_does_not_fit_says_so() {
        let rows = || vec!["one".to_owned(), "two".to_owned(), "three".to_owned()];
        assert_eq!(shortened(rows(), 3, 5), rows());
        assert_eq!(shortened(rows(), 2, 3), ["one", "tw…"]);
    }
}
