//! Draws the list of the reviews to accept together, and of the reviews that stay open, each with the reason.

use alongside_desk::path_fit::shortened;
use alongside_desk::review_model::{ListedReview, Obstacle};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::overlays::accept_all::AcceptAll;
use crate::panels::drawn_state::{DrawnState, draw_lines};
use crate::panels::list_rows::counts;
use crate::text::fit::cut_end;
use crate::text::width;

/// The least columns of a file name.
const MIN_NAME_COLUMNS: usize = 12;

pub(crate) fn draw(drawn: &DrawnState<'_>, list: &AcceptAll, frame: &mut Frame<'_>) {
    let area = drawn.list_area();
    let mut lines = Vec::new();
    let all = || list.ready.iter().chain(&list.held_back);
    let widest = |text: fn(&ListedReview, &str) -> String| {
        all().map(|(listed, agent)| width::columns(&text(listed, agent))).max().unwrap_or(0)
    };
    let columns = usize::from(area.width);
    let (sizes, mut agents) = (widest(|listed, _| size(listed)), widest(|_, agent| agent.to_owned()));
    let states = widest(|listed, _| reason(listed) + &listed.states + hard_to_see(listed));
    let names = widest(|listed, _| listed.name.clone());
    // The reasons and the states are more important than the agent and the beginning of a path.
    if sizes + agents + states + MIN_NAME_COLUMNS.min(names) + 8 > columns {
        agents = 0;
    }
    let gaps = if agents == 0 { 6 } else { 8 };
    let names = names.min(columns.saturating_sub(sizes + agents + states + gaps).max(MIN_NAME_COLUMNS));
    let row = |(listed, agent): &(ListedReview, String)| {
        let pad = |text: &str, room: usize| {
            let gap = room.saturating_sub(width::columns(text));
            format!("{text}{}  ", " ".repeat(gap))
        };
        let palette = drawn.palette;
        let name = format!("  {}", pad(&shortened(&listed.name, names), names));
        let gap = pad("", sizes.saturating_sub(size(listed).len()));
        let agent = if agents == 0 { String::new() } else { pad(agent, agents) };
        let before: Vec<_> = std::iter::once(Span::styled(name, palette.text))
            .chain(counts(listed.counts, palette, palette.text))
            .chain([Span::raw(gap), Span::styled(agent, palette.quiet)])
            .collect();
        let used: usize = before.iter().map(|span| width::columns(&span.content)).sum();
        let room = columns.saturating_sub(used);
        let (reason, hard) = (reason(listed), hard_to_see(listed));
        let least = width::columns(&reason) + width::columns(hard);
        // The states behind a reason are left out before the reason is cut.
        let (reason, states, hard) = match least + width::columns(&listed.states) <= room {
            _ if reason.is_empty() => {
                (reason, cut_end(&listed.states, room.saturating_sub(width::columns(hard))), hard)
            }
            true => (reason, listed.states.clone(), hard),
            false => (cut_end(reason.trim_end_matches("; "), room), String::new(), ""),
        };
        let behind = [(reason, palette.warning), (states, palette.quiet), (hard.to_owned(), palette.warning)];
        Line::from_iter(before.into_iter().chain(behind.map(|(text, style)| Span::styled(text, style))))
    };
    if !list.ready.is_empty() {
        lines.push(drawn.title("To accept, as they stand now:"));
        lines.extend(list.ready.iter().map(row));
        lines.push(Line::default());
    }
    if !list.held_back.is_empty() {
        lines.push(drawn.title("Not accepted; these wait on:"));
        lines.extend(list.held_back.iter().map(row));
    }
    let shown = list.rows_on_screen(area.height);
    draw_lines(frame, area, lines.into_iter().skip(shown.start).take(shown.len()));
}

/// The reason why a review stays open, as the text before its states.
fn reason(listed: &ListedReview) -> String {
    match listed.obstacle.map(Obstacle::text) {
        None => String::new(),
        Some(reason) if listed.states.is_empty() && !listed.is_hard_to_see => reason,
        Some(reason) => format!("{reason}; "),
    }
}

/// The text behind a review with a change that is hard to see.
fn hard_to_see(listed: &ListedReview) -> &'static str {
    match (listed.is_hard_to_see, listed.states.is_empty()) {
        (false, _) => "",
        (true, true) => "hard to see",
        (true, false) => ", hard to see",
    }
}

fn size(listed: &ListedReview) -> String {
    let (added, removed) = listed.counts;
    format!("+{added} -{removed}")
}

/// The question below the list.
pub(crate) fn question(list: &AcceptAll, main: Rect) -> String {
    let reviews = match list.ready.len() {
        0 => return "No review can be accepted from this list.".into(),
        1 => "this review".to_owned(),
        count => format!("these {count} reviews"),
    };
    let end = if list.has_unseen_rows_below(main.height) { " The list goes on below (j)." } else { "" };
    let partly = list.held_back.iter().filter_map(|(listed, _)| match listed.obstacle {
        Some(Obstacle::PartlySeen(seen)) => Some(format!("{} {}", listed.name, seen.text())),
        _ => None,
    });
    let partly: Vec<_> = partly.collect();
    let waits = match &*partly {
        [] => String::new(),
        [one] => format!(" {one}, and waits."),
        [one, _] => format!(" {one}; it and 1 other wait."),
        [one, others @ ..] => format!(" {one}; it and {} others wait.", others.len()),
    };
    format!("Accept {reviews}?{end}{waits}")
}

/// The keys of the list.
pub(crate) fn keys(list: &AcceptAll, main: Rect) -> Vec<(&'static str, &'static str)> {
    let mut keys =
        if list.ready.is_empty() { vec![("n", "back")] } else { vec![("y", "accept"), ("n", "no")] };
    if list.rows() > usize::from(main.height) {
        keys.push(("j/k", "more"));
    }
    keys
}
