//! The bottom of the screen: the status line, with one message or question at a time, and the keys.

use alongside_desk::harmless;
use alongside_desk::review_model::MessageKind;
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::Style;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::app::App;
use crate::keys::{Action, TABLE};
use crate::text_fit::{cut, wrapped};
use crate::width;

/// The widest that a searched text is shown.
const SEARCHED: usize = 16;

/// The height of the status line: one row, or more where one message is longer than the screen is wide.
pub(crate) fn height(app: &App, size: Size) -> u16 {
    let most = (size.height / 5).clamp(1, 5);
    u16::try_from(status(app, size.width).0.len()).unwrap_or(u16::MAX).clamp(1, most)
}

pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let area = app.areas.messages;
    let (rows, style) = status(app, area.width);
    let rows = shortened(rows, usize::from(area.height), usize::from(area.width));
    app.lines(frame, area, rows.into_iter().map(|row| Line::styled(row, style)));
    if let Some(column) = cursor(app, usize::from(area.width)) {
        let x = area.x + u16::try_from(column).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
        frame.set_cursor_position(Position { x, y: area.bottom().saturating_sub(1) });
    }
    let found = search_count(app);
    let room = area.width.saturating_sub(u16::try_from(width::columns(&found)).unwrap_or(0));
    frame.render_widget(keys(app, room), app.areas.keys);
    if room < area.width {
        frame.render_widget(Line::styled(found, app.palette.key).right_aligned(), app.areas.keys);
    }
}

/// The column behind the text that the person types.
fn cursor(app: &App, width: usize) -> Option<usize> {
    if let Some(input) = &app.reason.typing {
        return Some(super::reason::cursor(app, input, width));
    }
    app.search.typing.as_ref().map(|needle| 1 + width::columns(&harmless::name(needle)))
}

/// The search, the current match, and how many there are.
fn search_count(app: &App) -> String {
    let matches = app.current().and_then(|view| view.matches.as_ref());
    let Some(matches) = matches.filter(|_| app.question.is_none() && app.help.is_none()) else {
        return String::new();
    };
    format!(" /{} {}", cut(&harmless::name(&app.search.text), SEARCHED), matches.count())
}

/// The first rows, if not all fit.
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

/// The rows of the one thing that the status line says: the text being typed, a question, or a message.
fn status(app: &App, width: u16) -> (Vec<String>, Style) {
    let (palette, width) = (&app.palette, usize::from(width));
    let rows = |text: &str| wrapped(text, width);
    if let Some(input) = &app.reason.typing {
        return (super::reason::rows(app, input, width), palette.text);
    }
    if let Some(needle) = &app.search.typing {
        let text = format!("/{}", harmless::name(needle));
        return (vec![cut(&text, width.saturating_sub(1))], palette.text);
    }
    if let Some(question) = app.question {
        let is_edited = app.reviews.iter().any(|view| view.review().is_edited());
        let keeps_drafts = !app.options.rehearsal && is_edited;
        return (rows(&question.text(app.reviews.len(), keeps_drafts)), palette.warning);
    }
    if let Some(list) = &app.accept_all {
        return (rows(&super::accept_all::question(list, app.areas.main)), palette.warning);
    }
    let Some((message, behind)) = app.messages.current() else { return (Vec::new(), palette.text) };
    let style = if message.kind == MessageKind::Warning { palette.warning } else { palette.text };
    let more = if behind > 0 { format!(" ({behind} more)") } else { String::new() };
    let text = in_one_line(&message.text) + &more;
    (text.lines().flat_map(rows).collect(), style)
}

/// A problem and its remedy in one line; a text of several lines as it is.
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

fn keys(app: &App, width: u16) -> Line<'static> {
    let palette = &app.palette;
    let keys = match app.question {
        Some(question) => question.choices().to_vec(),
        None if let Some(input) = &app.reason.typing => super::reason::keys(app, input),
        None if app.search.typing.is_some() => vec![("Enter", "find"), ("Esc", "end the search")],
        None if let Some(list) = &app.accept_all => super::accept_all::keys(list, app.areas.main),
        None if app.setup.open.is_some() => vec![("y", "change it"), ("n", "leave it"), ("Esc", "back")],
        None if app.help.is_some() && super::help::excess(app.areas.main) > 0 => {
            vec![("j/k", "more"), ("Esc", "back")]
        }
        None if app.help.is_some() => vec![("Esc", "back")],
        None => brief(app, usize::from(width)),
    };
    let mut spans = Vec::new();
    for (key, what) in keys {
        spans.push(Span::styled(key, palette.key));
        spans.push(Span::styled(format!(" {what}  "), palette.quiet));
    }
    Line::from(spans)
}

/// Whether an agent takes the active file.
fn can_send(app: &App) -> bool {
    let status = app.companion.status();
    status.agents.iter().any(|agent| agent.takes_files) && status.context.iter().any(|file| file.active)
}

/// As many keys of the table as fit; the last two, help and leave, always.
fn brief(app: &App, width: usize) -> Vec<(&'static str, &'static str)> {
    let means = |act: Action| match app.current() {
        None => {
            matches!(act, Action::Pause | Action::Send | Action::SetUpAgents | Action::Help | Action::Leave)
        }
        // One that is taken or left as a whole has nothing else to offer.
        Some(view) if view.review().whole_file_only.is_some() => {
            let decides = matches!(act, Action::Accept | Action::AcceptAll | Action::Reject | Action::Reason);
            !act.touches_review() || decides
        }
        Some(_) => true,
    };
    let applies = |act: Action| match act {
        Action::NextReview | Action::AcceptAll => app.reviews.len() > 1,
        Action::Reason => app.current().is_some_and(|view| !view.review().reasons.are_lost()),
        Action::Send => app.current().is_none() && can_send(app),
        Action::SetUpAgents => app.current().is_none() && !app.setup.offers.is_empty(),
        _ => true,
    };
    let rows = TABLE.iter().filter(|row| means(row.action) && applies(row.action));
    let mut keys: Vec<_> = rows.filter_map(|row| row.brief).collect();
    let columns = |keys: &[(&str, &str)]| -> usize {
        keys.iter().map(|(key, what)| width::columns(key) + width::columns(what) + 3).sum()
    };
    while columns(&keys) > width + 2 && keys.len() > 2 {
        keys.remove(keys.len() - 3);
    }
    keys
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
    fn a_message_that_does_not_fit_says_so() {
        let rows = || vec!["one".to_owned(), "two".to_owned(), "three".to_owned()];
        assert_eq!(shortened(rows(), 3, 5), rows());
        assert_eq!(shortened(rows(), 2, 3), ["one", "tw…"]);
    }
}
