//! Late replies of the terminal. The desk queries the terminal's background before it takes the terminal
//! over. On a slow line the reply comes after the desk has stopped waiting, and its letters must not count as
//! keys.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyModifiers};

/// The longest time between the first and the last letter of a reply.
const MAX_REPLY_DURATION: Duration = Duration::from_secs(1);

/// Separates replies from keys.
#[derive(Debug, Default)]
pub(crate) struct ReplyFilter {
    /// The time at which the reply began that is under way.
    since: Option<Instant>,
}

impl ReplyFilter {
    /// Returns whether an event is part of a reply, and no key. A reply begins with ESC ] or ESC P, and ends
    /// with BEL or ESC \.
    pub(crate) fn discard(&mut self, event: &Event) -> bool {
        let Event::Key(key) = event else { return false };
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let begins = alt && matches!(key.code, KeyCode::Char(']' | 'P'));
        let ends = alt && key.code == KeyCode::Char('\\')
            || key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('g');
        let within = self.since.take_if(|since| since.elapsed() < MAX_REPLY_DURATION);
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
        let mut replies = ReplyFilter::default();
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
