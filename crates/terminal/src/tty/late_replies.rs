//! Late replies of the terminal. The desk asked for its colours before it took the terminal over; on a slow
//! line the reply comes when nothing waits for it any more, and its letters must not count as keys.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyModifiers};

/// The longest that a reply takes from its first to its last letter.
const LONGEST: Duration = Duration::from_secs(1);

/// Tells replies from keys.
#[derive(Debug, Default)]
pub(crate) struct TerminalReplies {
    /// When a reply began.
    since: Option<Instant>,
}

impl TerminalReplies {
    /// Takes an event. True if it is no key but a part of a reply: replies begin with ESC ] or ESC P and end
    /// with BEL or ESC \.
    pub(crate) fn discard(&mut self, event: &Event) -> bool {
        let Event::Key(key) = event else { return false };
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let begins = alt && matches!(key.code, KeyCode::Char(']' | 'P'));
        let ends = alt && key.code == KeyCode::Char('\\')
            || key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('g');
        let within = self.since.take_if(|since| since.elapsed() < LONGEST);
        self.since = None;
        if begins {
            self.since = Some(Instant::now());
        } else if let Some(since) = within
            && !ends
        {
            self.since = Some(since);
        }
        begins || within.is_some()
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    #[test]
    fn a_late_reply_presses_no_keys() {
        let mut replies = TerminalReplies::default();
        let mut press =
            |c, modifiers| replies.discard(&Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers)));
        assert!(!press('a', KeyModifiers::NONE));
        assert!(press(']', KeyModifiers::ALT));
        for c in "11;rgb:1a1a/ffff/0000".chars() {
            assert!(press(c, KeyModifiers::NONE), "{c}");
        }
        assert!(press('\\', KeyModifiers::ALT));
        assert!(!press('a', KeyModifiers::NONE));
    }
}
