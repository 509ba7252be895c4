//! The one loop that owns all state. It calls one component for each [event](crate::events), and carries out
//! the effects that the component returns. Nothing here waits for a disk, a network or a person.
//!
//! The events of agents come from [`mcp`](crate::mcp), those of hooks from [`hook_calls`](crate::hook_calls),
//! those of desks and of the program from [`companion`](crate::companion). [`startup`](crate::startup) makes
//! the parts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use alongside_contract::context::IdeContext;
use alongside_contract::rpc::Id;
use alongside_desk::{
    self as desk, CallAnswer, Closed, Closing, FileDiagnostics, Follows, HookProposal, Problem, Refusal,
    Request, ReviewId, Revised, Scope, Status, Unawaited, Verdict,
};
use alongside_platform::memory;
use alongside_platform::precise_timer::PreciseTimer;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::agents::connection::Expiry;
use crate::agents::context_frames::selected_lines;
use crate::agents::identity::Identity;
use crate::agents::last_texts::LastText;
use crate::agents::registry::Agents;
use crate::agents::session::SessionRefusal;
use crate::background::{self, Background};
use crate::calls::hooks::{HookCall, Hooks};
use crate::calls::registry::{Calls, CloseCall, DeskCall, Mention, MentionCall};
use crate::config::Editor;
use crate::context::tracker::ContextTracker;
use crate::desks::notifications::DraftVersion;
use crate::desks::profile::DeskProfile;
use crate::desks::registry::Desks;
use crate::discovery::presence::Presence;
use crate::discovery::publisher::PublishResult;
use crate::disk_watch::DiskWatch;
use crate::events::{EditorState, Event, OpenDiff, OpenStream, Proposal, StartedRequest};
use crate::ids::DeskId;
use crate::last_words::effect::LastWordEffect;
use crate::last_words::registry::LastWords;
use crate::persistence::journal::{Journal, JournalChanges};
use crate::persistence::recovery::{NextWrite, Outdated, Recovery};
use crate::reviews::decisions::{AcceptedBy, Way};
use crate::reviews::draft_versions::DraftChange;
use crate::reviews::large_text::LargeText;
use crate::reviews::proposal::{NotOpened, PreparedProposal};
use crate::reviews::registry::{DecisionCall, Reviews};
use crate::reviews::review::{Asker, PendingReview};
use crate::reviews::reviewed_text::Edit;
use crate::reviews::target::Fingerprint;
use crate::reviews::unprepared::UnpreparedProposal;
use crate::rule::Ruling;
use crate::rules::book::RuleBook;
use crate::turns::effect::TurnEffect;
use crate::turns::file_note::FileNote;
use crate::turns::registry::Turns;
use crate::turns::request::{CommentRequest, TurnRequest};
use crate::turns::surroundings::Surroundings;
use crate::writer::job::WriteJob;
use crate::writer::task::WriterTask;

/// The shortest delay of a wake-up that counts as a stall: the process did not run meanwhile, and messages of
/// agents wait in our sockets.
const STALL_THRESHOLD: Duration = Duration::from_millis(50);
/// The largest number of events that are handled before deadlines and the journal get their turn.
const MAX_BATCH: usize = 128;
/// The longest wait of a stop for the receipts of the rejected reviews.
const RECEIPT_TIMEOUT: Duration = Duration::from_millis(500);

/// All state of a companion.
pub(crate) struct MainLoop {
    pub(crate) agents: Agents,
    pub(crate) reviews: Reviews,
    pub(crate) rules: RuleBook,
    pub(crate) desks: Desks,
    pub(crate) hooks: Hooks,
    pub(crate) calls: Calls,
    pub(crate) context: ContextTracker,
    pub(crate) presence: Presence,
    pub(crate) recovery: Recovery,
    pub(crate) disk: DiskWatch,
    pub(crate) last_words: LastWords,
    pub(crate) turns: Turns,
    pub(crate) background: Background,
    pub(crate) shutdown: Option<Shutdown>,
}

/// The shutdown of a companion, while it is under way.
pub(crate) struct Shutdown {
    deadline: Instant,
    /// The callers that wait for the end.
    pub(crate) done: Vec<oneshot::Sender<()>>,
    /// Whether the journal and the discovery files stay for a successor.
    pub(crate) hands_over: bool,
}

impl MainLoop {
    /// Runs until the companion ends. Returns the writer with its last jobs, and the callers that wait for
    /// the end.
    pub(crate) async fn run(
        mut self,
        mut inbox: mpsc::UnboundedReceiver<Event>,
    ) -> (WriterTask, Option<Shutdown>) {
        let timer = PreciseTimer::default();
        self.recovery.mark_all_outdated();
        self.scan_files();
        self.report_desks_to_hooks();
        while !self.is_shut_down() {
            let deadline = self.deadline();
            let event = self.next_event(deadline, &timer, &mut inbox).await;
            self.hold_back_after_stall(deadline);
            match event {
                Some(event) => {
                    self.handle(event);
                    for event in std::iter::from_fn(|| inbox.try_recv().ok()).take(MAX_BATCH) {
                        self.handle(event);
                    }
                }
                None => {
                    self.on_deadline(Instant::now());
                    // Several deadlines in succession must not keep events waiting.
                    if let Ok(event) = inbox.try_recv() {
                        self.handle(event);
                    }
                }
            }
            self.notify_status();
            self.write_journal();
            self.plan_checks();
            // Tasks that wait for an answer run before the next event: a thousand streams then report
            // together.
            tokio::task::yield_now().await;
        }
        self.finish()
    }

    /// Waits for the next event; `None` when a deadline has come first.
    async fn next_event(
        &self,
        deadline: Option<Instant>,
        timer: &PreciseTimer,
        inbox: &mut mpsc::UnboundedReceiver<Event>,
    ) -> Option<Event> {
        tokio::select! {
            biased;
            () = sleep_until(deadline, timer) => None,
            event = inbox.recv() => event,
            () = self.disk.wait_for_change() => Some(Event::DiskChanged),
            () = self.last_words.wait_for_change() => Some(Event::DecidedFileChanged),
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::SessionWanted { identity, answer } => {
                let session = self.begin_session(identity);
                self.recovery.answer_after_write(answer, session);
            }
            Event::SessionEnded { session, answer } => drop(answer.send(self.end_session(&session))),
            Event::ToolCalled(session) => self.agents.record_message(&session),
            Event::RequestStarted { session, answer } => drop(answer.send(self.begin_request(&session))),
            Event::RequestRead { session } => self.agents.end_request(&session),
            Event::OpenDiff { session, open, answer } => {
                let opened = self.open_diff(&session, open);
                self.recovery.answer_after_write(answer, opened);
            }
            Event::ProposalPrepared { proposed, prepared } => self.end_preparation(&proposed, prepared),
            Event::CloseDiff { session, file_path, answer } => self.close_diff(session, file_path, answer),
            Event::Receipt { session, id } => self.handle_receipt(&session, &id),
            Event::DiagnosticsWanted(answer) => self.ask_for_diagnostics(answer),
            Event::EditorStateWanted(answer) => drop(answer.send(self.editor_state())),
            // If the agent no longer waits for the stream, dropping the stream ends it.
            Event::StreamWanted { session, answer } => drop(answer.send(self.open_stream(session))),
            Event::StreamDrained { session } => self.agents.pump(&session),
            Event::StreamEnded { session, number } => {
                self.agents.end_stream(&session, number);
                // Its connections held more memory than the session.
                memory::trim_later();
            }
            Event::HookRootsWanted(answer) => drop(answer.send(self.presence.reviewed_roots())),
            Event::HookCalled { proposal, prepared, call } => self.review_for_hook(proposal, *prepared, call),
            Event::PatchRefused(patch) => self.break_off(&patch),
            Event::HookEnded(number) => {
                if let Some(id) = self.hooks.review_of_call(number) {
                    self.end_review(id, Closing::AgentGone, None);
                }
            }
            Event::AgentEnded(pid) => {
                self.rules.end_agent(pid);
                self.with_turns(|turns, _| turns.end_agent(pid));
            }
            Event::ProblemsOver(over, notice) => {
                self.desks.forget_problems(&over);
                self.desks.notify_notice(notice);
            }
            Event::DeskJoined { desk, profile, events } => self.add_desk(desk, profile, events),
            Event::KeepersChanged { desk, kept_by } => {
                // A person may leave at any moment, and the desk then names the parties that keep the
                // reviews. So the desk gets the new names at once.
                self.desks.set_kept_by(desk, kept_by);
                self.notify_status_now();
            }
            Event::DeskAsked { desk, request, answer } => self.handle_request(desk, request, answer),
            Event::DeskLeft(desk) => self.remove_desk(desk),
            Event::MentionChecked { mention, is_allowed } => self.end_mention(mention, is_allowed),
            Event::SnapshotTaken(directory) => {
                self.with_turns(|turns, _| turns.note_snapshot(&directory));
            }
            Event::TurnJobDone(result) => {
                self.with_turns(|turns, surroundings| turns.end_job(*result, surroundings))
            }
            Event::DiskChanged => {
                self.context.forget_scan();
                self.disk.plan_checks(Instant::now());
            }
            Event::FilesScanned(result) => {
                let (context, scan_again) = self.context.end_scan(*result);
                self.apply_context(context, scan_again);
            }
            Event::DecidedFileChanged => self.last_words.mark_changed(Instant::now()),
            Event::DecidedFilesChecked(results) => {
                let words = self.last_words.end_look(results, Instant::now());
                self.report_last_words(words);
            }
            Event::TargetRead { review, fingerprint } => self.end_reading(review, fingerprint),
            Event::DraftWritten(written) => self.desks.end_draft_write(written),
            Event::DraftSettled(draft) => self.desks.forget_draft(&draft),
            Event::DraftWaitEnded(draft) => self.desks.give_up_draft(&draft),
            Event::JournalWritten(error) => self.end_journal_write(error),
            Event::JournalRemoved => self.recovery.mark_all_outdated(),
            Event::DiskSpaceChanged(reserved) => {
                self.desks.notify_problem(self.recovery.mark_disk_short(reserved));
            }
            Event::Published { result, asked } => self.end_publishing(result, asked),
            Event::WorkspaceChanged { roots, privacy, rules, answer } => {
                self.rules.set_rules(*rules);
                self.agents.set_context(self.context.set_privacy(*privacy));
                self.scan_files();
                self.presence.set_roots(roots);
                self.turns.set_roots(self.presence.real_roots().clone());
                self.publish(false, Some(answer));
            }
            Event::EditorsChanged { editors, answer } => self.set_editors(editors, answer),
            Event::Hide(done) => self.hide(done),
            Event::HandOver(done) => {
                self.shutdown =
                    Some(Shutdown { deadline: Instant::now(), done: vec![done], hands_over: true });
            }
            Event::StatusWanted(answer) => drop(answer.send(self.status())),
            Event::Stop(done) => self.stop(done),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let deadlines = [
            self.agents.deadline(),
            self.hooks.deadline(),
            self.calls.deadline(),
            self.desks.deadline(),
            self.context.deadline(),
            self.disk.deadline(),
            self.last_words.deadline(),
            self.shutdown.as_ref().map(|shutdown| shutdown.deadline),
        ];
        deadlines.into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant) {
        if let Some(gap) = self.disk.take_suspension(now) {
            // Messages that came meanwhile wait in our sockets. Agents and calls keep the time that they had
            // left.
            tracing::info!(?gap, "nothing could be done for a while");
            self.agents.shift_deadlines(gap);
            self.calls.shift_deadlines(gap);
            return;
        }
        self.finish_calls(now);
        let due = self.hooks.on_deadline(now);
        let calls_again = Some(Unawaited::CallsAgain);
        self.report_waiting(&due.left_open, calls_again, desk::messages::waits_no_longer);
        self.report_waiting(&due.turn_over, Some(Unawaited::TurnOver), desk::messages::waits_for_its_person);
        self.end_reviews(due.over, Closing::TimedOut);
        if self.context.on_deadline(now) {
            match self.context.update_without_scan(now) {
                Some(context) => self.apply_context(context, false),
                None => self.scan_files(),
            }
        }
        for (session, expiry) in self.agents.on_deadline(now) {
            match expiry {
                Expiry::Reviews => self.end_session_reviews(&session),
                Expiry::Session => drop(self.end_session(&session)),
            }
        }
        if let Some(look) = self.last_words.on_deadline(now) {
            self.background.look_at_decided(look);
        }
        let due = self.disk.on_deadline(now);
        if due.scan {
            self.check_disk();
        }
        if due.republish {
            self.publish(false, None);
            self.background.writer.send(WriteJob::CheckJournal);
        }
    }

    /// Holds back outcomes after a stall until the messages that wait in our sockets are read. One of these
    /// may be a new proposal, and its agent would take an older outcome for the outcome of that proposal.
    fn hold_back_after_stall(&mut self, deadline: Option<Instant>) {
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now.saturating_duration_since(deadline) >= STALL_THRESHOLD) {
            self.agents.hold_back(now);
        }
    }

    fn plan_checks(&mut self) {
        let is_failing = self.recovery.is_failing();
        let time_runs_out = is_failing || self.reviews.len() > 0 || self.agents.deadline().is_some();
        let own_files_incomplete = is_failing || self.presence.is_incomplete();
        self.disk.plan_needed_checks(Instant::now(), time_runs_out, own_files_incomplete);
    }

    fn check_disk(&mut self) {
        for target in self.reviews.begin_reading() {
            self.background.read_target(target);
        }
        for problem in self.presence.check_roots() {
            self.desks.notify_problem(problem);
        }
        if self.presence.has_new_agent() {
            self.publish(false, None);
        }
        if self.recovery.is_failing() {
            self.recovery.mark_all_outdated();
        }
        // The scan removes deleted files from the context.
        self.scan_files();
    }

    // Agents.

    fn begin_session(&mut self, identity: Identity) -> Result<String, SessionRefusal> {
        let (session, evicted) = self.agents.begin_session(identity)?;
        if let Some(evicted) = evicted {
            self.end_session(&evicted);
        }
        self.recovery.mark_outdated(&session);
        Ok(session)
    }

    /// Ends a session. The reviews of its agent close; edits go to drafts.
    fn end_session(&mut self, session: &str) -> bool {
        self.end_session_reviews(session);
        self.rules.end_session(session);
        self.last_words.end_session(session, Instant::now());
        self.recovery.mark_outdated(session);
        memory::trim_later();
        self.agents.remove(session)
    }

    fn handle_receipt(&mut self, session: &str, ping: &Id) {
        if self.agents.settle(session, ping) {
            self.recovery.mark_outdated(session);
        }
    }

    fn begin_request(&mut self, session: &str) -> Option<StartedRequest> {
        let number = self.agents.begin_request(session)?;
        Some(StartedRequest { number, roots: self.presence.real_roots().clone() })
    }

    fn open_stream(&mut self, session: String) -> Option<OpenStream> {
        let (number, frames) = self.agents.open_stream(&session)?;
        let (events, cut) = (self.background.events.clone(), self.agents.cut_flag());
        let _ended = events.queue_on_drop(Event::StreamEnded { session: session.clone(), number });
        Some(OpenStream { session, frames, events, cut, _ended })
    }

    /// Opens a review for `openDiff`, at once or after the comparison of a large text. The call is answered
    /// at once, or with the outcome if the agent keeps it open until then.
    fn open_diff(&mut self, session: &str, open: OpenDiff) -> Result<(), NotOpened> {
        let OpenDiff { request, file_path, call, proposal } = open;
        let agent = self.agents.propose(session, request, &file_path, call)?;
        if let Some(replaced) = self.reviews.find(session, &file_path) {
            self.end_review(replaced, Closing::Replaced, None);
        }
        self.end_unprepared(|open| open.is_of(session, &file_path), Closing::Replaced);
        match proposal {
            Proposal::Prepared(prepared) => {
                self.open_prepared(session, agent, *prepared.map_err(NotOpened::BadTarget)?);
            }
            Proposal::Unprepared(proposed) => {
                let session = session.to_owned();
                self.reviews.unprepared.add(UnpreparedProposal { session, agent, file_path, proposed });
                if self.shutdown.is_some() {
                    self.end_unprepared(|_| true, Closing::Stopped);
                }
            }
        }
        self.recovery.mark_outdated(session);
        Ok(())
    }

    /// Opens the review of a large text, unless its proposal has ended meanwhile.
    fn end_preparation(&mut self, proposed: &Arc<LargeText>, prepared: Option<Box<PreparedProposal>>) {
        let Some(unprepared) = self.reviews.unprepared.take(proposed) else { return };
        match prepared {
            Some(prepared) => self.open_prepared(&unprepared.session, unprepared.agent, *prepared),
            None => self.deliver_unprepared(&unprepared, Closing::Interrupted),
        }
        self.recovery.mark_outdated(&unprepared.session);
    }

    /// Opens the review of a proposal by a session, unless its person has accepted it already.
    fn open_prepared(&mut self, session: &str, agent: desk::Agent, proposal: PreparedProposal) {
        let dirty = proposal.is_dirty(|file, real| self.context.is_dirty(file, real));
        let way = Way::of(&agent.name, None);
        let decided = self.reviews.decisions.take(&proposal, &way);
        let mut review = self.reviews.prepare(Asker::Session(session.to_owned()), agent, proposal, dirty);
        if decided.is_some() {
            let id = review.text.id().0;
            let file = review.text.file_path();
            tracing::info!(review = id, file, "the person has accepted this proposal already");
            self.last_words.prolong(review.real_path(), &review.agent.name, Instant::now());
            return self.deliver(&review, Closing::Accepted);
        }
        match self.apply_rules(&mut review) {
            Ruling::Accept => self.deliver(&review, Closing::Accepted),
            Ruling::Ask | Ruling::Defer => self.open_review(review),
        }
    }

    /// Ends all reviews of a session whose agent has left.
    fn end_session_reviews(&mut self, session: &str) {
        self.end_reviews(self.reviews.of_session(session), Closing::AgentGone);
        self.end_unprepared(|proposal| proposal.session == session, Closing::AgentGone);
    }

    /// Ends the proposals of which `ends` is true and that are not compared with their files yet.
    fn end_unprepared(&mut self, ends: impl Fn(&UnpreparedProposal) -> bool, closing: Closing) {
        for proposal in self.reviews.unprepared.take_where(ends) {
            self.deliver_unprepared(&proposal, closing);
        }
    }

    /// Ends a review for `closeDiff`. The answer is its last text, once every desk has sent all edits.
    fn close_diff(&mut self, session: String, file_path: String, answer: oneshot::Sender<LastText>) {
        if !self.agents.is_known(&session) {
            // An agent that has left needs no answer.
            return drop(answer.send(LastText::UnknownSession));
        }
        let review = self.reviews.find(&session, &file_path);
        match review {
            Some(id) => self.desks.notify(desk::Event::FlushReview { id }),
            None => self.end_unprepared(|open| open.is_of(&session, &file_path), Closing::AnsweredInAgent),
        }
        let desks = review.map(|_| self.desks.showing_reviews()).unwrap_or_default();
        self.calls.begin_close(CloseCall { review, session, file_path, answer }, desks);
        self.finish_calls(Instant::now());
    }

    /// Asks desks for the problems in files. Agents get no problems of a file that they must not know, and
    /// none while the context is paused.
    fn ask_for_diagnostics(&mut self, answer: oneshot::Sender<Vec<FileDiagnostics>>) {
        self.calls.request_diagnostics(answer);
        self.finish_calls(Instant::now());
    }

    /// Finishes the calls of agents that need not wait for desks any longer.
    fn finish_calls(&mut self, now: Instant) {
        for call in self.calls.take_answered(now) {
            match call {
                DeskCall::Close(CloseCall { review, session, file_path, answer }) => {
                    if let Some(id) = review {
                        self.end_review(id, Closing::AnsweredInAgent, None);
                    }
                    let _ = answer.send(self.agents.close_diff(&session, &file_path));
                    self.recovery.mark_outdated(&session);
                }
                DeskCall::Diagnostics(call) => background::answer_diagnostics(self.context.privacy(), call),
            }
        }
        let desks =
            || if self.context.is_paused() { BTreeSet::new() } else { self.desks.knowing_diagnostics() };
        if let Some((number, desks)) = self.calls.begin_diagnostics(desks) {
            if desks.is_empty() {
                // No desk has an answer to wait for.
                return self.finish_calls(now);
            }
            self.desks.notify_some(desks, desk::Event::DiagnosticsWanted { number });
        }
    }

    fn editor_state(&self) -> EditorState {
        let (context, dirty) = (self.context.last_sent(), self.context.dirty_files());
        EditorState { context, dirty, roots: self.presence.roots().to_vec() }
    }

    // Hooks.

    /// Answers the proposal of a hook if the person has decided already. Otherwise opens its review, or
    /// resumes the review that an earlier call has left open.
    fn review_for_hook(&mut self, proposal: Box<HookProposal>, prepared: PreparedProposal, call: HookCall) {
        if let Some(verdict) = self.verdict_at_once(&proposal, &prepared) {
            // A hook that has ended needs no answer.
            return drop(call.answer.send(verdict));
        }
        let is_only_asked = proposal.only_if_decided;
        let opens_diff = proposal.asks_itself && proposal.calls_again && self.agents.listens(&proposal.agent);
        let left_open = self.hooks.left_open(&self.reviews.of_hook(&proposal));
        if let Some(open) = left_open.filter(|open| self.reviews.is_of(*open, &proposal)) {
            return match self.hooks.verdict_without_review(is_only_asked) {
                Some(verdict) => drop(call.answer.send(verdict)),
                None => {
                    self.hooks.resume(open, call);
                    self.report_waiting(&[open], None, desk::messages::waits_again);
                }
            };
        }
        let dirty = prepared.is_dirty(|file, real| self.context.is_dirty(file, real));
        let known = self.reviews.agent_of_hook(&proposal);
        let agent = known.unwrap_or_else(|| self.agents.of_hook(proposal.agent.clone()));
        let mut review = self.reviews.prepare(Asker::Hook(proposal), agent, prepared, dirty);
        let ruling = self.apply_rules(&mut review);
        let verdict = match ruling {
            Ruling::Accept => Some(review.verdict(Closing::Accepted, None)),
            Ruling::Defer => Some(Verdict::NotReviewed),
            // The agent then opens a diff instead, which waits for the person without a limit.
            Ruling::Ask if opens_diff => Some(Verdict::NotReviewed),
            Ruling::Ask => self.hooks.verdict_without_review(is_only_asked),
        };
        if let Some(open) = left_open.filter(|_| verdict.is_none() || opens_diff || ruling != Ruling::Ask) {
            self.end_review(open, Closing::Replaced, None);
        }
        if let Some(verdict) = verdict {
            return drop(call.answer.send(verdict));
        }
        self.hooks.begin(review.text.id(), call);
        self.open_review(review);
    }

    /// Reports to desks that reviews have lost their hook and wait for its next call, or have a hook again.
    fn report_waiting(
        &mut self,
        open: &[ReviewId],
        unawaited: Option<Unawaited>,
        message: fn(&desk::Agent, &str, &[PathBuf]) -> String,
    ) {
        for id in open {
            if let Some(changed) = self.reviews.set_unawaited(*id, unawaited) {
                self.desks.notify(desk::Event::Changed(changed));
            }
            if let Some(review) = self.reviews.get(*id) {
                let message = message(&review.agent, review.text.file_path(), self.presence.roots());
                self.desks.notify_notice(message);
            }
        }
    }

    /// Returns the verdict on a proposal that needs no review: the person has decided already, or nothing is
    /// reviewed.
    fn verdict_at_once(&mut self, proposal: &HookProposal, prepared: &PreparedProposal) -> Option<Verdict> {
        if self.presence.reviewed_roots().is_none() {
            return Some(Verdict::NotReviewed);
        }
        let way = Way::of(&proposal.agent, Some(proposal));
        if let Some(verdict) = self.reviews.decisions.take(prepared, &way) {
            tracing::info!(file = proposal.file, "the person has decided on this proposal already");
            self.last_words.prolong(prepared.real_path(), &proposal.agent, Instant::now());
            return Some(verdict);
        }
        None
    }

    // Rules.

    /// Returns the ruling of a rule or a grant on a proposal. An acceptance is remembered and reported to
    /// desks.
    fn apply_rules(&mut self, review: &mut PendingReview) -> Ruling {
        if self.shutdown.is_some() {
            return Ruling::Ask;
        }
        let (ruling, accepted) = self.rules.rule(review, self.presence.real_roots());
        if let Some(accepted) = accepted {
            self.mark_proposed(review);
            self.watch_decision(review, Closing::Accepted, false);
            self.reviews.decisions.remember_accepted(review, AcceptedBy::Rule);
            self.desks.notify(desk::Event::AcceptedByRule(accepted));
        }
        ruling
    }

    /// Withdraws the acceptances by rules of a patch if one of its files has ended without a decision: the
    /// agent writes no file of the patch.
    fn break_off(&mut self, patch: &str) {
        for accepted in self.rules.break_off(patch) {
            self.desks.notify(desk::Event::AcceptedByRule(accepted));
        }
    }

    /// Accepts in advance the later proposals of an agent in a scope. Desks get the grant with the status.
    fn grant(&mut self, review: ReviewId, scope: Scope) -> Result<Option<u64>, Refusal> {
        let review = self.reviews.get(review).ok_or(Refusal::NoSuchReview)?;
        let (grant, agent) = self.rules.grant(review, scope, self.presence.real_roots())?;
        if let Some(pid) = agent {
            self.background.watch_agent(pid);
        }
        self.desks.notify_notice(desk::messages::granted(&grant, self.presence.roots()));
        Ok(None)
    }

    // Reviews.

    fn open_review(&mut self, pending: PendingReview) {
        let review = pending.review();
        let id = review.id;
        self.mark_proposed(&pending);
        self.reviews.open(pending);
        tracing::info!(review = id.0, agent = review.agent.number, file = review.file, "a proposal");
        // Desks learn of a new agent before its review.
        if self.desks.is_status_due() {
            self.notify_status_now();
        }
        self.desks.notify(desk::Event::Opened(review));
        if self.shutdown.is_some() {
            self.end_review(id, Closing::Stopped, None);
        }
    }

    fn end_all_reviews(&mut self, closing: Closing) {
        self.end_reviews(self.reviews.ids(), closing);
        self.end_unprepared(|_| true, closing);
    }

    fn end_reviews(&mut self, ids: Vec<ReviewId>, closing: Closing) {
        for id in ids {
            self.end_review(id, closing, None);
        }
    }

    /// Ends a review, and reports the end to the session or hook that asked, and to every desk.
    fn end_review(&mut self, id: ReviewId, closing: Closing, decided_by: Option<DeskId>) {
        let Some((ended, draft)) = self.reviews.end(id, closing) else { return };
        let has_draft = matches!(draft, Some(DraftChange::Save(_)));
        let draft = self.write_draft(draft, Some(closing));
        tracing::info!(review = id.0, ?closing, draft = draft.is_some(), "a review ended");
        self.deliver(&ended, closing);
        if !matches!(closing, Closing::Accepted | Closing::Rejected)
            && let Some(patch) = ended.hook().and_then(|hook| hook.patch.as_deref())
        {
            self.break_off(patch);
        }
        let follows = self.answer_hook(&ended, closing, draft.as_ref().map(|(draft, _)| draft.as_str()));
        let closed = Closed { id, closing, decided_here: false, decided_in: None, draft: None, follows };
        let draft = draft.map(|draft| (draft, ended.text.file_path().to_owned()));
        self.desks.notify_end(closed, decided_by, draft);
        self.watch_decision(&ended, closing, has_draft);
        memory::trim_after(ended.text.current().len());
    }

    /// Watches the file of a review that ended with a decision.
    fn watch_decision(&mut self, ended: &PendingReview, closing: Closing, has_draft: bool) {
        let draft = || self.reviews.draft_if_unwritten(ended);
        self.last_words.begin(ended, closing, has_draft, draft, Instant::now());
    }

    fn mark_proposed(&mut self, proposed: &PendingReview) {
        let words = self.last_words.mark_proposed(proposed, Instant::now());
        self.report_last_words(words);
    }

    /// Reports to desks what the files of decided reviews hold.
    fn report_last_words(&mut self, words: Vec<LastWordEffect>) {
        for effect in words {
            let event = effect.event(self.presence.roots());
            if let Some(draft) = effect.draft_to_save {
                self.background.save_draft(draft, None);
            }
            if effect.settles_drafts {
                self.background.writer.send(WriteJob::SettleDrafts);
            }
            if let Some(event) = event {
                self.desks.notify(event);
            }
            if let Some(text) = effect.accepted {
                self.note_for_turns(FileNote::Accepted(text));
            }
        }
    }

    fn deliver(&mut self, ended: &PendingReview, closing: Closing) {
        if let Some(session) = ended.session() {
            self.deliver_text(session, ended.text.file_path(), ended.text.current(), closing);
        }
    }

    fn deliver_unprepared(&mut self, ended: &UnpreparedProposal, closing: Closing) {
        self.deliver_text(&ended.session, &ended.file_path, &ended.proposed.shared(), closing);
    }

    /// Sends the outcome of a review with this last text to the session that asked.
    fn deliver_text(&mut self, session: &str, file_path: &str, text: &Arc<str>, closing: Closing) {
        let hold = self.recovery.keeps_journal() && self.shutdown.is_none();
        self.agents.deliver(session, file_path, text, closing, hold);
        self.recovery.mark_outdated(session);
    }

    /// Sends the verdict to the hook that asked. If the hook no longer waits, remembers the verdict for the
    /// next call.
    fn answer_hook(&mut self, ended: &PendingReview, closing: Closing, draft: Option<&str>) -> Follows {
        if ended.hook().is_none() {
            return Follows::Write;
        }
        let draft = draft.map(|draft| self.desks.draft_path(draft, ended.text.file_path()));
        let verdict = self.hooks.verdict(ended, closing, draft);
        let uncollected = self.hooks.end(ended.text.id(), verdict);
        match (closing, uncollected) {
            (Closing::Accepted | Closing::Rejected, Some(verdict)) => {
                self.reviews.decisions.remember_uncollected(ended, verdict);
                Follows::Call
            }
            (Closing::Accepted, None) => ended.follows_acceptance(),
            _ => Follows::Write,
        }
    }

    /// Carries out an edit, and reports it to desks, draft and journal. Returns the new revision.
    fn edit_review(&mut self, id: ReviewId, revision: u64, edit: Edit) -> Result<u64, Refusal> {
        let (changed, draft) = self.reviews.edit(id, revision, edit)?;
        let revision = changed.revision;
        self.desks.notify(desk::Event::Changed(changed));
        self.write_draft(draft, None);
        if let Some(session) = self.reviews.get(id).and_then(PendingReview::session) {
            self.recovery.mark_outdated(session);
        }
        Ok(revision)
    }

    fn begin_decision(&mut self, call: DecisionCall) {
        if let Some(target) = self.reviews.begin_decision(call) {
            self.background.read_target(target);
        }
        self.carry_out_decisions();
    }

    fn end_reading(&mut self, review: ReviewId, fingerprint: Fingerprint) {
        if let Some(changed) = self.reviews.end_reading(review, fingerprint) {
            self.desks.notify(desk::Event::Changed(changed));
        }
        self.carry_out_decisions();
    }

    /// Carries out the decisions whose target has been read again, or need not be read.
    fn carry_out_decisions(&mut self) {
        for DecisionCall { review, revision, decision, desk, answer } in self.reviews.take_decisions() {
            let closing = self.reviews.decide(review, revision, decision);
            if let Ok(closing) = closing {
                self.end_review(review, closing, Some(desk));
            }
            self.answer_desk(answer, closing.map(|_| Some(revision)));
        }
    }

    /// Writes or deletes the draft of a review. `closing` is the reason why the review has ended; `None`
    /// while it is open.
    fn write_draft(&mut self, draft: Option<DraftChange>, closing: Option<Closing>) -> Option<DraftVersion> {
        match draft? {
            DraftChange::Save(draft) => self.background.save_draft(draft, closing),
            DraftChange::Delete(draft) => {
                self.desks.forget_draft(&draft);
                self.background.writer.send(WriteJob::DeleteDraft(draft));
                None
            }
        }
    }

    // Desks.

    fn add_desk(&mut self, id: DeskId, profile: DeskProfile, events: mpsc::UnboundedSender<desk::Event>) {
        let shows_turns = profile.shows_turns;
        self.desks.join(id, profile, events);
        self.report_desks_to_hooks();
        let status = self.status();
        let problems = self.presence.problems().iter().chain(self.recovery.problems());
        self.desks.send_first_events(id, status, problems, self.rules.accepted(), self.reviews.list());
        self.with_turns(|turns, _| turns.join(id, shows_turns));
    }

    fn remove_desk(&mut self, id: DeskId) {
        self.desks.leave(id);
        self.report_desks_to_hooks();
        self.context.leave(id);
        self.turns.leave(id);
        self.calls.leave(id);
        self.finish_calls(Instant::now());
    }

    fn report_desks_to_hooks(&mut self) {
        self.hooks.mark_desks(!self.desks.showing_reviews().is_empty(), Instant::now());
    }

    fn handle_request(&mut self, desk: DeskId, request: Request, answer: CallAnswer) {
        match request {
            Request::EditReview { id, revision, changes } => {
                return self.handle_edit(desk, id, revision, Edit::Type(changes), answer);
            }
            Request::KeepHunks { id, revision, hunks, keep } => {
                return self.handle_edit(desk, id, revision, Edit::Keep { hunks, keep }, answer);
            }
            Request::SplitHunk { id, revision, hunk, lines, side } => {
                let split = Edit::Split { hunk, lines: lines.map(|lines| (side, lines)) };
                return self.handle_edit(desk, id, revision, split, answer);
            }
            Request::SetReason { id, revision, hunk, reason } => {
                return self.handle_edit(desk, id, revision, Edit::SetReason { hunk, reason }, answer);
            }
            Request::UndoReview { id, revision } => {
                return self.handle_edit(desk, id, revision, Edit::Undo, answer);
            }
            Request::RedoReview { id, revision } => {
                return self.handle_edit(desk, id, revision, Edit::Redo, answer);
            }
            Request::DecideReview { id, .. } if self.turns.has_text(id) => {
                return self.handle_turn_request(desk, TurnRequest::Decide, answer);
            }
            Request::DecideReview { id: review, revision, decision } => {
                return self.begin_decision(DecisionCall { review, revision, decision, desk, answer });
            }
            Request::Grant { id, scope } => {
                let granted = self.grant(id, scope);
                return self.answer_desk(answer, granted);
            }
            Request::WithdrawGrants {} => self.rules.withdraw_grants(),
            Request::ReviewTurn { directory, since } => {
                return self.handle_turn_request(desk, TurnRequest::Look { directory, since }, answer);
            }
            Request::OpenTurnFile { turn, revision, file } => {
                return self.handle_turn_request(desk, TurnRequest::Open { turn, revision, file }, answer);
            }
            Request::MarkTurnFile { turn, revision, file, undo } => {
                return self.handle_turn_request(
                    desk,
                    TurnRequest::Mark { turn, revision, file, undo },
                    answer,
                );
            }
            Request::AddComment { turn, revision, file, lines, side, text } => {
                let add = CommentRequest::Add { revision, file, lines, side, text };
                return self.handle_turn_request(desk, TurnRequest::Comment(turn, add), answer);
            }
            Request::ChangeComment { turn, id, text } => {
                let change = CommentRequest::Change { id, text };
                return self.handle_turn_request(desk, TurnRequest::Comment(turn, change), answer);
            }
            Request::FinishTurn { turn, revision, send, ask_to_undo } => {
                let finish = TurnRequest::Finish { turn, revision, send, ask_to_undo };
                return self.handle_turn_request(desk, finish, answer);
            }
            Request::MentionFile { path, lines, agent } => {
                let file = path.map(|path| (path, lines));
                return self.begin_mention(MentionCall { desk, file, agent, answer });
            }
            Request::PauseContext { paused } => {
                if let Err(words) = self.context.pause(paused) {
                    return self.answer_desk(answer, Err(Refusal::Other { words }));
                }
            }
            Request::ChangeContext(report) => {
                self.context.report(desk, report);
                self.mark_dirty_reviews();
            }
            Request::Saved { path } => self.note_for_turns(FileNote::Saved(path.into())),
            Request::Focus => {
                self.context.focus(desk);
                self.publish(true, None);
            }
            Request::Report(problem) => self.desks.report(problem),
            Request::Leave => self.remove_desk(desk),
            Request::Flushed { id } => {
                self.calls.mark_flushed(desk, id);
                self.finish_calls(Instant::now());
            }
            Request::Diagnostics { number, files } => {
                self.calls.add_diagnostics(desk, number, files);
                self.finish_calls(Instant::now());
            }
            // Only a host can change its roots.
            Request::ChangeRoots { .. } => {}
        }
        self.answer_desk(answer, Ok(None));
    }

    /// Carries out an edit of a review, or of an open file of a turn review.
    fn handle_edit(&mut self, desk: DeskId, id: ReviewId, revision: u64, edit: Edit, answer: CallAnswer) {
        if self.turns.has_text(id) {
            return self.handle_turn_request(desk, TurnRequest::Edit { text: id, revision, edit }, answer);
        }
        let revision = self.edit_review(id, revision, edit);
        self.answer_desk(answer, revision.map(Some));
    }

    /// Answers a request of a desk. `revision` is the new revision of a review, for a request about one.
    fn answer_desk(&mut self, answer: CallAnswer, revision: Result<Option<u64>, Refusal>) {
        match revision {
            // The person may rely on an answered change, so the journal has it before the answer.
            Ok(Some(revision)) => self.recovery.answer_after_write(answer, Ok(Revised { revision })),
            // A desk that has left needs no answer.
            Ok(None) => drop(answer.send(Ok(Revised::default()))),
            Err(refusal) => drop(answer.send(Err(refusal))),
        }
    }

    fn begin_mention(&mut self, call: MentionCall) {
        let session = self.agents.session_for_mention(call.agent);
        let active = if call.file.is_none() { selected_lines(&self.context.last_sent()) } else { None };
        if let Some(mention) = call.begin(session, active, self.context.is_paused()) {
            self.background.check_mention(self.context.privacy(), mention);
        }
    }

    fn end_mention(&mut self, mention: Mention, is_allowed: bool) {
        let Some(Mention { desk, session, path, lines, answer }) = mention.after_check(is_allowed) else {
            return;
        };
        let agent = self.agents.mention(&session, &path, lines);
        if let Some(agent) = &agent {
            let message = desk::messages::mentioned(&path, lines, agent, self.presence.roots());
            self.desks.notify_some([desk], desk::Event::Notice { message });
        }
        self.answer_desk(answer, agent.map(|_| None).ok_or(Refusal::NoAgentTakesFiles));
    }

    fn status(&self) -> Status {
        Status {
            agents: self.agents.list(),
            reviews: self.reviews.len(),
            paused: self.context.is_paused(),
            desks: self.desks.showing_reviews().len(),
            context: self.context.shared_files(),
            grants: self.rules.grants(),
            ..self.presence.status()
        }
    }

    /// Sends desks the status if it has changed. Changes in quick succession share one status.
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

    /// Starts a scan of the files that agents may know of, on a thread.
    fn scan_files(&mut self) {
        if let Some(scan) = self.context.begin_scan() {
            let roots = self.presence.roots().to_vec();
            let (watch, own_directories) = self.disk.watch();
            self.background.scan_files(scan, roots, watch, own_directories);
        }
    }

    fn apply_context(&mut self, context: IdeContext, scan_again: bool) {
        self.mark_dirty_reviews();
        self.agents.set_context(context);
        if scan_again {
            self.scan_files();
        }
    }

    fn mark_dirty_reviews(&mut self) {
        for changed in self.reviews.mark_dirty(|path, real| self.context.is_dirty(path, real)) {
            self.desks.notify(desk::Event::Changed(changed));
        }
        self.with_turns(|turns, surroundings| turns.mark_dirty(surroundings));
    }

    // Turn reviews.

    fn handle_turn_request(&mut self, desk: DeskId, request: TurnRequest, answer: CallAnswer) {
        self.with_turns(|turns, surroundings| turns.take_request(desk, request, answer, surroundings));
    }

    fn note_for_turns(&mut self, note: FileNote) {
        self.with_turns(|turns, _| turns.note(note));
    }

    /// Runs a step of the turn reviews, and carries out its effects.
    fn with_turns(&mut self, step: impl FnOnce(&mut Turns, &mut Surroundings<'_>)) {
        let is_dirty = |path: &str, real: &Path| self.context.is_dirty(path, real);
        step(&mut self.turns, &mut Surroundings { is_dirty: &is_dirty, reviews: &mut self.reviews });
        for effect in self.turns.take_effects() {
            match effect {
                TurnEffect::Run(job) => self.background.run_turn_job(*job),
                TurnEffect::WatchAgent(pid) => self.background.watch_agent(pid),
                TurnEffect::Send(desks, event) => self.desks.send_at_once(&desks, &event),
                // The journal holds no turn review, so the answer need not wait for it.
                TurnEffect::Answer(answer, revision) => {
                    drop(answer.send(revision.map(|revision| Revised { revision })));
                }
            }
        }
    }

    // The editor, and how agents find it.

    /// Writes the discovery files, unless the companion is hidden.
    fn publish(&self, focused: bool, done: Option<oneshot::Sender<Vec<Problem>>>) {
        if self.presence.is_hidden() {
            if let Some(done) = done {
                let _ = done.send(Vec::new());
            }
            return;
        }
        self.background.writer.send(WriteJob::Publish {
            roots: self.presence.roots().to_vec(),
            focused,
            done,
        });
    }

    fn end_publishing(&mut self, result: PublishResult, asked: bool) {
        let (new, over) = self.presence.mark_published(result);
        if !asked {
            for problem in new {
                self.desks.notify_problem(problem);
            }
        }
        if !over.is_empty() {
            self.desks.forget_problems(&over);
            let what = "every agent can find this companion by itself again";
            self.desks.notify_problem(Problem::without_hint(what));
        }
    }

    fn set_editors(&mut self, editors: Vec<Editor>, answer: oneshot::Sender<Vec<Problem>>) {
        if let Some(used_last) = editors.first() {
            self.presence.set_editor(used_last.pid);
            self.background.writer.send(WriteJob::SetEditors(editors));
        }
        self.publish(true, Some(answer));
    }

    /// Rejects the reviews because every editor has left, and hides the companion from agents.
    fn hide(&mut self, done: oneshot::Sender<()>) {
        self.presence.hide();
        self.end_all_reviews(Closing::EditorGone);
        self.context.forget_all();
        self.background.writer.send(WriteJob::Withdraw(done));
    }

    // The journal.

    fn hands_over(&self) -> bool {
        self.shutdown.as_ref().is_some_and(|shutdown| shutdown.hands_over)
    }

    /// Writes the journal, and after it sends the answers that wait for the journal and for drafts.
    fn write_journal(&mut self) {
        if self.hands_over() {
            return;
        }
        if let Some(next) = self.recovery.next_write() {
            self.begin_write(next);
        }
    }

    fn end_journal_write(&mut self, error: Option<String>) {
        let (written, problem) = self.recovery.end_write(error);
        self.agents.mark_recorded(written);
        if let Some(problem) = problem {
            self.desks.notify_problem(problem);
        }
    }

    fn begin_write(&mut self, next: NextWrite) {
        let changes = next.outdated.map(|outdated| self.journal_changes(outdated));
        self.background.writer.send(WriteJob::WriteJournal(changes, next.answers));
    }

    fn journal_changes(&mut self, outdated: Outdated) -> JournalChanges {
        let (is_all, last_review) = (outdated.all, self.reviews.last());
        let (mut sessions, ended_ids) = self.agents.begin_recording(outdated);
        for known in &mut sessions {
            known.undecided = self.reviews.undecided(&known.id);
            known.last_review = last_review;
        }
        let handed_over = self.hands_over();
        let journal = Journal { last_review, handed_over, sessions, ..self.presence.journal() };
        JournalChanges { journal, ended_ids, is_all }
    }

    // The end.

    fn stop(&mut self, done: oneshot::Sender<()>) {
        if let Some(shutdown) = &mut self.shutdown {
            shutdown.done.push(done);
            return;
        }
        let deadline = Instant::now() + RECEIPT_TIMEOUT;
        self.shutdown = Some(Shutdown { deadline, done: vec![done], hands_over: false });
        self.agents.release_outcomes();
        self.end_all_reviews(Closing::Stopped);
    }

    fn is_shut_down(&self) -> bool {
        let is_settled = || self.agents.are_settled() && self.desks.has_sent_all();
        self.shutdown.as_ref().is_some_and(|shutdown| is_settled() || shutdown.deadline <= Instant::now())
    }

    fn finish(mut self) -> (WriterTask, Option<Shutdown>) {
        let last = self.recovery.last_write(self.hands_over());
        self.begin_write(last);
        self.notify_status_now();
        self.desks.finish();
        self.last_words.close();
        // Dropping the sessions ends their streams.
        self.agents.cut_streams(self.hands_over());
        (self.background.writer, self.shutdown)
    }
}

/// Waits for a deadline. Without a deadline, never returns.
async fn sleep_until(deadline: Option<Instant>, timer: &PreciseTimer) {
    match deadline {
        // Tests run on a paused clock, which only Tokio's timers follow.
        Some(deadline) if cfg!(test) => tokio::time::sleep_until(deadline).await,
        Some(deadline) => timer.until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
