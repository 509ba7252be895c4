//! Lays the screen out and draws it: [`arrange`](App::arrange) finds the places before a frame,
//! [`draw`](App::draw) changes nothing.

use ratatui_core::layout::{Constraint, Layout as Split, Position, Rect, Size};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::app::App;
use crate::areas::{Areas, Lists};
use crate::matches::Matches;
use crate::options::Layout;
use crate::panels;
use crate::review_page::DrawOptions;

/// Smaller screens show nothing but that they are too small.
const SMALLEST: Size = Size { width: 40, height: 10 };

/// From this width on there is a column for agents, reviews and context; below it, and
/// where the code needs the width, they have a line or two on top.
const COLUMN_FROM: Size = Size { width: 100, height: 16 };

/// Code of this many columns or fewer gets its room from the column of lists.
const CODE: usize = 80;

/// From this width on the original stands beside the text that would be accepted.
const SIDE_BY_SIDE_FROM: u16 = 110;

impl App {
    /// Works out where everything is on a screen of this size.
    pub(crate) fn arrange(&mut self, size: Size) {
        self.fill_vacancy();
        let by_width = if size.width >= SIDE_BY_SIDE_FROM { Layout::SideBySide } else { Layout::OneColumn };
        let layout = self.layout.unwrap_or(by_width);
        if let Some(view) = self.current_mut() {
            view.set_layout(layout);
        }
        let column = (size.width / 5).clamp(24, 36);
        let mut areas = Areas {
            layout,
            too_small: size.width < SMALLEST.width || size.height < SMALLEST.height,
            is_roomy: size.width >= COLUMN_FROM.width && size.height >= COLUMN_FROM.height,
            ..Areas::default()
        };
        areas.lists = self.lists(areas.is_roomy, size.width.saturating_sub(column + 1));
        let whole = Rect::from((Position::ORIGIN, size));
        let [banner, above, messages, keys] = Split::vertical([
            Constraint::Length(u16::from(self.is_new_to_demo)),
            Constraint::Fill(1),
            Constraint::Length(panels::bottom::height(self, size)),
            Constraint::Length(1),
        ])
        .areas(whole);
        (areas.banner, areas.main, areas.messages, areas.keys) = (banner, above, messages, keys);
        match areas.lists {
            Lists::Column => {
                let [left, border, main] = Split::horizontal([
                    Constraint::Length(column),
                    Constraint::Length(1),
                    Constraint::Fill(1),
                ])
                .areas(above);
                (areas.border, areas.main) = (border, main);
                let third = left.height / 3;
                [areas.agents, areas.reviews, areas.context] = Split::vertical([
                    Constraint::Length(panels::agents::height(self).min(third)),
                    Constraint::Fill(1),
                    Constraint::Length(panels::context::height(self).min(third)),
                ])
                .areas(left);
            }
            Lists::Strip => {
                let rows = if size.height >= COLUMN_FROM.height { 2 } else { 1 };
                [areas.strip, areas.main] =
                    Split::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(above);
            }
            Lists::Hidden => {}
        }
        let header = panels::header::height(self, areas.main);
        [areas.header, areas.page] =
            Split::vertical([Constraint::Length(header), Constraint::Fill(1)]).areas(areas.main);
        areas.listed = panels::reviews::places(self, &areas);
        let page = areas.page;
        self.areas = areas;
        let Some(at) = self.at else { return };
        let Some(view) = self.reviews.iter_mut().find(|view| view.review().id == at) else { return };
        view.arrange(self.wrap, page.height, page.width);
        view.look_for(self.search.needle.as_ref());
        if let Some(page) = view.page() {
            self.colours.ask(&view.review().file, page.lines_in(view.rows()));
        }
    }

    /// Where the lists are: as the person asked, else where they leave room for the code. `beside` is the
    /// width beside the column.
    fn lists(&mut self, is_roomy: bool, beside: u16) -> Lists {
        match (self.sidebar, is_roomy) {
            (Some(false), _) => return Lists::Hidden,
            (_, false) => return Lists::Strip,
            (Some(true), true) => return Lists::Column,
            (None, true) => {}
        }
        let give_way = self.current_mut().is_some_and(|view| view.needs_more_than(beside, CODE));
        if give_way { Lists::Strip } else { Lists::Column }
    }

    /// Draws what was arranged.
    pub(crate) fn draw(&self, frame: &mut Frame<'_>) {
        let (areas, palette) = (&self.areas, &self.palette);
        if areas.too_small {
            let said = Line::styled("Too small: alongside needs 40x10.", palette.warning);
            return frame.render_widget(said, Rect { height: 1, ..frame.area() });
        }
        panels::banner::draw(self, frame);
        match areas.lists {
            Lists::Column => {
                panels::agents::draw(self, frame);
                panels::reviews::draw(self, frame);
                panels::context::draw(self, frame);
                for y in areas.border.rows() {
                    frame.render_widget(Span::styled("│", palette.border), y);
                }
            }
            Lists::Strip => panels::strip::draw(self, frame),
            Lists::Hidden => {}
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
                        found: view.matches.as_ref().and_then(Matches::current),
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
