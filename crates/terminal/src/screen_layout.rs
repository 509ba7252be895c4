//! Lays out the screen by the person's choices and the size of the window. The layout does not depend on
//! texts, so that it does not move while the person reads. The areas are computed before a frame is drawn,
//! and drawing changes none of them.

use ratatui_core::layout::{Constraint, Layout as Split, Position, Rect, Size};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::areas::{Areas, Lists};
use crate::colour::Colours;
use crate::keys::DeskMode;
use crate::options::Layout;
use crate::overlays::Overlay;
use crate::panels::{self, DrawnState, drawn_overlays};
use crate::review_page::{DrawOptions, draw as draw_page};
use crate::review_view::ReviewView;
use crate::review_view::search_matches::SearchMatches;
use crate::reviews::Reviews;
use crate::text::fit::wrapped;

/// The smallest screen that shows the desk. A smaller screen shows a message that it is too small.
const MIN_SIZE: Size = Size { width: 40, height: 10 };

/// The smallest screen with room for a column of agents, reviews and context, if the person asks for the
/// lists.
const MIN_COLUMN_SIZE: Size = Size { width: 100, height: 16 };

/// The least width at which the column is shown unless the person hides it: two sides of a review fit beside
/// it.
const MIN_AUTOMATIC_COLUMN_WIDTH: u16 = 150;

/// The least height at which the lists have two rows at the top if there is no column, and the status line
/// keeps its row without a message. On a lower screen the header of the review has the most important part of
/// the lists.
const MIN_STRIP_HEIGHT: u16 = 30;

/// The least width at which the original is beside the current text.
const MIN_SIDE_BY_SIDE_WIDTH: u16 = 110;

/// The person's choices, and the areas of the last frame.
#[derive(Debug)]
pub(crate) struct ScreenLayout {
    /// The layout that the person chose.
    layout: Option<Layout>,
    /// Whether unchanged lines are wrapped, too.
    wrap: bool,
    /// Whether the person shows the lists of agents and reviews, or hides them; `None` if the size decides.
    lists: Option<bool>,
    areas: Areas,
}

impl ScreenLayout {
    /// Creates the layout of a desk that has drawn no frame.
    pub(crate) fn new(layout: Option<Layout>) -> Self {
        Self { layout, wrap: false, lists: None, areas: Areas::default() }
    }

    /// The areas of the last frame.
    pub(crate) fn areas(&self) -> &Areas {
        &self.areas
    }

    pub(crate) fn is_wrapped(&self) -> bool {
        self.wrap
    }

    /// Switches to the next of three choices: the layout that the width does not give, the layout that the
    /// width gives now but at any width, and the layout that the width gives. Returns the message.
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

    /// Switches between wrapping all long lines and wrapping only changed lines. Returns the message.
    pub(crate) fn switch_wrap(&mut self) -> &'static str {
        self.wrap = !self.wrap;
        if self.wrap { "All long lines are wrapped." } else { "Only changed lines are wrapped." }
    }

    /// Shows or hides the lists. If the lists have rows at the top and the screen has room for a column,
    /// shows the column.
    pub(crate) fn switch_lists(&mut self) {
        let is_hidden = match self.areas.lists {
            Lists::Hidden => true,
            Lists::Strip => self.areas.is_roomy,
            Lists::Column => false,
        };
        self.lists = Some(is_hidden);
    }

    /// Shows or hides the lists; `None` lets the size decide.
    #[cfg(test)]
    pub(crate) fn set_lists(&mut self, choice: Option<bool>) {
        self.lists = choice;
    }

    /// Chooses the layout of reviews and the position of the lists on a screen of this size.
    /// [`compute_areas`] computes the other areas.
    pub(crate) fn choose_layout(&self, size: Size, reviews: &mut Reviews) -> Areas {
        let by_width =
            if size.width >= MIN_SIDE_BY_SIDE_WIDTH { Layout::SideBySide } else { Layout::OneColumn };
        let layout = self.layout.unwrap_or(by_width);
        let is_roomy = size.width >= MIN_COLUMN_SIZE.width && size.height >= MIN_COLUMN_SIZE.height;
        let is_empty = !reviews.has_current();
        if let Some(view) = reviews.current_mut() {
            view.set_layout(layout);
        }
        let lists = match (self.lists, is_roomy) {
            (Some(false), _) => Lists::Hidden,
            (Some(true), false) => Lists::Strip,
            (Some(true), true) => Lists::Column,
            (None, true) if size.width >= MIN_AUTOMATIC_COLUMN_WIDTH => Lists::Column,
            (None, _) if is_empty || size.height >= MIN_STRIP_HEIGHT => Lists::Strip,
            (None, _) => Lists::Hidden,
        };
        let too_small = size.width < MIN_SIZE.width || size.height < MIN_SIZE.height;
        Areas { by_width, lists, is_roomy, too_small, ..Areas::default() }
    }

    /// Keeps the areas of the frame that is drawn next.
    pub(crate) fn set_areas(&mut self, areas: Areas) {
        self.areas = areas;
    }
}

/// The width of the column of lists.
fn column_width(size: Size) -> u16 {
    (size.width / 5).clamp(24, 36)
}

/// Computes all areas on a screen of this size.
pub(crate) fn compute_areas(drawn: &DrawnState<'_>, size: Size, mut areas: Areas) -> Areas {
    let whole = Rect::from((Position::ORIGIN, size));
    let [banner, above, messages, keys] = Split::vertical([
        Constraint::Length(u16::from(drawn.reviews.demo().is_some())),
        Constraint::Fill(1),
        Constraint::Length(panels::bottom::height(drawn, size, size.height >= MIN_STRIP_HEIGHT)),
        Constraint::Length(1),
    ])
    .areas(whole);
    (areas.banner, areas.main, areas.messages, areas.keys) = (banner, above, messages, keys);
    match areas.lists {
        Lists::Column => {
            let [left, border, main] = Split::horizontal([
                Constraint::Length(column_width(size)),
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
            let rows = if size.height >= MIN_COLUMN_SIZE.height { 2 } else { 1 };
            [areas.strip, areas.main] =
                Split::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(above);
        }
        Lists::Hidden => {}
    }
    let header = match drawn.reviews.mode() {
        DeskMode::Proposals => panels::review_header::height(drawn, areas.main),
        DeskMode::Turn => panels::turn::header::height(drawn, areas.main),
    };
    [areas.header, areas.page] =
        Split::vertical([Constraint::Length(header), Constraint::Fill(1)]).areas(areas.main);
    areas.listed = panels::reviews::clickable_rows(drawn, &areas);
    areas
}

/// Draws the frame whose areas were computed.
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
        (Some(Overlay::AcceptAll(list)), ..) => drawn_overlays::accept_all::draw(drawn, list, frame),
        (Some(Overlay::Accepted(list)), ..) => drawn_overlays::accepted_by_rule::draw(drawn, list, frame),
        (Some(Overlay::Messages(list)), ..) => drawn_overlays::message_list::draw(drawn, list, frame),
        (Some(Overlay::Waiting(list)), ..) => drawn_overlays::review_list::draw(drawn, list, frame),
        (Some(Overlay::Help(top)), ..) => drawn_overlays::help::draw(drawn, *top, frame),
        (Some(Overlay::Offer(open)), ..) => drawn_overlays::settings_offer::draw(drawn, open, frame),
        (Some(Overlay::Turn(list)), ..) => drawn_overlays::turn_list::draw(drawn, list, frame),
        (_, DeskMode::Proposals, None) => panels::no_review::draw(drawn, frame),
        (_, DeskMode::Turn, None) => {
            panels::turn::header::draw(drawn, frame);
            panels::turn::no_text::draw(drawn, frame);
        }
        (_, mode, Some(view)) => {
            match mode {
                DeskMode::Proposals => panels::review_header::draw(drawn, view, frame),
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
    draw_page(page, frame.buffer_mut(), drawn.areas.page, view.top(), &options);
}
