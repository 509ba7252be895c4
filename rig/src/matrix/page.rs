//! Writes `docs/compatibility.md` from the results and the explanations alone.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::explain::{Kind, Reason, reason};
use super::releases::{AGENTS, Agent, number};
use super::results::{Cell, Need, Row, STEPS, Step};

const HEAD: &str = "\
# Compatible agents

For people who look for their agent's release: whether it was run with alongside, and what works with it.

`cargo xtask matrix` installs every release of each agent on npm and runs its own client code against the
real program. It generates this page: the rows are in `rig/matrix/results.jsonl`, the notes in
`rig/src/matrix/explain.rs`, and a test compares this page with both. Releases with equal results share a
line. *SDK* is the release of the MCP SDK that npm installs with them now, or *bundled*; *MCP* is the
protocol version that they speak, where the SDK reports it.

| step | what must happen |
|---|---|
| found | the agent finds the companion by its files, without any variable, and listens |
| context | the agent has the active file with cursor and selection |
| accept | a person edits and accepts; the agent's own `openDiff` returns the edited text |
| reject | a person rejects; the agent's `openDiff` says so |
| answered | a person answers in the agent's own prompt; the view closes, and the agent gets the edits |
| two | two agents propose the same file; each gets its own outcome |
| crash | the companion crashes during an open proposal; the prompt is freed, the next proposal works |

Claude Code has no client code that could be run alone: the whole program runs in a terminal with a fake
model, ten releases of a year stand for all, and the file on disk tells what it did. In *answered* it writes
its own proposal, and in *crash* its own prompt stays.

The note of a cell explains every other result than *yes*: *no* means that the release lacks the feature,
*bug* that the release fails by itself.
";

/// The end of the page: facts about hooks, which the matrix does not run.
const HOOKS: &str = include_str!("hooks.md");

/// The path of the page.
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/compatibility.md")
}

/// Writes the page.
pub fn write(rows: &[Row]) -> Result<()> {
    let path = path();
    std::fs::write(&path, page(rows)).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the text of the page.
pub fn page(rows: &[Row]) -> String {
    let mut notes = Notes::default();
    let mut text = HEAD.to_owned();
    for &agent in AGENTS {
        let rows: Vec<_> = rows.iter().filter(|row| row.agent == agent.id).collect();
        section(agent, &rows, &mut notes, &mut text);
    }
    notes.write(&mut text);
    text.push('\n');
    text.push_str(HOOKS);
    text
}

fn section(agent: Agent, rows: &[&Row], notes: &mut Notes, text: &mut String) {
    let packages: BTreeSet<_> = rows.iter().map(|row| row.package.as_str()).collect();
    let packages: Vec<_> = packages.iter().map(|package| package_name(package)).collect();
    let _ = write!(text, "\n## {}\n\n", agent.name);
    if rows.is_empty() {
        let package = agent.packages.join("`, `");
        let _ = writeln!(text, "No release of `{package}` was run yet.");
        return;
    }
    let with = rows.iter().filter(|row| row.has_ide_mode()).count();
    let _ = writeln!(
        text,
        "{} releases of {}, {with} of them with IDE mode.\n",
        rows.len(),
        packages.join(" and ")
    );
    text.push_str(
        "| releases | SDK | MCP | found | context | accept | reject | answered | two | crash | needs |\n",
    );
    text.push_str("|---|---|---|---|---|---|---|---|---|---|---|\n");
    // The newest releases come first: most people search for them.
    for group in groups(rows).iter().rev() {
        line(group, notes, text);
    }
    text.push_str("\n<details><summary>each release</summary>\n\n");
    for group in groups(rows).iter().rev() {
        let versions: Vec<_> = group.iter().map(|row| row.version.as_str()).collect();
        let _ = writeln!(text, "- {}: {}", span(group), versions.join(", "));
    }
    text.push_str("\n</details>\n");
}

/// Returns the name of a package, with its origin if that is not npm.
fn package_name(package: &str) -> String {
    match package.split_once(',') {
        Some((name, origin)) => format!("`{name}` ({}; not on npm)", origin.trim()),
        None => format!("`{package}`"),
    }
}

/// Groups neighbouring releases with equal results.
fn groups<'a>(rows: &[&'a Row]) -> Vec<Vec<&'a Row>> {
    let alike = |one: &&Row, other: &&Row| {
        let results = |row: &Row| {
            STEPS.map(|step| (row.cells.get(&step).map(|cell| *cell == Cell::Works), reason(row, step)))
        };
        one.needs == other.needs && results(one) == results(other)
    };
    rows.chunk_by(alike).map(<[&Row]>::to_vec).collect()
}

fn line(group: &[&Row], notes: &mut Notes, text: &mut String) {
    let Some(first) = group.first() else { return };
    let _ = write!(text, "| {} ", span(group));
    if !first.has_ide_mode() {
        text.push_str("| | | no IDE mode | | | | | | | |\n");
        return;
    }
    let bundled = group.iter().any(|row| row.sdk.is_none()).then_some("bundled");
    let sdks = range(group.iter().filter_map(|row| row.sdk.as_deref()));
    let sdks: Vec<_> = sdks.into_iter().chain(bundled.map(str::to_owned)).collect();
    let protocols: BTreeSet<_> = group.iter().filter_map(|row| row.protocol.as_deref()).collect();
    let protocols: Vec<_> = protocols.into_iter().collect();
    let _ = write!(text, "| {} | {} ", sdks.join(", "), protocols.join(", "));
    for step in STEPS {
        let _ = write!(text, "| {} ", cell(first, step, notes));
    }
    let needs: Vec<_> = first.needs.iter().map(|need| name(*need)).collect();
    let _ = writeln!(text, "| {} |", needs.join(", "));
}

fn cell(row: &Row, step: Step, notes: &mut Notes) -> String {
    match (row.cells.get(&step), reason(row, step)) {
        (Some(Cell::Works), _) => "yes".to_owned(),
        (_, Some(reason)) => {
            let word = match reason.kind {
                Kind::NotThere => "no",
                Kind::OwnBug => "bug",
            };
            format!("{word} ({})", notes.number(reason))
        }
        (_, None) => "**unexplained**".to_owned(),
    }
}

fn span(group: &[&Row]) -> String {
    match group {
        [] => String::new(),
        [one] => one.version.clone(),
        [first, .., last] => format!("{} to {} ({} releases)", first.version, last.version, group.len()),
    }
}

fn range<'a>(versions: impl Iterator<Item = &'a str>) -> Option<String> {
    let versions: BTreeSet<_> = versions.map(|version| (number(version), version)).collect();
    let (first, last) = (versions.first()?.1, versions.last()?.1);
    Some(if first == last { first.to_owned() } else { format!("{first} to {last}") })
}

fn name(need: Need) -> &'static str {
    match need {
        Need::Vscode => "editor",
        Need::Tokenless => "no token",
        Need::Variables => "variables",
    }
}

/// The explanations in use, numbered in order of appearance.
#[derive(Default)]
struct Notes(Vec<&'static Reason>);

impl Notes {
    fn number(&mut self, reason: &'static Reason) -> usize {
        let index = self.0.iter().position(|known| *known == reason);
        index.unwrap_or_else(|| {
            self.0.push(reason);
            self.0.len() - 1
        }) + 1
    }

    fn write(&self, text: &mut String) {
        text.push_str("\n## Needs of old releases\n\n");
        for need in [Need::Vscode, Need::Tokenless, Need::Variables] {
            let _ = writeln!(text, "- *{}*: {}.", name(need), need.text());
        }
        text.push_str("\n## Notes\n\n");
        for (index, reason) in self.0.iter().enumerate() {
            let _ = writeln!(text, "{}. {}", index + 1, reason.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::Results;
    use super::*;

    #[test]
    fn page_matches_the_results() {
        let rows = Results::committed().expect("the committed results").rows;
        let written = std::fs::read_to_string(path()).expect("docs/compatibility.md");
        assert!(written == page(&rows), "run `cargo xtask matrix --page`, and commit docs/compatibility.md");
    }

    #[test]
    fn equal_neighbours_share_a_line() {
        let row = |version: &str, cell: &Cell| Row {
            agent: "gemini".to_owned(),
            version: version.to_owned(),
            package: "p".to_owned(),
            sdk: Some("1.0.0".to_owned()),
            cells: STEPS.map(|step| (step, cell.clone())).into(),
            ..Row::default()
        };
        let broken = Cell::Fails("it has a cold".to_owned());
        let rows = [
            row("0.1.0", &Cell::Works),
            row("0.2.0", &Cell::Works),
            row("0.3.0", &broken),
            row("0.10.0", &Cell::Works),
        ];
        let page = page(&rows);
        assert!(page.contains("| 0.1.0 to 0.2.0 (2 releases) | 1.0.0 |"), "{page}");
        assert!(page.contains("| 0.3.0 | 1.0.0 |  | **unexplained** |"), "{page}");
        assert!(page.contains("| 0.10.0 | 1.0.0 |  | yes |"), "{page}");
    }
}
