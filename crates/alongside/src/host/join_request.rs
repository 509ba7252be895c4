//! Which host somebody wants to join, and as what.

use std::path::PathBuf;

use alongside_desk::socket::{ClientInfo, Hello, Options, Owner, PROTOCOL, Role, Terms};

use super::entry::{Entry, VERSION};
use crate::failure::failure;
use crate::globals::Globals;

/// A wish to join the host of a project.
#[derive(Debug, Clone)]
pub(crate) struct JoinRequest {
    /// The projects; absolute.
    pub(crate) dirs: Vec<PathBuf>,
    pub(crate) role: Role,
    /// Its name for people at other desks.
    pub(crate) name: String,
    /// The editor that the desk speaks for.
    pub(crate) owner: Option<Owner>,
    /// The beginning of the host's name, or its process, if the person chose one.
    pub(crate) host: Option<String>,
    /// The settings and the log for a host that has to be started.
    pub(crate) globals: Globals,
}

impl JoinRequest {
    /// A person's desk for these projects.
    pub(crate) fn desk(name: &str, dirs: Vec<PathBuf>, host: Option<String>, globals: Globals) -> Self {
        Self { dirs, role: Role::Desk, name: name.to_owned(), owner: None, host, globals }
    }

    /// A keeper, which shows no reviews and keeps the host of these projects alive.
    pub(crate) fn keeper(name: &str, dirs: Vec<PathBuf>, globals: Globals) -> Self {
        Self { role: Role::Keeper, ..Self::desk(name, dirs, None, globals) }
    }

    /// The desk of an editor, which owns the host.
    pub(crate) fn editor(owner: Owner, dirs: Vec<PathBuf>, globals: Globals) -> Self {
        let name = owner.display_name.clone();
        Self { owner: Some(owner), ..Self::desk(&name, dirs, None, globals) }
    }

    pub(super) fn hello(&self) -> Hello {
        let pid = self.owner.as_ref().map_or_else(std::process::id, |owner| owner.pid);
        let terms = Terms { protocol: PROTOCOL, role: self.role, owner: self.owner.clone() };
        Hello {
            process_id: Some(pid),
            client_info: ClientInfo { name: self.name.clone(), version: VERSION.into() },
            initialization_options: Options { alongside: terms },
        }
    }

    /// The hosts that fit, in the order given.
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
        let fits = |entry: &Entry| match &self.owner {
            None => entry.serves(&self.dirs),
            Some(owner) => {
                let is_same = |its: &Owner| its.pid == owner.pid && its.window == owner.window;
                // The editor's own host may have come to serve more projects.
                (entry.is_free() && entry.roots == self.dirs)
                    || (entry.owner.as_ref().is_some_and(is_same) && entry.serves(&self.dirs))
            }
        };
        Ok(entries.into_iter().filter(fits).collect())
    }

    /// The entry of a host that has crashed, as this request starts it again.
    pub(super) fn restart(&self, crashed: &Entry) -> Entry {
        let owner = self.owner.clone().or_else(|| crashed.owner.clone().filter(|_| !crashed.is_free()));
        Entry { owner, hidden: false, ..crashed.clone() }
    }
}
