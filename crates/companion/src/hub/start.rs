//! How a companion comes to life: port and token (those of before a crash, if there was one), the server, the
//! files.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::Problem;
use alongside_platform::random;
use alongside_platform::watch::Watch;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::handle::Rules;
use super::journal::{Stale, lost_memory};
use super::look::Looking;
use super::{Events, Hub, State};
use crate::builder::{Builder, Companion, StartError, Workspace};
use crate::context::OpenFiles;
use crate::context::debounce::Debounce;
use crate::discovery::{Publisher, sweep};
use crate::drafts::Drafts;
use crate::journal::{self, Keeper};
use crate::mcp::doors::Doors;
use crate::mcp::gate::Gate;
use crate::mcp::http::{Server, router};
use crate::places::Places;
use crate::ports::{self, Former, Listening};
use crate::review::{Reviews, place};
use crate::scribe::{Job, Scribe};

/// How long a predecessor that was killed may hold on to its journal and its port, in all.
const NOT_QUITE_GONE: Duration = Duration::from_millis(500);
const TRY_EVERY: Duration = Duration::from_millis(20);

pub(crate) async fn start(builder: Builder) -> Result<Companion, StartError> {
    let places = builder.places.clone().unwrap_or_else(Places::of_this_process);
    let roots = usable_roots(&builder.workspace.roots)?;
    let workspace = Workspace { roots: roots.clone(), ..builder.workspace };
    let rules =
        Rules { workspace: workspace.into(), git_ignored: builder.git_ignored, places: places.clone() };
    let privacy = rules.privacy()?;
    let files = OpenFiles::new(builder.silent);
    let mut problems = Vec::new();
    let patience = Instant::now() + NOT_QUITE_GONE;
    let keeper = match &builder.journal {
        Some(key) => {
            let name = journal::name(key, &builder.name, &roots);
            take_journal(&places, &name, patience, &mut problems).await
        }
        None => None,
    };
    let keeps_journal = keeper.is_some();
    let left_behind = keeper.as_ref().map(Keeper::left_behind).transpose();
    let drafts = Drafts::open(&places);
    let unreadable = left_behind.as_ref().err().map(|error| lost_memory(&error.to_string(), &drafts));
    let left_behind = left_behind.ok().flatten().flatten();
    // Without a predecessor there is nothing to wait for.
    let patience = if left_behind.is_some() { patience } else { Instant::now() };

    let former = left_behind.as_ref().map(|journal| Former {
        port: journal.port,
        addresses: &journal.addresses,
        hold: builder.port_hold.as_ref(),
    });
    let Listening { listeners, addresses, is_former } =
        ports::listen(former, builder.listen, patience).await?;
    let port = addresses.first().map_or(0, SocketAddr::port);
    let token: Arc<str> = match &left_behind {
        Some(journal) if is_former => journal.token.as_str().into(),
        _ => random::hex::<32>().map_err(|error| StartError::Random(error.to_string()))?.into(),
    };

    drafts.prune(alongside_desk::now_ms());
    let (editor, stdio) = (builder.pid, builder.stdio.clone());
    let publisher = Publisher {
        places: places.clone(),
        name: builder.name,
        display_name: builder.display_name,
        pid: builder.pid,
        aliases: builder.aliases,
        port,
        token: token.to_string(),
        stdio: builder.stdio,
        written: Vec::new(),
        has_rival: false,
        made: Vec::new(),
    };
    let journal = keeper.iter().filter_map(|keeper| keeper.path().parent()).map(Path::to_owned);
    let kept_in = crate::discovery::directories(&places).chain(journal).collect();
    let (events, inbox) = Events::channel();
    let scribe = Scribe::start(drafts.clone(), keeper, publisher, events.clone());

    let gate = Gate::new(token.clone(), &addresses, builder.allow_tokenless);
    let server = Server { events: events.clone(), max_body: builder.max_body, preparing: Arc::default() };
    let doors = Doors::open(listeners, &router(Arc::new(server), Arc::new(gate)));

    let (published, is_published) = oneshot::channel();
    scribe.send(Job::Publish { roots: roots.clone(), focused: true, done: Some(published) });
    // What it found is on its way to the loop as well.
    let _ = is_published.await;
    let own_token = token.clone();
    tokio::task::spawn_blocking(move || {
        sweep::sweep(&places, &own_token);
        journal::sweep(&places);
    });

    tracing::info!(port, ?roots, adopted = left_behind.is_some(), "the companion serves");
    let mut state = State {
        port,
        addresses: addresses.clone(),
        token: token.clone(),
        real_roots: roots.iter().map(|root| place::lead(root)).collect(),
        roots,
        editor,
        stdio,
        environment: alongside_desk::Environment::default(),
        sessions: BTreeMap::new(),
        reviews: Reviews::default(),
        context: Arc::new(files.no_files()),
        files,
        told_files: Vec::new(),
        looking: Looking::new(privacy),
        debounce: Debounce::default(),
        desks: BTreeMap::new(),
        telling: super::telling::Telling::default(),
        flushes: Vec::new(),
        problems,
        news: unreadable.into_iter().collect(),
        vanished: Vec::new(),
        drafts,
        scribe,
        events: events.clone(),
        started: alongside_desk::now_ms(),
        last_draft: 0,
        last_session: 0,
        last_stream: 0,
        watch: Arc::new(Watch::begin()),
        next_look: None,
        next_republish: None,
        kept_in,
        has_rival: false,
        keeps_journal,
        stale: Stale::default(),
        journal_is_underway: false,
        underway: Vec::new(),
        journal_problem: None,
        disk_problem: None,
        unpublished: Vec::new(),
        held_answers: crate::scribe::Answers::default(),
        told: alongside_desk::Status::default(),
        next_status: Instant::now(),
        status_waits: false,
        stopping: None,
        cut: Arc::default(),
        hidden: false,
        receipts: builder.receipts,
    };
    state.look_up_environment();
    left_behind.into_iter().for_each(|journal| state.adopt(journal));
    state.stale.everything();
    // From here on we hear what changes.
    state.refresh_context();
    // The kernel takes some ten milliseconds to let a watch go: nobody shall wait for that who waits for the
    // end.
    let watch = state.watch.clone();
    tokio::spawn(async move {
        let (scribe, stopping) = state.run(inbox).await;
        let hands_over = stopping.as_ref().is_some_and(|stopping| stopping.hands_over);
        if hands_over {
            doors.abort().await
        } else {
            doors.stop().await
        }
        let (retired, all_gone) = oneshot::channel();
        scribe.send(if hands_over { Job::LetGo(retired) } else { Job::Retire(retired) });
        let _ = all_gone.await;
        for done in stopping.into_iter().flat_map(|stopping| stopping.done) {
            let _ = done.send(());
        }
        drop(watch);
    });
    Ok(Companion { hub: Hub { port, addresses, token, events, desks: 0.into(), rules } })
}

/// Makes roots absolute and refuses what is no directory.
pub(crate) fn usable_roots(roots: &[PathBuf]) -> Result<Vec<PathBuf>, StartError> {
    let mut usable: Vec<PathBuf> = Vec::new();
    for root in roots {
        let refused = |why: String| StartError::Root { root: root.clone(), why };
        let absolute = std::path::absolute(root).map_err(|error| refused(error.to_string()))?;
        // Neither `.` at the end nor a trailing slash: agents compare strings.
        let tidy: PathBuf = absolute.components().collect();
        if tidy.to_str().is_none() {
            // Nor could a desk be told of it.
            let why = "its path is not UTF-8, which agents cannot be told: rename it, or open a link to it";
            return Err(refused(why.into()));
        }
        match std::fs::metadata(&tidy) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(refused("it is not a directory".into())),
            Err(error) => return Err(refused(error.to_string())),
        }
        if !usable.contains(&tidy) {
            usable.push(tidy);
        }
    }
    Ok(usable)
}

/// Takes the journal, once a predecessor that was killed is quite gone.
async fn take_journal(
    places: &Places,
    name: &str,
    until: Instant,
    problems: &mut Vec<Problem>,
) -> Option<Keeper> {
    loop {
        match Keeper::take(&places.state, name) {
            Ok(None) if until <= Instant::now() => {
                problems.push(Problem {
                    what: "another companion of this project is running and keeps the journal".into(),
                    hint: Some(
                        "A crash of this one would leave agents waiting. End one of them: `alongside status` shows both."
                            .into(),
                    ),
                });
                return None;
            }
            Ok(None) => tokio::time::sleep(TRY_EVERY).await,
            Ok(keeper) => return keeper,
            Err(error) => {
                problems.push(Problem {
                    what: format!("no journal can be kept in {}: {error}", places.state.display()),
                    hint: Some(
                        "After a crash, connected agents would have to be reconnected with `/ide enable`."
                            .into(),
                    ),
                });
                return None;
            }
        }
    }
}
