//! `alongside doctor`: each cause is staged for real, and the doctor must report it first, with a fix.

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

const CAUSES: [&str; 6] = [
    include_str!("../../../src/commands/doctor/causes/agent.rs"),
    include_str!("../../../src/commands/doctor/causes/companion.rs"),
    include_str!("../../../src/commands/doctor/causes/connection.rs"),
    include_str!("../../../src/commands/doctor/causes/discovery.rs"),
    include_str!("../../../src/commands/doctor/causes/hook.rs"),
    include_str!("../../../src/commands/doctor/causes/installation.rs"),
];

#[test]
fn every_cause_is_in_a_snapshot() {
    let files = files_below(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/doctor"));
    let texts: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let listed = Regex::new(r"(?m)^ +(fails|hinders|note) ([a-z-]+):").unwrap();
    let listed: Vec<&str> = listed.captures_iter(&texts).map(|cause| cause.extract::<2>().1[1]).collect();
    // The id is the first argument of each message; two hooks share some, each with an id of its own.
    let id = r#"Message::(?:fails|hinders|note|new)\(\s*(?:either\()?"([a-z-]+)"(?:, "([a-z-]+)"\))?"#;
    let id = Regex::new(id).unwrap();
    let messages = CAUSES.iter().flat_map(|file| id.captures_iter(file));
    let ids: Vec<&str> =
        messages.flat_map(|ids| [ids.get(1), ids.get(2)]).flatten().map(|id| id.as_str()).collect();
    assert!(ids.len() > 50, "{ids:?}");
    // Another program would have to be the host: that test is beside the code. No machine here lacks git.
    for id in ids.into_iter().filter(|id| !["old-host", "turn-hook-no-git"].contains(id)) {
        assert!(listed.contains(&id), "no test of {id}");
    }
}
