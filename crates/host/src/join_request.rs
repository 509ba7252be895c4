//! Which host somebody wants to join, and as what.

use std::path::{Path, PathBuf};

use alongside_common::failure::failure;
use alongside_common::globals::Globals;
use alongside_desk::socket::{ClientInfo, EditorProcess, Hello, Options, Role, Terms};
use alongside_platform::{directories, process};

use super::project_paths::share_a_host;
use super::registry_entry::{Entry, PartyRecord, VERSION};

/// A wish to join the host of a project.
#[derive(Debug, Clone)]
pub struct JoinRequest {
    /// The projects; absolute.
    pub dirs: Vec<PathBuf>,
    /// Whether it shows reviews, or only keeps the host alive.
    pub role: Role,
    /// Its name for people at other desks.
    pub name: String,
    /// The editor that the desk speaks for.
    pub editor: Option<EditorProcess>,
    /// Whether it knows problems in files.
    pub diagnostics: bool,
    /// Whether it shows turns.
    pub turns: bool,
    /// The beginning of the host's name, or its process, if the person chose one.
    pub host: Option<String>,
    /// The settings and the log for a host that has to be started.
    pub globals: Globals,
}

impl JoinRequest {
    /// A person's desk for these projects.
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

    /// A keeper, which shows no reviews and keeps the host of these projects alive.
    pub fn keeper(name: &str, dirs: Vec<PathBuf>, globals: Globals) -> Self {
        Self { role: Role::Keeper, turns: false, ..Self::desk(name, dirs, None, globals) }
    }

    /// The desk of an editor.
    pub fn editor(editor: EditorProcess, dirs: Vec<PathBuf>, globals: Globals) -> Self {
        let name = editor.display_name.clone();
        Self { editor: Some(editor), turns: false, ..Self::desk(&name, dirs, None, globals) }
    }

    /// The first message to a host, in this version of the protocol.
    pub(super) fn hello(&self, protocol: u32) -> Hello {
        let pid = self.editor.as_ref().map_or_else(std::process::id, |editor| editor.pid);
        // A person who chooses a host sees its projects, and adds none.
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

    /// The hosts that fit: those of the project's own repository first, then those around it, then those
    /// inside it, each in the order given.
    ///
    /// # Errors
    /// When the person chose a host and not exactly one fits.
    pub(super) fn choose(&self, entries: Vec<Entry>) -> anyhow::Result<Vec<Entry>> {
        if let Some(chosen) = &self.host {
            let is_it =
                |entry: &Entry| entry.pid.to_string() == *chosen || entry.name.starts_with(chosen.as_str());
            let found: Vec<_> = entries.into_iter().filter(is_it).collect();
            return match found.len() {
                1 => Ok(found),
                0 => Err(failure(
                    format!("there is no host {chosen:?}"),
                    "`alongside status` lists the hosts and their processes",
                )),
                _ => Err(failure(
                    format!("the names of several hosts begin with {chosen:?}"),
                    "give more of the name",
                )),
            };
        }
        // The host adds the other projects.
        let Some(project) = self.dirs.first() else { return Ok(Vec::new()) };
        let home = directories::home();
        let fits = |entry: &Entry| self.fits(project, entry, home.as_deref());
        let rank = |entry: &Entry| (!entry.serves_in_project(project), !entry.serves(project));
        let mut fitting: Vec<_> = entries.into_iter().filter(fits).collect();
        fitting.sort_by_key(rank);
        Ok(fitting)
    }

    /// Whether the project may join a host. A desk in a terminal also joins the host of the home directory,
    /// if agents in its own directory find that one.
    fn fits(&self, project: &Path, entry: &Entry, home: Option<&Path>) -> bool {
        let is_terminal = self.editor.is_none();
        share_a_host(&entry.roots, project, home) || (is_terminal && entry.serves(project))
    }

    /// This party as an entry records it, if it has no editor.
    pub(super) fn without_editor(&self) -> Option<PartyRecord> {
        let record = PartyRecord { pid: std::process::id(), role: self.role, name: self.name.clone() };
        self.editor.is_none().then_some(record)
    }

    /// The entry of a host that has crashed, as this request starts it again: with this party first, and
    /// everybody who was there and still runs.
    pub(super) fn restart(&self, crashed: &Entry) -> Entry {
        let mut editors: Vec<EditorProcess> = self.editor.iter().cloned().collect();
        let living = crashed.editors.iter().filter(|editor| process::is_alive(editor.pid));
        editors.extend(living.filter(|editor| !self.editor.iter().any(|own| own.pid == editor.pid)).cloned());
        let mut parties: Vec<PartyRecord> = self.without_editor().into_iter().collect();
        let living = crashed.living_parties().into_iter();
        parties.extend(living.filter(|party| party.pid != std::process::id()));
        Entry { editors, parties, ..crashed.clone() }
    }
}
