//! Checks the pages for people against the table of agents: every agent is on each page that lists agents.

use std::collections::BTreeSet;

use alongside_contract::agents::{AGENTS, with_hook};

use super::markdown_page::MarkdownPage;

#[test]
fn pages_name_every_agent() {
    let (readme, hooks) = (MarkdownPage::read("README.md"), MarkdownPage::read("docs/hooks.md"));
    let (agents, settings) = (MarkdownPage::read("docs/agents.md"), MarkdownPage::read("docs/settings.md"));
    let named = |page: &MarkdownPage, heading: &str| -> BTreeSet<String> {
        page.rows(heading)
            .flat_map(|cells| cells[0].split(", ").map(str::to_owned).collect::<Vec<_>>())
            .collect()
    };
    let short = named(&readme, "## Agents");
    let (listed, with_files) = (named(&agents, "## How agents find it"), named(&agents, "## Set up"));
    let rules: String = settings.section("### Rules").collect();
    let by_hand: String = hooks.section("## Settings by hand").collect();
    let mut missing = Vec::new();
    for agent in AGENTS {
        let name = agent.display_name;
        let places = [
            ("README.md, Agents", short.contains(name)),
            ("docs/agents.md, How agents find it", listed.contains(name)),
            ("docs/hooks.md", hooks.text().replace('\n', " ").contains(name)),
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
