//! Finds the editor whose terminal alongside runs in: by the variables that editors set in their terminals,
//! then by the ancestors of this process.

use alongside_agent::find;

use super::editor::{Editor, TerminalVariable};
use super::editors::EDITORS;
use super::user_environment::UserEnvironment;

/// The editor whose terminal this is.
#[derive(Debug, Clone, Copy)]
pub enum TerminalOwner {
    /// An editor with an adapter.
    Editor(&'static Editor),
    /// An editor without an adapter.
    Other(OtherEditor),
}

impl TerminalOwner {
    fn name(&self) -> &'static str {
        match self {
            Self::Editor(editor) => editor.name,
            Self::Other(other) => other.name,
        }
    }

    fn has_program(&self, user: &UserEnvironment) -> bool {
        match self {
            Self::Editor(editor) => editor.has_program(user),
            Self::Other(other) => user.find(other.ids).is_some(),
        }
    }
}

/// An editor without an adapter, and what to do instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherEditor {
    /// The editor's name for people.
    pub name: &'static str,
    /// The editor's names on the command line.
    ids: &'static [&'static str],
    /// A variable that the editor sets in its terminals, and the beginning of the value.
    variable: Option<(&'static str, &'static str)>,
    /// The advice instead of an adapter, for a hint: an imperative without a full stop.
    pub advice: &'static str,
}

const ADVISE_LSP: &str = "add `alongside lsp` to its language servers (`alongside lsp --help`), or review \
                          changes in a terminal beside it: `alongside`";
const ADVISE_DESK: &str = "review changes in a terminal beside it: `alongside`";

/// The editors without an adapter that people may ask for.
const OTHERS: &[OtherEditor] = &[
    OtherEditor { name: "Zed", ids: &["zed"], variable: Some(("ZED_TERM", "")), advice: ADVISE_DESK },
    OtherEditor {
        name: "Sublime Text",
        ids: &["sublime", "subl", "sublime-text"],
        variable: None,
        advice: ADVISE_LSP,
    },
    OtherEditor { name: "Lapce", ids: &["lapce"], variable: None, advice: ADVISE_LSP },
    OtherEditor { name: "nano", ids: &["nano"], variable: None, advice: ADVISE_DESK },
    OtherEditor {
        name: "a JetBrains IDE",
        ids: &["jetbrains", "intellij", "idea", "pycharm", "webstorm", "goland", "clion"],
        variable: Some(("TERMINAL_EMULATOR", "JetBrains")),
        advice: ADVISE_LSP,
    },
];

impl OtherEditor {
    /// Returns the editors whose program is on this machine.
    pub fn on_this_machine(user: &UserEnvironment) -> impl Iterator<Item = Self> {
        OTHERS.iter().copied().filter(|other| user.find(other.ids).is_some())
    }

    /// Returns the editor that has this name on the command line.
    pub fn named(name: &str) -> Option<Self> {
        OTHERS.iter().copied().find(|other| other.ids.contains(&name))
    }
}

/// Returns the editor whose terminal this is; `None` in any other terminal. If several editors set the same
/// variable, takes the one that is an ancestor of this process, or else the first that is installed.
pub fn owner(user: &UserEnvironment) -> Option<TerminalOwner> {
    let variable = |name: &str| Some(user.variable(name)?.to_string_lossy().into_owned());
    let ancestors = ancestors();
    let ancestor = || by_processes(ancestors.iter().map(String::as_str));
    let owners = by_variables(variable);
    match owners[..] {
        [] => ancestor(),
        [owner] => Some(owner),
        [first, ..] => {
            let is_possible = |owner: &TerminalOwner| owners.iter().any(|one| one.name() == owner.name());
            let on_machine = || owners.iter().find(|owner| owner.has_program(user)).copied();
            ancestor().filter(is_possible).or_else(on_machine).or(Some(first))
        }
    }
}

/// Returns the editors that set these variables: several if they set the same one.
fn by_variables(variable: impl Fn(&str) -> Option<String>) -> Vec<TerminalOwner> {
    let is_own =
        |editor: &&Editor| matches!(editor.terminal, TerminalVariable::Own(name) if variable(name).is_some());
    if let Some(editor) = EDITORS.iter().find(is_own) {
        return vec![TerminalOwner::Editor(editor)];
    }
    let begins = |(name, begin)| variable(name).is_some_and(|value| value.starts_with(begin));
    let sets_variable = |other: &&OtherEditor| other.variable.is_some_and(begins);
    if let Some(other) = OTHERS.iter().find(sets_variable) {
        return vec![TerminalOwner::Other(*other)];
    }
    let is_shared = |editor: &&Editor| match editor.terminal {
        TerminalVariable::Shared { variable: name, value } => {
            variable(name).is_some_and(|found| found == value)
        }
        TerminalVariable::None | TerminalVariable::Own(_) => false,
    };
    EDITORS.iter().filter(is_shared).map(TerminalOwner::Editor).collect()
}

/// Returns the editor of the first of these process names that is an editor's.
fn by_processes<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<TerminalOwner> {
    names.find_map(|name| {
        let editor = EDITORS.iter().find(|editor| editor.is_process(name)).map(TerminalOwner::Editor);
        editor.or_else(|| OtherEditor::named(name).map(TerminalOwner::Other))
    })
}

/// Returns the names of the ancestors of this process, the nearest first; 32 at most.
fn ancestors() -> Vec<String> {
    let parent = |pid: u32| find::look_up(pid).map(|process| process.parent).filter(|parent| *parent > 1);
    let above = std::iter::successors(parent(std::process::id()), |pid| parent(*pid)).take(32);
    above.filter_map(|pid| Some(find::look_up(pid)?.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner_with(variables: &[(&str, &str)]) -> Option<TerminalOwner> {
        let owners = by_variables(|name| {
            let found = variables.iter().find(|(known, _)| *known == name)?;
            Some(found.1.to_owned())
        });
        owners.first().copied()
    }

    fn owner_name(owner: Option<TerminalOwner>) -> Option<&'static str> {
        owner.as_ref().map(TerminalOwner::name)
    }

    #[test]
    fn an_editor_is_found_by_its_variables() {
        for (variables, editor) in [
            (&[("NVIM", "/run/nvim.1"), ("TERM_PROGRAM", "vscode")][..], Some("Neovim")),
            (&[("TERM_PROGRAM", "vscode")], Some("VS Code")),
            (&[("TERM_PROGRAM", "tmux")], None),
            (&[("TERMINAL_EMULATOR", "JetBrains-JediTerm")], Some("a JetBrains IDE")),
            (&[("INSIDE_EMACS", "30.1,eat"), ("TERM_PROGRAM", "vscode")], Some("Emacs")),
            (&[], None),
        ] {
            assert_eq!(owner_name(owner_with(variables)), editor, "{variables:?}");
        }
    }

    #[test]
    fn without_variables_the_nearest_editor_process_is_taken() {
        assert_eq!(owner_name(by_processes(["bash", "hx", "fish", "nvim"].into_iter())), Some("Helix"));
        assert_eq!(owner_name(by_processes(["zsh", "emacs"].into_iter())), Some("Emacs"));
        assert_eq!(owner_name(by_processes(["bash", "tmux: server"].into_iter())), None);
    }
}
