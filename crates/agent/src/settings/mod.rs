//! The agents' own settings, as far as they decide whether an agent works with a companion: IDE mode, how
//! much the agent does without asking, and whether it trusts the folder. They are read as the agent reads
//! them, with the source that takes precedence, and edited so that the rest of a person's file stays as it
//! is.
//!
//! ```no_run
//! use alongside_agent::{find::Surroundings, settings::Settings};
//! use alongside_contract::agent::Agent;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let here = Surroundings::of_this_process()?;
//! let gemini = Agent::named("gemini").ok_or("the table knows gemini")?;
//! if let Some(settings) = Settings::of(gemini, None, &here) {
//!     println!("IDE mode is on: {}, says {:?}", settings.ide_enabled.value, settings.ide_enabled.source);
//! }
//! # Ok(()) }
//! ```
//!
//! Arguments such as `--approval-mode` override every file. They are not read here.
//!
//! [`hooks`] finds, adds and removes the entry of alongside's hook.

mod edit;
mod expand;
pub mod hooks;
mod json;
mod paths;
mod read;
mod trust;
mod value;

use std::path::PathBuf;

use alongside_contract::agent::Agent;
use alongside_contract::settings::{Name, Release, SettingsFiles};

use crate::find::Surroundings;
use read::LoadedFile;

pub use edit::{Edit, Error, Setting, let_review_after, take_back};
pub use trust::Trust;
pub use value::{ApprovalMode, Effective, Source};

/// The effective settings of an agent here.
#[derive(Debug)]
pub struct Settings {
    /// Whether the agent connects to a companion when it starts.
    pub ide_enabled: Effective<bool>,
    /// The approval mode, by which the agent does more or less without asking.
    pub approval_mode: Effective<ApprovalMode>,
    /// Whether folders must be trusted.
    pub folder_trust: Effective<bool>,
    /// Whether the current directory is trusted. In an untrusted directory, the project's settings do not
    /// apply and the approval mode is `default`.
    pub trust: Effective<Trust>,
    /// The person's file, whether it exists or not.
    pub user_file: PathBuf,
    /// The files that the agent cannot read, each with the reason. Newer releases refuse to start if there is
    /// one.
    pub broken: Vec<(PathBuf, String)>,
}

impl Settings {
    /// Reads the effective settings of a release of the agent, or of the newest. Returns `None` if the
    /// agent's files are not known.
    pub fn of(agent: &Agent, release: Option<Release>, here: &Surroundings) -> Option<Self> {
        let table = agent.settings?;
        let paths = paths::of(table, release, here);
        let json = json::Reader::of(table, release);
        let [system, user, defaults] = [&paths.system, &paths.user, &paths.system_defaults]
            .map(|path| LoadedFile::read(path, json, here));
        let [project, local, ide] = [&paths.project, &paths.local, &paths.ide]
            .map(|path| path.as_deref().map(|path| LoadedFile::read(path, json, here)));
        let reader = ValueReader { table, release };

        // Trust is decided first, because an untrusted folder's settings do not apply.
        let folder_trust = reader.folder_trust(&[&system, &user, &defaults]);
        let trust = trust::of(table, &paths, folder_trust.value, json, here);
        let is_trusted = trust.value == Trust::Trusted;
        let [project, local] = [project, local].map(|file| file.filter(|_| is_trusted));
        let by_rank = [Some(&system), local.as_ref(), project.as_ref(), Some(&user), Some(&defaults)];
        let files: Vec<&LoadedFile> = by_rank.into_iter().flatten().collect();
        let all = files.iter().copied().chain(&ide);
        let broken = all.filter_map(|file| Some((file.path.clone(), file.read_error.clone()?))).collect();
        let of_ide = ide.as_ref().map_or(files.clone(), |ide| vec![ide]);
        Some(Self {
            ide_enabled: reader.flag(table.ide_enabled, &of_ide, false),
            approval_mode: match trust.value {
                Trust::Trusted => reader.approval_mode(&files),
                Trust::Untrusted | Trust::Undecided => {
                    Effective { value: ApprovalMode::Default, source: trust.source.clone() }
                }
            },
            folder_trust,
            trust,
            user_file: paths.user,
            broken,
        })
    }
}

/// Reads values as a release does.
struct ValueReader {
    table: &'static SettingsFiles,
    release: Option<Release>,
}

impl ValueReader {
    /// Returns the value in the file of highest precedence. `files` begins with it.
    fn first<T>(
        &self,
        names: &[Name],
        files: &[&LoadedFile],
        meaning: impl Fn(&serde_json::Value) -> Option<T>,
    ) -> Option<Effective<T>> {
        files.iter().find_map(|file| {
            let mut values = names.iter().filter(|name| name.is_read_by(self.release));
            let value = values.find_map(|name| meaning(file.value(name)?))?;
            Some(Effective { value, source: Some(Source::File(file.path.clone())) })
        })
    }

    fn flag(&self, names: &[Name], files: &[&LoadedFile], default: bool) -> Effective<bool> {
        self.first(names, files, read::truthiness).unwrap_or(Effective { value: default, source: None })
    }

    fn folder_trust(&self, files: &[&LoadedFile]) -> Effective<bool> {
        let default = self
            .table
            .folder_trust_by_default
            .is_some_and(|since| self.release.is_none_or(|release| release >= since));
        self.flag(self.table.folder_trust, files, default)
    }

    fn approval_mode(&self, files: &[&LoadedFile]) -> Effective<ApprovalMode> {
        let word =
            |value: &serde_json::Value| value.as_str().filter(|word| !word.is_empty()).map(str::to_owned);
        let mode = self.first(self.table.approval_mode, files, word);
        let mode = mode.filter(|mode| Some(mode.value.as_str()) != self.table.never_from_files);
        mode.map_or_else(
            || {
                let name = self.table.default_approval_mode(self.release);
                Effective { value: ApprovalMode::named(name), source: None }
            },
            |found| Effective { value: ApprovalMode::named(&found.value), source: found.source },
        )
    }
}

#[cfg(test)]
mod tests;
