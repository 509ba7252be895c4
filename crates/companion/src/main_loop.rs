//! The one loop that owns all state. It calls one component for each [event](crate::events), and carries out
//! the effects that the components return. Nothing here waits for a disk, a network or a person.
//!
//! The events of agents come from [`mcp`](crate::mcp), those of hooks from [`hooks`](crate::hooks), those of
//! desks and of the program from [`companion`](crate::companion). [`startup`](crate::startup) makes the
//! parts.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_contract::context::IdeContext;
use alongside_contract::family::Dialect;
use alongside_contract::mcp::Implementation;
use alongside_contract::rpc::Id;
use alongside_desk::{
    self as desk, Closed, Closing, Decision, FileDiagnostics, HookProposal, Lines, Problem, Refusal, Request,
    Review, ReviewId, Revised, Status, Verdict,
};
use alongside_platform::precise_timer::PreciseTimer;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::agents::context_frames::selected_lines;
use crate::agents::credential::Credential;
use crate::agents::outcome_messages::OpenCall;
use crate::agents::registry::Agents;
use crate::agents::session::SessionRefusal;
use crate::background;
use crate::config::Editor;
use crate::context::privacy::Privacy;
use crate::context::tracker::ContextTracker;
use crate::desks::diagnostics::DiagnosticsQuestions;
use crate::desks::profile::DeskProfile;
use crate::desks::registry::Desks;
use crate::discovery::presence::{Presence, PublishedNews};
use crate::disk_watch::{DiskWatch, Reasons};
use crate::events::{EditorState, Event, Events, LastText, Mention, StartedRequest};
use crate::hooks;
use crate::hooks::registry::{Call, CallKey, Hooks};
use crate::ids::DeskId;
use crate::persistence::journal::{Changes, Journal};
use crate::persistence::recovery::{NextWrite, Outdated, Recovery};
use crate::persistence::write_job::WriteJob;
use crate::persistence::writer::WriterTask;
use crate::reviews::decisions::{Decisions, Way};
use crate::reviews::proposal::{NotOpened, Proposal};
use crate::reviews::registry::{CloseCall, DraftChange, Reviews, TargetToRead};
use crate::reviews::review::{Asker, HookTerms, PendingReview};
use crate::reviews::reviewed_text::Edit;
use crate::reviews::target::BadTarget;

/// A wake-up that is this much late: the process was held up, and messages of agents wait in our sockets.
const STALL_THRESHOLD: Duration = Duration::from_millis(50);
/// The number of events that are handled before the loop looks at what follows. Deadlines wait meanwhile.
const MAX_BATCH: usize = 128;
/// How long stopping waits for agents to confirm that their reviews are rejected.
const LAST_RECEIPTS: Duration = Duration::from_millis(500);

/// All state of a companion.
pub(crate) struct MainLoop {
    pub(crate) agents: Agents,
    pub(crate) reviews: Reviews,
    pub(crate) desks: Desks,
    pub(crate) context_only: bool,
    pub(crate) hooks: Hooks,
    pub(crate) decisions: Decisions,
    pub(crate) diagnostics: DiagnosticsQuestions,
    pub(crate) context: ContextTracker,
    pub(crate) presence: Presence,
    pub(crate) recovery: Recovery,
    pub(crate) disk: DiskWatch,
    pub(crate) writer: WriterTask,
    pub(crate) events: Events,
    pub(crate) stopping: Option<Stopping>,
}

/// The end of a companion.
pub(crate) struct Stopping {
    until: Instant,
    /// Callers that wait for the end.
    pub(crate) done: Vec<oneshot::Sender<()>>,
    /// The journal and the discovery files stay for a successor.
    pub(crate) hands_over: bool,
}

impl MainLoop {
    /// Runs until stopped. Returns the writer with its last jobs, and the callers that wait for the end.
    pub(crate) async fn run(
        mut self,
        mut inbox: mpsc::UnboundedReceiver<Event>,
    ) -> (WriterTask, Option<Stopping>) {
        let timer = PreciseTimer::default();
        self.recovery.mark_all_outdated();
        self.scan_files();
        self.look_for_desks();
        while !self.is_done() {
            let deadline = self.deadline();
            let event = self.next_event(deadline, &timer, &mut inbox).await;
            self.hold_back_after_stall(deadline);
            match event {
                Some(event) => {
                    self.handle(event);
                    let waiting = std::iter::from_fn(|| inbox.try_recv().ok());
                    waiting.take(MAX_BATCH).for_each(|event| self.handle(event));
                }
                None => {
                    self.on_deadline(Instant::now());
                    // However often deadlines come, events get their turn.
                    inbox.try_recv().into_iter().for_each(|event| self.handle(event));
                }
            }
            self.notify_status();
            self.write_journal();
            self.plan_looks();
            // Whoever waits for an answer goes on first: a thousand streams report together then.
            tokio::task::yield_now().await;
        }
        self.finish()
    }

    /// The next event; `None` when a deadline has come first.
    async fn next_event(
        &self,
        deadline: Option<Instant>,
        timer: &PreciseTimer,
        inbox: &mut mpsc::UnboundedReceiver<Event>,
    ) -> Option<Event> {
        tokio::select! {
            biased;
            () = until(deadline, timer) => None,
            event = inbox.recv() => event,
            () = self.disk.changed() => Some(Event::DiskChanged),
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::SessionWanted { client, version, credential, dialect, welcomed } => {
                let session = self.welcome(client, version, credential, dialect);
                self.recovery.hold(welcomed, session);
            }
            Event::SessionEnded { session, ended } => drop(ended.send(self.end_session(&session))),
            Event::AgentHeard { session } => self.agents.mark_heard(&session),
            Event::RequestStarted { session, known } => {
                let roots = self.presence.real_roots().clone();
                let number = self.agents.begin_request(&session);
                let _ = known.send(number.map(|number| StartedRequest { number, roots }));
            }
            Event::RequestRead { session } => self.agents.end_request(&session),
            Event::OpenDiff { session, request, file_path, call, proposal, answer } => {
                let opened = self.open_diff(&session, request, &file_path, call, *proposal);
                self.recovery.hold(answer, opened);
            }
            Event::CloseDiff { session, file_path, answer } => self.close_diff(session, file_path, answer),
            Event::Receipt { session, id } => self.receipt(&session, &id),
            Event::DiagnosticsWanted(answer) => self.ask_for_diagnostics(answer),
            Event::EditorStateWanted(wanted) => drop(wanted.send(self.editor_state())),
            // A stream that nobody takes ends again when it is dropped.
            Event::StreamWanted { session, opened } => {
                let _ = opened.send(self.agents.open_stream(session, self.events.clone()));
            }
            Event::StreamDrained { session } => self.agents.pump(&session),
            Event::StreamEnded { session, number } => self.agents.end_stream(&session, number),
            Event::HookRootsWanted(wanted) => {
                let reviews = !self.context_only && !self.presence.is_hidden();
                drop(wanted.send(reviews.then(|| self.presence.real_roots().clone())));
            }
            Event::HookCalled { proposal, prepared, call } => self.hook_called(*proposal, *prepared, call),
            Event::HookGone { number } => {
                let review = self.hooks.gone(number);
                review.into_iter().for_each(|id| self.end_review(id, Closing::AgentGone, None));
            }
            Event::HookStoodBack(told) => {
                let message = desk::messages::stood_back(&told, self.presence.roots());
                self.desks.notify(desk::Event::Notice { message });
            }
            Event::DeskJoined { desk, profile, events } => self.desk_joined(desk, profile, events),
            Event::KeepersChanged { desk, kept_by } => {
                // A person may leave at any moment, on what the desk knows then.
                self.desks.set_kept_by(desk, kept_by);
                self.notify_status_now();
            }
            Event::DeskAsked { desk, call } => self.desk_asked(desk, call),
            Event::DeskLeft { desk } => self.desk_left(desk),
            Event::MentionChecked { mention, is_allowed } => self.end_mention(mention, is_allowed),
            Event::DiskChanged => {
                self.context.forget_looks();
                self.disk.plan_looks(Instant::now());
            }
            Event::FilesScanned(result) => {
                let (context, again) = self.context.end_scan(*result);
                self.context_changed(context, again);
            }
            Event::TargetRead { review, fingerprint } => {
                let (changed, waiting) = self.reviews.end_reading(review, fingerprint);
                changed.into_iter().for_each(|changed| self.desks.notify(desk::Event::Changed(changed)));
                waiting.into_iter().for_each(|(desk, call)| self.answer_desk(desk, call));
            }
            Event::DraftWritten(written) => self.desks.draft_written(written),
            Event::DraftSettled(draft) => self.desks.forget_draft(&draft),
            Event::DraftAwaited(draft) => self.desks.give_up_draft(&draft),
            Event::EditsLeftOut { file, agent } => {
                let message = desk::messages::edits_left_out(&file, &agent, self.presence.roots());
                self.desks.notify(desk::Event::Notice { message });
            }
            Event::JournalWritten(error) => {
                let (written, news) = self.recovery.end_write(error);
                let sessions = self.sessions(written);
                self.agents.mark_recorded(&sessions);
                news.into_iter().for_each(|news| self.desks.notify_problem(news));
            }
            Event::JournalGone => self.recovery.mark_all_outdated(),
            Event::DiskShort(reserved) => {
                let news = self.recovery.mark_disk_short(reserved);
                self.desks.notify_problem(news);
            }
            Event::Published { problems, has_rival, awaited, asked } => {
                let news = self.presence.mark_published(problems, has_rival, awaited);
                self.published(news, asked);
            }
            Event::RootsChanged { roots, privacy, changed } => {
                self.set_privacy(*privacy);
                self.presence.set_roots(roots);
                self.publish(false, Some(changed));
            }
            Event::EditorsChanged { editors, shown } => self.set_editors(editors, shown),
            Event::Hide(done) => self.hide(done),
            Event::HandOver(done) => {
                self.stopping = Some(Stopping { until: Instant::now(), done: vec![done], hands_over: true });
            }
            Event::Focused => self.publish(true, None),
            Event::StatusWanted(wanted) => drop(wanted.send(self.status())),
            Event::Stop(done) => self.stop(done),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let deadlines = [
            self.agents.deadline(),
            self.reviews.deadline(),
            self.hooks.deadline(),
            self.desks.deadline(),
            self.diagnostics.deadline(),
            self.context.deadline(),
            self.disk.deadline(),
            self.stopping.as_ref().map(|stopping| stopping.until),
        ];
        deadlines.into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant) {
        if let Some(gap) = self.disk.suspended_for(now) {
            // Messages that came meanwhile wait in our sockets: everybody still has the time that they had.
            tracing::info!(?gap, "nothing could be done for a while");
            self.agents.shift_deadlines(gap);
            self.reviews.shift_deadlines(gap);
            return;
        }
        self.finish_flushes(now);
        self.finish_diagnostics(now);
        for id in self.hooks.on_deadline(now) {
            self.end_review(id, Closing::TimedOut, None);
        }
        if self.context.on_deadline(now) {
            match self.context.without_scan(now) {
                Some(context) => self.context_changed(context, false),
                None => self.scan_files(),
            }
        }
        let expired = self.agents.on_deadline(now);
        expired.away.iter().for_each(|session| self.end_reviews_of(session, Closing::AgentGone));
        for session in &expired.gone {
            self.end_session(session);
        }
        let due = self.disk.on_deadline(now);
        if due.scan {
            self.look_at_disk();
        }
        if due.republish {
            self.publish(false, None);
            self.writer.send(WriteJob::LookAfterJournal);
        }
    }

    /// After a stall, no outcome that was held back is sent before the messages that wait in our sockets are
    /// read: an agent that has proposed anew would take it for the outcome of that.
    fn hold_back_after_stall(&mut self, deadline: Option<Instant>) {
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now.saturating_duration_since(deadline) >= STALL_THRESHOLD) {
            self.agents.hold_back(now);
        }
    }

    fn plan_looks(&mut self) {
        let is_failing = self.recovery.is_failing();
        let time_runs_out = is_failing || self.reviews.are_waiting() || self.agents.are_awaited();
        let own_files_incomplete = is_failing || self.presence.is_incomplete();
        self.disk.plan_looks_for(Instant::now(), Reasons { time_runs_out, own_files_incomplete });
    }

    fn look_at_disk(&mut self) {
        self.reviews.begin_reading().into_iter().for_each(|target| self.read_target(target));
        for problem in self.presence.check_roots() {
            self.desks.notify_problem(problem);
        }
        if self.presence.has_new_agent() {
            self.publish(false, None);
        }
        if self.recovery.is_failing() {
            self.recovery.mark_all_outdated();
        }
        // Files that vanished leave the context.
        self.scan_files();
    }

    // Agents.

    fn welcome(
        &mut self,
        client: Implementation,
        version: String,
        credential: Credential,
        dialect: Dialect,
    ) -> Result<String, SessionRefusal> {
        let (session, evicted) = self.agents.welcome(client, version, credential, dialect)?;
        if let Some(evicted) = evicted {
            self.end_session(&evicted);
        }
        self.recovery.mark_outdated(&session);
        Ok(session)
    }

    /// Ends a session. The reviews of its agent close; edits go to drafts.
    fn end_session(&mut self, session: &str) -> bool {
        self.end_reviews_of(session, Closing::AgentGone);
        self.recovery.mark_outdated(session);
        self.agents.remove(session)
    }

    fn receipt(&mut self, session: &str, ping: &Id) {
        if self.agents.settle(session, ping) {
            self.writer.look_after_drafts();
            self.recovery.mark_outdated(session);
        }
    }

    /// `openDiff`: answered at once, or by the outcome where that is the response to `call`.
    fn open_diff(
        &mut self,
        session: &str,
        request: u64,
        file_path: &str,
        call: Option<OpenCall>,
        proposal: Result<Proposal, BadTarget>,
    ) -> Result<(), NotOpened> {
        let agent = self.agents.propose(session, request, file_path, call)?;
        if let Some(replaced) = self.reviews.find(session, file_path) {
            self.end_review(replaced, Closing::Replaced, None);
        }
        let proposal = proposal?;
        let dirty = self.context.is_dirty(file_path, proposal.real_path());
        let way = Way { agent: agent.name.clone(), hook: None };
        let decided = self.decisions.take(&proposal, &way);
        let opened = self.reviews.open(Asker::Session(session.to_owned()), agent, proposal, dirty);
        let (id, review) = (opened.text.id(), opened.review());
        if decided.is_some() {
            tracing::info!(review = id.0, file = file_path, "the person has accepted this proposal already");
            let ended = self.reviews.end(id);
            ended.into_iter().for_each(|ended| self.deliver(&ended, Closing::Accepted));
            return Ok(());
        }
        self.announce(id, review);
        self.recovery.mark_outdated(session);
        Ok(())
    }

    fn announce(&mut self, id: ReviewId, review: Review) {
        tracing::info!(review = id.0, agent = review.agent.number, file = review.file, "a proposal");
        // Desks learn of a new agent before its review.
        if self.desks.is_status_due() {
            self.notify_status_now();
        }
        self.desks.notify(desk::Event::Opened(review));
        if self.stopping.is_some() {
            self.end_review(id, Closing::Stopped, None);
        }
    }

    /// The proposal of a hook: its review opens or goes on, unless the person has decided already.
    fn hook_called(&mut self, proposal: HookProposal, prepared: Proposal, call: Call) {
        let now = Instant::now();
        if self.context_only || self.presence.is_hidden() {
            return drop(call.answer.send(Verdict::NotReviewed));
        }
        let way = Way { agent: proposal.agent.clone(), hook: Some(proposal.session.clone()) };
        if let Some(verdict) = self.decisions.take(&prepared, &way) {
            tracing::info!(file = proposal.file, "the person has decided on this proposal already");
            // A hook that is gone needs no answer.
            return drop(call.answer.send(verdict));
        }
        if proposal.only_if_decided {
            return drop(call.answer.send(Verdict::NotReviewed));
        }
        if self.hooks.are_deserted(now) {
            let message = format!("Nothing was written. {}", hooks::NO_DESK);
            return drop(call.answer.send(Verdict::Refused { message }));
        }
        let key = CallKey::of(&proposal);
        if let Some(open) = self.hooks.left_open(&key) {
            if self.reviews.proposed(open) == Some(&proposal.proposed) {
                return self.hooks.resume(open, call);
            }
            self.end_review(open, Closing::Replaced, None);
        }
        let dirty = self.context.is_dirty(&proposal.file, prepared.real_path());
        let known = self.reviews.agent_of_hook(&proposal.agent, &proposal.session);
        let agent = known.unwrap_or_else(|| self.agents.of_hook(proposal.agent.clone()));
        let terms = HookTerms::of(proposal);
        let opened = self.reviews.open(Asker::Hook(terms), agent, prepared, dirty);
        let (id, review) = (opened.text.id(), opened.review());
        self.hooks.begin(id, key, call);
        self.announce(id, review);
    }

    /// `closeDiff`: the review ends, and its last text is the answer, once desks have sent all of it.
    fn close_diff(&mut self, session: String, file_path: String, answer: oneshot::Sender<LastText>) {
        if !self.agents.is_known(&session) {
            let _ = answer.send(None);
            return;
        }
        match self.reviews.find(&session, &file_path) {
            Some(review) => {
                self.desks.notify(desk::Event::FlushReview { id: review });
                let call = CloseCall { review, session, file_path, answer };
                self.reviews.begin_flush(call, self.desks.showing());
                self.finish_flushes(Instant::now());
            }
            None => self.answer_close(&session, &file_path, answer),
        }
    }

    /// Answers the `closeDiff` calls that need not wait any longer.
    fn finish_flushes(&mut self, now: Instant) {
        for CloseCall { review, session, file_path, answer } in self.reviews.take_flushed(now) {
            self.end_review(review, Closing::AnsweredInAgent, None);
            self.answer_close(&session, &file_path, answer);
        }
    }

    fn answer_close(&mut self, session: &str, file_path: &str, answer: oneshot::Sender<LastText>) {
        let text = self.agents.close_diff(session, file_path);
        self.recovery.mark_outdated(session);
        let _ = answer.send(text);
    }

    // Reviews.

    fn end_reviews_of(&mut self, session: &str, closing: Closing) {
        self.reviews.of(session).into_iter().for_each(|id| self.end_review(id, closing, None));
    }

    fn end_all_reviews(&mut self, closing: Closing) {
        self.reviews.ids().into_iter().for_each(|id| self.end_review(id, closing, None));
    }

    /// Ends a review, and tells all whom it concerns: the session that asked, and every desk.
    fn end_review(&mut self, id: ReviewId, closing: Closing, decided_by: Option<DeskId>) {
        let Some(ended) = self.reviews.end(id) else { return };
        let draft = match self.reviews.last_draft(&ended, closing) {
            Some(DraftChange::Save(draft)) => {
                // The agent writes an accepted text: nobody looks for it in a draft.
                let version = (closing != Closing::Accepted).then(|| (draft.id.clone(), draft.number));
                let written =
                    version.clone().map(|version| background::await_draft(self.events.clone(), version));
                if closing == Closing::AnsweredInAgent {
                    background::look_for_edits(self.events.clone(), draft.clone());
                }
                self.writer.send(WriteJob::SaveDraft(draft, written));
                version
            }
            Some(DraftChange::Delete(draft)) => {
                self.delete_draft(draft);
                None
            }
            None => None,
        };
        tracing::info!(review = id.0, ?closing, draft = draft.is_some(), "a review ended");
        self.deliver(&ended, closing);
        self.tell_hook(&ended, closing, draft.as_ref().map(|(draft, _)| draft.as_str()));
        let closed = Closed { id, closing, decided_here: false, decided_in: None, draft: None };
        self.desks.notify_end(
            closed,
            decided_by,
            draft.map(|draft| (draft, ended.text.file_path().to_owned())),
        );
    }

    /// Sends the outcome to the session that asked.
    fn deliver(&mut self, ended: &PendingReview, closing: Closing) {
        let hold = self.recovery.keeps_journal() && self.stopping.is_none();
        self.agents.deliver(ended, closing, hold);
        if let Some(session) = ended.session() {
            self.recovery.mark_outdated(session);
        }
    }

    /// Gives the hook that asked its verdict, and remembers it for the other way of the same edit.
    fn tell_hook(&mut self, ended: &PendingReview, closing: Closing, draft: Option<&str>) {
        match closing {
            Closing::Accepted => self.decisions.remember_accepted(ended),
            Closing::AnsweredInAgent => self.decisions.remember_answered_in_agent(ended),
            _ => {}
        }
        let Some(terms) = ended.hook() else { return };
        let draft = draft.map(|draft| self.desks.draft_path(draft, ended.text.file_path()));
        let verdict = match closing {
            Closing::TimedOut if self.hooks.are_deserted(Instant::now()) => {
                Verdict::Undecided { message: hooks::NO_DESK.into(), draft }
            }
            _ => ended.verdict(closing, draft),
        };
        if closing == Closing::Accepted && !terms.takes_text && ended.text.has_edits() {
            let message =
                desk::messages::asked_to_propose(&ended.agent, ended.text.file_path(), self.presence.roots());
            self.desks.notify(desk::Event::Notice { message });
        }
        let uncollected = self.hooks.end(ended.text.id(), verdict);
        if matches!(closing, Closing::Accepted | Closing::Rejected) {
            if let Some(verdict) = uncollected {
                let message = desk::messages::told_when_called(
                    &ended.agent,
                    ended.text.file_path(),
                    self.presence.roots(),
                );
                self.desks.notify(desk::Event::Notice { message });
                self.decisions.remember_uncollected(ended, verdict);
            }
            self.writer.look_after_drafts();
        }
    }

    /// Carries out an edit, which desks, the draft and the journal follow. Returns the new revision.
    fn edit_review(&mut self, id: ReviewId, revision: u64, edit: Edit) -> Result<u64, Refusal> {
        let changed = self.reviews.edit(id, revision, edit)?;
        let revision = changed.revision;
        self.desks.notify(desk::Event::Changed(changed));
        match self.reviews.draft(id) {
            Some(DraftChange::Save(draft)) => self.writer.send(WriteJob::SaveDraft(draft, None)),
            Some(DraftChange::Delete(draft)) => self.delete_draft(draft),
            None => {}
        }
        if let Some(session) = self.reviews.session_of(id) {
            self.recovery.mark_outdated(session);
        }
        Ok(revision)
    }

    fn delete_draft(&mut self, draft: String) {
        self.desks.forget_draft(&draft);
        self.writer.send(WriteJob::DeleteDraft(draft));
    }

    fn read_target(&self, target: TargetToRead) {
        background::read_target(self.events.clone(), target);
    }

    // Desks.

    fn desk_joined(&mut self, id: DeskId, profile: DeskProfile, events: mpsc::UnboundedSender<desk::Event>) {
        self.desks.join(id, profile, events);
        self.look_for_desks();
        let status = self.status();
        let problems = self.presence.problems().iter().chain(self.recovery.problems());
        self.desks.welcome(id, status, problems, self.reviews.list());
    }

    fn desk_left(&mut self, id: DeskId) {
        self.desks.leave(id);
        self.look_for_desks();
        self.context.leave(id);
        self.reviews.mark_flushed(id, None);
        self.finish_flushes(Instant::now());
        self.diagnostics.leave(id);
        self.finish_diagnostics(Instant::now());
    }

    fn look_for_desks(&mut self) {
        self.hooks.mark_desks(!self.desks.showing().is_empty(), Instant::now());
    }

    fn desk_asked(&mut self, id: DeskId, call: desk::Call) {
        let (call, target) = self.reviews.after_reading(id, call);
        target.into_iter().for_each(|target| self.read_target(target));
        call.into_iter().for_each(|call| self.answer_desk(id, call));
    }

    fn answer_desk(&mut self, id: DeskId, call: desk::Call) {
        if let Request::MentionFile { path, lines, agent } = call.request {
            return self.begin_mention(id, path.map(|path| (path, lines)), agent, call.answer);
        }
        match self.carry_out(id, call.request).map(|revision| Revised { revision }) {
            // A change that a person was told of outlives a crash.
            Ok(revised @ Revised { revision: 1.. }) => self.recovery.hold(call.answer, Ok(revised)),
            // A desk that is gone needs no answer.
            answer => drop(call.answer.send(answer)),
        }
    }

    /// Carries out the request of a desk. Returns the new revision of the review; 0 for a request about none.
    fn carry_out(&mut self, desk: DeskId, request: Request) -> Result<u64, Refusal> {
        match request {
            Request::EditReview { id, revision, changes } => {
                return self.edit_review(id, revision, Edit::Type(changes));
            }
            Request::KeepHunks { id, revision, hunks, keep } => {
                return self.edit_review(id, revision, Edit::Keep { hunks, keep });
            }
            Request::SplitHunk { id, revision, hunk } => {
                return self.edit_review(id, revision, Edit::Split { hunk });
            }
            Request::SetReason { id, revision, hunk, reason } => {
                return self.edit_review(id, revision, Edit::SetReason { hunk, reason });
            }
            Request::UndoReview { id, revision } => return self.edit_review(id, revision, Edit::Undo),
            Request::RedoReview { id, revision } => return self.edit_review(id, revision, Edit::Redo),
            Request::DecideReview { id, revision, decision } => {
                self.reviews.get_mut(id)?.may_decide(revision, decision)?;
                let closing = match decision {
                    Decision::Accept => Closing::Accepted,
                    Decision::Reject => Closing::Rejected,
                };
                self.end_review(id, closing, Some(desk));
                return Ok(revision);
            }
            Request::ChangeContext(report) => {
                self.context.report(desk, report);
                self.mark_dirty_reviews();
            }
            Request::PauseContext { paused } => {
                self.context.pause(paused).map_err(|words| Refusal::Other { words })?;
            }
            Request::Focus => {
                self.context.focus(desk);
                self.publish(true, None);
            }
            Request::Report(problem) => self.desks.report(problem),
            Request::Leave => self.desk_left(desk),
            Request::Flushed { id } => {
                self.reviews.mark_flushed(desk, Some(id));
                self.finish_flushes(Instant::now());
            }
            Request::Diagnostics { number, files } => {
                self.diagnostics.answered(desk, number, files);
                self.finish_diagnostics(Instant::now());
            }
            // The host program decides on the workspace; a mention has its answer elsewhere.
            Request::ChangeRoots { .. } | Request::MentionFile { .. } => {}
        }
        Ok(0)
    }

    fn status(&self) -> Status {
        Status {
            port: self.presence.port(),
            pid: self.presence.pid(),
            roots: self.presence.roots().to_vec(),
            agents: self.agents.list(),
            reviews: self.reviews.len(),
            paused: self.context.is_paused(),
            context_only: self.context_only,
            desks: self.desks.showing().len(),
            kept_by: None,
            context: self.context.shared_files(),
            environment: self.presence.environment().clone(),
        }
    }

    /// Tells desks what has changed around the reviews, close changes together.
    fn notify_status(&mut self) {
        if self.desks.plan_status(Instant::now()) {
            self.notify_status_now();
        }
    }

    fn notify_status_now(&mut self) {
        let status = self.status();
        self.desks.notify_status(status);
    }

    // Context.

    /// Has a thread look which files agents may know of.
    fn scan_files(&mut self) {
        if let Some(scan) = self.context.begin_scan() {
            let roots = self.presence.roots().to_vec();
            background::scan_files(self.events.clone(), scan, roots, self.disk.watch());
        }
    }

    fn context_changed(&mut self, context: IdeContext, scan_again: bool) {
        self.mark_dirty_reviews();
        self.agents.set_context(&context);
        if scan_again {
            self.scan_files();
        }
    }

    fn set_privacy(&mut self, privacy: Privacy) {
        let context = self.context.set_privacy(privacy);
        self.agents.set_context(&context);
        self.scan_files();
    }

    fn mark_dirty_reviews(&mut self) {
        for changed in self.reviews.mark_dirty(|path, real| self.context.is_dirty(path, real)) {
            self.desks.notify(desk::Event::Changed(changed));
        }
    }

    /// Agents know no problems of files that they must not know, and none while the context is paused.
    fn ask_for_diagnostics(&mut self, answer: oneshot::Sender<Vec<FileDiagnostics>>) {
        let desks = if self.context.is_paused() { BTreeSet::new() } else { self.desks.diagnosing() };
        let number = self.diagnostics.begin(desks.clone(), answer);
        self.desks.notify_only(desks, desk::Event::DiagnosticsWanted { number });
        self.finish_diagnostics(Instant::now());
    }

    fn finish_diagnostics(&mut self, now: Instant) {
        for found in self.diagnostics.take_done(now) {
            background::tell_diagnostics(self.context.privacy(), found);
        }
    }

    fn editor_state(&self) -> EditorState {
        let (context, dirty) = (self.context.told(), self.context.dirty_files());
        EditorState { context, dirty, roots: self.presence.roots().to_vec() }
    }

    /// A person adds a file to a prompt: this one, or the active one with its selection.
    fn begin_mention(
        &mut self,
        desk: DeskId,
        file: Option<(String, Option<Lines>)>,
        agent: Option<u64>,
        answer: oneshot::Sender<Result<Revised, Refusal>>,
    ) {
        let file = file.or_else(|| selected_lines(&self.context.told()));
        let mentioned = match (self.context.is_paused(), self.agents.taking_mentions(agent), file) {
            (true, ..) => Err(refused("reports about files are paused: resume them first")),
            (_, None, _) => Err(Refusal::NoAgentTakesFiles),
            (.., None) => Err(refused("agents know of no active file: open one first")),
            (_, Some(session), Some((path, lines))) => Ok((session, path, lines)),
        };
        match mentioned {
            Ok((session, path, lines)) => {
                let mention = Mention { desk, session, path, lines, answer };
                background::check_mention(self.events.clone(), self.context.privacy(), mention);
            }
            // A desk that is gone needs no answer.
            Err(refusal) => drop(answer.send(Err(refusal))),
        }
    }

    fn end_mention(&mut self, mention: Mention, is_allowed: bool) {
        let Mention { desk, session, path, lines, answer } = mention;
        let result = if !is_allowed {
            Err(refused("agents never learn of this file: the privacy rules hide it"))
        } else if let Some(agent) = self.agents.mention(&session, &path, lines) {
            let message = desk::messages::mentioned(&path, lines, &agent, self.presence.roots());
            self.desks.notify_only([desk], desk::Event::Notice { message });
            Ok(Revised::default())
        } else {
            Err(Refusal::NoAgentTakesFiles)
        };
        // A desk that is gone needs no answer.
        let _ = answer.send(result);
    }

    // The editor, and how agents find it.

    /// Has the discovery files written, unless no agent is to find the companion.
    fn publish(&self, focused: bool, done: Option<oneshot::Sender<Vec<Problem>>>) {
        if self.presence.is_hidden() {
            done.map(|done| done.send(Vec::new()));
            return;
        }
        self.writer.send(WriteJob::Publish { roots: self.presence.roots().to_vec(), focused, done });
    }

    fn published(&mut self, news: PublishedNews, asked: bool) {
        if !asked {
            news.begun.into_iter().for_each(|problem| self.desks.notify_problem(problem));
        }
        if !news.over.is_empty() {
            self.desks.forget_problems(&news.over);
            let what = "every agent can find this companion by itself again";
            self.desks.notify_problem(Problem::without_hint(what));
        }
    }

    fn set_editors(&mut self, editors: Vec<Editor>, shown: oneshot::Sender<Vec<Problem>>) {
        if let Some(used_last) = editors.first() {
            self.presence.set_editor(used_last.pid);
            self.writer.send(WriteJob::SetEditors(editors));
        }
        self.publish(true, Some(shown));
    }

    /// Every editor is gone: reviews are rejected, and no agent is to find the companion.
    fn hide(&mut self, done: oneshot::Sender<()>) {
        self.presence.hide();
        self.end_all_reviews(Closing::EditorGone);
        self.context.forget_all();
        self.writer.send(WriteJob::Withdraw(done));
    }

    // The journal.

    fn hands_over(&self) -> bool {
        self.stopping.as_ref().is_some_and(|stopping| stopping.hands_over)
    }

    /// Has the journal written, and then gives the answers that wait for it and for drafts.
    fn write_journal(&mut self) {
        if self.hands_over() {
            return;
        }
        if let Some(next) = self.recovery.next_write() {
            self.begin_write(next);
        }
    }

    fn begin_write(&mut self, next: NextWrite) {
        let changes = next.outdated.map(|outdated| self.changes(outdated));
        self.writer.send(WriteJob::WriteJournal(changes, next.answers));
    }

    fn sessions(&self, outdated: Outdated) -> Vec<String> {
        if outdated.all { self.agents.ids() } else { outdated.sessions.into_iter().collect() }
    }

    fn changes(&mut self, outdated: Outdated) -> Changes {
        let is_all = outdated.all;
        let (mut known, mut gone) = (Vec::new(), Vec::new());
        for session in self.sessions(outdated) {
            match self.agents.begin_recording(&session) {
                Some(mut entry) => {
                    entry.undecided = self.reviews.undecided(&session);
                    entry.last_review = self.reviews.last();
                    known.push(entry);
                }
                None => gone.push(session),
            }
        }
        let journal = Journal {
            port: self.presence.port(),
            addresses: self.presence.addresses().to_vec(),
            is_damaged: false,
            handed_over: self.hands_over(),
            token: self.presence.token().to_owned(),
            last_review: self.reviews.last(),
            sessions: known,
        };
        Changes { journal, gone, is_all }
    }

    // The end.

    fn stop(&mut self, done: oneshot::Sender<()>) {
        if let Some(stopping) = &mut self.stopping {
            stopping.done.push(done);
            return;
        }
        let until = Instant::now() + LAST_RECEIPTS;
        self.stopping = Some(Stopping { until, done: vec![done], hands_over: false });
        self.agents.release_outcomes();
        self.end_all_reviews(Closing::Stopped);
    }

    fn is_done(&self) -> bool {
        let is_settled = || self.agents.are_settled() && self.desks.are_told_all();
        self.stopping.as_ref().is_some_and(|stopping| is_settled() || stopping.until <= Instant::now())
    }

    fn finish(mut self) -> (WriterTask, Option<Stopping>) {
        let last = self.recovery.last_write(self.hands_over());
        self.begin_write(last);
        self.notify_status_now();
        self.desks.finish();
        // Dropping the sessions ends their streams.
        self.agents.cut_streams(self.hands_over());
        (self.writer, self.stopping)
    }
}

fn refused(words: &str) -> Refusal {
    Refusal::Other { words: words.into() }
}

async fn until(deadline: Option<Instant>, timer: &PreciseTimer) {
    match deadline {
        // Tests have a clock of their own.
        Some(deadline) if cfg!(test) => tokio::time::sleep_until(deadline).await,
        Some(deadline) => timer.until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
