//! The target of an installation: the editor or the agents that the person names, or the editor of this
//! terminal.

use alongside_adapters::agents::{self, VersionedAgent};
use alongside_adapters::editor::Editor;
use alongside_adapters::editor_terminal::{self, OtherEditor, TerminalOwner};
use alongside_adapters::editors::{EDITORS, names_to_install};
use alongside_adapters::user_environment::UserEnvironment;
use alongside_agent::find::Surroundings;
use alongside_common::failure::failure;
use alongside_common::similar_name::nearest;
use alongside_desk::harmless;

use crate::commands::consent::{self, NoConsent};
use crate::commands::{lists, note};

pub(super) enum Target {
    Editor(&'static Editor),
    Agents(Vec<VersionedAgent>),
}

/// The hint for editors without an adapter.
const OTHER_EDITORS: &str = "in any other editor with an LSP client, add `alongside lsp` as a language \
                             server; or use `alongside` in a terminal";

impl Target {
    /// Returns the target of this name.
    ///
    /// # Errors
    /// If no target has this name, or no agent is on this machine.
    pub(super) async fn named(name: &str, user: &UserEnvironment) -> anyhow::Result<Self> {
        let name = name.to_lowercase();
        if let Some(editor) = Editor::named(&name) {
            return Ok(Self::Editor(editor));
        }
        let here = Surroundings::of_this_process()?;
        if matches!(name.as_str(), "agent" | "agents") {
            let found = agents::find_agents(user, &here).await;
            return match found.is_empty() {
                false => Ok(Self::Agents(found)),
                true => Err(failure(
                    format!("none of {} is on this machine's PATH", lists::agents("and")),
                    format!(
                        "install one, such as {}; if one is there, add its directory to PATH, or name it to \
                         change its settings: `alongside install gemini`",
                        lists::installations_of_agents(),
                    ),
                )),
            };
        }
        if let Some(agent) = agents::named(&name, user, &here).await {
            return Ok(Self::Agents(vec![agent]));
        }
        if let Some(other) = OtherEditor::named(&name) {
            return Err(failure(format!("there is nothing to install for {}", other.name), other.advice));
        }
        let names = names_to_install();
        let hint = match nearest(&name, names.iter().copied()) {
            Some(similar) => format!("did you mean `alongside install {similar}`?"),
            None => format!("name one of {}; {OTHER_EDITORS}", names.join(", ")),
        };
        Err(failure(format!("there is nothing to install for {:?}", harmless::name(&name)), hint))
    }
}

/// Returns the editor of this terminal, or else the only editor on this machine, or else the editor that the
/// person chooses, who is not asked if `must_not_ask`.
///
/// # Errors
/// If the terminal belongs to an editor without an adapter, no editor is on this machine, or several are and
/// nobody can be asked.
pub(super) async fn editor_of_terminal(
    user: &UserEnvironment,
    must_not_ask: bool,
) -> anyhow::Result<Result<&'static Editor, NoConsent>> {
    match editor_terminal::owner(user) {
        Some(TerminalOwner::Editor(editor)) => {
            note(&format!("this is a terminal of {}", editor.name));
            return Ok(Ok(editor));
        }
        Some(TerminalOwner::Other(other)) => {
            return Err(failure(
                format!("this is a terminal of {}, for which there is nothing to install", other.name),
                format!("{}; or name another editor: `alongside install --list`", other.advice),
            ));
        }
        None => {}
    }
    let editors: Vec<_> = EDITORS.iter().filter(|editor| editor.has_program(user)).collect();
    match editors[..] {
        [editor] => return Ok(Ok(editor)),
        [] => {
            let hint =
                format!("`alongside install agent` sets up {}; {OTHER_EDITORS}", lists::agents_for_people());
            let names: Vec<_> = EDITORS.iter().map(|editor| editor.name).collect();
            return Err(failure(format!("none of these is on this machine: {}", names.join(", ")), hint));
        }
        _ => {}
    }
    let names: Vec<_> = editors.iter().map(|editor| editor.name).collect();
    let chosen = match must_not_ask {
        true => Err(NoConsent::NobodyToAsk),
        false => consent::choose("Install alongside into which editor?", &names, None).await,
    };
    match chosen.map(|index| editors.get(index).copied()) {
        Ok(Some(editor)) => Ok(Ok(editor)),
        Ok(None) => Ok(Err(NoConsent::Declined)),
        Err(NoConsent::NobodyToAsk) => {
            let commands: Vec<_> =
                editors.iter().map(|editor| format!("`alongside install {}`", editor.id)).collect();
            Err(failure(
                "several editors are on this machine",
                format!("name one: {}", commands.join(" or ")),
            ))
        }
        Err(no) => {
            note("nothing is changed");
            Ok(Err(no))
        }
    }
}
