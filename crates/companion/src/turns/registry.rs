//! The turn reviews that desks look at, the desks that are told of each, and the work that they wait for.
//!
//! Every request and every result of work returns effects, in the order in which the main loop carries them
//! out: a desk is told the list, then a file, and then its request is answered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{CallAnswer, Event, Refusal, ReviewId, TurnId, UndoneFile, harmless};

use super::comment_work::CommentWork;
use super::effect::TurnEffect;
use super::finish::{self, Finish};
use super::job::{LookKey, ReadTexts, Work, WorkDone};
use super::noting::Noting;
use super::opening::Opening;
use super::request::{CommentRequest, TurnRequest, check_marks, no_decision};
use super::sending::{Sending, Sent};
use super::source::{Feedback, FoundFile, TurnLook, TurnSource};
use super::surroundings::Surroundings;
use super::turn_review::{ToUndo, TurnReview};
use super::work::{LookAsker, TurnWork};
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

type Effects = Vec<TurnEffect>;

impl Turns {
    pub(crate) fn new(source: Option<Arc<dyn TurnSource>>) -> Self {
        Self {
            last: 0,
            reviews: BTreeMap::new(),
            work: TurnWork::new(source),
            finishes: BTreeMap::new(),
            desks: BTreeMap::new(),
            watched: BTreeMap::new(),
        }
    }

    /// Whether this is the id of an open file of a turn review.
    pub(crate) fn has_text(&self, id: ReviewId) -> bool {
        self.of_text(id).is_some()
    }

    fn of_text(&self, id: ReviewId) -> Option<(TurnId, PathBuf)> {
        self.reviews.iter().find_map(|(turn, review)| Some((*turn, review.path_of(id)?.to_owned())))
    }

    // Desks.

    pub(crate) fn join(&mut self, desk: DeskId, shows_turns: bool, around: &Surroundings<'_>) -> Effects {
        self.desks.insert(desk, shows_turns);
        let mut effects = Effects::new();
        // A desk that comes in the middle of a turn hears of the turn before its end.
        if shows_turns {
            let has_review = |root: &PathBuf| {
                let mut public = self.reviews.values().filter(|review| !review.is_private());
                public.any(|review| root.starts_with(&review.look().root))
            };
            let roots: Arc<[_]> = around.roots.iter().filter(|root| !has_review(root)).cloned().collect();
            if !roots.is_empty() {
                self.work.begin(Work::FindTurns { roots }, &mut effects);
            }
        }
        let known: Vec<_> = self.reviews.keys().copied().collect();
        for turn in known {
            self.tell_list(turn, None, &mut effects);
        }
        effects
    }

    pub(crate) fn leave(&mut self, desk: DeskId) {
        self.desks.remove(&desk);
        for review in self.reviews.values_mut() {
            review.leave(desk);
        }
        self.reviews.retain(|_, review| !review.is_private() || !review.askers().is_empty());
    }

    /// Tells the list to the desks that do not know it, and in any case to the desk that has asked.
    fn tell_list(&mut self, turn: TurnId, asker: Option<DeskId>, effects: &mut Effects) {
        let Some(review) = self.reviews.get_mut(&turn) else { return };
        let mut desks: BTreeSet<_> = review.askers().clone();
        if !review.is_private() {
            desks.extend(self.desks.iter().filter(|(_, shows)| **shows).map(|(desk, _)| *desk));
        }
        let told = review.tell(desks, asker);
        if !told.is_empty() {
            effects.push(TurnEffect::tell(told, Event::Turn(review.list().clone())));
        }
    }

    /// Makes the list anew after a change of marks, and tells desks.
    fn renew_list(&mut self, turn: TurnId, effects: &mut Effects) {
        if let Some(review) = self.reviews.get_mut(&turn) {
            review.renew_list();
        }
        self.tell_list(turn, None, effects);
    }

    // Requests.

    pub(crate) fn take_request(
        &mut self,
        desk: DeskId,
        request: TurnRequest,
        answer: CallAnswer,
        around: &Surroundings<'_>,
    ) -> Effects {
        let mut effects = Effects::new();
        let answered = match request {
            TurnRequest::Look { directory, since } => {
                match self.work.look_key(directory, since, around.roots) {
                    Ok(key) => {
                        let asker = LookAsker::Desk { desk, answer };
                        self.work.ask_for_look(&key, vec![asker], around.roots, &mut effects);
                        return effects;
                    }
                    Err(reason) => Err(Refusal::TurnUnknown { reason: reason.to_owned() }),
                }
            }
            TurnRequest::Open { turn, revision, file } => match self.path_at(turn, revision, file) {
                Ok(path) => {
                    self.ask_for_texts(turn, path, vec![Opening { desk, answer }], &mut effects);
                    return effects;
                }
                Err(refusal) => Err(refusal),
            },
            TurnRequest::Mark { turn, revision, file, undo } => {
                self.mark(turn, revision, file, undo, &mut effects)
            }
            TurnRequest::Edit { text, revision, edit } => self.edit(text, revision, edit, &mut effects),
            TurnRequest::Decide => Err(no_decision()),
            TurnRequest::Comment(turn, request) => match self.comment_work(turn, request) {
                Ok((look, work)) => {
                    self.work.begin(Work::Comment { turn, look, work, answer }, &mut effects);
                    return effects;
                }
                Err(refusal) => Err(refusal),
            },
            TurnRequest::Finish { turn, revision, send, ask_to_undo } => {
                match self.check_markable(turn, revision) {
                    Ok(()) => {
                        let sends = (send || ask_to_undo).then_some(ask_to_undo);
                        self.begin_finish(turn, desk, answer, sends, around, &mut effects);
                        return effects;
                    }
                    Err(refusal) => Err(refusal),
                }
            }
        };
        effects.push(TurnEffect::Answer(answer, answered));
        effects
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
    pub(crate) fn note_snapshot(&mut self, directory: &Path, around: &Surroundings<'_>) -> Effects {
        let mut effects = Effects::new();
        if self.work.has_source() {
            let key = LookKey { directory: directory.to_owned(), since: None };
            let of_revisions = self.reviews.values().filter(|review| review.is_private());
            for key in of_revisions.map(|review| review.key().clone()).chain([key]).collect::<Vec<_>>() {
                self.work.ask_for_look(&key, Vec::new(), around.roots, &mut effects);
            }
        }
        effects
    }

    /// Ends the turn of an agent whose process has ended.
    pub(crate) fn end_agent(&mut self, pid: u32, around: &Surroundings<'_>) -> Effects {
        let mut effects = Effects::new();
        if let Some(has_ended) = self.watched.get_mut(&pid) {
            *has_ended = true;
            let of_agent = self.reviews.values().filter(|review| review.is_at_work(pid));
            for key in of_agent.map(|review| review.key().clone()).collect::<Vec<_>>() {
                self.work.ask_for_look(&key, Vec::new(), around.roots, &mut effects);
            }
        }
        effects
    }

    /// Has the store keep a note on a file.
    pub(crate) fn note(&self, noting: Noting, around: &Surroundings<'_>) -> Effects {
        let mut effects = Effects::new();
        self.work.begin(Work::Note { noting, roots: around.roots.clone() }, &mut effects);
        effects
    }

    /// Looks anew after the store has kept a note on a file, since desks may show something new of it.
    fn end_note(&mut self, file: &Path, roots: &Arc<[PathBuf]>, effects: &mut Effects) {
        let of_file = self.reviews.iter().filter_map(|(turn, review)| {
            let path = file.strip_prefix(&review.look().root).ok()?.to_owned();
            Some((*turn, review.key().clone(), review.known_texts(&path).map(|_| path)))
        });
        for (turn, key, open) in of_file.collect::<Vec<_>>() {
            self.work.ask_for_look(&key, Vec::new(), roots, effects);
            if let Some(path) = open {
                self.ask_for_texts(turn, path, Vec::new(), effects);
            }
        }
    }

    /// Takes the result of some work.
    pub(crate) fn end_work(&mut self, done: WorkDone, around: &mut Surroundings<'_>) -> Effects {
        let mut effects = Effects::new();
        match done {
            WorkDone::Look { key, number, result } => {
                self.end_look(key, number, result, around.roots, &mut effects);
            }
            WorkDone::FoundTurns(directories) => {
                for directory in directories {
                    let key = LookKey { directory, since: None };
                    self.work.ask_for_look(&key, Vec::new(), around.roots, &mut effects);
                }
            }
            WorkDone::Read { turn, file, result } => self.end_read(turn, file, result, around, &mut effects),
            WorkDone::Undo { turn, undone, sent } => {
                self.end_undo(turn, undone, sent, around.roots, &mut effects);
            }
            WorkDone::Noted(file) => {
                if let Some(file) = file {
                    self.end_note(&file, around.roots, &mut effects);
                }
            }
            WorkDone::Comment { turn, answer, result } => {
                let kept = match result {
                    Ok(Some(feedback)) => self.take_feedback(turn, &feedback, &mut effects),
                    Ok(None) => self.look_anew(turn, around.roots, &mut effects),
                    Err(refusal) => Err(refusal),
                };
                effects.push(TurnEffect::Answer(answer, kept));
            }
        }
        effects
    }

    fn end_look(
        &mut self,
        key: LookKey,
        number: u64,
        result: Result<TurnLook, String>,
        roots: &Arc<[PathBuf]>,
        effects: &mut Effects,
    ) {
        let askers = self.work.end_look(&key, roots, effects);
        match result {
            Ok(look) => self.take_look(key, number, look, askers, roots, effects),
            Err(reason) => {
                tracing::info!(directory = %key.directory.display(), reason, "no look at a turn");
                for asker in askers {
                    match asker {
                        LookAsker::Desk { answer, .. } => {
                            let refusal = Refusal::TurnUnknown { reason: reason.clone() };
                            effects.push(TurnEffect::Answer(answer, Err(refusal)));
                        }
                        // The marked files are undone, even if this look has failed.
                        LookAsker::Finish { turn, answer } => self.end_finish(turn, answer, effects),
                    }
                }
            }
        }
    }

    fn take_look(
        &mut self,
        key: LookKey,
        number: u64,
        look: TurnLook,
        askers: Vec<LookAsker>,
        roots: &Arc<[PathBuf]>,
        effects: &mut Effects,
    ) {
        let at_work: BTreeSet<u32> = look.at_work.iter().filter_map(|open| open.process).collect();
        // Another process may have the number of one that has ended, and is watched anew.
        self.watched.retain(|pid, has_ended| !*has_ended || at_work.contains(pid));
        for pid in at_work {
            if self.watched.insert(pid, false).is_none() {
                effects.push(TurnEffect::WatchAgent(pid));
            }
        }
        let of = |review: &&mut TurnReview| review.is_of(&look.root, key.since.as_deref());
        let Some(turn) = self.reviews.values_mut().find(of).map(|review| review.list().id) else {
            // A desk that has left meanwhile needs no review.
            let is_there = |asker: &LookAsker| match asker {
                LookAsker::Desk { desk, .. } => self.desks.contains_key(desk),
                LookAsker::Finish { .. } => false,
            };
            if key.since.is_none() || askers.iter().any(is_there) {
                self.last += 1;
                let turn = TurnId(self.last);
                self.reviews.insert(turn, TurnReview::new(turn, key, look, number));
                self.answer_askers(turn, askers, effects);
            }
            return;
        };
        if let Some(finish) = self.finishes.get_mut(&turn) {
            // This look may have seen a half of the undo, so they wait for the next one.
            finish.waiting.extend(askers);
            return;
        }
        let Some(review) = self.reviews.get_mut(&turn) else { return };
        if !review.is_outdated(number) {
            let to_read = review.take_look(key, look, number);
            review.renew_list();
            for path in to_read {
                self.ask_for_texts(turn, path, Vec::new(), effects);
            }
        } else if review.is_finishing() {
            let key = review.key().clone();
            return self.work.ask_for_look(&key, askers, roots, effects);
        }
        self.answer_askers(turn, askers, effects);
    }

    /// Tells the list, and then answers the desks that have waited for it.
    fn answer_askers(&mut self, turn: TurnId, askers: Vec<LookAsker>, effects: &mut Effects) {
        let mut answers = Vec::new();
        for asker in askers {
            match asker {
                LookAsker::Desk { desk, answer } => {
                    if let Some(review) =
                        self.reviews.get_mut(&turn).filter(|_| self.desks.contains_key(&desk))
                    {
                        review.ask_for(desk);
                    }
                    self.tell_list(turn, Some(desk), effects);
                    answers.push(answer);
                }
                LookAsker::Finish { turn, answer } => self.end_finish(turn, answer, effects),
            }
        }
        self.tell_list(turn, None, effects);
        let revision = self.revision(turn);
        effects.extend(answers.into_iter().map(|answer| TurnEffect::Answer(answer, revision.clone())));
    }

    fn revision(&self, turn: TurnId) -> Result<u64, Refusal> {
        self.reviews.get(&turn).map(TurnReview::revision).ok_or(Refusal::NoSuchTurn)
    }

    // Files.

    fn ask_for_texts(&mut self, turn: TurnId, path: PathBuf, openings: Vec<Opening>, effects: &mut Effects) {
        let review = self.reviews.get(&turn);
        let refused = self.work.ask_for_texts(&(turn, path), openings, review, effects);
        TurnEffect::refuse(refused, &Refusal::NoSuchTurn, effects);
    }

    fn end_read(
        &mut self,
        turn: TurnId,
        file: FoundFile,
        result: Result<ReadTexts, Refusal>,
        around: &mut Surroundings<'_>,
        effects: &mut Effects,
    ) {
        let key = (turn, file.path);
        let (openings, refused) = self.work.end_read(&key, self.reviews.get(&turn), effects);
        TurnEffect::refuse(refused, &Refusal::NoSuchTurn, effects);
        let path = key.1;
        let Some(review) = self.reviews.get_mut(&turn) else {
            return TurnEffect::refuse(openings, &Refusal::NoSuchTurn, effects);
        };
        let is_current = review.found(&path).is_some_and(|found| found.content == file.content);
        let is_news = match result {
            // A later look has found another content, or no difference any more.
            _ if !is_current => return self.ask_for_texts(turn, path, openings, effects),
            Ok(ReadTexts::AsKnown(stretches)) => match review.confirm_text(&path, stretches) {
                Some(is_news) => is_news,
                // They are open no more.
                None => return self.ask_for_texts(turn, path, openings, effects),
            },
            Ok(ReadTexts::Others { texts, stretches }) => {
                let dirty = texts.is_dirty(around.is_dirty);
                let text = ReviewedText::new(around.reviews.next_id(), *texts, dirty);
                review.set_text(&path, text, stretches);
                true
            }
            Err(refusal) => {
                review.close(&path);
                self.renew_list(turn, effects);
                return TurnEffect::refuse(openings, &refusal, effects);
            }
        };
        self.renew_list(turn, effects);
        self.open(turn, &path, is_news, openings, effects);
    }

    /// Shows a file to the desks that open it. Shows it anew to the desks that have it open, if its texts
    /// or their stretches have changed.
    fn open(
        &mut self,
        turn: TurnId,
        path: &Path,
        is_news: bool,
        openings: Vec<Opening>,
        effects: &mut Effects,
    ) {
        let Some(review) = self.reviews.get_mut(&turn) else { return };
        let desks = openings.iter().map(|opening| opening.desk).filter(|desk| self.desks.contains_key(desk));
        let desks: BTreeSet<_> = desks.collect();
        let mut told = desks.clone();
        if is_news {
            told.extend(review.desks_of(path));
        }
        if let Some(opened) = review.open_for(path, desks)
            && !told.is_empty()
        {
            effects.push(TurnEffect::tell(told, Event::TurnFile(opened)));
        }
        let revision = review.revision();
        let answers = openings.into_iter().map(|opening| opening.answer);
        effects.extend(answers.map(|answer| TurnEffect::Answer(answer, Ok(revision))));
    }

    fn mark(
        &mut self,
        turn: TurnId,
        revision: u64,
        file: usize,
        undo: bool,
        effects: &mut Effects,
    ) -> Result<u64, Refusal> {
        let review = self.reviews.get_mut(&turn).ok_or(Refusal::NoSuchTurn)?;
        review.check_markable(revision)?;
        let found = review.at(file)?;
        if let Some(why) = found.told.no_undo_words().filter(|_| undo) {
            return Err(Refusal::Other { words: format!("{} {why}", harmless::path(&found.path)) });
        }
        let path = found.path.clone();
        if let Some(changed) = review.mark(&path, undo)? {
            effects.push(TurnEffect::tell(review.desks_of(&path), Event::Changed(changed)));
        }
        self.renew_list(turn, effects);
        self.revision(turn)
    }

    fn edit(
        &mut self,
        text: ReviewId,
        revision: u64,
        edit: Edit,
        effects: &mut Effects,
    ) -> Result<u64, Refusal> {
        check_marks(&edit)?;
        let (turn, path) = self.of_text(text).ok_or(Refusal::NoSuchReview)?;
        let review = self.reviews.get_mut(&turn).ok_or(Refusal::NoSuchReview)?;
        // The list may have another revision by now: this one is that of the text.
        review.check_markable(review.revision())?;
        let changed = review.edit(&path, revision, edit)?;
        let revision = changed.revision;
        effects.push(TurnEffect::tell(review.desks_of(&path), Event::Changed(changed)));
        self.renew_list(turn, effects);
        Ok(revision)
    }

    /// An editor has saved, or holds unsaved changes.
    pub(crate) fn mark_dirty(&mut self, around: &Surroundings<'_>) -> Effects {
        let changes = self.reviews.values_mut().flat_map(|review| review.mark_dirty(around.is_dirty));
        changes.map(|(desks, changed)| TurnEffect::tell(desks, Event::Changed(changed))).collect()
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
    fn look_anew(
        &mut self,
        turn: TurnId,
        roots: &Arc<[PathBuf]>,
        effects: &mut Effects,
    ) -> Result<u64, Refusal> {
        let key = self.reviews.get(&turn).ok_or(Refusal::NoSuchTurn)?.key().clone();
        self.work.ask_for_look(&key, Vec::new(), roots, effects);
        self.revision(turn)
    }

    /// Takes the comments of a working tree into each of its reviews, and tells desks.
    fn take_feedback(
        &mut self,
        turn: TurnId,
        feedback: &Feedback,
        effects: &mut Effects,
    ) -> Result<u64, Refusal> {
        let root = self.reviews.get(&turn).ok_or(Refusal::NoSuchTurn)?.look().root.clone();
        let same = self.reviews.iter().filter(|(_, review)| review.look().root == root);
        for turn in same.map(|(turn, _)| *turn).collect::<Vec<_>>() {
            if let Some(review) = self.reviews.get_mut(&turn) {
                review.set_feedback(feedback);
            }
            self.renew_list(turn, effects);
        }
        self.revision(turn)
    }

    // The finish.

    fn begin_finish(
        &mut self,
        turn: TurnId,
        desk: DeskId,
        answer: CallAnswer,
        sends: Option<bool>,
        around: &Surroundings<'_>,
        effects: &mut Effects,
    ) {
        let Some(review) = self.reviews.get_mut(&turn) else { return };
        let ToUndo { undos, marked, back } = review.begin_finish(around.is_dirty, sends == Some(true));
        tracing::info!(turn = turn.0, undos = undos.len(), ?sends, "a person finishes a turn review");
        // If a marked change cannot be undone, the baseline stays, so that the change is not forgotten.
        let finishes = !review.is_private() && undos.len() == marked.files.len();
        let comments = review.unsent_comments();
        let sending = sends.map(|asks| Sending { back, asks, comments });
        let work = Work::Undo { turn, look: review.look().clone(), files: undos, finishes, sending };
        self.finishes.insert(turn, Finish { desk, answer, marked, waiting: Vec::new() });
        self.work.begin(work, effects);
    }

    fn end_undo(
        &mut self,
        turn: TurnId,
        undone: Vec<UndoneFile>,
        sent: Option<Sent>,
        roots: &Arc<[PathBuf]>,
        effects: &mut Effects,
    ) {
        let Some(Finish { desk, answer, marked, waiting }) = self.finishes.remove(&turn) else { return };
        let result = finish::finish_result(turn, marked, undone, sent);
        effects.push(TurnEffect::tell(BTreeSet::from([desk]), Event::TurnFinished(result.told)));
        let Some(review) = self.reviews.get_mut(&turn) else {
            // The only desk of the review has left.
            return;
        };
        review.end_undo(&result.done, self.work.next_look());
        let key = review.key().clone();
        let mut askers = vec![LookAsker::Finish { turn, answer }];
        askers.extend(waiting);
        self.work.ask_for_look(&key, askers, roots, effects);
    }

    fn end_finish(&mut self, turn: TurnId, answer: CallAnswer, effects: &mut Effects) {
        if let Some(review) = self.reviews.get_mut(&turn) {
            review.end_finish();
        }
        self.renew_list(turn, effects);
        effects.push(TurnEffect::Answer(answer, self.revision(turn)));
    }
}
