//! All desks, from their joining to their leaving, and the events for them. A desk that leaves decides
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use alongside_desk::{self as desk, Closed, Problem, Status};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::notifications::{AwaitedDraft, DraftVersion, Notifications};
use super::profile::DeskProfile;
use crate::ids::DeskId;
use crate::persistence::drafts::{Drafts, WrittenDraft};

/// The least time between two statuses. A status names every agent, and of many agents one always changes.
const STATUS_INTERVAL: Duration = Duration::from_millis(100);

/// The connected desks, and the events that they have still to get.
#[derive(Debug)]
pub(crate) struct Desks {
    connected: BTreeMap<DeskId, ConnectedDesk>,
    notifications: Notifications,
    /// Problems that desks reported, or that were found at start.
    problems: Vec<Problem>,
    /// The problems from a time without desks, for the first desk that shows reviews.
    news: Vec<Problem>,
    status: Status,
    /// The earliest time of the next status.
    next_status: Instant,
    /// Whether the status may have changed since desks got one.
    is_status_due: bool,
}

#[derive(Debug)]
struct ConnectedDesk {
    profile: DeskProfile,
    /// Whether the desk knows which parties keep the companion.
    knows_keepers: bool,
    events: mpsc::UnboundedSender<desk::Event>,
}

impl ConnectedDesk {
    /// Returns the status as this desk gets it.
    fn status_event(&mut self, status: &Status) -> desk::Event {
        self.knows_keepers = true;
        desk::Event::Status(Status { kept_by: self.profile.kept_by.clone(), ..status.clone() })
    }
}

impl Desks {
    pub(crate) fn new(drafts: Drafts, problems: Vec<Problem>, news: Vec<Problem>) -> Self {
        Self {
            connected: BTreeMap::new(),
            notifications: Notifications::new(drafts),
            problems,
            news,
            status: Status::default(),
            next_status: Instant::now(),
            is_status_due: false,
        }
    }

    pub(crate) fn join(
        &mut self,
        id: DeskId,
        profile: DeskProfile,
        events: mpsc::UnboundedSender<desk::Event>,
    ) {
        self.connected.insert(id, ConnectedDesk { profile, knows_keepers: false, events });
    }

    /// Sets the parties that keep the companion when this desk leaves, for the next status.
    pub(crate) fn set_kept_by(&mut self, id: DeskId, kept_by: Vec<String>) {
        if let Some(desk) = self.connected.get_mut(&id) {
            desk.knows_keepers &= desk.profile.kept_by.as_ref() == Some(&kept_by);
            desk.profile.kept_by = Some(kept_by);
        }
    }

    /// Sends a desk that has joined the status, the problems, the acceptances by rules, and the reviews that
    /// wait.
    pub(crate) fn send_first_events<'a>(
        &mut self,
        id: DeskId,
        status: Status,
        problems: impl Iterator<Item = &'a Problem>,
        accepted: impl Iterator<Item = desk::RuleAcceptance>,
        reviews: impl Iterator<Item = desk::Review>,
    ) {
        let Some(desk) = self.connected.get_mut(&id) else { return };
        let news = if desk.profile.observes { Vec::new() } else { std::mem::take(&mut self.news) };
        let others = problems.filter(|problem| !self.problems.contains(problem));
        let found = self.problems.iter().cloned().chain(others.cloned());
        let problems =
            found.chain(self.notifications.unsaved().cloned()).chain(news).map(desk::Event::Problem);
        let first = std::iter::once(desk.status_event(&status));
        let accepted = accepted.map(desk::Event::AcceptedByRule);
        for event in first.chain(problems).chain(accepted).chain(reviews.map(desk::Event::Opened)) {
            // If the desk has left already, an event will report that.
            let _ = desk.events.send(event);
        }
    }

    /// Removes a desk that has left.
    pub(crate) fn leave(&mut self, id: DeskId) {
        self.connected.remove(&id);
    }

    /// Returns the desks that show reviews.
    pub(crate) fn showing_reviews(&self) -> BTreeSet<DeskId> {
        self.connected.iter().filter(|(_, desk)| !desk.profile.observes).map(|(id, _)| *id).collect()
    }

    /// Returns the desks that know problems in files.
    pub(crate) fn knowing_diagnostics(&self) -> BTreeSet<DeskId> {
        self.connected.iter().filter(|(_, desk)| desk.profile.diagnoses).map(|(id, _)| *id).collect()
    }

    /// Sends some desks an event about a turn review at once. The drafts of proposals must not delay the
    /// event, because it has to come before the reply.
    pub(crate) fn send_at_once(&self, desks: &BTreeSet<DeskId>, event: &desk::Event) {
        for desk in desks.iter().filter_map(|id| self.connected.get(id)) {
            // If the desk has left, an event will report that.
            let _ = desk.events.send(event.clone());
        }
    }

    pub(crate) fn notify_some(&mut self, desks: impl IntoIterator<Item = DeskId>, event: desk::Event) {
        self.notifications.push(desks.into_iter().collect(), event);
        self.send_ready();
    }

    pub(crate) fn notify(&mut self, event: desk::Event) {
        self.notifications.push(self.ids(), event);
        self.send_ready();
    }

    pub(crate) fn notify_notice(&mut self, message: String) {
        self.notify(desk::Event::Notice { message });
    }

    pub(crate) fn notify_problem(&mut self, problem: Problem) {
        self.notify(desk::Event::Problem(problem));
    }

    /// Notifies every desk of the end of a review of this file. The draft is named once it is written.
    pub(crate) fn notify_end(
        &mut self,
        closed: Closed,
        decided_by: Option<DeskId>,
        draft: Option<AwaitedDraft>,
    ) {
        let decided_in = decided_by.and_then(|id| self.connected.get(&id)?.profile.name.clone());
        self.notifications.push_end(self.ids(), Closed { decided_in, ..closed }, decided_by, draft);
        self.send_ready();
    }

    pub(crate) fn draft_path(&self, draft: &str, file: &str) -> PathBuf {
        self.notifications.draft_path(draft, file)
    }

    /// Adds a problem that a desk has reported: sends it to every desk, and later to every desk that joins.
    pub(crate) fn report(&mut self, problem: Problem) {
        self.notify_problem(problem.clone());
        self.problems.push(problem);
    }

    pub(crate) fn forget_problems(&mut self, over: &[Problem]) {
        self.problems.retain(|problem| !over.contains(problem));
    }

    pub(crate) fn end_draft_write(&mut self, written: WrittenDraft) {
        if let Some(problem) = self.notifications.end_draft_write(written) {
            self.notifications.push(self.ids(), desk::Event::Problem(problem));
        }
        self.send_ready();
    }

    pub(crate) fn give_up_draft(&mut self, draft: &DraftVersion) {
        self.notifications.give_up_draft(draft, &self.ids());
        self.send_ready();
    }

    pub(crate) fn forget_draft(&mut self, draft: &str) {
        self.notifications.forget_draft(draft);
    }

    /// Whether every notification was sent.
    pub(crate) fn has_sent_all(&self) -> bool {
        self.notifications.is_empty()
    }

    pub(crate) fn is_status_due(&self) -> bool {
        self.is_status_due
    }

    /// Records that the status may have changed. Returns whether desks may get it at once.
    pub(crate) fn plan_status(&mut self, now: Instant) -> bool {
        self.is_status_due = true;
        self.next_status <= now
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.is_status_due.then_some(self.next_status)
    }

    /// Sends every desk the status, if it has changed.
    pub(crate) fn notify_status(&mut self, status: Status) {
        self.is_status_due = false;
        self.next_status = Instant::now() + STATUS_INTERVAL;
        let is_new = status != self.status;
        for (id, desk) in self.connected.iter_mut().filter(|(_, desk)| is_new || !desk.knows_keepers) {
            self.notifications.push(vec![*id], desk.status_event(&status));
        }
        self.status = status;
        self.send_ready();
    }

    /// Sends all events that still wait, because the main loop ends.
    pub(crate) fn finish(&mut self) {
        self.notifications.give_up_all_drafts(&self.ids());
        self.send_ready();
    }

    fn ids(&self) -> Vec<DeskId> {
        self.connected.keys().copied().collect()
    }

    fn send_ready(&mut self) {
        let connected = &self.connected;
        self.notifications.send_ready(|id, event| {
            // A desk that has left needs no event.
            if let Some(desk) = connected.get(&id) {
                let _ = desk.events.send(event);
            }
        });
    }
}
