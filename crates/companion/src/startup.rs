//! Starts a companion: takes over the sessions and reviews that a crash has left, listens, and writes the
//! discovery files.

mod adoption;
mod takeover;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use alongside_platform::{random, watch};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::agents::registry::Agents;
use crate::background::Background;
use crate::calls::hooks::Hooks;
use crate::calls::registry::Calls;
use crate::companion::Companion;
use crate::config::{Builder, StartError, Workspace};
use crate::context::open_files::OpenFiles;
use crate::context::privacy::Privacy;
use crate::context::tracker::ContextTracker;
use crate::desks::registry::Desks;
use crate::discovery::presence::Presence;
use crate::discovery::publisher::Publisher;
use crate::discovery::{locations, sweep};
use crate::disk_watch::DiskWatch;
use crate::endpoint::Endpoint;
use crate::events::{Event, Events};
use crate::hook_calls::HookCalls;
use crate::last_words::registry::LastWords;
use crate::main_loop::{MainLoop, Shutdown};
use crate::mcp::listening::gate::Gate;
use crate::mcp::listening::listener::Listener;
use crate::mcp::listening::ports::{self, BoundPort};
use crate::mcp::server::Server;
use crate::mcp::transport::routes::router;
use crate::persistence::app_dirs::AppDirs;
use crate::persistence::drafts::Drafts;
use crate::persistence::journal;
use crate::persistence::recovery::Recovery;
use crate::persistence::recovery_store;
use crate::reviews::proposal_queue::ProposalQueue;
use crate::reviews::registry::Reviews;
use crate::rules::book::RuleBook;
use crate::rules::evaluation::Rules;
use crate::turns::registry::Turns;
use crate::workspace_roots;
use crate::writer::job::WriteJob;
use crate::writer::task::WriterTask;
use takeover::Takeover;

/// The longest wait for a killed predecessor to release its journal and its port, in all.
const PREDECESSOR_EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// The time that an agent may take to write a text that an earlier companion sent, in milliseconds.
const AWAITED_FOR_MS: u64 = 600_000;

impl Builder {
    /// Starts to serve, and writes the discovery files. Needs a Tokio runtime with I/O and time.
    ///
    /// # Errors
    /// When no companion can run at all. A reason why only some agents cannot find it is a
    /// [`Problem`](alongside_desk::Problem), which every desk gets.
    pub async fn start(self) -> Result<Companion, StartError> {
        start(self).await
    }
}

async fn start(builder: Builder) -> Result<Companion, StartError> {
    let dirs = builder.dirs.clone().unwrap_or_else(AppDirs::of_this_process);
    let roots = workspace_roots::usable_roots(&builder.workspace.roots)?;
    let workspace = Workspace { roots: roots.clone(), ..builder.workspace.clone() };
    let privacy = Privacy::new(&workspace, builder.git_ignored, &dirs)?;
    let rules = Rules::new(&builder.rules, &workspace, &builder.settings)?;
    let drafts = Drafts::open(&dirs);

    let until = Instant::now() + PREDECESSOR_EXIT_TIMEOUT;
    let name = builder.journal.as_deref().map(journal::name);
    let (store, takeover) = takeover::begin(&dirs, &drafts, name.as_deref(), until).await;
    let predecessor = takeover.predecessor(builder.port_hold.as_ref());
    // Without a predecessor there is nothing to wait for.
    let until = predecessor.map_or_else(Instant::now, |_| until);
    let BoundPort { listeners, addresses, was_held } =
        ports::listen(predecessor, builder.listen, until).await?;
    let token = match takeover.token(was_held) {
        Some(token) => token.into(),
        None => random::hex::<32>().map_err(|error| StartError::Random(error.to_string()))?.into(),
    };
    let endpoint = Endpoint { addresses, token };

    let started = alongside_desk::now_ms();
    drafts.prune(started);
    let awaited = drafts.awaited_since(started.saturating_sub(AWAITED_FOR_MS));
    let keeps_journal = store.is_some();
    let mut own_directories: Vec<_> = locations::directories(&dirs).collect();
    own_directories.extend(store.as_ref().and_then(|store| store.path().parent()).map(Path::to_owned));
    let presence = Presence::new(endpoint.clone(), roots.clone(), &builder);
    let turns = Turns::new(builder.turns, presence.real_roots().clone());
    let own_rules = (builder.rules, builder.settings);
    let (editor, stdio, context_only) = (builder.editor, builder.stdio, builder.context_only);
    let publisher = Publisher::new(dirs.clone(), vec![editor], builder.aliases, endpoint.clone(), stdio);
    let (events, inbox) = Events::channel();
    let writer = WriterTask::start(drafts.clone(), store, publisher, events.clone());

    let may_accept = Arc::<AtomicBool>::default();
    let rules = RuleBook::new(rules, may_accept.clone());
    let proposals = Arc::new(ProposalQueue::new(dirs.clone(), builder.rules_of, may_accept));
    let max_body = builder.max_body;
    let hook_calls = Arc::new(HookCalls::new(events.clone(), proposals.clone(), max_body));
    let server = Server { events: events.clone(), max_body, proposals, context_only };
    let gate = Gate::new(endpoint.hosts(), endpoint.token.clone(), builder.allow_tokenless);
    let mut listener = Listener::new();
    listener.serve(listeners, &router(Arc::new(server), Arc::new(gate)));
    publish(&writer, &roots).await;
    // Agents may have written drafts while no companion was there.
    writer.send(WriteJob::SettleDrafts);
    begin_sweep(dirs.clone(), endpoint.token.clone());

    tracing::info!(
        port = endpoint.port(),
        ?roots,
        adopted = takeover.journal.is_some(),
        "the companion serves"
    );
    let files = OpenFiles::new(builder.silent);
    let mut agents = Agents::new(files.no_files());
    let mut reviews = Reviews::new(started);
    let Takeover { journal, problems, mut news } = takeover;
    if let Some(journal) = journal {
        let (more, lost) = adoption::adopt(journal, &presence, &drafts, &mut reviews, &mut agents);
        news.extend(more);
        for draft in lost {
            writer.send(WriteJob::SaveDraft(draft, None));
        }
    }
    let main_loop = MainLoop {
        agents,
        reviews,
        rules,
        desks: Desks::new(drafts.clone(), problems, news),
        hooks: Hooks::default(),
        calls: Calls::default(),
        context: ContextTracker::new(files, privacy),
        presence,
        recovery: Recovery::new(keeps_journal, drafts.state().to_owned()),
        disk: DiskWatch::begin(own_directories),
        last_words: LastWords::of_drafts(awaited, Instant::now()),
        turns,
        background: Background { events: events.clone(), writer },
        shutdown: None,
    };
    run(main_loop, inbox, listener);
    let (desks, git_ignored) = (0.into(), builder.git_ignored);
    Ok(Companion { endpoint, events, desks, git_ignored, rules: own_rules, dirs, hook_calls })
}

async fn publish(writer: &WriterTask, roots: &[PathBuf]) {
    let (published_sender, published_receiver) = oneshot::channel();
    writer.send(WriteJob::Publish { roots: roots.to_vec(), focused: true, done: Some(published_sender) });
    // The writer sends the problems to the loop as well.
    let _ = published_receiver.await;
}

/// Removes the discovery files that dead companions have left, while this one serves.
fn begin_sweep(dirs: AppDirs, own_token: Arc<str>) {
    tokio::task::spawn_blocking(move || {
        sweep::sweep(&dirs, &own_token);
        recovery_store::sweep(&dirs);
    });
}

/// Runs the loop in a task that ends the companion after the loop.
fn run(main_loop: MainLoop, inbox: mpsc::UnboundedReceiver<Event>, listener: Listener) {
    let (watch, _) = main_loop.disk.watch();
    tokio::spawn(async move {
        let (writer, shutdown) = main_loop.run(inbox).await;
        watch::end(watch);
        finish(listener, &writer, shutdown).await;
    });
}

/// Ends the listener and the writer after the main loop, and answers the requests to stop.
async fn finish(listener: Listener, writer: &WriterTask, shutdown: Option<Shutdown>) {
    let hands_over = shutdown.as_ref().is_some_and(|shutdown| shutdown.hands_over);
    if hands_over {
        listener.abort().await;
    } else {
        listener.stop().await;
    }
    let (done, ended) = oneshot::channel();
    writer.send(WriteJob::End { hands_over, done });
    let _ = ended.await;
    for done in shutdown.into_iter().flat_map(|shutdown| shutdown.done) {
        let _ = done.send(());
    }
}
