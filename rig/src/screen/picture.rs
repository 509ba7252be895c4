//! Reads text and places from a picture of the screen.

/// The picture in a frame that shows its size and blanks, for failure messages.
pub fn frame(picture: &vt100::Screen) -> String {
    let (rows, columns) = picture.size();
    let border = format!("+{}+\n", "-".repeat(columns.get().into()));
    let lines: String = (0..rows.get()).map(|row| format!("|{}|\n", line(picture, row).0)).collect();
    format!("{border}{lines}{border}")
}

/// All lines, without blanks at their ends and without empty lines at the end. Wrapped rows are one line.
pub(super) fn text(picture: &vt100::Screen) -> String {
    let lines = (0..picture.size().0.get()).map(|row| match picture.row_wrapped(row) {
        true => line(picture, row).0,
        false => line(picture, row).0.trim_end().to_owned() + "\n",
    });
    lines.collect::<String>().trim_end().to_owned()
}

/// The first place of a text: row and column of its first cell.
pub(super) fn place_of(picture: &vt100::Screen, text: &str) -> Option<(u16, u16)> {
    (0..picture.size().0.get()).find_map(|row| {
        let (line, starts) = line(picture, row);
        let at = line.find(text)?;
        let column = starts.iter().position(|start| *start == Some(at))?;
        Some((row, u16::try_from(column).ok()?))
    })
}

/// A whole line, and the byte at which each cell starts; `None` for the second half of a wide character.
fn line(picture: &vt100::Screen, row: u16) -> (String, Vec<Option<usize>>) {
    let (mut text, mut starts) = (String::new(), Vec::new());
    for cell in (0..picture.size().1.get()).filter_map(|column| picture.cell(row, column)) {
        starts.push((!cell.is_wide_continuation()).then_some(text.len()));
        if !cell.is_wide_continuation() {
            text.push_str(if cell.has_contents() { cell.contents() } else { " " });
        }
    }
    (text, starts)
}
