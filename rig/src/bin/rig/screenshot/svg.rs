//! A terminal picture as SVG: sharp at any size, with selectable text, and without external files.
//!
//! Every cell has a fixed place, whatever font the reader's machine has. The same screen gives the same
//! bytes.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// The width and height of a cell, in pixels. Characters of the fonts named below are 0.6 em wide, as wide as
/// a cell.
const CELL: (u16, u16) = (9, 18);
/// The size of the font, in pixels.
const FONT_SIZE: u16 = 15;
/// The distance from a cell's top to the baseline of its characters, in pixels.
const BASELINE: u16 = 14;
/// The margin around the screen, in pixels.
const MARGIN: u16 = 9;
const FONTS: &str =
    "ui-monospace,'SF Mono',Menlo,'DejaVu Sans Mono','Liberation Mono','Cascadia Mono',Consolas,monospace";

/// The sixteen named colours, and the default text and background, as `0xRRGGBB`.
#[derive(Debug)]
pub(crate) struct Colours {
    text: u32,
    background: u32,
    named: [u32; 16],
}

/// The colours for a dark background.
pub(crate) const DARK: Colours = Colours {
    text: 0xd0d0d0,
    background: 0x121212,
    named: [
        0x1e1e1e, 0xe05c5c, 0x6fbf6f, 0xd7b45f, 0x6ca0e8, 0xc583d6, 0x5fc2c2, 0xc0c0c0, 0x767676, 0xff8585,
        0x94dd94, 0xf2d58a, 0x92bdfa, 0xdda6ea, 0x8adede, 0xf5f5f5,
    ],
};

/// The colours for a light background.
pub(crate) const LIGHT: Colours = Colours {
    text: 0x202020,
    background: 0xfafafa,
    named: [
        0x202020, 0xb3261e, 0x1e7a34, 0x8a6100, 0x1f5fbf, 0x8a3fa0, 0x0f7680, 0xb8b8b8, 0x6b6b6b, 0xd33a31,
        0x2a9645, 0xa87900, 0x2f74dd, 0xa552bd, 0x168c98, 0xf0f0f0,
    ],
};

/// The appearance of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    text: u32,
    background: u32,
    bold: bool,
    italic: bool,
    underline: bool,
}

/// Neighbouring cells of one style.
#[derive(Debug)]
struct Run {
    style: Style,
    column: u16,
    cells: u16,
    text: String,
}

/// Returns the whole screen as SVG. `title` describes it to a reader who cannot see it.
pub(crate) fn svg(title: &str, screen: &Screen, colours: &Colours) -> String {
    let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
    let (width, height) = (columns * CELL.0 + 2 * MARGIN, rows * CELL.1 + 2 * MARGIN);
    let title = escape(title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\" font-family=\"{FONTS}\" \
         font-size=\"{FONT_SIZE}\" xml:space=\"preserve\">\n\
         <title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#{:06x}\"/>\n",
        colours.background
    );
    let lines: Vec<_> = (0..rows).map(|row| runs(screen, row, columns, colours)).collect();
    // All backgrounds come first: a character may reach a little beyond its cell.
    for (row, line) in (0..).zip(&lines) {
        backgrounds(&mut out, row, line, colours);
    }
    if !screen.hide_cursor() {
        let (row, column) = screen.cursor_position();
        rectangle(&mut out, row, column.min(columns - 1), 1, mix(colours.text, colours.background));
    }
    for (row, line) in (0..).zip(&lines) {
        text(&mut out, row, line, colours);
    }
    out + "</svg>\n"
}

fn runs(screen: &Screen, row: u16, columns: u16, colours: &Colours) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else {
            continue;
        };
        let (style, text) = (style(cell, colours), if cell.has_contents() { cell.contents() } else { " " });
        match runs.last_mut() {
            // A character that the reader's first font may lack, or a wide one, begins a run, and so gets a
            // position of its own.
            Some(run) if run.style == style && text.is_ascii() && run.text.is_ascii() => {
                run.cells += 1;
                run.text.push_str(text);
            }
            Some(run) if run.style == style && !cell.is_wide() && run.text.ends_with(text) => {
                run.cells += 1;
                run.text.push_str(text);
            }
            _ => {
                let cells = if cell.is_wide() { 2 } else { 1 };
                runs.push(Run { style, column, cells, text: text.to_owned() });
            }
        }
    }
    runs
}

fn backgrounds(out: &mut String, row: u16, line: &[Run], colours: &Colours) {
    let mut rest = line;
    while let Some(first) = rest.first() {
        let background = first.style.background;
        let same = rest.iter().take_while(|run| run.style.background == background).count();
        let (alike, others) = rest.split_at(same);
        if background != colours.background {
            let cells = alike.iter().map(|run| run.cells).sum();
            rectangle(out, row, first.column, cells, background);
        }
        rest = others;
    }
}

fn rectangle(out: &mut String, row: u16, column: u16, cells: u16, colour: u32) {
    let (x, y, width) = (x(column), MARGIN + row * CELL.1, cells * CELL.0);
    // Writing to a String does not fail.
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" fill=\"#{colour:06x}\"/>",
        CELL.1
    );
}

fn text(out: &mut String, row: u16, line: &[Run], colours: &Colours) {
    let is_blank = |run: &&Run| run.text.trim_matches(' ').is_empty() && !run.style.underline;
    let line = &line[..line.len() - line.iter().rev().take_while(is_blank).count()];
    if line.is_empty() {
        return;
    }
    let y = MARGIN + row * CELL.1 + BASELINE;
    // Browsers keep spaces because of the style, other programs because of `xml:space`.
    let _ = write!(out, "<text y=\"{y}\" fill=\"#{:06x}\" style=\"white-space:pre\">", colours.text);
    for (at, run) in line.iter().enumerate() {
        // Spaces at the ends of a run are there for a person who copies the text. No position depends on
        // them, because not every program keeps them.
        let leading_spaces = |text: &str| text.len() - text.trim_start_matches(' ').len();
        let (before, after) = match run.style.underline {
            true => (0, 0),
            false => (leading_spaces(&run.text), run.text.len() - run.text.trim_end_matches(' ').len()),
        };
        if before == run.text.len() {
            out.push_str(&run.text);
            continue;
        }
        let (before, rest) = run.text.split_at(before);
        let (text, after) = rest.split_at(rest.len() - after);
        let width = |spaces: &str| u16::try_from(spaces.len()).unwrap_or(0);
        let (x, cells) = (x(run.column + width(before)), run.cells - width(before) - width(after));
        let _ = write!(out, "{before}<tspan x=\"{x}\" textLength=\"{}\"", cells * CELL.0);
        let _ = match run.style.text == colours.text {
            true => Ok(()),
            false => write!(out, " fill=\"#{:06x}\"", run.style.text),
        };
        let attributes = [
            (run.style.bold, " font-weight=\"bold\""),
            (run.style.italic, " font-style=\"italic\""),
            (run.style.underline, " text-decoration=\"underline\""),
        ];
        out.extend(attributes.iter().filter(|(on, _)| *on).map(|(_, attribute)| *attribute));
        let last = at + 1 == line.len();
        let _ = write!(out, ">{}</tspan>{}", escape(text), if last { "" } else { after });
    }
    out.push_str("</text>\n");
}

fn style(cell: &Cell, colours: &Colours) -> Style {
    let (mut text, mut background) =
        (colour(cell.fgcolor(), colours.text, colours), colour(cell.bgcolor(), colours.background, colours));
    if cell.inverse() {
        (text, background) = (background, text);
    }
    if cell.dim() {
        text = mix(text, background);
    }
    Style { text, background, bold: cell.bold(), italic: cell.italic(), underline: cell.underline() }
}

/// Returns a colour as `0xRRGGBB`. The indexed colours after the first sixteen are xterm's.
fn colour(colour: Color, default: u32, colours: &Colours) -> u32 {
    let rgb = |r: u8, g: u8, b: u8| u32::from_be_bytes([0, r, g, b]);
    match colour {
        Color::Default => default,
        Color::Idx(index @ 0..16) => colours.named[usize::from(index)],
        Color::Idx(index @ 16..232) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let cube = index - 16;
            rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        Color::Idx(index) => rgb(8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232)),
        Color::Rgb(r, g, b) => rgb(r, g, b),
    }
}

/// Mixes three fifths of the first colour with two fifths of the second.
fn mix(first: u32, second: u32) -> u32 {
    let (first, second) = (first.to_be_bytes(), second.to_be_bytes());
    let part = |at: usize| ((u16::from(first[at]) * 3 + u16::from(second[at]) * 2) / 5).to_be_bytes()[1];
    u32::from_be_bytes([0, part(1), part(2), part(3)])
}

fn x(column: u16) -> u16 {
    MARGIN + column * CELL.0
}

fn escape(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not allowed in XML, not even escaped.
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
        out
    })
}

#[cfg(test)]
mod tests;
