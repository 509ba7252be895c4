//! The person's saved files reach the model, without an editor and without an environment variable.

use alongside_rig::agent_cli::Cli;
use alongside_rig::model::{ModelReply, Script};
use alongside_rig::tmux::SHELL_PROMPT;
use alongside_rig::wait::PATIENCE;
use anyhow::Result;

use crate::script::{NEXT_ANSWER, NEXT_REQUEST, script_with};
use crate::stage::Stage;

#[test]
#[ignore = "cargo xtask test --all"]
fn qwen_p_carries_the_saved_file_to_the_model() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    stage.start_review()?;
    let saved = stage.save("saved by the person.txt", "hello\n")?;
    let qwen =
        stage.install(Cli::Qwen, Script::new().on("hi", [ModelReply::say("Hello from the fake model.")]))?;
    qwen.pane.enter("qwen -p hi")?;
    qwen.pane.wait_for("the answer and the shell's prompt", |screen| {
        screen.contains("Hello from the fake model.") && screen.ends_with(SHELL_PROMPT)
    })?;

    let prompt = qwen.model.wait_for_prompt("hi", PATIENCE)?.prompt();
    let saved = saved.display().to_string();
    assert!(
        editor_context(&prompt).contains(&saved),
        "{saved} is not in what the model was asked:\n{prompt}"
    );
    Ok(())
}

#[test]
fn gemini_carries_the_saved_file_to_the_model() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let line_mode = stage.start_review()?;
    let gemini = stage.start(&line_mode, Cli::Gemini, script_with(Vec::new()))?;
    let saved = stage.save("saved by the person.txt", "hello\n")?;
    gemini.wait_until_it_says("1 open file")?;
    gemini.ask(NEXT_REQUEST)?;
    gemini.wait_until_it_says(NEXT_ANSWER)?;

    let prompt = gemini.model.wait_for_prompt(NEXT_REQUEST, PATIENCE)?.prompt();
    let saved = saved.display().to_string();
    assert!(
        editor_context(&prompt).contains(&saved),
        "{saved} is not in what the model was asked:\n{prompt}"
    );
    Ok(())
}

/// Returns the part of the prompt about the editor's files. Outside that part, the prompt lists the folder,
/// with the same files.
fn editor_context(prompt: &str) -> &str {
    prompt.split("editor context").nth(1).unwrap_or_default()
}
