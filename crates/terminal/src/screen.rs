//! Where everything is on the screen. [`arrange`](App::arrange) works it out before a frame,
//! [`draw`](App::draw) then only looks.

use alongside_desk::ReviewId;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout as Split, Position, Rect, Size};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::app::App;
use crate::page::Look;
use crate::{Layout, panels};

/// Smaller screens show nothing but that they are too small.
const SMALLEST: Size = Size { width: 40, height: 10 };

/// From this width on there is a column for agents, reviews and context; below it they have a line or two on
/// top.
const COLUMN_FROM: Size = Size { width: 100, height: 16 };

/// From this width on the original stands beside the text that would be accepted.
const SIDE_BY_SIDE_FROM: u16 = 110;

/// Where things are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Areas {
    /// How reviews are laid out.
    pub(crate) layout: Layout,
    pub(crate) too_small: bool,
    /// The lines on top of a narrow screen.
    pub(crate) strip: Rect,
    pub(crate) agents: Rect,
    pub(crate) reviews: Rect,
    pub(crate) context: Rect,
    /// The line between the column and the main part.
    pub(crate) border: Rect,
    /// Everything but the column, the strip and the bottom.
    pub(crate) main: Rect,
    pub(crate) header: Rect,
    pub(crate) page: Rect,
    pub(crate) messages: Rect,
    pub(crate) keys: Rect,
    /// Where reviews are listed.
    pub(crate) listed: Vec<(Rect, ReviewId)>,
}

impl Default for Areas {
    fn default() -> Self {
        let none = Rect::ZERO;
        Self {
            layout: Layout::OneColumn,
            too_small: false,
            strip: none,
            agents: none,
            reviews: none,
            context: none,
            border: none,
            main: none,
            header: none,
            page: none,
            messages: none,
            keys: none,
            listed: Vec::new(),
        }
    }
}

impl Areas {
    /// The review that is listed at a place.
    pub(crate) fn review_at(&self, at: Position) -> Option<ReviewId> {
        self.listed.iter().find(|(area, _)| area.contains(at)).map(|(_, id)| *id)
    }
}

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
        let [above, messages, keys] = Split::vertical([
            Constraint::Fill(1),
            Constraint::Length(panels::bottom::height(self, size)),
            Constraint::Length(1),
        ])
        .areas(whole);
        (areas.messages, areas.keys) = (messages, keys);
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
        let Some(reading) = self.reviews.iter_mut().find(|reading| reading.review.id == at) else { return };
        reading.arrange(layout, page.height, page.width);
        if let Some(page) = reading.page() {
            self.colours.ask(&reading.review.file, page.lines_in(reading.rows()));
        }
    }

    /// Draws what was arranged.
    pub(crate) fn draw(&self, frame: &mut Frame<'_>) {
        let (areas, palette) = (&self.areas, &self.palette);
        if areas.too_small {
            let said = Line::styled("Too small: 40x10 at least.", palette.warning);
            return frame.render_widget(said, Rect { height: 1, ..frame.area() });
        }
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
        match self.reading() {
            _ if self.help.is_some() => panels::help::draw(self, frame),
            None => panels::empty::draw(self, frame),
            Some(reading) => {
                panels::header::draw(self, reading, frame);
                if let Some(page) = reading.page() {
                    let look = Look {
                        palette,
                        colours: &self.colours,
                        hunk: (!reading.review.hunks.is_empty()).then_some(reading.hunk),
                        search: self.search.needle.as_ref(),
                        sideways: reading.sideways,
                    };
                    page.draw(frame.buffer_mut(), areas.page, reading.top, &look);
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

/// A line with something at its right end: `left` is cut from its beginning so that both fit.
pub(crate) fn both_ends(left: &str, styles: (Style, Style), right: &str, width: u16) -> Line<'static> {
    let width = usize::from(width);
    let right_width = crate::width::columns(right).min(width);
    let left = cut(left, width.saturating_sub(right_width + 1));
    let gap = width.saturating_sub(crate::width::columns(&left) + right_width);
    Line::from(vec![
        Span::styled(left, styles.0),
        Span::raw(" ".repeat(gap)),
        Span::styled(right.to_owned(), styles.1),
    ])
}

/// The end of a text that has no harmful characters, in so many columns: of a path that is the part that
/// tells most.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if crate::width::columns(text) <= width {
        return text.to_owned();
    }
    let mut starts = text.char_indices().map(|(at, _)| at);
    let end = starts.find(|at| crate::width::columns(&text[*at..]) < width).map_or("", |at| &text[at..]);
    if width == 0 { String::new() } else { format!("…{end}") }
}

/// A text in rows of so many columns, broken at spaces where there are some.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let columns = crate::width::columns;
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word.to_owned();
        loop {
            let row = rows.last_mut().map_or("", |row| row.as_str()).to_owned();
            let space = usize::from(!row.is_empty());
            if columns(&row) + space + columns(&word) <= width {
                if let Some(last) = rows.last_mut() {
                    *last = if space == 1 { format!("{row} {word}") } else { format!("{row}{word}") };
                }
                break;
            }
            if space == 1 {
                rows.push(String::new());
                continue;
            }
            // A word longer than a row.
            let at = word
                .char_indices()
                .map(|(at, c)| at + c.len_utf8())
                .take_while(|at| columns(&word[..*at]) <= width);
            let at = at.last().unwrap_or(word.len());
            let rest = word.split_off(at);
            if let Some(last) = rows.last_mut() {
                *last = word;
            }
            if rest.is_empty() {
                break;
            }
            rows.push(String::new());
            word = rest;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_path_is_what_stays() {
        assert_eq!(cut("src/basket.py", 13), "src/basket.py");
        assert_eq!(cut("src/basket.py", 9), "…asket.py");
        assert_eq!(cut("漢字漢字", 5), "…漢字");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn nothing_is_left_out_by_wrapping() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("/a/very/long/path x", 6), ["/a/ver", "y/long", "/path", "x"]);
        assert_eq!(wrapped("", 6), [""]);
    }
}
