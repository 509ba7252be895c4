//! The picture of VS Code, which draws on no terminal: a proposal in its diff editor.

use std::path::Path;

use alongside_rig::tmux::Tmux;
use alongside_rig::{Proposer, Sandbox, Window, agent_cli, install_code_server};

/// The picture's file.
pub(super) const FILE: &str = "vscode.png";

/// The button above a change.
const LENS: &str = ".modified-in-monaco-diff-editor .codelens-decoration a";

/// Takes it: one change is dropped.
pub(super) fn take(file: &Path) -> anyhow::Result<()> {
    let sandbox = Sandbox::new();
    let code_server = install_code_server()?;
    code_server.put_on_path(&sandbox)?;
    let basket = sandbox.write("basket.py", include_str!("shop/basket.py"));
    let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?]);
    let shell = terminal.window("shell", (100, 30))?;
    shell.enter("alongside install code-server --yes")?;
    shell.wait_for("the installation", |screen| screen.contains("Installed. "))?;

    let window = Window::open(&code_server, &sandbox, &shell)?;
    window.open_file("basket.py")?;
    window.wait("[id='alongside.alongside.status']", "no agent")?;
    let agent = Proposer::gemini(&sandbox)?;
    agent.propose(&basket, include_str!("shop/basket.proposed.py"))?;
    window.wait(".notification-toast", "proposes 4 changes")?;
    window.run("Alongside: Show Proposal")?;
    window.wait(LENS, "Drop")?;
    window.run("View: Show Alongside")?;
    window.click(LENS, "Drop")?;
    window.wait(LENS, "Keep")?;
    window.run("Notifications: Clear All Notifications")?;
    window.take_picture(file)
}
