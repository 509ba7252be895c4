//! The editors and agents as sentences and the help list them, so that a new row of a table is in all of
//! them.

use alongside_adapters::editors::{EDITORS, agents_to_set_up, with_extensions};
use alongside_contract::agents::{AGENTS, with_hook};

/// The column where the help ends.
const COLUMNS: usize = 100;

/// The names of all editors that can be installed into.
pub(super) fn editors() -> String {
    joined(EDITORS.iter().map(|editor| editor.id), "or")
}

/// The names of editors that take the extension for VS Code, besides that one.
pub(super) fn editors_like_vscode() -> String {
    joined(with_extensions().skip(1).map(|editor| editor.id), "and")
}

/// The names on the command line of the agents that can be set up.
pub(super) fn agents(conjunction: &str) -> String {
    joined(agents_to_set_up().map(|agent| agent.id), conjunction)
}

/// Their names for people.
pub(super) fn agents_for_people() -> String {
    joined(agents_to_set_up().map(|agent| agent.display_name), "and")
}

/// The commands that install the agents that can be set up, where npm has them.
pub(super) fn installations_of_agents() -> String {
    let packages = agents_to_set_up().filter_map(|agent| agent.packages.first());
    let commands: Vec<_> = packages.map(|package| format!("`npm install -g {package}`")).collect();
    of(&commands.iter().map(String::as_str).collect::<Vec<_>>(), "or")
}

/// Names of agents for `alongside doctor`: those with hooks, and one of the others.
pub(super) fn agents_to_examine() -> String {
    let others = AGENTS.iter().filter(|agent| agent.hook.is_none()).take(1);
    let names: Vec<&str> = with_hook().map(|agent| agent.id).chain(others.map(|agent| agent.id)).collect();
    names.join(", ")
}

/// The effect of `alongside install agent`.
pub(super) fn effect_on_agents() -> String {
    let (connected, others): (Vec<_>, Vec<_>) =
        agents_to_set_up().partition(|agent| agent.settings.is_some());
    let connected = joined(connected.iter().map(|agent| agent.display_name), "and");
    let with_others =
        joined(["them"].into_iter().chain(others.iter().map(|agent| agent.display_name)), "and");
    format!("let {connected} connect, and review {with_others} after each turn, or before each write")
}

/// An example in the help: a command, and its effect from that column on.
pub(super) fn example(command: &str, column: usize, effect: &str) -> String {
    let first = format!("  {command:width$}", width = column.saturating_sub(2));
    let rest = " ".repeat(column);
    let options = textwrap::Options::new(COLUMNS)
        .initial_indent(&first)
        .subsequent_indent(&rest)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(effect, options)
}

/// `a, b and c`.
fn joined(names: impl Iterator<Item = &'static str>, conjunction: &str) -> String {
    of(&names.collect::<Vec<_>>(), conjunction)
}

/// `a, b and c`, of names that are a list already.
pub(super) fn of(names: &[&str], conjunction: &str) -> String {
    match names {
        [first @ .., before, last] => {
            let first: String = first.iter().map(|name| format!("{name}, ")).collect();
            format!("{first}{before} {conjunction} {last}")
        }
        names => names.concat(),
    }
}
