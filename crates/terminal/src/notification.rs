//! The bytes that make a terminal announce a review while another window has the focus.
//!
//! The bell marks the window, also in tmux. The two OSC sequences show a notification of the desktop. A file
//! name in a sequence is escaped.

use alongside_desk::harmless;

/// The most characters of a file name in an announcement.
const MAX_NAME_CHARS: usize = 80;

/// The form of the announcement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notification {
    /// The bell.
    Bell,
    /// OSC 9: iTerm2, WezTerm, Windows Terminal, Ghostty and others.
    Osc9,
    /// OSC 777: rxvt-unicode, foot, VTE and others.
    Osc777,
}

impl Notification {
    /// The bytes that announce a review of this file. `in_tmux`: whether to wrap a sequence for tmux, which
    /// passes it to its own terminal if the option `allow-passthrough` is on.
    pub(crate) fn bytes(self, file: &str, in_tmux: bool) -> Vec<u8> {
        let sequence = match self {
            Self::Bell => return b"\x07".to_vec(),
            Self::Osc9 => format!("\x1b]9;alongside: {} waits for review\x07", safe_file_name(file)),
            Self::Osc777 => {
                format!("\x1b]777;notify;alongside;{} waits for review\x07", safe_file_name(file))
            }
        };
        match in_tmux {
            true => format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b")).into_bytes(),
            false => sequence.into_bytes(),
        }
    }
}

/// The last component of a path, without `;`, which separates the fields of a sequence.
fn safe_file_name(file: &str) -> String {
    harmless::file_name(file).chars().map(|c| if c == ';' { '_' } else { c }).take(MAX_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_names_the_file_and_nothing_else() {
        let bytes = |how: Notification, in_tmux| {
            String::from_utf8(how.bytes("/home/me/secret/a b.py", in_tmux)).unwrap()
        };
        assert_eq!(bytes(Notification::Bell, true), "\x07");
        assert_eq!(bytes(Notification::Osc9, false), "\x1b]9;alongside: a b.py waits for review\x07");
        let osc777 = "\x1b]777;notify;alongside;a b.py waits for review\x07";
        assert_eq!(bytes(Notification::Osc777, false), osc777);
        assert_eq!(bytes(Notification::Osc777, true), format!("\x1bPtmux;\x1b{osc777}\x1b\\"));
    }

    #[test]
    fn a_file_name_cannot_end_the_sequence() {
        let name = "/p/a\x07b\x1b\\c\u{9c}d;4;1\u{202e}\n.py";
        for how in [Notification::Osc9, Notification::Osc777] {
            let text = String::from_utf8(how.bytes(name, false)).unwrap();
            let inner = text.strip_prefix("\x1b]").and_then(|text| text.strip_suffix('\x07')).unwrap();
            assert!(!inner.contains(|c: char| c.is_control() || c == '\u{202e}'), "{inner:?}");
            assert!(!inner.contains(";4;1"), "{inner:?}");
        }
        assert!(Notification::Osc9.bytes(&"x".repeat(5_000), false).len() < 200);
    }
}
