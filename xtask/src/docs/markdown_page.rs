//! A page in Markdown, with the lines and the tables below each heading.

use alongside_testing::chores::checkout;

use crate::rust_sources::read_text;

pub(super) struct MarkdownPage(String);

impl MarkdownPage {
    pub(super) fn read(path: &str) -> Self {
        Self(read_text(&checkout().join(path)))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Returns the lines below a heading, up to the next one of any rank.
    pub(super) fn section(&self, heading: &str) -> impl Iterator<Item = &str> {
        let below = self.0.lines().skip_while(move |line| *line != heading).skip(1);
        below.take_while(|line| !line.starts_with('#'))
    }

    /// Returns the rows of the tables below a heading, each as its cells; the first one has the names of the
    /// columns.
    pub(super) fn rows(&self, heading: &str) -> impl Iterator<Item = Vec<&str>> {
        cells(self.section(heading))
    }

    /// Returns the rows of all tables, each as its cells.
    pub(super) fn all_rows(&self) -> impl Iterator<Item = Vec<&str>> {
        cells(self.0.lines())
    }
}

fn cells<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = Vec<&'a str>> {
    let rows = lines.filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    rows.filter(|row| !row.starts_with("---")).map(|row| row.split('|').map(str::trim).collect())
}
