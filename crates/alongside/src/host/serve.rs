//! The host's loop: lets desks in, and does what the [rules](super::life) say follows when they come and go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_companion::{Companion, Editor, Workspace};
use alongside_desk::socket::{
    Arrival, ClientInfo, Goodbye, Hello, Host, Owner, PROTOCOL, Report, Role, Welcome,
};
use alongside_desk::{Desk, Problem, Request};
use alongside_platform::watch::Watch;
use interprocess::local_socket::tokio::{Listener, Stream, prelude::*};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::VERSION;
use super::life::{Life, Party, Step};
use super::registry::{Entry, Registry};
use super::visit::{Event, Seated, receive_and_serve};
use crate::companions;
use crate::saved::{self, Filter};
use crate::settings::Settings;
use crate::signals::{self, Signals};

/// How often at most a focus is written down.
const FOCUS_EVERY_MS: u64 = 1000;
/// How soon it is looked whether we can still be found, once something has changed where our files are.
const LOOK_AFTER: Duration = Duration::from_millis(500);
/// How often the loop wakes where nobody tells of changes, and while time runs out for somebody.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// If it wakes so much later, it could not: the process was stopped, or the machine.
const STOOD_STILL: Duration = Duration::from_secs(5);
/// How long desks may take to hear the last things.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A running host.
pub(super) struct Serving {
    companion: Companion,
    entry: Entry,
    registry: Registry,
    settings: Settings,
    /// Projects of which agents are told nothing, for their own settings cannot be read.
    untold: Vec<PathBuf>,
    life: Life,
    last: u64,
    /// Watches saved files while no editor tells more.
    saved: Option<AbortHandle>,
    /// The desks that have told what is open, while they are there.
    telling: BTreeSet<u64>,
    /// Said to desks that are still there when all is over.
    goodbye: watch::Sender<Option<Goodbye>>,
    /// When it is looked next whether we can be found; `None` while nothing can have changed, and nobody's
    /// time runs out.
    look: Option<Instant>,
    /// No desk can find us, and that was said.
    unfound: bool,
}

impl Serving {
    pub(super) fn new(
        companion: Companion,
        entry: Entry,
        registry: Registry,
        settings: Settings,
        untold: Vec<PathBuf>,
        starter: u32,
    ) -> Self {
        let now = Instant::now();
        let life = Life::begin(entry.owner.clone(), starter, now);
        Self {
            companion,
            entry,
            registry,
            settings,
            untold,
            life,
            last: 0,
            saved: None,
            telling: BTreeSet::new(),
            goodbye: watch::Sender::new(None),
            look: Some(now),
            unfound: false,
        }
    }

    /// Serves until the rules, a signal or a successor end it.
    pub(super) async fn run(mut self, mut listener: Listener, mut signals: Signals) {
        let (events, mut inbox) = mpsc::unbounded_channel();
        let mut visitors = JoinSet::new();
        self.watch_saved_files();
        tokio::spawn(report_foreign(self.companion.observe(), self.entry.roots.clone()));
        let watch = Watch::begin();
        let (how, asked) = loop {
            self.notice_standing_still();
            let deadline = self.life.deadline();
            if self.life.counts(Instant::now()) || self.unfound || watch.is_deaf() {
                self.look.get_or_insert(Instant::now() + LOOK_EVERY);
            }
            let steps = tokio::select! {
                stream = listener.accept() => {
                    match stream {
                        Ok(stream) => drop(visitors.spawn(receive_and_serve(stream, events.clone(), self.goodbye.subscribe()))),
                        Err(error) => {
                            // Out of descriptors, most likely: some may be free in a moment.
                            tracing::warn!(%error, "cannot let somebody in");
                            tokio::time::sleep(Duration::from_millis(100)).await;
                        }
                    }
                    continue;
                }
                Some(_) = visitors.join_next() => continue,
                event = inbox.recv() => match event {
                    Some(Event::Arrived { hello, seated }) => self.arrived(&hello, seated),
                    Some(Event::Parted { id, left, ends }) => {
                        self.telling.remove(&id);
                        self.watch_saved_files();
                        let steps = self.life.parted(id, left, Instant::now());
                        let _ = ends.send(steps.contains(&Step::End));
                        steps
                    }
                    Some(Event::Focused) => {
                        self.focused();
                        continue;
                    }
                    Some(Event::TellsContext(id)) => {
                        if self.telling.insert(id) {
                            self.watch_saved_files();
                        }
                        continue;
                    }
                    Some(Event::RootsChanged { added, removed }) => {
                        self.change_roots(added, &removed).await;
                        continue;
                    }
                    Some(Event::Curious(answer)) => {
                        let _ = answer.send(self.report().await);
                        continue;
                    }
                    Some(Event::End { how, arrival }) => break (how, Some(arrival)),
                    // We hold a sender ourselves.
                    None => break (Goodbye::Stopped, None),
                },
                () = watch.changed(), if self.look.is_none() => {
                    // Those who take something away do so in many steps.
                    self.look = Some(Instant::now() + LOOK_AFTER);
                    continue;
                }
                () = until(self.look) => {
                    self.notice_standing_still();
                    self.look = None;
                    watch.set([self.registry.directory().to_owned()].into());
                    if let Some(new) = self.look_after_our_files() {
                        listener = new;
                    }
                    continue;
                }
                () = until(deadline) => {
                    self.notice_standing_still();
                    self.life.due(Instant::now())
                }
                () = owner_ends(self.life.owner().filter(|_| !self.life.is_hidden())) => {
                    tracing::info!("the editor's process has ended");
                    self.life.owner_gone(Instant::now())
                }
                signal = signals.next() => {
                    // The terminal that went away is not ours.
                    if signal == signals::HANGUP {
                        continue;
                    }
                    tracing::info!(signal, "asked to end");
                    vec![Step::End]
                }
            };
            if self.carry_out(steps).await {
                break (Goodbye::Stopped, None);
            }
        };
        self.end(how, asked).await;
        // Everybody hears what became of the reviews, and the goodbye.
        let last_words = async { while visitors.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_WORDS, last_words).await;
    }

    /// Nobody was let in for a while, and who came meanwhile waits at the socket: everybody still has the
    /// time they had.
    fn notice_standing_still(&mut self) {
        let now = Instant::now();
        let Some(look) = self.look else { return };
        let gap = now.saturating_duration_since(look);
        if gap >= STOOD_STILL {
            tracing::info!(?gap, "nothing could be done for a while");
            self.life.stood_still(gap);
            self.look = Some(now);
        }
    }

    /// Has desks find us, whatever was removed. Returns what they are to be heard at from now on.
    fn look_after_our_files(&mut self) -> Option<Listener> {
        match self.registry.put_back(&self.entry) {
            Ok(listener) => {
                if std::mem::take(&mut self.unfound) {
                    let what = "further desks can join this companion again".into();
                    self.companion.observe().send(Request::Report(Problem { what, hint: None }));
                }
                listener
            }
            Err(error) => {
                if !std::mem::replace(&mut self.unfound, true) {
                    tracing::error!("{error:#}");
                    let what = format!("no further desk can join this companion: {error:#}");
                    let hint = "It is tried again every second. See that there is room, and that the directory is yours and \
                                writable; or set XDG_RUNTIME_DIR to another one for whatever starts next.";
                    let hint = Some(hint.into());
                    self.companion.observe().send(Request::Report(Problem { what, hint }));
                }
                None
            }
        }
    }

    fn arrived(&mut self, hello: &Hello, seated: oneshot::Sender<Seated>) -> Vec<Step> {
        self.last += 1;
        let id = self.last;
        let terms = &hello.initialization_options.alongside;
        tracing::info!(desk = id, name = hello.client_info.name, role = ?terms.role, owner = ?terms.owner, "a desk joins");
        let desk = match terms.role {
            Role::Desk => self.companion.join(),
            Role::Keeper => self.companion.observe(),
        };
        let host = Host {
            protocol: PROTOCOL,
            name: self.entry.name.clone(),
            pid: std::process::id(),
            roots: self.entry.roots.clone(),
            port: self.companion.port(),
            addresses: self.companion.addresses().to_vec(),
            token: self.companion.token().to_owned(),
        };
        let server_info = ClientInfo { name: "alongside".into(), version: VERSION.into() };
        let welcome = Welcome { server_info, alongside: host, ..Welcome::default() };
        let party = Party { pid: hello.process_id, role: terms.role, owner: terms.owner.clone() };
        let steps = self.life.joined(id, party);
        // A desk that is gone already parts like any other.
        if seated.send(Seated { id, desk, welcome }).is_err() {
            return [steps, self.life.parted(id, false, Instant::now())].concat();
        }
        if terms.role == Role::Desk {
            self.focused();
        }
        steps
    }

    /// Carries out what the rules say; true if the host ends.
    async fn carry_out(&mut self, steps: Vec<Step>) -> bool {
        for step in steps {
            tracing::info!(?step, "the host");
            match step {
                Step::ShowAs(owner) => {
                    let desk = self.companion.observe();
                    for problem in self.companion.set_editor(editor(&owner)).await {
                        desk.send(Request::Report(problem));
                    }
                }
                Step::Hide => self.companion.hide().await,
                Step::End => return true,
            }
            self.entry.owner = self.life.owner().cloned();
            self.entry.hidden = self.life.is_hidden();
            self.write_entry();
            self.watch_saved_files();
        }
        false
    }

    /// Saved files tell what a person works on, as long as no editor does, and no other desk: they know the
    /// cursor.
    fn watch_saved_files(&mut self) {
        let wanted = self.settings.context && self.life.owner().is_none() && self.telling.is_empty();
        match (self.saved.take(), wanted) {
            (None, true) => {
                let mut roots = self.entry.roots.clone();
                roots.retain(|root| !self.untold.contains(root));
                let filter =
                    Filter::new(&roots, &self.settings.excludes(), self.settings.include_git_ignored);
                self.saved = Some(saved::start(self.companion.observe(), roots, filter));
            }
            (Some(watching), false) => watching.abort(),
            (watching, _) => self.saved = watching,
        }
    }

    /// The editor has opened or closed a project.
    async fn change_roots(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        let mut roots = self.entry.roots.clone();
        roots.retain(|root| !removed.contains(root));
        roots.extend(added);
        let mut seen = BTreeSet::new();
        roots.retain(|root| seen.insert(root.clone()));
        if roots == self.entry.roots {
            return;
        }
        let wrong = self.settings.visit(&roots);
        let untold: Vec<PathBuf> = wrong.iter().map(|(root, _)| root.clone()).collect();
        let workspace =
            Workspace { roots: roots.clone(), excludes: self.settings.excludes(), untold: untold.clone() };
        let problems = match self.companion.set_workspace(workspace).await {
            Ok(mut problems) => {
                tracing::info!(?roots, "the editor's projects have changed");
                self.entry.roots = roots;
                self.untold = untold;
                self.write_entry();
                self.saved.take().inspect(AbortHandle::abort);
                self.watch_saved_files();
                problems.extend(wrong.iter().map(|(root, error)| untold_problem(root, error)));
                problems
            }
            Err(error) => {
                // Nothing has changed.
                self.settings.visit(&self.entry.roots);
                vec![Problem { what: error.to_string(), hint: None }]
            }
        };
        let desk = self.companion.observe();
        for problem in problems {
            desk.send(Request::Report(problem));
        }
    }

    async fn report(&self) -> Report {
        Report {
            name: self.entry.name.clone(),
            version: VERSION.into(),
            owner: self.life.owner().cloned(),
            hidden: self.life.is_hidden(),
            status: self.companion.status().await,
        }
    }

    fn focused(&mut self) {
        let now = alongside_desk::now_ms();
        if now.saturating_sub(self.entry.focused_at) >= FOCUS_EVERY_MS {
            self.entry.focused_at = now;
            self.write_entry();
        }
    }

    /// What cannot be written is said and tried again by the next look.
    pub(super) fn write_entry(&self) {
        if let Err(error) = self.registry.write(&self.entry) {
            tracing::error!(%error, "cannot say who we are");
        }
    }

    /// Ends, and tells whoever asked for it when that is done.
    async fn end(self, how: Goodbye, asked: Option<Arrival<Stream>>) {
        match how {
            Goodbye::Stopped => self.companion.stop().await,
            Goodbye::HandedOver => self.companion.hand_over().await,
        }
        self.registry.remove(&self.entry);
        self.goodbye.send_replace(Some(how));
        if let Some(mut arrival) = asked {
            // Whoever asked may be gone.
            let _ = arrival.done().await;
        }
    }
}

/// A project says what shall be hidden in it, and nobody understands what.
pub(super) fn untold_problem(root: &Path, error: &anyhow::Error) -> Problem {
    let hint = format!(
        "Agents are told of no file in {} until its settings are right and it is opened again. Reviews work as ever.",
        root.display()
    );
    Problem { what: format!("{error:#}"), hint: Some(hint) }
}

fn editor(owner: &Owner) -> Editor {
    Editor { name: owner.name.clone(), display_name: owner.display_name.clone(), pid: owner.pid }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits until the owner's process has ended; for good if there is none to wait for.
async fn owner_ends(owner: Option<&Owner>) {
    match owner {
        Some(owner) => alongside_platform::process::ended(owner.pid).await,
        None => std::future::pending().await,
    }
}

/// Says which other companions serve the projects. Asking them may take a while, and nobody waits for it.
async fn report_foreign(desk: Desk, roots: Vec<PathBuf>) {
    for problem in companions::foreign(&roots).await {
        desk.send(Request::Report(problem));
    }
}
