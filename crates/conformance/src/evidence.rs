//! The evidence of a check: what was sent and what came back, without the token.

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::mutex::lock;

/// The messages that were sent and received. Never holds the token.
#[derive(Clone)]
pub(crate) struct Evidence {
    lines: Arc<Mutex<Vec<String>>>,
    token: Option<Arc<str>>,
}

/// The most characters of a line of evidence, and the most lines of a check's evidence.
const MAX_LINE_CHARS: usize = 240;
const MAX_LINES: usize = 40;
/// The shortest token that is removed from the evidence, in bytes.
const MIN_SECRET_BYTES: usize = 8;

impl Evidence {
    pub(crate) fn new(token: Option<&str>) -> Self {
        // A shorter token is no secret, and may be part of other words.
        Self {
            lines: Arc::default(),
            token: token.filter(|token| token.len() >= MIN_SECRET_BYTES).map(Arc::from),
        }
    }

    pub(crate) fn note(&self, line: impl fmt::Display) {
        let line = line.to_string();
        // Searches only the part that is kept, because a proposal may be large.
        let mut short: String = line.chars().take(MAX_LINE_CHARS * 2).collect();
        if let Some(token) = &self.token {
            short = short.replace(&**token, "<token>");
        }
        let length = line.chars().count();
        if length > MAX_LINE_CHARS {
            short = short.chars().take(MAX_LINE_CHARS).collect();
            short.push_str(&format!("… ({length} characters)"));
        }
        lock(&self.lines).push(short);
    }

    /// Returns empty evidence with the same token, for messages that are not evidence.
    pub(crate) fn apart(&self) -> Self {
        Self { lines: Arc::default(), token: self.token.clone() }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        lock(&self.lines).clone()
    }

    /// Takes the first and the last lines.
    pub(crate) fn take(&self) -> Vec<String> {
        let mut lines = std::mem::take(&mut *lock(&self.lines));
        if lines.len() > MAX_LINES {
            let tail = lines.split_off(lines.len() - MAX_LINES / 2);
            let left_out = lines.len() - MAX_LINES / 2;
            lines.truncate(MAX_LINES / 2);
            lines.push(format!("… ({left_out} lines left out)"));
            lines.extend(tail);
        }
        lines
    }
}

impl fmt::Debug for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lines()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_hides_a_token_unless_it_is_too_short() {
        let noted = |token: &str| {
            let log = Evidence::new(Some(token));
            log.note("Bearer 0123-4567 for evil.example");
            log.take().concat()
        };
        assert_eq!(noted("0123-4567"), "Bearer <token> for evil.example");
        assert_eq!(noted("x"), "Bearer 0123-4567 for evil.example");
    }
}
