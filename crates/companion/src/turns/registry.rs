//! The turn reviews that desks look at, the desks that get each of them, and the jobs for which they wait.
//!
//! Every request and every result of a job leaves effects in [`PendingJobs`], in the order in which the main
//! loop carries them out: a desk gets the list, then a file, and then the answer to its request.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{CallAnswer, Event, Refusal, ReviewId, TurnId, UndoneFile, harmless};

use super::agents_at_work::AgentsAtWork;
use super::comment_work::CommentWork;
use super::effect::TurnEffect;
use super::file_note::FileNote;
use super::finish::{self, Finish};
use super::job::{JobKind, JobResult, LookKey, ReadTexts};
use super::pending_jobs::{LookRequest, PendingJobs, TurnCall};
use super::pending_message::{PendingMessage, SendResult};
use super::request::{CommentRequest, TurnRequest, check_marks, no_decision};
use super::review_table::ReviewTable;
use super::source::{Feedback, FoundFile, TurnLook, TurnSource};
use super::surroundings::Surroundings;
use super::turn_review::TurnReview;
use super::undo_plan::UndoPlan;
use crate::ids::DeskId;
use crate::reviews::reviewed_text::{Edit, ReviewedText};

/// The turn reviews of all working trees.
#[derive(Debug)]
pub(crate) struct Turns {
    reviews: ReviewTable,
    jobs: PendingJobs,
    /// The finishes that are under way, by the review whose marked files are being undone.
    finishes: BTreeMap<TurnId, Finish>,
    /// All desks, each with whether it shows turns.
    desks: BTreeMap<DeskId, bool>,
    agents_at_work: AgentsAtWork,
}

impl Turns {
    /// Creates the registry. The roots have no links.
    pub(crate) fn new(source: Option<Arc<dyn TurnSource>>, roots: Arc<[PathBuf]>) -> Self {
        let (reviews, finishes, desks, agents_at_work) = Default::default();
        Self { reviews, jobs: PendingJobs::new(source, roots), finishes, desks, agents_at_work }
    }

    pub(crate) fn set_roots(&mut self, roots: Arc<[PathBuf]>) {
        self.jobs.set_roots(roots);
    }

    /// Returns the effects since the last call, which the caller carries out in this order.
    pub(crate) fn take_effects(&mut self) -> Vec<TurnEffect> {
        self.jobs.take_effects()
    }

    /// Whether this is the id of an open file of a turn review.
    pub(crate) fn has_text(&self, id: ReviewId) -> bool {
        self.reviews.of_text(id).is_some()
    }

    // Desks.

    pub(crate) fn join(&mut self, desk: DeskId, shows_turns: bool) {
        self.desks.insert(desk, shows_turns);
        // A desk that joins in the middle of a turn gets the turn before its end.
        if shows_turns {
            let roots = self.jobs.roots().iter().filter(|root| !self.reviews.has_public(root));
            let roots: Arc<[_]> = roots.cloned().collect();
            if !roots.is_empty() {
                self.jobs.push_job(JobKind::FindTurns { roots });
            }
        }
        for turn in self.reviews.ids() {
            self.send_list(turn, None);
        }
    }

    pub(crate) fn leave(&mut self, desk: DeskId) {
        self.desks.remove(&desk);
        self.reviews.leave(desk);
    }

    /// Sends the list to the desks that do not have it, and in any case to the desk that has asked for it.
    fn send_list(&mut self, turn: TurnId, requester: Option<DeskId>) {
        let Ok(review) = self.reviews.get_mut(turn) else { return };
        let mut desks: BTreeSet<_> = review.requesters().clone();
        if !review.is_private() {
            desks.extend(self.desks.iter().filter(|(_, shows)| **shows).map(|(desk, _)| *desk));
        }
        let recipients = review.take_recipients(desks, requester);
        if !recipients.is_empty() {
            self.jobs.send(recipients, Event::Turn(review.list().clone()));
        }
    }

    /// Computes the list again after a change of marks, and sends it to desks.
    fn renew_list(&mut self, turn: TurnId) {
        if let Ok(review) = self.reviews.get_mut(turn) {
            review.renew_list();
        }
        self.send_list(turn, None);
    }

    // Requests.

    pub(crate) fn take_request(
        &mut self,
        desk: DeskId,
        request: TurnRequest,
        answer: CallAnswer,
        surroundings: &Surroundings<'_>,
    ) {
        let call = TurnCall { desk, answer };
        let answered = match request {
            TurnRequest::Look { directory, since } => match self.jobs.look_key(directory, since) {
                Ok(key) => return self.jobs.request_look(&key, vec![LookRequest::Desk(call)]),
                Err(refusal) => Err(refusal),
            },
            TurnRequest::Open { turn, revision, file } => match self.path_at(turn, revision, file) {
                Ok(path) => return self.request_texts(turn, path, vec![call]),
                Err(refusal) => Err(refusal),
            },
            TurnRequest::Mark { turn, revision, file, undo } => self.mark(turn, revision, file, undo),
            TurnRequest::Edit { text, revision, edit } => self.edit(text, revision, edit),
            TurnRequest::Decide => Err(no_decision()),
            TurnRequest::Comment(turn, request) => match self.comment_work(turn, request) {
                Ok((look, work)) => {
                    return self.jobs.push_job(JobKind::Comment { turn, look, work, answer: call.answer });
                }
                Err(refusal) => Err(refusal),
            },
            TurnRequest::Finish { turn, revision, send, ask_to_undo } => {
                match self.reviews.get(turn).and_then(|review| review.check_markable(revision)) {
                    Ok(()) => {
                        let sends = (send || ask_to_undo).then_some(ask_to_undo);
                        return self.begin_finish(turn, call, sends, surroundings);
                    }
                    Err(refusal) => Err(refusal),
                }
            }
        };
        self.jobs.answer(call.answer, answered);
    }

    /// Returns the path of a file that has texts.
    fn path_at(&self, turn: TurnId, revision: u64, file: usize) -> Result<PathBuf, Refusal> {
        let review = self.reviews.get(turn)?;
        review.check_revision(revision)?;
        let found = review.at(file)?;
        match &found.told.without_text {
            Some(reason) => Err(Refusal::WholeFileOnly { reason: reason.clone() }),
            None => Ok(found.path.clone()),
        }
    }

    // Looks.

    /// Requests looks after a hook has taken a snapshot or delivered messages: at its working tree, and for
    /// the reviews since a revision, of which there are few.
    pub(crate) fn note_snapshot(&mut self, directory: &Path) {
        if self.jobs.has_source() {
            let key = LookKey { directory: directory.to_owned(), since: None };
            for key in self.reviews.looks(TurnReview::is_private).into_iter().chain([key]) {
                self.jobs.request_look(&key, Vec::new());
            }
        }
    }

    pub(crate) fn end_agent(&mut self, pid: u32) {
        if self.agents_at_work.end(pid) {
            for key in self.reviews.looks(|review| review.is_at_work(pid)) {
                self.jobs.request_look(&key, Vec::new());
            }
        }
    }

    pub(crate) fn note(&mut self, note: FileNote) {
        let roots = self.jobs.roots().clone();
        self.jobs.push_job(JobKind::Note { note, roots });
    }

    /// Requests a look after the store has kept a note: desks may show something new of its file.
    fn end_note(&mut self, file: &Path) {
        for (turn, key, open) in self.reviews.of_file(file) {
            self.jobs.request_look(&key, Vec::new());
            if let Some(path) = open {
                self.request_texts(turn, path, Vec::new());
            }
        }
    }

    pub(crate) fn end_job(&mut self, result: JobResult, surroundings: &mut Surroundings<'_>) {
        match result {
            JobResult::Look { key, number, result } => self.end_look(key, number, result),
            JobResult::TurnsFound(directories) => {
                for directory in directories {
                    self.jobs.request_look(&LookKey { directory, since: None }, Vec::new());
                }
            }
            JobResult::Read { turn, file, result } => self.end_read(turn, file, result, surroundings),
            JobResult::Undo { turn, undone, sent } => self.end_undo(turn, undone, sent),
            JobResult::Noted(file) => {
                if let Some(file) = file {
                    self.end_note(&file);
                }
            }
            JobResult::Comment { turn, answer, result } => {
                let revision = match result {
                    Ok(Some(feedback)) => self.take_feedback(turn, &feedback),
                    Ok(None) => self.look_again(turn),
                    Err(refusal) => Err(refusal),
                };
                self.jobs.answer(answer, revision);
            }
        }
    }

    fn end_look(&mut self, key: LookKey, number: u64, result: Result<TurnLook, String>) {
        let requests = self.jobs.end_look(&key);
        let reason = match result {
            Ok(look) => return self.take_look(key, number, look, requests),
            Err(reason) => reason,
        };
        tracing::info!(directory = %key.directory.display(), reason, "no look at a turn");
        for request in requests {
            match request {
                LookRequest::Desk(call) => {
                    let refusal = Refusal::TurnUnknown { reason: reason.clone() };
                    self.jobs.answer(call.answer, Err(refusal));
                }
                // The marked files are undone, even if this look has failed.
                LookRequest::Finish { turn, answer } => self.end_finish(turn, answer),
            }
        }
    }

    fn take_look(&mut self, key: LookKey, number: u64, look: TurnLook, requests: Vec<LookRequest>) {
        let at_work: BTreeSet<u32> = look.at_work.iter().filter_map(|open| open.process).collect();
        for pid in self.agents_at_work.take(&at_work) {
            self.jobs.watch_agent(pid);
        }
        let Some(turn) = self.reviews.find(&look.root, key.since.as_deref()) else {
            // A desk that has left needs no review.
            let is_there = |request: &LookRequest| match request {
                LookRequest::Desk(call) => self.desks.contains_key(&call.desk),
                LookRequest::Finish { .. } => false,
            };
            if key.since.is_none() || requests.iter().any(is_there) {
                let turn = self.reviews.add(key, look, number);
                self.answer_requests(turn, requests);
            }
            return;
        };
        if let Some(finish) = self.finishes.get_mut(&turn) {
            // This look may have found a part of the undo, so its requests wait for the next look.
            finish.waiting.extend(requests);
            return;
        }
        let Ok(review) = self.reviews.get_mut(turn) else { return };
        if !review.is_outdated(number) {
            let to_read = review.take_look(key, look, number);
            review.renew_list();
            for path in to_read {
                self.request_texts(turn, path, Vec::new());
            }
        } else if review.is_finishing() {
            return self.jobs.request_look(review.key(), requests);
        }
        self.answer_requests(turn, requests);
    }

    /// Sends the list, and then answers the requests that have waited for it.
    fn answer_requests(&mut self, turn: TurnId, requests: Vec<LookRequest>) {
        let mut answers = Vec::new();
        for request in requests {
            match request {
                LookRequest::Desk(TurnCall { desk, answer }) => {
                    if self.desks.contains_key(&desk)
                        && let Ok(review) = self.reviews.get_mut(turn)
                    {
                        review.add_requester(desk);
                    }
                    self.send_list(turn, Some(desk));
                    answers.push(answer);
                }
                LookRequest::Finish { turn, answer } => self.end_finish(turn, answer),
            }
        }
        self.send_list(turn, None);
        let revision = self.revision(turn);
        for answer in answers {
            self.jobs.answer(answer, revision.clone());
        }
    }

    fn revision(&self, turn: TurnId) -> Result<u64, Refusal> {
        self.reviews.get(turn).map(TurnReview::revision)
    }

    // Files.

    fn request_texts(&mut self, turn: TurnId, path: PathBuf, openings: Vec<TurnCall>) {
        self.jobs.request_texts(&(turn, path), openings, self.reviews.get(turn).ok());
    }

    fn end_read(
        &mut self,
        turn: TurnId,
        file: FoundFile,
        result: Result<ReadTexts, Refusal>,
        surroundings: &mut Surroundings<'_>,
    ) {
        let key = (turn, file.path);
        let openings = self.jobs.end_read(&key, self.reviews.get(turn).ok());
        let path = key.1;
        let review = match self.reviews.get_mut(turn) {
            Ok(review) => review,
            Err(refusal) => return self.jobs.refuse(openings, &refusal),
        };
        let is_current = review.find_file(&path).is_some_and(|found| found.content == file.content);
        let is_changed = match result {
            // A later look has found another content, or no difference any more.
            _ if !is_current => return self.request_texts(turn, path, openings),
            Ok(ReadTexts::AsKnown(stretches)) => match review.confirm_text(&path, stretches) {
                Some(is_changed) => is_changed,
                // The texts are no longer open.
                None => return self.request_texts(turn, path, openings),
            },
            Ok(ReadTexts::New { texts, stretches }) => {
                let dirty = texts.is_dirty(surroundings.is_dirty);
                let text = ReviewedText::new(surroundings.reviews.next_id(), *texts, dirty);
                review.set_text(&path, text, stretches);
                true
            }
            Err(refusal) => {
                review.close(&path);
                self.renew_list(turn);
                return self.jobs.refuse(openings, &refusal);
            }
        };
        self.renew_list(turn);
        self.open(turn, &path, is_changed, openings);
    }

    /// Sends a file to the desks that open it. If its texts or their stretches have changed, also sends it to
    /// the desks that have it open.
    fn open(&mut self, turn: TurnId, path: &Path, is_changed: bool, openings: Vec<TurnCall>) {
        let Ok(review) = self.reviews.get_mut(turn) else { return };
        let desks = openings.iter().map(|call| call.desk).filter(|desk| self.desks.contains_key(desk));
        let desks: BTreeSet<_> = desks.collect();
        let mut recipients = desks.clone();
        if is_changed {
            recipients.extend(review.desks_of(path));
        }
        if let Some(opened) = review.open_for(path, desks) {
            self.jobs.send(recipients, Event::TurnFile(opened));
        }
        let revision = review.revision();
        for call in openings {
            self.jobs.answer(call.answer, Ok(revision));
        }
    }

    fn mark(&mut self, turn: TurnId, revision: u64, file: usize, undo: bool) -> Result<u64, Refusal> {
        let review = self.reviews.get_mut(turn)?;
        review.check_markable(revision)?;
        let found = review.at(file)?;
        if let Some(why) = found.told.no_undo_words().filter(|_| undo) {
            return Err(Refusal::Other { words: format!("{} {why}", harmless::path(&found.path)) });
        }
        let path = found.path.clone();
        if let Some(changed) = review.mark(&path, undo)? {
            self.jobs.send(review.desks_of(&path), Event::Changed(changed));
        }
        self.renew_list(turn);
        self.revision(turn)
    }

    fn edit(&mut self, text: ReviewId, revision: u64, edit: Edit) -> Result<u64, Refusal> {
        check_marks(&edit)?;
        let (turn, path) = self.reviews.of_text(text).ok_or(Refusal::NoSuchReview)?;
        let review = self.reviews.get_mut(turn)?;
        // The list may have another revision by now; `revision` is that of the text.
        review.check_markable(review.revision())?;
        let changed = review.edit(&path, revision, edit)?;
        let revision = changed.revision;
        self.jobs.send(review.desks_of(&path), Event::Changed(changed));
        self.renew_list(turn);
        Ok(revision)
    }

    /// Marks the open files that have unsaved changes in an editor, and sends the changes to desks.
    pub(crate) fn mark_dirty(&mut self, surroundings: &Surroundings<'_>) {
        let changes = self.reviews.all_mut().flat_map(|review| review.mark_dirty(surroundings.is_dirty));
        for (desks, changed) in changes {
            self.jobs.send(desks, Event::Changed(changed));
        }
    }

    // Comments.

    fn comment_work(
        &self,
        turn: TurnId,
        request: CommentRequest,
    ) -> Result<(Arc<TurnLook>, CommentWork), Refusal> {
        let review = self.reviews.get(turn)?;
        Ok((review.look().clone(), review.comment_work(request)?))
    }

    /// Requests a look, which finds the comments, or has a remark that says why they cannot be read.
    fn look_again(&mut self, turn: TurnId) -> Result<u64, Refusal> {
        let review = self.reviews.get(turn)?;
        self.jobs.request_look(review.key(), Vec::new());
        Ok(review.revision())
    }

    fn take_feedback(&mut self, turn: TurnId, feedback: &Feedback) -> Result<u64, Refusal> {
        let root = self.reviews.get(turn)?.look().root.clone();
        for turn in self.reviews.of_root(&root) {
            if let Ok(review) = self.reviews.get_mut(turn) {
                review.set_feedback(feedback);
            }
            self.renew_list(turn);
        }
        self.revision(turn)
    }

    // The finish.

    fn begin_finish(
        &mut self,
        turn: TurnId,
        call: TurnCall,
        sends: Option<bool>,
        surroundings: &Surroundings<'_>,
    ) {
        let Ok(review) = self.reviews.get_mut(turn) else { return };
        let UndoPlan { undos, marked, back } =
            review.begin_finish(surroundings.is_dirty, sends == Some(true));
        tracing::info!(turn = turn.0, undos = undos.len(), ?sends, "a person finishes a turn review");
        // If a marked change cannot be undone, the baseline stays, so that the change remains in the review.
        let finishes = !review.is_private() && undos.len() == marked.files.len();
        let comments = review.unsent_comments();
        let message = sends.map(|asks| PendingMessage { back, asks, comments });
        let undo = JobKind::Undo { turn, look: review.look().clone(), files: undos, finishes, message };
        self.finishes.insert(turn, Finish { call, marked, waiting: Vec::new() });
        self.jobs.push_job(undo);
    }

    fn end_undo(&mut self, turn: TurnId, undone: Vec<UndoneFile>, sent: Option<SendResult>) {
        let Some(Finish { call, marked, waiting }) = self.finishes.remove(&turn) else { return };
        let (finished, done) = finish::finish_result(turn, marked, undone, sent);
        self.jobs.send(BTreeSet::from([call.desk]), Event::TurnFinished(finished));
        // Without the review, its only desk has left.
        if let Ok(review) = self.reviews.get_mut(turn) {
            review.end_undo(&done, self.jobs.next_look_number());
            let request = LookRequest::Finish { turn, answer: call.answer };
            let requests = std::iter::once(request).chain(waiting).collect();
            self.jobs.request_look(review.key(), requests);
        }
    }

    fn end_finish(&mut self, turn: TurnId, answer: CallAnswer) {
        if let Ok(review) = self.reviews.get_mut(turn) {
            review.end_finish();
        }
        self.renew_list(turn);
        let revision = self.revision(turn);
        self.jobs.answer(answer, revision);
    }
}
