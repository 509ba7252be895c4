//! Draws the input of a comment in the rows of the status line: its target, when and how an agent reads the
//! comment, and the end of the text.

use alongside_desk::harmless;

use crate::overlays::comment_input::CommentInput;
use crate::panels::drawn_state::DrawnState;
use crate::text::fit::{beginning, cut_end, wrapped};
use crate::text::width::columns;
use crate::words::comment_words;

/// The sign before the text.
const SIGN: &str = "> ";

/// The rows above the text.
fn head(drawn: &DrawnState<'_>, input: &CommentInput, width: usize) -> Vec<String> {
    let route = drawn.reviews.turn().files().map(|files| comment_words::route_after_finish(files.turn()));
    let says = input.hint().map(str::to_owned).or(route).unwrap_or_default();
    wrapped(&format!("{}. {says}", input.prompt()), width)
}

/// The rows of the text, which may break within a word.
fn text(input: &CommentInput, width: usize) -> Vec<String> {
    let room = width.saturating_sub(SIGN.len() + 1).max(1);
    let mut rows = Vec::new();
    for line in input.text.split('\n') {
        let line = harmless::name(line);
        let mut rest = &*line;
        while columns(rest) > room {
            let first = beginning(rest, room);
            if first.is_empty() {
                break;
            }
            rows.push(first.to_owned());
            rest = &rest[first.len()..];
        }
        rows.push(rest.to_owned());
    }
    rows
}

/// The rows of the input that fit. Of a long text, the end is shown.
pub(crate) fn rows(drawn: &DrawnState<'_>, input: &CommentInput, width: usize, most: usize) -> Vec<String> {
    let (mut head, text) = (head(drawn, input, width), text(input, width));
    let room = most.saturating_sub(1).max(1);
    if head.len() > room {
        head.truncate(room);
        if let Some(last) = head.last_mut() {
            *last = cut_end(&format!("{last} …"), width);
        }
    }
    let room = most.saturating_sub(head.len()).max(1);
    let hidden = text.len().saturating_sub(room);
    let sign = |(at, row): (usize, String)| match at {
        0 => format!("{SIGN}{row}"),
        _ if at == hidden => format!("…{}{row}", &SIGN[1..]),
        _ => format!("  {row}"),
    };
    head.into_iter().chain(text.into_iter().enumerate().skip(hidden).map(sign)).collect()
}

/// The column behind the text.
pub(crate) fn cursor(input: &CommentInput, width: usize) -> usize {
    SIGN.len() + text(input, width).last().map_or(0, |row| columns(row))
}

/// The keys of the input.
pub(crate) fn keys(input: &CommentInput) -> Vec<(&'static str, &'static str)> {
    let mut keys = vec![("Enter", input.confirm_words()), ("Esc", "later")];
    keys.extend(input.next_words().map(|next| ("Tab", next)));
    if input.can_choose() {
        keys.extend([("↑↓", "lines"), ("Shift-↑↓", "more")]);
    }
    keys.push(("Ctrl-J", "line"));
    keys
}
