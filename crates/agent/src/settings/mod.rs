//! The agents' own settings, as far as they decide whether an agent works with a companion: IDE mode, how
//! much it does without asking, and whether it trusts the folder. Read as the agent reads them, with the file
//! that has the last word; and edited so that nothing else in a person's file changes.
//!
//! ```no_run
//! use alongside_agent::{find::Surroundings, settings::Settings};
//! use alongside_contract::agent::Agent;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let here = Surroundings::of_this_process()?;
//! let gemini = Agent::named("gemini").ok_or("the table knows gemini")?;
//! if let Some(settings) = Settings::of(gemini, None, &here) {
//!     println!("IDE mode is on: {}, says {:?}", settings.ide_enabled.value, settings.ide_enabled.by);
//! }
//! # Ok(()) }
//! ```
//!
//! Arguments such as `--approval-mode` outrank every file; they are not looked at.
//!
//! [`hooks`] has the same for the hook of alongside: its entry is found, added and removed.

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
use read::File;

pub use edit::{Edit, Error, Setting, let_review_after, take_back};
pub use trust::Trust;
pub use value::{ApprovalMode, By, Said};

/// The effective settings of an agent here.
#[derive(Debug)]
pub struct Settings {
    /// Whether it connects to a companion when it starts.
    pub ide_enabled: Said<bool>,
    /// How much it does without asking.
    pub approval_mode: Said<ApprovalMode>,
    /// Whether folders must be trusted.
    pub folder_trust: Said<bool>,
    /// Whether the current directory is trusted. In one that is not, the project's settings do not count, and
    /// the mode is `default`.
    pub trust: Said<Trust>,
    /// The person's file, whether it is there or not.
    pub user_file: PathBuf,
    /// Files that the agent cannot read, and why. Newer releases do not start with one.
    pub broken: Vec<(PathBuf, String)>,
}

impl Settings {
    /// The effective settings of that release of the agent, or of the newest; `None` if its files are not
    /// known.
    pub fn of(agent: &Agent, release: Option<Release>, here: &Surroundings) -> Option<Self> {
        let table = agent.settings?;
        let paths = paths::of(table, release, here);
        let json = json::Reader::of(table, release);
        let [system, user, defaults] =
            [&paths.system, &paths.user, &paths.system_defaults].map(|path| File::read(path, json, here));
        let [project, local, ide] = [&paths.project, &paths.local, &paths.ide]
            .map(|path| path.as_deref().map(|path| File::read(path, json, here)));
        let reader = Reader { table, release };

        // Whether a folder is trusted is asked before its own settings count.
        let folder_trust = reader.folder_trust(&[&system, &user, &defaults]);
        let trust = trust::of(table, &paths, folder_trust.value, json, here);
        let is_trusted = trust.value == Trust::Trusted;
        let [project, local] = [project, local].map(|file| file.filter(|_| is_trusted));
        let by_rank = [Some(&system), local.as_ref(), project.as_ref(), Some(&user), Some(&defaults)];
        let files: Vec<&File> = by_rank.into_iter().flatten().collect();
        let all = files.iter().copied().chain(&ide);
        let broken = all.filter_map(|file| Some((file.path.clone(), file.broken.clone()?))).collect();
        let of_ide = ide.as_ref().map_or(files.clone(), |ide| vec![ide]);
        Some(Self {
            ide_enabled: reader.flag(table.ide_enabled, &of_ide, false),
            approval_mode: match trust.value {
                Trust::Trusted => reader.approval_mode(&files),
                Trust::Untrusted | Trust::Undecided => {
                    Said { value: ApprovalMode::Default, by: trust.by.clone() }
                }
            },
            folder_trust,
            trust,
            user_file: paths.user,
            broken,
        })
    }
}

/// Reads values as one release does.
struct Reader {
    table: &'static SettingsFiles,
    release: Option<Release>,
}

impl Reader {
    /// The first value in files that are sorted by rank.
    fn first<T>(
        &self,
        names: &[Name],
        files: &[&File],
        meaning: impl Fn(&serde_json::Value) -> Option<T>,
    ) -> Option<Said<T>> {
        files.iter().find_map(|file| {
            let mut values = names.iter().filter(|name| name.is_read_by(self.release));
            let value = values.find_map(|name| meaning(file.value(name)?))?;
            Some(Said { value, by: Some(By::File(file.path.clone())) })
        })
    }

    fn flag(&self, names: &[Name], files: &[&File], default: bool) -> Said<bool> {
        self.first(names, files, read::truth).unwrap_or(Said { value: default, by: None })
    }

    fn folder_trust(&self, files: &[&File]) -> Said<bool> {
        let default = self
            .table
            .folder_trust_by_default
            .is_some_and(|since| self.release.is_none_or(|release| release >= since));
        self.flag(self.table.folder_trust, files, default)
    }

    fn approval_mode(&self, files: &[&File]) -> Said<ApprovalMode> {
        let word =
            |value: &serde_json::Value| value.as_str().filter(|word| !word.is_empty()).map(str::to_owned);
        let said = self.first(self.table.approval_mode, files, word);
        let said = said.filter(|said| Some(said.value.as_str()) != self.table.never_from_files);
        said.map_or_else(
            || {
                let name = self.table.default_approval_mode(self.release);
                Said { value: ApprovalMode::named(name), by: None }
            },
            |said| Said { value: ApprovalMode::named(&said.value), by: said.by },
        )
    }
}

#[cfg(test)]
mod tests;
