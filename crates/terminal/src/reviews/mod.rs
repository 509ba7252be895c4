//! The open reviews, the review on the screen, and the companion's status. A review that arrives does not
//! replace the review on the screen: a message announces it, and the list shows it. When the review on the
//! screen ends, the next review replaces it.

mod accept_all_result;
mod edit_kind;
mod hunk_splitting;
pub(crate) mod navigation;
mod pending_edit;
mod proposal_list;
pub(crate) mod question_replies;
pub(crate) mod requests;
mod unsent_reason;

use std::path::PathBuf;

use alongside_desk::review_model::{
    CompanionState, HookAgent, ListedReview, Message, Obstacle, Question, ReviewNews, Subject, Waiting,
};
use alongside_desk::{
    Agent, AtWork, Changed, Closed, Closing, Problem, Review, ReviewId, RuleAcceptance, Status, Turn,
    messages,
};

use self::proposal_list::{Arrival, ProposalList};
use crate::demo_guide::DemoStep;
use crate::keys::DeskMode;
use crate::output::Output;
use crate::overlays::accepted_by_rule::AcceptedByRule;
use crate::review_page::ReviewKind;
use crate::review_view::ReviewView;
use crate::turn_review::TurnReview;
use crate::words::turn_words;

/// The open reviews, the turn review, and the companion's status.
pub(crate) struct Reviews {
    companion: CompanionState,
    /// The directories to which file names are relative on the screen, until the companion's status names
    /// roots.
    roots: Vec<PathBuf>,
    proposals: ProposalList,
    /// The next step of the demo; `None` outside a demo.
    demo: Option<DemoStep>,
    /// The turn review, which the screen can show instead of the proposals.
    turn: TurnReview,
    /// The turns that a rejection may have ended, because their agents have sent no proposal since.
    rejected: Vec<AtWork>,
}

impl Reviews {
    /// Creates the state without reviews.
    pub(crate) fn new(roots: Vec<PathBuf>, is_demo: bool, turn: TurnReview) -> Self {
        Self {
            companion: CompanionState::default(),
            roots,
            proposals: ProposalList::default(),
            demo: is_demo.then_some(DemoStep::Drop),
            turn,
            rejected: Vec::new(),
        }
    }

    pub(crate) fn status(&self) -> &Status {
        self.companion.status()
    }

    /// Whether no agent is connected.
    pub(crate) fn has_no_agent(&self) -> bool {
        self.status().agents.is_empty()
    }

    /// Whether the screen shows an age, which changes with time.
    pub(crate) fn has_ages(&self) -> bool {
        !self.has_no_agent() || self.turn.files().is_some()
    }

    /// The time since which all agents of this name are at work; `None` if one of them may be idle.
    pub(crate) fn at_work(&self, name: &str) -> Option<u64> {
        let at_work = self.turn.files().map_or(&[][..], |files| &files.turn().at_work);
        let of_name = at_work.iter().filter(|at_work| at_work.agent == name);
        let agents = self.status().agents.iter().filter(|agent| messages::agent_name(agent) == name);
        let is_each = of_name.clone().count() >= agents.count();
        of_name.map(|at_work| at_work.since).min().filter(|_| is_each)
    }

    /// A sentence that names the agents at work; `None` if no agent is.
    pub(crate) fn at_work_words(&self, now: u64) -> Option<String> {
        turn_words::at_work(self.turn.files()?.turn(), &self.rejected, now)
    }

    /// Notes that a proposal of this agent was rejected, which may end its turn.
    fn note_rejection(&mut self, agent: &Agent) {
        if !messages::may_end_turn_by_rejection(agent) {
            return;
        }
        let at_work = self.turn.files().map_or(&[][..], |files| &files.turn().at_work);
        let of_agent = at_work.iter().filter(|turn| turn.agent == messages::agent_name(agent));
        self.rejected = of_agent.cloned().collect();
    }

    /// The directories to which file names are relative on the screen.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        let roots = &self.status().roots;
        if roots.is_empty() { &self.roots } else { roots }
    }

    pub(crate) fn turn(&self) -> &TurnReview {
        &self.turn
    }

    pub(crate) fn turn_mut(&mut self) -> &mut TurnReview {
        &mut self.turn
    }

    /// The mode of the desk, on which the meaning of keys depends.
    pub(crate) fn mode(&self) -> DeskMode {
        if self.turn.is_open() { DeskMode::Turn } else { DeskMode::Proposals }
    }

    /// All reviews, in the order of the list.
    pub(crate) fn all(&self) -> &[ReviewView] {
        self.proposals.all()
    }

    /// The proposal on the screen, or behind the turn review.
    pub(crate) fn proposal_id(&self) -> Option<ReviewId> {
        self.proposals.shown_id()
    }

    /// The index of the proposal on the screen in the list.
    pub(crate) fn index(&self) -> Option<usize> {
        self.proposals.index()
    }

    /// The review on the screen: a proposal, or a file of a turn.
    pub(crate) fn current(&self) -> Option<&ReviewView> {
        match self.mode() {
            DeskMode::Proposals => self.view(self.proposal_id()?),
            DeskMode::Turn => self.turn.view(),
        }
    }

    pub(crate) fn current_mut(&mut self) -> Option<&mut ReviewView> {
        match self.mode() {
            DeskMode::Proposals => self.view_mut(self.proposal_id()?),
            DeskMode::Turn => self.turn.view_mut(),
        }
    }

    /// Whether this review is on the screen.
    pub(crate) fn is_current(&self, id: ReviewId) -> bool {
        self.current().is_some_and(|view| view.review().id == id)
    }

    /// Whether the screen has a review for keys to act on.
    pub(crate) fn has_current(&self) -> bool {
        match self.mode() {
            DeskMode::Proposals => self.proposal_id().is_some(),
            DeskMode::Turn => self.turn.has_file(),
        }
    }

    /// Whether the person has seen the review that keys act on.
    pub(crate) fn is_seen(&self) -> bool {
        match self.mode() {
            DeskMode::Proposals => self.current().is_none_or(|view| view.seen_revision.is_some()),
            DeskMode::Turn => self.turn.is_shown(),
        }
    }

    /// A proposal, or an opened file of a turn.
    pub(crate) fn view(&self, id: ReviewId) -> Option<&ReviewView> {
        self.proposals.view(id).or_else(|| self.turn.files()?.view_of(id))
    }

    pub(crate) fn view_mut(&mut self, id: ReviewId) -> Option<&mut ReviewView> {
        self.proposals.view_mut(id).or_else(|| self.turn.files_mut()?.view_of_mut(id))
    }

    /// The next step of the demo; `None` outside a demo.
    pub(crate) fn demo(&self) -> Option<DemoStep> {
        self.demo
    }

    /// Notes that the person has done this step of the demo.
    pub(crate) fn mark_demo_step(&mut self, done: DemoStep) {
        self.demo = self.demo.map(|step| step.after(done));
    }

    /// An agent's name, with the agent's number if another agent has the same name.
    pub(crate) fn agent(&self, agent: &Agent) -> String {
        let name = messages::agent_name(agent);
        let same = |other: &Agent| other.number != agent.number && messages::agent_name(other) == name;
        let connected = self.status().agents.iter();
        let mut others = connected.chain(self.all().iter().map(|view| &view.review().agent));
        if others.any(same) { format!("{name} #{}", agent.number) } else { name }
    }

    /// The agents that are not connected, but whose hook has sent a review or a turn.
    pub(crate) fn hook_agents(&self) -> impl Iterator<Item = &HookAgent> {
        self.companion.hook_agents()
    }

    /// The name of a review's file for people.
    pub(crate) fn file_name(&self, review: &Review) -> String {
        messages::file_name(&review.file, self.roots())
    }

    /// The reviews for the list to accept together, each with the name of its agent.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (ListedReview, String)> {
        self.all().iter().map(|view| {
            let review = view.review();
            let known = view.seen_revision.map(|_| view.meant_revision());
            let mut listed = ListedReview::new(review, known, self.roots());
            if !view.seen_part().is_all() {
                listed.obstacle.get_or_insert(Obstacle::PartlySeen(view.seen_part()));
            }
            (listed, self.agent(&review.agent))
        })
    }

    /// The question before leaving, if leaving ends reviews.
    pub(crate) fn question_before_leaving(&self) -> Option<Question> {
        Question::before_leaving(self.waiting(), self.status())
    }

    /// The sentence that says where reviews stay open after the person leaves the desk.
    pub(crate) fn stays_open_message(&self) -> Option<String> {
        self.companion.stays_open(self.waiting())
    }

    fn waiting(&self) -> Waiting {
        self.all().iter().map(|view| &view.review().agent).collect()
    }

    /// The message about the end of a review; `None` if the review is not open here.
    pub(crate) fn end_message(&self, closed: &Closed) -> Option<Message> {
        let view = self.view(closed.id)?;
        Some(self.companion.review_closed(view.review(), closed, self.roots()))
    }

    pub(crate) fn take_status(&mut self, status: Status, out: &mut Output) {
        let news = self.companion.take_status(status);
        // Before the first frame, the state at the start is no news.
        if !out.keys.has_no_frame() {
            out.show(news);
        }
        // If another party that keeps the reviews open has joined, leaving needs no question any more.
        if out.overlays.asks_before_leaving()
            && self.question_before_leaving().is_none()
            && let Some(stays) = self.stays_open_message()
        {
            out.close_question();
            out.say(stays);
        }
    }

    pub(crate) fn take_problem(&mut self, problem: &Problem, out: &mut Output) {
        out.show([self.companion.take_problem(problem)]);
    }

    /// Handles a change that a rule or grant has accepted.
    pub(crate) fn take_acceptance(&mut self, accepted: RuleAcceptance, out: &mut Output) {
        let roots = self.roots().to_vec();
        out.show(self.companion.take_acceptance(accepted, &roots));
    }

    /// The list of changes that rules and grants have accepted, and of the person's grants; `None` if it is
    /// empty.
    pub(crate) fn accepted_list(&self) -> Option<AcceptedByRule> {
        AcceptedByRule::new(&self.status().grants, self.companion.accepted())
    }

    /// Notes that the companion has paused or resumed the context, as the person requested.
    pub(crate) fn set_paused(&mut self, paused: bool, out: &mut Output) {
        out.answer(self.companion.set_paused(paused, 'p'));
    }

    /// Adds a review that arrives.
    pub(crate) fn open(&mut self, review: Review, out: &mut Output) {
        let id = review.id;
        self.companion.note_review(&review);
        if let Some(known) = self.view_mut(id) {
            // After an interruption, the companion sends every review again.
            *known = ReviewView::new(review);
            return out.invalidate_keys();
        }
        self.rejected.retain(|turn| turn.agent != messages::agent_name(&review.agent));
        let end = self.all().len();
        let mode = self.mode();
        let mut arrived = match mode {
            DeskMode::Proposals => messages::arrived(&review, self.roots(), end + 1, "Tab: next"),
            DeskMode::Turn => messages::arrived(&review, self.roots(), end + 1, "T: back"),
        };
        if mode == DeskMode::Turn && end == 0 {
            arrived += " T goes to it.";
        }
        let arrived = Message::notice(arrived).about(Subject::Arrival(id));
        let Arrival { is_shown, is_replacement } = self.proposals.add(review);
        if is_shown && mode == DeskMode::Proposals {
            out.invalidate_keys();
            // The message about the end of a replaced review has already announced this review. Older
            // messages are about the previous screen, so this message covers them.
            if !is_replacement && !out.keys.has_no_frame() {
                out.announce(arrived);
            }
        } else if !out.keys.has_no_frame() {
            out.show([arrived]);
        }
    }

    /// Handles a new revision of a review, and returns its news. `None` if this desk does not have the
    /// previous revision.
    pub(crate) fn change(&mut self, changed: Changed, out: &mut Output) -> Option<ReviewNews> {
        let id = changed.id;
        let view = self.view_mut(id)?;
        match view.take(changed) {
            Ok(news) => {
                if !view.review().stale {
                    out.messages.end(Subject::Stale(id));
                }
                if !view.review().dirty {
                    out.messages.end(Subject::Dirty(id));
                }
                Some(news)
            }
            // The screen shows an old revision now, and the companion refuses a decision on it.
            Err(out_of_step) => {
                tracing::error!(review = id.0, %out_of_step);
                None
            }
        }
    }

    /// Shows messages about changes that were made at another desk. A key that was pressed before the message
    /// is on the screen does not count. `is_uploading`: the revision may come from our own upload, whose
    /// reply comes later.
    pub(crate) fn show_news(&self, news: ReviewNews, is_uploading: bool, out: &mut Output) {
        let Some(view) = self.view(news.id) else { return };
        let foreign = view.open().is_foreign(news) && !is_uploading;
        let said = match view.kind() {
            ReviewKind::Proposal => news.messages(&self.file_name(view.review()), foreign),
            ReviewKind::TurnFile => self.turn.news(news, foreign),
        };
        if self.is_current(news.id) && !said.is_empty() {
            out.invalidate_keys();
        }
        out.show(said);
    }

    /// Removes a review that has ended. `is_counted`: a message about several reviews will count this one.
    /// Returns whether the review was on the screen.
    pub(crate) fn close(&mut self, closed: &Closed, is_counted: bool, out: &mut Output) -> bool {
        let message = self.end_message(closed).filter(|_| !is_counted);
        let was_on_screen = self.is_current(closed.id);
        let Some(view) = self.proposals.remove(closed.id, closed.closing) else { return false };
        if closed.closing == Closing::Rejected {
            self.note_rejection(&view.review().agent);
        }
        out.messages.end_review(closed.id);
        if closed.decided_here {
            self.demo = self.demo.map(DemoStep::after_decision);
        }
        match message {
            Some(message) if closed.decided_here => out.answer(message),
            message => out.show(message),
        }
        if was_on_screen {
            out.invalidate_keys();
        }
        was_on_screen
    }

    /// Shows another review if the expected new proposal has not come before the next frame.
    pub(crate) fn fill_vacancy(&mut self, out: &mut Output) {
        if self.proposals.fill_vacancy() && self.mode() == DeskMode::Proposals {
            out.invalidate_keys();
        }
        // A waiting turn review is announced only while no proposal and no unread message is on the screen.
        if self.all().is_empty() && out.messages.current_number().is_none() {
            self.turn.announce(out);
        }
    }

    /// Switches to the turn review, or back to the proposals.
    pub(crate) fn switch_mode(&mut self, out: &mut Output) {
        match self.mode() {
            DeskMode::Proposals => self.turn.open(out),
            DeskMode::Turn => {
                self.turn.close(out);
                self.forget_seen(out);
            }
        }
    }

    /// Takes a new list of the turn review.
    pub(crate) fn take_turn(&mut self, turn: Turn, out: &mut Output) {
        self.companion.note_turn(&turn);
        self.turn.take_turn(turn, out);
        if self.all().is_empty() {
            self.turn.announce(out);
        }
    }

    /// Notes that this desk made a revision, about which the person needs no message.
    pub(crate) fn mark_own(&mut self, id: ReviewId, revision: u64) {
        if let Some(view) = self.view_mut(id) {
            view.open_mut().mark_own(revision);
        }
    }

    /// Goes to the review `by` positions further in the list, and from the last review to the first.
    pub(crate) fn go_by(&mut self, by: isize, out: &mut Output) {
        if self.mode() == DeskMode::Turn {
            return self.turn.go_by(by, out);
        }
        let Some(next) = self.proposals.neighbour(by) else { return out.say_that_nothing_waits() };
        if !self.go_to(next, out) {
            out.say("No other review waits.");
        }
    }

    /// Goes to the review at an index of the list.
    pub(crate) fn go_to_index(&mut self, at: usize, out: &mut Output) {
        if let Some(id) = self.all().get(at).map(|view| view.review().id) {
            self.go_to(id, out);
        }
    }

    /// Goes to a review. Returns false if it is on the screen already.
    pub(crate) fn go_to(&mut self, id: ReviewId, out: &mut Output) -> bool {
        let is_other = self.proposals.show(id);
        if is_other {
            self.forget_seen(out);
        }
        is_other
    }

    /// Notes that the review comes onto the screen again: keys act on it once a frame has shown it.
    pub(crate) fn forget_seen(&mut self, out: &mut Output) {
        if let Some(view) = self.current_mut() {
            view.seen_revision = None;
            out.messages.end(Subject::Arrival(view.review().id));
        }
    }
}
