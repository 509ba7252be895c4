//! Kakoune: a directory beside the user's kakrc, and lines in kakrc that load it. Kakoune has a directory
//! from which it loads a user's scripts by itself, but that directory replaces Kakoune's own scripts.

use std::future::ready;
use std::path::PathBuf;

use alongside_editors::KAKOUNE;

use super::change;
use super::editor::{Editor, TerminalVariable};
use super::installation::{Installation, InstalledFile};
use super::package;
use super::plan::{AdapterState, Plan, Remainder};
use super::user_environment::UserEnvironment;

pub(super) const EDITOR: Editor = Editor {
    id: "kakoune",
    name: "Kakoune",
    commands: &["kak"],
    process_prefix: None,
    terminal: TerminalVariable::Own("kak_session"),
    // Kakoune prints no version, so no release is refused.
    oldest: "2024.05",
    restart: "Restart Kakoune",
    state: |_, user, installed| state(user, installed),
    plan: |request| Box::pin(ready(plan(request.user, request.installed))),
    remove: remove_adapter,
    package_of: Some(|installed| package::directory_of(installed, STAMP)),
    missing_program,
    own_directory: None,
    directories_made_by_queries: None,
    extensions: None,
};

/// A file that only an installation by `alongside install` has.
const STAMP: &str = "installed.kak";

/// The line above our lines in kakrc.
const BEGIN: &str = "# alongside; `alongside uninstall kakoune` takes these lines out again";

/// The line that loads the adapter.
const SOURCE: &str = "source \"%val{config}/alongside/installed.kak\"";

/// The line below our lines in kakrc.
const END: &str = "# end of alongside";

/// The lines that start kakoune-lsp, for a kakrc that does not start it.
const KAKOUNE_LSP_START: &str = "evaluate-commands %sh{kak-lsp}\nlsp-enable\n";

fn configuration(user: &UserEnvironment) -> PathBuf {
    let named = user.variable("KAKOUNE_CONFIG_DIR").filter(|directory| !directory.is_empty());
    named.map_or_else(|| user.directory("XDG_CONFIG_HOME", ".config").join("kak"), PathBuf::from)
}

fn kakrc(user: &UserEnvironment) -> PathBuf {
    configuration(user).join("kakrc")
}

/// Returns the files of our directory, with their texts.
fn files(user: &UserEnvironment) -> Vec<(PathBuf, String)> {
    let directory = configuration(user).join("alongside");
    vec![(directory.join("alongside.kak"), KAKOUNE.to_owned()), (directory.join(STAMP), stamp(&user.program))]
}

/// Returns the text of [`STAMP`], which tells the adapter the path of the program that installed it. Kakoune
/// may have another PATH.
fn stamp(program: &str) -> String {
    let quoted = program.replace('\'', "''");
    format!(
        "# Written by `alongside install kakoune`, which takes it out again.\n\
         declare-option -docstring 'the program alongside' str alongside_program '{quoted}'\n\
         source \"%val{{config}}/alongside/alongside.kak\"\n"
    )
}

fn state(user: &UserEnvironment, installed: Option<&Installation>) -> anyhow::Result<AdapterState> {
    let text = change::read(&kakrc(user))?.unwrap_or_default();
    let Some(installed) = installed else {
        let is_there = text.contains("alongside.kak") || text.lines().any(|line| line == SOURCE);
        return Ok(match is_there {
            true => AdapterState::ByHand { at: kakrc(user) },
            false => AdapterState::NotInstalled,
        });
    };
    match text.lines().any(|line| line == SOURCE) {
        true => package::state(&configuration(user).join("alongside"), &files(user), Some(installed)),
        false => Ok(AdapterState::NotInstalled),
    }
}

/// Returns the changes that install the adapter of this version.
///
/// # Errors
/// When a file cannot be read.
fn plan(user: &UserEnvironment, installed: Option<&Installation>) -> anyhow::Result<Plan> {
    let path = kakrc(user);
    let without_kakrc = installed.map(|installed| {
        let files = installed.files.iter().filter(|file| file.path != path).cloned().collect();
        Installation { files, ..installed.clone() }
    });
    let mut plan = package::plan(user, &files(user), without_kakrc.as_ref())?;
    let before = change::read(&path)?;
    let after = with_adapter(before.as_deref().unwrap_or_default());
    plan.change_person_file(path, before, after);
    if missing_program(user).is_some() {
        plan.notes.push(
            "Kakoune also needs kakoune-lsp: `cargo install kak-lsp`, or your system's package.".into(),
        );
    }
    Ok(plan)
}

/// Returns the name of kakoune-lsp and the command that installs it, if this machine lacks it.
fn missing_program(user: &UserEnvironment) -> Option<(&'static str, &'static str)> {
    user.find(&["kak-lsp"]).is_none().then_some(("kak-lsp", "cargo install kak-lsp"))
}

/// Returns the text of `kakrc` with the lines that load the adapter.
fn with_adapter(kakrc: &str) -> String {
    if kakrc.lines().any(|line| line == SOURCE) {
        return kakrc.to_owned();
    }
    let gap = if kakrc.is_empty() || kakrc.ends_with('\n') { "" } else { "\n" };
    let starts_kakoune_lsp = ["kak-lsp", "kakoune-lsp", "lsp-enable"].iter().any(|word| kakrc.contains(word));
    let start = if starts_kakoune_lsp { "" } else { KAKOUNE_LSP_START };
    format!("{kakrc}{gap}{BEGIN}\n{start}{SOURCE}\n{END}\n")
}

/// Returns the rest of a file of the adapter, which holds `now`.
fn remove_adapter(file: &InstalledFile, now: &str) -> anyhow::Result<Remainder> {
    let lines: Vec<&str> = now.split_inclusive('\n').collect();
    let place = |wanted: &str| lines.iter().position(|line| line.trim_end() == wanted);
    match (place(BEGIN), place(END)) {
        (Some(begin), Some(end)) if begin < end => {
            let rest = lines[..begin].concat() + &lines[end + 1..].concat();
            let is_gone = rest.is_empty() && file.before.is_none();
            Ok(if is_gone { Remainder::Nothing } else { Remainder::Text(rest) })
        }
        _ => package::stays(file, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kakoune_lsp_is_started_unless_kakrc_starts_it() {
        let after = with_adapter("");
        assert_eq!(after, format!("{BEGIN}\n{KAKOUNE_LSP_START}{SOURCE}\n{END}\n"));
        assert_eq!(with_adapter(&after), after);
        assert_eq!(
            with_adapter("eval %sh{kak-lsp}"),
            format!("eval %sh{{kak-lsp}}\n{BEGIN}\n{SOURCE}\n{END}\n")
        );
    }

    #[test]
    fn later_lines_of_the_person_stay() {
        let after = with_adapter("colorscheme default\n");
        let file =
            InstalledFile { path: "kakrc".into(), before: None, after: after.clone(), in_project: false };
        let now = format!("set global tabstop 4\n{after}map global user a b\n");
        let rest = "set global tabstop 4\ncolorscheme default\nmap global user a b\n";
        assert_eq!(remove_adapter(&file, &now).unwrap(), Remainder::Text(rest.to_owned()));
        assert_eq!(remove_adapter(&file, &with_adapter("")).unwrap(), Remainder::Nothing);
        assert!(matches!(remove_adapter(&file, "else").unwrap(), Remainder::Unchanged(_)));
    }

    #[test]
    fn a_path_is_escaped_in_its_string() {
        assert!(stamp("/a 'b").contains("alongside_program '/a ''b'"), "{}", stamp("/a 'b"));
    }
}
