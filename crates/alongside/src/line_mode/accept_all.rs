//! Lists the reviews that line mode accepts after one confirmation, as `A` does at the terminal desk.
//!
//! Only the listed revisions are accepted, and the person has seen each of their changes. A review that
//! changes or arrives later keeps waiting.

use std::path::PathBuf;

use alongside_desk::review_model::{ListedReview, Obstacle, OpenReview};
use alongside_desk::{ReviewId, messages};

use super::printed::PrintedReviews;
use super::printer::{Ink, Inks};

/// The list that the person confirms. The list does not change after it was printed.
#[derive(Debug)]
pub(super) struct AcceptAll {
    /// The reviews to accept.
    pub(super) ready: Vec<ListedReview>,
    /// All reviews of the list.
    pub(super) ids: Vec<ReviewId>,
}

impl AcceptAll {
    /// Lists the waiting reviews. Returns the list, and its text. `printed`: the printed part of each review.
    pub(super) fn new(
        reviews: &[OpenReview],
        printed: &PrintedReviews,
        roots: &[PathBuf],
        inks: Inks,
    ) -> (Self, String) {
        let reviews = reviews.iter().map(|open| {
            let review = open.review();
            let printed = printed.of(review.id);
            let known = printed.map(|printed| printed.revision);
            let mut listed = ListedReview::new(review, known, roots);
            if let Some(seen) = printed.map(|printed| printed.part_of(review)).filter(|seen| !seen.is_all()) {
                listed.obstacle.get_or_insert(Obstacle::PartlySeen(seen));
            }
            (listed, messages::agent_name(&review.agent))
        });
        let (held_back, ready): (Vec<_>, Vec<_>) = reviews.partition(|(listed, _)| listed.obstacle.is_some());
        let mut lines = Vec::new();
        if !ready.is_empty() {
            lines.push("To accept, as they stand now:".to_owned());
            lines.extend(ready.iter().map(|ready| row(ready, inks)));
        }
        if !held_back.is_empty() {
            lines.push("Not accepted; these wait on:".to_owned());
            for held in &held_back {
                let reason = held.0.obstacle.map(Obstacle::text).unwrap_or_default();
                lines.extend([row(held, inks), format!("    {reason}")]);
            }
        }
        let ids = ready.iter().chain(&held_back).map(|(listed, _)| listed.id).collect();
        (Self { ready: ready.into_iter().map(|(listed, _)| listed).collect(), ids }, lines.join("\n"))
    }

    /// Whether the list has no review to accept.
    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Returns the prompt below the list.
    pub(super) fn prompt(&self) -> String {
        match self.ready.len() {
            1 => "Accept this review [y,n]?".into(),
            count => format!("Accept these {count} reviews [y,n]?"),
        }
    }
}

/// Returns a review of the list as one line.
fn row((listed, agent): &(ListedReview, String), inks: Inks) -> String {
    let (added, removed) = listed.counts;
    let states = if listed.states.is_empty() { String::new() } else { format!(", {}", listed.states) };
    let hard = if listed.is_hard_to_see { inks.ink(Ink::Warning, ", hard to see") } else { String::new() };
    format!("  {}: +{added} -{removed}, {agent}{states}{hard}", listed.name)
}
