//! The pictures of editors that draw on no terminal: VS Code and Kate.

use std::fs;
use std::path::Path;

use alongside_rig::tmux::Tmux;
use alongside_rig::{Proposer, Sandbox, VscodeWindow, agent_cli, install_code_server, install_kate};
use anyhow::Context as _;
use serde_json::{Value, json};

/// A picture's file, and the function that takes it.
type Picture = (&'static str, fn(&Path) -> anyhow::Result<()>);

pub(super) const PICTURES: [Picture; 3] =
    [("vscode.png", vscode_light), ("vscode-dark.png", vscode_dark), ("kate.png", kate)];

/// The button above a change.
const LENS: &str = ".modified-in-monaco-diff-editor .codelens-decoration a";

fn vscode_light(file: &Path) -> anyhow::Result<()> {
    vscode("Default Light Modern", file)
}

fn vscode_dark(file: &Path) -> anyhow::Result<()> {
    vscode("Default Dark Modern", file)
}

/// A proposal in VS Code's diff editor: one change is dropped.
fn vscode(theme: &str, file: &Path) -> anyhow::Result<()> {
    let sandbox = Sandbox::new();
    let code_server = install_code_server()?;
    code_server.put_on_path(&sandbox)?;
    let settings = sandbox.home().join(".local/share/code-server/User/settings.json");
    let mut settings_now: Value = serde_json::from_str(&fs::read_to_string(&settings)?)?;
    settings_now["workbench.colorTheme"] = json!(theme);
    fs::write(settings, settings_now.to_string())?;
    let basket = sandbox.write("basket.py", include_str!("shop/basket.py"));
    let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?]);
    let shell = terminal.window("shell", (100, 30))?;
    shell.enter("alongside install code-server --yes")?;
    shell.wait_for("the installation", |screen| screen.contains("Installed. "))?;

    let window = VscodeWindow::open(&code_server, &sandbox, &shell)?;
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

/// A proposal in Kate, and the menu of code actions.
fn kate(file: &Path) -> anyhow::Result<()> {
    let sandbox = Sandbox::new();
    let kate = install_kate()?;
    kate.put_on_path(&sandbox)?;
    let screen = kate.screen(&sandbox)?;
    let variables = screen.variables().into_iter().chain([agent_cli::path_variable(&sandbox)?]);
    let terminal = Tmux::new(&sandbox, variables);
    fs::create_dir(sandbox.project().join(".git"))?;
    let basket = sandbox.write("basket.py", include_str!("shop/basket.py"));
    sandbox.write_home(".config/katerc", KATE_SETTINGS);
    let shell = terminal.window("shell", (100, 30))?;
    shell.enter("alongside install kate --yes --language python; kate basket.py")?;
    screen.allow_server("basket.py")?;
    let agent = Proposer::gemini(&sandbox)?;
    agent.propose(&basket, include_str!("shop/basket.proposed.py"))?;
    screen.open_menu(3)?;
    screen.press(&["Down", "Return"])?;
    screen.wait_for_windows(1)?;
    screen.wait_for_title("the proposal", |title| title.contains("/alongside/reviews/"))?;
    screen.open_menu(5)?;
    screen.press(&["Down"])?;
    screen.wait_until_still()?;
    let (pixels, width, height) = screen.picture()?;
    let mut encoder = png::Encoder::new(fs::File::create(file)?, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&pixels).with_context(|| format!("{}", file.display()))
}

/// Settings with a legible font, and with little around the text.
const KATE_SETTINGS: &str = "\
[General]
Show Full Path in Title=true
Show Url Nav Bar=false
[KTextEditor View]
Scroll Bar MiniMap=false
[KTextEditor Renderer]
Text Font=DejaVu Sans Mono,11,-1,2,400,0,0,0,0,0,0,0,0,0,0,1
";
