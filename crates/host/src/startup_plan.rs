//! The plan of a host that starts: its name, projects and editors, and the companion that is built from it.

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

/// The parameters with which a host is started.
#[derive(Debug)]
pub struct Plan {
    /// The name of the host and of its socket.
    pub name: String,
    /// The projects that it serves from the start.
    pub roots: Vec<PathBuf>,
    /// The editors of the previous host, and the starter's editor.
    pub editors: Vec<EditorProcess>,
    /// The parties without an editor, likewise.
    pub parties: Vec<PartyRecord>,
    /// The process id of the starter.
    pub starter: u32,
    /// The hold of the starter on the port of the previous host.
    pub port_hold: Option<PortHold>,
    /// The lock of the starter, which is held until the host can be found.
    pub start_lock: Option<StartLock>,
    /// The settings file and the log.
    pub globals: Globals,
}

impl Plan {
    /// Returns the parties for which the host waits: editors and other parties, or otherwise only its
    /// starter. Each of them may have any of these projects, so all projects are served until all parties
    /// have joined.
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
            // A starter of an older release passes no other parameter of itself.
            expected.push(party(self.starter, Role::Keeper, "", None));
        }
        expected
    }
}

/// A running companion, and the projects that it serves.
pub(super) struct Started {
    pub(super) companion: Companion,
    pub(super) projects: Projects,
}

/// Starts a companion for these roots according to the plan and the settings. `unread`: the roots whose own
/// settings cannot be read, and the reason.
///
/// # Errors
/// When the companion cannot start.
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
