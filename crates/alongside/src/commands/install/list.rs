//! `alongside install --list`: the editors and agents of this machine, and what is installed in them.

use alongside_adapters::agents::{self, VersionedAgent};
use alongside_adapters::editor_terminal::OtherEditor;
use alongside_adapters::editors::EDITORS;
use alongside_adapters::ledger::Ledger;
use alongside_adapters::plan::AdapterState;
use alongside_adapters::user_environment::UserEnvironment;
use alongside_agent::find::Surroundings;
use alongside_agent::settings::hooks::{HookScope, OurHook};
use alongside_agent::version;
use alongside_common::failure::words;
use alongside_desk::harmless;

use crate::commands::agent_setup::has_hook;

/// Returns the list as a table of three columns.
pub(super) async fn text(user: &UserEnvironment) -> anyhow::Result<String> {
    let ledger = Ledger::read(&user.state)?;
    let mut rows = Vec::new();
    for editor in EDITORS {
        let program = editor.program(user).await;
        let version = match &program {
            Some(program) => program.version.as_deref().map_or_else(|| "?".into(), harmless::name),
            None => "not here".into(),
        };
        let state = match (editor.state)(editor, user, ledger.get(editor.id)) {
            Ok(AdapterState::NotInstalled) if program.is_none() => "-".into(),
            Ok(AdapterState::NotInstalled) => format!("not installed: alongside install {}", editor.id),
            Ok(AdapterState::Current) => format!("installed ({})", env!("CARGO_PKG_VERSION")),
            Ok(AdapterState::Outdated { by }) if by == env!("CARGO_PKG_VERSION") => {
                format!("installed ({}), changed: alongside install {}", harmless::name(&by), editor.id)
            }
            Ok(AdapterState::Outdated { by }) => {
                format!("installed by {}: alongside install {}", harmless::name(&by), editor.id)
            }
            Ok(AdapterState::ByHand { at }) => format!("by hand: {}", user.shown(&at)),
            Err(error) => format!("unknown: {}", harmless::name(&words(&error))),
        };
        rows.push([editor.name.to_owned(), version.into_owned(), state]);
    }
    for other in OtherEditor::on_this_machine(user) {
        rows.push([other.name.to_owned(), "here".to_owned(), format!("no adapter: {}", other.advice)]);
    }
    let here = Surroundings::of_this_process()?;
    for agent in agents::find_agents(user, &here).await {
        let program = || user.find(agent.row.commands);
        let version = match agent.row.settings.is_none().then(program).flatten() {
            Some(program) => version::reported_by(&program, &here).await,
            None => agent.version.clone(),
        };
        let version = version.as_deref().map_or_else(|| "?".into(), harmless::name).into_owned();
        rows.push([agent.row.display_name.to_owned(), version, state_of(&agent, user, &here)]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (names, versions) = (width(0), width(1));
    Ok(rows
        .iter()
        .map(|[name, version, state]| format!("{name:names$}  {version:versions$}  {state}\n"))
        .collect())
}

/// Describes whether IDE mode is on in an agent, and which hooks of ours the person's own settings have.
fn state_of(agent: &VersionedAgent, user: &UserEnvironment, here: &Surroundings) -> String {
    let hooks = OurHook::ALL.into_iter().filter(|hook| has_hook(agent, *hook, HookScope::User, here));
    let words = hooks.map(|hook| match hook {
        OurHook::Write => "hook installed",
        OurHook::Turn => "turns noted",
    });
    let installed = words.collect::<Vec<_>>().join("; ");
    let state = match agent.settings(here) {
        None if !installed.is_empty() => return installed,
        None => return format!("no hook: alongside install {}", agent.row.id),
        Some(settings) if !settings.broken.is_empty() => {
            let paths: Vec<_> = settings.broken.iter().map(|(path, _)| user.shown(path)).collect();
            format!("unknown: cannot read {}", paths.join(", "))
        }
        Some(settings) if settings.ide_enabled.value => format!("{} on", agent.ide_mode()),
        Some(_) => format!("{} off: alongside install {}", agent.ide_mode(), agent.row.id),
    };
    if installed.is_empty() { state } else { format!("{state}; {installed}") }
}
