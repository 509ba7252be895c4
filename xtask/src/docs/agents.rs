//! Holds the pages for people to the table of agents: every agent stands on each page that lists agents.

use std::collections::BTreeSet;

use alongside_contract::agents::{AGENTS, with_hook};
use alongside_testing::chores::checkout;

use crate::rust_sources::read_text;

/// A page, as lines.
struct Page(String);

impl Page {
    fn read(path: &str) -> Self {
        Self(read_text(&checkout().join(path)))
    }

    /// The lines below a heading, up to the next one of any rank.
    fn section(&self, heading: &str) -> impl Iterator<Item = &str> {
        let below = self.0.lines().skip_while(move |line| *line != heading).skip(1);
        below.take_while(|line| !line.starts_with('#'))
    }

    /// The cells of the tables below a heading, one list a row.
    fn rows(&self, heading: &str) -> impl Iterator<Item = Vec<&str>> {
        let rows = self.section(heading).filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
        rows.map(|row| row.split('|').map(str::trim).collect())
    }

    /// The names in the first column of the tables below a heading.
    fn named_in_rows(&self, heading: &str) -> BTreeSet<&str> {
        self.rows(heading).filter_map(|row| row.first().copied()).flat_map(|cell| cell.split(", ")).collect()
    }
}

#[test]
fn pages_name_every_agent() {
    let (readme, hooks) = (Page::read("README.md"), Page::read("docs/hooks.md"));
    let (agents, settings) = (Page::read("docs/agents.md"), Page::read("docs/settings.md"));
    let short = readme.named_in_rows("## Agents");
    let (listed, with_files) =
        (agents.named_in_rows("## How agents find it"), agents.named_in_rows("## Set up"));
    let rules: String = settings.section("### Rules").collect();
    let by_hand: String = hooks.section("## Settings by hand").collect();
    let mut missing = Vec::new();
    for agent in AGENTS {
        let name = agent.display_name;
        let places = [
            ("README.md, Agents", short.contains(name)),
            ("docs/agents.md, How agents find it", listed.contains(name)),
            ("docs/hooks.md", hooks.0.replace('\n', " ").contains(name)),
            ("docs/settings.md, Rules", rules.contains(&format!("`{}`", agent.id))),
        ];
        missing
            .extend(places.iter().filter(|(_, is_there)| !is_there).map(|(at, _)| format!("{at}: {name}")));
    }
    for agent in with_hook() {
        let places = [
            ("docs/agents.md, Set up", with_files.contains(agent.display_name)),
            ("docs/hooks.md, Settings by hand", by_hand.contains(&format!("alongside hook {}", agent.id))),
        ];
        let absent = places.iter().filter(|(_, is_there)| !is_there);
        missing.extend(absent.map(|(at, _)| format!("{at}: {}", agent.display_name)));
    }
    assert!(missing.is_empty(), "pages that do not name an agent of the table:\n{}", missing.join("\n"));
    let columns = hooks.rows("## The agents").next().unwrap_or_default();
    let columns: BTreeSet<&str> = columns.into_iter().filter(|name| !name.is_empty()).collect();
    let rows: BTreeSet<&str> = with_hook().map(|agent| agent.display_name).collect();
    assert_eq!(columns, rows, "columns of the table in docs/hooks.md, The agents, and rows with a hook");
}
