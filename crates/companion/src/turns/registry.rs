//! The turn reviews that desks look at, the desks that are told of each, and the work that they wait for.
//!
//! Every request and every result of work leaves effects in [`TurnWork`], in the order in which the main loop
//! carries them out: a desk is told the list, then a file, and then its request is answered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{CallAnswer, Event, Refusal, ReviewId, TurnId, UndoneFile, harmless};

use super::comment_work::CommentWork;
use super::effect::TurnEffect;
use super::finish::{self, Finish};
use super::job::{LookKey, ReadTexts, Work, WorkDone};
use super::noting::Noting;
use super::request::{CommentRequest, TurnRequest, check_marks, no_decision};
use super::sending::{Sending, Sent};
use super::source::{Feedback, FoundFile, TurnLook, TurnSource};
use super::surroundings::Surroundings;
use super::turn_review::{ToUndo, TurnReview};
use super::work::{LookAsker, TurnCall, TurnWork};
use crate::ids::DeskId;
use crate::reviews::reviewed_text::{Edit, ReviewedText};

#[derive(Debug)]
pub(crate) struct Turns {
    /// The id of the newest turn review; 0 if there was none.
    last: u64,
    reviews: BTreeMap<TurnId, TurnReview>,
    work: TurnWork,
    /// The finishes that are under way, by the review whose marked files are being undone.
    finishes: BTreeMap<TurnId, Finish>,
    /// All desks, each with whether it shows turns.
    desks: BTreeMap<DeskId, bool>,
    /// The processes of agents that were at work, each with whether it has ended.
    watched: BTreeMap<u32, bool>,
}

impl Turns {
    /// `roots` have no links.
    pub(crate) fn new(source: Option<Arc<dyn TurnSource>>, roots: Arc<[PathBuf]>) -> Self {
        let (last, reviews, finishes, desks, watched) = Default::default();
        Self { last, reviews, work: TurnWork::new(source, roots), finishes, desks, watched }
    }

    /// Replaces the roots, which have no links.
    pub(crate) fn set_roots(&mut self, roots: Arc<[PathBuf]>) {
        self.work.set_roots(roots);
    }

    /// The effects of the steps since the last call, which the caller carries out in this order.
    pub(crate) fn take_effects(&mut self) -> Vec<TurnEffect> {
        self.work.take_effects()
    }

    /// Whether this is the id of an open file of a turn review.
    pub(crate) fn has_text(&self, id: ReviewId) -> bool {
        self.of_text(id).is_some()
    }

    fn of_text(&self, id: ReviewId) -> Option<(TurnId, PathBuf)> {
        self.reviews.iter().find_map(|(turn, review)| Some((*turn, review.path_of(id)?.to_owned())))
    }

    // Desks.

    pub(crate) fn join(&mut self, desk: DeskId, shows_turns: bool) {
        self.desks.insert(desk, shows_turns);
        // A desk that comes in the middle of a turn hears of the turn before its end.
        if shows_turns {
            let has_review = |root: &PathBuf| {
                let mut public = self.reviews.values().filter(|review| !review.is_private());
                public.any(|review| root.starts_with(&review.look().root))
            };
            let roots = self.work.roots().iter();
            let roots: Arc<[_]> = roots.filter(|root| !has_review(root)).cloned().collect();
            if !roots.is_empty() {
                self.work.begin(Work::FindTurns { roots });
            }
        }
        let known: Vec<_> = self.reviews.keys().copied().collect();
        for turn in known {
            self.tell_list(turn, None);
        }
    }

    pub(crate) fn leave(&mut self, desk: DeskId) {
        self.desks.remove(&desk);
        for review in self.reviews.values_mut() {
            review.leave(desk);
        }
        self.reviews.retain(|_, review| !review.is_private() || !review.askers().is_empty());
    }

    /// Tells the list to the desks that do not know it, and in any case to the desk that has asked.
    fn tell_list(&mut self, turn: TurnId, asker: Option<DeskId>) {
        let Some(review) = self.reviews.get_mut(&turn) else { return };
        let mut desks: BTreeSet<_> = review.askers().clone();
        if !review.is_private() {
            desks.extend(self.desks.iter().filter(|(_, shows)| **shows).map(|(desk, _)| *desk));
        }
        let told = review.tell(desks, asker);
        if !told.is_empty() {
            self.work.tell(told, Event::Turn(review.list().clone()));
        }
    }

    /// Makes the list anew after a change of marks, and tells desks.
    fn renew_list(&mut self, turn: TurnId) {
        if let Some(review) = self.reviews.get_mut(&turn) {
            review.renew_list();
        }
        self.tell_list(turn, None);
    }

    // Requests.

    pub(crate) fn take_request(
        &mut self,
        desk: DeskId,
        request: TurnRequest,
        answer: CallAnswer,
        around: &Surroundings<'_>,
    ) {
        let call = TurnCall { desk, answer };
        let answered = match request {
            TurnRequest::Look { directory, since } => match self.work.look_key(directory, since) {
                Ok(key) => return self.work.ask_for_look(&key, vec![LookAsker::Desk(call)]),
                Err(refusal) => Err(refusal),
            },
            TurnRequest::Open { turn, revision, file } => match self.path_at(turn, revision, file) {
                Ok(path) => return self.ask_for_texts(turn, path, vec![call]),
                Err(refusal) => Err(refusal),
            },
            TurnRequest::Mark { turn, revision, file, undo } => self.mark(turn, revision, file, undo),
            TurnRequest::Edit { text, revision, edit } => self.edit(text, revision, edit),
            TurnRequest::Decide => Err(no_decision()),
            TurnRequest::Comment(turn, request) => match self.comment_work(turn, request) {
                Ok((look, work)) => {
                    return self.work.begin(Work::Comment { turn, look, work, answer: call.answer });
                }
                Err(refusal) => Err(refusal),
            },
            TurnRequest::Finish { turn, revision, send, ask_to_undo } => {
                match self.check_markable(turn, revision) {
                    Ok(()) => {
                        let sends = (send || ask_to_undo).then_some(ask_to_undo);
                        return self.begin_finish(turn, call, sends, around);
                    }
                    Err(refusal) => Err(refusal),
                }
            }
        };
        self.work.answer(call.answer, answered);
    }

    fn check_markable(&self, turn: TurnId, revision: u64) -> Result<(), Refusal> {
        self.reviews.get(&turn).ok_or(Refusal::NoSuchTurn)?.check_markable(revision)
    }

    /// The path of a file that has texts.
    fn path_at(&self, turn: TurnId, revision: u64, file: usize) -> Result<PathBuf, Refusal> {
        let review = self.reviews.get(&turn).ok_or(Refusal::NoSuchTurn)?;
        review.check_revision(revision)?;
        let found = review.at(file)?;
        match &found.told.without_text {
            Some(reason) => Err(Refusal::WholeFileOnly { reason: reason.clone() }),
            None => Ok(found.path.clone()),
        }
    }

    // Looks.

    /// Looks anew after a hook of an agent has taken a snapshot in a directory or has delivered messages.
    /// Reviews since a revision, of which there are few, are looked at anew as well.
    pub(crate) fn note_snapshot(&mut self, directory: &Path) {
        if self.work.has_source() {
            let key = LookKey { directory: directory.to_owned(), since: None };
            let of_revisions = self.reviews.values().filter(|review| review.is_private());
            for key in of_revisions.map(|review| review.key().clone()).chain([key]).collect::<Vec<_>>() {
                self.work.ask_for_look(&key, Vec::new());
            }
        }
    }

    /// Ends the turn of an agent whose process has ended.
    pub(crate) fn end_agent(&mut self, pid: u32) {
        if let Some(has_ended) = self.watched.get_mut(&pid) {
            *has_ended = true;
            let of_agent = self.reviews.values().filter(|review| review.is_at_work(pid));
            for key in of_agent.map(|review| review.key().clone()).collect::<Vec<_>>() {
                self.work.ask_for_look(&key, Vec::new());
            }
        }
    }

    /// Has the store keep a note on a file.
    pub(crate) fn note(&mut self, noting: Noting) {
        let roots = self.work.roots().clone();
        self.work.begin(Work::Note { noting, roots });
    }

    /// Looks anew after the store has kept a note on a file, since desks may show something new of it.
    fn end_note(&mut self, file: &Path) {
        let of_file = self.reviews.iter().filter_map(|(turn, review)| {
            let path = file.strip_prefix(&review.look().root).ok()?.to_owned();
            Some((*turn, review.key().clone(), review.known_texts(&path).map(|_| path)))
        });
        for (turn, key, open) in of_file.collect::<Vec<_>>() {
            self.work.ask_for_look(&key, Vec::new());
            if let Some(path) = open {
                self.ask_for_texts(turn, path, Vec::new());
            }
        }
    }

    /// Takes the result of some work.
    pub(crate) fn end_work(&mut self, done: WorkDone, around: &mut Surroundings<'_>) {
        match done {
            WorkDone::Look { key, number, result } => self.end_look(key, number, result),
            WorkDone::FoundTurns(directories) => {
                for directory in directories {
                    self.work.ask_for_look(&LookKey { directory, since: None }, Vec::new());
                }
            }
            WorkDone::Read { turn, file, result } => self.end_read(turn, file, result, around),
            WorkDone::Undo { turn, undone, sent } => self.end_undo(turn, undone, sent),
            WorkDone::Noted(file) => {
                if let Some(file) = file {
                    self.end_note(&file);
                }
            }
            WorkDone::Comment { turn, answer, result } => {
                let revision = match result {
                    Ok(Some(feedback)) => self.take_feedback(turn, &feedback),
                    Ok(None) => self.look_anew(turn),
                    Err(refusal) => Err(refusal),
                };
                self.work.answer(answer, revision);
            }
        }
    }

    fn end_look(&mut self, key: LookKey, number: u64, result: Result<TurnLook, String>) {
        let askers = self.work.end_look(&key);
        let reason = match result {
            Ok(look) => return self.take_look(key, number, look, askers),
            Err(reason) => reason,
        };
        tracing::info!(directory = %key.directory.display(), reason, "no look at a turn");
        for asker in askers {
            match asker {
                LookAsker::Desk(call) => {
                    let refusal = Refusal::TurnUnknown { reason: reason.clone() };
                    self.work.answer(call.answer, Err(refusal));
                }
                // The marked files are undone, even if this look has failed.
                LookAsker::Finish { turn, answer } => self.end_finish(turn, answer),
            }
        }
    }

    fn take_look(&mut self, key: LookKey, number: u64, look: TurnLook, askers: Vec<LookAsker>) {
        let at_work: BTreeSet<u32> = look.at_work.iter().filter_map(|open| open.process).collect();
        // Another process may have the number of one that has ended, and is watched anew.
        self.watched.retain(|pid, has_ended| !*has_ended || at_work.contains(pid));
        for pid in at_work {
            if self.watched.insert(pid, false).is_none() {
                self.work.watch_agent(pid);
            }
        }
        let of = |review: &&mut TurnReview| review.is_of(&look.root, key.since.as_deref());
        let Some(turn) = self.reviews.values_mut().find(of).map(|review| review.list().id) else {
            // A desk that has left meanwhile needs no review.
            let is_there = |asker: &LookAsker| match asker {
                LookAsker::Desk(call) => self.desks.contains_key(&call.desk),
                LookAsker::Finish { .. } => false,
            };
            if key.since.is_none() || askers.iter().any(is_there) {
                self.last += 1;
                let turn = TurnId(self.last);
                self.reviews.insert(turn, TurnReview::new(turn, key, look, number));
                self.answer_askers(turn, askers);
            }
            return;
        };
        if let Some(finish) = self.finishes.get_mut(&turn) {
            // This look may have seen a half of the undo, so the askers wait for the next look.
            finish.waiting.extend(askers);
            return;
        }
        let Some(review) = self.reviews.get_mut(&turn) else { return };
        if !review.is_outdated(number) {
            let to_read = review.take_look(key, look, number);
            review.renew_list();
            for path in to_read {
                self.ask_for_texts(turn, path, Vec::new());
            }
        } else if review.is_finishing() {
            return self.work.ask_for_look(review.key(), askers);
        }
        self.answer_askers(turn, askers);
    }

    /// Tells the list, and then answers the desks that have waited for it.
    fn answer_askers(&mut self, turn: TurnId, askers: Vec<LookAsker>) {
        let mut answers = Vec::new();
        for asker in askers {
            match asker {
                LookAsker::Desk(TurnCall { desk, answer }) => {
                    if let Some(review) =
                        self.reviews.get_mut(&turn).filter(|_| self.desks.contains_key(&desk))
                    {
                        review.ask_for(desk);
                    }
                    self.tell_list(turn, Some(desk));
                    answers.push(answer);
                }
                LookAsker::Finish { turn, answer } => self.end_finish(turn, answer),
            }
        }
        self.tell_list(turn, None);
        let revision = self.revision(turn);
        for answer in answers {
            self.work.answer(answer, revision.clone());
        }
    }

    fn revision(&self, turn: TurnId) -> Result<u64, Refusal> {
        self.reviews.get(&turn).map(TurnReview::revision).ok_or(Refusal::NoSuchTurn)
    }

    // Files.

    fn ask_for_texts(&mut self, turn: TurnId, path: PathBuf, openings: Vec<TurnCall>) {
        self.work.ask_for_texts(&(turn, path), openings, self.reviews.get(&turn));
    }

    fn end_read(
        &mut self,
        turn: TurnId,
        file: FoundFile,
        result: Result<ReadTexts, Refusal>,
        around: &mut Surroundings<'_>,
    ) {
        let key = (turn, file.path);
        let openings = self.work.end_read(&key, self.reviews.get(&turn));
        let path = key.1;
        let Some(review) = self.reviews.get_mut(&turn) else {
            return self.work.refuse(openings, &Refusal::NoSuchTurn);
        };
        let is_current = review.found(&path).is_some_and(|found| found.content == file.content);
        let is_news = match result {
            // A later look has found another content, or no difference any more.
            _ if !is_current => return self.ask_for_texts(turn, path, openings),
            Ok(ReadTexts::AsKnown(stretches)) => match review.confirm_text(&path, stretches) {
                Some(is_news) => is_news,
                // The texts are no longer open.
                None => return self.ask_for_texts(turn, path, openings),
            },
            Ok(ReadTexts::Others { texts, stretches }) => {
                let dirty = texts.is_dirty(around.is_dirty);
                let text = ReviewedText::new(around.reviews.next_id(), *texts, dirty);
                review.set_text(&path, text, stretches);
                true
            }
            Err(refusal) => {
                review.close(&path);
                self.renew_list(turn);
                return self.work.refuse(openings, &refusal);
            }
        };
        self.renew_list(turn);
        self.open(turn, &path, is_news, openings);
    }

    /// Shows a file to the desks that open it. Shows it anew to the desks that have it open, if its texts
    /// or their stretches have changed.
    fn open(&mut self, turn: TurnId, path: &Path, is_news: bool, openings: Vec<TurnCall>) {
        let Some(review) = self.reviews.get_mut(&turn) else { return };
        let desks = openings.iter().map(|call| call.desk).filter(|desk| self.desks.contains_key(desk));
        let desks: BTreeSet<_> = desks.collect();
        let mut told = desks.clone();
        if is_news {
            told.extend(review.desks_of(path));
        }
        if let Some(opened) = review.open_for(path, desks) {
            self.work.tell(told, Event::TurnFile(opened));
        }
        let revision = review.revision();
        for call in openings {
            self.work.answer(call.answer, Ok(revision));
        }
    }

    fn mark(&mut self, turn: TurnId, revision: u64, file: usize, undo: bool) -> Result<u64, Refusal> {
        let review = self.reviews.get_mut(&turn).ok_or(Refusal::NoSuchTurn)?;
        review.check_markable(revision)?;
        let found = review.at(file)?;
        if let Some(why) = found.told.no_undo_words().filter(|_| undo) {
            return Err(Refusal::Other { words: format!("{} {why}", harmless::path(&found.path)) });
        }
        let path = found.path.clone();
        if let Some(changed) = review.mark(&path, undo)? {
            self.work.tell(review.desks_of(&path), Event::Changed(changed));
        }
        self.renew_list(turn);
        self.revision(turn)
    }

    fn edit(&mut self, text: ReviewId, revision: u64, edit: Edit) -> Result<u64, Refusal> {
        check_marks(&edit)?;
        let (turn, path) = self.of_text(text).ok_or(Refusal::NoSuchReview)?;
        let review = self.reviews.get_mut(&turn).ok_or(Refusal::NoSuchReview)?;
        // The list may have another revision by now: this one is that of the text.
        review.check_markable(review.revision())?;
        let changed = review.edit(&path, revision, edit)?;
        let revision = changed.revision;
        self.work.tell(review.desks_of(&path), Event::Changed(changed));
        self.renew_list(turn);
        Ok(revision)
    }

    /// An editor has saved, or holds unsaved changes.
    pub(crate) fn mark_dirty(&mut self, around: &Surroundings<'_>) {
        let changes = self.reviews.values_mut().flat_map(|review| review.mark_dirty(around.is_dirty));
        for (desks, changed) in changes {
            self.work.tell(desks, Event::Changed(changed));
        }
    }

    // Comments.

    fn comment_work(
        &self,
        turn: TurnId,
        request: CommentRequest,
    ) -> Result<(Arc<TurnLook>, CommentWork), Refusal> {
        let review = self.reviews.get(&turn).ok_or(Refusal::NoSuchTurn)?;
        Ok((review.look().clone(), review.comment_work(request)?))
    }

    /// Looks anew, since the comments could not be read: the look finds them, or has a remark that says why
    /// not.
    fn look_anew(&mut self, turn: TurnId) -> Result<u64, Refusal> {
        let review = self.reviews.get(&turn).ok_or(Refusal::NoSuchTurn)?;
        self.work.ask_for_look(review.key(), Vec::new());
        Ok(review.revision())
    }

    /// Takes the comments of a working tree into each of its reviews, and tells desks.
    fn take_feedback(&mut self, turn: TurnId, feedback: &Feedback) -> Result<u64, Refusal> {
        let root = self.reviews.get(&turn).ok_or(Refusal::NoSuchTurn)?.look().root.clone();
        let same = self.reviews.iter().filter(|(_, review)| review.look().root == root);
        for turn in same.map(|(turn, _)| *turn).collect::<Vec<_>>() {
            if let Some(review) = self.reviews.get_mut(&turn) {
                review.set_feedback(feedback);
            }
            self.renew_list(turn);
        }
        self.revision(turn)
    }

    // The finish.

    fn begin_finish(&mut self, turn: TurnId, call: TurnCall, sends: Option<bool>, around: &Surroundings<'_>) {
        let Some(review) = self.reviews.get_mut(&turn) else { return };
        let ToUndo { undos, marked, back } = review.begin_finish(around.is_dirty, sends == Some(true));
        tracing::info!(turn = turn.0, undos = undos.len(), ?sends, "a person finishes a turn review");
        // If a marked change cannot be undone, the baseline stays, so that the change is not forgotten.
        let finishes = !review.is_private() && undos.len() == marked.files.len();
        let comments = review.unsent_comments();
        let sending = sends.map(|asks| Sending { back, asks, comments });
        let work = Work::Undo { turn, look: review.look().clone(), files: undos, finishes, sending };
        self.finishes.insert(turn, Finish { call, marked, waiting: Vec::new() });
        self.work.begin(work);
    }

    fn end_undo(&mut self, turn: TurnId, undone: Vec<UndoneFile>, sent: Option<Sent>) {
        let Some(Finish { call, marked, waiting }) = self.finishes.remove(&turn) else { return };
        let (told, done) = finish::finish_result(turn, marked, undone, sent);
        self.work.tell(BTreeSet::from([call.desk]), Event::TurnFinished(told));
        // Without the review, the only desk of it has left.
        if let Some(review) = self.reviews.get_mut(&turn) {
            review.end_undo(&done, self.work.next_look());
            let asker = LookAsker::Finish { turn, answer: call.answer };
            let askers = std::iter::once(asker).chain(waiting).collect();
            self.work.ask_for_look(review.key(), askers);
        }
    }

    fn end_finish(&mut self, turn: TurnId, answer: CallAnswer) {
        if let Some(review) = self.reviews.get_mut(&turn) {
            review.end_finish();
        }
        self.renew_list(turn);
        let revision = self.revision(turn);
        self.work.answer(answer, revision);
    }
}
