//! Lists the editors and agents of the tables for sentences and the help, so that a new row of a table is in
//! each list.

use alongside_adapters::editors::{EDITORS, agents_to_set_up, with_extensions};
use alongside_contract::agents::{AGENTS, with_hook};

/// The width of the help, in columns.
const HELP_COLUMNS: usize = 100;

/// Returns the names of all editors with an adapter.
pub(super) fn editors() -> String {
    join(EDITORS.iter().map(|editor| editor.id), "or")
}

/// Returns the names of the editors other than VS Code that accept its extension.
pub(super) fn editors_like_vscode() -> String {
    join(with_extensions().skip(1).map(|editor| editor.id), "and")
}

/// Returns the names on the command line of the agents that can be set up.
pub(super) fn agents(conjunction: &str) -> String {
    join(agents_to_set_up().map(|agent| agent.id), conjunction)
}

/// Returns the names for people of the agents that can be set up.
pub(super) fn agents_for_people() -> String {
    join(agents_to_set_up().map(|agent| agent.display_name), "and")
}

/// Returns the commands that install the agents from npm.
pub(super) fn installations_of_agents() -> String {
    let packages = agents_to_set_up().filter_map(|agent| agent.packages.first());
    let commands: Vec<_> = packages.map(|package| format!("`npm install -g {package}`")).collect();
    of(&commands.iter().map(String::as_str).collect::<Vec<_>>(), "or")
}

/// Returns names of agents for the help of `alongside doctor`: each agent with a hook, and one other.
pub(super) fn agents_to_examine() -> String {
    let others = AGENTS.iter().filter(|agent| agent.hook.is_none()).take(1);
    let names: Vec<&str> = with_hook().map(|agent| agent.id).chain(others.map(|agent| agent.id)).collect();
    names.join(", ")
}

/// Returns the effect of `alongside install agent` in words.
pub(super) fn effect_on_agents() -> String {
    let (connected, others): (Vec<_>, Vec<_>) =
        agents_to_set_up().partition(|agent| agent.settings.is_some());
    let connected = join(connected.iter().map(|agent| agent.display_name), "and");
    let with_others = join(["them"].into_iter().chain(others.iter().map(|agent| agent.display_name)), "and");
    format!("let {connected} connect, and review {with_others} after each turn, or before each write")
}

/// Returns an example for the help: a command, and its effect, which begins at `column`.
pub(super) fn example(command: &str, column: usize, effect: &str) -> String {
    let first = format!("  {command:width$}", width = column.saturating_sub(2));
    let rest = " ".repeat(column);
    let options = textwrap::Options::new(HELP_COLUMNS)
        .initial_indent(&first)
        .subsequent_indent(&rest)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(effect, options)
}

/// Joins names, as in `a, b and c`.
fn join(names: impl Iterator<Item = &'static str>, conjunction: &str) -> String {
    of(&names.collect::<Vec<_>>(), conjunction)
}

/// Joins a list of names, as in `a, b and c`.
pub(super) fn of(names: &[&str], conjunction: &str) -> String {
    match names {
        [first @ .., before, last] => {
            let first: String = first.iter().map(|name| format!("{name}, ")).collect();
            format!("{first}{before} {conjunction} {last}")
        }
        names => names.concat(),
    }
}
