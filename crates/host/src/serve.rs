//! The main loop of a host: waits for the next event, handles it, and carries out the steps that the
//! [lifecycle](super::lifecycle) returns, whose rules say how long the host lives.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_common::signals::{self, Signals};
use alongside_companion::{Companion, DeskId, DeskProfile, Editor};
use alongside_desk::socket::{EditorProcess, Goodbye, Hello, Peer, Report, Role};
use alongside_desk::{Desk, Request, SnapshotTaken};
use alongside_platform::watch::{self, Watch};
use futures_util::future::select_all;
use interprocess::local_socket::tokio::{Listener, Stream};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::connections::Connections;
use super::events::{ConnectedDesk, Event};
use super::lifecycle::{Departure, Lifecycle, Party, Step};
use super::presence::Presence;
use super::problem_reports::report;
use super::projects::Projects;
use super::registry_entry::VERSION;
use crate::companions;

/// The delay between a change in the directory of the host's files and the check that the host can be found.
/// Files are often removed in many steps.
const CHECK_DELAY: Duration = Duration::from_millis(500);
/// The time between two checks where the system reports no changes, and while the host waits for a party.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The delay of a check from which on the process or the machine counts as having been suspended.
const SUSPEND_THRESHOLD: Duration = Duration::from_secs(5);

/// A running host.
pub(super) struct RunningHost {
    companion: Companion,
    connections: Connections,
    signals: Signals,
    /// Reports changes in the directory of the host's files and in those of settings with mistakes.
    watch: Watch,
    lifecycle: Lifecycle,
    presence: Presence,
    projects: Projects,
    last_party: u64,
    /// For each party, the companion's id of it, and the names of the keeping parties that were last sent to
    /// it.
    parties: BTreeMap<u64, (DeskId, Vec<String>)>,
    /// The time of the next check that the host can be found; `None` while nothing can have changed, and the
    /// host waits for no party.
    next_check: Option<Instant>,
}

/// The end of a host.
struct Ending {
    how: Goodbye,
    /// The connection of the process that requested the end.
    requester: Option<Peer<Stream>>,
}

impl RunningHost {
    pub(super) fn new(
        companion: Companion,
        listener: Listener,
        signals: Signals,
        presence: Presence,
        projects: Projects,
        expected: Vec<Party>,
    ) -> Self {
        let now = Instant::now();
        Self {
            lifecycle: Lifecycle::begin(expected, now),
            companion,
            connections: Connections::new(listener),
            signals,
            watch: Watch::begin(),
            presence,
            projects,
            last_party: 0,
            parties: BTreeMap::new(),
            next_check: Some(now),
        }
    }

    /// Serves until the rules, a signal or a successor end it.
    pub(super) async fn run(mut self) {
        self.plan_save_watcher();
        tokio::spawn(report_other_companions(self.companion.observe(), self.presence.entry().roots.clone()));
        // After a crash, the host may wait for several editors.
        let steps = self.lifecycle.handle_deadline(Instant::now());
        let _ = self.carry_out(steps).await;
        let ending = loop {
            self.notice_suspension();
            self.plan_check();
            let event = self.next_event().await;
            if let ControlFlow::Break(ending) = self.handle(event).await {
                break ending;
            }
        };
        self.end(ending).await;
    }

    async fn next_event(&mut self) -> Event {
        tokio::select! {
            event = self.connections.next_event() => event,
            () = self.watch.changed(), if self.next_check.is_none() => Event::FilesChanged,
            () = until(self.next_check) => Event::CheckDue,
            () = until(self.lifecycle.deadline()) => Event::DeadlineDue,
            pid = one_ends(self.lifecycle.editor_processes()) => Event::EditorEnded(pid),
            pid = one_ends(self.lifecycle.expected_processes()) => Event::ExpectedEnded(pid),
            signal = self.signals.next() => Event::Signal(signal),
        }
    }

    async fn handle(&mut self, event: Event) -> ControlFlow<Ending> {
        let mut steps = Vec::new();
        match event {
            Event::JoinWanted { hello, answer } => steps = self.admit(&hello, answer).await,
            Event::Parted { id, departure, answer } => steps = self.remove_party(id, departure, answer),
            Event::Focused { id } => steps = self.focused(id),
            Event::ContextReported { id } => self.context_reported(id),
            Event::RootsChanged { id, added, removed } => self.change_roots(id, added, &removed),
            Event::ReportWanted(answer) => drop(answer.send(self.status_report().await)),
            Event::ReviewWanted { proposal, answer } => {
                // A hook that has ended needs no review.
                drop(answer.send(Box::pin(self.companion.review(proposal))));
            }
            Event::SnapshotTaken(SnapshotTaken { directory, kind }) => {
                tracing::info!(directory = %directory.display(), ?kind, "a hook has taken a snapshot");
                self.companion.snapshot_taken(directory);
            }
            Event::EndWanted { how, requester } => {
                return ControlFlow::Break(Ending { how, requester: Some(requester) });
            }
            Event::FilesChanged => self.next_check = Some(Instant::now() + CHECK_DELAY),
            Event::CheckDue => self.check().await,
            Event::DeadlineDue => steps = self.deadline_due(),
            Event::EditorEnded(pid) => steps = self.editor_ended(pid),
            Event::ExpectedEnded(pid) => self.expected_ended(pid),
            Event::Signal(signal) => steps = on_signal(signal),
        }
        self.carry_out(steps).await?;
        self.presence.set_parties(self.lifecycle.editors(), self.lifecycle.parties_without_editor());
        self.serve_roots().await;
        self.send_keepers();
        ControlFlow::Continue(())
    }

    /// Sends each party the names of the parties that keep the host when it leaves.
    fn send_keepers(&mut self) {
        for (id, (desk_id, sent)) in &mut self.parties {
            let kept_by = self.lifecycle.kept_by(*id);
            if *sent != kept_by {
                sent.clone_from(&kept_by);
                self.companion.set_kept_by(*desk_id, kept_by);
            }
        }
    }

    /// Moves every deadline if the loop could not run for a while: desks that came meanwhile wait at the
    /// socket, and each party keeps its remaining time.
    fn notice_suspension(&mut self) {
        let now = Instant::now();
        let Some(planned) = self.next_check else { return };
        let gap = now.saturating_duration_since(planned);
        if gap >= SUSPEND_THRESHOLD {
            tracing::info!(?gap, "the process or the machine was suspended");
            self.lifecycle.postpone(gap);
            self.next_check = Some(now);
        }
    }

    fn plan_check(&mut self) {
        let now = Instant::now();
        if self.lifecycle.is_waiting(now) || self.presence.is_unreachable() || self.watch.may_miss_changes() {
            self.next_check.get_or_insert(now + CHECK_INTERVAL);
        }
    }

    /// Checks all files on which the host depends.
    async fn check(&mut self) {
        self.notice_suspension();
        self.next_check = None;
        let directory = self.presence.directory().to_owned();
        let mut watched = self.projects.directories_with_mistakes();
        watched.insert(directory.clone());
        self.watch.set(watched);
        self.check_presence(&directory);
        let news = self.projects.read_again(&self.companion).await;
        report(&self.companion, news);
        self.plan_save_watcher();
    }

    fn check_presence(&mut self, directory: &Path) {
        let restored = self.presence.restore();
        if self.presence.directory() != directory {
            // The watch has to move to the new directory.
            self.next_check = Some(Instant::now() + CHECK_DELAY);
        }
        report(&self.companion, restored.problem);
        if let Some(listener) = restored.listener {
            self.connections.listen_at(listener);
        }
    }

    async fn admit(&mut self, hello: &Hello, answer: oneshot::Sender<ConnectedDesk>) -> Vec<Step> {
        self.last_party += 1;
        let id = self.last_party;
        let terms = &hello.initialization_options.alongside;
        let name = match hello.client_info.name.trim() {
            "" => "a desk".to_owned(),
            name => name.to_owned(),
        };
        tracing::info!(desk = id, name, role = ?terms.role, editor = ?terms.editor, "a desk joins");
        let (pid, editor, roots) = (hello.process_id, terms.editor.clone(), terms.roots.clone());
        let party = Party { pid, role: terms.role, name: name.clone(), editor, roots };
        let steps = self.lifecycle.joined(id, party, Instant::now());
        self.serve_roots().await;
        let welcome = self.presence.welcome(&self.companion);
        let kept_by = self.lifecycle.kept_by(id);
        let (desk_id, desk) = self.companion.join_as(DeskProfile {
            name: Some(name.clone()),
            observes: terms.role == Role::Keeper,
            diagnoses: terms.diagnostics,
            shows_turns: terms.turns,
            kept_by: Some(kept_by.clone()),
        });
        self.parties.insert(id, (desk_id, kept_by));
        // The party may have disconnected meanwhile. It is then removed as usual.
        if answer.send(ConnectedDesk { id, desk, welcome }).is_err() {
            self.parties.remove(&id);
            return [steps, self.lifecycle.parted(id, Departure::Vanished, Instant::now())].concat();
        }
        if terms.role == Role::Desk {
            self.presence.mark_focused();
        }
        steps
    }

    fn remove_party(&mut self, id: u64, departure: Departure, answer: oneshot::Sender<bool>) -> Vec<Step> {
        self.parties.remove(&id);
        self.projects.desk_parted(id);
        self.plan_save_watcher();
        let steps = self.lifecycle.parted(id, departure, Instant::now());
        let _ = answer.send(steps.contains(&Step::End));
        steps
    }

    fn context_reported(&mut self, id: u64) {
        self.projects.context_reported(id);
        self.plan_save_watcher();
    }

    fn focused(&mut self, id: u64) -> Vec<Step> {
        self.presence.mark_focused();
        self.lifecycle.focused(id, Instant::now())
    }

    fn change_roots(&mut self, id: u64, added: Vec<PathBuf>, removed: &[PathBuf]) {
        self.lifecycle.change_roots(id, added, removed);
        self.projects.close(removed, self.lifecycle.roots());
    }

    /// Serves the projects of all parties.
    async fn serve_roots(&mut self) {
        if self.projects.is_following(self.lifecycle.roots()) {
            return;
        }
        let theirs = self.lifecycle.roots().cloned().collect();
        let (roots, problems) = self.projects.follow(&self.companion, theirs).await;
        if let Some(roots) = roots {
            self.presence.set_roots(roots);
            self.plan_save_watcher();
        }
        report(&self.companion, problems);
        // The check also watches for corrections of the settings of a new project.
        self.next_check.get_or_insert(Instant::now());
    }

    fn deadline_due(&mut self) -> Vec<Step> {
        self.notice_suspension();
        self.lifecycle.handle_deadline(Instant::now())
    }

    fn editor_ended(&mut self, pid: u32) -> Vec<Step> {
        tracing::info!(pid, "the process of an editor has ended");
        self.lifecycle.editor_ended(pid, Instant::now())
    }

    fn expected_ended(&mut self, pid: u32) {
        tracing::info!(pid, "the process of a desk that has not joined yet has ended");
        self.lifecycle.expected_ended(pid);
    }

    async fn carry_out(&mut self, steps: Vec<Step>) -> ControlFlow<Ending> {
        for step in steps {
            tracing::info!(?step, "carrying out a lifecycle step");
            match step {
                Step::Publish(editors) => {
                    let problems = self.companion.set_editors(editors.iter().map(editor).collect()).await;
                    report(&self.companion, problems);
                }
                Step::Hide => self.companion.hide().await,
                Step::End => return ControlFlow::Break(Ending { how: Goodbye::Stopped, requester: None }),
            }
            self.plan_save_watcher();
        }
        ControlFlow::Continue(())
    }

    fn plan_save_watcher(&mut self) {
        self.projects.plan_save_watcher(&self.companion, !self.lifecycle.editors().is_empty());
    }

    async fn status_report(&self) -> Report {
        Report {
            name: self.presence.entry().name.clone(),
            version: VERSION.into(),
            editors: self.lifecycle.editors(),
            hidden: self.lifecycle.is_hidden(),
            seconds_left: self.lifecycle.time_left(Instant::now()).map(|left| left.as_secs()),
            kept_by: self.lifecycle.member_names(),
            status: self.companion.status().await,
        }
    }

    /// Ends the companion, then reports the end to the process that requested it. Nothing is watched
    /// meanwhile.
    async fn end(self, ending: Ending) {
        watch::end(self.watch);
        match ending.how {
            Goodbye::Stopped => self.companion.stop().await,
            Goodbye::HandedOver => self.companion.hand_over().await,
        }
        self.presence.remove();
        self.connections.say_goodbye(ending.how);
        if let Some(mut requester) = ending.requester {
            let _ = requester.done().await;
        }
        self.connections.finish().await;
    }
}

fn editor(process: &EditorProcess) -> Editor {
    let EditorProcess { pid, name, display_name, .. } = process.clone();
    Editor { name, display_name, pid }
}

fn on_signal(signal: i32) -> Vec<Step> {
    // A host belongs to no terminal, so it ignores the closing of a terminal.
    if signal == signals::HANGUP {
        return Vec::new();
    }
    tracing::info!(signal, "asked to end");
    vec![Step::End]
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits until one of these processes has ended, and returns its id. Never returns if the list is empty.
async fn one_ends(processes: Vec<u32>) -> u32 {
    let end = |pid| {
        Box::pin(async move {
            alongside_platform::process::ended(pid).await;
            pid
        })
    };
    match processes.is_empty() {
        true => std::future::pending().await,
        false => select_all(processes.into_iter().map(end)).await.0,
    }
}

/// Reports other companions that serve the projects. This runs in the background, because their answers take
/// a while.
async fn report_other_companions(desk: Desk, roots: Vec<PathBuf>) {
    for problem in companions::foreign(&roots).await {
        desk.send(Request::Report(problem));
    }
}
