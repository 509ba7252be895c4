//! Checks of the contents of discovery files, also after projects are opened and closed.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use alongside_contract::discovery::split_roots;
use alongside_contract::family::Fields;
use alongside_platform::paths::Canonical as _;
use alongside_platform::process;
use serde_json::Value;

use crate::action::Action;
use crate::check::Clause::{Shipped, Spec};
use crate::check::Level::{Must, Should};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip, unseen};
use crate::checks::published_files::{self, Published};
use crate::discovery::record_file;
use crate::harness::case::Case;
use crate::harness::scenes::Rewriting;
use crate::time::clock::{Measuring, Patience, TOO_BUSY};

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "discovery.json",
        title: "The files are JSON objects",
        clause: Spec(Must, "the file contains a JSON object"),
        harm: "the agent says that it cannot find the editor",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(json(case)))
    },
    Check {
        id: "discovery.port",
        title: "The port is a number, and the one it listens on",
        clause: Spec(Must, "port (number): the port of the MCP server"),
        harm: "the agent cannot connect",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(port(case)))
    },
    Check {
        id: "discovery.workspace",
        title: "The workspace is a list of absolute paths of directories that exist",
        clause: Spec(
            Must,
            "workspacePath (string): the correct, absolute paths to the roots of the open workspaces, \
                delimited by the OS-specific path separator",
        ),
        harm: "the agent says that the directory it runs in is not open in the editor",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(workspace(case)))
    },
    Check {
        id: "discovery.real-paths",
        title: "The real path of every root is in the list",
        clause: Shipped {
            says: "the agent's directory is compared with the roots as they are written, or with the real \
                paths of both",
            breaks: "Gemini CLI and Qwen Code releases that compare literally, in projects behind \
                symbolic links",
        },
        harm: "in a project behind a symbolic link, the agent says that its directory is not open in the \
            editor",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(real_paths(case)))
    },
    Check {
        id: "discovery.token",
        title: "There is a token that cannot be guessed",
        clause: Spec(Should, "the extension generates a unique, secret token and includes it as authToken"),
        harm: "every program on the machine, a web page's among them, can read the person's files",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(token(case)))
    },
    Check {
        id: "discovery.no-null",
        title: "Fields are absent, and never null",
        clause: Shipped {
            says: "fields of a record are strings, numbers and objects",
            breaks: "releases of Gemini CLI and Qwen Code that read a field before they test it",
        },
        harm: "the agent fails at start, or does not find the editor",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(no_null(case)))
    },
    Check {
        id: "discovery.ide-info",
        title: "ideInfo names the editor, unless that is VS Code",
        clause: Shipped {
            says: "ideInfo {name, displayName} is what lets an editor connect that the agent has never \
                heard of",
            breaks: "Gemini CLI 0.7 and newer, Qwen Code 0.1.3 and newer, in every editor but VS Code",
        },
        harm: "the agent says that IDE mode is not supported in this environment",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(ide_info(case)))
    },
    Check {
        id: "discovery.ppid",
        title: "Lock files for Qwen Code name a living process of the user",
        clause: Shipped {
            says: "locks whose ppid cannot be signalled are deleted, and so are locks without one that \
                name several roots",
            breaks: "Qwen Code 0.15.6 and newer",
        },
        harm: "one start of Qwen Code deletes the file, and from then on nobody finds the editor",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(ppid(case)))
    },
    Check {
        id: "discovery.roots-follow",
        title: "The files follow when a project is opened or closed",
        clause: Spec(Must, "workspacePath is a list of all open workspace root paths"),
        harm: "an agent in the project that was opened later says that its directory is not open",
        needs: &["add-folder", "remove-folder"],
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(roots_follow(case)))
    },
    Check {
        id: "discovery.atomic",
        title: "A file that is rewritten is whole at every moment",
        clause: Shipped {
            says: "the file is read once, whenever an agent starts",
            breaks: "every release: half a file is not a record, and the agent does not look again",
        },
        harm: "now and then an agent that starts does not find the editor",
        needs: &["add-folder", "remove-folder"],
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(atomic(case)))
    },
];

async fn json(case: &Case<'_>) -> Checked {
    published_files::each_file(case, |file| match &file.json {
        Ok(Value::Object(_)) => Ok(()),
        Ok(_) => fail("it is JSON, but not an object"),
        Err(why) => fail(format!("it is not JSON: {why}")),
    })
}

async fn port(case: &Case<'_>) -> Checked {
    let port = case.fixture.target.record.port;
    published_files::each_record(case, |file| {
        let told = file.field("port");
        ensure(*told == port, || format!("port is {told}, but the companion listens on {port}"))
    })
}

async fn workspace(case: &Case<'_>) -> Checked {
    published_files::each_record(case, |file| {
        let Some(workspace) = file.field("workspacePath").as_str() else {
            return fail(format!("workspacePath is {} and not a string", file.field("workspacePath")));
        };
        for root in split_roots(workspace).map(Path::new) {
            ensure(root.is_absolute(), || format!("the root {root:?} is not absolute"))?;
            ensure(root.is_dir(), || format!("the root {root:?} is not an existing directory"))?;
        }
        if workspace.is_empty() { unseen("no folder is open") } else { Ok(()) }
    })
}

async fn real_paths(case: &Case<'_>) -> Checked {
    published_files::each_record(case, |file| {
        let roots: Vec<&Path> =
            split_roots(file.field("workspacePath").as_str().unwrap_or_default()).map(Path::new).collect();
        if !roots.iter().any(|root| root.is_dir() && root.is_absolute()) {
            return unseen("no root that exists");
        }
        for root in roots.iter().filter(|root| root.is_absolute()) {
            if let Ok(real) = root.canonical() {
                ensure(roots.contains(&real.as_path()), || format!("it names {root:?} but not {real:?}"))?;
            }
        }
        Ok(())
    })
}

async fn token(case: &Case<'_>) -> Checked {
    published_files::each_record(case, |file| match file.field("authToken").as_str() {
        Some(token) => {
            let mut letters: Vec<char> = token.chars().collect();
            letters.sort_unstable();
            letters.dedup();
            ensure(token.len() >= 16 && letters.len() >= 6, || {
                format!(
                    "authToken has {} characters, {} different ones: it can be guessed",
                    token.len(),
                    letters.len()
                )
            })
        }
        None => fail("there is no authToken"),
    })
}

async fn no_null(case: &Case<'_>) -> Checked {
    published_files::each_record(case, |file| {
        let nulls = file.json.iter().filter_map(Value::as_object).flatten().filter(|(_, value)| {
            value.is_null() || value.as_object().is_some_and(|inner| inner.values().any(Value::is_null))
        });
        let nulls: Vec<&str> = nulls.map(|(name, _)| name.as_str()).collect();
        ensure(nulls.is_empty(), || format!("null in {}", nulls.join(", ")))
    })
}

async fn ide_info(case: &Case<'_>) -> Checked {
    published_files::each_record(case, |file| {
        let info = file.field("ideInfo");
        if info.is_null() && is_vs_code(case, file) {
            case.evidence.note("← (no ideInfo, and agents know VS Code and its forks without)");
            return Ok(());
        }
        let named = |name: &str| info[name].as_str().is_some_and(|name| !name.is_empty());
        ensure(named("name") && named("displayName"), || {
            format!("ideInfo is {info}, without name and displayName")
        })
    })
}

/// The programs that set `TERM_PROGRAM=vscode` in their terminals, by which agents recognise them.
const VS_CODE: [&str; 7] = ["code", "code-insiders", "code-oss", "codium", "vscodium", "cursor", "windsurf"];

/// Whether agents recognise the editor of a file without its name: by the terminal's variable, or because the
/// program sets that variable.
fn is_vs_code(case: &Case<'_>, file: &Published) -> bool {
    let here = case.fixture.target.here.variables.get("TERM_PROGRAM").is_some_and(|name| name == "vscode");
    let ppid = file.field("ppid").as_u64().and_then(|pid| u32::try_from(pid).ok());
    let editor = file.pid().or(ppid).and_then(process::look_up);
    here || editor.is_some_and(|editor| VS_CODE.contains(&editor.name.to_ascii_lowercase().as_str()))
}

async fn ppid(case: &Case<'_>) -> Checked {
    let reads_ppid = |file: &Published| file.row.is_some_and(|(_, row)| row.fields == Fields::WithParent);
    if !published_files::files(case)?.iter().any(reads_ppid) {
        return skip("the companion publishes nothing for agents that read ppid");
    }
    published_files::each_record(case, |file| {
        if !reads_ppid(file) {
            return unseen("ppid is not read");
        }
        let told = file.field("ppid");
        let Some(pid) = told.as_u64().and_then(|pid| u32::try_from(pid).ok()) else {
            return fail(format!("ppid is {told} and not the editor's process"));
        };
        ensure(process::may_signal(pid), || format!("process {pid} is gone, or another user's"))
    })
}

/// The number of reads during a rewrite that suffice for a verdict on the rewrite.
const ENOUGH_READS: usize = 3;

async fn rewriting(case: &Case<'_>) -> Checked<Rewriting> {
    case.scene(&case.fixture.scenes.rewriting, async {
        let Some(file) = published_files::files(case)?.into_iter().next() else {
            return unseen("there is no file");
        };
        let folder = case.fixture.scratch().join("one-more-project");
        if let Err(error) = std::fs::create_dir_all(&folder) {
            return skip(format!("cannot make {}: {error}", folder.display()));
        }
        let (done, over) = tokio::sync::watch::channel(false);
        let path = file.path.clone();
        // The reader has its own thread, because it never pauses.
        let (begun, begins) = tokio::sync::oneshot::channel();
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reads);
        let watching = tokio::task::spawn_blocking(move || {
            let _ = begun.send(());
            watch(&path, &over, &counted)
        });
        // A busy machine may start the thread late. If it cannot start, the code below notices its end.
        let _ = begins.await;
        // A person is not asked again, and takes long enough.
        let is_person = case.certain("").is_err();
        let mut rounds = 0;
        let (added, removed) = loop {
            rounds += 1;
            let added = case.act(Action::AddFolder { folder: folder.clone() }).await;
            let named = names(case, &file.path, &folder, true).await;
            let removed = case.act(Action::RemoveFolder { folder: folder.clone() }).await;
            let gone = names(case, &file.path, &folder, false).await;
            let (added, removed) = (added.map(|_| named)?, removed.map(|_| gone)?);
            // A fast companion may finish between two reads if this machine delays the reader.
            let told = reads.load(Ordering::Relaxed) > ENOUGH_READS || is_person || !(added && removed);
            if told || rounds == Measuring::TRIES {
                break (added, removed);
            }
        };
        done.send_replace(true);
        let torn = watching.await.unwrap_or_default();
        let reads = reads.load(Ordering::Relaxed);
        case.evidence.note(format!("← {} was read {reads} times meanwhile", file.path.display()));
        Ok(Rewriting { reads, torn, added, removed })
    })
    .await
}

/// Reads a file until `over` is set, and counts the reads. Returns the first content that was not a record.
fn watch(path: &Path, over: &tokio::sync::watch::Receiver<bool>, reads: &AtomicUsize) -> Option<String> {
    let mut torn = None;
    // The reading also ends if the sender is gone, because the run was interrupted.
    while !*over.borrow() && over.has_changed().is_ok() {
        let what = match record_file::record(path) {
            Ok(json) if serde_json::from_slice::<Value>(&json).is_ok() => None,
            Ok(json) => Some(format!("{} bytes that are not JSON", json.len())),
            Err(error) => Some(error.to_string()),
        };
        torn = torn.or(what);
        reads.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_micros(200));
    }
    torn
}

/// Waits until a file names a root, or no longer names it.
async fn names(case: &Case<'_>, path: &Path, folder: &Path, wanted: bool) -> bool {
    let mut patience = Patience::new(case.timeouts().answer);
    loop {
        // A companion may also write another file instead of this one.
        let files = published_files::of(case.fixture.target);
        let file = files.iter().find(|file| file.path == path).or(files.first());
        let workspace = file.map(|file| file.field("workspacePath").as_str().unwrap_or_default().to_owned());
        let named = workspace.is_some_and(|roots| split_roots(&roots).any(|root| Path::new(root) == folder));
        if named == wanted || !patience.sleep(Duration::from_millis(10)).await {
            return named == wanted;
        }
    }
}

async fn roots_follow(case: &Case<'_>) -> Checked {
    let seen = rewriting(case).await?;
    let within = case.timeouts().answer.as_secs_f32();
    ensure(seen.added, || format!("{within} s after a folder was opened, the file does not name it"))?;
    ensure(seen.removed, || format!("{within} s after a folder was closed, the file still names it"))
}

async fn atomic(case: &Case<'_>) -> Checked {
    let seen = rewriting(case).await?;
    if let Some(torn) = seen.torn {
        return fail(format!("during a rewrite, the file was not a record: {torn}"));
    }
    if !(seen.added && seen.removed) {
        return skip("the file was not rewritten");
    }
    if seen.reads > ENOUGH_READS {
        Ok(())
    } else {
        unseen(format!("{TOO_BUSY}: the file was read only {} times meanwhile", seen.reads))
    }
}
