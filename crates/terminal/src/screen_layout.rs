//! Lays out the screen by the person's wishes and the size of the window. The layout does not depend on
//! texts, so that it stands still while the person reads. The areas are found before a frame is drawn, and
//! drawing changes none.

use ratatui_core::layout::{Constraint, Layout as Split, Position, Rect, Size};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::areas::{Areas, Lists};
use crate::colour::Colours;
use crate::keys::DeskMode;
use crate::options::Layout;
use crate::overlays::Overlay;
use crate::panels::{self, DrawnState};
use crate::review_page::{DrawOptions, draw as draw_page};
use crate::review_view::ReviewView;
use crate::review_view::search_matches::SearchMatches;
use crate::reviews::Reviews;
use crate::text::fit::wrapped;

/// The smallest screen that shows the desk. A smaller one only says that it is too small.
const SMALLEST: Size = Size { width: 40, height: 10 };

/// From this size on there is room for a column of agents, reviews and context, if the person wants it.
const COLUMN_FROM: Size = Size { width: 100, height: 16 };

/// From this width on, the column is shown unless the person hides it: there is room for two sides beside it.
const COLUMN_ASIDE_FROM: u16 = 150;

/// From this height on they have two rows on top where there is no column, and the status line has a row
/// while there is nothing to say. On a lower screen the header of the review says what is needed.
const ROWS_FROM: u16 = 30;

/// From this width on the original stands beside the text that would be accepted.
const SIDE_BY_SIDE_FROM: u16 = 110;

/// The person's wishes, and the places of the last frame.
#[derive(Debug)]
pub(crate) struct ScreenLayout {
    /// The layout that the person asked for.
    layout: Option<Layout>,
    /// Whether unchanged lines are wrapped, too.
    wrap: bool,
    /// Whether the person asked for the lists of agents and reviews, or wants none.
    lists: Option<bool>,
    areas: Areas,
}

impl ScreenLayout {
    /// A layout before the first frame.
    pub(crate) fn new(layout: Option<Layout>) -> Self {
        Self { layout, wrap: false, lists: None, areas: Areas::default() }
    }

    /// The places of the last frame.
    pub(crate) fn areas(&self) -> &Areas {
        &self.areas
    }

    pub(crate) fn is_wrapped(&self) -> bool {
        self.wrap
    }

    /// Switches, from one call to the next, to the layout other than that of the width, to the layout of
    /// the present width at any width, and back to the layout of the width. Returns the message.
    pub(crate) fn switch_layout(&mut self) -> &'static str {
        let other = match self.areas.by_width {
            Layout::SideBySide => Layout::OneColumn,
            Layout::OneColumn => Layout::SideBySide,
        };
        self.layout = match self.layout {
            None => Some(other),
            Some(layout) if layout == other => Some(self.areas.by_width),
            Some(_) => None,
        };
        match self.layout {
            Some(Layout::SideBySide) => "Side by side, at any width.",
            Some(Layout::OneColumn) => "One column, at any width.",
            None => "The width decides: side by side, or one column.",
        }
    }

    /// The person wants all long lines wrapped, or only changed ones. Returns the message.
    pub(crate) fn switch_wrap(&mut self) -> &'static str {
        self.wrap = !self.wrap;
        if self.wrap { "All long lines are wrapped." } else { "Only changed lines are wrapped." }
    }

    /// The person wants to see the lists, or to hide them. Where they have a row, a column comes first.
    pub(crate) fn switch_lists(&mut self) {
        let is_hidden = match self.areas.lists {
            Lists::Hidden => true,
            Lists::Strip => self.areas.is_roomy,
            Lists::Column => false,
        };
        self.lists = Some(is_hidden);
    }

    /// Shows or hides the lists; without a wish, the size decides.
    #[cfg(test)]
    pub(crate) fn set_lists(&mut self, wish: Option<bool>) {
        self.lists = wish;
    }

    /// Finds the layout of reviews and the place of the lists on a screen of this size, before
    /// [`places`].
    pub(crate) fn begin(&self, size: Size, reviews: &mut Reviews) -> Areas {
        let by_width = if size.width >= SIDE_BY_SIDE_FROM { Layout::SideBySide } else { Layout::OneColumn };
        let layout = self.layout.unwrap_or(by_width);
        let is_roomy = size.width >= COLUMN_FROM.width && size.height >= COLUMN_FROM.height;
        let is_empty = !reviews.has_current();
        if let Some(view) = reviews.current_mut() {
            view.set_layout(layout);
        }
        let lists = match (self.lists, is_roomy) {
            (Some(false), _) => Lists::Hidden,
            (Some(true), false) => Lists::Strip,
            (Some(true), true) => Lists::Column,
            (None, true) if size.width >= COLUMN_ASIDE_FROM => Lists::Column,
            (None, _) if is_empty || size.height >= ROWS_FROM => Lists::Strip,
            (None, _) => Lists::Hidden,
        };
        let too_small = size.width < SMALLEST.width || size.height < SMALLEST.height;
        Areas { by_width, lists, is_roomy, too_small, ..Areas::default() }
    }

    /// Keeps the areas of the frame that is drawn next.
    pub(crate) fn end(&mut self, areas: Areas) {
        self.areas = areas;
    }
}

/// The width of the column of lists.
fn column(size: Size) -> u16 {
    (size.width / 5).clamp(24, 36)
}

/// Finds all areas on a screen of this size.
pub(crate) fn places(drawn: &DrawnState<'_>, size: Size, mut areas: Areas) -> Areas {
    let whole = Rect::from((Position::ORIGIN, size));
    let [banner, above, messages, keys] = Split::vertical([
        Constraint::Length(u16::from(drawn.reviews.demo().is_some())),
        Constraint::Fill(1),
        Constraint::Length(panels::bottom::height(drawn, size, size.height >= ROWS_FROM)),
        Constraint::Length(1),
    ])
    .areas(whole);
    (areas.banner, areas.main, areas.messages, areas.keys) = (banner, above, messages, keys);
    match areas.lists {
        Lists::Column => {
            let [left, border, main] = Split::horizontal([
                Constraint::Length(column(size)),
                Constraint::Length(1),
                Constraint::Fill(1),
            ])
            .areas(above);
            (areas.border, areas.main) = (border, main);
            let third = left.height / 3;
            [areas.agents, areas.reviews, areas.context] = Split::vertical([
                Constraint::Length(panels::agents::height(drawn).min(third)),
                Constraint::Fill(1),
                Constraint::Length(panels::context::height(drawn).min(third)),
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
    let header = match drawn.reviews.mode() {
        DeskMode::Proposals => panels::header::height(drawn, areas.main),
        DeskMode::Turn => panels::turn::header::height(drawn, areas.main),
    };
    [areas.header, areas.page] =
        Split::vertical([Constraint::Length(header), Constraint::Fill(1)]).areas(areas.main);
    areas.listed = panels::reviews::places(drawn, &areas);
    areas
}

/// Draws what was arranged.
pub(crate) fn draw(drawn: &DrawnState<'_>, colours: &Colours, frame: &mut Frame<'_>) {
    let (areas, palette) = (drawn.areas, drawn.palette);
    if areas.too_small {
        let rows = wrapped("Too small: alongside needs 40x10.", usize::from(frame.area().width));
        let rows = rows.into_iter().map(|row| Line::styled(row, palette.warning));
        return panels::draw_lines(frame, frame.area(), rows);
    }
    panels::demo_banner::draw(drawn, frame);
    match areas.lists {
        Lists::Column => {
            panels::agents::draw(drawn, frame);
            match drawn.reviews.mode() {
                DeskMode::Proposals => panels::reviews::draw(drawn, frame),
                DeskMode::Turn => panels::turn::files::draw(drawn, frame),
            }
            panels::context::draw(drawn, frame);
            for y in areas.border.rows() {
                frame.render_widget(Span::styled("│", palette.border), y);
            }
        }
        Lists::Strip => panels::list_strip::draw(drawn, frame),
        Lists::Hidden => {}
    }
    let (mode, view) = (drawn.reviews.mode(), drawn.reviews.current());
    match (drawn.overlays.cover(), mode, view) {
        (Some(Overlay::List(list)), ..) => panels::overlays::accept_all::draw(drawn, list, frame),
        (Some(Overlay::Accepted(list)), ..) => panels::overlays::accepted_by_rule::draw(drawn, list, frame),
        (Some(Overlay::Messages(list)), ..) => panels::overlays::message_list::draw(drawn, list, frame),
        (Some(Overlay::Waiting(list)), ..) => panels::overlays::review_list::draw(drawn, list, frame),
        (Some(Overlay::Help(top)), ..) => panels::overlays::help::draw(drawn, *top, frame),
        (Some(Overlay::Offer(open)), ..) => panels::overlays::settings_offer::draw(drawn, open, frame),
        (Some(Overlay::Turn(list)), ..) => panels::overlays::turn_list::draw(drawn, list, frame),
        (_, DeskMode::Proposals, None) => panels::no_review::draw(drawn, frame),
        (_, DeskMode::Turn, None) => {
            panels::turn::header::draw(drawn, frame);
            panels::turn::page::draw(drawn, frame);
        }
        (_, mode, Some(view)) => {
            match mode {
                DeskMode::Proposals => panels::header::draw(drawn, view, frame),
                DeskMode::Turn => panels::turn::header::draw(drawn, frame),
            }
            draw_review(drawn, view, colours, frame);
        }
    }
    panels::bottom::draw(drawn, frame);
}

fn draw_review(drawn: &DrawnState<'_>, view: &ReviewView, colours: &Colours, frame: &mut Frame<'_>) {
    let Some(page) = view.page() else { return };
    let options = DrawOptions {
        palette: drawn.palette,
        colours,
        hunk: (!view.review().hunks.is_empty()).then_some(view.hunk()),
        search: drawn.search.needle(),
        found: view.matches.as_ref().and_then(SearchMatches::current),
        sideways: view.sideways,
        chosen: match drawn.overlays.front() {
            Some(Overlay::Comment(input)) => input.on_page(),
            Some(Overlay::Lines(split)) => split.choice.on_page(),
            _ => None,
        },
    };
    draw_page(page, frame.buffer_mut(), drawn.areas.page, view.top, &options);
}
