//! A whole turn of an agent that nobody asked about anything: its tools and its shell commands change files,
//! and the person reviews them afterwards, at a desk that is opened after the turn.

use std::fs;

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::{Cli, write_program};
use alongside_rig::json_desk::JsonDesk;
use alongside_rig::model::ModelReply;
use alongside_rig::wait::{self, PATIENCE};
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::desk::WIDE;
use crate::script::{DONE, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL, REQUEST, SHOUTED, with};
use crate::stage::Stage;

/// The command that the model runs in a shell, where no hook before a write sees it.
const SHELL: &str = "sed -i s/apple/APPLE/ other.txt && echo new > places.txt";

/// The person's comment on a line.
const COMMENT: &str = "say this one softly";

/// The same comment, asked again in other words.
const AGAIN: &str = "softly, as I said";

/// The person's prompt to a model that has not obeyed, and its answer.
const OBEY: &str = "now do what my comments ask";
const OBEYED: &str = "Quiet now.";
const SOFTER: &str = "sed -i s/TWO/softly/ notes.txt";

alongside_rig::tests! {
    a_turn_of_claude_is_reviewed_afterwards_and_a_part_of_it_undone: reviewed_afterwards(Cli::Claude),
    a_turn_of_codex_is_reviewed_afterwards_and_a_part_of_it_undone: reviewed_afterwards(Cli::Codex),
    #[ignore = "cargo xtask test --all"]
    a_comment_outlives_a_prompt_that_another_hook_blocks: outlives_a_blocked_prompt(),
}

/// A prompt that another hook of the person blocks reaches no model: the next one brings the comment.
fn outlives_a_blocked_prompt() -> Result<()> {
    let Some((stage, agent)) = set(Cli::Claude)? else { return Ok(()) };
    write_program(
        &stage.sandbox,
        "no-secrets",
        "grep -q secret && echo 'Not that one.' >&2 && exit 2; exit 0",
    )?;
    let settings = stage.sandbox.home().join(".claude/settings.json");
    let mut all: Value = serde_json::from_str(&fs::read_to_string(&settings)?)?;
    let hook = json!({ "hooks": [{ "type": "command", "command": "no-secrets" }] });
    all["hooks"]["UserPromptSubmit"].as_array_mut().context("our hook is there")?.push(hook);
    fs::write(&settings, all.to_string())?;
    stage.sandbox.write("notes.txt", SHOUTED);
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

fn reviewed_afterwards(cli: Cli) -> Result<()> {
    let Some((stage, agent)) = set(cli)? else { return Ok(()) };
    // The person's own change, from before the turn.
    stage.sandbox.write("mine.txt", "mine\n");
    run(&agent, cli)?;
    assert_eq!(stage.on_disk(), SHOUTED);

    let desk = stage.open_desk_with("alongside --since", WIDE)?;
    desk.wait_until_shown("Changes (3 files)")?;
    let screen = desk.wait_until_shown("change 1 of 3")?;
    for file in ["notes.txt", "other.txt", "places.txt"] {
        assert!(screen.contains(file), "{file}\n{screen}");
    }
    assert!(!screen.contains("mine.txt"), "{screen}");
    desk.press_after("change 1 of 3", "Space")?;
    desk.press_after("1 marked", "f")?;
    desk.press_after("Undo 1 change?", "y")?;
    desk.wait_until_shown("Undone")?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("TWO", "two"));
    let read = |name: &str| fs::read_to_string(stage.sandbox.project().join(name));
    assert_eq!((read("other.txt")?.as_str(), read("places.txt")?.as_str()), ("APPLE\npear\n", "new\n"));
    stage.wait_until_drafted(SHOUTED)?;
    desk.press_after("Undone", "Escape")?;
    comes_back(&stage, &agent, cli)
}

/// One comment is sent, and the model's next request holds exactly that, once.
fn comes_back(stage: &Stage, agent: &Agent, cli: Cli) -> Result<()> {
    let (route, was_read) = match cli {
        Cli::Claude => ("Claude Code reads it at once", "Claude Code has read it, and "),
        _ => ("Codex reads it with your next prompt", "Codex has read it with your prompt"),
    };
    stage.sandbox.write("notes.txt", SHOUTED);
    let mut desk = JsonDesk::start(&stage.sandbox, &["--since", "HEAD"])?;
    // The review of the desk before is told here as well.
    let is_ours = |turn: &Value| turn["baseline"]["asked"] == "HEAD";
    let is_reached = |turn: &Value| is_ours(turn) && turn["route"]["words"] == route;
    desk.ask_of_turn("addComment", is_reached, |turn| {
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
    // As JSON writes it.
    let expected = format!("Comment 1: `notes.txt`, line 2\\n```\\nTWO\\n```\\n> {COMMENT}\\n");
    assert!(read.contains(&expected), "{read}");
    assert!(!read.contains("Comment 2"), "{read}");
    // It goes on, or is done already.
    desk.wait_for("didChangeTurn", |turn| is_read(turn, was_read))?;
    match cli {
        Cli::Codex => agent.wait_until_ended()?,
        _ => {
            agent.ask(NEXT_REQUEST)?;
            agent.wait_until_it_says(NEXT_ANSWER)?;
        }
    }
    let last = agent.model.requests().pop().map(|request| request.body.to_string()).unwrap_or_default();
    assert!(last.matches("Comment 1").count() <= 1, "it came twice: {last}");
    is_answered(&mut desk, agent, cli, was_read)
}

fn is_read(turn: &Value, how: &str) -> bool {
    turn["message"]["words"].as_str().is_some_and(|words| words.starts_with(how))
}

/// A model that leaves everything as it is, and then one that obeys, are told apart in the round after each.
fn is_answered(desk: &mut JsonDesk, agent: &Agent, cli: Cli, was_read: &str) -> Result<()> {
    let state = |turn: &Value, state: &str| turn["comments"][0]["state"] == state;
    let turn = desk.wait_for("didChangeTurn", |turn| state(turn, "open"))?;
    desk.ask("changeComment", &json!({ "turn": turn["id"], "id": 1, "text": AGAIN }))?;
    let turn = desk.wait_for("didChangeTurn", |turn| turn["comments"][0]["again"] == true)?;
    let (id, revision) = (&turn["id"], &turn["revision"]);
    desk.ask("finishTurn", &json!({ "turn": id, "revision": revision, "send": true }))?;
    if cli == Cli::Codex {
        desk.wait_for("didChangeTurn", |turn| state(turn, "sent"))?;
        agent.run_unattended(OBEY)?;
    } else {
        let is_it = |turn: &Value| is_read(turn, was_read) && turn["comments"][0]["text"] == AGAIN;
        desk.wait_for("didChangeTurn", is_it)?;
        agent.ask(OBEY)?;
    }
    desk.wait_for("didChangeTurn", |turn| state(turn, "answered"))?;
    let bodies = agent.model.requests().into_iter().map(|request| request.body.to_string());
    let with_words: Vec<String> = bodies.filter(|body| body.contains(AGAIN)).collect();
    assert!(with_words.iter().all(|body| body.matches("(asked again)").count() == 1), "{with_words:?}");
    Ok(())
}

/// A repository, and an agent that notes its turns and is not started yet. `None` where it cannot be
/// installed.
fn set(cli: Cli) -> Result<Option<(Stage, Agent)>> {
    let Some(stage) = Stage::set_for(cli)? else { return Ok(None) };
    assert_eq!(stage.on_disk(), ORIGINAL);
    stage.sandbox.write("other.txt", "apple\npear\n");
    stage.sandbox.commit()?;
    let mut turns = cli.overwrite(&stage.file, SHOUTED, DONE);
    let last = turns.len() - 1;
    turns.insert(last, shell(cli, SHELL));
    let obey = || [shell(cli, SOFTER), ModelReply::say(OBEYED)];
    let agent = stage.install_as_new(cli, with(turns).on(OBEY, obey()).on(AGAIN, obey()))?;
    agent.set_turns_up(&stage.sandbox)?;
    Ok(Some((stage, agent)))
}

/// The model's call of its shell.
fn shell(cli: Cli, command: &str) -> ModelReply {
    match cli {
        Cli::Codex => ModelReply::call("exec_command", json!({ "cmd": command })),
        _ => ModelReply::call("Bash", json!({ "command": command, "description": "Change files" })),
    }
}

/// Runs the agent on the request, in its automatic mode. The person has allowed the shell command before, and
/// stays at Claude Code's session.
fn run(agent: &Agent, cli: Cli) -> Result<()> {
    match cli {
        Cli::Claude => {
            let allowed = "--allowedTools 'Bash(sed:*)' 'Bash(echo:*)'";
            agent.pane.enter(&format!("claude --permission-mode auto {allowed}"))?;
            agent.wait_until_it_says("auto mode on")?;
            agent.ask(REQUEST)?;
            agent.wait_until_it_says(DONE)
        }
        _ => {
            agent.run_unattended(REQUEST)?;
            agent.wait_until_ended()
        }
    }
}
