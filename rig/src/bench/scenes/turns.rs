//! Measures how long an agent's prompt waits for the snapshot of its project, and how long a desk waits for
//! the changes of a turn.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::super::process;
use super::super::repetitions::{Bench, Seat, row_key};
use super::super::report::Unit;
use super::{millis, text};

/// The size of each file, in bytes.
const FILE_BYTES: usize = 4 << 10;
/// The message with the list of a turn's files.
const TURN_MESSAGE: &str = "alongside/didChangeTurn";

impl Bench<'_> {
    pub(in super::super) fn turn_reviews(&mut self) -> Result<()> {
        for files in self.plan.turn_files.clone() {
            (self.report_progress)(&format!("prompts in a project of {files} files"));
            let project = tempfile::tempdir()?;
            create_repository(project.path(), files)?;
            let mut entrants = self.start_subjects_with_hooks()?;
            let what = format!("a prompt delayed by its snapshot, {files} files");
            let rows = [
                row_key(format!("{what}, the first"), Unit::Millis),
                row_key(format!("{what}, nothing changed"), Unit::Millis),
                row_key(format!("{what}, 50 changed"), Unit::Millis),
            ];
            let mut turn = 0;
            self.repeat_in_turn(&rows, &mut entrants, self.plan.repetitions.min(3), |seat| {
                // Each repetition begins with a store of its own.
                let state = tempfile::tempdir()?;
                let snapshot = |event| run_turn_hook(seat, project.path(), state.path(), event);
                let first = snapshot("UserPromptSubmit")?;
                let unchanged = (0..3).map(|_| snapshot("UserPromptSubmit")).collect::<Result<_>>()?;
                turn += 1;
                change_files(project.path(), files.min(50), turn)?;
                let changed = snapshot("Stop")?;
                Ok(vec![vec![first], unchanged, vec![changed]])
            })?;
        }
        self.changed_files()
    }

    /// Measures the time until a desk has the list of a turn that changed many files.
    fn changed_files(&mut self) -> Result<()> {
        let files = self.plan.turn_changes;
        (self.report_progress)(&format!("a turn of {files} files"));
        let mut entrants = self.start_subjects_with_hooks()?;
        for entrant in &entrants {
            if let Ok(seat) = &entrant.seat {
                create_repository(&seat.companion.project, files)?;
            }
        }
        let rows = [
            row_key(format!("start of a desk → a turn of {files} files"), Unit::Millis),
            row_key(format!("memory with a turn of {files} files, its own"), Unit::Kib),
        ];
        let mut turn = 0;
        self.repeat_in_turn(&rows, &mut entrants, self.plan.repetitions.min(3), |seat| {
            let project = seat.companion.project.clone();
            let state = project.with_file_name("home").join(".local/state/alongside");
            run_turn_hook(seat, &project, &state, "UserPromptSubmit")?;
            turn += 1;
            change_files(&project, files, turn)?;
            run_turn_hook(seat, &project, &state, "Stop")?;
            let mut command = seat
                .companion
                .program(&["review", "--json", "--since"])
                .context("this companion has no program")?;
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let since = Instant::now();
            let mut desk = command.spawn()?;
            let lines =
                BufReader::new(desk.stdout.take().context("the standard stream is not piped")?).lines();
            // The list after the prompt may be sent before the list after the end of the turn.
            let is_list = |line: &String| listed_files(line) == Some(files);
            lines
                .map_while(Result::ok)
                .find(is_list)
                .context("no list with the expected number of files came")?;
            let shown = millis(since.elapsed());
            let memory = process::memory(seat.companion.pid)?.own;
            drop(desk.stdin.take());
            desk.wait()?;
            Ok(vec![vec![shown], vec![memory]])
        })
    }
}

/// The number of files in the turn's list, if the line is a message with that list.
fn listed_files(line: &str) -> Option<usize> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["method"] != TURN_MESSAGE {
        return None;
    }
    message["params"]["files"].as_array().map(Vec::len)
}

fn path(number: usize) -> String {
    format!("{}/{}/file-{number}.rs", number / 1000, number / 50)
}

/// Creates a repository with so many files in one commit.
fn create_repository(top: &Path, files: usize) -> Result<()> {
    for number in 0..files {
        let path = top.join(path(number));
        fs::create_dir_all(path.parent().context("the file has no parent directory")?)?;
        fs::write(path, text(FILE_BYTES, 0, "").replace("compute", &format!("compute_{number}_")))?;
    }
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"];
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "x"]] {
        let mut git = Command::new("git");
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        git.args(identity).args(arguments).current_dir(top).stdout(Stdio::null());
        ensure!(git.status().context("there is no git")?.success(), "git {arguments:?}");
    }
    // Git reads every file again that changed in the same second as its index. A project in use has no such
    // files, so the index is dated later here.
    let index = fs::File::options().append(true).open(top.join(".git/index"))?;
    Ok(index.set_modified(SystemTime::now() + Duration::from_secs(1))?)
}

/// Changes some lines of so many files, and their sizes: `create_repository` has dated the index later, and
/// git would take a file of the same size for unchanged.
fn change_files(top: &Path, files: usize, turn: usize) -> Result<()> {
    for number in 0..files {
        let changed = text(FILE_BYTES, 3, &format!("turn {turn}")) + "// The end of the turn.\n";
        fs::write(top.join(path(number)), changed.replace("compute", &format!("compute_{number}_")))?;
    }
    Ok(())
}

/// Runs an agent's turn hook. Returns the time from its start to its end, in milliseconds.
fn run_turn_hook(seat: &Seat, top: &Path, state: &Path, event: &str) -> Result<f64> {
    let input = json!({ "session_id": "bench", "cwd": top, "hook_event_name": event, "prompt": "go on" });
    let mut command =
        seat.companion.program(&["turn", "claude", "--state-dir"]).context("this companion has no hook")?;
    command.arg(state).current_dir(top).stdin(Stdio::piped()).stdout(Stdio::null());
    let since = Instant::now();
    let mut hook = command.spawn()?;
    hook.stdin.take().context("the standard input is not piped")?.write_all(input.to_string().as_bytes())?;
    ensure!(hook.wait()?.success(), "the hook fails");
    Ok(millis(since.elapsed()))
}
