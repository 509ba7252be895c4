//! Reasons for the agent's model in line mode: `R` and a text say why, at a change or for the whole proposal.

use alongside_desk::{HunkState, Request, ReviewId, messages};

use super::desk::LineDesk;
use super::prompts;

/// The text in place of a reason that removes one.
const REMOVE: &str = "-";

/// The text behind `R`: empty if that stands alone.
pub(super) fn reason_in(line: &str) -> Option<&str> {
    let (command, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    matches!(command, "R" | "reason").then_some(text.trim())
}

impl LineDesk {
    /// Notes a reason for a change, and drops a change that is kept so far; without a `place`, the reason is
    /// for the decision on the whole review.
    pub(super) async fn reason(&mut self, id: ReviewId, place: Option<usize>, text: &str) {
        let Some(review) = self.review(id) else { return };
        if review.reasons.are_lost() {
            let why = messages::no_reason(&review.agent);
            return self.printer.say(&why);
        }
        let hunk = place.and_then(|place| review.hunks.get(place));
        let known =
            if place.is_some() { hunk.and_then(|hunk| hunk.reason.as_ref()) } else { review.reason.as_ref() };
        if text.is_empty() {
            let help = prompts::reason(known.map(String::as_str), place.is_some());
            return self.printer.say(&help);
        }
        let (revision, reasons) = (review.revision, review.reasons);
        let is_kept = hunk.is_some_and(|hunk| hunk.state == HunkState::Kept);
        let removes = text == REMOVE;
        let reason = if removes { String::new() } else { text.to_owned() };
        if self.ask(id, Request::SetReason { id, revision, hunk: place, reason }).await.is_none() {
            return;
        }
        self.printer.say(match place {
            _ if removes => messages::REASON_REMOVED,
            Some(_) => messages::reason_of_change_noted(reasons),
            None => messages::reason_noted(reasons),
        });
        if let Some(place) = place.filter(|_| is_kept && !removes) {
            self.keep(id, place, false).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_the_text_behind_its_letter() {
        assert_eq!(reason_in("R too early "), Some("too early"));
        assert_eq!(reason_in("reason\tno"), Some("no"));
        assert_eq!(reason_in("R"), Some(""));
        assert_eq!(reason_in("Rtoo early"), None);
        assert_eq!(reason_in("r too early"), None, "a rejection takes no text");
    }
}
