//! `alongside doctor`: each thing that can be wrong is staged for real, and it must name that thing first,
//! and a cure.

mod agents;
mod answers;
mod clinic;
mod elsewhere;
mod files;
mod healthy;
mod variables;

/// The words of every cause, and the stories here.
const WORDS: &str = include_str!("../../../src/commands/doctor/words.rs");
const STORIES: [&str; 6] = [
    include_str!("agents.rs"),
    include_str!("answers.rs"),
    include_str!("elsewhere.rs"),
    include_str!("files.rs"),
    include_str!("healthy.rs"),
    include_str!("variables.rs"),
];

#[test]
fn every_cause_is_staged() {
    let id = |line: &'static str| line.trim().strip_prefix('"')?.strip_suffix("\",");
    let is_id = |id: &&str| {
        id.contains('-') && id.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            || *id == "proxy"
            || *id == "hangs"
    };
    let ids: Vec<&str> = WORDS.lines().filter_map(id).filter(is_id).collect();
    assert!(ids.len() > 40, "{ids:?}");
    // A host of another version takes another program: its test is beside the code.
    for id in ids.into_iter().filter(|id| *id != "old-host") {
        assert!(STORIES.iter().any(|story| story.contains(&format!("\"{id}\""))), "no story of {id}");
    }
}
