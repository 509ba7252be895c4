//! One editor from its first message to its last. One loop owns everything; it waits for nobody.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_desk::socket::{MISMATCH, PROTOCOL};
use alongside_desk::{Desk, Event, Problem, Request};
use lsp_server::{Connection, ErrorCode, Message, RequestId};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::{Client, projects, tidy};
use crate::io::{self, Asked, Inbox, Io, Told};
use crate::plain::Plain;
use crate::plugin::{self, Plugin};
use crate::uri;

pub(crate) mod fuzzing;

/// How long lies between two attempts to reach a companion that cannot be reached, or was stopped.
const NOT_SOONER_THAN: Duration = Duration::from_secs(2);

/// What LSP answers before `initialize`.
const NOT_INITIALIZED: i64 = ErrorCode::ServerNotInitialized as i64;
const METHOD_NOT_FOUND: i64 = ErrorCode::MethodNotFound as i64;

/// Serves an editor until it is gone. `reach` finds the companion of its projects, or starts it; where that
/// fails, the person is told, and it is tried again when they do something. `here` is where the editor
/// started us, `version` this program's. Proposals are shown as files below `own`, which is private and has
/// no links in its name; without it they cannot be shown. Needs a Tokio runtime.
pub async fn run(
    connection: Connection,
    here: PathBuf,
    version: &str,
    own: Option<PathBuf>,
    reach: impl AsyncFn(Client) -> Result<Desk, Problem>,
) {
    let (mut inbox, mut io) = io::open(connection);
    let Some(mut client) = introduced(&mut inbox, &io, &here, version).await else { return };
    // An editor that shows a proposal may take its directory for a project.
    client.roots.retain(|root| !own.as_ref().is_some_and(|own| root.starts_with(own)));
    if client.roots.is_empty() {
        client.roots = projects(vec![here]);
    }
    tracing::info!(name = client.name, version = client.version, pid = client.process_id, roots = ?client.roots, "an editor");
    let front = match client.protocol {
        Some(_) => Front::Plugin(Plugin::default()),
        None => Front::Plain(Box::new(Plain::new(&client, own))),
    };
    let mut session = Session { client, front, ready: false, shut: false, complained: None, untold: None };
    let mut reaching = Some(Box::pin(reach(session.client.clone())));
    let mut reached_for = session.client.roots.clone();
    // When it is tried next, and not sooner than when: it is, as soon as the person does something.
    let (mut wanted, mut not_before) = (None, Instant::now());
    loop {
        let due = [session.front.deadline(), io.deadline()].into_iter().flatten().min();
        tokio::select! {
            message = inbox.recv() => {
                let Some(message) = message else { return };
                let over = session.heard(&mut io, message);
                if over {
                    return;
                }
                if io.desk.is_none() && reaching.is_none() && !session.shut {
                    wanted = Some(not_before);
                }
            }
            () = until(wanted) => {
                wanted = None;
                reaching = Some(Box::pin(reach(session.client.clone())));
                reached_for.clone_from(&session.client.roots);
            }
            reached = end_of(reaching.as_mut()) => {
                (reaching, wanted) = (None, None);
                not_before = Instant::now() + NOT_SOONER_THAN;
                match reached {
                    Ok(desk) => {
                        io.desk = Some(desk);
                        session.complained = None;
                        session.front.joined(&mut io);
                        session.tell_roots(&mut io, &reached_for);
                    }
                    Err(problem) => session.complain(&mut io, problem),
                }
            }
            // Before `initialized` an editor may be told nothing.
            told = io.told(), if session.ready && !session.shut => match told {
                Told::Event(event) => session.front.told(&mut io, *event),
                Told::Answer(asked, answer) => session.front.answered(&mut io, asked, answer),
                Told::Gone => {
                    io.desk = None;
                    not_before = Instant::now() + NOT_SOONER_THAN;
                    session.front.gone(&mut io);
                }
            },
            () = until(due) => {
                let now = Instant::now();
                for number in io.unanswered(now) {
                    session.front.replied(&mut io, number, None);
                }
                session.front.due(&mut io, now);
            }
        }
    }
}

async fn end_of<F: Future + Unpin>(future: Option<&mut F>) -> F::Output {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Answers `initialize`. `None` if the editor left, or speaks a version of the desk protocol that we do not.
async fn introduced(inbox: &mut Inbox, io: &Io, here: &Path, version: &str) -> Option<Client> {
    loop {
        match inbox.recv().await? {
            Message::Request(request) if request.method == "initialize" => {
                let client = Client::read(&request.params, here);
                if let Some(theirs) = client.protocol.filter(|theirs| *theirs != PROTOCOL) {
                    io.refuse(request.id, MISMATCH, mismatch(theirs, version), None);
                    // It goes on only after the person has mended that.
                    continue;
                }
                let capabilities = match client.protocol {
                    Some(_) => plugin::capabilities(&client),
                    None => Plain::capabilities(&client),
                };
                let server = json!({ "name": "alongside", "version": version });
                io.reply(request.id, json!({ "capabilities": capabilities, "serverInfo": server }));
                return Some(client);
            }
            Message::Request(request) => {
                io.refuse(request.id, NOT_INITIALIZED, "the first request must be `initialize`", None);
            }
            Message::Notification(notification) if notification.method == "exit" => return None,
            _ => {}
        }
    }
}

/// What the person is told when somebody has stopped the companion.
pub(crate) fn stopped() -> Problem {
    Problem {
        what: "the companion has stopped".into(),
        hint: Some(
            "it starts again as soon as you go on in the editor; agents find it with `/ide enable`".into(),
        ),
    }
}

fn mismatch(theirs: u32, version: &str) -> String {
    if theirs < PROTOCOL {
        format!("the editor's plugin is older than alongside {version}: update the plugin")
    } else {
        format!("the editor's plugin is newer than alongside {version}: update the program")
    }
}

/// The two ways of being a desk.
enum Front {
    Plugin(Plugin),
    Plain(Box<Plain>),
}

struct Session {
    client: Client,
    front: Front,
    /// The editor may be spoken to.
    ready: bool,
    /// The editor has said `shutdown`.
    shut: bool,
    /// What the person was told last about why there is no companion.
    complained: Option<Problem>,
    /// What the person is to be told as soon as the editor may be spoken to.
    untold: Option<Problem>,
}

impl Session {
    /// Takes in a message; true if it was the last.
    fn heard(&mut self, io: &mut Io, message: Message) -> bool {
        match message {
            Message::Notification(notification) => match notification.method.as_str() {
                "exit" => return true,
                "initialized" => {
                    self.ready = true;
                    if let Some(problem) = self.untold.take() {
                        self.front.told(io, Event::Problem(problem));
                    }
                }
                "workspace/didChangeWorkspaceFolders" => self.roots_changed(io, &notification.params),
                method => self.front.notified(io, method, notification.params),
            },
            Message::Request(request) => match request.method.as_str() {
                "shutdown" => {
                    self.shut = true;
                    self.front.leaving(io);
                    io.reply(request.id, Value::Null);
                }
                method => {
                    let method = method.to_owned();
                    if !self.front.requested(io, &request.id, &method, request.params) {
                        io.refuse(
                            request.id,
                            METHOD_NOT_FOUND,
                            format!("there is no method {method:?}"),
                            None,
                        );
                    }
                }
            },
            Message::Response(response) => match io.answered(&response.id) {
                Some(number) => self.front.replied(io, number, response.response_result.ok()),
                None => {
                    if let Front::Plugin(plugin) = &self.front {
                        plugin.flushed(io, &response.id);
                    }
                }
            },
        }
        false
    }

    fn roots_changed(&mut self, io: &mut Io, params: &Value) {
        let folders = |pointer: &str| -> Vec<PathBuf> {
            let folders = params.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
            let paths = folders.filter_map(|folder| uri::to_path(folder.get("uri")?.as_str()?));
            let paths = paths.map(|path| tidy(&path)).filter(|path| !self.front.is_own(path)).collect();
            if self.client.protocol.is_some() { paths } else { projects(paths) }
        };
        let (added, mut removed) = (folders("/event/added"), folders("/event/removed"));
        // Of two folders in one project, one may stay.
        removed.retain(|root| !added.contains(root));
        let roots = &mut self.client.roots;
        roots.retain(|root| !removed.contains(root));
        let added: Vec<_> = added.into_iter().filter(|root| root.is_dir() && !roots.contains(root)).collect();
        roots.extend(added.iter().cloned());
        if io.desk.is_some() && (!added.is_empty() || !removed.is_empty()) {
            io.request(Asked::Nobody, Request::ChangeRoots { added, removed });
        }
    }

    /// Tells a companion of the projects that were opened and closed while it was reached.
    fn tell_roots(&self, io: &mut Io, known: &[PathBuf]) {
        let without = |roots: &[PathBuf], others: &[PathBuf]| -> Vec<PathBuf> {
            roots.iter().filter(|root| !others.contains(root)).cloned().collect()
        };
        let (added, removed) = (without(&self.client.roots, known), without(known, &self.client.roots));
        if !added.is_empty() || !removed.is_empty() {
            io.request(Asked::Nobody, Request::ChangeRoots { added, removed });
        }
    }

    /// Says why there is no companion, once for each reason.
    fn complain(&mut self, io: &mut Io, problem: Problem) {
        tracing::error!(%problem, "there is no companion");
        if self.complained.as_ref() != Some(&problem) {
            self.complained = Some(problem.clone());
            match self.ready {
                true => self.front.told(io, Event::Problem(problem)),
                false => self.untold = Some(problem),
            }
        }
    }
}

impl Front {
    fn joined(&mut self, io: &mut Io) {
        match self {
            Self::Plugin(plugin) => plugin.joined(io),
            Self::Plain(plain) => plain.joined(io),
        }
    }

    fn notified(&mut self, io: &mut Io, method: &str, params: Value) {
        match self {
            Self::Plugin(plugin) => drop(plugin.heard(io, None, method, params)),
            Self::Plain(plain) => plain.notified(io, method, params),
        }
    }

    /// False if there is no such request.
    fn requested(&mut self, io: &mut Io, id: &RequestId, method: &str, params: Value) -> bool {
        match self {
            Self::Plugin(plugin) => plugin.heard(io, Some(id), method, params),
            Self::Plain(plain) => plain.requested(io, id, method, params),
        }
    }

    /// The editor has answered one of our questions, with an error or not at all if there is no result.
    fn replied(&mut self, io: &mut Io, number: i32, result: Option<Value>) {
        match self {
            Self::Plugin(_) => {}
            Self::Plain(plain) => plain.replied(io, number, result),
        }
    }

    fn told(&mut self, io: &mut Io, event: Event) {
        match self {
            Self::Plugin(plugin) => plugin.told(io, &event),
            Self::Plain(plain) => plain.told(io, event),
        }
    }

    fn answered(
        &mut self,
        io: &mut Io,
        asked: Asked,
        answer: Result<alongside_desk::Revised, alongside_desk::Refusal>,
    ) {
        match (self, asked) {
            (Self::Plugin(plugin), Asked::Plugin(id)) => plugin.answered(io, id, answer),
            (Self::Plain(plain), asked) => plain.answered(io, asked, answer),
            (Self::Plugin(_), _) => {}
        }
    }

    /// The companion has stopped.
    fn gone(&mut self, io: &mut Io) {
        match self {
            Self::Plugin(plugin) => plugin.gone(io),
            Self::Plain(plain) => plain.gone(io),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Plugin(_) => None,
            Self::Plain(plain) => plain.deadline(),
        }
    }

    fn due(&mut self, io: &mut Io, now: Instant) {
        match self {
            Self::Plugin(_) => {}
            Self::Plain(plain) => plain.due(io, now),
        }
    }

    /// The editor is on its way out.
    fn leaving(&mut self, io: &Io) {
        match self {
            Self::Plugin(_) => {}
            Self::Plain(plain) => plain.leaving(io),
        }
    }

    /// Whether a directory is one of ours, which an editor may take for a project.
    fn is_own(&self, path: &Path) -> bool {
        match self {
            Self::Plugin(_) => false,
            Self::Plain(plain) => plain.is_own(path),
        }
    }
}
