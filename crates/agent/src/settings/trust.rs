//! Whether an agent trusts the directory it is started in. In an untrusted directory, the project's own
//! settings do not apply, and the agent does nothing without asking.

use std::path::{Path, PathBuf};

use alongside_contract::settings::SettingsFiles;
use alongside_platform::paths::real;
use serde_json::Value;

use super::json::Reader;
use super::value::{Effective, Source};
use super::{paths, read};
use crate::find::Surroundings;

/// Whether an agent trusts a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The agent trusts it, or does not ask.
    Trusted,
    /// The person refused to trust it.
    Untrusted,
    /// The person has not decided: the agent asks when it starts.
    Undecided,
}

/// Determines whether the agent trusts the current directory, by the deepest rule that holds the directory,
/// as newer releases do. Older releases trust it if any rule does.
pub(super) fn of(
    table: &SettingsFiles,
    paths: &paths::Paths,
    must_be_trusted: bool,
    json: Reader,
    here: &Surroundings,
) -> Effective<Trust> {
    let variable = table.trust_variable.and_then(|name| Some((name, here.variables.get(name)?.as_str())));
    match variable {
        Some((name, "true")) => {
            return Effective { value: Trust::Trusted, source: Some(Source::Variable(name)) };
        }
        Some((name, "false")) => {
            return Effective { value: Trust::Untrusted, source: Some(Source::Variable(name)) };
        }
        _ => {}
    }
    if !must_be_trusted {
        return Effective { value: Trust::Trusted, source: None };
    }
    let rules = read::read_text(&paths.trusted_folders).ok();
    let rules = rules.and_then(|text| json.object(&text).ok());
    let rules = rules.as_ref().and_then(Value::as_object).into_iter().flatten();
    let deepest = rules
        .filter_map(|(path, level)| rule(Path::new(path), level.as_str()?))
        .filter(|(path, _)| real(&here.cwd).starts_with(path))
        // Of two rules for one directory, the stricter applies.
        .max_by_key(|(path, trust)| (path.components().count(), *trust == Trust::Untrusted));
    match deepest {
        Some((_, value)) => Effective { value, source: Some(Source::File(paths.trusted_folders.clone())) },
        None => Effective { value: Trust::Undecided, source: None },
    }
}

/// Parses an entry into its directory and the trust that it gives.
fn rule(path: &Path, level: &str) -> Option<(PathBuf, Trust)> {
    match level {
        "TRUST_FOLDER" => Some((real(path), Trust::Trusted)),
        "TRUST_PARENT" => Some((real(path.parent().unwrap_or(path)), Trust::Trusted)),
        "DO_NOT_TRUST" => Some((real(path), Trust::Untrusted)),
        _ => None,
    }
}
