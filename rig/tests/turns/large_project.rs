//! A prompt in a project of 200,000 files that git has not looked at yet: longer than an agent may wait.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use alongside_rig::procfs::command_line;
use alongside_rig::program::turn_hook;
use alongside_rig::{Sandbox, alongside_bin, wait};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

const FILES: usize = 200_000;
/// Twice as long as an agent waits at most: see docs/turns.md.
const BOUND: Duration = Duration::from_secs(4);
/// How long git may take for all of it, on a busy machine.
const SEEDED: Duration = Duration::from_secs(300);

#[test]
#[ignore = "cargo xtask test --all"]
fn a_prompt_that_comes_too_soon_is_named_and_the_next_one_is_in_time() -> Result<()> {
    let sandbox = Sandbox::new();
    make(&sandbox)?;
    in_time(&sandbox, "UserPromptSubmit")?;
    // The agent goes on, and a desk that is opened meanwhile waits for nobody.
    sandbox.write("d0/new", "by the agent\n");
    in_time(&sandbox, "Stop")?;
    wait::until("the end of the seeding", SEEDED, || {
        let processes = sandbox.processes();
        let lines = processes.iter().map(|pid| command_line(pid.as_raw_nonzero()));
        match lines.filter(|line| line.contains("--go-on")).count() {
            0 => Ok(()),
            left => Err(format!("{left} processes")),
        }
    })?;
    let list = look(&sandbox)?;
    let missing = "The beginning of a turn of Codex is missing: git takes too long.";
    let remarks = list["remarks"].as_array().context("remarks")?;
    ensure!(remarks.iter().any(|remark| remark == missing), "{remarks:?}");
    ensure!(list["baseline"]["name"].as_str().is_some_and(|name| name.starts_with("the commit ")), "{list}");
    let files: Vec<_> = list["files"].as_array().context("files")?.iter().map(|file| &file["path"]).collect();
    ensure!(files == ["d0/new"], "{} files, such as {:?}", files.len(), files.first());

    // The seeding went on for the next prompt. On a busy machine, a later one may be the first in time.
    wait::until("a prompt in time", SEEDED, || {
        in_time(&sandbox, "UserPromptSubmit").map_err(|error| format!("{error:#}"))?;
        let list = look(&sandbox).map_err(|error| format!("{error:#}"))?;
        match list["baseline"]["name"] == "the first prompt to Codex" {
            true => Ok(()),
            false => Err(list["remarks"].to_string()),
        }
    })?;
    sandbox.write("d399/f199999", "changed\n");
    let list = look(&sandbox)?;
    ensure!(list["files"].as_array().is_some_and(|files| files.len() == 1), "{}", list["files"]);
    Ok(())
}

/// A repository of many files in one commit, without an index: a snapshot has to read every file.
fn make(sandbox: &Sandbox) -> Result<()> {
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

/// Runs git in the project on this input.
fn git(sandbox: &Sandbox, arguments: &[&str], input: &str) -> Result<()> {
    let mut command = Command::new("git");
    command.args(arguments).env_clear().envs(sandbox.env()).current_dir(sandbox.project());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    child.stdin.take().context("it has an input")?.write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "git {arguments:?}: {output:?}");
    Ok(())
}

/// The hook of an agent, which goes on in any case.
fn in_time(sandbox: &Sandbox, event: &str) -> Result<()> {
    let begun = Instant::now();
    let output = turn_hook(sandbox, "codex", "s", event)?.wait_with_output()?;
    let took = begun.elapsed();
    let is_silent = output.status.success() && output.stdout.is_empty() && output.stderr.is_empty();
    ensure!(is_silent, "{event}: {output:?}");
    ensure!(took < BOUND, "{event} holds the agent up for {took:?}");
    Ok(())
}

/// The list of a turn review, as a desk is told it.
fn look(sandbox: &Sandbox) -> Result<Value> {
    let mut command = Command::new(alongside_bin()?);
    command.args(["review", "--json", "--since"]);
    command.env_clear().envs(sandbox.env()).current_dir(sandbox.project());
    let mut desk = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut lines = BufReader::new(desk.stdout.take().context("it has an output")?).lines();
    let (mut revision, mut told) = (Value::Null, Value::Null);
    for line in lines.by_ref() {
        let line: Value = serde_json::from_str(&line?)?;
        match line["method"].as_str() {
            // The answer to the look with which it begins.
            Some("result") => revision = line["result"]["revision"].clone(),
            Some("alongside/didChangeTurn") => told = line["params"].clone(),
            _ => {}
        }
        if !told.is_null() && told["revision"] == revision {
            break;
        }
    }
    drop(desk.stdin.take());
    // A desk that may still tell something fails where nobody reads it.
    lines.try_for_each(|line| line.map(drop))?;
    let status = desk.wait()?;
    ensure!(status.success() && told["revision"] == revision, "{status}, no list is told: {told}");
    Ok(told)
}
