//! The panel of the files of a turn. A file has two rows: the letter of the change, the name and the numbers
//! of lines; below them the marks, the author and the folder. Signs show the file on the screen, and files
//! with parts that have not been on the screen.

use alongside_desk::TurnFile;
use alongside_desk::path_fit::shortened;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::areas::Listed;
use crate::panels::drawn_state::{DrawnState, draw_lines};
use crate::panels::list_rows::{counts, item_sign};
use crate::text::fit::{both_ends, cut_end};
use crate::text::width::columns;
use crate::turn_files::TurnFiles;
use crate::words::turn_words as words;

pub(crate) fn draw(drawn: &DrawnState<'_>, frame: &mut Frame<'_>) {
    let (area, palette) = (drawn.areas.reviews, drawn.palette);
    let Some(files) = drawn.reviews.turn().files() else {
        return draw_lines(frame, area, [drawn.title("Changes")]);
    };
    let title = match files.all().len() {
        0 => "Changes".to_owned(),
        n => format!("Changes ({n} files)"),
    };
    draw_lines(frame, area, [drawn.title(title)]);
    if files.all().is_empty() {
        let below = Rect { y: area.y + 1, height: 1, ..area }.intersection(area);
        draw_lines(frame, below, [Line::styled("none", palette.quiet)]);
    }
    for (place, listed) in &drawn.areas.listed {
        let Listed::File(index) = listed else { continue };
        let Some(file) = files.all().get(*index) else { continue };
        draw_lines(frame, *place, rows(drawn, files, (*index, file), place.width));
    }
}

fn rows(
    drawn: &DrawnState<'_>,
    files: &TurnFiles,
    (index, file): (usize, &TurnFile),
    width: u16,
) -> [Line<'static>; 2] {
    let palette = drawn.palette;
    let is_current = files.at() == index;
    let size = format!("+{} -{}", file.added, file.removed);
    let path = words::harmless(&file.path);
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let room = usize::from(width).saturating_sub(size.len() + 5);
    let sign = item_sign(is_current, files.is_seen(file));
    let name = format!("{sign} {} {}", words::letter(file.change), shortened(name, room));
    let name_style = if file.author.is_agent() && !file.accepted { palette.text } else { palette.quiet };
    let styles = if is_current { (palette.selected, palette.selected) } else { (name_style, palette.quiet) };
    let mut first = both_ends(&name, styles, &size, width);
    // The coloured counts replace the plain text of the same width.
    first.spans.pop();
    first.spans.extend(counts((file.added, file.removed), palette, styles.1));
    if is_current {
        first = first.style(palette.selected);
    }
    let marked = files.marked(file);
    let notes =
        cut_end(&words::notes(file, marked, files.comment_count(file)), usize::from(width).saturating_sub(4));
    let gap = if notes.is_empty() || folder.is_empty() { "" } else { "  " };
    let room = usize::from(width).saturating_sub(columns(&notes) + gap.len() + 4);
    let folder = if room < 4 { String::new() } else { shortened(folder, room) };
    let style = if marked.is_nothing() { palette.quiet } else { palette.warning };
    let second =
        [Span::raw("    "), Span::styled(notes, style), Span::raw(gap), Span::styled(folder, palette.quiet)];
    [first, Line::from_iter(second)]
}
