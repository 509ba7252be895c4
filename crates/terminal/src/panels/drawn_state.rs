//! The state of the desk that panels read to draw themselves.

use alongside_desk::Status;
use alongside_desk::agent_setup::SettingsOffer;
use alongside_desk::review_model::Note;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use crate::areas::Areas;
use crate::message_log::MessageLog;
use crate::overlays::Overlays;
use crate::palette::Palette;
use crate::reviews::Reviews;
use crate::search_input::SearchInput;
use crate::text::fit::wrapped;

/// The state that panels draw. Drawing does not change it.
#[derive(Clone, Copy)]
pub(crate) struct DrawnState<'a> {
    pub(crate) palette: &'a Palette,
    pub(crate) areas: &'a Areas,
    pub(crate) reviews: &'a Reviews,
    pub(crate) overlays: &'a Overlays,
    pub(crate) messages: &'a MessageLog,
    pub(crate) search: &'a SearchInput,
    /// The number that the person has typed for the next key.
    pub(crate) number: Option<usize>,
    /// The offered changes of agents' settings.
    pub(crate) offers: &'a [SettingsOffer],
    /// As [`Options::started`](crate::Options::started).
    pub(crate) started: Option<&'a str>,
    /// Whether typed texts are kept as drafts, which a demo does not do.
    pub(crate) keeps_drafts: bool,
    /// The time of the frame, in ms since the Unix epoch. Ages are relative to it.
    pub(crate) now: u64,
}

impl<'a> DrawnState<'a> {
    pub(crate) fn status(&self) -> &'a Status {
        self.reviews.status()
    }

    /// The area of a list over the review.
    pub(crate) fn list_area(&self) -> Rect {
        let main = self.areas.main;
        Rect { x: main.x + 1, width: main.width.saturating_sub(1), ..main }
    }

    /// The rows of notes on a review, wrapped to `width` columns. A warning has a sign before it.
    pub(crate) fn notes(
        &self,
        notes: impl Iterator<Item = Note>,
        width: u16,
    ) -> impl Iterator<Item = Line<'static>> {
        let palette = self.palette;
        notes.flat_map(move |Note { text, warning, .. }| {
            let (sign, style) = if warning { ("! ", palette.warning) } else { ("  ", palette.quiet) };
            let rows = wrapped(&text, usize::from(width.saturating_sub(2)));
            rows.into_iter().map(move |row| Line::styled(format!("{sign}{row}"), style))
        })
    }

    /// The title of a panel.
    pub(crate) fn title(&self, text: impl Into<String>) -> Line<'static> {
        Line::styled(text.into(), self.palette.heading)
    }
}

/// Draws styled lines in an area, and leaves out lines that do not fit.
pub(crate) fn draw_lines(frame: &mut Frame<'_>, area: Rect, lines: impl IntoIterator<Item = Line<'static>>) {
    for (row, line) in area.rows().zip(lines) {
        frame.render_widget(line, row);
    }
}

/// Draws sentences instead of a review's text, wrapped, with two thirds of the free rows below them. The
/// first row is the heading.
pub(crate) fn draw_words(drawn: &DrawnState<'_>, frame: &mut Frame<'_>, room: Rect, words: &[String]) {
    let width = room.width.saturating_sub(4);
    let rows: Vec<_> = words.iter().flat_map(|line| wrapped(line, usize::from(width))).collect();
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let y = room.y + room.height.saturating_sub(height) / 3;
    let area = Rect { x: room.x + 2, y, width, height }.intersection(room);
    let (heading, text) = (drawn.palette.heading, drawn.palette.text);
    let lines = rows
        .into_iter()
        .enumerate()
        .map(|(index, row)| Line::styled(row, if index == 0 { heading } else { text }));
    draw_lines(frame, area, lines);
}
