//! A request to join the host of a project: which host, and in which role.

use std::path::{Path, PathBuf};

use alongside_common::globals::Globals;
use alongside_desk::socket::{ClientInfo, EditorProcess, Hello, Options, Role, Terms};
use alongside_platform::{directories, process};

use super::chosen_host::host_named;
use super::project_paths::belongs_to_host;
use super::registry_entry::{Entry, PartyRecord, VERSION};

/// A request to join the host of a project.
#[derive(Debug, Clone)]
pub struct JoinRequest {
    /// The absolute paths of the projects.
    pub dirs: Vec<PathBuf>,
    /// Whether the party shows reviews, or only keeps the host alive.
    pub role: Role,
    /// The name that people at other desks read.
    pub name: String,
    /// The editor for which the desk works.
    pub editor: Option<EditorProcess>,
    /// Whether the party provides diagnostics.
    pub diagnostics: bool,
    /// Whether the party shows turns.
    pub turns: bool,
    /// The process id or the beginning of the name of the host, if the person chose one.
    pub host: Option<String>,
    /// The settings and the log of a host that has to be started.
    pub globals: Globals,
}

impl JoinRequest {
    /// Creates the request of a person's desk for these projects.
    pub fn desk(name: &str, dirs: Vec<PathBuf>, host: Option<String>, globals: Globals) -> Self {
        Self {
            dirs,
            role: Role::Desk,
            name: name.to_owned(),
            editor: None,
            diagnostics: false,
            turns: true,
            host,
            globals,
        }
    }

    /// Creates the request of a keeper, which shows no reviews and keeps the host of these projects alive.
    pub fn keeper(name: &str, dirs: Vec<PathBuf>, globals: Globals) -> Self {
        Self { role: Role::Keeper, turns: false, ..Self::desk(name, dirs, None, globals) }
    }

    /// Creates the request of an editor's desk.
    pub fn editor(editor: EditorProcess, dirs: Vec<PathBuf>, globals: Globals) -> Self {
        let name = editor.display_name.clone();
        Self { editor: Some(editor), turns: false, ..Self::desk(&name, dirs, None, globals) }
    }

    /// Returns the first message to a host, in this version of the protocol.
    pub(super) fn hello(&self, protocol: u32) -> Hello {
        let pid = self.editor.as_ref().map_or_else(std::process::id, |editor| editor.pid);
        // A person who chooses a host sees its projects, and adds no project.
        let roots = if self.host.is_some() { Vec::new() } else { self.dirs.clone() };
        let terms = Terms {
            protocol,
            role: self.role,
            editor: self.editor.clone(),
            diagnostics: self.diagnostics,
            turns: self.turns,
            roots,
        };
        Hello {
            process_id: Some(pid),
            client_info: ClientInfo { name: self.name.clone(), version: VERSION.into() },
            initialization_options: Options { alongside: terms },
        }
    }

    /// Returns the hosts that the projects may join: the hosts of the project's own repository first, then
    /// hosts of directories around it, then hosts of directories inside it, each group in the order of
    /// `entries`.
    ///
    /// # Errors
    /// When the person chose a host, and not exactly one matches.
    pub(super) fn choose(&self, entries: Vec<Entry>) -> anyhow::Result<Vec<Entry>> {
        if let Some(chosen) = &self.host {
            return Ok(vec![host_named(chosen, entries)?]);
        }
        // After the desk has joined, the host adds the other projects.
        let Some(project) = self.dirs.first() else { return Ok(Vec::new()) };
        let home = directories::home();
        let may_join = |entry: &Entry| self.may_join(project, entry, home.as_deref());
        let rank = |entry: &Entry| (!entry.serves_in_project(project), !entry.serves(project));
        let mut fitting: Vec<_> = entries.into_iter().filter(may_join).collect();
        fitting.sort_by_key(rank);
        Ok(fitting)
    }

    /// Whether the project may join a host. A desk in a terminal also joins the host of the home directory,
    /// if agents in the desk's directory find that host.
    fn may_join(&self, project: &Path, entry: &Entry, home: Option<&Path>) -> bool {
        let is_terminal = self.editor.is_none();
        belongs_to_host(&entry.roots, project, home) || (is_terminal && entry.serves(project))
    }

    /// Returns this party as an entry records it, if it has no editor.
    pub(super) fn party_without_editor(&self) -> Option<PartyRecord> {
        let record = PartyRecord { pid: std::process::id(), role: self.role, name: self.name.clone() };
        self.editor.is_none().then_some(record)
    }

    /// Returns the entry with which this request starts a crashed host again: with this party first, and
    /// with all parties of the crashed host that still run.
    pub(super) fn restart(&self, crashed: &Entry) -> Entry {
        let mut editors: Vec<EditorProcess> = self.editor.iter().cloned().collect();
        let living = crashed.editors.iter().filter(|editor| process::is_alive(editor.pid));
        editors.extend(living.filter(|editor| !self.editor.iter().any(|own| own.pid == editor.pid)).cloned());
        let mut parties: Vec<PartyRecord> = self.party_without_editor().into_iter().collect();
        let living = crashed.living_parties().into_iter();
        parties.extend(living.filter(|party| party.pid != std::process::id()));
        Entry { editors, parties, ..crashed.clone() }
    }
}
