//! The previous release beside this one, as on a machine that is upgraded while desks and agents run.

use std::path::Path;
use std::process::Stdio;

use alongside_rig::desk::Desk;
use alongside_rig::json_lines_process::JsonLinesProcess;
use alongside_rig::older_program::older_program;
use alongside_rig::wait::PATIENCE;
use alongside_rig::{Sandbox, alongside_bin, or_skip};
use anyhow::{Context as _, Result};
use rustix::process::Pid;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Child;

const ORIGINAL: &str = "one\ntwo\nthree\n";
const PROPOSED: &str = "ONE\ntwo\nTHREE\n";
const TYPED: &str = "one!\ntwo\nTHREE\n";

/// Starts a desk for scripts. It joins the running host, or starts one. Returns the desk and the host's
/// process.
async fn desk(sandbox: &Sandbox, program: &Path, name: &str) -> Result<(Desk, Pid)> {
    let mut command = sandbox.command(program);
    command.args(["review", "--json"]);
    let process = JsonLinesProcess::spawn(sandbox, name, &mut command).await?;
    let host = process.pid();
    Ok((Desk::new(process), host))
}

/// Starts the hook of a Gemini CLI that is about to write [`PROPOSED`]. The previous release's hook searches
/// the directories that variables name, and no option keeps it from finding the real user's hosts. That is
/// harmless: none of them serves this project.
async fn hook(sandbox: &Sandbox, program: &Path, file: &Path) -> Result<Child> {
    let mut command = sandbox.command(program);
    command.args(["hook", "gemini"]).env_remove("ALONGSIDE_RUNTIME_DIR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut hook = sandbox.spawn(&mut command);
    let call = json!({
        "session_id": "s",
        "cwd": sandbox.project(),
        "hook_event_name": "BeforeTool",
        "tool_name": "write_file",
        "tool_input": { "file_path": file, "content": PROPOSED },
    });
    hook.stdin
        .take()
        .context("the standard stream is not piped")?
        .write_all(call.to_string().as_bytes())
        .await?;
    Ok(hook)
}

/// Waits for the end of a hook, and returns its answer.
async fn answer(hook: Child) -> Result<Value> {
    let output = tokio::time::timeout(PATIENCE, hook.wait_with_output()).await.context("no answer")??;
    let error = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success() && error.is_empty(), "{:?}: {error}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Runs a host of the program `host`, and a desk and a hook of both programs. Fails unless they work
/// together.
async fn assert_work_together(host: &Path, other: &Path) -> Result<()> {
    let sandbox = Sandbox::new();
    let file = sandbox.write("notes.txt", ORIGINAL);
    let (first, first_host) = desk(&sandbox, host, "the desk of the host's program").await?;
    let (second, second_host) = desk(&sandbox, other, "the desk of the other program").await?;
    assert_eq!(first_host, second_host, "they share one host");

    // A hook of the other program. The person edits at the other program's desk, and accepts at the host's.
    let asking = hook(&sandbox, other, &file).await?;
    let review = second.review_of(PROPOSED).await?;
    assert_eq!(review.original.as_deref(), Some(ORIGINAL));
    let mut accepted = first.review_of(PROPOSED).await?;
    accepted.revision = second.edit(&review, TYPED).await?;
    first.accept(&accepted).await?;
    let reply = answer(asking).await?;
    assert_eq!(reply["hookSpecificOutput"]["tool_input"]["content"], TYPED, "{reply}");
    assert_eq!(second.wait_for_closing(accepted.id).await?.id, accepted.id);

    // A hook of the host's program. The person rejects at the other program's desk.
    std::fs::write(&file, "another\n")?;
    let asking = hook(&sandbox, host, &file).await?;
    second.reject(&second.review_of(PROPOSED).await?).await?;
    let reply = answer(asking).await?;
    assert_eq!(reply["decision"], "deny", "{reply}");
    Ok(())
}

#[tokio::test]
#[ignore = "cargo xtask test --all"]
async fn previous_host_works_with_desks_and_hooks_of_this_release() -> Result<()> {
    let Some(previous) = or_skip(older_program()) else { return Ok(()) };
    assert_work_together(&previous, &alongside_bin()?).await
}

#[tokio::test]
#[ignore = "cargo xtask test --all"]
async fn host_of_this_release_works_with_previous_desks_and_hooks() -> Result<()> {
    let Some(previous) = or_skip(older_program()) else { return Ok(()) };
    assert_work_together(&alongside_bin()?, &previous).await
}
