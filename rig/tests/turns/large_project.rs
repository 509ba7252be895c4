//! A prompt in a project of 200,000 files for which git has no index yet: a snapshot takes longer than an
//! agent may wait. A process of its own then completes the index: it *seeds* the next snapshot.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use alongside_rig::procfs::command_line;
use alongside_rig::program::turn_hook;
use alongside_rig::{Sandbox, alongside_bin, wait};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// The number of files.
const FILES: usize = 200_000;
/// The limit for the hook: twice the longest time for which an agent waits, see docs/turns.md.
const HOOK_LIMIT: Duration = Duration::from_secs(4);
/// The time limit for git to read all files, on a busy machine.
const SEEDING_TIMEOUT: Duration = Duration::from_secs(300);

#[test]
#[ignore = "cargo xtask test --all"]
fn a_late_first_snapshot_is_a_remark_and_a_later_prompt_has_one() -> Result<()> {
    let sandbox = Sandbox::new();
    create_repository(&sandbox)?;
    run_hook_in_time(&sandbox, "UserPromptSubmit")?;
    // The agent continues and changes a file before the first snapshot is complete.
    sandbox.write("d0/new", "by the agent\n");
    run_hook_in_time(&sandbox, "Stop")?;
    wait::until("the end of the seeding", SEEDING_TIMEOUT, || {
        let processes = sandbox.processes();
        let lines = processes.iter().map(|pid| command_line(pid.as_raw_nonzero()));
        match lines.filter(|line| line.contains("--go-on")).count() {
            0 => Ok(()),
            left => Err(format!("{left} processes")),
        }
    })?;
    let list = turn_list(&sandbox)?;
    let missing = "The beginning of a turn of Codex is missing: git takes too long.";
    let remarks = list["remarks"].as_array().context("the list has no remarks")?;
    ensure!(remarks.iter().any(|remark| remark == missing), "{remarks:?}");
    ensure!(list["baseline"]["name"].as_str().is_some_and(|name| name.starts_with("the commit ")), "{list}");
    let files: Vec<_> =
        list["files"].as_array().context("the list has no files")?.iter().map(|file| &file["path"]).collect();
    ensure!(files == ["d0/new"], "{} files, such as {:?}", files.len(), files.first());

    // The seeding has prepared the snapshot of the next prompt. On a busy machine, only a later prompt may be
    // in time.
    wait::until("a prompt in time", SEEDING_TIMEOUT, || {
        run_hook_in_time(&sandbox, "UserPromptSubmit").map_err(|error| format!("{error:#}"))?;
        let list = turn_list(&sandbox).map_err(|error| format!("{error:#}"))?;
        match list["baseline"]["name"] == "the first prompt to Codex" {
            true => Ok(()),
            false => Err(list["remarks"].to_string()),
        }
    })?;
    sandbox.write("d399/f199999", "changed\n");
    let list = turn_list(&sandbox)?;
    ensure!(list["files"].as_array().is_some_and(|files| files.len() == 1), "{}", list["files"]);
    Ok(())
}

/// Creates a repository of many files in one commit, without an index, so that a snapshot has to read every
/// file.
fn create_repository(sandbox: &Sandbox) -> Result<()> {
    let mut stream = "commit refs/heads/main\ncommitter a <a@example.com> 1 +0000\ndata 1\nx\n".to_owned();
    for number in 0..FILES {
        let text = format!("line {number}\n");
        write!(stream, "M 100644 inline d{}/f{number}\ndata {}\n{text}\n", number / 500, text.len())?;
    }
    git(sandbox, &["init", "-q", "-b", "main"], "")?;
    git(sandbox, &["fast-import", "--quiet"], &stream)?;
    git(sandbox, &["reset", "-q", "--hard"], "")?;
    Ok(std::fs::remove_file(sandbox.project().join(".git/index"))?)
}

/// Runs git in the project with this input.
fn git(sandbox: &Sandbox, arguments: &[&str], input: &str) -> Result<()> {
    let mut command = Command::new("git");
    command.args(arguments).env_clear().envs(sandbox.env()).current_dir(sandbox.project());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    child.stdin.take().context("git has no standard input")?.write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "git {arguments:?}: {output:?}");
    Ok(())
}

/// Runs the turn hook, as Codex starts it. Fails unless it ends in time and prints nothing.
fn run_hook_in_time(sandbox: &Sandbox, event: &str) -> Result<()> {
    let start = Instant::now();
    let output = turn_hook(sandbox, "codex", "s", event)?.wait_with_output()?;
    let elapsed = start.elapsed();
    let is_silent = output.status.success() && output.stdout.is_empty() && output.stderr.is_empty();
    ensure!(is_silent, "{event}: {output:?}");
    ensure!(elapsed < HOOK_LIMIT, "{event} holds the agent up for {elapsed:?}");
    Ok(())
}

/// Opens a turn review at a desk, and returns the list that the desk gets.
fn turn_list(sandbox: &Sandbox) -> Result<Value> {
    let mut command = Command::new(alongside_bin()?);
    command.args(["review", "--json", "--since"]);
    command.env_clear().envs(sandbox.env()).current_dir(sandbox.project());
    let mut desk = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut lines = BufReader::new(desk.stdout.take().context("alongside has no standard output")?).lines();
    let (mut revision, mut list) = (Value::Null, Value::Null);
    for line in lines.by_ref() {
        let line: Value = serde_json::from_str(&line?)?;
        match line["method"].as_str() {
            // The answer to the request with which the desk begins.
            Some("result") => revision = line["result"]["revision"].clone(),
            Some("alongside/didChangeTurn") => list = line["params"].clone(),
            _ => {}
        }
        if !list.is_null() && list["revision"] == revision {
            break;
        }
    }
    drop(desk.stdin.take());
    // All further output is read, because a desk fails if it cannot write its output.
    lines.try_for_each(|line| line.map(drop))?;
    let status = desk.wait()?;
    ensure!(
        status.success() && list["revision"] == revision,
        "{status}, the list of the awaited revision did not come: {list}"
    );
    Ok(list)
}
