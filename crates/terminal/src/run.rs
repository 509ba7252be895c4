//! The main loop. [`next_event`](MainLoop::next_event) waits for the first of all inputs,
//! [`handle`](MainLoop::handle) carries it out, and a frame is drawn when no input is left. The loop never
//! waits for a slow terminal or for the companion: a thread writes, and replies are events.

use std::collections::VecDeque;
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;

use alongside_desk::agent_setup::{AgentSetup, SetupReply};
use alongside_desk::{Desk, Event as CompanionEvent, Gone, Refusal, Request, Revised};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep, sleep_until, timeout};

use crate::app::App;
use crate::options::{Ending, UndoneText};
use crate::output::{AgentSearch, Effect, Purpose};
use crate::shown_frame::ShownFrame;
use crate::tty::screen::{Screen, ScreenEvent};
use crate::tty::signals::{SignalKind, Signals};

/// The time between two checks for a saved text in the file of an open editor.
const SAVED_TEXT_INTERVAL: Duration = Duration::from_secs(1);

/// The time after which a frame is drawn without an event, because the screen shows how long agents have been
/// connected. A frame is drawn earlier if an age of a turn changes.
const REDRAW_INTERVAL: Duration = Duration::from_secs(30);

/// The time between two searches for agents while no agent is connected: other programs may change settings.
const SEARCH_INTERVAL: Duration = Duration::from_secs(5);

/// The longest time for which a series of events may delay a frame.
const MAX_FRAME_DELAY: Duration = Duration::from_millis(50);

/// The time for which the desk waits for SIGHUP after an error of the terminal: a closed window causes both.
const HANGUP_TIMEOUT: Duration = Duration::from_millis(200);

/// The time for which a desk that a signal ends waits for the companion's reply to a saved text.
const UPLOAD_TIMEOUT: Duration = Duration::from_millis(500);

/// The time for which a desk that ends waits for writes of files of the project. Otherwise its process would
/// end in the middle of a write.
const WRITING_TIMEOUT: Duration = Duration::from_secs(5);

/// The inputs of the loop besides the companion and the screen, and settings of the environment.
pub(crate) struct Inputs {
    pub(crate) signals: Signals,
    /// Receives a value if a thread of this process panicked; the panic hook has restored the terminal.
    pub(crate) panicked: mpsc::UnboundedReceiver<()>,
    /// The person's editor, as a shell command.
    pub(crate) editor: String,
    /// Returns the time in ms since the Unix epoch.
    pub(crate) clock: fn() -> u64,
    /// Whether tmux is between the desk and the terminal.
    pub(crate) in_tmux: bool,
}

/// An event of the main loop.
#[expect(clippy::large_enum_variant, reason = "there is one event at a time, and nothing stores events")]
enum Event {
    Signal(SignalKind),
    Companion(CompanionEvent),
    /// The companion has stopped.
    CompanionGone,
    Reply(Purpose, Result<Revised, Refusal>),
    Screen(ScreenEvent),
    Setup(SetupReply),
    Pasted(Result<String, String>),
    /// Undos were taken back: for each file, success or the reason why it stays.
    TakenBack(Vec<(String, Result<(), String>)>),
    EditorEnded(io::Result<ExitStatus>),
    /// The open editor's file may have been saved.
    CheckForSavedText,
    /// The agents' settings may have changed.
    SearchForAgents,
    Panicked,
    /// Colours are ready, or an age on the screen has changed.
    OutOfDate,
    /// The screen is out of date, and a frame can be drawn.
    Draw,
}

struct MainLoop<'a, S> {
    desk: &'a mut Desk,
    app: &'a mut App,
    screen: &'a mut S,
    inputs: &'a mut Inputs,
    /// The replies to requests of the desk, and the results of other work.
    replies: mpsc::UnboundedReceiver<Event>,
    reply_to: mpsc::UnboundedSender<Event>,
    /// The content of the frame that is being written.
    shown_frame: Option<ShownFrame>,
    /// The time of the last frame.
    last_drawn: Instant,
    /// The time of the last search for agents to set up.
    last_search: Instant,
    /// The time since which a frame has been due and the screen ready for it.
    due_since: Option<Instant>,
    /// Whether the companion has stopped. The desk then stays only for an editor that is still open.
    companion_gone: bool,
}

/// Runs the desk until the person, a signal or the companion ends it.
///
/// # Errors
/// If the terminal cannot be used any more.
pub(crate) async fn run(
    desk: &mut Desk,
    app: &mut App,
    screen: &mut impl Screen,
    inputs: &mut Inputs,
) -> anyhow::Result<Ending> {
    let (reply_to, replies) = mpsc::unbounded_channel();
    let (shown_frame, due_since, last_drawn, last_search) = (None, None, Instant::now(), Instant::now());
    app.begin(last_drawn);
    let mut main_loop = MainLoop {
        desk,
        app,
        screen,
        inputs,
        replies,
        reply_to,
        shown_frame,
        last_drawn,
        last_search,
        due_since,
        companion_gone: false,
    };
    loop {
        let event = main_loop.next_event().await?;
        if let Some(ending) = main_loop.handle(event).await? {
            main_loop.wait_for_writes().await;
            return Ok(ending);
        }
        if main_loop.carry_out().await? {
            return Ok(Ending::Left);
        }
    }
}

impl<S: Screen> MainLoop<'_, S> {
    /// Waits for the next event. If several events are ready, the order below decides.
    async fn next_event(&mut self) -> io::Result<Event> {
        let is_due = self.app.out().is_frame_due() && self.screen.is_ready();
        self.due_since = self.due_since.filter(|_| is_due).or_else(|| is_due.then(Instant::now));
        if self.due_since.is_some_and(|since| since.elapsed() > MAX_FRAME_DELAY) {
            return Ok(Event::Draw);
        }
        let (app, signals) = (&mut *self.app, &mut self.inputs.signals);
        let has_editor = app.requests().pending().has_editor();
        let searches_for_agents = app.searches_in_background();
        let shows_ages = !app.out().is_frame_due() && app.requests().reviews().has_ages();
        let ages_hold = app.next_age().map_or(REDRAW_INTERVAL, Duration::from_millis).min(REDRAW_INTERVAL);
        let (editor_exit, coloured) = app.own_events();
        let from_screen = tokio::select! {
            biased;
            signal = signals.next() => return Ok(Event::Signal(signal)),
            event = self.desk.next(), if !self.companion_gone => {
                return Ok(event.map_or_else(|Gone| Event::CompanionGone, Event::Companion));
            }
            Some(reply) = self.replies.recv() => return Ok(reply),
            status = editor_exit => return Ok(Event::EditorEnded(status)),
            event = self.screen.next() => event,
            Some(()) = self.inputs.panicked.recv() => return Ok(Event::Panicked),
            () = coloured => return Ok(Event::OutOfDate),
            () = sleep(SAVED_TEXT_INTERVAL), if has_editor => return Ok(Event::CheckForSavedText),
            () = sleep_until(self.last_drawn + ages_hold), if shows_ages => return Ok(Event::OutOfDate),
            () = sleep_until(self.last_search + SEARCH_INTERVAL), if searches_for_agents => {
                return Ok(Event::SearchForAgents);
            }
            () = std::future::ready(()), if is_due => return Ok(Event::Draw),
        };
        match from_screen {
            Ok(event) => Ok(Event::Screen(event)),
            // A closed window causes an error of the terminal and a signal, in any order.
            Err(error) => timeout(HANGUP_TIMEOUT, signals.end()).await.map(Event::Signal).map_err(|_| error),
        }
    }

    /// Handles an event. Returns the reason for the end if the desk ends with this event.
    async fn handle(&mut self, event: Event) -> io::Result<Option<Ending>> {
        let has_editor = self.app.requests().pending().has_editor();
        match event {
            // The terminal also sends Ctrl-C to the open editor, for which it was meant.
            Event::Signal(SignalKind::Interrupt | SignalKind::Continued) if has_editor => {}
            Event::Signal(SignalKind::Interrupt) => return Ok(Some(Ending::Signal(2))),
            Event::Signal(SignalKind::End(signal)) => {
                self.upload_last_text().await;
                return Ok(Some(Ending::Signal(signal)));
            }
            Event::Signal(SignalKind::Continued) => {
                self.screen.take_back()?;
                self.app.out_mut().invalidate_keys();
            }
            Event::Companion(event) => self.app.take_event(event),
            Event::CompanionGone if has_editor => self.companion_gone = true,
            Event::CompanionGone => return Ok(Some(Ending::Gone)),
            Event::Reply(purpose, reply) => {
                // The events before the reply may have arrived since the last poll of the desk.
                while let Some(event) = self.desk.try_next() {
                    self.app.take_event(event);
                }
                self.app.take_reply(purpose, reply);
                // The editor has ended while its last text was on its way.
                if self.companion_gone && !self.app.requests().pending().has_editor() {
                    return Ok(Some(Ending::Gone));
                }
            }
            Event::Setup(reply) => self.app.take_setup(reply),
            Event::Pasted(pasted) => {
                let (reviews, out) = self.app.requests_mut().parts();
                reviews.turn_mut().take_pasted(pasted, out);
            }
            Event::TakenBack(back) => self.app.take_taken_back(&back),
            Event::Screen(ScreenEvent::Written) => {
                if let Some(shown_frame) = self.shown_frame.take() {
                    self.app.mark_shown(&shown_frame, Instant::now());
                }
            }
            Event::Screen(ScreenEvent::Resized) | Event::OutOfDate => self.app.out_mut().request_frame(),
            Event::Screen(ScreenEvent::Input(event)) => self.app.take_input(event, Instant::now()),
            Event::Screen(ScreenEvent::Nothing) => {}
            Event::EditorEnded(status) => {
                self.app.requests_mut().give_back_terminal();
                self.screen.take_back()?;
                self.app.requests_mut().editor_ended(status);
                if self.companion_gone {
                    return Ok(Some(Ending::Gone));
                }
            }
            Event::SearchForAgents => self.app.search_in_background(),
            Event::CheckForSavedText => self.app.requests_mut().upload_saved_text(),
            Event::Panicked => {
                self.screen.take_back()?;
                let out = self.app.out_mut();
                out.warn("A part of alongside failed. Ctrl-L redraws the screen; please report this.");
            }
            Event::Draw => self.draw()?,
        }
        Ok(None)
    }

    fn draw(&mut self) -> io::Result<()> {
        self.shown_frame = Some(self.app.arrange(self.screen.size(), (self.inputs.clock)()));
        self.screen.draw(self.app)?;
        self.last_drawn = Instant::now();
        Ok(())
    }

    /// Sends the saved text to the companion, as the desk ends, and waits a moment for the reply. Without a
    /// reply the text becomes a draft.
    async fn upload_last_text(&mut self) {
        self.app.requests_mut().upload_saved_text();
        let effects = self.app.out_mut().take_effects();
        send_requests(effects, self.desk, &self.reply_to);
        let is_under_way = |app: &App| app.requests().pending().has_text_under_way();
        self.handle_replies_while(is_under_way, UPLOAD_TIMEOUT).await;
    }

    /// Waits, as the desk ends, until the files of a finish, or of undos that are taken back, are written.
    /// Gives up after a while.
    async fn wait_for_writes(&mut self) {
        let is_writing = |app: &App| app.requests().reviews().turn().is_writing();
        self.handle_replies_while(is_writing, WRITING_TIMEOUT).await;
    }

    /// Handles replies, as the desk ends, while `is_under_way` holds, for `limit` at most.
    async fn handle_replies_while(&mut self, is_under_way: impl Fn(&App) -> bool, limit: Duration) {
        let all = async {
            while is_under_way(self.app)
                && let Some(event) = self.replies.recv().await
            {
                match event {
                    Event::Reply(purpose, reply) => self.app.take_reply(purpose, reply),
                    Event::TakenBack(back) => self.app.take_taken_back(&back),
                    _ => {}
                }
            }
        };
        let _ = timeout(limit, all).await;
    }

    /// Does the work that the state requests. Returns true if the person leaves the desk.
    async fn carry_out(&mut self) -> io::Result<bool> {
        for effect in self.app.out_mut().take_effects() {
            match effect {
                Effect::Ask(request, purpose) => send(self.desk, request, purpose, &self.reply_to),
                Effect::Copy(text) => self.screen.copy(&text)?,
                Effect::Paste(root) => self.paste(root),
                Effect::TakeBack(undone) => self.take_back(undone),
                Effect::Notify(file) => {
                    if let Some(how) = self.app.options().notify {
                        self.screen.notify(how.bytes(&file, self.inputs.in_tmux))?;
                    }
                }
                Effect::Redraw => {
                    self.screen.redraw()?;
                    self.app.out_mut().request_frame();
                }
                Effect::Stop => {
                    let stopped = self.screen.stop();
                    handle_companion_during(stopped, self.app, self.desk, &self.reply_to).await?;
                    self.app.out_mut().invalidate_keys();
                }
                Effect::SearchForAgents(search) => {
                    self.last_search = Instant::now();
                    self.set_up(|agents| {
                        let (offers, is_quick) = match search {
                            AgentSearch::Thorough => (agents.offers(), false),
                            AgentSearch::Quick => (agents.quick_offers(), true),
                        };
                        async move {
                            match offers.await {
                                offers if !offers.is_empty() || is_quick || agents.has_agent() => {
                                    SetupReply::Offers(offers)
                                }
                                _ => SetupReply::NoAgent,
                            }
                        }
                    });
                }
                Effect::SetAgentUp { id, preview } => self.set_up(|agents| {
                    let made = agents.make(&id, &preview);
                    async { SetupReply::Made(made.await) }
                }),
                Effect::Leave => return Ok(true),
                Effect::Edit => self.start_editor().await?,
            }
        }
        Ok(false)
    }

    /// Starts a step of the set-up of agents; its result is an event.
    fn set_up<F>(&self, start: impl FnOnce(Arc<dyn AgentSetup>) -> F)
    where
        F: Future<Output = SetupReply> + Send + 'static,
    {
        let Some(agents) = self.app.options().agent_setup.clone() else { return };
        let (reply, reply_to) = (start(agents), self.reply_to.clone());
        // A loop that has ended takes no replies.
        tokio::spawn(async move { drop(reply_to.send(Event::Setup(reply.await))) });
    }

    /// Starts to paste into the pane of an agent; the result is an event.
    fn paste(&self, root: String) {
        let (pane, reply_to) = (self.app.options().agent_pane.clone(), self.reply_to.clone());
        tokio::task::spawn_blocking(move || {
            let unknown = || Err("this desk knows no pane of an agent".to_owned());
            let pasted = pane.map_or_else(unknown, |pane| pane.paste(&root));
            // A loop that has ended takes no replies.
            drop(reply_to.send(Event::Pasted(pasted)));
        });
    }

    /// Starts to take undos back; the result is an event.
    fn take_back(&self, undone: Vec<UndoneText>) {
        let (program, reply_to) = (self.app.options().undo_back.clone(), self.reply_to.clone());
        tokio::task::spawn_blocking(move || {
            let unable = || Err("only `alongside drafts` takes an undo back here".to_owned());
            let done = match program {
                Some(program) => program.take_back(&undone),
                None => undone.iter().map(|_| unable()).collect(),
            };
            let back = undone.into_iter().map(|text| text.file).zip(done).collect();
            // A loop that has ended takes no replies.
            drop(reply_to.send(Event::TakenBack(back)));
        });
    }

    /// Opens the review on the screen in the person's editor, which gets the terminal.
    async fn start_editor(&mut self) -> io::Result<()> {
        let Some((id, note)) = self.app.requests_mut().begin_editing() else { return Ok(()) };
        let handed_over = self.screen.hand_over(&note);
        handle_companion_during(handed_over, self.app, self.desk, &self.reply_to).await;
        if !self.app.requests_mut().start_editor(id, &self.inputs.editor) {
            self.screen.take_back()?;
        }
        Ok(())
    }
}

/// Waits for `done`, a step of the terminal, and handles events of the companion meanwhile. So the terminal
/// delays no requests that follow from these events.
async fn handle_companion_during<T>(
    done: impl Future<Output = T>,
    app: &mut App,
    desk: &mut Desk,
    reply_to: &mpsc::UnboundedSender<Event>,
) -> T {
    tokio::pin!(done);
    loop {
        tokio::select! {
            biased;
            done = &mut done => return done,
            Ok(event) = desk.next() => {
                app.take_event(event);
                let effects = app.out_mut().take_effects();
                for other in send_requests(effects, desk, reply_to) {
                    app.out_mut().add_effect(other);
                }
            }
            else => return done.await,
        }
    }
}

/// Sends the requests among `effects`, and returns the other effects.
fn send_requests(
    effects: VecDeque<Effect>,
    desk: &Desk,
    reply_to: &mpsc::UnboundedSender<Event>,
) -> Vec<Effect> {
    let mut others = Vec::new();
    for effect in effects {
        match effect {
            Effect::Ask(request, purpose) => send(desk, request, purpose, reply_to),
            other => others.push(other),
        }
    }
    others
}

fn send(desk: &Desk, request: Request, purpose: Purpose, reply_to: &mpsc::UnboundedSender<Event>) {
    let reply = desk.send(request);
    let reply_to = reply_to.clone();
    tokio::spawn(async move {
        // A loop that has ended takes no replies.
        let _ = reply_to.send(Event::Reply(purpose, reply.await.unwrap_or(Err(Refusal::Stopped))));
    });
}
