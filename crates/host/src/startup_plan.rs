//! The plan of a host that starts: its name, projects and editor, and the companion made from them.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_common::failure::Hint;
use alongside_common::globals::Globals;
use alongside_common::own_program::own_program;
use alongside_common::settings::Settings;
use alongside_companion::{AppDirs, Builder, Companion, PortHold, StartError};
use alongside_contract::discovery::AGENT;
use alongside_desk::Problem;
use alongside_desk::socket::{EditorProcess, Role};
use alongside_turns::{TurnDirs, TurnStore};
use anyhow::Context;

use super::lifecycle::Party;
use super::projects::Projects;
use super::registry_entry::PartyRecord;
use super::start_lock::StartLock;

/// The demands of whoever starts a host.
#[derive(Debug)]
pub struct Plan {
    /// The host's name: that of its socket.
    pub name: String,
    /// The projects that it serves from the start.
    pub roots: Vec<PathBuf>,
    /// The editors that the host before had, and that of the starter.
    pub editors: Vec<EditorProcess>,
    /// Likewise everybody without an editor.
    pub parties: Vec<PartyRecord>,
    /// The process of whoever starts the host.
    pub starter: u32,
    /// The port of the host before, which the starter has held.
    pub port_hold: Option<PortHold>,
    /// The lock of the starter, until the host can be found.
    pub start_lock: Option<StartLock>,
    /// The settings file and the log.
    pub globals: Globals,
}

impl Plan {
    /// Everybody whom the host waits for: editors, the others, or else only its starter. Any of them may have
    /// any of these projects, so all of these are served until all of them have come.
    pub(super) fn expected(&self, roots: &[PathBuf]) -> Vec<Party> {
        let party = |pid, role, name: &str, editor| {
            let (name, roots) = (name.to_owned(), roots.to_vec());
            Party { pid: Some(pid), role, name, editor, roots }
        };
        let editor = |editor: &EditorProcess| {
            party(editor.pid, Role::Desk, &editor.display_name, Some(editor.clone()))
        };
        let other = |other: &PartyRecord| party(other.pid, other.role, &other.name, None);
        let mut expected: Vec<_> =
            self.editors.iter().map(editor).chain(self.parties.iter().map(other)).collect();
        if expected.is_empty() {
            // A starter of an older release says nothing else of itself.
            expected.push(party(self.starter, Role::Keeper, "", None));
        }
        expected
    }
}

/// A companion that runs, and the projects that it could take.
pub(super) struct Started {
    pub(super) companion: Companion,
    pub(super) projects: Projects,
}

/// Starts a companion for these roots as the plan and the settings say. `unread`: the roots whose own
/// settings cannot be read, and why.
///
/// # Errors
/// When it cannot start.
pub(super) async fn start_companion(
    settings: &Settings,
    plan: &Plan,
    (roots, unread): (&[PathBuf], &[(PathBuf, Problem)]),
) -> anyhow::Result<Companion> {
    let mut builder = settings
        .companion(AppDirs::of_this_process())
        .journal_as(&plan.name)
        .stdio(own_program(), ["stdio", "--agent", AGENT]);
    builder = builder.turns(Arc::new(TurnStore::new(TurnDirs::of_this_process())));
    builder = builder.untold(unread.iter().map(|(root, _)| root.clone()));
    builder = match plan.editors.first() {
        Some(editor) => builder.editor(&editor.name, &editor.display_name).pid(editor.pid),
        None => builder.pid(plan.parties.first().map_or(plan.starter, |party| party.pid)),
    };
    if let Some(hold) = &plan.port_hold {
        builder = builder.port_hold(hold.clone());
    }
    let started = roots.iter().fold(builder, Builder::root).start().await;
    let is_listen_setting = match &started {
        Err(StartError::Listen { address, .. }) => {
            settings.listen.is_some_and(|listen| listen.ip() == address.ip())
        }
        _ => false,
    };
    let started = started.context("cannot start the companion");
    if is_listen_setting {
        return started.hint(
            "[server] listen in the settings names this address; it must be one of this machine, with a port \
             that is free",
        );
    }
    started
}
