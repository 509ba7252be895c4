//! The desk's state: reviews, agents, messages, the open question, and the edit under way.
//!
//! `companion_events` and `companion_replies` change it when the companion speaks, `input` and `navigation`
//! when the person does, `editor_events` when their editor does. `screen_layout` draws it.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;

use alongside_desk::review_model::{CompanionState, Message, Question};
use alongside_desk::{Agent, Request, ReviewId, messages};
use tokio::time::Instant;

use crate::accept_list::AcceptAll;
use crate::agent_offers::{AgentOffers, Look};
use crate::areas::Areas;
use crate::colour::Colours;
use crate::message_log::MessageLog;
use crate::options::{Layout, Options};
use crate::palette::Palette;
use crate::pending_edit::PendingEdit;
use crate::reason_input::ReasonEntry;
use crate::review_page::Needle;
use crate::review_view::ReviewView;
use crate::seen_screen::SeenScreen;

/// The desk's state.
pub(crate) struct App {
    pub(crate) options: Options,
    pub(crate) palette: Palette,
    pub(crate) colours: Colours,
    pub(crate) companion: CompanionState,
    /// The reviews that wait, in the order of the list.
    pub(crate) reviews: Vec<ReviewView>,
    /// The review on the screen.
    pub(crate) at: Option<ReviewId>,
    /// The place of a review that its agent is about to propose anew.
    pub(crate) vacancy: Option<Vacancy>,
    pub(crate) messages: MessageLog,
    pub(crate) question: Option<Question>,
    /// Whether the open question has been on the screen.
    pub(crate) question_seen: bool,
    /// The list of reviews to accept together, while it is open.
    pub(crate) accept_all: Option<AcceptAll>,
    /// The first line of the help on the screen, while it is open.
    pub(crate) help: Option<usize>,
    /// The agents to set up.
    pub(crate) setup: AgentOffers,
    pub(crate) search: Search,
    /// The reason for the agent's model.
    pub(crate) reason: ReasonEntry,
    /// Whether the banner of a demo still names the first key.
    pub(crate) is_new_to_demo: bool,
    /// The layout that the person asked for.
    pub(crate) layout: Option<Layout>,
    /// Whether long lines are wrapped.
    pub(crate) wrap: bool,
    /// Whether the person asked for the lists of agents and reviews, or wants none.
    pub(crate) sidebar: Option<bool>,
    pub(crate) pending: PendingEdit,
    pub(crate) seen: SeenScreen,
    /// Whether the terminal has the focus, as far as it says so.
    pub(crate) is_focused: bool,
    /// When a review was last announced outside the screen.
    pub(crate) notified: Option<Instant>,
    /// When the companion last heard that the person turned to this desk.
    pub(crate) focused: Option<Instant>,
    pub(crate) areas: Areas,
    /// Milliseconds since the Unix epoch, for ages.
    pub(crate) now: u64,
    /// Whether the screen is out of date.
    pub(crate) due: bool,
    effects: VecDeque<Effect>,
}

/// Work that the state asks the loop for.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Send a request; the reply goes to [`App::take_reply`].
    Ask(Request, Purpose),
    /// Open the review on the screen in the person's editor.
    Edit,
    /// Put a text into the clipboard.
    Copy(String),
    /// Announce a review of this file to a person who looks elsewhere.
    Notify(String),
    /// Stop the process until the shell continues it.
    Stop,
    /// Look for agents to set up.
    LookForAgents(Look),
    /// Make the change of this offer, if it still is the one that the preview shows.
    SetAgentUp {
        id: String,
        preview: String,
    },
    /// Draw every cell anew.
    Redraw,
    Leave,
}

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The pending change.
    Change(ReviewId),
    Decide(ReviewId),
    /// An acceptance among several.
    AcceptListed(ReviewId),
    /// A text that was saved in an open editor.
    Upload(ReviewId),
    /// Pausing or resuming the context.
    Pause(bool),
    Send,
    /// The desk needs no reply.
    Nothing,
}

/// The place of a review that its agent proposes anew.
pub(crate) struct Vacancy {
    pub(crate) index: usize,
    pub(crate) agent: u64,
    pub(crate) file: String,
    /// Whether it was on the screen.
    pub(crate) current: bool,
}

/// The search in a review.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// The text being typed.
    pub(crate) typing: Option<String>,
    /// The text typed last, and the needle made of it.
    pub(crate) text: String,
    pub(crate) needle: Option<Needle>,
}

/// The content of a frame, so that the desk knows later what was on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    change: u64,
    review: Option<(ReviewId, u64)>,
    question: Option<Question>,
    /// Whether it shows the change of an agent's settings that is asked about.
    setup: bool,
    /// The rows of the list of reviews to accept together.
    listed: Option<Range<usize>>,
    message: Option<u64>,
}

impl App {
    pub(crate) fn new(options: Options, palette: Palette) -> Self {
        Self {
            layout: options.layout,
            is_new_to_demo: options.rehearsal,
            options,
            palette,
            colours: Colours::new(),
            companion: CompanionState::default(),
            reviews: Vec::new(),
            at: None,
            vacancy: None,
            messages: MessageLog::default(),
            question: None,
            question_seen: false,
            accept_all: None,
            help: None,
            setup: AgentOffers::default(),
            search: Search::default(),
            reason: ReasonEntry::default(),
            wrap: false,
            sidebar: None,
            pending: PendingEdit::Idle,
            seen: SeenScreen::default(),
            is_focused: true,
            notified: None,
            focused: None,
            areas: Areas::default(),
            now: 0,
            due: true,
            effects: VecDeque::new(),
        }
    }

    /// Directories that file names are shown relative to.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        let roots = &self.companion.status().roots;
        if roots.is_empty() { &self.options.roots } else { roots }
    }

    pub(crate) fn current(&self) -> Option<&ReviewView> {
        self.at.and_then(|at| self.view(at))
    }

    pub(crate) fn current_mut(&mut self) -> Option<&mut ReviewView> {
        let at = self.at?;
        self.view_mut(at)
    }

    pub(crate) fn view(&self, id: ReviewId) -> Option<&ReviewView> {
        self.reviews.iter().find(|view| view.review().id == id)
    }

    pub(crate) fn view_mut(&mut self, id: ReviewId) -> Option<&mut ReviewView> {
        self.reviews.iter_mut().find(|view| view.review().id == id)
    }

    /// An agent's name, with its number where another agent has the same name.
    pub(crate) fn agent(&self, agent: &Agent) -> String {
        let name = messages::agent_name(agent);
        let same = |other: &Agent| other.number != agent.number && messages::agent_name(other) == name;
        let connected = self.companion.status().agents.iter();
        let mut others = connected.chain(self.reviews.iter().map(|view| &view.review().agent));
        if others.any(same) { format!("{name} #{}", agent.number) } else { name }
    }

    /// Answers the person: something happened.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.answer(Message::notice(text));
    }

    /// Answers the person: something is wrong.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.answer(Message::warning(text));
    }

    /// Shows a message that the person looks for now, over warnings that wait.
    pub(crate) fn answer(&mut self, message: Message) {
        self.messages.add_on_top(message);
        self.due = true;
    }

    /// Shows news.
    pub(crate) fn show(&mut self, messages: impl IntoIterator<Item = Message>) {
        messages.into_iter().for_each(|message| self.messages.add(message));
        self.due = true;
    }

    pub(crate) fn ask(&mut self, request: Request, purpose: Purpose) {
        self.add_effect(Effect::Ask(request, purpose));
    }

    pub(crate) fn add_effect(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    /// Takes the work for the loop.
    pub(crate) fn take_effects(&mut self) -> VecDeque<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Keys mean something else now, and not because the person asked for it: they count again when this has
    /// been on the screen for a moment.
    pub(crate) fn invalidate_keys(&mut self) {
        self.seen.change();
        self.question = None;
        self.pending.drop_held_keys();
        self.due = true;
    }

    pub(crate) fn open_question(&mut self, question: Question) {
        self.question = Some(question);
        self.question_seen = false;
        self.due = true;
    }

    /// Whether the person types a text on the status line.
    pub(crate) fn is_typing(&self) -> bool {
        self.search.typing.is_some() || self.reason.typing.is_some()
    }

    /// Whether the status line has room for a message: a question and a text that is typed come first.
    pub(crate) fn shows_message(&self) -> bool {
        self.question.is_none() && self.accept_all.is_none() && !self.is_typing()
    }

    /// The content of a frame drawn now.
    pub(crate) fn picture(&self) -> Picture {
        let small = self.areas.too_small;
        // The help, the set-up of agents and the list cover the review.
        let setup = self.help.is_none() && !small && self.setup.open.is_some();
        let is_covered = self.help.is_some() || setup || self.accept_all.is_some();
        let view = self.current().filter(|_| !is_covered && !small);
        let list = self.accept_all.as_ref().filter(|_| !small);
        Picture {
            change: self.seen.current(),
            review: view.map(|view| (view.review().id, view.review().revision)),
            question: self.question.filter(|_| !small),
            setup,
            listed: list.map(|list| list.rows_on_screen(self.areas.main.height)),
            message: self.messages.current_number().filter(|_| self.shows_message() && !small),
        }
    }

    /// A frame is on the screen.
    pub(crate) fn mark_shown(&mut self, picture: Picture, now: Instant) {
        self.seen.mark_drawn(picture.change, now);
        if let Some((id, revision)) = picture.review
            && let Some(view) = self.view_mut(id)
        {
            view.seen = Some(revision);
        }
        if picture.setup
            && let Some(open) = &mut self.setup.open
        {
            open.seen = true;
        }
        if let Some(number) = picture.message {
            self.messages.mark_shown(number, now);
        }
        if let (Some(list), Some(rows)) = (&mut self.accept_all, &picture.listed) {
            list.mark_seen(rows);
        }
        self.question_seen = self.question.is_some() && picture.question == self.question;
    }

    /// Whether a key pressed at `at` can mean the review on the screen: the person saw it, and for long
    /// enough if it came there by itself.
    pub(crate) fn key_counts(&self, at: Instant) -> bool {
        self.seen.counts(at) && !self.areas.too_small && self.current().is_none_or(|view| view.seen.is_some())
    }
}
