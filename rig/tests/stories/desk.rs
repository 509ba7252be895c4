//! The person at the terminal desk, `alongside`: reads the screen and presses keys.

use alongside_rig::tmux::{Pane, SHELL_PROMPT};
use anyhow::Result;

use crate::stage::READING_TIME;

/// The columns and rows of a window that is wide enough for the lists of agents and reviews beside the text,
/// and for the original beside the proposal.
pub(crate) const WIDE: (u16, u16) = (160, 45);

/// The columns and rows of the smallest window that the README promises to support.
pub(crate) const SMALL: (u16, u16) = (80, 24);

/// A person at the desk.
pub(crate) struct Desk {
    pub(crate) pane: Pane,
}

impl Desk {
    pub(crate) fn new(pane: Pane) -> Self {
        Self { pane }
    }

    /// Returns the number of listed agents.
    pub(crate) fn agents(&self) -> Result<usize> {
        let screen = self.pane.wait_for("the desk", is_drawn)?;
        Ok(agents(&screen))
    }

    /// Waits until `count` agents are listed.
    pub(crate) fn wait_until_connected(&self, count: usize) -> Result<()> {
        let what = format!("{count} connected agent(s)");
        self.pane.wait_for(&what, |screen| is_drawn(screen) && agents(screen) == count).map(drop)
    }

    /// Waits until the desk shows `words`, which it may have wrapped, and returns the screen.
    pub(crate) fn wait_until_shown(&self, words: &str) -> Result<String> {
        self.pane.wait_for(&format!("{words:?}"), |screen| unwrapped(screen).contains(words))
    }

    /// Waits until the desk says that this file was accepted. The later message, that the file is written,
    /// may have replaced the first one already.
    pub(crate) fn wait_until_accepted(&self, file: &str) -> Result<()> {
        let messages = [format!("{file}: accepted; "), format!("{file}: written as accepted.")];
        let is_said = |screen: &str| messages.iter().any(|message| unwrapped(screen).contains(message));
        self.pane.wait_for(&format!("{file} to be accepted"), is_said).map(drop)
    }

    /// Waits until the review of this file is open.
    pub(crate) fn wait_until_review_open(&self, file: &str) -> Result<()> {
        self.pane.wait_for(&format!("{file} to be read"), |screen| is_review_open(screen, file)).map(drop)
    }

    /// Whether the review of this file is open.
    pub(crate) fn is_review_open(&self, file: &str) -> Result<bool> {
        Ok(is_review_open(&self.pane.screen()?, file))
    }

    /// Waits until the desk shows `words`, and for the time of reading the screen, and presses a key.
    pub(crate) fn press_when_shown(&self, words: &str, key: &str) -> Result<()> {
        self.wait_until_shown(words)?;
        std::thread::sleep(READING_TIME);
        self.pane.press(key)
    }

    /// Dismisses one message after the other until `words` are shown.
    pub(crate) fn dismiss_until_shown(&self, words: &str) -> Result<()> {
        let is_shown = |screen: &str| unwrapped(screen).contains(words);
        for _ in 0..20 {
            if self.pane.wait_within(READING_TIME, &format!("{words:?}"), is_shown).is_ok() {
                return Ok(());
            }
            self.pane.press("Escape")?;
        }
        self.wait_until_shown(words).map(drop)
    }

    /// Waits until the review of this file is open, and for the time of reading it, and presses a key.
    pub(crate) fn press_when_review_open(&self, file: &str, key: &str) -> Result<()> {
        self.wait_until_review_open(file)?;
        std::thread::sleep(READING_TIME);
        self.pane.press(key)
    }

    /// Drops the first of the three changes of `notes.txt`.
    pub(crate) fn drop_first_change(&self) -> Result<()> {
        self.press_when_review_open("notes.txt", "Space")?;
        self.wait_until_shown("2 kept, 1 dropped").map(drop)
    }

    /// Drops the second of the three changes of `notes.txt`, and accepts the others.
    pub(crate) fn drop_second_change_and_accept(&self) -> Result<()> {
        self.press_when_review_open("notes.txt", "j")?;
        self.press_when_shown("change 2 of 3", "Space")?;
        self.press_when_shown("2 kept, 1 dropped", "a")?;
        self.wait_until_accepted("notes.txt")
    }

    /// Waits until the desk has ended and the shell is back.
    pub(crate) fn wait_for_shell(&self) -> Result<()> {
        self.pane.wait_for("the shell again", |screen| screen.ends_with(SHELL_PROMPT)).map(drop)
    }
}

/// Whether the desk is drawn. Its last row always shows the keys, among them the one that closes the desk.
fn is_drawn(screen: &str) -> bool {
    screen.lines().last().is_some_and(|keys| keys.contains("q quit"))
}

/// Returns the number of listed agents. On a wide screen, each agent has a row in the column; on a narrow
/// one, all share the first row.
fn agents(screen: &str) -> usize {
    let names = ["Gemini CLI", "Qwen Code", "Claude Code", "OpenCode"];
    if screen.contains("Agents see") {
        let rows = screen.lines().filter(|row| row.contains('│'));
        return rows.filter(|row| names.iter().any(|name| row.starts_with(name))).count();
    }
    let strip = screen.lines().next().unwrap_or_default();
    names.iter().map(|name| strip.matches(name).count()).sum()
}

/// Whether the review of this file is open: the title of the page names the open file and the number of its
/// changes.
fn is_review_open(screen: &str, file: &str) -> bool {
    let is_title = |line: &str| line.split(['│', '┃']).any(|part| part.starts_with(&format!("{file}  ")));
    screen.lines().any(|line| is_title(line) && line.contains("change"))
}

/// Returns the text of the screen as one line, so that wrapped messages are whole again.
fn unwrapped(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}
