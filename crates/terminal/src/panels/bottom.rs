//! The bottom of the screen: messages, the open question, and the keys.

use alongside_desk::harmless;
use alongside_desk::review_model::MessageKind;
use ratatui::Frame;
use ratatui::layout::{Position, Size};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::app::App;
use crate::keys::{Action, TABLE};
use crate::text_fit::{cut, wrapped};
use crate::width;

/// Rows for messages: one at least, so that the page does not jump with each.
pub(crate) fn height(app: &App, size: Size) -> u16 {
    let most = (size.height / 5).clamp(1, 5);
    u16::try_from(rows(app, size.width).len()).unwrap_or(u16::MAX).clamp(1, most)
}

pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let area = app.areas.messages;
    let rows = fitting(rows(app, area.width), usize::from(area.height));
    app.lines(frame, area, rows.into_iter().map(|row| Line::styled(row.text, row.style)));
    if let Some(needle) = &app.search.typing {
        let column = 1 + width::columns(&harmless::name(needle));
        let x = area.x + u16::try_from(column).unwrap_or(0).min(area.width.saturating_sub(1));
        frame.set_cursor_position(Position { x, y: area.bottom().saturating_sub(1) });
    }
    frame.render_widget(keys(app, area.width), app.areas.keys);
}

/// A row of a message.
struct Row {
    text: String,
    style: Style,
    /// Whether it gives way to others where not all fit.
    yields: bool,
}

/// The newest rows, if not all fit; notices give way to warnings.
fn fitting(mut rows: Vec<Row>, height: usize) -> Vec<Row> {
    let mut excess = rows.len().saturating_sub(height);
    rows.retain(|row| {
        let goes = excess > 0 && row.yields;
        excess -= usize::from(goes);
        !goes
    });
    rows.split_off(excess)
}

fn rows(app: &App, width: u16) -> Vec<Row> {
    let (palette, width) = (&app.palette, usize::from(width));
    let mut rows = Vec::new();
    let mut add = |text: &str, style: Style, yields: bool| {
        let lines = text.lines().flat_map(|line| wrapped(line, width));
        rows.extend(lines.map(|text| Row { text, style, yields }));
    };
    let newest = app.messages.len().saturating_sub(1);
    for (index, message) in app.messages.iter().enumerate() {
        let style = if message.kind == MessageKind::Warning { palette.warning } else { palette.text };
        add(&message.text, style, message.kind != MessageKind::Warning && index != newest);
    }
    if let Some(question) = app.question {
        let keeps_drafts = !app.options.rehearsal;
        add(&question.text(app.reviews.len(), keeps_drafts), palette.warning, false);
    }
    if let Some(list) = app.accept_all.as_ref().filter(|_| app.question.is_none()) {
        add(&super::accept_all::question(list), palette.warning, false);
    }
    if let Some(needle) = &app.search.typing {
        let text = format!("/{}", harmless::name(needle));
        let text = cut(&text, width.saturating_sub(1));
        rows.push(Row { text, style: palette.text, yields: false });
    }
    rows
}

fn keys(app: &App, width: u16) -> Line<'static> {
    let palette = &app.palette;
    let keys = match app.question {
        Some(question) => question.choices().to_vec(),
        None if app.search.typing.is_some() => vec![("Enter", "find"), ("Esc", "end the search")],
        None if let Some(list) = &app.accept_all => super::accept_all::keys(list, app.areas.main),
        None if app.setup.open.is_some() => vec![("y", "change it"), ("n", "leave it"), ("Esc", "back")],
        None if app.help.is_some() => vec![("j/k", "more"), ("Esc", "back")],
        None => brief(app, usize::from(width)),
    };
    let mut spans = Vec::new();
    for (key, what) in keys {
        spans.push(Span::styled(key, palette.key));
        spans.push(Span::styled(format!(" {what}  "), palette.quiet));
    }
    Line::from(spans)
}

/// As many keys of the table as fit; the last two, help and leave, always.
fn brief(app: &App, width: usize) -> Vec<(&'static str, &'static str)> {
    let means = |act: Action| match app.current() {
        None => matches!(act, Action::Pause | Action::SetUpAgents | Action::Help | Action::Leave),
        // One that is taken or left as a whole has nothing else to offer.
        Some(view) if view.review().whole_file_only.is_some() => {
            !act.touches_review() || matches!(act, Action::Accept | Action::AcceptAll | Action::Reject)
        }
        Some(_) => true,
    };
    let applies = |act: Action| match act {
        Action::NextReview | Action::AcceptAll => app.reviews.len() > 1,
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
