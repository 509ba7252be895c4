//! How long an agent's prompt waits for the snapshot of its project, and how long a person for the changes of
//! a turn.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::super::process;
use super::super::report::Unit;
use super::super::turns::{Bench, Seat, row};
use super::{millis, text};

/// How large a file is, in bytes.
const FILE: usize = 4 << 10;
/// The message with the list of a turn's files.
const TOLD: &str = "alongside/didChangeTurn";

impl Bench<'_> {
    pub(in super::super) fn turn_reviews(&mut self) -> Result<()> {
        for files in self.plan.turn_files.clone() {
            (self.tell)(&format!("prompts in a project of {files} files"));
            let place = tempfile::tempdir()?;
            make(place.path(), files)?;
            let mut parties = self.seats_with_hooks()?;
            let what = format!("a prompt delayed by its snapshot, {files} files");
            let rows = [
                row(format!("{what}, the first"), Unit::Millis),
                row(format!("{what}, nothing changed"), Unit::Millis),
                row(format!("{what}, 50 changed"), Unit::Millis),
            ];
            let mut mark = 0;
            self.turns(&rows, &mut parties, self.plan.turns.min(3), |seat| {
                // Each begins with a store of its own.
                let state = tempfile::tempdir()?;
                let first = note(seat, place.path(), state.path(), "UserPromptSubmit")?;
                let again = (0..3).map(|_| note(seat, place.path(), state.path(), "UserPromptSubmit"));
                let again: Vec<f64> = again.collect::<Result<_>>()?;
                mark += 1;
                change(place.path(), files.min(50), mark)?;
                let changed = note(seat, place.path(), state.path(), "Stop")?;
                Ok(vec![vec![first], again, vec![changed]])
            })?;
        }
        self.changed_files()
    }

    /// A turn has changed many files.
    fn changed_files(&mut self) -> Result<()> {
        let files = self.plan.turn_changes;
        (self.tell)(&format!("a turn of {files} files"));
        let mut parties = self.seats_with_hooks()?;
        for party in &parties {
            if let Ok(seat) = &party.seat {
                make(&seat.companion.project, files)?;
            }
        }
        let rows = [
            row(format!("start of a desk → a turn of {files} files"), Unit::Millis),
            row(format!("memory with a turn of {files} files, its own"), Unit::Kib),
        ];
        let mut mark = 0;
        self.turns(&rows, &mut parties, self.plan.turns.min(3), |seat| {
            let project = seat.companion.project.clone();
            let state = project.with_file_name("home").join(".local/state/alongside");
            note(seat, &project, &state, "UserPromptSubmit")?;
            mark += 1;
            change(&project, files, mark)?;
            note(seat, &project, &state, "Stop")?;
            let mut command =
                seat.companion.program(&["review", "--json", "--since"]).context("a program")?;
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let since = Instant::now();
            let mut desk = command.spawn()?;
            let lines = BufReader::new(desk.stdout.take().context("piped")?).lines();
            // The list of the prompt may be told before that of the end.
            let is_list = |line: &String| told_files(line) == Some(files);
            lines.map_while(Result::ok).find(is_list).context("no such list is told")?;
            let shown = millis(since.elapsed());
            let memory = process::memory(seat.companion.pid)?.own;
            drop(desk.stdin.take());
            desk.wait()?;
            Ok(vec![vec![shown], vec![memory]])
        })
    }
}

/// How many files the list has that a desk is told in this line, if it is one.
fn told_files(line: &str) -> Option<usize> {
    let told: Value = serde_json::from_str(line).ok().filter(|told: &Value| told["method"] == TOLD)?;
    told["params"]["files"].as_array().map(Vec::len)
}

fn path(number: usize) -> String {
    format!("{}/{}/file-{number}.rs", number / 1000, number / 50)
}

/// A repository with so many files in one commit.
fn make(top: &Path, files: usize) -> Result<()> {
    for number in 0..files {
        let path = top.join(path(number));
        fs::create_dir_all(path.parent().context("a file has a directory")?)?;
        fs::write(path, text(FILE, 0, "").replace("compute", &format!("compute_{number}_")))?;
    }
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"];
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "x"]] {
        let mut git = Command::new("git");
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        git.args(identity).args(arguments).current_dir(top).stdout(Stdio::null());
        ensure!(git.status().context("there is no git")?.success(), "git {arguments:?}");
    }
    // Git reads files once more that changed in the second of its index, as no project that is worked in has.
    let index = fs::File::options().append(true).open(top.join(".git/index"))?;
    Ok(index.set_modified(SystemTime::now() + Duration::from_secs(1))?)
}

/// Some lines differ in so many files, and their sizes: `make` has set the index ahead of the clock, where
/// git would take a file of the same size for the same.
fn change(top: &Path, files: usize, mark: usize) -> Result<()> {
    for number in 0..files {
        let changed = text(FILE, 3, &format!("turn {mark}")) + "// The end of the turn.\n";
        fs::write(top.join(path(number)), changed.replace("compute", &format!("compute_{number}_")))?;
    }
    Ok(())
}

/// The hook of an agent, from its start to its end, in milliseconds.
fn note(seat: &Seat, top: &Path, state: &Path, event: &str) -> Result<f64> {
    let input = json!({ "session_id": "bench", "cwd": top, "hook_event_name": event, "prompt": "go on" });
    let mut command = seat.companion.program(&["turn", "claude", "--state-dir"]).context("it has no hook")?;
    command.arg(state).current_dir(top).stdin(Stdio::piped()).stdout(Stdio::null());
    let since = Instant::now();
    let mut hook = command.spawn()?;
    hook.stdin.take().context("its input is piped")?.write_all(input.to_string().as_bytes())?;
    ensure!(hook.wait()?.success(), "the hook fails");
    Ok(millis(since.elapsed()))
}
