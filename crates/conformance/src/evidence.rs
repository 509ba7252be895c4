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

/// The most characters of a line, and the most lines, of the evidence of a check.
const LINE: usize = 240;
const LINES: usize = 40;
/// The length of a token that is kept out of the evidence, in bytes.
const SECRET: usize = 8;

impl Evidence {
    pub(crate) fn new(token: Option<&str>) -> Self {
        // A shorter token is no secret, and occurs within other words.
        Self { lines: Arc::default(), token: token.filter(|token| token.len() >= SECRET).map(Arc::from) }
    }

    pub(crate) fn note(&self, line: impl fmt::Display) {
        let line = line.to_string();
        // Looked for in what is kept only: a proposal may be large.
        let mut short: String = line.chars().take(LINE * 2).collect();
        if let Some(token) = &self.token {
            short = short.replace(&**token, "<token>");
        }
        let length = line.chars().count();
        if length > LINE {
            short = short.chars().take(LINE).collect();
            short.push_str(&format!("… ({length} characters)"));
        }
        lock(&self.lines).push(short);
    }

    /// For what is no evidence.
    pub(crate) fn apart(&self) -> Self {
        Self { lines: Arc::default(), token: self.token.clone() }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        lock(&self.lines).clone()
    }

    /// The first lines, and the last.
    pub(crate) fn take(&self) -> Vec<String> {
        let mut lines = std::mem::take(&mut *lock(&self.lines));
        if lines.len() > LINES {
            let tail = lines.split_off(lines.len() - LINES / 2);
            let left_out = lines.len() - LINES / 2;
            lines.truncate(LINES / 2);
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
