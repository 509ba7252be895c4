//! The discovery files of the companion that is checked, read without validation: a fault in a file must not
//! hide the file.

use std::path::{Path, PathBuf};

use alongside_contract::agent::FamilyAgent;
use alongside_contract::agents::with_family;
use alongside_contract::discovery::Record;
use alongside_contract::family::DiscoveryFile;
use alongside_platform::paths::Canonical as _;
use serde_json::Value;

use crate::check_ending::{Checked, NotPassed, fail, skip, unseen};
use crate::discovery::record_file::{list, record};
use crate::discovery::target::Target;
use crate::harness::case::Case;

/// A discovery file of the companion.
#[derive(Debug, Clone)]
pub(crate) struct Published {
    /// The agent that reads such files, and the entry of its row; `None` for a file whose name no row has.
    pub(crate) row: Option<(FamilyAgent, &'static DiscoveryFile)>,
    pub(crate) path: PathBuf,
    /// The content of the file, or the reason why it is not JSON.
    pub(crate) json: Result<Value, String>,
}

impl Published {
    /// Returns a field; null if it is missing.
    pub(crate) fn field(&self, name: &str) -> &Value {
        self.json.as_ref().map_or(&Value::Null, |json| &json[name])
    }

    /// Returns the process ID in the name of the file.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.row?.1.pid_in(self.path.file_name()?.to_str()?)
    }

    fn read(row: Option<(FamilyAgent, &'static DiscoveryFile)>, path: PathBuf) -> Option<Self> {
        let json = record(&path).ok()?;
        let json = serde_json::from_slice(&json).map_err(|error| error.to_string());
        Some(Self { row, path, json })
    }

    /// Whether the file leads to this companion.
    fn leads_to(&self, target: &Target) -> bool {
        let port = target.record.port;
        match &self.json {
            Ok(json) => match serde_json::from_value::<Record>(json.clone()) {
                Ok(record) if target.record.auth_token.is_some() && record.auth_token.is_some() => {
                    record.is_same_companion(&target.record)
                }
                Ok(record) => record.port == port,
                Err(_) => json["port"] == port || json["port"] == port.to_string().as_str(),
            },
            Err(_) => {
                let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
                name.is_some_and(|name| name.contains(&port.to_string()))
            }
        }
    }
}

/// Returns every file that leads to a companion, in the order of the table of agents.
pub(crate) fn of(target: &Target) -> Vec<Published> {
    let mut files: Vec<Published> = Vec::new();
    for agent in with_family() {
        for row in agent.family.discovery_files() {
            for path in list(&target.here.resolve(row.directory)) {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                if !row.matches(name) {
                    continue;
                }
                // A name with one number may fit two rows: the number is the port, or otherwise the process
                // ID.
                let by_port = !row.names_pid() && name == row.file_name(0, target.record.port);
                match files.iter_mut().find(|file| file.path == path) {
                    Some(known) if by_port => known.row = Some((agent, row)),
                    Some(_) => {}
                    None => files.extend(Published::read(Some((agent, row)), path)),
                }
            }
        }
    }
    files.retain(|file| file.leads_to(target));
    if let Some(path) = &target.file
        && !files.iter().any(|file| same_file(&file.path, path))
    {
        files.extend(Published::read(None, path.clone()));
    }
    files
}

fn same_file(one: &Path, other: &Path) -> bool {
    one == other || one.canonical().ok().is_some_and(|real| Some(real) == other.canonical().ok())
}

/// Returns the files of the companion, and adds them to the evidence.
///
/// # Errors
/// [`NotPassed::Unseen`] if no file leads to the companion.
pub(crate) fn files(case: &Case<'_>) -> Checked<Vec<Published>> {
    let files = of(case.fixture.target);
    if files.is_empty() {
        return unseen("no discovery file leads to it: it was named by its port");
    }
    Ok(files)
}

/// Returns the files for one agent; fails unless one is where this entry says.
pub(crate) fn files_of(case: &Case<'_>, id: &str, name: &str) -> Checked<Vec<Published>> {
    let files = files(case)?;
    let of_agent = |file: &Published| file.row.is_some_and(|(agent, _)| agent.id == id);
    let in_row = |file: &Published| file.row.is_some_and(|(_, row)| row.name == name);
    let files: Vec<Published> = files.into_iter().filter(of_agent).collect();
    if files.is_empty() {
        let name = FamilyAgent::named(id).map_or(id, |agent| agent.display_name);
        return skip(format!("the companion publishes nothing for {name}"));
    }
    for file in &files {
        case.evidence.note(format!("← there is {}", file.path.display()));
    }
    Ok(files.into_iter().filter(in_row).collect())
}

/// Judges every file that is a record; other checks judge files that are none.
pub(crate) fn each_record(case: &Case<'_>, judge: impl Fn(&Published) -> Checked) -> Checked {
    each_file(case, |file| match &file.json {
        Ok(Value::Object(_)) => judge(file),
        _ => unseen("it is not a record"),
    })
}

/// Judges every file, and names the first one that breaks the rule.
pub(crate) fn each_file(case: &Case<'_>, judge: impl Fn(&Published) -> Checked) -> Checked {
    let mut seen = false;
    for file in files(case)? {
        match judge(&file) {
            Ok(()) => {
                case.evidence.note(format!("← {} is as it has to be", file.path.display()));
                seen = true;
            }
            Err(NotPassed::Unseen(_)) => {}
            Err(NotPassed::Fail(why)) => {
                return fail(format!("{}: {why}", file.path.display()));
            }
            Err(other) => return Err(other),
        }
    }
    if seen { Ok(()) } else { unseen("none of its files shows it") }
}
