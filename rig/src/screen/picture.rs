//! Reads texts and positions from a picture of the screen.

/// Returns the picture in a frame that shows its size and whitespace, for failure messages.
pub fn frame(picture: &vt100::Screen) -> String {
    let (rows, columns) = picture.size();
    let border = format!("+{}+\n", "-".repeat(columns.get().into()));
    let lines: String = (0..rows.get()).map(|row| format!("|{}|\n", line(picture, row).0)).collect();
    format!("{border}{lines}{border}")
}

/// Returns all lines, without trailing whitespace and trailing empty lines. Wrapped rows are joined to one
/// line.
pub(super) fn text(picture: &vt100::Screen) -> String {
    let lines = (0..picture.size().0.get()).map(|row| match picture.row_wrapped(row) {
        true => line(picture, row).0,
        false => line(picture, row).0.trim_end().to_owned() + "\n",
    });
    lines.collect::<String>().trim_end().to_owned()
}

/// Returns the first position of a text: row and column of its first cell.
pub(super) fn position_of(picture: &vt100::Screen, text: &str) -> Option<(u16, u16)> {
    (0..picture.size().0.get()).find_map(|row| {
        let (line, starts) = line(picture, row);
        let byte = line.find(text)?;
        let column = starts.iter().position(|start| *start == Some(byte))?;
        Some((row, u16::try_from(column).ok()?))
    })
}

/// Returns a row's text, and the byte at which each cell starts; `None` for the second cell of a wide
/// character.
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
