//! The results of a run, printed as a table, as Markdown or as JSON.

use std::fmt::Write as _;

use serde::Serialize;

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Microseconds.
    #[serde(rename = "µs")]
    Micros,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Millis,
    /// Kibibytes.
    #[serde(rename = "KiB")]
    Kib,
    /// A number of things, such as wake-ups.
    #[serde(rename = "count")]
    Count,
}

/// The figures of one measurement.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The name of the measurement.
    pub what: String,
    /// The unit of all its figures.
    pub unit: Unit,
    /// A cell for each column.
    pub figures: Vec<Figure>,
    /// With two columns or more: the second's median divided by the first's; of that, the median over all
    /// repetitions.
    pub ratio: Option<f64>,
}

/// The figures of one column.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// The number of samples.
    pub samples: usize,
    /// The median.
    pub median: Option<f64>,
    /// The 99th percentile.
    pub p99: Option<f64>,
    /// The mean.
    pub mean: Option<f64>,
    /// The error that ended the measurement, if one did.
    pub failed: Option<String>,
    /// A remark below the table.
    pub note: Option<String>,
}

/// All results of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The names of the subjects.
    pub subjects: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// The rows of what people feel.
    pub people: Comparison,
}

/// The rows of what people feel, beside what they would use instead.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The names of the columns: the programs of alongside, then the column of what is named in the row.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.tables().try_for_each(|(columns, rows)| print_table(f, columns, rows))
    }
}

impl Report {
    /// Returns the results as tables of Markdown, for docs/performance.md.
    pub fn markdown(&self) -> String {
        self.tables().map(|(columns, rows)| markdown_table(columns, rows)).collect::<Vec<_>>().join("\n")
    }

    /// The tables that have rows: the columns and the rows of each.
    fn tables(&self) -> impl Iterator<Item = (&[String], &[Row])> {
        let tables =
            [(&self.subjects[..], &self.rows[..]), (&self.people.columns[..], &self.people.rows[..])];
        tables.into_iter().filter(|(_, rows)| !rows.is_empty())
    }
}

fn print_table(f: &mut std::fmt::Formatter<'_>, columns: &[String], rows: &[Row]) -> std::fmt::Result {
    let wide = rows.iter().map(|row| row.title().chars().count()).max().unwrap_or(0);
    let mut remarks = Vec::new();
    write!(f, "{:wide$}", "")?;
    columns.iter().try_for_each(|name| write!(f, " | {:^33}", name))?;
    write!(f, "\n{:wide$}", "")?;
    columns.iter().try_for_each(|_| write!(f, " | {:>10} {:>10} {:>11}", "p50", "p99", "mean"))?;
    writeln!(f, "{}", if columns.len() > 1 { " |  ratio" } else { "" })?;
    for row in rows {
        write!(f, "{:wide$}", row.title())?;
        for (name, figure) in columns.iter().zip(&row.figures) {
            write!(f, " | {:>33}", figure.cell())?;
            let texts = [figure.failed.as_ref(), figure.note.as_ref()].into_iter().flatten();
            remarks.extend(texts.map(|text| format!("{}, {name}: {text}", row.what)));
        }
        let ratio = row.ratio.map_or_else(String::new, |ratio| format!(" | {:>6}", number(ratio)));
        writeln!(f, "{ratio}")?;
    }
    if let [_, second, ..] = columns {
        writeln!(f, "ratio: how many times as much {second} took")?;
    }
    remarks.iter().try_for_each(|remark| writeln!(f, "{remark}"))
}

fn markdown_table(columns: &[String], rows: &[Row]) -> String {
    let heads: String = columns.iter().map(|name| format!(" {name}: p50 / p99 |")).collect();
    let mut table = format!("| |{heads} ratio |\n|---|{}---|\n", "---|".repeat(columns.len()));
    for row in rows {
        let cells: String = row.figures.iter().map(|figure| format!(" {} |", figure.short())).collect();
        let ratio = row.ratio.map(number).unwrap_or_default();
        table.push_str(&format!("| {} |{cells} {ratio} |\n", row.title()));
    }
    table
}

impl Row {
    fn title(&self) -> String {
        match self.unit {
            Unit::Micros => format!("{}, µs", self.what),
            Unit::Millis => format!("{}, ms", self.what),
            Unit::Kib => format!("{}, KiB", self.what),
            Unit::Count => self.what.clone(),
        }
    }
}

impl Figure {
    fn short(&self) -> String {
        match (self.median, self.p99) {
            (Some(median), Some(p99)) if self.samples > 1 => format!("{} / {}", number(median), number(p99)),
            (Some(median), _) => number(median),
            _ => if self.failed.is_some() { "failed" } else { "–" }.to_owned(),
        }
    }

    fn cell(&self) -> String {
        let mut cell = String::new();
        let shown = match (self.samples, &self.failed) {
            (0, Some(_)) => return "failed".into(),
            (0, None) => return "–".into(),
            (1, _) => [self.median, None, None],
            _ => [self.median, self.p99, self.mean],
        };
        for (value, wide) in shown.into_iter().zip([10, 10, 11]) {
            let value = value.map(number).unwrap_or_default();
            // Writing to a string does not fail.
            let _ = write!(cell, "{value:>wide$} ");
        }
        cell.trim_end_matches(' ').to_owned() + &" ".repeat(if self.samples == 1 { 23 } else { 0 })
    }
}

/// Returns a value with about three significant digits.
fn number(value: f64) -> String {
    match value.abs() {
        big if big >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
