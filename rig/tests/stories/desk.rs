//! The person at the terminal desk, `alongside`: reads the screen and presses keys.

use alongside_rig::tmux::{Pane, SHELL_PROMPT};
use anyhow::Result;

use crate::stage::READING;

/// A window wide enough for agents and reviews beside the text, and for both sides of it.
pub(crate) const WIDE: (u16, u16) = (160, 45);

/// The smallest window that the README promises.
pub(crate) const SMALL: (u16, u16) = (80, 24);

/// A person at the desk.
pub(crate) struct Desk {
    pub(crate) pane: Pane,
}

impl Desk {
    pub(crate) fn new(pane: Pane) -> Self {
        Self { pane }
    }

    /// Number of listed agents.
    pub(crate) fn agents(&self) -> Result<usize> {
        let screen = self.pane.wait_for("the desk", is_drawn)?;
        Ok(agents(&screen))
    }

    /// Waits until so many agents are listed.
    pub(crate) fn wait_until_connected(&self, count: usize) -> Result<()> {
        let what = format!("{count} connected agent(s)");
        self.pane.wait_for(&what, |screen| is_drawn(screen) && agents(screen) == count).map(drop)
    }

    /// Waits until the desk shows `words`, which may be wrapped.
    pub(crate) fn wait_until_shown(&self, words: &str) -> Result<String> {
        self.pane.wait_for(&format!("{words:?}"), |screen| unbroken(screen).contains(words))
    }

    /// Waits until the desk says that this file was accepted. The message that the file is written may have
    /// taken the place of that one already.
    pub(crate) fn wait_until_accepted(&self, file: &str) -> Result<()> {
        let said = [format!("{file}: accepted; "), format!("{file}: written as accepted.")];
        let is_said = |screen: &str| said.iter().any(|words| unbroken(screen).contains(words));
        self.pane.wait_for(&format!("{file} to be accepted"), is_said).map(drop)
    }

    /// Waits until the review of this file is open.
    pub(crate) fn wait_until_it_reads(&self, file: &str) -> Result<()> {
        self.pane.wait_for(&format!("{file} to be read"), |screen| reads(screen, file)).map(drop)
    }

    /// Whether the review of this file is open.
    pub(crate) fn reads(&self, file: &str) -> Result<bool> {
        Ok(reads(&self.pane.screen()?, file))
    }

    /// Waits until the desk shows `words`, reads the screen, and presses a key.
    pub(crate) fn press_after(&self, words: &str, key: &str) -> Result<()> {
        self.wait_until_shown(words)?;
        std::thread::sleep(READING);
        self.pane.press(key)
    }

    /// Reads one message after the other, with a key after each, until `words` are shown.
    pub(crate) fn read_until_shown(&self, words: &str) -> Result<()> {
        let is_shown = |screen: &str| unbroken(screen).contains(words);
        for _ in 0..20 {
            if self.pane.wait_within(READING, &format!("{words:?}"), is_shown).is_ok() {
                return Ok(());
            }
            self.pane.press("Escape")?;
        }
        self.wait_until_shown(words).map(drop)
    }

    /// Waits until the review of this file is open, reads it, and presses a key.
    pub(crate) fn press_at(&self, file: &str, key: &str) -> Result<()> {
        self.wait_until_it_reads(file)?;
        std::thread::sleep(READING);
        self.pane.press(key)
    }

    /// Drops the first change of `notes.txt`, of three.
    pub(crate) fn drop_first(&self) -> Result<()> {
        self.press_at("notes.txt", "Space")?;
        self.wait_until_shown("2 kept, 1 dropped").map(drop)
    }

    /// Drops the second change of `notes.txt`, of three, and accepts the others.
    pub(crate) fn drop_second_and_accept(&self) -> Result<()> {
        self.press_at("notes.txt", "j")?;
        self.press_after("change 2 of 3", "Space")?;
        self.press_after("2 kept, 1 dropped", "a")?;
        self.wait_until_accepted("notes.txt")
    }

    /// Waits until the desk has ended and the shell is back.
    pub(crate) fn wait_until_left(&self) -> Result<()> {
        self.pane.wait_for("the shell again", |screen| screen.ends_with(SHELL_PROMPT)).map(drop)
    }
}

/// The last row always shows the keys, among them the one for leaving.
fn is_drawn(screen: &str) -> bool {
    screen.lines().last().is_some_and(|keys| keys.contains("q quit"))
}

/// Agents have a row each in the column, or share one on top of a narrow screen.
fn agents(screen: &str) -> usize {
    let names = ["Gemini CLI", "Qwen Code", "Claude Code", "OpenCode"];
    if screen.contains("Agents see") {
        let rows = screen.lines().filter(|row| row.contains('│'));
        return rows.filter(|row| names.iter().any(|name| row.starts_with(name))).count();
    }
    let strip = screen.lines().next().unwrap_or_default();
    names.iter().map(|name| strip.matches(name).count()).sum()
}

/// The top of the page names the open file with its agent and size.
fn reads(screen: &str, file: &str) -> bool {
    let title = |line: &str| line.split(['│', '┃']).any(|part| part.starts_with(&format!("{file}  ")));
    screen.lines().any(|line| title(line) && line.contains("change"))
}

/// The rows of a message as one line again.
fn unbroken(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}
