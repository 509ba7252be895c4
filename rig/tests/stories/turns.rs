//! A whole turn of an agent that asks the person nothing: its tools and its shell commands change files, and
//! the person reviews the changes at a desk that is opened after the turn.

use std::fs;

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::{Cli, write_program};
use alongside_rig::json_desk::JsonDesk;
use alongside_rig::model::ModelReply;
use alongside_rig::wait::{self, PATIENCE};
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::desk::WIDE;
use crate::script::{CLOSING_LINE, IN_CAPITALS, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL, REQUEST, script_with};
use crate::stage::Stage;

/// The command that the model runs in a shell. No hook that runs before a write sees its changes.
const SHELL_COMMAND: &str = "sed -i s/apple/APPLE/ other.txt && echo new > places.txt";

/// The person's comment on a line.
const COMMENT: &str = "say this one softly";

/// The same comment in other words, after the model has not followed the first one.
const REPEATED_COMMENT: &str = "softly, as I said";

/// The person's prompt to a model that has not followed a comment.
const FOLLOW_PROMPT: &str = "now do what my comments ask";

/// The model's answer to [`FOLLOW_PROMPT`].
const FOLLOW_ANSWER: &str = "Quiet now.";

/// The command by which the model follows the comment.
const FOLLOW_COMMAND: &str = "sed -i s/TWO/softly/ notes.txt";

alongside_rig::tests! {
    a_turn_of_claude_is_reviewed_afterwards_and_a_part_of_it_undone: review_afterwards(Cli::Claude),
    a_turn_of_codex_is_reviewed_afterwards_and_a_part_of_it_undone: review_afterwards(Cli::Codex),
    #[ignore = "cargo xtask test --all"]
    a_comment_outlives_a_prompt_that_another_hook_blocks: send_comment_after_a_blocked_prompt(),
}

/// A prompt that another hook of the person blocks does not reach the model. The comment comes with the next
/// prompt.
fn send_comment_after_a_blocked_prompt() -> Result<()> {
    let Some((stage, agent)) = repository_with_agent(Cli::Claude)? else { return Ok(()) };
    write_program(
        &stage.sandbox,
        "no-secrets",
        "grep -q secret && echo 'Not that one.' >&2 && exit 2; exit 0",
    )?;
    let settings = stage.sandbox.home().join(".claude/settings.json");
    let mut changed: Value = serde_json::from_str(&fs::read_to_string(&settings)?)?;
    let hook = json!({ "hooks": [{ "type": "command", "command": "no-secrets" }] });
    changed["hooks"]["UserPromptSubmit"].as_array_mut().context("our hook is missing")?.push(hook);
    fs::write(&settings, changed.to_string())?;
    stage.sandbox.write("notes.txt", IN_CAPITALS);
    let mut desk = JsonDesk::start(&stage.sandbox, &["--since", "HEAD"])?;
    let turn = desk.wait_for("didChangeTurn", |turn| turn["files"][0]["path"] == "notes.txt")?;
    let comment = json!({ "turn": turn["id"], "revision": turn["revision"], "file": 0, "text": COMMENT });
    desk.ask("addComment", &comment)?;
    let turn = desk.wait_for("didChangeTurn", |turn| turn["comments"][0]["text"] == COMMENT)?;
    desk.ask("finishTurn", &json!({ "turn": turn["id"], "revision": turn["revision"], "send": true }))?;
    desk.wait_for("didFinishTurn", |_| true)?;
    agent.pane.enter("claude --permission-mode auto")?;
    agent.wait_until_it_says("auto mode on")?;
    agent.ask("tell me a secret")?;
    agent.wait_until_it_says("Not that one.")?;
    let with_comment = || {
        let bodies = agent.model.requests().into_iter().map(|request| request.body.to_string());
        bodies.filter(|body| body.contains(COMMENT)).collect::<Vec<_>>()
    };
    assert_eq!(with_comment(), [""; 0]);
    // The blocked prompt is in the input again.
    agent.pane.press("C-u")?;
    agent.ask(NEXT_REQUEST)?;
    agent.wait_until_it_says(NEXT_ANSWER)?;
    desk.wait_for("didChangeTurn", |turn| {
        turn["message"]["words"] == "Claude Code has read it with your prompt, and has ended its turn"
    })?;
    let read = with_comment().pop().unwrap_or_default();
    assert_eq!(read.matches(COMMENT).count(), 1, "{read}");
    Ok(())
}

fn review_afterwards(cli: Cli) -> Result<()> {
    let Some((stage, agent)) = repository_with_agent(cli)? else { return Ok(()) };
    // The person's own change, from before the turn.
    stage.sandbox.write("mine.txt", "mine\n");
    run(&agent, cli)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS);

    let desk = stage.open_desk_with("alongside --since", WIDE)?;
    desk.wait_until_shown("Changes (3 files)")?;
    let screen = desk.wait_until_shown("change 1 of 3")?;
    for file in ["notes.txt", "other.txt", "places.txt"] {
        assert!(screen.contains(file), "{file}\n{screen}");
    }
    assert!(!screen.contains("mine.txt"), "{screen}");
    desk.press_when_shown("change 1 of 3", "Space")?;
    desk.press_when_shown("1 marked", "f")?;
    desk.press_when_shown("Undo 1 change?", "y")?;
    desk.wait_until_shown("Undone")?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("TWO", "two"));
    let read = |name: &str| fs::read_to_string(stage.sandbox.project().join(name));
    assert_eq!((read("other.txt")?.as_str(), read("places.txt")?.as_str()), ("APPLE\npear\n", "new\n"));
    stage.wait_until_drafted(IN_CAPITALS)?;
    desk.press_when_shown("Undone", "Escape")?;
    assert_comment_reaches_the_model(&stage, &agent, cli)
}

/// Sends one comment. Fails unless the model's next request holds exactly that comment, once.
fn assert_comment_reaches_the_model(stage: &Stage, agent: &Agent, cli: Cli) -> Result<()> {
    let (route, was_read) = match cli {
        Cli::Claude => ("Claude Code reads it at once", "Claude Code has read it, and "),
        _ => ("Codex reads it with your next prompt", "Codex has read it with your prompt"),
    };
    stage.sandbox.write("notes.txt", IN_CAPITALS);
    let mut desk = JsonDesk::start(&stage.sandbox, &["--since", "HEAD"])?;
    // This desk is also sent the review of the desk before.
    let is_ours = |turn: &Value| turn["baseline"]["asked"] == "HEAD";
    let has_route = |turn: &Value| is_ours(turn) && turn["route"]["words"] == route;
    desk.ask_of_turn("addComment", has_route, |turn| {
        let mut files = turn["files"].as_array().into_iter().flatten();
        let file = files.position(|file| file["path"] == "notes.txt");
        let (id, revision, lines) = (&turn["id"], &turn["revision"], json!({ "first": 2, "last": 2 }));
        json!({ "turn": id, "revision": revision, "file": file, "lines": lines, "text": COMMENT })
    })?;
    let has_comment = |turn: &Value| is_ours(turn) && turn["comments"][0]["text"] == COMMENT;
    desk.ask_of_turn(
        "finishTurn",
        has_comment,
        |turn| json!({ "turn": turn["id"], "revision": turn["revision"], "send": true }),
    )?;
    if cli == Cli::Codex {
        desk.wait_for("didFinishTurn", |_| true)?;
        agent.run_unattended(NEXT_REQUEST)?;
    }
    let with_comment = || {
        let requests = agent.model.requests();
        let bodies: Vec<String> = requests.iter().map(|request| request.body.to_string()).collect();
        bodies
            .iter()
            .find(|body| body.contains(COMMENT))
            .cloned()
            .ok_or_else(|| format!("{} requests", bodies.len()))
    };
    let read = wait::until("a request with the comment", PATIENCE, with_comment)?;
    // Escaped as in JSON.
    let expected = format!("Comment 1: `notes.txt`, line 2\\n```\\nTWO\\n```\\n> {COMMENT}\\n");
    assert!(read.contains(&expected), "{read}");
    assert!(!read.contains("Comment 2"), "{read}");
    // The agent still works, or has ended its turn already.
    desk.wait_for("didChangeTurn", |turn| is_read(turn, was_read))?;
    match cli {
        Cli::Codex => agent.wait_until_ended()?,
        _ => {
            agent.ask(NEXT_REQUEST)?;
            agent.wait_until_it_says(NEXT_ANSWER)?;
        }
    }
    let last = agent.model.requests().pop().map(|request| request.body.to_string()).unwrap_or_default();
    assert!(last.matches("Comment 1").count() <= 1, "the comment came twice: {last}");
    assert_comment_is_answered(&mut desk, agent, cli, was_read)
}

fn is_read(turn: &Value, how: &str) -> bool {
    turn["message"]["words"].as_str().is_some_and(|words| words.starts_with(how))
}

/// The model first changes nothing, and then follows the comment. The comment's state is `open` after the
/// first turn and `answered` after the second.
fn assert_comment_is_answered(desk: &mut JsonDesk, agent: &Agent, cli: Cli, was_read: &str) -> Result<()> {
    let state = |turn: &Value, state: &str| turn["comments"][0]["state"] == state;
    let turn = desk.wait_for("didChangeTurn", |turn| state(turn, "open"))?;
    desk.ask("changeComment", &json!({ "turn": turn["id"], "id": 1, "text": REPEATED_COMMENT }))?;
    let turn = desk.wait_for("didChangeTurn", |turn| turn["comments"][0]["again"] == true)?;
    let (id, revision) = (&turn["id"], &turn["revision"]);
    desk.ask("finishTurn", &json!({ "turn": id, "revision": revision, "send": true }))?;
    if cli == Cli::Codex {
        desk.wait_for("didChangeTurn", |turn| state(turn, "sent"))?;
        agent.run_unattended(FOLLOW_PROMPT)?;
    } else {
        let is_it = |turn: &Value| is_read(turn, was_read) && turn["comments"][0]["text"] == REPEATED_COMMENT;
        desk.wait_for("didChangeTurn", is_it)?;
        agent.ask(FOLLOW_PROMPT)?;
    }
    desk.wait_for("didChangeTurn", |turn| state(turn, "answered"))?;
    let bodies = agent.model.requests().into_iter().map(|request| request.body.to_string());
    let with_words: Vec<String> = bodies.filter(|body| body.contains(REPEATED_COMMENT)).collect();
    assert!(with_words.iter().all(|body| body.matches("(asked again)").count() == 1), "{with_words:?}");
    Ok(())
}

/// Creates a repository, and installs an agent with the hook for turns, without starting it. Returns `None`
/// where the agent cannot be installed.
fn repository_with_agent(cli: Cli) -> Result<Option<(Stage, Agent)>> {
    let Some(stage) = Stage::new_or_skip_for(cli)? else { return Ok(None) };
    assert_eq!(stage.on_disk(), ORIGINAL);
    stage.sandbox.write("other.txt", "apple\npear\n");
    stage.sandbox.commit()?;
    let mut replies = cli.overwrite(&stage.file, IN_CAPITALS, CLOSING_LINE);
    let last = replies.len() - 1;
    replies.insert(last, shell(cli, SHELL_COMMAND));
    let follow = || [shell(cli, FOLLOW_COMMAND), ModelReply::say(FOLLOW_ANSWER)];
    let agent = stage.install_as_new(
        cli,
        script_with(replies).on(FOLLOW_PROMPT, follow()).on(REPEATED_COMMENT, follow()),
    )?;
    agent.set_turns_up(&stage.sandbox)?;
    Ok(Some((stage, agent)))
}

/// Returns the model's call of its shell.
fn shell(cli: Cli, command: &str) -> ModelReply {
    match cli {
        Cli::Codex => ModelReply::call("exec_command", json!({ "cmd": command })),
        _ => ModelReply::call("Bash", json!({ "command": command, "description": "Change files" })),
    }
}

/// Sends the request to the agent in its automatic mode. The person has allowed the shell command before.
/// Codex ends after its turn, and Claude Code stays open.
fn run(agent: &Agent, cli: Cli) -> Result<()> {
    match cli {
        Cli::Claude => {
            let allowed = "--allowedTools 'Bash(sed:*)' 'Bash(echo:*)'";
            agent.pane.enter(&format!("claude --permission-mode auto {allowed}"))?;
            agent.wait_until_it_says("auto mode on")?;
            agent.ask(REQUEST)?;
            agent.wait_until_it_says(CLOSING_LINE)
        }
        _ => {
            agent.run_unattended(REQUEST)?;
            agent.wait_until_ended()
        }
    }
}
