//! What the person works on reaches the model, without an editor and without a variable.

use alongside_rig::cli::Cli;
use alongside_rig::tmux::SHELL_PROMPT;
use alongside_rig::wait::PATIENCE;
use anyhow::Result;

use crate::stage::Stage;

#[test]
fn qwen_p_carries_the_saved_file_to_the_model() -> Result<()> {
    let Some(stage) = Stage::set("whole Qwen Code, context of one prompt", Cli::Qwen)? else {
        return Ok(());
    };
    std::fs::write(&stage.file, "saved by the person\n")?;
    stage.agent.enter("qwen -p hi")?;
    stage
        .agent
        .wait_for("the answer and the shell's prompt", |screen| {
            screen.contains("Hello from the fake model.") && screen.ends_with(SHELL_PROMPT)
        })?;
    let asked = stage.model.wait_until_asked("hi", PATIENCE)?.asked();
    let context = editor_context(&asked);
    assert!(
        context.contains(&stage.file.display().to_string()),
        "no active file in what was asked:\n{asked}"
    );
    Ok(())
}

/// The part that the agent says comes from the editor; the folder listing names the same file elsewhere.
fn editor_context(asked: &str) -> &str {
    asked.split("editor context").nth(1).unwrap_or_default()
}
