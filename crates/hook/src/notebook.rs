//! Edits of one cell of a Jupyter notebook.
//!
//! A notebook is JSON. An edit replaces the bytes of one cell and leaves the other bytes as they are, so that
//! a person sees the change and not a new layout of the whole file. Agents find a cell by its id or by its
//! number among all cells, so a notebook with an unreadable cell is not reviewed.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::change::NoChange;
use crate::input::HookInput;
use crate::line_endings::BOM;

/// A call of a tool that edits a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellEdit {
    pub(crate) path: String,
    /// The id of the cell, or `cell-` and its number from 0.
    cell: Option<String>,
    source: String,
    mode: Mode,
    /// The type of the cell, if the call names one.
    kind: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Replace,
    /// Inserts a cell after the named one; at the beginning if no cell is named.
    Insert,
    Delete,
}

#[derive(Deserialize)]
struct Notebook<'a> {
    #[serde(borrow)]
    cells: Vec<&'a RawValue>,
}

impl<'a> Notebook<'a> {
    /// Parses a notebook and each of its cells.
    fn read(text: &'a str) -> Result<(Self, Vec<Cell<'a>>), String> {
        let text = text.strip_prefix(BOM).unwrap_or(text);
        let is_object = text.trim_start().starts_with('{');
        let notebook = serde_json::from_str::<Self>(text).ok().filter(|_| is_object);
        let notebook = notebook.ok_or("it is not a notebook, or has a key twice")?;
        let cells = notebook.cells.iter().enumerate().map(|(at, cell)| {
            Cell::read(cell.get())
                .ok_or_else(|| format!("its cell {at}, counted from 0, has no readable id or source"))
        });
        let cells = cells.collect::<Result<_, _>>()?;
        Ok((notebook, cells))
    }
}

#[derive(Deserialize)]
struct Cell<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    cell_type: Option<String>,
    #[serde(borrow)]
    source: &'a RawValue,
}

impl<'a> Cell<'a> {
    fn read(cell: &'a str) -> Option<Self> {
        // serde would also accept an array.
        let cell = cell.starts_with('{').then(|| serde_json::from_str::<Self>(cell).ok())??;
        serde_json::from_str::<Source>(cell.source.get()).is_ok().then_some(cell)
    }
}

/// The source of a cell: lines, or one string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Source {
    Lines(Vec<String>),
    Text(String),
}

impl CellEdit {
    pub(crate) fn read(path: String, input: &HookInput) -> Result<Self, NoChange> {
        let mode = match input.text("edit_mode") {
            None | Some("replace") => Mode::Replace,
            Some("insert") => Mode::Insert,
            Some("delete") => Mode::Delete,
            Some(other) => return Err(NoChange::refused(format!("there is no edit mode {other:?}"))),
        };
        Ok(Self {
            path,
            cell: input.text("cell_id").map(str::to_owned),
            source: input.text("new_source").unwrap_or_default().to_owned(),
            mode,
            kind: input.text("cell_type").map(str::to_owned),
        })
    }

    /// The further effects of the tool, for people.
    pub(crate) const REMARK: &str =
        "The agent also clears the output of a code cell it replaces, and may lay out the notebook anew.";

    /// Returns the notebook after the edit.
    pub(crate) fn apply(&self, text: &str) -> Result<String, NoChange> {
        let refused = |why: String| NoChange::refused(format!("{} cannot be reviewed: {why}", self.path));
        let (notebook, cells) = Notebook::read(text).map_err(refused)?;
        let at = match (&self.cell, self.mode) {
            (None, Mode::Insert) => None,
            (cell, _) => Some(self.position(&cells, cell.as_deref())?),
        };
        let lost = || refused("it is not a notebook".to_owned());
        let spans: Option<Vec<_>> = notebook.cells.iter().map(|cell| span(text, cell.get())).collect();
        let spans = spans.ok_or_else(lost)?;
        let (range, new) = match (self.mode, at) {
            (Mode::Replace, Some(at)) => {
                let cell = cells.get(at).ok_or_else(lost)?;
                if self.kind.is_some() && cell.cell_type != self.kind {
                    return Err(NoChange::refused(
                        "the type of a cell cannot change: delete it and insert another",
                    ));
                }
                let range = span(text, cell.source.get()).ok_or_else(lost)?;
                (range.clone(), lines(&self.source, indentation(text, range.start)))
            }
            (Mode::Delete, Some(at)) => (with_separator(text, &spans, at), String::new()),
            (_, Some(at)) => {
                let end = spans.get(at).map_or(text.len(), |span| span.end);
                let start = spans.get(at).map_or(0, |span| span.start);
                let indentation = indentation(text, start);
                (end..end, format!(",\n{indentation}{}", self.new_cell(indentation)))
            }
            (_, None) => match spans.first() {
                Some(first) => {
                    let indentation = indentation(text, first.start);
                    let cell = self.new_cell(indentation);
                    (first.start..first.start, format!("{cell},\n{indentation}"))
                }
                None => return Err(refused("it has no cell; write the whole file".to_owned())),
            },
        };
        let (before, after) = (text.get(..range.start), text.get(range.end..));
        match (before, after) {
            (Some(before), Some(after)) => Ok([before, &new, after].concat()),
            _ => Err(lost()),
        }
    }

    /// Returns the source with which the edit turns `original` into `text`.
    pub(crate) fn source_for(&self, original: &str, text: &str) -> Result<String, String> {
        let cannot = "one cell cannot be edited so; propose the changes one by one";
        if self.mode == Mode::Delete {
            return Err(cannot.into());
        }
        let (_, cells) = Notebook::read(text).map_err(|_| "the text is no notebook any more")?;
        let cell = match (self.mode, &self.cell) {
            (Mode::Insert, None) => 0,
            (_, cell) => {
                let (_, old) = Notebook::read(original).map_err(|_| cannot)?;
                let at = self.position(&old, cell.as_deref()).map_err(|_| cannot)?;
                at + usize::from(self.mode == Mode::Insert)
            }
        };
        let cell = cells.get(cell).ok_or(cannot)?;
        let source = match serde_json::from_str(cell.source.get()).map_err(|_| cannot)? {
            Source::Lines(lines) => lines.concat(),
            Source::Text(text) => text,
        };
        let again = Self { source: source.clone(), ..self.clone() }.apply(original).map_err(|_| cannot)?;
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        if value(&again).is_some_and(|again| Some(again) == value(text)) {
            Ok(source)
        } else {
            Err(cannot.into())
        }
    }

    fn position(&self, cells: &[Cell<'_>], cell: Option<&str>) -> Result<usize, NoChange> {
        let Some(wanted) = cell else {
            return Err(NoChange::refused("the id of the cell is missing"));
        };
        let by_id = || cells.iter().position(|cell| cell.id.as_deref() == Some(wanted));
        let digits = |number: &&str| number.bytes().all(|byte| byte.is_ascii_digit());
        let by_number = || wanted.strip_prefix("cell-").filter(digits)?.parse::<usize>().ok();
        let at = by_id().or_else(by_number).filter(|at| *at < cells.len());
        at.ok_or_else(|| NoChange::refused(format!("there is no cell {wanted:?} in {}", self.path)))
    }

    fn new_cell(&self, indentation: &str) -> String {
        let inner = format!("{indentation}{}", indentation.get(..indentation.len() / 2).unwrap_or_default());
        let source = lines(&self.source, &inner);
        let (kind, count, outputs) = match self.kind.as_deref() {
            Some("markdown") => ("markdown", String::new(), String::new()),
            _ => {
                ("code", format!("{inner}\"execution_count\": null,\n"), format!("{inner}\"outputs\": [],\n"))
            }
        };
        let begin = format!("{{\n{inner}\"cell_type\": \"{kind}\",\n{count}");
        format!("{begin}{inner}\"metadata\": {{}},\n{outputs}{inner}\"source\": {source}\n{indentation}}}")
    }
}

/// Returns the range of a piece within a text that contains it.
fn span(text: &str, piece: &str) -> Option<std::ops::Range<usize>> {
    let start = (piece.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let range = start..start.checked_add(piece.len())?;
    (text.get(range.clone()) == Some(piece)).then_some(range)
}

/// Returns the range of a cell with the comma that separates it from the next or the previous cell.
fn with_separator(text: &str, spans: &[std::ops::Range<usize>], at: usize) -> std::ops::Range<usize> {
    let end_of = |at: usize| spans.get(at).map_or(text.len(), |span| span.end);
    let start_of = |at: usize| spans.get(at).map_or(0, |span| span.start);
    match at.checked_sub(1) {
        Some(before) => end_of(before)..end_of(at),
        None if spans.len() > 1 => start_of(at)..start_of(at + 1),
        None => start_of(at)..end_of(at),
    }
}

/// Returns the whitespace at the beginning of the line with this offset.
fn indentation(text: &str, offset: usize) -> &str {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(line..).unwrap_or_default();
    let indented = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..indented).unwrap_or_default()
}

/// Returns a source in the form of notebooks: an array with one string for each line.
fn lines(source: &str, indentation: &str) -> String {
    if source.is_empty() {
        return "[]".into();
    }
    let lines = source.split_inclusive('\n').map(|line| {
        // Serialising a string cannot fail.
        format!("{indentation} {}", serde_json::to_string(line).unwrap_or_default())
    });
    format!("[\n{}\n{indentation}]", lines.collect::<Vec<_>>().join(",\n"))
}

#[cfg(test)]
mod tests;
