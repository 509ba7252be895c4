//! Lays the screen out and draws it: [`arrange`](App::arrange) finds the places before a frame,
//! [`draw`](App::draw) changes nothing.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout as Split, Position, Rect, Size};
use ratatui::text::{Line, Span};

use crate::app::App;
use crate::areas::Areas;
use crate::options::Layout;
use crate::panels;
use crate::review_page::DrawOptions;

/// Smaller screens show nothing but that they are too small.
const SMALLEST: Size = Size { width: 40, height: 10 };

/// From this width on there is a column for agents, reviews and context; below it they have a line or two on
/// top.
const COLUMN_FROM: Size = Size { width: 100, height: 16 };

/// From this width on the original stands beside the text that would be accepted.
const SIDE_BY_SIDE_FROM: u16 = 110;

impl App {
    /// Works out where everything is on a screen of this size.
    pub(crate) fn arrange(&mut self, size: Size) {
        self.fill_vacancy();
        let by_width = if size.width >= SIDE_BY_SIDE_FROM { Layout::SideBySide } else { Layout::OneColumn };
        let mut areas = Areas {
            layout: self.layout.unwrap_or(by_width),
            too_small: size.width < SMALLEST.width || size.height < SMALLEST.height,
            ..Areas::default()
        };
        let whole = Rect::from((Position::ORIGIN, size));
        let [banner, above, messages, keys] = Split::vertical([
            Constraint::Length(u16::from(self.is_new_to_demo)),
            Constraint::Fill(1),
            Constraint::Length(panels::bottom::height(self, size)),
            Constraint::Length(1),
        ])
        .areas(whole);
        (areas.banner, areas.messages, areas.keys) = (banner, messages, keys);
        if size.width >= COLUMN_FROM.width && size.height >= COLUMN_FROM.height {
            let column = (size.width / 5).clamp(24, 36);
            let [left, border, main] =
                Split::horizontal([Constraint::Length(column), Constraint::Length(1), Constraint::Fill(1)])
                    .areas(above);
            (areas.border, areas.main) = (border, main);
            let third = left.height / 3;
            [areas.agents, areas.reviews, areas.context] = Split::vertical([
                Constraint::Length(panels::agents::height(self).min(third)),
                Constraint::Fill(1),
                Constraint::Length(panels::context::height(self).min(third)),
            ])
            .areas(left);
        } else {
            let rows = if size.height >= COLUMN_FROM.height { 2 } else { 1 };
            [areas.strip, areas.main] =
                Split::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(above);
        }
        let header = panels::header::height(self, areas.main);
        [areas.header, areas.page] =
            Split::vertical([Constraint::Length(header), Constraint::Fill(1)]).areas(areas.main);
        areas.listed = panels::reviews::places(self, &areas);
        let (layout, page) = (areas.layout, areas.page);
        self.areas = areas;
        let Some(at) = self.at else { return };
        let Some(view) = self.reviews.iter_mut().find(|view| view.review().id == at) else { return };
        view.arrange(layout, page.height, page.width);
        if let Some(page) = view.page() {
            self.colours.ask(&view.review().file, page.lines_in(view.rows()));
        }
    }

    /// Draws what was arranged.
    pub(crate) fn draw(&self, frame: &mut Frame<'_>) {
        let (areas, palette) = (&self.areas, &self.palette);
        if areas.too_small {
            let said = Line::styled("Too small: alongside needs 40x10.", palette.warning);
            return frame.render_widget(said, Rect { height: 1, ..frame.area() });
        }
        panels::banner::draw(self, frame);
        if areas.strip.is_empty() {
            panels::agents::draw(self, frame);
            panels::reviews::draw(self, frame);
            panels::context::draw(self, frame);
            for y in areas.border.rows() {
                frame.render_widget(Span::styled("│", palette.border), y);
            }
        } else {
            panels::strip::draw(self, frame);
        }
        match self.current() {
            _ if let Some(list) = &self.accept_all => panels::accept_all::draw(self, list, frame),
            _ if self.help.is_some() => panels::help::draw(self, frame),
            _ if self.setup.open.is_some() => panels::agent_setup::draw(self, frame),
            None => panels::empty::draw(self, frame),
            Some(view) => {
                panels::header::draw(self, view, frame);
                if let Some(page) = view.page() {
                    let options = DrawOptions {
                        palette,
                        colours: &self.colours,
                        hunk: (!view.review().hunks.is_empty()).then_some(view.hunk()),
                        search: self.search.needle.as_ref(),
                        sideways: view.sideways,
                    };
                    page.draw(frame.buffer_mut(), areas.page, view.top, &options);
                }
            }
        }
        panels::bottom::draw(self, frame);
    }

    /// Rows of styled lines in an area; what does not fit is left out.
    pub(crate) fn lines(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        lines: impl IntoIterator<Item = Line<'static>>,
    ) {
        for (row, line) in area.rows().zip(lines) {
            frame.render_widget(line, row);
        }
    }

    /// The title of a panel.
    pub(crate) fn title(&self, text: impl Into<String>) -> Line<'static> {
        Line::styled(text.into(), self.palette.heading)
    }
}
