//! `alongside doctor`: the tests create each cause on a real machine, and the doctor must report it first,
//! with a fix.

mod agents;
mod companion_causes;
mod connection_causes;
mod files;
mod healthy;
mod hooks;
mod support;
mod variables;

use std::path::Path;

use regex::Regex;

use crate::support::files_below;

#[test]
fn every_cause_is_in_a_snapshot() {
    let text_of = |folder: &str| -> String {
        let files = files_below(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).into_iter();
        // No test creates the causes that `lock.rs` finds.
        let files = files.filter(|file| !file.ends_with("causes/lock.rs"));
        files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
    };
    let (texts, causes) = (text_of("tests/it/doctor"), text_of("src/commands/doctor"));
    let listed_pattern = Regex::new(r"(?m)^ +(fails|hinders|note) ([a-z-]+):").unwrap();
    let listed: Vec<&str> =
        listed_pattern.captures_iter(&texts).map(|cause| cause.extract::<2>().1[1]).collect();
    // The id is the first argument of each diagnosis. A few diagnoses serve both kinds of hooks, with one id
    // for each kind.
    let id = r#"Diagnosis::(?:fails|hinders|note|new)\(\s*(?:either\()?"([a-z-]+)"(?:, "([a-z-]+)"\))?"#;
    let id = Regex::new(id).unwrap();
    let diagnoses = id.captures_iter(&causes);
    let ids: Vec<&str> =
        diagnoses.flat_map(|ids| [ids.get(1), ids.get(2)]).flatten().map(|id| id.as_str()).collect();
    assert!(ids.len() > 50, "{ids:?}");
    // `old-host` needs another program as the host, and has a unit test instead. `turn-hook-no-git` needs a
    // machine without git.
    for id in ids.into_iter().filter(|id| !["old-host", "turn-hook-no-git"].contains(id)) {
        assert!(listed.contains(&id), "no test of {id}");
    }
}
