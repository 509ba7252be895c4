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

const CAUSES: [&str; 7] = [
    include_str!("../../../src/commands/doctor/causes/agent.rs"),
    include_str!("../../../src/commands/doctor/causes/companion.rs"),
    include_str!("../../../src/commands/doctor/causes/connection.rs"),
    include_str!("../../../src/commands/doctor/causes/discovery.rs"),
    include_str!("../../../src/commands/doctor/causes/hook.rs"),
    include_str!("../../../src/commands/doctor/causes/installation.rs"),
    include_str!("../../../src/commands/doctor/causes/turn_hook.rs"),
];

#[test]
fn every_cause_is_in_a_snapshot() {
    let files = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/doctor"));
    let texts: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let listed = Regex::new(r"(?m)^ +(fails|hinders|note) ([a-z-]+):").unwrap();
    let listed: Vec<&str> = listed.captures_iter(&texts).map(|cause| cause.extract::<2>().1[1]).collect();
    // The id is the first argument of each message.
    let id = |message: &'static str| message.split_once('"')?.1.split_once('"').map(|(id, _)| id);
    let messages = CAUSES.iter().flat_map(|file| file.split("Message::").skip(1));
    let constructed = messages.filter(|message| {
        ["fails(", "hinders(", "note(", "new("].iter().any(|call| message.starts_with(call))
    });
    let ids: Vec<&str> = constructed.filter_map(id).collect();
    assert!(ids.len() > 50, "{ids:?}");
    // Another program would have to be the host: that test is beside the code. No machine here lacks git.
    for id in ids.into_iter().filter(|id| !["old-host", "turn-hook-no-git"].contains(id)) {
        assert!(listed.contains(&id), "no test of {id}");
    }
}
