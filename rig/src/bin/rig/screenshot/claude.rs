//! The pictures in which Claude Code works in a pane below the desk.

use std::process::Command;
use std::thread::sleep;

use alongside_rig::agent_cli::{self, Cli};
use alongside_rig::model::{FakeModel, ModelReply, Script};
use alongside_rig::screen::Terminal;
use alongside_rig::{Sandbox, Screen, install};
use serde_json::json;

use super::scene::{STILL_TIME, Scene};

/// A person rejects what Claude Code is about to write, with a reason, and gets its next attempt.
pub(super) fn hook(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Scene> {
    const REQUEST: &str = "Make room for a total with tax in prices.py.";
    let prices = sandbox.write("prices.py", include_str!("shop/prices.py"));
    let edit = |new: &str| {
        let arguments = json!({ "file_path": prices, "old_string": "def total(items):", "new_string": new });
        ModelReply::call("Edit", arguments)
    };
    let replies = [
        ModelReply::call("Read", json!({ "file_path": prices })),
        edit("def net_total(items):"),
        edit("def total_with_tax(items):\n    return total(items) * (1 + TAX)\n\n\ndef total(items):"),
        ModelReply::say("total() is as it was, and total_with_tax() is new."),
    ];
    let model = FakeModel::start(Script::new().on(REQUEST, replies))?;
    Cli::Claude.set_up_as_new(sandbox, &install()?, &model)?;
    agent_cli::set_hook_up(sandbox, "claude")?;
    let claude = ("28", "claude --permission-mode auto");
    let screen = start_at_work(sandbox, terminal, claude, REQUEST, "net_total")?;
    screen.press_and_see("R", "Why?")?;
    screen.press_and_see("keep the public name\r", "Reason noted")?;
    sleep(STILL_TIME);
    screen.press_and_see("r", "total_with_tax")?;
    sleep(STILL_TIME);
    // Claude Code never stops drawing while it waits.
    Ok(Scene { _model: Some(model), is_restless: true, ..screen.into() })
}

/// A person looks at a turn of Claude Code, comments on a change, and marks another one to be undone.
pub(super) fn turn(sandbox: &Sandbox, terminal: &Terminal) -> anyhow::Result<Scene> {
    const REQUEST: &str = "Let total() add the tax, and note it in CHANGES.";
    const ANSWER: &str = "total() adds the tax now.";
    let prices = sandbox.write("prices.py", include_str!("shop/prices.py"));
    sandbox.write("CHANGES", "1.1  cheapest()\n");
    sandbox.commit()?;
    let edit = |old: &str, new: &str| {
        ModelReply::call("Edit", json!({ "file_path": prices, "old_string": old, "new_string": new }))
    };
    let shell = "echo '1.2  total() with tax' >> CHANGES";
    let replies = [
        ModelReply::call("Read", json!({ "file_path": prices })),
        edit("sum(item.price for item in items)", "sum(item.price for item in items) * (1 + TAX)"),
        edit("min(items, key=lambda item: item.price)", "sorted(items, key=lambda item: item.price)[0]"),
        ModelReply::call("Bash", json!({ "command": shell, "description": "Note the change" })),
        ModelReply::say(ANSWER),
    ];
    let model = FakeModel::start(Script::new().on(REQUEST, replies))?;
    Cli::Claude.set_up_as_new(sandbox, &install()?, &model)?;
    agent_cli::set_turns_up(sandbox, "claude")?;
    let claude = ("22", "claude --permission-mode auto --allowedTools 'Bash(echo:*)'");
    let screen = start_at_work(sandbox, terminal, claude, REQUEST, ANSWER)?;
    screen.press_and_see("T", "1.2  total()")?;
    sleep(STILL_TIME);
    screen.press_and_see("\t", "change 1 of 2")?;
    sleep(STILL_TIME);
    screen.press_and_see("c", "reads it")?;
    screen.press_and_see("Round it to cents.\r", "1 comment")?;
    sleep(STILL_TIME);
    screen.press_and_see("j", "change 2 of 2")?;
    sleep(STILL_TIME);
    screen.press_and_see(" ", "1 marked")?;
    Ok(Scene { _model: Some(model), is_restless: true, ..screen.into() })
}

/// Starts a desk, and in a pane of `lines` lines below it an agent, sends the agent `request`, and waits
/// until the screen shows `shown`. The next keys go to the desk.
fn start_at_work(
    sandbox: &Sandbox,
    terminal: &Terminal,
    (lines, agent): (&str, &str),
    request: &str,
    shown: &str,
) -> anyhow::Result<Screen> {
    let (name, path) = agent_cli::path_variable(sandbox)?;
    let socket = sandbox.tmp().join("panes").to_string_lossy().into_owned();
    let tmux = |words: &[&str]| -> anyhow::Result<()> {
        let mut tmux = Command::new("tmux");
        tmux.env_clear().envs(sandbox.env()).env(&name, &path).current_dir(sandbox.project());
        let status = tmux.args(["-S", &socket]).args(words).status()?;
        anyhow::ensure!(status.success(), "tmux {words:?} fails");
        Ok(())
    };
    let start = ["tmux", "-S", &socket, "-f", "/dev/null", "new-session", "alongside"];
    // Without focus events, Claude Code prints a message that it misses them.
    let options = [";", "set", "-g", "status", "off", ";", "set", "-g", "focus-events", "on"];
    let colours = [";", "set", "-as", "terminal-features", ",*:RGB"];
    let words = start.iter().chain(&options).chain(&colours);
    let screen = Screen::start(sandbox, &terminal.clone().with(&name, &path), words)?;
    screen.wait_for_text("no agent yet")?;
    tmux(&["split-window", "-v", "-l", lines, agent])?;
    screen.wait_for_text("auto mode on")?;
    screen.press_and_see(request, request)?;
    screen.press("\r")?;
    screen.wait_for_text(shown)?;
    tmux(&["select-pane", "-U"])?;
    // A desk ignores a key that comes sooner than a person can read.
    sleep(STILL_TIME);
    Ok(screen)
}
