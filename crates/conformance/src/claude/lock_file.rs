//! Checks of the lock file: its path, its permissions, its contents, and that it is the only one.

use std::path::{Path, PathBuf};

use alongside_agent::find::{LockSearch, locks};
use alongside_contract::agent::FamilyAgent;
use alongside_contract::agents::with_family;
use alongside_contract::family::LOCKS;
use alongside_contract::lock_file::{TRANSPORT, name};
use alongside_platform::{files, process};
use serde_json::Value;

use super::rule_source::{ANYBODY, measured};
use crate::check::Clause::{Advice, Shipped};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip, unseen};
use crate::discovery::record_file::record;
use crate::harness::case::Case;

const NOT_FOUND: &str = "the agent does not find the editor";

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "lock.place",
        title: "There is a lock where the agent looks, named after the port",
        clause: measured("locks are read from ~/.claude/ide, or $CLAUDE_CONFIG_DIR/ide, as PORT.lock"),
        harm: NOT_FOUND,
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(place(case)))
    },
    Check {
        id: "lock.json",
        title: "The lock is a JSON object",
        clause: measured("a lock that cannot be read is deleted"),
        harm: NOT_FOUND,
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(json(case)))
    },
    Check {
        id: "lock.pid",
        title: "pid is a process that lives",
        clause: measured("a lock whose pid is gone is deleted"),
        harm: NOT_FOUND,
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(pid(case)))
    },
    Check {
        id: "lock.folders",
        title: "workspaceFolders is a list of absolute paths of directories that exist",
        clause: measured("an agent connects at or below one of workspaceFolders"),
        harm: NOT_FOUND,
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(folders(case)))
    },
    Check {
        id: "lock.name",
        title: "ideName names the editor",
        clause: Advice("ideName is the name of the editor, as the person knows it"),
        harm: "the person does not know which editor they connect to",
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(ide_name(case)))
    },
    Check {
        id: "lock.transport",
        title: "transport is ws",
        clause: measured("transport is ws, the only one that is still known"),
        harm: "the agent cannot connect",
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(transport(case)))
    },
    Check {
        id: "lock.token",
        title: "authToken is a token that cannot be guessed",
        clause: Shipped { says: "authToken is all by which the agent proves itself", breaks: ANYBODY },
        harm: "every program on the machine, a web page's among them, can read the person's files",
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(token(case)))
    },
    Check {
        id: "lock.private-file",
        title: "Nobody but the user can read the lock",
        clause: Advice("a lock has mode 0600: it holds the token"),
        harm: "everybody with an account on the machine can read the token, and with it the person's files",
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(private_file(case)))
    },
    Check {
        id: "lock.private-directory",
        title: "Nobody but the user can use the directory of locks",
        clause: Advice("the directory of locks has mode 0700"),
        harm: "others can put a lock there that leads the agent to a companion of theirs",
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(private_directory(case)))
    },
    Check {
        id: "lock.only",
        title: "No other lock holds its directories",
        clause: measured("an agent connects only where exactly one lock holds its directory"),
        harm: "the agent connects to neither of two editors",
        ..Check::of(Group::Lock, When::InTurn, |case| Box::pin(only(case)))
    },
];

/// Returns the path of the lock file.
pub(crate) fn path(case: &Case<'_>) -> PathBuf {
    let target = case.fixture.target;
    target.here.resolve(LOCKS).join(name(target.record.port))
}

/// Returns the lock file as a JSON object, and adds it to the evidence without its token.
fn content(case: &Case<'_>) -> Checked<Value> {
    let bytes = record(&path(case)).or_else(|_| skip("there is no lock"))?;
    let content = serde_json::from_slice::<Value>(&bytes).ok().filter(Value::is_object);
    let content: Value = content.map_or_else(|| skip("the lock is not a JSON object"), Ok)?;
    let mut shown = content.clone();
    shown["authToken"] = "<token>".into();
    case.evidence.note(format!("← {} holds {shown}", path(case).display()));
    Ok(content)
}

async fn place(case: &Case<'_>) -> Checked {
    let path = path(case);
    if let Err(error) = record(&path) {
        return fail(format!("there is no {}: {error}", path.display()));
    }
    case.evidence.note(format!("← there is {}", path.display()));
    Ok(())
}

async fn json(case: &Case<'_>) -> Checked {
    let bytes = record(&path(case)).or_else(|_| skip("there is no lock"))?;
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(content) => ensure(content.is_object(), || "it is JSON, but not an object".into()),
        Err(error) => fail(format!("it is not JSON: {error}")),
    }
}

async fn pid(case: &Case<'_>) -> Checked {
    let content = content(case)?;
    let pid = &content["pid"];
    let number = pid.as_u64().and_then(|pid| u32::try_from(pid).ok());
    ensure(number.is_some_and(process::is_alive), || format!("pid is {pid}, and no such process lives"))
}

async fn folders(case: &Case<'_>) -> Checked {
    let content = content(case)?;
    let Some(folders) = content["workspaceFolders"].as_array() else {
        return fail(format!("workspaceFolders is {}", content["workspaceFolders"]));
    };
    for folder in folders {
        let path = Path::new(folder.as_str().unwrap_or_default());
        let is_there = path.is_absolute() && path.is_dir();
        ensure(is_there, || format!("{folder} is not the absolute path of a directory"))?;
    }
    if folders.is_empty() { unseen("it names no folder: only the port variable leads there") } else { Ok(()) }
}

async fn ide_name(case: &Case<'_>) -> Checked {
    let content = content(case)?;
    let name = &content["ideName"];
    ensure(name.as_str().is_some_and(|name| !name.trim().is_empty()), || format!("ideName is {name}"))
}

async fn transport(case: &Case<'_>) -> Checked {
    let content = content(case)?;
    let transport = &content["transport"];
    ensure(*transport == TRANSPORT, || format!("transport is {transport}"))
}

async fn token(case: &Case<'_>) -> Checked {
    let content = content(case)?;
    match content["authToken"].as_str() {
        Some(token) => ensure(token.len() >= 16, || format!("authToken has {} characters only", token.len())),
        None => fail("there is no authToken"),
    }
}

async fn private_file(case: &Case<'_>) -> Checked {
    is_private(&path(case), "0600")
}

async fn private_directory(case: &Case<'_>) -> Checked {
    is_private(&case.fixture.target.here.resolve(LOCKS), "0700")
}

fn is_private(path: &Path, expected: &str) -> Checked {
    let found = std::fs::metadata(path).or_else(|_| skip(format!("there is no {}", path.display())))?;
    match files::mode(&found) {
        Some(mode) => ensure(mode & 0o077 == 0, || {
            format!("the mode of {} is {mode:04o} instead of {expected}", path.display())
        }),
        None => unseen("this system has no modes"),
    }
}

async fn only(case: &Case<'_>) -> Checked {
    let content = content(case)?;
    let target = case.fixture.target;
    let reads_locks = |agent: &FamilyAgent| agent.family.lock_rules().is_some();
    let Some(claude) = with_family().find(reads_locks) else {
        return unseen("no family of agents reads locks");
    };
    let folders = content["workspaceFolders"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for directory in folders.map(PathBuf::from).chain([target.here.cwd.clone()]) {
        let mut here = target.here.clone();
        // With the variable set, an agent reads no other lock files.
        here.variables.remove(claude.family.env.port.unwrap_or_default());
        here.cwd.clone_from(&directory);
        let Some(LockSearch::Holding(found)) = locks(claude, &here) else { continue };
        let (own, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|lock| lock.port == target.record.port);
        if let Some(other) = others.first().filter(|_| !own.is_empty()) {
            return fail(format!("{} holds {} as well", other.path.display(), directory.display()));
        }
    }
    Ok(())
}
