//! VS Code in a new home, as code-server and a browser, with agents that are not set up for it: from the
//! installation of the extension to its removal.

use std::fs;

use alongside_rig::agent_cli::{self, Cli};
use alongside_rig::program::companions;
use alongside_rig::sandbox::files_below;
use alongside_rig::tmux::{Pane, Tmux};
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{CodeServer, Generation, Proposer, Sandbox, VscodeWindow, install_code_server, or_skip};
use anyhow::Result;
use serde_json::{Value, json};

use crate::script::{IN_CAPITALS, ORIGINAL, REQUEST_AGAIN};
use crate::stage::Stage;
use crate::vscode_selectors::{EDITOR, LENS, MESSAGE, PROPOSAL, STATE, STATUS};

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    vscode_and_gemini: from_installation_to_removal(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    vscode_and_qwen: from_installation_to_removal(Cli::Qwen),
    #[ignore = "cargo xtask test --all"]
    vscode_stands_back_beside_an_agents_own_companion: stands_back(),
}

/// The directory of the extensions, below home.
const EXTENSIONS_DIR: &str = ".local/share/code-server/extensions";

fn from_installation_to_removal(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(code_server) = or_skip(install_code_server()) else { return Ok(()) };
    code_server.put_on_path(&stage.sandbox)?;
    let (shell, other_file) = stage.install("code-server", "Installed. ")?;
    let server = stage.terminal.window("code-server", (100, 30))?;
    let window = VscodeWindow::open(&code_server, &stage.sandbox, &server)?;
    window.open_file("notes.md")?;
    window.wait(STATUS, "no agent")?;
    let Some(agent) = stage.start_agent(cli)? else { return Ok(()) };

    // The selection reaches the model.
    window.press("Control+Home")?;
    window.press("ArrowDown")?;
    (0..3).try_for_each(|_| window.press("Shift+ArrowDown"))?;
    stage.wait_until_selected("two\nthree\nfour\n".len())?;
    let cursor_line = 5;
    stage.ask_with_selection(&agent, cli, cursor_line)?;

    // The proposal is announced, and the person continues in another file.
    window.wait(MESSAGE, "proposes 3 changes")?;
    agent.wait_until_it_asks()?;
    window.open_file("other.md")?;
    window.type_text("a line of my own\n")?;
    window.press("Control+S")?;
    wait::until("the other file to be saved", PATIENCE, || match fs::read_to_string(&other_file) {
        Ok(text) if text == "a line of my own\n" => Ok(()),
        text => Err(format!("{text:?}")),
    })?;

    // The person drops the first change, edits the last one, and accepts the result.
    window.run("Alongside: Show Proposal")?;
    window.click(LENS, "Drop")?;
    window.wait(LENS, "Keep")?;
    edit_line(&window, 14, "14")?;
    window.wait(STATE, "change 3 of 3: edited")?;
    click_title(&window, "Accept This Proposal")?;
    window.wait_until_gone(PROPOSAL, "")?;
    stage.assert_accepted(&agent)?;
    window.open_file("notes.md")?;
    window.wait_for_lines(EDITOR, "\n14\n")?;

    // A rejected proposal leaves a draft with the text that the person typed.
    agent.ask_for_change(REQUEST_AGAIN)?;
    window.wait(MESSAGE, "proposes 2 changes")?;
    window.run("Alongside: Show Proposal")?;
    edit_line(&window, 2, "typed by me")?;
    // An action on a proposal that has just come to the front would be ignored.
    window.wait(STATE, "edited")?;
    click_title(&window, "Reject This Proposal")?;
    window.click(".monaco-dialog-box .monaco-button", "Reject")?;
    window.wait_until_gone(PROPOSAL, "")?;
    stage.assert_rejected(&shell, &agent)?;

    // VS Code ends while a proposal waits. The text that was typed just before is in a draft.
    let proposer = Proposer::gemini(&stage.sandbox)?;
    let proposal = proposer.propose(&stage.file, IN_CAPITALS)?;
    window.wait(MESSAGE, "proposes 2 changes")?;
    window.run("Alongside: Show Proposal")?;
    edit_line(&window, 2, "typed at the end")?;
    window.wait(STATE, "edited")?;
    server.press("C-c")?;
    stage.wait_until_closed(&server)?;
    stage.assert_ended_and_uninstall(proposal, &agent, &shell)?;
    let files = files_below(stage.sandbox.home().join(EXTENSIONS_DIR));
    assert!(files.iter().all(|file| !file.to_string_lossy().contains("alongside")), "{files:?}");
    Ok(())
}

/// Installs the extension, and opens a window of the sandbox's project. Returns the pane of the server and
/// the window.
pub(crate) fn open(
    sandbox: &Sandbox,
    terminal: &Tmux,
    code_server: &CodeServer,
) -> Result<(Pane, VscodeWindow)> {
    let server = terminal.window("code-server", (100, 30))?;
    server.enter_and_see("alongside install code-server --yes", "the installation", "Installed. ")?;
    let window = VscodeWindow::open(code_server, sandbox, &server)?;
    Ok((server, window))
}

/// Changes a setting of the person.
pub(crate) fn change_setting(sandbox: &Sandbox, name: &str, value: bool) -> Result<()> {
    let file = sandbox.home().join(".local/share/code-server/User/settings.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
    settings[name] = value.into();
    Ok(fs::write(file, settings.to_string())?)
}

/// The agents' own companions come from extension stores, which the test does not use. An empty extension
/// with the id of such a companion stands for it.
fn stands_back() -> Result<()> {
    let Some(code_server) = or_skip(install_code_server()) else { return Ok(()) };
    let sandbox = Sandbox::new();
    code_server.put_on_path(&sandbox)?;
    sandbox.write("notes.md", ORIGINAL);
    put_other_companion(&sandbox)?;
    let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?]);
    let (_server, window) = open(&sandbox, &terminal, &code_server)?;

    window.wait(MESSAGE, "Gemini CLI Companion is active in this window")?;
    window.wait(STATUS, "Alongside stands back")?;
    window.run("Alongside: Run Agent in a Terminal")?;
    window.wait(MESSAGE, "Disable it to use Alongside.")?;
    assert_eq!(companions(&sandbox)?, json!([]), "no companion runs");
    Ok(())
}

fn put_other_companion(sandbox: &Sandbox) -> Result<()> {
    let id = "google.gemini-cli-vscode-ide-companion";
    let extensions = sandbox.home().join(EXTENSIONS_DIR);
    let directory = extensions.join(format!("{id}-0.1.0"));
    fs::create_dir_all(&directory)?;
    let (publisher, name) = id.split_once('.').unwrap();
    let manifest = json!({ "publisher": publisher, "name": name, "displayName": "Gemini CLI Companion",
        "version": "0.1.0", "engines": { "vscode": "*" } });
    fs::write(directory.join("package.json"), manifest.to_string())?;
    let entry = json!({ "identifier": { "id": id }, "version": "0.1.0",
        "location": { "$mid": 1, "path": directory, "scheme": "file" },
        "relativeLocation": directory.file_name().unwrap().to_str() });
    Ok(fs::write(extensions.join("extensions.json"), json!([entry]).to_string())?)
}

/// Replaces a line of the proposal. Lines count from one.
fn edit_line(window: &VscodeWindow, line: usize, text: &str) -> Result<()> {
    window.focus(&format!("{PROPOSAL} .native-edit-context"))?;
    window.press("Control+Home")?;
    (1..line).try_for_each(|_| window.press("ArrowDown"))?;
    window.press("Shift+End")?;
    window.type_text(text)
}

/// Clicks an action in the title bar.
fn click_title(window: &VscodeWindow, label: &str) -> Result<()> {
    window.click(&format!(".editor-group-container.active .editor-actions a[aria-label^='{label}']"), "")
}
