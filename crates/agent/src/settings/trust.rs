//! Whether an agent trusts the directory it is started in. In one it does not trust, the project's own
//! settings do not count, and nothing is done without asking.

use std::path::{Path, PathBuf};

use alongside_contract::settings::SettingsFiles;
use alongside_platform::paths::real;
use serde_json::Value;

use super::json::Reader;
use super::value::{By, Said};
use super::{paths, read};
use crate::find::Surroundings;

/// Whether an agent trusts a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// It trusts it, or does not ask.
    Trusted,
    /// The person said not to.
    Untrusted,
    /// Nobody has said: the agent asks when it starts.
    Undecided,
}

/// Whether it trusts the current directory. Newer releases take the deepest rule that holds the directory,
/// which is what this does; older ones take any that trusts it.
pub(super) fn of(
    table: &SettingsFiles,
    paths: &paths::Paths,
    must_be_trusted: bool,
    json: Reader,
    here: &Surroundings,
) -> Said<Trust> {
    let variable = table.trust_variable.and_then(|name| Some((name, here.variables.get(name)?.as_str())));
    match variable {
        Some((name, "true")) => return Said { value: Trust::Trusted, by: Some(By::Variable(name)) },
        Some((name, "false")) => return Said { value: Trust::Untrusted, by: Some(By::Variable(name)) },
        _ => {}
    }
    if !must_be_trusted {
        return Said { value: Trust::Trusted, by: None };
    }
    let rules = read::text(&paths.trusted_folders).ok();
    let rules = rules.and_then(|text| json.object(&text).ok());
    let rules = rules.as_ref().and_then(Value::as_object).into_iter().flatten();
    let deepest = rules
        .filter_map(|(path, level)| rule(Path::new(path), level.as_str()?))
        .filter(|(path, _)| real(&here.cwd).starts_with(path))
        // Of two rules for one directory the stricter.
        .max_by_key(|(path, trust)| (path.components().count(), *trust == Trust::Untrusted));
    match deepest {
        Some((_, value)) => Said { value, by: Some(By::File(paths.trusted_folders.clone())) },
        None => Said { value: Trust::Undecided, by: None },
    }
}

/// The directory that an entry is about, and what it says.
fn rule(path: &Path, level: &str) -> Option<(PathBuf, Trust)> {
    match level {
        "TRUST_FOLDER" => Some((real(path), Trust::Trusted)),
        "TRUST_PARENT" => Some((real(path.parent().unwrap_or(path)), Trust::Trusted)),
        "DO_NOT_TRUST" => Some((real(path), Trust::Untrusted)),
        _ => None,
    }
}
