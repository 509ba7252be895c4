//! Random patches of Codex: what the person reviews is what Codex's own program `apply_patch` writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use alongside_desk::Operation;
use alongside_hook::TextFile;
use alongside_rig::rng::Rng;
use alongside_rig::sandbox::files_below;
use alongside_rig::{codex, or_skip};
use serde_json::json;

use crate::calls::{ReviewedCall, text_file};
use crate::random;

/// The paths of the random files. The first four may exist before the patch.
const PATHS: [&str; 6] = ["a", "b", "sub/c", "d e", "new", "made/new"];

/// The files of a directory: their paths and contents.
type Files = BTreeMap<String, Vec<u8>>;

#[test]
fn a_patch_is_reviewed_as_codex_applies_it() {
    compare_all(0..200);
}

#[test]
#[ignore = "cargo xtask test --all"]
fn thousands_of_patches_are_reviewed_as_codex_applies_them() {
    compare_all(200..5_200);
}

/// Compares the patches that these seeds give. Fails if a patch is applied in another way than reviewed, or
/// if too few patches are applied.
fn compare_all(seeds: Range<u64>) {
    let Some(codex) = or_skip(codex()) else { return };
    println!("seeds {seeds:?}");
    let (mut applied, mut differences) = (0, Vec::new());
    for seed in seeds.clone() {
        match compare(&codex, seed) {
            Ok(true) => applied += 1,
            Ok(false) => {}
            Err(difference) => differences.push(format!("seed {seed}: {difference}")),
        }
    }
    println!("{applied} applied, the others refused");
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n\n"));
    let count = seeds.end - seeds.start;
    assert!(applied * 3 > count, "only {applied} of {count} patches were applied");
}

/// Compares the patch that this seed gives. Returns whether it was applied: `false` if the hook refuses it or
/// if nothing is left to apply.
///
/// # Errors
/// Returns the difference between the reviewed and the written files.
fn compare(codex: &Path, seed: u64) -> Result<bool, String> {
    let rng = &mut Rng::new(seed);
    let before = random_files(rng);
    let patch = random_patch(rng, &before);
    let read = |path: &str| text_file(before.get(without_dot_prefix(path)).map(Vec::as_slice));
    let Some(reviewed) = ReviewedCall::new("codex", "apply_patch", json!({ "command": patch }), read) else {
        return Ok(false);
    };
    let paths = reviewed.changes.iter().flat_map(|change| [Some(&*change.path), change.removes()]);
    let paths: Vec<&str> = paths.flatten().map(without_dot_prefix).collect();
    if paths.iter().collect::<BTreeSet<_>>().len() < paths.len() {
        // `alongside hook` refuses a patch with two paths of one file.
        return Ok(false);
    }
    let texts: Vec<_> =
        reviewed.changes.iter().map(|change| random_decision(rng, &change.proposed)).collect();
    let Some(arguments) = reviewed.arguments_after(&texts, read) else { return Ok(false) };
    let command = arguments["command"].as_str().unwrap();
    let (after, output) = apply(codex, command, &before);
    let mut expected = before.clone();
    for (change, text) in reviewed.changes.iter().zip(&texts) {
        let (Some(text), path) = (text, without_dot_prefix(&change.path)) else { continue };
        // An unchanged patch runs as the hook read it: the proposed text has every line end that Codex adds.
        let may_gain_line_end = !text.is_empty() && !text.ends_with('\n') && *text != change.proposed;
        let text = match after.get(path).and_then(|written| written.strip_prefix(text.as_bytes())) {
            // Codex adds a missing line end to the last line.
            Some(end @ (b"\n" | b"\r\n")) if may_gain_line_end => [text.as_bytes(), end].concat(),
            _ => text.clone().into_bytes(),
        };
        match &change.operation {
            Operation::Delete if text.is_empty() => drop(expected.remove(path)),
            Operation::Move { from } => {
                expected.remove(without_dot_prefix(from));
                expected.insert(path.to_owned(), text);
            }
            Operation::Write | Operation::Delete => drop(expected.insert(path.to_owned(), text)),
        }
    }
    if after == expected {
        return Ok(true);
    }
    let listing = |files: &Files| {
        let lines = files.iter().map(|(path, text)| format!("  {path}: {:?}", String::from_utf8_lossy(text)));
        lines.collect::<Vec<_>>().join("\n")
    };
    Err(format!(
        "{patch:?}\nrun as {command:?}\nbefore:\n{}\nreviewed:\n{}\nwritten:\n{}\n{output}",
        listing(&before),
        listing(&expected),
        listing(&after)
    ))
}

/// Returns the path without `./`, as [`Files`] has it.
fn without_dot_prefix(path: &str) -> &str {
    path.trim_start_matches("./")
}

/// Returns a person's text for a proposed one, or `None` for a rejection.
fn random_decision(rng: &mut Rng, proposed: &str) -> Option<String> {
    match rng.below(10) {
        0 => None,
        1..=2 => Some(random::edited(rng, proposed)),
        3 => Some(random::text(rng)),
        _ => Some(proposed.to_owned()),
    }
}

/// Returns random files before a patch.
fn random_files(rng: &mut Rng) -> Files {
    let paths = PATHS[..4].iter().filter(|_| rng.percent(85)).copied().collect::<Vec<_>>();
    paths.into_iter().map(|path| (path.to_owned(), random::file(rng))).collect()
}

/// Applies a patch by Codex, and returns the files after that, and Codex's output.
fn apply(codex: &Path, patch: &str, files: &Files) -> (Files, String) {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut command = Command::new(codex);
    command.arg0("apply_patch").arg(patch).current_dir(&directory).stdin(Stdio::null());
    let output = command.output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (files_in(directory.path()), String::from_utf8_lossy(&printed).into_owned())
}

/// Returns the files of a directory.
fn files_in(directory: &Path) -> Files {
    let name = |path: &Path| path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
    files_below(directory).iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

/// Returns a random patch, which mostly fits the files.
fn random_patch(rng: &mut Rng, files: &Files) -> String {
    let mut paths = PATHS.to_vec();
    let mut sections = String::new();
    for _ in 0..=rng.below(3) {
        let path = paths[rng.index(paths.len())];
        if !rng.percent(5) {
            paths.retain(|other| *other != path);
        }
        sections.push_str(&random_section(rng, files, path, &mut paths));
    }
    let patch = format!("*** Begin Patch\n{sections}*** End Patch");
    match rng.below(60) {
        0 => patch.replace('\n', "\r\n"),
        1 => format!("<<'EOF'\n{patch}\nEOF"),
        2 => patch.replacen('\n', "\n*** Environment ID: local\n", 1),
        3 => patch.replace("\n***", "\n ***"),
        4 => patch.replace("\n***", " \n***"),
        5 => format!("\n {patch} \n"),
        _ => patch,
    }
}

/// Returns a random section of a patch for this path. Removes the path of a move from `paths`.
fn random_section(rng: &mut Rng, files: &Files, path: &'static str, paths: &mut Vec<&'static str>) -> String {
    let written_path = if rng.percent(3) { format!("./{path}") } else { path.to_owned() };
    match (files.get(path), rng.below(10)) {
        (None, 1..) | (Some(_), 0) => {
            let lines = random::text(rng).lines().map(|line| format!("+{line}\n")).collect::<String>();
            format!("*** Add File: {written_path}\n{lines}")
        }
        (Some(_), 1) | (None, 0) => format!("*** Delete File: {written_path}\n"),
        (Some(bytes), _) => {
            let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
            let to = match rng.percent(20) && !paths.is_empty() {
                true => {
                    let to = if rng.percent(5) { path } else { paths[rng.index(paths.len())] };
                    paths.retain(|other| *other != to);
                    format!("*** Move to: {to}\n")
                }
                false => String::new(),
            };
            format!("*** Update File: {written_path}\n{to}{}", random_chunks(rng, &text))
        }
    }
}

/// Returns random chunks of an update, which are mostly in the order of the text.
fn random_chunks(rng: &mut Rng, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    let mut chunks = String::new();
    for _ in 0..=rng.below(3) {
        let mut header = String::new();
        if rng.percent(25) && at < lines.len() {
            at += rng.index(lines.len() - at);
            header = format!(" {}", altered(rng, lines[at]));
            at += 1;
        }
        chunks.push_str(&format!("@@{header}\n"));
        if rng.percent(15) {
            chunks.push_str(&format!("+{}\n", random::line(rng)));
            continue;
        }
        at = match rng.percent(6) {
            true => rng.index(lines.len() + 1),
            false => (at + rng.index(3)).min(lines.len()),
        };
        for _ in 0..=rng.below(4) {
            match (lines.get(at), rng.below(3)) {
                (Some(old), 0) => chunks.push_str(&format!(" {}\n", altered(rng, old))),
                (Some(old), 1) => chunks.push_str(&format!("-{}\n", altered(rng, old))),
                _ => {
                    chunks.push_str(&format!("+{}\n", random::line(rng)));
                    continue;
                }
            }
            at += 1;
        }
        if at >= lines.len() && rng.percent(40) || rng.percent(3) {
            chunks.push_str("*** End of File\n");
        }
    }
    chunks
}

/// Returns mostly the line itself, and sometimes a line that Codex regards as equal, or another line.
fn altered(rng: &mut Rng, line: &str) -> String {
    match rng.below(60) {
        0 => line.trim().to_owned(),
        1 => format!("{line} "),
        2 => format!("  {line}"),
        3 => line.replace('–', "-").replace(['“', '”'], "\""),
        4 => random::any(rng, &["one", "two", "none"]).to_owned(),
        _ => line.to_owned(),
    }
}

/// The hook reads each kind of section that random patches have. Otherwise, a kind that it refuses would drop
/// out of the comparison unnoticed.
#[test]
fn a_patch_of_each_kind_is_reviewed() {
    let read = |_: &str| TextFile::Text("one\n".into());
    for sections in [
        "*** Add File: new\n+x\n",
        "*** Delete File: a\n",
        "*** Update File: a\n@@\n-one\n+x\n",
        "*** Update File: a\n*** Move to: b\n@@\n one\n",
    ] {
        let command = format!("*** Begin Patch\n{sections}*** End Patch");
        assert!(ReviewedCall::new("codex", "apply_patch", json!({ "command": command }), read).is_some());
    }
}
