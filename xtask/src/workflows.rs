//! Checks the workflows of the forge, which have not run yet: each action is pinned to a commit, and each
//! chore that they start exists.

use alongside_testing::chores::checkout;
use clap::Parser as _;

use crate::Cli;

/// Returns the workflows, with their names.
fn workflows() -> Vec<(String, String)> {
    let mut workflows = Vec::new();
    for entry in std::fs::read_dir(checkout().join(".github/workflows")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        workflows.push((name, std::fs::read_to_string(entry.path()).unwrap()));
    }
    assert!(workflows.iter().any(|(name, _)| name == "release.yml"), "{workflows:?}");
    workflows
}

/// Whether an action is named by its commit, with the release beside it: `actions/checkout@… # v7.0.1`.
fn is_pinned(action: &str) -> bool {
    let Some((place, release)) = action.split_once(" # v") else { return false };
    let Some((name, commit)) = place.split_once('@') else { return false };
    let is_hash = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.contains('/') && is_hash && release.starts_with(|first: char| first.is_ascii_digit())
}

/// Returns the commands that start a chore, as the shell reads them, in words. A variable counts as a word.
fn chores(workflow: &str) -> Vec<Vec<String>> {
    // A command continues after a line that ends with a backslash.
    let workflow = workflow.replace("\\\n", " ");
    let commands = workflow.lines().filter_map(|line| line.split_once("cargo xtask "));
    let words = |command: &str| {
        let words = command.split_whitespace().map(|word| word.trim_matches('"').to_owned());
        std::iter::once("cargo xtask".to_owned()).chain(words).collect()
    };
    commands.map(|(_, command)| words(command)).collect()
}

#[test]
fn every_action_of_a_workflow_is_pinned_by_its_commit() {
    for (name, workflow) in workflows() {
        let actions: Vec<_> = workflow.lines().filter_map(|line| line.split_once("uses: ")).collect();
        assert!(!actions.is_empty(), "{name}");
        for (_, action) in actions {
            assert!(is_pinned(action), "{name}: {action}");
        }
    }
    let commit = "0123456789abcdef0123456789abcdef01234567";
    assert!(is_pinned(&format!("o/action@{commit} # v1.2.3")));
    for loose in ["o/action@v1", &format!("o/action@{commit}"), "o/action@main # v1", "./local # v1"] {
        assert!(!is_pinned(loose), "{loose}");
    }
}

#[test]
fn every_chore_that_a_workflow_starts_exists() {
    let mut started = 0;
    for (name, workflow) in workflows() {
        for words in chores(&workflow) {
            let parsed = Cli::try_parse_from(&words);
            assert!(parsed.is_ok(), "{name}: {words:?}: {}", parsed.err().unwrap());
            started += 1;
        }
    }
    assert!(started > 3, "{started}");
    assert!(Cli::try_parse_from(["cargo xtask", "no-such-chore"]).is_err());
}

/// A job gets only the rights that it names.
#[test]
fn a_workflow_has_no_rights_of_its_own() {
    for (name, workflow) in workflows() {
        assert!(workflow.contains("\npermissions: {}\n"), "{name}");
        let jobs = workflow.matches("\n    runs-on: ").count();
        assert_eq!(workflow.matches("\n    permissions:\n").count(), jobs, "{name}");
        assert!(
            !workflow.contains("pull_request_target"),
            "{name}: a stranger's change would run with our rights"
        );
    }
}
