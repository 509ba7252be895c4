//! Searches without a trace: the companions that an agent would try, and every record that exists.

use std::path::PathBuf;

use alongside_contract::agent::FamilyAgent;
use alongside_contract::agents::discovery_files;
use alongside_contract::behaviour::NEWEST;
use alongside_contract::discovery::Record;
use alongside_contract::family::Family;

use super::agent_environment::Surroundings;
use super::record_files;
use super::record_search::FileSearch;
use super::search_result::{Found, Search, SkipReason, Skipped, Why};
use super::trace::ExaminedFile;
use super::workspace::holds;

/// Returns the companions that the newest release of an agent would try from here, in its order, as
/// [`replay`](super::replay()) does with a trace. Files of other users are left out, though some agents
/// accept them.
pub fn candidates(agent: FamilyAgent, here: &Surroundings) -> Search {
    let family = agent.family;
    let mut search = Search::default();
    let port = here.port(family);
    let file_search = FileSearch { family, release: NEWEST, here, port, pid: here.target_pid(family) };
    for ExaminedFile { path, why, record, is_ours, passed_over } in file_search.run().files {
        match (record, passed_over) {
            (_, Some(reason)) => search.skipped.push(Skipped { path, reason }),
            (Some(_), None) if !is_ours => search.skipped.push(Skipped { path, reason: SkipReason::NotOurs }),
            (Some(record), None) => search.found.push(Found { record, path: Some(path), why }),
            (None, None) => {}
        }
    }
    search.found.extend(by_variables(family, here));
    search
}

fn by_variables(family: &Family, here: &Surroundings) -> Option<Found> {
    let variable = |name: Option<&str>| name.and_then(|name| here.variables.get(name)).cloned();
    let record = Record {
        port: here.port(family)?,
        workspace_path: variable(family.env.workspace_path)?,
        auth_token: variable(family.env.auth_token),
        ide_info: None,
        ppid: None,
        ide_name: None,
        stdio: None,
        writer: None,
    };
    let fits = holds(&record.workspace_path, &here.cwd);
    fits.then_some(Found { record, path: None, why: Why::Variables })
}

/// Returns the discovery records of every agent in all places, whatever their workspaces: one record for each
/// companion, in the order of the table. Files of other users and files without a record are left out.
pub fn all_records(here: &Surroundings) -> Vec<(PathBuf, Record)> {
    let mut records: Vec<(PathBuf, Record)> = Vec::new();
    for (path, record) in all_files(here) {
        if !records.iter().any(|(_, known)| known.is_same_companion(&record)) {
            records.push((path, record));
        }
    }
    records
}

/// Returns the same records with every file of each companion.
pub fn all_files(here: &Surroundings) -> Vec<(PathBuf, Record)> {
    let mut files: Vec<(PathBuf, Record)> = Vec::new();
    for row in discovery_files() {
        for path in record_files::names(row, here).unwrap_or_default() {
            let known = files.iter().any(|(known, _)| *known == path);
            if let Ok(record) = record_files::read(&path, record_files::Owners::OnlyUs)
                && !known
            {
                files.push((path, record));
            }
        }
    }
    files
}
