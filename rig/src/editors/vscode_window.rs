//! A window of VS Code: a browser with a page of code-server, and what a person sees and does there.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::code_server::CodeServer;
use super::fonts;
use crate::node_script;
use crate::sandbox::Sandbox;
use crate::tmux::Pane;
use crate::wait::{self, PATIENCE};

/// The text in the server's output that is followed by its address.
const LISTENING_PREFIX: &str = "HTTP server listening on ";

/// A window of VS Code. Every call that waits fails at the driver's deadline, with an error that names what
/// it waited for. Dropping the window closes the browser.
#[derive(Debug)]
pub struct VscodeWindow {
    child: Child,
    pipes: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
}

impl VscodeWindow {
    /// Starts `code-server` in a pane and opens the sandbox's project in a browser.
    pub fn open(code_server: &CodeServer, sandbox: &Sandbox, pane: &Pane) -> Result<Self> {
        pane.enter("clear; code-server")?;
        let address = wait::until("code-server", PATIENCE, || {
            let output = pane.history().map_err(|error| error.to_string())?;
            let found =
                output.lines().find_map(|line| line.split(LISTENING_PREFIX).nth(1)).map(str::to_owned);
            found.ok_or(output)
        })?;
        let window = Self::start(code_server, sandbox)?;
        let folder = sandbox.project();
        let address = address.trim().trim_end_matches('/');
        window.send(json!({ "cmd": "open", "url": format!("{address}/?folder={}", folder.display()) }))?;
        Ok(window)
    }

    fn start(code_server: &CodeServer, sandbox: &Sandbox) -> Result<Self> {
        let log = std::fs::File::create(sandbox.run().join("window.log"))?;
        let mut command = Command::new(code_server.node());
        command.env_clear().envs(sandbox.env()).current_dir(sandbox.project());
        command.arg(node_script("vscode-window.mjs")).args([&code_server.playwright, &code_server.browser]);
        command.arg(fonts::settings_file(sandbox));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .context("the browser's driver does not start")?;
        let stdin = child.stdin.take().context("the standard stream is not piped")?;
        let mut stdout = BufReader::new(child.stdout.take().context("the standard stream is not piped")?);
        let mut ready = String::new();
        stdout.read_line(&mut ready)?;
        if !ready.contains("ready") {
            let log = std::fs::read_to_string(sandbox.run().join("window.log")).unwrap_or_default();
            bail!("the browser does not start: {ready}{log}");
        }
        Ok(Self { child, pipes: Mutex::new((stdin, stdout)) })
    }

    /// Sends a command to the driver, waits for its result and returns it.
    fn send(&self, mut command: Value) -> Result<Value> {
        command["id"] = json!(1);
        let line = {
            let mut pipes = self.pipes.lock().unwrap();
            writeln!(pipes.0, "{command}")?;
            let mut line = String::new();
            pipes.1.read_line(&mut line)?;
            line
        };
        let answer: Value =
            serde_json::from_str(&line).with_context(|| format!("the driver says {line:?}"))?;
        match answer["error"].as_str() {
            None => Ok(answer["result"].clone()),
            Some(error) if command["cmd"] == "screen" => bail!("{command}: {error}"),
            Some(error) => {
                let screen = self.screen().unwrap_or_default();
                bail!("{command}: {error}\nthe window shows:\n{screen}")
            }
        }
    }

    /// Waits until an element with `text` is visible.
    pub fn wait(&self, selector: &str, text: &str) -> Result<()> {
        self.send(json!({ "cmd": "wait", "selector": selector, "text": text, "state": "visible" })).map(drop)
    }

    /// Waits until no element with `text` is visible.
    pub fn wait_until_gone(&self, selector: &str, text: &str) -> Result<()> {
        self.send(json!({ "cmd": "wait", "selector": selector, "text": text, "state": "hidden" })).map(drop)
    }

    /// Clicks the first element with `text`.
    pub fn click(&self, selector: &str, text: &str) -> Result<()> {
        self.send(json!({ "cmd": "click", "selector": selector, "text": text })).map(drop)
    }

    /// Moves the pointer over the first element with `text`.
    pub fn hover(&self, selector: &str, text: &str) -> Result<()> {
        self.send(json!({ "cmd": "hover", "selector": selector, "text": text })).map(drop)
    }

    /// Gives an element the focus.
    pub fn focus(&self, selector: &str) -> Result<()> {
        self.send(json!({ "cmd": "focus", "selector": selector })).map(drop)
    }

    /// Presses keys, as Playwright names them: `Control+S`.
    pub fn press(&self, keys: &str) -> Result<()> {
        self.send(json!({ "cmd": "press", "keys": keys })).map(drop)
    }

    /// Types a text.
    pub fn type_text(&self, text: &str) -> Result<()> {
        self.send(json!({ "cmd": "type", "text": text })).map(drop)
    }

    /// Runs a command of the palette by its title.
    pub fn run(&self, title: &str) -> Result<()> {
        self.send(json!({ "cmd": "run", "title": title })).map(drop)
    }

    /// Opens a file of the project by its name.
    pub fn open_file(&self, name: &str) -> Result<()> {
        self.send(json!({ "cmd": "openFile", "name": name })).map(drop)
    }

    /// Returns the lines that an editor shows.
    pub fn lines(&self, selector: &str) -> Result<String> {
        self.send(json!({ "cmd": "lines", "selector": selector })).map(string)
    }

    /// Waits until an editor shows lines with `text`.
    pub fn wait_for_lines(&self, selector: &str, text: &str) -> Result<()> {
        wait::until(&format!("the lines {text:?}"), PATIENCE, || match self.lines(selector) {
            Ok(lines) if lines.contains(text) => Ok(()),
            Ok(lines) => Err(lines),
            Err(error) => Err(error.to_string()),
        })
    }

    /// Watches for elements from now on. [`appeared`](Self::appeared) returns all of them, including those
    /// that have disappeared again.
    pub fn watch(&self, selector: &str) -> Result<()> {
        self.send(json!({ "cmd": "watch", "selector": selector })).map(drop)
    }

    /// Returns the watched elements that have appeared, each as HTML together with the elements around it.
    pub fn appeared(&self) -> Result<Vec<String>> {
        Ok(serde_json::from_value(self.send(json!({ "cmd": "appeared" }))?)?)
    }

    /// Returns the text of an element.
    pub fn text(&self, selector: &str) -> Result<String> {
        self.send(json!({ "cmd": "text", "selector": selector })).map(string)
    }

    /// Saves a picture of the window as PNG.
    pub fn take_picture(&self, file: &Path) -> Result<()> {
        self.send(json!({ "cmd": "picture", "path": file })).map(drop)
    }

    /// Returns all texts of the window.
    pub fn screen(&self) -> Result<String> {
        self.send(json!({ "cmd": "screen" })).map(string)
    }

    /// Closes the browser, as a person closes the window.
    pub fn close(&self) -> Result<()> {
        self.send(json!({ "cmd": "close" })).map(drop)
    }
}

impl Drop for VscodeWindow {
    fn drop(&mut self) {
        let _ = self.close();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn string(value: Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
