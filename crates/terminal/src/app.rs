//! What the desk knows: reviews, agents, what was said last, and which question is open.
//! [`told`](crate::told) changes it when the companion speaks, [`act`](crate::act) when the person does, and
//! [`screen`](crate::screen) draws it.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::process::ExitStatus;

use alongside_desk::{Agent, Request, ReviewId, Status};
use crossterm::event::KeyEvent;
use tokio::time::{Duration, Instant};

use crate::asked::Asked;
use crate::colour::Colours;
use crate::editor::Editing;
use crate::page::Needle;
use crate::palette::Palette;
use crate::reading::Reading;
use crate::screen::Areas;
use crate::{Layout, Options, texts};

/// What is pressed sooner after the screen changed unasked was meant for what stood there before.
const TOO_SOON: Duration = Duration::from_millis(300);

/// The desk's state.
pub(crate) struct App {
    pub(crate) options: Options,
    pub(crate) palette: Palette,
    pub(crate) colours: Colours,
    pub(crate) status: Status,
    /// The agents that have been announced, by number.
    pub(crate) met: BTreeSet<u64>,
    /// In the order they are listed.
    pub(crate) reviews: Vec<Reading>,
    /// The review that is being read.
    pub(crate) at: Option<ReviewId>,
    /// Where a review was that its agent is about to propose anew.
    pub(crate) vacancy: Option<Vacancy>,
    /// What was said since the last key, and the last thing before.
    pub(crate) messages: Vec<Message>,
    /// How many of them have been on the screen.
    messages_stood: usize,
    pub(crate) last_hint: Option<String>,
    pub(crate) question: Option<Question>,
    /// The first line of the help on the screen, while it is open.
    pub(crate) help: Option<usize>,
    pub(crate) search: Search,
    /// The layout the person asked for, if they did.
    pub(crate) layout: Option<Layout>,
    pub(crate) editing: Option<Editing>,
    /// A text on its way to the companion, which need not be sent twice.
    pub(crate) sending: Option<String>,
    /// How the editor ended, while a text of it is on its way.
    pub(crate) ended: Option<std::io::Result<ExitStatus>>,
    /// A review whose text the agent waits for, while a text is on its way.
    pub(crate) flushing: Option<ReviewId>,
    /// A change that was asked for and is not on its way to the screen yet.
    pub(crate) asked: Option<Asked>,
    /// Keys that wait for it.
    pub(crate) held: VecDeque<(KeyEvent, Instant)>,
    /// A decision that was sent and has not closed its review yet.
    pub(crate) deciding: Option<ReviewId>,
    /// When the person last turned to this desk, as far as the companion was told.
    pub(crate) focused: Option<Instant>,
    pub(crate) areas: Areas,
    /// Milliseconds since the Unix epoch, for how long ago something was.
    pub(crate) now: u64,
    /// Whether the screen is not as it should be.
    pub(crate) due: bool,
    /// What is to be done outside.
    pub(crate) effects: Vec<Effect>,
    /// Counts the unasked changes of what keys mean.
    turns: u64,
    /// The last of them that was on the screen, and since when.
    stood: (u64, Option<Instant>),
    has_stood: bool,
    /// Whether the open question has been on the screen.
    pub(crate) question_stood: bool,
}

/// What the loop must do for the state.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Ask the companion; the answer comes back as [`App::answered`].
    Ask(Request, Purpose),
    /// Open the review that is read in the person's editor.
    Edit,
    /// Put a text into the clipboard.
    Copy(String),
    /// Stop the process until the shell continues it.
    Stop,
    /// Draw everything anew.
    Redraw,
    /// Leave the desk.
    Leave,
}

/// What a request was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A change at the desk; keys wait for it.
    Change(ReviewId, What),
    /// A decision.
    Decide(ReviewId),
    /// What was saved in an editor that is still open.
    Saved(ReviewId),
    /// Pausing or resuming.
    Pause(bool),
    /// Nothing waits for the answer.
    Nothing,
}

/// Which change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// Keep or drop.
    Hunk,
    /// Split; there were this many hunks.
    Split(usize),
    /// Undo; where the last step was.
    Undo(Option<usize>),
    /// A single newline in place of nothing, which is then accepted.
    SingleNewline,
    /// The text from the editor.
    Edited,
}

/// Where a review was that its agent proposes anew.
pub(crate) struct Vacancy {
    pub(crate) index: usize,
    pub(crate) agent: u64,
    pub(crate) file: String,
    /// Whether it was being read.
    pub(crate) read: bool,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) text: String,
    /// Whether something is wrong.
    pub(crate) loud: bool,
    /// Whether the next one of its kind says the same and more.
    pub(crate) passing: bool,
}

/// A question that must be answered before anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// Accept although the file has changed, or is being changed.
    AcceptAnyway,
    /// Accept a single newline in place of nothing.
    SingleNewline,
    /// Leave although reviews wait.
    Leave,
}

/// What is searched for.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// What is being typed.
    pub(crate) typing: Option<String>,
    /// What was typed last, and what finds it.
    pub(crate) text: String,
    pub(crate) needle: Option<Needle>,
}

/// What a frame showed, so that it can be said later that it was on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Picture {
    turn: u64,
    review: Option<(ReviewId, u64)>,
    question: Option<Question>,
    messages: usize,
}

impl App {
    pub(crate) fn new(options: Options, palette: Palette) -> Self {
        Self {
            layout: options.layout,
            options,
            palette,
            colours: Colours::new(),
            status: Status::default(),
            met: BTreeSet::new(),
            reviews: Vec::new(),
            at: None,
            vacancy: None,
            messages: Vec::new(),
            messages_stood: 0,
            last_hint: None,
            question: None,
            help: None,
            search: Search::default(),
            editing: None,
            sending: None,
            ended: None,
            flushing: None,
            asked: None,
            held: VecDeque::new(),
            deciding: None,
            focused: None,
            areas: Areas::default(),
            now: 0,
            due: true,
            effects: Vec::new(),
            turns: 0,
            stood: (0, None),
            has_stood: false,
            question_stood: false,
        }
    }

    /// What file names are relative to.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        if self.options.roots.is_empty() { &self.status.roots } else { &self.options.roots }
    }

    pub(crate) fn reading(&self) -> Option<&Reading> {
        self.at.and_then(|at| self.review(at))
    }

    pub(crate) fn reading_mut(&mut self) -> Option<&mut Reading> {
        let at = self.at?;
        self.review_mut(at)
    }

    pub(crate) fn review(&self, id: ReviewId) -> Option<&Reading> {
        self.reviews.iter().find(|reading| reading.review.id == id)
    }

    pub(crate) fn review_mut(&mut self, id: ReviewId) -> Option<&mut Reading> {
        self.reviews.iter_mut().find(|reading| reading.review.id == id)
    }

    /// An agent by its name, and with its number where another one has the same.
    pub(crate) fn agent(&self, agent: &Agent) -> String {
        let name = texts::agent_name(agent);
        let same = |other: &Agent| other.number != agent.number && texts::agent_name(other) == name;
        let others =
            self.status.agents.iter().chain(self.reviews.iter().map(|reading| &reading.review.agent));
        if others.into_iter().any(same) { format!("{name} #{}", agent.number) } else { name }
    }

    /// Says something in the message line.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.message(Message { text: text.into(), loud: false, passing: false });
    }

    /// Says that something is wrong.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.message(Message { text: text.into(), loud: true, passing: false });
    }

    /// Says something in place of what was said in passing before.
    pub(crate) fn say_in_passing(&mut self, text: String) {
        let stood = self.messages.iter().take(self.messages_stood).filter(|message| !message.passing).count();
        self.messages_stood = stood;
        self.messages.retain(|message| !message.passing);
        self.message(Message { text, loud: false, passing: true });
    }

    fn message(&mut self, message: Message) {
        if self.messages.last() != Some(&message) {
            self.messages.push(message);
        }
        self.due = true;
    }

    /// A key was pressed: what has been on the screen was read, and the last of it stays until there is
    /// something else.
    pub(crate) fn messages_read(&mut self) {
        let stood = std::mem::take(&mut self.messages_stood).min(self.messages.len());
        self.messages.drain(..stood.saturating_sub(usize::from(stood == self.messages.len())));
    }

    pub(crate) fn ask(&mut self, request: Request, purpose: Purpose) {
        self.effects.push(Effect::Ask(request, purpose));
    }

    /// What keys mean has changed, and not because the person asked for it: keys count again when it has been
    /// on the screen for a moment.
    pub(crate) fn unasked(&mut self) {
        self.turns += 1;
        self.question = None;
        self.held.clear();
        self.due = true;
    }

    pub(crate) fn open_question(&mut self, question: Question) {
        self.question = Some(question);
        self.question_stood = false;
        self.due = true;
    }

    /// What a frame drawn now shows.
    pub(crate) fn picture(&self) -> Picture {
        let small = self.areas.too_small;
        // The help covers the review.
        let reading = self.reading().filter(|_| self.help.is_none() && !small);
        Picture {
            turn: self.turns,
            review: reading.map(|reading| (reading.review.id, reading.review.revision)),
            question: self.question.filter(|_| !small),
            messages: if small { 0 } else { self.messages.len() },
        }
    }

    /// A frame is on the screen.
    pub(crate) fn stands(&mut self, picture: Picture, now: Instant) {
        self.has_stood = true;
        if self.stood.0 != picture.turn {
            self.stood = (picture.turn, Some(now));
        }
        if let Some((id, revision)) = picture.review
            && let Some(reading) = self.review_mut(id)
        {
            reading.seen = Some(revision);
        }
        self.messages_stood = picture.messages.min(self.messages.len());
        self.question_stood = self.question.is_some() && picture.question == self.question;
    }

    /// Whether nothing has been on the screen yet: what is told now was so before.
    pub(crate) fn is_new(&self) -> bool {
        !self.has_stood
    }

    /// Whether a key that was pressed at `at` can mean the review that is read now: that has been on the
    /// screen, and long enough if it came there by itself.
    pub(crate) fn counts(&self, at: Instant) -> bool {
        let (turn, since) = self.stood;
        turn == self.turns
            && !self.areas.too_small
            && since.is_none_or(|since| at >= since + TOO_SOON)
            && self.reading().is_none_or(|reading| reading.seen.is_some())
    }

    /// Takes what is to be done outside.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }
}
