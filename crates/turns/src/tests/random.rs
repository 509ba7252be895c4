//! Tests random changes and undos: afterwards the tree is byte for byte as decided.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use alongside_companion::turns::source::{TurnSource as _, Undo, UndoTo};
use proptest::prelude::*;

use super::fixture::Project;

const NAMES: [&str; 6] = ["a", "b", "d/a", "d/b", "d/e/f", "g\nh"];

/// A step of an agent or a person.
#[derive(Debug, Clone)]
enum Step {
    Write(usize, Vec<u8>),
    Link(usize, usize),
    Remove(usize),
    Rename(usize, usize),
    Execute(usize, bool),
    End,
    Prompt,
}

fn step() -> impl Strategy<Value = Step> {
    let name = 0..NAMES.len();
    let text = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..20),
        proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'x')], 0..20),
    ];
    prop_oneof![
        4 => (name.clone(), text).prop_map(|(at, text)| Step::Write(at, text)),
        1 => (name.clone(), name.clone()).prop_map(|(at, to)| Step::Link(at, to)),
        2 => name.clone().prop_map(Step::Remove),
        1 => (name.clone(), name.clone()).prop_map(|(at, to)| Step::Rename(at, to)),
        1 => (name, any::<bool>()).prop_map(|(at, on)| Step::Execute(at, on)),
        1 => Just(Step::End),
        1 => Just(Step::Prompt),
    ]
}

/// Makes room for a file, like `mkdir -p` and `rm -rf` in a shell.
fn room(project: &Project, name: &str) {
    let path = project.path(name);
    for above in Path::new(name).ancestors().skip(1).filter(|above| above.file_name().is_some()) {
        let above = project.top.join(above);
        if above.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            fs::remove_file(above).unwrap();
        }
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    remove(&path);
}

fn remove(path: &Path) {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

fn carry_out(project: &Project, step: &Step) {
    match step {
        Step::Write(at, text) => {
            room(project, NAMES[*at]);
            fs::write(project.path(NAMES[*at]), text).unwrap();
        }
        Step::Link(at, to) => {
            room(project, NAMES[*at]);
            std::os::unix::fs::symlink(NAMES[*to], project.path(NAMES[*at])).unwrap();
        }
        Step::Remove(at) => remove(&project.path(NAMES[*at])),
        Step::Rename(at, to) => {
            let from = project.path(NAMES[*at]);
            if from.symlink_metadata().is_ok_and(|found| found.is_file()) && at != to {
                let text = fs::read(&from).unwrap();
                remove(&from);
                room(project, NAMES[*to]);
                fs::write(project.path(NAMES[*to]), text).unwrap();
            }
        }
        Step::Execute(at, on) => {
            let path = project.path(NAMES[*at]);
            if path.symlink_metadata().is_ok_and(|found| found.is_file()) {
                project.chmod(NAMES[*at], if *on { 0o755 } else { 0o644 });
            }
        }
        Step::End => project.end(),
        Step::Prompt => project.prompt(),
    }
}

/// Returns the files without directories, which git does not record.
fn files(project: &Project) -> BTreeMap<Vec<u8>, (u32, Vec<u8>)> {
    let all = project.tree().into_iter().filter(|(_, (mode, _))| mode & 0o170_000 != 0o040_000);
    all.map(|(path, file)| (path.into_os_string().into_encoded_bytes(), file)).collect()
}

fn check(before: &[Step], during: &[Step], choices: &[bool]) {
    let Some(project) = Project::with_init(&["init", "-q"]) else { return };
    before.iter().for_each(|step| carry_out(&project, step));
    let baseline = files(&project);
    // Removes the state, so that the next prompt is the baseline.
    let _ = fs::remove_dir_all(project.dirs.state());
    project.prompt();
    during.iter().for_each(|step| carry_out(&project, step));
    let changed = files(&project);
    let look = project.look();
    let mut listed: Vec<Vec<u8>> = Vec::new();
    for file in &look.files {
        listed.extend(
            [Some(&file.path), file.from.as_ref()]
                .into_iter()
                .flatten()
                .map(|path| path.clone().into_os_string().into_encoded_bytes()),
        );
    }
    let names = baseline.keys().chain(changed.keys());
    for name in names.filter(|name| baseline.get(*name) != changed.get(*name)) {
        assert!(listed.contains(name), "no change escapes: {:?}", String::from_utf8_lossy(name));
    }
    let marked: Vec<Undo> = look
        .files
        .iter()
        .zip(choices.iter().cycle())
        .filter(|(_, choice)| **choice)
        .map(|(file, _)| Undo { file: file.clone(), to: UndoTo::Baseline })
        .collect();
    let undone = project.store.undo(&look, &marked);
    let mut expected = changed.clone();
    for (undo, done) in marked.iter().zip(&undone) {
        let name = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
        let place = name(undo.file.from.as_ref().unwrap_or(&undo.file.path));
        if let Some(why) = &done.refused {
            // Another file that stays may be in the place of the file.
            assert!(
                why.contains("in its place") || why.contains("in the place") || why.contains("on the way"),
                "{why}"
            );
            continue;
        }
        expected.remove(&name(&undo.file.path));
        if let Some(file) = baseline.get(&place) {
            expected.insert(place, file.clone());
        }
    }
    assert_eq!(files(&project), expected);
    if choices == [true] && undone.iter().all(|done| done.refused.is_none()) {
        assert_eq!(files(&project), baseline);
        assert!(project.look().files.is_empty());
    }
}

/// Returns the number of cases: `PROPTEST_CASES`, or a small number.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(24)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn the_tree_is_what_was_decided(
        before in proptest::collection::vec(step(), 0..8),
        during in proptest::collection::vec(step(), 0..12),
        choices in proptest::collection::vec(any::<bool>(), 1..6),
    ) {
        check(&before, &during, &choices);
    }

    #[test]
    fn an_undo_of_everything_is_the_baseline(
        before in proptest::collection::vec(step(), 0..8),
        during in proptest::collection::vec(step(), 0..12),
    ) {
        check(&before, &during, &[true]);
    }
}
