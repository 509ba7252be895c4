//! What `alongside install --list` shows.

use alongside_agent::find::Surroundings;
use alongside_desk::harmless;

use crate::adapters::agents;
use crate::adapters::ledger::Ledger;
use crate::adapters::machine::Machine;
use crate::adapters::{Editor, State};

/// The editors and agents of this machine.
pub(super) async fn text(machine: &Machine) -> anyhow::Result<String> {
    let ledger = Ledger::read(&machine.state)?;
    let mut rows = Vec::new();
    for editor in Editor::ALL {
        let found = editor.find(machine).await;
        let version = match &found {
            Some(found) => found.version.as_deref().map_or_else(|| "?".into(), harmless::name),
            None => "not here".into(),
        };
        let state = match editor.state(machine, &ledger) {
            Ok(State::NotInstalled) if found.is_none() => "-".into(),
            Ok(State::NotInstalled) => format!("not installed: alongside install {}", editor.id()),
            Ok(State::Current) => format!("installed ({})", env!("CARGO_PKG_VERSION")),
            Ok(State::Outdated { by }) if by == env!("CARGO_PKG_VERSION") => {
                format!("installed ({}), changed: alongside install {}", harmless::name(&by), editor.id())
            }
            Ok(State::Outdated { by }) => {
                format!("installed by {}: alongside install {}", harmless::name(&by), editor.id())
            }
            Ok(State::ByHand { at }) => format!("by hand: {}", machine.shown(&at)),
            Err(error) => format!("cannot be told: {}", harmless::name(&format!("{error:#}"))),
        };
        rows.push([editor.name().to_owned(), version.into_owned(), state]);
    }
    let here = Surroundings::of_this_process()?;
    for agent in agents::found(machine, &here).await {
        let version = agent.version.as_deref().map_or_else(|| "?".into(), harmless::name).into_owned();
        let state = match agent.settings(&here) {
            Some(settings) if !settings.broken.is_empty() => {
                let paths: Vec<_> = settings.broken.iter().map(|(path, _)| machine.shown(path)).collect();
                format!("cannot be told: {} cannot be read", paths.join(", "))
            }
            Some(settings) if settings.ide_enabled.value => "IDE mode on".into(),
            _ => format!("IDE mode off: alongside install {}", agent.family.id),
        };
        rows.push([agent.family.display_name.to_owned(), version, state]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (names, versions) = (width(0), width(1));
    Ok(rows
        .iter()
        .map(|[name, version, state]| format!("{name:names$}  {version:versions$}  {state}\n"))
        .collect())
}
