//! Agents that edit without asking the person: their hook sends each change to the desk.

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
use crate::script::{CLOSING_LINE, IN_CAPITALS, ORIGINAL, REQUEST, capitalise_three_lines, script_with};
use crate::stage::{AGENT_WINDOW, Stage};

/// The agents that have a hook and a mode in which they never ask.
const UNATTENDED: [Cli; 4] = [Cli::Claude, Cli::Codex, Cli::Gemini, Cli::Qwen];

/// Starts a desk, and installs an agent with the hook, without starting it. Returns `None` where the agent
/// cannot be installed.
fn desk_and_unattended_agent(cli: Cli) -> Result<Option<(Stage, Desk, Agent)>> {
    let Some(stage) = Stage::new_or_skip_for(cli)? else { return Ok(None) };
    let desk = stage.open_desk(WIDE)?;
    desk.wait_until_connected(0)?;
    let agent = stage.install_as_new(cli, capitalise_three_lines(cli, &stage.file))?;
    agent.set_hook_up(&stage.sandbox)?;
    Ok(Some((stage, desk, agent)))
}

/// Starts a desk and an agent that connects, asks before it edits, and has the hook. `change` changes the
/// hooks in the agent's settings first.
fn desk_and_connected_agent(
    stage: &Stage,
    cli: Cli,
    change: impl FnOnce(&mut Map<String, Value>),
) -> Result<(Desk, Agent)> {
    let desk = stage.open_desk(WIDE)?;
    desk.wait_until_connected(0)?;
    let agent = stage.install_in_window(cli, capitalise_three_lines(cli, &stage.file), AGENT_WINDOW)?;
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

/// Returns the last request to the model, which holds the whole conversation.
fn last_request(agent: &Agent) -> String {
    agent.model.requests().last().map(|request| request.body.to_string()).unwrap_or_default()
}

fn assert_model_read(agent: &Agent, words: &str) {
    let read = last_request(agent);
    assert!(read.contains(words), "{read}");
}

/// Waits for the end of the agent. Fails unless it has written nothing, its model has read `words`, and a
/// draft holds the text without the first change.
fn assert_nothing_written(stage: &Stage, agent: &Agent, words: &str) -> Result<()> {
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    assert_model_read(agent, words);
    stage.wait_until_drafted(&IN_CAPITALS.replace("TWO", "two"))
}

/// Accepts the agent's edit without its first change. Fails if the person is asked about it again.
fn edit_and_decide_once(stage: &Stage, desk: &Desk, agent: &Agent) -> Result<()> {
    agent.ask(REQUEST)?;
    desk.drop_first_change()?;
    desk.press_when_shown("2 kept, 1 dropped", "a")?;
    desk.wait_until_accepted("notes.txt")?;
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("TWO", "two"));
    assert!(!desk.is_review_open("notes.txt")?, "the desk shows the change again");
    Ok(())
}

alongside_rig::tests! {
    claude_in_auto_mode_writes_what_the_person_kept: check_writes_what_was_kept(Cli::Claude),
    codex_writes_what_the_person_kept: check_writes_what_was_kept(Cli::Codex),
    gemini_in_yolo_mode_writes_what_the_person_kept: check_writes_what_was_kept(Cli::Gemini),
    claude_in_auto_mode_reads_the_reason_of_a_rejection: check_reads_the_reason(Cli::Claude),
    #[ignore = "cargo xtask test --all"]
    codex_reads_the_reason_of_a_rejection: check_reads_the_reason(Cli::Codex),
    #[ignore = "cargo xtask test --all"]
    gemini_in_yolo_mode_reads_the_reason_of_a_rejection: check_reads_the_reason(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_in_auto_edit_mode_reads_the_reason_of_a_rejection: check_reads_the_reason(Cli::Qwen),
}

fn check_writes_what_was_kept(cli: Cli) -> Result<()> {
    let Some((stage, desk, agent)) = desk_and_unattended_agent(cli)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.drop_second_change_and_accept()?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("EIGHT", "eight"));
    let read = last_request(&agent);
    match cli {
        // No text that its hook prints together with an approval reaches the model.
        Cli::Gemini => assert!(read.contains("modified by a hook"), "{read}"),
        _ => assert!(read.contains("kept 2, dropped 1"), "{read}"),
    }
    Ok(())
}

fn check_reads_the_reason(cli: Cli) -> Result<()> {
    let Some((stage, desk, agent)) = desk_and_unattended_agent(cli)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.press_when_review_open("notes.txt", "R")?;
    desk.pane.wait_for("the question for a reason", |screen| screen.contains("Why"))?;
    desk.pane.press("Tab")?;
    desk.pane.enter("nobody shouts here")?;
    desk.press_when_shown("nobody shouts here", "r")?;
    desk.wait_until_shown("notes.txt: rejected;")?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    assert_model_read(&agent, "rejected all of it. Reason: nobody shouts here");
    Ok(())
}

/// In this mode, a hook of Qwen Code cannot change the text. The model is asked to propose the decided text,
/// which is not reviewed again.
#[test]
fn qwen_in_auto_edit_mode_proposes_what_the_person_kept() -> Result<()> {
    let Some((stage, desk, _)) = desk_and_unattended_agent(Cli::Qwen)? else { return Ok(()) };
    let kept = IN_CAPITALS.replace("EIGHT", "eight");
    let mut replies = Cli::Qwen.overwrite(&stage.file, IN_CAPITALS, CLOSING_LINE);
    replies.insert(2, replies[1].clone());
    if let ModelReply::Call { arguments, .. } = &mut replies[2] {
        arguments["content"] = kept.clone().into();
    }
    let agent = stage.install_as_new(Cli::Qwen, script_with(replies))?;
    agent.set_hook_up(&stage.sandbox)?;
    agent.run_unattended(REQUEST)?;
    desk.drop_second_change_and_accept()?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), kept);
    assert_model_read(&agent, "Call the tool again so that it makes exactly this change");
    Ok(())
}

/// Before its own question, a hook of Qwen Code can change the text. Qwen Code runs the hook twice, and the
/// person decides once.
#[test]
#[ignore = "cargo xtask test --all"]
fn qwen_in_default_mode_writes_what_the_person_kept() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let (desk, agent) = desk_and_connected_agent(&stage, Cli::Qwen, |_| ())?;
    agent.ask(REQUEST)?;
    desk.drop_second_change_and_accept()?;
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("EIGHT", "eight"));
    assert!(!desk.is_review_open("notes.txt")?, "the desk shows the change again");
    Ok(())
}

/// Qwen Code waits for the hook for a minute, and the model of this test ends its turn after that.
#[test]
#[ignore = "cargo xtask test --all"]
fn an_acceptance_after_qwens_timeout_is_not_announced_as_written() -> Result<()> {
    let Some((stage, desk, agent)) = desk_and_unattended_agent(Cli::Qwen)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.wait_until_review_open("notes.txt")?;
    desk.wait_until_shown("notes.txt: Qwen Code waits no longer")?;
    agent.wait_until_ended()?;
    desk.press_when_review_open("notes.txt", "a")?;
    desk.wait_until_shown("nothing is written unless its model calls the tool again")?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

/// Gemini CLI runs the hook and then opens a diff. Qwen Code opens a diff and then runs the hook, if the hook
/// is not registered for Qwen Code's own question.
#[test]
fn an_edit_that_comes_by_hook_and_by_diff_is_reviewed_once() -> Result<()> {
    for cli in [Cli::Gemini, Cli::Qwen] {
        let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
        let (desk, agent) =
            desk_and_connected_agent(&stage, cli, |hooks| drop(hooks.remove("PermissionRequest")))?;
        edit_and_decide_once(&stage, &desk, &agent)?;
    }
    Ok(())
}

/// Whether an agent of the sandbox has started `alongside stdio`. The process has the sandbox's `HOME`, but
/// not most of its other variables.
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

/// In a container, Gemini CLI cannot connect to the companion. It starts `alongside stdio`, and sends no
/// name.
#[test]
fn in_a_container_gemini_is_named_and_its_edit_reviewed_once() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let desk = stage.open_desk(WIDE)?;
    desk.wait_until_connected(0)?;
    let agent = stage.install_in_window(
        Cli::Gemini,
        capitalise_three_lines(Cli::Gemini, &stage.file),
        AGENT_WINDOW,
    )?;
    agent.set_hook_up(&stage.sandbox)?;
    let in_container = alongside_rig::node_script("show-container.cjs");
    agent.start_with(&format!("NODE_OPTIONS='--require={}' gemini", in_container.display()))?;
    desk.wait_until_connected(1)?;
    let companions = alongside_rig::program::companions(&stage.sandbox)?;
    assert_eq!(companions[0]["agents"][0]["name"], "Gemini CLI", "{companions}");
    assert!(has_bridge(&stage), "Gemini CLI has dialled the companion itself");
    edit_and_decide_once(&stage, &desk, &agent)
}

/// Without a companion, the agents write as they do without a hook.
#[test]
fn without_a_companion_agents_write_as_without_a_hook() -> Result<()> {
    for cli in UNATTENDED {
        let Some((stage, desk, agent)) = desk_and_unattended_agent(cli)? else { continue };
        desk.pane.press("q")?;
        desk.wait_for_shell()?;
        agent.run_unattended(REQUEST)?;
        agent.wait_until_ended()?;
        assert_eq!(stage.on_disk(), IN_CAPITALS, "{cli:?}");
    }
    Ok(())
}

/// Claude Code refuses a change whose hook dies, because the entry in its settings asks for that.
#[test]
fn a_hook_that_is_killed_lets_no_change_of_claude_through() -> Result<()> {
    let Some((stage, desk, agent)) = desk_and_unattended_agent(Cli::Claude)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.drop_first_change()?;
    let is_hook = |pid: &Pid| command_line(pid.as_raw_nonzero()).contains("alongside hook claude");
    let hook = stage.sandbox.processes().into_iter().find(is_hook);
    kill_process(hook.context("no process of the hook")?, Signal::KILL)?;
    assert_nothing_written(&stage, &agent, "blocking because onFailure")
}

/// Claude Code also refuses a change whose hook fails, or exceeds the timeout.
#[test]
#[ignore = "cargo xtask test --all"]
fn a_hook_that_fails_or_is_late_lets_no_change_of_claude_through() -> Result<()> {
    for (body, timeout) in [("exit 1", "3600"), ("echo no answer; exit 3", "3600"), ("exec sleep 100", "2")] {
        let Some((stage, desk, agent)) = desk_and_unattended_agent(Cli::Claude)? else { return Ok(()) };
        write_program(&stage.sandbox, "alongside", body)?;
        let settings = stage.sandbox.home().join(".claude/settings.json");
        fs::write(&settings, fs::read_to_string(&settings)?.replace("3600", timeout))?;
        agent.run_unattended(REQUEST)?;
        agent.wait_until_ended()?;
        assert_eq!(stage.on_disk(), ORIGINAL, "{body}");
        let read = last_request(&agent);
        assert!(read.contains("blocking because onFailure"), "{body}: {read}");
        assert!(!desk.is_review_open("notes.txt")?, "{body}");
    }
    Ok(())
}

/// If the program was removed without `alongside uninstall`, its entry refuses nothing, and the person reads
/// a message about that.
#[test]
#[ignore = "cargo xtask test --all"]
fn without_the_program_claude_writes_and_tells_the_person() -> Result<()> {
    let Some(stage) = Stage::new_or_skip_for(Cli::Claude)? else { return Ok(()) };
    let agent = stage.install_as_new(Cli::Claude, capitalise_three_lines(Cli::Claude, &stage.file))?;
    agent.set_hook_up(&stage.sandbox)?;
    let settings = stage.sandbox.home().join(".claude/settings.json");
    let text = fs::read_to_string(&settings)?;
    let without_program = ["-v ", "exec "].into_iter().fold(text.clone(), |text, word| {
        text.replace(&format!("{word}alongside"), &format!("{word}/nowhere/alongside"))
    });
    assert_ne!(without_program, text);
    fs::write(&settings, without_program)?;
    agent.pane.enter("claude --permission-mode acceptEdits")?;
    agent.wait_until_it_says("accept edits on")?;
    agent.ask(REQUEST)?;
    agent.wait_until_it_says("Nobody reviewed this change")?;
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS);
    Ok(())
}

/// The agent has written nothing, and a draft holds the text without the dropped change.
#[test]
fn a_companion_that_is_killed_lets_no_change_through() -> Result<()> {
    for cli in UNATTENDED {
        let Some((stage, desk, agent)) = desk_and_unattended_agent(cli)? else { continue };
        agent.run_unattended(REQUEST)?;
        desk.drop_first_change()?;
        stage.wait_until_drafted(&IN_CAPITALS.replace("TWO", "two"))?;
        kill_process(stage.host()?, Signal::KILL)?;
        agent.wait_until_ended()?;
        assert_eq!(stage.on_disk(), ORIGINAL, "{cli:?}");
        let read = last_request(&agent);
        assert!(read.contains("The companion has gone away during the review"), "{cli:?}: {read}");
        stage.wait_until_drafted(&IN_CAPITALS.replace("TWO", "two"))?;
    }
    Ok(())
}

#[test]
fn a_desk_that_is_left_lets_no_change_through() -> Result<()> {
    let Some((stage, desk, agent)) = desk_and_unattended_agent(Cli::Claude)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.press_when_review_open("notes.txt", "Space")?;
    desk.press_when_shown("2 kept, 1 dropped", "q")?;
    desk.pane.wait_for("the question before leaving", |screen| screen.contains("rejects"))?;
    desk.press_when_shown("rejects", "y")?;
    desk.wait_for_shell()?;
    assert_nothing_written(&stage, &agent, "A text that the person typed is in ")
}

/// A killed desk may be started again, so its review stays open for half a minute.
#[test]
fn a_desk_that_is_killed_lets_no_change_through() -> Result<()> {
    let Some((stage, desk, agent)) = desk_and_unattended_agent(Cli::Codex)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.drop_first_change()?;
    desk.pane.kill()?;
    agent
        .pane
        .wait_within(2 * PATIENCE, "the end of the agent", |screen| screen.contains("the agent has ended"))?;
    assert_nothing_written(&stage, &agent, "Nothing was written. A text that the person typed is in ")
}

/// Shortly before the agent's time limit, here 8 s, the hook refuses the change.
#[test]
fn a_review_that_takes_too_long_lets_no_change_through() -> Result<()> {
    let Some((stage, desk, agent)) = desk_and_unattended_agent(Cli::Claude)? else { return Ok(()) };
    let settings = stage.sandbox.home().join(".claude/settings.json");
    let shorter = fs::read_to_string(&settings)?
        .replace("alongside hook claude", "alongside hook claude --timeout 8")
        .replace("3600", "8");
    fs::write(&settings, shorter)?;
    agent.run_unattended(REQUEST)?;
    desk.press_when_review_open("notes.txt", "Space")?;
    desk.wait_until_shown("notes.txt: rejected, because Claude Code waits no longer.")?;
    assert_nothing_written(&stage, &agent, "The person has not decided on this change in time.")
}

/// A patch of several files is one call of a tool. Each file has its own review, and the answer is one patch.
#[test]
fn codex_writes_only_the_files_of_a_patch_that_the_person_kept() -> Result<()> {
    let Some((stage, desk, _)) = desk_and_unattended_agent(Cli::Codex)? else { return Ok(()) };
    let old_file = stage.sandbox.write("old.txt", "old\n");
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** Delete File: old.txt\n*** Update File: \
                 notes.txt\n@@\n-two\n+TWO\n*** End Patch";
    let call = ModelReply::call("apply_patch", serde_json::json!({ "input": patch }));
    let script = Script::new().on(REQUEST, [call, ModelReply::say(CLOSING_LINE)]);
    let agent = stage.install_as_new(Cli::Codex, script)?;
    agent.set_hook_up(&stage.sandbox)?;
    agent.run_unattended(REQUEST)?;
    // The order of the reviews of one call is not defined.
    desk.wait_until_shown("3 are waiting")?;
    for _ in 0..3 {
        let names = ["new.txt", "old.txt", "notes.txt"];
        let file = wait::until("an open review", PATIENCE, || {
            let mut files = names.into_iter();
            files.find(|file| desk.is_review_open(file).is_ok_and(|is_open| is_open)).ok_or("none".to_owned())
        })?;
        desk.press_when_review_open(file, if file == "old.txt" { "r" } else { "a" })?;
        wait::until(&format!("the end of the review of {file}"), PATIENCE, || {
            match desk.is_review_open(file) {
                Ok(false) => Ok(()),
                other => Err(format!("{other:?}")),
            }
        })?;
    }
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), ORIGINAL.replace("two", "TWO"));
    assert_eq!(fs::read_to_string(&old_file)?, "old\n");
    assert_eq!(fs::read_to_string(stage.sandbox.project().join("new.txt"))?, "new\n");
    assert_model_read(&agent, "old.txt: The person reviewed this change and rejected all of it.");
    Ok(())
}

/// Prepares a desk and Codex as [`desk_and_unattended_agent`] does, for a person whose shell is fish. Codex
/// starts its hooks in the person's own shell.
fn desk_and_codex_in_fish() -> Result<Option<(Stage, Desk, Agent)>> {
    if !std::process::Command::new("fish")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
    {
        skip("fish is not installed");
        return Ok(None);
    }
    let Some((stage, desk, agent)) = desk_and_unattended_agent(Cli::Codex)? else { return Ok(None) };
    agent.pane.enter("export SHELL=\"$(command -v fish)\"")?;
    Ok(Some((stage, desk, agent)))
}

/// `codex exec` prints no message of a hook that has completed. The interactive Codex does, as seen in
/// 0.169.0.
#[test]
fn a_hook_of_codex_completes_in_fish_where_the_program_is_gone() -> Result<()> {
    let Some((stage, _desk, agent)) = desk_and_codex_in_fish()? else { return Ok(()) };
    let file = stage.sandbox.home().join(".codex/hooks.json");
    let without_program = fs::read_to_string(&file)?.replace(" alongside hook", " /nowhere/alongside hook");
    fs::write(&file, without_program)?;
    agent.run_unattended(REQUEST)?;
    agent.wait_until_it_says("hook: PreToolUse Completed")?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), IN_CAPITALS);
    Ok(())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn codex_obeys_a_rejection_in_fish() -> Result<()> {
    let Some((stage, desk, agent)) = desk_and_codex_in_fish()? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.press_when_review_open("notes.txt", "r")?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

/// The agent's end closes the review, because no process waits for the decision any more.
#[test]
fn killed_agent_closes_the_review_of_its_hook() -> Result<()> {
    let Some((stage, desk, agent)) = desk_and_unattended_agent(Cli::Gemini)? else { return Ok(()) };
    agent.run_unattended(REQUEST)?;
    desk.drop_first_change()?;
    agent.pane.kill()?;
    desk.dismiss_until_shown("notes.txt: closed, because Gemini CLI has broken off the call.")?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    wait::until("the review to be closed", PATIENCE, || match desk.is_review_open("notes.txt") {
        Ok(false) => Ok(()),
        other => Err(format!("{other:?}")),
    })
}
