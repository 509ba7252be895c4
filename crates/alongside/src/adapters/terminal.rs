//! Which editor's terminal this is: by the variables that editors set in theirs, then by the processes above
//! us.

use alongside_agent::find;

use super::Editor;
use super::machine::Machine;

/// The editor whose terminal this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminal {
    /// One that has an adapter.
    Of(Editor),
    /// One that has none.
    OfOther(Other),
}

/// An editor without an adapter, and what works with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Other {
    /// Its name for people.
    pub(crate) name: &'static str,
    /// What it is called on the command line.
    ids: &'static [&'static str],
    /// A variable it sets in its terminals, and what the value begins with.
    variable: Option<(&'static str, &'static str)>,
    /// What to do instead, as a clause.
    pub(crate) instead: &'static str,
}

const LSP: &str = "make `alongside lsp` one of its language servers (`alongside lsp --help`), or decide at the terminal \
                   desk: `alongside`";
const DESK: &str = "decide at the terminal desk beside it: `alongside`";

/// Every editor that people may ask for. Those whose variables other editors' terminals inherit come last.
const OTHERS: &[Other] = &[
    Other { name: "Vim", ids: &["vim", "vi"], variable: Some(("VIM_TERMINAL", "")), instead: LSP },
    Other { name: "Emacs", ids: &["emacs"], variable: Some(("INSIDE_EMACS", "")), instead: LSP },
    Other { name: "Kakoune", ids: &["kakoune", "kak"], variable: Some(("kak_session", "")), instead: LSP },
    Other { name: "Kate", ids: &["kate"], variable: None, instead: DESK },
    Other { name: "Zed", ids: &["zed"], variable: Some(("ZED_TERM", "")), instead: LSP },
    Other { name: "Sublime Text", ids: &["sublime", "subl", "sublime-text"], variable: None, instead: LSP },
    Other { name: "Lapce", ids: &["lapce"], variable: None, instead: LSP },
    Other { name: "nano", ids: &["nano"], variable: None, instead: DESK },
    Other {
        name: "a JetBrains IDE",
        ids: &["jetbrains", "intellij", "idea", "pycharm", "webstorm", "goland", "clion"],
        variable: Some(("TERMINAL_EMULATOR", "JetBrains")),
        instead: DESK,
    },
    Other {
        name: "VS Code",
        ids: &["vscode", "code", "cursor", "codium", "vscodium"],
        variable: Some(("TERM_PROGRAM", "vscode")),
        instead: "the agents bring a companion for it: type `/ide install` in the agent",
    },
];

impl Other {
    /// The editor of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        OTHERS.iter().copied().find(|other| other.ids.contains(&name))
    }
}

/// The editor whose terminal this is, if it is one's.
pub(crate) fn here(machine: &Machine) -> Option<Terminal> {
    let variable = |name: &str| Some(machine.variable(name)?.to_string_lossy().into_owned());
    by_variables(variable).or_else(|| by_processes(ancestors().iter().map(String::as_str)))
}

fn by_variables(variable: impl Fn(&str) -> Option<String>) -> Option<Terminal> {
    if variable("NVIM").is_some() {
        return Some(Terminal::Of(Editor::Neovim));
    }
    let is_it = |other: &&Other| {
        other
            .variable
            .is_some_and(|(name, begins)| variable(name).is_some_and(|value| value.starts_with(begins)))
    };
    OTHERS.iter().find(is_it).copied().map(Terminal::OfOther)
}

fn by_processes<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<Terminal> {
    names.find_map(|name| {
        let editor = Editor::ALL.into_iter().find(|editor| editor.is_process(name)).map(Terminal::Of);
        editor.or_else(|| Other::named(name).map(Terminal::OfOther))
    })
}

/// The names of the processes above this one, the nearest first.
fn ancestors() -> Vec<String> {
    let parent = |pid: u32| find::look_up(pid).map(|process| process.parent).filter(|parent| *parent > 1);
    let above = std::iter::successors(parent(std::process::id()), |pid| parent(*pid)).take(32);
    above.filter_map(|pid| Some(find::look_up(pid)?.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> Option<Terminal> {
        by_variables(|name| {
            let found = variables.iter().find(|(known, _)| *known == name)?;
            Some(found.1.to_owned())
        })
    }

    fn name(terminal: Option<Terminal>) -> Option<&'static str> {
        terminal.map(|terminal| match terminal {
            Terminal::Of(editor) => editor.name(),
            Terminal::OfOther(other) => other.name,
        })
    }

    #[test]
    fn an_editor_is_known_by_the_variable_it_sets_in_its_terminals() {
        for (variables, editor) in [
            (&[("NVIM", "/run/nvim.1"), ("TERM_PROGRAM", "vscode")][..], Some("Neovim")),
            (&[("TERM_PROGRAM", "vscode")], Some("VS Code")),
            (&[("TERM_PROGRAM", "tmux")], None),
            (&[("TERMINAL_EMULATOR", "JetBrains-JediTerm")], Some("a JetBrains IDE")),
            (&[("INSIDE_EMACS", "30.1,eat"), ("TERM_PROGRAM", "vscode")], Some("Emacs")),
            (&[], None),
        ] {
            assert_eq!(name(with(variables)), editor, "{variables:?}");
        }
    }

    #[test]
    fn without_a_variable_the_nearest_process_that_is_an_editor_counts() {
        assert_eq!(name(by_processes(["bash", "hx", "fish", "nvim"].into_iter())), Some("Helix"));
        assert_eq!(name(by_processes(["zsh", "emacs"].into_iter())), Some("Emacs"));
        assert_eq!(name(by_processes(["bash", "tmux: server"].into_iter())), None);
    }
}
