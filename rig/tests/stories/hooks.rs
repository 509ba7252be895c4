//! Agents that ask nobody before they edit: their hook brings each change to the desk.

use std::fs;

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::{Cli, write_program};
use alongside_rig::model::{ModelReply, Script};
use alongside_rig::procfs::command_line;
use alongside_rig::wait::{self, PATIENCE};
use alongside_testing::skip;
use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value};

use crate::desk::{Desk, WIDE};
use crate::script::{DONE, ORIGINAL, REQUEST, SHOUTED, shout, with};
use crate::stage::Stage;

/// The agents, in a mode in which they never ask.
const UNATTENDED: [Cli; 4] = [Cli::Claude, Cli::Codex, Cli::Gemini, Cli::Qwen];

/// A desk, and an agent with the hook that is not started yet. `None` where it cannot be installed.
fn set(cli: Cli) -> Result<Option<(Stage, Desk, Agent)>> {
    let Some(stage) = Stage::set_for(cli)? else { return Ok(None) };
    let desk = stage.open_desk(WIDE)?;
    desk.wait_until_connected(0)?;
    let agent = stage.install_as_new(cli, shout(cli, &stage.file))?;
    agent.set_hook_up(&stage.sandbox)?;
    Ok(Some((stage, desk, agent)))
}

/// A desk, and a running agent that is connected, asks before it edits, and has the hook, in settings that
/// `change` has changed.
fn set_connected(
    stage: &Stage,
    cli: Cli,
    change: impl FnOnce(&mut Map<String, Value>),
) -> Result<(Desk, Agent)> {
    let desk = stage.open_desk(WIDE)?;
    desk.wait_until_connected(0)?;
    let agent = stage.install_in(cli, shout(cli, &stage.file), (100, 50))?;
    agent.set_hook_up(&stage.sandbox)?;
    let settings = stage.sandbox.home().join(format!(".{}/settings.json", cli.command()));
    let mut changed: Value = serde_json::from_slice(&fs::read(&settings)?)?;
    if let Some(hooks) = changed["hooks"].as_object_mut() {
        change(hooks);
    }
    fs::write(&settings, changed.to_string())?;
    agent.start()?;
    desk.wait_until_connected(1)?;
    Ok((desk, agent))
}

/// Everything that the model has read since the person's request, in its last request.
fn read_by_the_model(agent: &Agent) -> String {
    agent.model.requests().last().map(|request| request.body.to_string()).unwrap_or_default()
}

fn assert_model_read(agent: &Agent, words: &str) {
    let read = read_by_the_model(agent);
    assert!(read.contains(words), "{read}");
}

/// The agent has ended without a write, its model has read `words`, and a draft has the text without the
/// first change.
fn nothing_is_written(stage: &Stage, agent: &Agent, words: &str) -> Result<()> {
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    assert_model_read(agent, words);
    stage.wait_until_drafted(&SHOUTED.replace("TWO", "two"))
}

/// The person decides on the agent's change without its first part, and is not asked again.
fn is_asked_once(stage: &Stage, desk: &Desk, agent: &Agent) -> Result<()> {
    agent.ask(REQUEST)?;
    desk.drop_first()?;
    desk.press_after("2 kept, 1 dropped", "a")?;
    desk.wait_until_accepted("notes.txt")?;
    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("TWO", "two"));
    assert!(!desk.reads("notes.txt")?, "the desk shows the change again");
    Ok(())
}

alongside_rig::tests! {
    claude_in_auto_mode_writes_what_the_person_kept: writes_what_was_kept(Cli::Claude),
    codex_writes_what_the_person_kept: writes_what_was_kept(Cli::Codex),
    gemini_in_yolo_mode_writes_what_the_person_kept: writes_what_was_kept(Cli::Gemini),
    claude_in_auto_mode_reads_the_reason_of_a_rejection: reads_the_reason(Cli::Claude),
    #[ignore = "cargo xtask test --all"]
    codex_reads_the_reason_of_a_rejection: reads_the_reason(Cli::Codex),
    #[ignore = "cargo xtask test --all"]
    gemini_in_yolo_mode_reads_the_reason_of_a_rejection: reads_the_reason(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_in_auto_edit_mode_reads_the_reason_of_a_rejection: reads_the_reason(Cli::Qwen),
}

fn writes_what_was_kept(cli: Cli) -> Result<()> {
    let Some((stage, desk, agent)) = set(cli)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.drop_second_and_accept()?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("EIGHT", "eight"));
    let read = read_by_the_model(&agent);
    match cli {
        // Nothing that its hook says with a yes reaches the model.
        Cli::Gemini => assert!(read.contains("modified by a hook"), "{read}"),
        _ => assert!(read.contains("kept 2, dropped 1"), "{read}"),
    }
    Ok(())
}

fn reads_the_reason(cli: Cli) -> Result<()> {
    let Some((stage, desk, agent)) = set(cli)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.press_at("notes.txt", "R")?;
    desk.pane.wait_for("the question for a reason", |screen| screen.contains("Why"))?;
    desk.pane.press("Tab")?;
    desk.pane.enter("nobody shouts here")?;
    desk.press_after("nobody shouts here", "r")?;
    desk.wait_until_shown("notes.txt: rejected;")?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    assert_model_read(&agent, "rejected all of it. Reason: nobody shouts here");
    Ok(())
}

/// Qwen Code takes no other text in this mode: its model is asked to propose it, and is not reviewed again.
#[test]
fn qwen_in_auto_edit_mode_proposes_what_the_person_kept() -> Result<()> {
    let Some((stage, desk, _)) = set(Cli::Qwen)? else { return Ok(()) };
    let kept = SHOUTED.replace("EIGHT", "eight");
    let mut turns = Cli::Qwen.overwrite(&stage.file, SHOUTED, DONE);
    turns.insert(2, turns[1].clone());
    if let ModelReply::Call { arguments, .. } = &mut turns[2] {
        arguments["content"] = kept.clone().into();
    }
    let agent = stage.install_as_new(Cli::Qwen, with(turns))?;
    agent.set_hook_up(&stage.sandbox)?;
    agent.run_unattended(REQUEST)?;
    desk.drop_second_and_accept()?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), kept);
    assert_model_read(&agent, "Call the tool again so that it makes exactly this change");
    Ok(())
}

/// Before its own question, Qwen Code takes another text. It runs the hook twice; the person decides once.
#[test]
#[ignore = "cargo xtask test --all"]
fn qwen_in_default_mode_writes_what_the_person_kept() -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let (desk, agent) = set_connected(&stage, Cli::Qwen, |_| ())?;
    agent.ask(REQUEST)?;
    desk.drop_second_and_accept()?;
    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("EIGHT", "eight"));
    assert!(!desk.reads("notes.txt")?, "it asks again");
    Ok(())
}

/// Qwen Code waits for a minute, and this model ends its turn then.
#[test]
#[ignore = "cargo xtask test --all"]
fn nobody_is_told_that_qwen_writes_after_its_minute() -> Result<()> {
    let Some((stage, desk, agent)) = set(Cli::Qwen)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.wait_until_it_reads("notes.txt")?;
    desk.wait_until_shown("notes.txt: Qwen Code waits no longer")?;
    agent.wait_until_ended()?;
    desk.press_at("notes.txt", "a")?;
    desk.wait_until_shown("nothing is written unless its model calls the tool again")?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

/// Gemini CLI runs the hook and then opens a diff. Qwen Code opens a diff and then runs the hook, where that
/// is not registered for its own question.
#[test]
fn an_edit_that_comes_by_hook_and_by_diff_is_asked_once() -> Result<()> {
    for cli in [Cli::Gemini, Cli::Qwen] {
        let Some(stage) = Stage::set()? else { return Ok(()) };
        let (desk, agent) = set_connected(&stage, cli, |hooks| drop(hooks.remove("PermissionRequest")))?;
        is_asked_once(&stage, &desk, &agent)?;
    }
    Ok(())
}

/// Whether an agent of the sandbox has started `alongside stdio`: with its home, and without most of its
/// variables.
fn has_bridge(stage: &Stage) -> bool {
    let home = format!("HOME={}\0", stage.sandbox.home().display()).into_bytes();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut bridges = processes.filter(|entry| {
        let pid = entry.file_name();
        let is_bridge = command_line(pid.display()).contains("stdio --agent gemini");
        let variables = || fs::read(entry.path().join("environ")).unwrap_or_default();
        is_bridge && variables().windows(home.len()).any(|part| part == home)
    });
    bridges.next().is_some()
}

/// In a container, Gemini CLI cannot dial the companion: it starts `alongside stdio`, and gives no name.
#[test]
fn in_a_container_an_edit_of_gemini_is_asked_once_and_by_its_name() -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let desk = stage.open_desk(WIDE)?;
    desk.wait_until_connected(0)?;
    let agent = stage.install_in(Cli::Gemini, shout(Cli::Gemini, &stage.file), (100, 50))?;
    agent.set_hook_up(&stage.sandbox)?;
    let in_container = alongside_rig::node_script("show-container.cjs");
    agent.start_with(&format!("NODE_OPTIONS='--require={}' gemini", in_container.display()))?;
    desk.wait_until_connected(1)?;
    let companions = alongside_rig::program::companions(&stage.sandbox)?;
    assert_eq!(companions[0]["agents"][0]["name"], "Gemini CLI", "{companions}");
    assert!(has_bridge(&stage), "it has dialled the companion itself");
    is_asked_once(&stage, &desk, &agent)
}

/// Without a companion, the agents do what they do without a hook.
#[test]
fn without_a_companion_nothing_changes() -> Result<()> {
    for cli in UNATTENDED {
        let Some((stage, desk, agent)) = set(cli)? else { continue };
        desk.pane.press("q")?;
        desk.wait_until_left()?;
        agent.run_unattended(REQUEST)?;
        agent.wait_until_ended()?;
        assert_eq!(stage.on_disk(), SHOUTED, "{cli:?}");
    }
    Ok(())
}

/// Claude Code refuses a change whose hook dies: the entry asks for it.
#[test]
fn a_hook_that_is_killed_lets_no_change_of_claude_through() -> Result<()> {
    let Some((stage, desk, agent)) = set(Cli::Claude)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.drop_first()?;
    let is_hook = |pid: &Pid| command_line(pid.as_raw_nonzero()).contains("alongside hook claude");
    let hook = stage.sandbox.processes().into_iter().find(is_hook);
    kill_process(hook.context("no process of the hook")?, Signal::KILL)?;
    nothing_is_written(&stage, &agent, "blocking because onFailure")
}

/// The same for one that fails, and one that Claude Code gives up.
#[test]
#[ignore = "cargo xtask test --all"]
fn a_hook_that_fails_or_is_late_lets_no_change_of_claude_through() -> Result<()> {
    for (body, timeout) in [("exit 1", "3600"), ("echo no answer; exit 3", "3600"), ("exec sleep 100", "2")] {
        let Some((stage, desk, agent)) = set(Cli::Claude)? else { return Ok(()) };
        write_program(&stage.sandbox, "alongside", body)?;
        let settings = stage.sandbox.home().join(".claude/settings.json");
        fs::write(&settings, fs::read_to_string(&settings)?.replace("3600", timeout))?;
        agent.run_unattended(REQUEST)?;
        agent.wait_until_ended()?;
        assert_eq!(stage.on_disk(), ORIGINAL, "{body}");
        let read = read_by_the_model(&agent);
        assert!(read.contains("blocking because onFailure"), "{body}: {read}");
        assert!(!desk.reads("notes.txt")?, "{body}");
    }
    Ok(())
}

/// A program that was removed without `alongside uninstall` refuses nothing, and the person reads of it.
#[test]
#[ignore = "cargo xtask test --all"]
fn without_the_program_claude_writes_and_tells_the_person() -> Result<()> {
    let Some(stage) = Stage::set_for(Cli::Claude)? else { return Ok(()) };
    let agent = stage.install_as_new(Cli::Claude, shout(Cli::Claude, &stage.file))?;
    agent.set_hook_up(&stage.sandbox)?;
    let settings = stage.sandbox.home().join(".claude/settings.json");
    let text = fs::read_to_string(&settings)?;
    let moved = ["-v ", "exec "].into_iter().fold(text.clone(), |text, word| {
        text.replace(&format!("{word}alongside"), &format!("{word}/nowhere/alongside"))
    });
    assert_ne!(moved, text);
    fs::write(&settings, moved)?;
    agent.pane.enter("claude --permission-mode acceptEdits")?;
    agent.wait_until_it_says("accept edits on")?;
    agent.ask(REQUEST)?;
    agent.wait_until_it_says("Nobody reviewed this change")?;
    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED);
    Ok(())
}

/// The typed text is in a draft, and the agent has not written.
#[test]
fn a_companion_that_is_killed_lets_no_change_through() -> Result<()> {
    for cli in UNATTENDED {
        let Some((stage, desk, agent)) = set(cli)? else { continue };
        agent.run_unattended(REQUEST)?;
        desk.drop_first()?;
        stage.wait_until_drafted(&SHOUTED.replace("TWO", "two"))?;
        kill_process(stage.host()?, Signal::KILL)?;
        agent.wait_until_ended()?;
        assert_eq!(stage.on_disk(), ORIGINAL, "{cli:?}");
        let read = read_by_the_model(&agent);
        assert!(read.contains("The companion has gone away during the review"), "{cli:?}: {read}");
        stage.wait_until_drafted(&SHOUTED.replace("TWO", "two"))?;
    }
    Ok(())
}

#[test]
fn a_desk_that_is_left_lets_no_change_through() -> Result<()> {
    let Some((stage, desk, agent)) = set(Cli::Claude)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.press_at("notes.txt", "Space")?;
    desk.press_after("2 kept, 1 dropped", "q")?;
    desk.pane.wait_for("the question", |screen| screen.contains("rejects"))?;
    desk.press_after("rejects", "y")?;
    desk.wait_until_left()?;
    nothing_is_written(&stage, &agent, "A text that the person typed is in ")
}

/// A desk that was killed may come back: its review waits for half a minute.
#[test]
fn a_desk_that_is_killed_lets_no_change_through() -> Result<()> {
    let Some((stage, desk, agent)) = set(Cli::Codex)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.drop_first()?;
    desk.pane.kill()?;
    agent
        .pane
        .wait_within(2 * PATIENCE, "the end of the agent", |screen| screen.contains("the agent has ended"))?;
    nothing_is_written(&stage, &agent, "Nothing was written. A text that the person typed is in ")
}

/// Near the agent's limit the hook refuses. This limit is 8 s.
#[test]
fn a_review_that_takes_too_long_lets_no_change_through() -> Result<()> {
    let Some((stage, desk, agent)) = set(Cli::Claude)? else { return Ok(()) };
    let settings = stage.sandbox.home().join(".claude/settings.json");
    let short = fs::read_to_string(&settings)?
        .replace("alongside hook claude", "alongside hook claude --timeout 8")
        .replace("3600", "8");
    fs::write(&settings, short)?;
    agent.run_unattended(REQUEST)?;
    desk.press_at("notes.txt", "Space")?;
    desk.wait_until_shown("notes.txt: rejected, because Claude Code waits no longer.")?;
    nothing_is_written(&stage, &agent, "The person has not decided on this change in time.")
}

/// A patch of several files is one call: each file has its own review, and the answer is one patch.
#[test]
fn codex_writes_only_the_files_of_a_patch_that_the_person_kept() -> Result<()> {
    let Some((stage, desk, _)) = set(Cli::Codex)? else { return Ok(()) };
    let old = stage.sandbox.write("old.txt", "old\n");
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** Delete File: old.txt\n*** Update File: \
                 notes.txt\n@@\n-two\n+TWO\n*** End Patch";
    let call = ModelReply::call("apply_patch", serde_json::json!({ "input": patch }));
    let script = Script::new().on(REQUEST, [call, ModelReply::say(DONE)]);
    let agent = stage.install_as_new(Cli::Codex, script)?;
    agent.set_hook_up(&stage.sandbox)?;
    agent.run_unattended(REQUEST)?;
    // The reviews of one call come in any order.
    desk.wait_until_shown("3 are waiting")?;
    for _ in 0..3 {
        let open = ["new.txt", "old.txt", "notes.txt"];
        let file = wait::until("an open review", PATIENCE, || {
            let mut files = open.into_iter();
            files.find(|file| desk.reads(file).is_ok_and(|reads| reads)).ok_or("none".to_owned())
        })?;
        desk.press_at(file, if file == "old.txt" { "r" } else { "a" })?;
        wait::until("its end", PATIENCE, || match desk.reads(file) {
            Ok(false) => Ok(()),
            other => Err(format!("{other:?}")),
        })?;
    }
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), ORIGINAL.replace("two", "TWO"));
    assert_eq!(fs::read_to_string(&old)?, "old\n");
    assert_eq!(fs::read_to_string(stage.sandbox.project().join("new.txt"))?, "new\n");
    assert_model_read(&agent, "old.txt: The person reviewed this change and rejected all of it.");
    Ok(())
}

/// Codex starts its hooks in the person's own shell.
fn set_in_fish() -> Result<Option<(Stage, Desk, Agent)>> {
    if !std::process::Command::new("fish").arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        skip("fish is not installed");
        return Ok(None);
    }
    let Some((stage, desk, agent)) = set(Cli::Codex)? else { return Ok(None) };
    agent.pane.enter("export SHELL=\"$(command -v fish)\"")?;
    Ok(Some((stage, desk, agent)))
}

/// `codex exec` prints no message of a hook that has completed. Its screen does, as seen in 0.169.0.
#[test]
fn a_hook_of_codex_completes_in_fish_where_the_program_is_gone() -> Result<()> {
    let Some((stage, _desk, agent)) = set_in_fish()? else { return Ok(()) };
    let file = stage.sandbox.home().join(".codex/hooks.json");
    let gone = fs::read_to_string(&file)?.replace(" alongside hook", " /nowhere/alongside hook");
    fs::write(&file, gone)?;
    agent.run_unattended(REQUEST)?;
    agent.wait_until_it_says("hook: PreToolUse Completed")?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), SHOUTED);
    Ok(())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn codex_obeys_a_rejection_in_fish() -> Result<()> {
    let Some((stage, desk, agent)) = set_in_fish()? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.press_at("notes.txt", "r")?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

/// The agent's own death ends the review: nobody waits for its outcome.
#[test]
fn an_agent_that_is_killed_takes_its_review_along() -> Result<()> {
    let Some((stage, desk, agent)) = set(Cli::Gemini)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.drop_first()?;
    agent.pane.kill()?;
    desk.read_until_shown("notes.txt: closed, because Gemini CLI has broken off the call.")?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    wait::until("no review", PATIENCE, || match desk.reads("notes.txt") {
        Ok(false) => Ok(()),
        other => Err(format!("{other:?}")),
    })
}
