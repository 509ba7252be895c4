//! From the configuration to a running loop: adopt what a crash left, listen, publish.

mod adoption;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::Problem;
use alongside_platform::random;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::agents::registry::Agents;
use crate::background::Background;
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
use crate::events::Events;
use crate::hook_calls::HookCalls;
use crate::main_loop::{MainLoop, Stopping};
use crate::mcp::gate::Gate;
use crate::mcp::http::router;
use crate::mcp::listener::Listener;
use crate::mcp::ports::{self, BoundPort, Predecessor};
use crate::mcp::proposal_queue::ProposalQueue;
use crate::mcp::server::Server;
use crate::persistence::app_dirs::AppDirs;
use crate::persistence::drafts::Drafts;
use crate::persistence::journal;
use crate::persistence::recovery::Recovery;
use crate::persistence::recovery_store::{self, RecoveryStore};
use crate::persistence::write_job::WriteJob;
use crate::persistence::writer::WriterTask;
use crate::reviews::registry::Reviews;
use crate::workspace_roots;

/// How long a predecessor that was killed may hold its journal and its port, in all.
const PREDECESSOR_EXIT_TIMEOUT: Duration = Duration::from_millis(500);
/// How often the journal is tried until then.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

impl Builder {
    /// Starts serving and writes the discovery files. Needs a Tokio runtime with I/O and time.
    ///
    /// # Errors
    /// When no companion can run at all. A reason why only some agents cannot find it is a
    /// [`Problem`](alongside_desk::Problem), told to every desk.
    pub async fn start(self) -> Result<Companion, StartError> {
        start(self).await
    }
}

async fn start(builder: Builder) -> Result<Companion, StartError> {
    let dirs = builder.dirs.clone().unwrap_or_else(AppDirs::of_this_process);
    let roots = workspace_roots::usable(&builder.workspace.roots)?;
    let workspace = Workspace { roots: roots.clone(), ..builder.workspace };
    let privacy = Privacy::new(&workspace, builder.git_ignored, &dirs)?;
    let drafts = Drafts::open(&dirs);
    let mut problems = Vec::new();
    let mut news = Vec::new();

    let mut until = Instant::now() + PREDECESSOR_EXIT_TIMEOUT;
    let store = match &builder.journal {
        Some(key) => {
            let name = journal::name(key, &builder.editor.name, &roots);
            take_store(&dirs, &name, until).await.unwrap_or_else(|problem| {
                problems.push(problem);
                None
            })
        }
        None => None,
    };
    let keeps_journal = store.is_some();
    let left_behind = store.as_ref().and_then(|store| {
        store.left_behind().unwrap_or_else(|error| {
            news.push(adoption::unusable_journal(&error.to_string(), &drafts));
            None
        })
    });
    if left_behind.is_none() {
        // Without a predecessor there is nothing to wait for.
        until = Instant::now();
    }

    let predecessor = left_behind.as_ref().map(|journal| Predecessor {
        port: journal.port,
        addresses: &journal.addresses,
        hold: builder.port_hold.as_ref(),
    });
    let BoundPort { listeners, addresses, was_held } =
        ports::listen(predecessor, builder.listen, until).await?;
    let port = addresses.first().map_or(0, SocketAddr::port);
    let token: Arc<str> = match &left_behind {
        Some(journal) if was_held => journal.token.as_str().into(),
        _ => random::hex::<32>().map_err(|error| StartError::Random(error.to_string()))?.into(),
    };

    let started = alongside_desk::now_ms();
    drafts.prune(started);
    let mut own_directories: Vec<_> = locations::directories(&dirs).collect();
    own_directories.extend(store.as_ref().and_then(|store| store.path().parent()).map(Path::to_owned));
    let (editor, stdio) = (builder.editor, builder.stdio);
    let presence = Presence::new(
        addresses.clone(),
        token.clone(),
        stdio.clone(),
        roots.clone(),
        editor.pid,
        builder.context_only,
    );
    let publisher =
        Publisher::new(dirs.clone(), vec![editor], builder.aliases, port, token.to_string(), stdio);
    let (events, inbox) = Events::channel();
    let writer = WriterTask::start(drafts.clone(), store, publisher, events.clone());

    let gate = Gate::new(token.clone(), &addresses, builder.allow_tokenless);
    let (context_only, proposals) = (builder.context_only, Arc::<ProposalQueue>::default());
    let max_body = builder.max_body;
    let hook_calls = Arc::new(HookCalls {
        events: events.clone(),
        proposals: Arc::clone(&proposals),
        max_bytes: max_body,
        last: 1.into(),
    });
    let server = Server { events: events.clone(), max_body, proposals, context_only };
    let listener = Listener::open(listeners, &router(Arc::new(server), Arc::new(gate)));

    let (published, is_published) = oneshot::channel();
    writer.send(WriteJob::Publish { roots: roots.clone(), focused: true, done: Some(published) });
    // The writer sends the problems to the loop as well.
    let _ = is_published.await;
    let own_token = token.clone();
    let swept = dirs.clone();
    tokio::task::spawn_blocking(move || {
        sweep::sweep(&swept, &own_token);
        recovery_store::sweep(&swept);
    });

    tracing::info!(port, ?roots, adopted = left_behind.is_some(), "the companion serves");
    let files = OpenFiles::new(builder.silent);
    let mut agents = Agents::new(&files.no_files());
    let mut reviews = Reviews::new(started);
    if let Some(journal) = left_behind {
        let adopted = adoption::adopt(journal, &presence, &drafts, &mut reviews, &mut agents);
        news.extend(adopted.news);
        adopted.drafts.into_iter().for_each(|draft| writer.send(WriteJob::SaveDraft(draft, None)));
    }
    let main_loop = MainLoop {
        agents,
        reviews,
        desks: Desks::new(drafts.clone(), problems, news),
        calls: Calls::default(),
        context: ContextTracker::new(files, privacy),
        presence,
        recovery: Recovery::new(keeps_journal, drafts.state().to_owned()),
        disk: DiskWatch::begin(own_directories),
        background: Background { events: events.clone(), writer },
        stopping: None,
    };
    // The kernel takes some ten milliseconds to end a watch, for which callers do not wait.
    let (watch, _) = main_loop.disk.watch();
    tokio::spawn(async move {
        let (writer, stopping) = main_loop.run(inbox).await;
        finish(listener, &writer, stopping).await;
        drop(watch);
    });
    let (desks, git_ignored) = (0.into(), builder.git_ignored);
    Ok(Companion { addresses, token, events, desks, git_ignored, dirs, hook_calls })
}

/// The end of a companion after that of its loop.
async fn finish(listener: Listener, writer: &WriterTask, stopping: Option<Stopping>) {
    let hands_over = stopping.as_ref().is_some_and(|stopping| stopping.hands_over);
    if hands_over {
        listener.abort().await;
    } else {
        listener.stop().await;
    }
    let (retired, all_gone) = oneshot::channel();
    writer.send(if hands_over { WriteJob::LetGo(retired) } else { WriteJob::Retire(retired) });
    let _ = all_gone.await;
    for done in stopping.into_iter().flat_map(|stopping| stopping.done) {
        let _ = done.send(());
    }
}

/// Takes the journal, once a predecessor that was killed is quite gone.
async fn take_store(dirs: &AppDirs, name: &str, until: Instant) -> Result<Option<RecoveryStore>, Problem> {
    loop {
        match RecoveryStore::take(&dirs.state, name) {
            Ok(None) if until <= Instant::now() => {
                return Err(Problem::new(
                    "another companion of this project is running and keeps the journal",
                    "A crash of this one would leave agents waiting. End one of them: `alongside status` \
                     shows both.",
                ));
            }
            Ok(None) => tokio::time::sleep(RETRY_INTERVAL).await,
            Ok(store) => return Ok(store),
            Err(error) => {
                return Err(Problem::new(
                    format!("no journal can be kept in {}: {error}", dirs.state.display()),
                    "After a crash, connected agents would have to be reconnected with `/ide enable`.",
                ));
            }
        }
    }
}
