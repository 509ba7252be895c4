//! The sentences about changes that are accepted without a decision, by rules and by grants.

use std::path::{Path, PathBuf};

use super::names::{agent_name, file_name};
use crate::harmless;
use crate::review::Review;
use crate::rule_acceptance::{Grant, RuleAcceptance, Scope};

/// Returns the message that the person accepts ahead what an agent still proposes for some files.
pub fn granted(grant: &Grant, roots: &[PathBuf]) -> String {
    let agent = harmless::name(&grant.agent);
    let place = granted_place(grant, roots);
    format!("{place}: what {agent} still proposes is accepted, until it ends.")
}

/// Returns the question whether to accept ahead what the agent of a review still proposes.
pub fn accept_ahead(review: &Review, roots: &[PathBuf]) -> String {
    let agent = agent_name(&review.agent);
    let file = review.leads_to.as_deref().unwrap_or(&review.file);
    let name = file_name(file, roots);
    // In the name, a backslash is a separator of Windows, or begins an escape.
    let last = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
    let folder = match name.strip_suffix(&*harmless::name(&last)) {
        Some("") => "the whole project",
        Some(folder) => folder,
        None => "its folder",
    };
    format!(
        "Accept all that {agent} still proposes until it ends: for {name}, or for {folder} with all folders \
         below?"
    )
}

/// Returns the files of a grant.
pub fn granted_place(grant: &Grant, roots: &[PathBuf]) -> String {
    let name = file_name(&grant.path, roots);
    match grant.scope {
        Scope::Folder if matches!(roots, [root] if *root == grant.path) => "the whole project".into(),
        Scope::File => name,
        Scope::Folder => format!("{}/", name.trim_end_matches('/')),
    }
}

/// The person has withdrawn all grants.
pub const GRANTS_WITHDRAWN: &str = "Nothing is accepted ahead any more.";

/// No rule and no grant has accepted a change.
pub const NOTHING_ACCEPTED: &str = "Nothing was accepted without you since the companion started. The log \
                                    has earlier changes: alongside log";

/// Returns the message that a rule or a grant has accepted a change.
pub fn accepted_by_rule(accepted: &RuleAcceptance, roots: &[PathBuf]) -> String {
    format!("Accepted without you: {}. L lists it.", acceptance(accepted, roots))
}

/// The reason why an accepted file of a patch is not written.
const NOT_WRITTEN: &str = "not written, because its patch was broken off";

/// Returns the message that the patch of a change that a rule or a grant has accepted was broken off.
pub fn broken_off(accepted: &RuleAcceptance, roots: &[PathBuf]) -> String {
    format!("{}: {NOT_WRITTEN}.", file_name(&accepted.file, roots))
}

/// Returns a change that a rule or a grant has accepted, in one line.
pub fn acceptance(accepted: &RuleAcceptance, roots: &[PathBuf]) -> String {
    let RuleAcceptance { agent, file, from, by, added, removed, kind, parts, is_broken_off, .. } = accepted;
    let (name, agent, by) = (file_name(file, roots), harmless::name(agent), harmless::name(by));
    let (kind, from) = (kind.word(), from.as_ref().map(|from| format!(" from {}", file_name(from, roots))));
    let from = from.unwrap_or_default();
    let parts = match parts {
        _ if *is_broken_off => format!("; {NOT_WRITTEN}"),
        0 | 1 => String::new(),
        parts => {
            format!("; one of {parts} files of a patch, of which none is written before all are decided")
        }
    };
    format!("{name} ({kind}{from}, +{added} -{removed}) by {agent}, {by}{parts}")
}
