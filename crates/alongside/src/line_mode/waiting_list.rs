//! Lists the waiting reviews with the seen part of each, and the agents.

use std::path::PathBuf;

use alongside_desk::review_model::{CompanionState, OpenReview};
use alongside_desk::{ReviewId, messages};

use super::printed::PrintedReviews;
use super::{letters, render};

/// Returns the list as lines. `at`: the current review.
pub(super) fn waiting_list(
    reviews: &[OpenReview],
    at: Option<ReviewId>,
    printed: &PrintedReviews,
    companion: &CompanionState,
    roots: &[PathBuf],
) -> String {
    let mut lines = Vec::new();
    for (index, open) in reviews.iter().enumerate() {
        let review = open.review();
        let here = if at == Some(review.id) { " - you are here" } else { "" };
        let name = messages::file_name(&review.file, roots);
        let (agent, size) = (messages::agent_name(&review.agent), messages::size(review));
        let seen = match printed.of(review.id) {
            None => ", not seen yet".to_owned(),
            Some(printed) => {
                let seen = printed.part_of(review);
                if seen.is_all() { String::new() } else { format!(", {}", seen.text()) }
            }
        };
        lines.push(format!("{}. {name} ({agent}, {size}{seen}){here}", index + 1));
    }
    if lines.is_empty() {
        lines.push(messages::NO_REVIEW.into());
    }
    let status = companion.status();
    lines.push(format!("Agents connected: {}.", render::agents(&status.agents)));
    let hooks: Vec<_> = companion.hook_agents().map(|hook| hook.name.as_str()).collect();
    if !hooks.is_empty() {
        lines.push(format!("Agents that come by their hook: {}.", hooks.join(", ")));
    }
    if status.paused {
        lines.push(messages::paused(true, letters::PAUSE));
    }
    lines.join("\n")
}
