//! The reviews that wait, the one on the screen, and the companion's status. A review that arrives never
//! changes the screen: a message announces it, and the list has it. Only when the one on the screen ends, the
//! next one takes its place.

use std::path::PathBuf;

use alongside_desk::review_model::{
    CompanionState, ListedReview, Message, Obstacle, Question, ReviewNews, Subject,
};
use alongside_desk::{
    Agent, Changed, Closed, Closing, Problem, Review, ReviewId, RuleAcceptance, Status, harmless, messages,
};

use crate::accepted_list::AcceptedList;
use crate::demo_guide::DemoStep;
use crate::keys::Action;
use crate::output::{Effect, Output};
use crate::review_view::ReviewView;

/// Columns that a key scrolls to the side.
const COLUMNS: usize = 8;

/// See the module.
pub(crate) struct Reviews {
    companion: CompanionState,
    /// Directories that file names are shown relative to, until the companion names its own.
    roots: Vec<PathBuf>,
    /// In the order of the list.
    views: Vec<ReviewView>,
    /// The review on the screen.
    at: Option<ReviewId>,
    /// The place of a review that its agent is about to propose anew.
    vacancy: Option<Vacancy>,
    /// In a demo, the next thing to try.
    demo: Option<DemoStep>,
}

/// The place of a review that its agent proposes anew.
struct Vacancy {
    index: usize,
    agent: u64,
    file: String,
    /// Whether it was on the screen.
    current: bool,
}

impl Reviews {
    /// None yet.
    pub(crate) fn new(roots: Vec<PathBuf>, is_demo: bool) -> Self {
        Self {
            companion: CompanionState::default(),
            roots,
            views: Vec::new(),
            at: None,
            vacancy: None,
            demo: is_demo.then_some(DemoStep::Drop),
        }
    }

    pub(crate) fn status(&self) -> &Status {
        self.companion.status()
    }

    /// Whether no agent is connected.
    pub(crate) fn is_alone(&self) -> bool {
        self.status().agents.is_empty()
    }

    /// Directories that file names are shown relative to.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        let roots = &self.status().roots;
        if roots.is_empty() { &self.roots } else { roots }
    }

    /// All reviews, in the order of the list.
    pub(crate) fn all(&self) -> &[ReviewView] {
        &self.views
    }

    /// The review on the screen.
    pub(crate) fn at(&self) -> Option<ReviewId> {
        self.at
    }

    /// Its place in the list.
    pub(crate) fn index(&self) -> Option<usize> {
        self.views.iter().position(|view| Some(view.review().id) == self.at)
    }

    pub(crate) fn current(&self) -> Option<&ReviewView> {
        self.view(self.at?)
    }

    pub(crate) fn current_mut(&mut self) -> Option<&mut ReviewView> {
        self.view_mut(self.at?)
    }

    pub(crate) fn view(&self, id: ReviewId) -> Option<&ReviewView> {
        self.views.iter().find(|view| view.review().id == id)
    }

    pub(crate) fn view_mut(&mut self, id: ReviewId) -> Option<&mut ReviewView> {
        self.views.iter_mut().find(|view| view.review().id == id)
    }

    /// In a demo, the next thing to try.
    pub(crate) fn demo(&self) -> Option<DemoStep> {
        self.demo
    }

    /// The person has tried something of the demo.
    pub(crate) fn demo_done(&mut self, done: DemoStep) {
        self.demo = self.demo.map(|step| step.after(done));
    }

    /// An agent's name, with its number where another agent has the same name.
    pub(crate) fn agent(&self, agent: &Agent) -> String {
        let name = messages::agent_name(agent);
        let same = |other: &Agent| other.number != agent.number && messages::agent_name(other) == name;
        let connected = self.status().agents.iter();
        let mut others = connected.chain(self.views.iter().map(|view| &view.review().agent));
        if others.any(same) { format!("{name} #{}", agent.number) } else { name }
    }

    /// The names of agents that are not connected, and whose hook has brought a review.
    pub(crate) fn hook_agents(&self) -> impl Iterator<Item = &str> {
        self.companion.hook_agents()
    }

    /// A file's name as people read it.
    pub(crate) fn file_name(&self, review: &Review) -> String {
        messages::file_name(&review.file, self.roots())
    }

    /// The reviews as a list to accept together shows them, each with its agent.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (ListedReview, String)> {
        self.views.iter().map(|view| {
            let review = view.review();
            let known = view.seen.map(|_| view.meant_revision());
            let mut listed = ListedReview::new(review, known, self.roots());
            if !view.seen_part().is_all() {
                listed.obstacle.get_or_insert(Obstacle::PartlySeen(view.seen_part()));
            }
            (listed, self.agent(&review.agent))
        })
    }

    /// The question before leaving, if that ends reviews.
    pub(crate) fn question_before_leaving(&self) -> Option<Question> {
        Question::before_leaving(self.views.len(), self.status())
    }

    /// The sentence that says where reviews wait on when the desk is left.
    pub(crate) fn stays_open(&self) -> Option<String> {
        self.companion.stays_open(self.views.len())
    }

    /// The sentence about the end of a review; none if it does not wait.
    pub(crate) fn end_of(&self, closed: &Closed) -> Option<Message> {
        let view = self.view(closed.id)?;
        Some(self.companion.review_closed(view.review(), closed, self.roots()))
    }

    pub(crate) fn take_status(&mut self, status: Status, out: &mut Output) {
        let news = self.companion.take_status(status);
        // Before the first frame everything is new, and nothing is news.
        if !out.keys.is_blank() {
            out.show(news);
        }
        // Somebody else came who keeps the reviews: leaving is no question any more.
        if out.overlays.has_question(Question::Leave)
            && let Some(stays) = self.stays_open()
        {
            out.close_question();
            out.say(stays);
        }
    }

    pub(crate) fn take_problem(&mut self, problem: &Problem, out: &mut Output) {
        out.show([self.companion.take_problem(problem)]);
    }

    /// A rule has accepted a change.
    pub(crate) fn take_acceptance(&mut self, accepted: RuleAcceptance, out: &mut Output) {
        let roots = self.roots().to_vec();
        out.show(self.companion.take_acceptance(accepted, &roots));
    }

    /// The changes that rules have accepted, and the grants of the person, if there are any.
    pub(crate) fn accepted_list(&self) -> Option<AcceptedList> {
        AcceptedList::new(&self.status().grants, self.companion.accepted())
    }

    /// The companion paused or resumed the context as the person asked.
    pub(crate) fn set_paused(&mut self, paused: bool, out: &mut Output) {
        out.answer(self.companion.set_paused(paused));
    }

    /// A review arrives.
    pub(crate) fn open(&mut self, review: Review, out: &mut Output) {
        let id = review.id;
        self.companion.note_review(&review);
        if let Some(known) = self.view_mut(id) {
            // The companion tells everything anew after an interruption.
            *known = ReviewView::new(review);
            return out.invalidate_keys();
        }
        let same =
            |vacancy: &mut Vacancy| vacancy.agent == review.agent.number && vacancy.file == review.file;
        let vacancy = self.vacancy.take_if(same);
        let end = self.views.len();
        let index = vacancy.as_ref().map_or(end, |vacancy| vacancy.index.min(end));
        let arrived = messages::arrived(&review, self.roots(), end + 1, "Tab: next");
        let arrived = Message::notice(arrived).about(Subject::Arrival(id));
        self.views.insert(index, ReviewView::new(review));
        if self.at.is_none() || vacancy.as_ref().is_some_and(|vacancy| vacancy.current) {
            self.at = Some(id);
            out.invalidate_keys();
            // The end of the review that it replaces has announced it. Other messages are about what was on
            // the screen before.
            if vacancy.is_none() && !out.keys.is_blank() {
                out.answer(arrived);
            }
        } else if !out.keys.is_blank() {
            out.show([arrived]);
        }
    }

    /// A review has a new revision. Returns the news of it; none if this desk does not have the one before.
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
            // The screen still shows a revision the companion had; it refuses a decision on it as stale.
            Err(out_of_step) => {
                tracing::error!(review = id.0, %out_of_step);
                None
            }
        }
    }

    /// Tells the person about changes that were not made here. Keys pressed before they see it do not count.
    /// `is_uploading`: the reply that an upload is ours comes after its revision.
    pub(crate) fn tell_news(&self, news: ReviewNews, is_uploading: bool, out: &mut Output) {
        let Some(view) = self.view(news.id) else { return };
        let foreign = view.open().is_foreign(news) && !is_uploading;
        let said = news.messages(&self.file_name(view.review()), foreign);
        if self.at == Some(news.id) && !said.is_empty() {
            out.invalidate_keys();
        }
        out.show(said);
    }

    /// A review ended. `is_counted`: a message about several will tell. True if it was on the screen.
    pub(crate) fn close(&mut self, closed: &Closed, is_counted: bool, out: &mut Output) -> bool {
        let Some(index) = self.views.iter().position(|view| view.review().id == closed.id) else {
            return false;
        };
        let message = self.end_of(closed).filter(|_| !is_counted);
        let view = self.views.remove(index);
        out.messages.end_review(closed.id);
        if closed.decided_here {
            self.demo = self.demo.map(DemoStep::after_decision);
        }
        match message {
            Some(message) if closed.decided_here => out.answer(message),
            message => out.show(message),
        }
        let current = self.at == Some(closed.id);
        if closed.closing == Closing::Replaced {
            let (agent, file) = (view.review().agent.number, view.review().file.clone());
            self.vacancy = Some(Vacancy { index, agent, file, current });
        }
        if current {
            self.at = None;
            // The new proposal of the same file is the next event; anything else waits for it.
            if closed.closing != Closing::Replaced {
                self.go_to_nearest(index);
            }
            out.invalidate_keys();
        }
        current
    }

    /// Before a frame: a new proposal that did not come leaves no empty screen.
    pub(crate) fn fill_vacancy(&mut self, out: &mut Output) {
        if self.at.is_none() && !self.views.is_empty() {
            self.go_to_nearest(self.vacancy.as_ref().map_or(0, |vacancy| vacancy.index));
            out.invalidate_keys();
        }
    }

    /// Goes to the review at `index`, or to the last one.
    fn go_to_nearest(&mut self, index: usize) {
        let next = self.views.get(index).or(self.views.last());
        self.at = next.map(|view| view.review().id);
    }

    /// This desk made a revision: it is no news to the person.
    pub(crate) fn mark_own(&mut self, id: ReviewId, revision: u64) {
        if let Some(view) = self.view_mut(id) {
            view.open_mut().mark_own(revision);
        }
    }

    /// The person turns to the review so many places further in the list, round the end.
    pub(crate) fn turn_by(&mut self, by: isize, out: &mut Output) {
        let n = self.views.len() as isize;
        if n == 0 {
            return out.say_that_nothing_waits();
        }
        let next = self.index().map_or(0, |at| (at as isize + by).rem_euclid(n)) as usize;
        if !self.turn_to(self.views[next].review().id, out) {
            out.say("No other review waits.");
        }
    }

    /// The person turns to a review. False if it is on the screen.
    pub(crate) fn turn_to(&mut self, id: ReviewId, out: &mut Output) -> bool {
        let is_other = self.at != Some(id);
        if is_other {
            self.at = Some(id);
            self.forget_seen(out);
        }
        is_other
    }

    /// The person turned to the review from something else: keys mean it once it is on the screen again.
    pub(crate) fn forget_seen(&mut self, out: &mut Output) {
        if let Some(view) = self.current_mut() {
            view.seen = None;
            out.messages.end(Subject::Arrival(view.review().id));
        }
    }

    /// Moves in the review on the screen.
    pub(crate) fn scroll(&mut self, action: Action, out: &mut Output) {
        let Some(view) = self.current_mut() else { return };
        let end = isize::MAX / 2;
        match action {
            Action::NextHunk if !view.next_hunk() => out.say("This is the last change."),
            Action::PreviousHunk if !view.previous_hunk() => out.say(messages::FIRST_CHANGE),
            Action::PageDown => _ = view.scroll(view.whole()),
            Action::PageUp => _ = view.scroll(-view.whole()),
            Action::HalfDown => _ = view.scroll(view.half()),
            Action::HalfUp => _ = view.scroll(-view.half()),
            Action::Top => _ = view.scroll(-end),
            Action::Bottom => _ = view.scroll(end),
            Action::Left => view.sideways = view.sideways.saturating_sub(COLUMNS),
            Action::Right => view.sideways += COLUMNS,
            Action::Open if !view.toggle_nearest_fold() => out.say("There is no fold here."),
            Action::CopyPath => {
                let file = view.review().file.clone();
                out.say(format!("Copied, if your terminal allows it: {}", harmless::name(&file)));
                out.add_effect(Effect::Copy(file));
            }
            _ => {}
        }
    }
}
