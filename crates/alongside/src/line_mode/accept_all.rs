//! Accepting all reviews in line mode after one confirmation, as `A` does at the terminal desk.
//!
//! The list names revisions of which the person has seen every change. Only those are accepted: a review that
//! changes or comes later waits on.

use alongside_desk::review_model::{Acceptances, ListedReview, Obstacle};
use alongside_desk::{Closed, Decision, Hunk, Lines, Request, Review, ReviewId, messages};

use super::desk::{Activity, Due, LineDesk};

/// The list that the person confirms. It stays as it was when it was printed.
#[derive(Debug)]
pub(super) struct AcceptAll {
    ready: Vec<ListedReview>,
    /// All reviews of the list.
    ids: Vec<ReviewId>,
}

/// The printed part of a review.
#[derive(Debug, Default)]
pub(super) struct Printed {
    /// The revision that was printed last.
    pub(super) revision: u64,
    /// The lines of each printed hunk, in the original and in the proposal.
    hunks: Vec<(Lines, Lines)>,
}

impl Printed {
    /// A hunk of this revision was printed.
    pub(super) fn add(&mut self, revision: u64, hunk: Option<&Hunk>) {
        self.revision = revision;
        if let Some(hunk) = hunk.filter(|hunk| !self.holds(hunk)) {
            self.hunks.push((hunk.original, hunk.proposed));
        }
    }

    /// Another desk changed the review, perhaps in a hunk that was printed before.
    pub(super) fn forget_hunks(&mut self) {
        self.hunks.clear();
    }

    /// Whether a hunk was printed, perhaps as a part of one that has been split since.
    fn holds(&self, hunk: &Hunk) -> bool {
        let holds = |outer: Lines, inner: Lines| outer.start <= inner.start && inner.end <= outer.end;
        self.hunks
            .iter()
            .any(|(original, proposed)| holds(*original, hunk.original) && holds(*proposed, hunk.proposed))
    }

    fn is_all_of(&self, review: &Review) -> bool {
        // Without hunks to decide on, all of it is printed at once.
        review.whole_file_only.is_some() || review.hunks.iter().all(|hunk| self.holds(hunk))
    }
}

impl AcceptAll {
    /// The prompt below the list.
    pub(super) fn prompt(&self) -> String {
        match self.ready.len() {
            1 => "Accept this review [y,n]?".into(),
            count => format!("Accept these {count} reviews [y,n]?"),
        }
    }
}

impl LineDesk {
    /// Prints the reviews that wait, for the person to confirm.
    pub(super) fn list_to_accept(&mut self) {
        let reviews = self.reviews.iter().map(|open| {
            let review = open.review();
            let printed = self.printed.get(&review.id);
            let known = printed.map(|printed| printed.revision);
            let mut listed = ListedReview::new(review, known, &self.roots);
            if printed.is_some_and(|printed| !printed.is_all_of(review)) {
                listed.obstacle.get_or_insert(Obstacle::PartlySeen);
            }
            (listed, messages::agent_name(&review.agent))
        });
        let (held_back, ready): (Vec<_>, Vec<_>) = reviews.partition(|(listed, _)| listed.obstacle.is_some());
        let mut lines = Vec::new();
        if !ready.is_empty() {
            lines.push("To accept, as they stand now:".to_owned());
            lines.extend(ready.iter().map(row));
        }
        if !held_back.is_empty() {
            lines.push("Not accepted; these wait on:".to_owned());
            for held in &held_back {
                let reason = held.0.obstacle.map_or("", |obstacle| obstacle.text());
                lines.extend([row(held), format!("    {reason}")]);
            }
        }
        let ids = ready.iter().chain(&held_back).map(|(listed, _)| listed.id).collect();
        self.printer.say(&lines.join("\n"));
        if ready.is_empty() {
            self.printer.say("No review can be accepted from this list.");
            return;
        }
        self.accept_all =
            Some(AcceptAll { ready: ready.into_iter().map(|(listed, _)| listed).collect(), ids });
        self.due = Due::Prompt;
    }

    /// Takes the reply to the list.
    pub(super) async fn list_answered(&mut self, list: AcceptAll, line: &str) {
        match line {
            "y" | "yes" => self.accept_listed(list).await,
            "n" | "no" | "q" => self.due = Due::Review,
            _ => {
                self.printer.say("Type one of [y,n] and Enter.");
                self.accept_all = Some(list);
            }
        }
    }

    async fn accept_listed(&mut self, list: AcceptAll) {
        let mut acceptances = Acceptances::of(list.ids.into_iter());
        let mut asked = Vec::new();
        for listed in list.ready {
            let (id, revision) = (listed.id, listed.revision);
            if acceptances.begin(&listed, self.review(id).map(|review| review.revision)) {
                let request = Request::DecideReview { id, revision, decision: Decision::Accept };
                asked.push((id, self.desk.request(request).await));
            }
        }
        for (id, answer) in asked {
            if let Err(refusal) = answer {
                let name = self.review(id).map(|review| messages::file_name(&review.file, &self.roots));
                acceptances.refused(id, name, &refusal);
            }
        }
        self.activity = Activity::Accepting(acceptances);
        self.due = Due::Review;
        self.end_acceptances();
    }

    /// A review of the list may have ended.
    pub(super) fn acceptance_closed(&mut self, closed: &Closed) {
        if let Activity::Accepting(acceptances) = &mut self.activity {
            acceptances.closed(closed);
            self.end_acceptances();
        }
    }

    /// Tells the person the end once no acceptance is under way.
    fn end_acceptances(&mut self) {
        let Activity::Accepting(acceptances) = &mut self.activity else { return };
        let Some(end) = acceptances.end(self.reviews.iter().map(|open| open.review().id)) else { return };
        self.activity = Activity::Listening;
        self.printer.say(&end.text());
    }
}

/// A review of the list in one line.
fn row((listed, agent): &(ListedReview, String)) -> String {
    let (added, removed) = listed.counts;
    let states = if listed.states.is_empty() { String::new() } else { format!(", {}", listed.states) };
    format!("  {}: +{added} -{removed}, {agent}{states}", listed.name)
}
