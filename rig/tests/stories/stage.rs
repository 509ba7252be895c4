//! What every story needs: a project, a released agent with a fake model, and a terminal with two panes.

use std::fs;
use std::path::PathBuf;

use alongside_rig::cli::{self, Cli};
use alongside_rig::model::{FakeModel, Script, Turn};
use alongside_rig::tmux::{Pane, Tmux};
use alongside_rig::{Sandbox, rig_or_skip};
use anyhow::Result;

/// Long enough that three changes are three hunks.
pub(crate) const ORIGINAL: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\nthirteen\nfourteen\nfifteen\n";

/// What the person types to the agent, and what the model says at the end of it.
pub(crate) const REQUEST: &str = "please shout three of the numbers";
pub(crate) const DONE: &str = "That is all from me.";

/// A second exchange. (No question mark: Gemini takes that key for a call of its help.)
pub(crate) const NEXT_REQUEST: &str = "say whether you still hear me";
pub(crate) const NEXT_ANSWER: &str = "I am still here.";

/// The scene of one story. Fields are dropped in this order: the terminal first, the sandbox last.
pub(crate) struct Stage {
    _terminal: Tmux,
    pub(crate) reviewer: Pane,
    pub(crate) agent: Pane,
    pub(crate) model: FakeModel,
    pub(crate) cli: Cli,
    pub(crate) file: PathBuf,
    _sandbox: Sandbox,
}

impl Stage {
    /// A project with `notes.txt`, an agent whose model proposes to shout three of its words, `alongside review` in
    /// one pane and a shell in the other. `None` where agents cannot be installed, which is reported as skipped.
    pub(crate) fn set(story: &str, cli: Cli) -> Result<Option<Self>> {
        let Some(rig) = rig_or_skip(story) else {
            return Ok(None);
        };
        let sandbox = Sandbox::new();
        let file = sandbox.write("notes.txt", ORIGINAL);
        let script = Script::new()
            .on(REQUEST, cli.overwrite(&file, &shouted(), DONE))
            .on(NEXT_REQUEST, [Turn::say(NEXT_ANSWER)])
            .on("hi", [Turn::say("Hello from the fake model.")]);
        let model = FakeModel::start(script)?;
        cli.set_up(&sandbox, &rig, &model)?;
        // The person's editor changes one word and is done.
        cli::write_program(
            &sandbox,
            "person-edits",
            "for file; do :; done\nexec sed -i s/FOURTEEN/14/ \"$file\"",
        )?;

        let editor = ["VISUAL", "EDITOR"].map(|name| (name.to_owned(), "person-edits".into()));
        let terminal = Tmux::new(
            &sandbox,
            [cli::path_variable(&sandbox)?].into_iter().chain(editor),
        );
        let reviewer = terminal.pane("the reviewer")?;
        let agent = terminal.pane("the agent")?;
        reviewer.enter("alongside review")?;
        reviewer.wait_for("alongside to serve", |screen| screen.contains("127.0.0.1"))?;
        Ok(Some(Self {
            _terminal: terminal,
            reviewer,
            agent,
            model,
            cli,
            file,
            _sandbox: sandbox,
        }))
    }

    /// Starts the agent and waits until it hears us: its own prompt comes earlier.
    pub(crate) fn start_agent(&self) -> Result<()> {
        self.agent.enter(self.cli.command())?;
        self.agent
            .wait_for("the agent's prompt", |screen| self.cli.is_ready(screen))?;
        self.reviewer
            .wait_for("the agent to be connected", |screen| screen.contains("connected"))?;
        Ok(())
    }

    /// Answers `alongside review` with `key` once it asks about the change to `word`.
    pub(crate) fn decide(&self, word: &str, key: &str) -> Result<()> {
        self.reviewer
            .wait_for(&format!("a question about {word}"), |screen| {
                let asked = screen.rsplit("@@").next().unwrap_or_default();
                asked.contains(&format!("+{word}")) && asks(screen)
            })?;
        self.reviewer.enter(key)
    }

    /// What the file holds now.
    pub(crate) fn on_disk(&self) -> String {
        String::from_utf8(fs::read(&self.file).unwrap()).unwrap()
    }
}

/// The model's proposal.
pub(crate) fn shouted() -> String {
    ORIGINAL
        .replace("two\n", "TWO\n")
        .replace("eight\n", "EIGHT\n")
        .replace("fourteen\n", "FOURTEEN\n")
}

/// Whether `alongside review` waits for an answer: the last line of the screen is a question.
pub(crate) fn asks(screen: &str) -> bool {
    screen.trim_end().ends_with('?')
}
