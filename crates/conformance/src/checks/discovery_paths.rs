//! Checks of the paths of discovery files, of their names, and of their permissions.

use std::path::Path;

use alongside_contract::family::Directory;
use alongside_platform::{files, process};

use crate::check::Clause::{Advice, Shipped, Spec};
use crate::check::Level::{Must, Should};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, unseen};
use crate::checks::published_files;
use crate::discovery::record_file;
use crate::harness::case::Case;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "discovery.gemini-file",
        title: "There is a file for Gemini CLI where its specification says, under the name it says",
        clause: Spec(
            Must,
            "the file lies in os.tmpdir()/gemini/ide/ and is called gemini-ide-server-${PID}-${PORT}.json",
        ),
        harm: "Gemini CLI says that it cannot find the editor",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(gemini_file(case)))
    },
    Check {
        id: "discovery.gemini-old-file",
        title: "There is a file for early releases of Gemini CLI",
        clause: Shipped {
            says: "early releases look for gemini-ide-server-${PID}.json in os.tmpdir() itself",
            breaks: "Gemini CLI 0.1.22 to 0.5.2",
        },
        harm: "people with an early Gemini CLI cannot connect",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(gemini_old_file(case)))
    },
    Check {
        id: "discovery.qwen-file",
        title: "There is a file for Qwen Code where its specification says, under the name it says",
        clause: Advice(
            "Qwen Code's specification says os.tmpdir()/qwen/ide/qwen-code-ide-server-${PID}-${PORT}.json; \
             no release reads it",
        ),
        harm: "a Qwen Code that keeps to its specification does not find the editor",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(qwen_file(case)))
    },
    Check {
        id: "discovery.qwen-lock",
        title: "There is a lock file for Qwen Code",
        clause: Shipped {
            says: "the file that is read is ~/.qwen/ide/${PORT}.lock, or $QWEN_HOME/ide/${PORT}.lock",
            breaks: "Qwen Code 0.5.1 and newer",
        },
        harm: "Qwen Code says that it cannot find the editor",
        ..Check::of(Group::Discovery, When::InTurn, |case| {
            Box::pin(there_is(case, "qwen", "{port}.lock", "PORT.lock"))
        })
    },
    Check {
        id: "discovery.qwen-old-file",
        title: "There is a file for early releases of Qwen Code",
        clause: Shipped {
            says: "the file is called qwen-code-ide-server-${PID}.json and lies in os.tmpdir() itself",
            breaks: "Qwen Code 0.0.13 to 0.5.0, and without variables up to 0.10.1",
        },
        harm: "people with an early Qwen Code cannot connect",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(qwen_old_file(case)))
    },
    Check {
        id: "discovery.port-in-name",
        title: "The port in the name of a file is the one it listens on",
        clause: Spec(Must, "${PORT} is the port the MCP server is listening on"),
        harm: "with several windows open, the agent talks to another one than it meant",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(port_in_name(case)))
    },
    Check {
        id: "discovery.pid-in-name",
        title: "The process in the name of a file lives",
        clause: Spec(Must, "${PID} is the process ID of the parent IDE process"),
        harm: "agents up to Gemini CLI 0.30 do not find the editor they run in, newer ones prefer \
            another's file",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(pid_in_name(case)))
    },
    Check {
        id: "discovery.private-file",
        title: "Nobody but the user can read the files",
        clause: Spec(
            Should,
            "the extension generates a unique, secret token and includes it in the discovery file",
        ),
        harm: "everybody with an account on the machine can read the token, and with it the person's files",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(private_file(case)))
    },
    Check {
        id: "discovery.private-directory",
        title: "Nobody but the user can write to the directories of the files",
        clause: Advice("directories for discovery files are made with mode 0700"),
        harm: "others can put a file there that leads the agent to a companion of theirs",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(private_directory(case)))
    },
    Check {
        id: "discovery.owner",
        title: "The files belong to the user",
        clause: Shipped {
            says: "files of other users are passed over, or stop the search",
            breaks: "Gemini CLI 0.58 and newer pass over them, older ones stop at one they cannot read",
        },
        harm: "the agent says that it cannot find the editor",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(owner(case)))
    },
    Check {
        id: "discovery.no-override",
        title: "There is no file that overrides all others",
        clause: Shipped {
            says: "gemini/ide/gemini-ide-server-${PID}.json, without a port, is taken before every other \
                file and whatever workspace it names",
            breaks: "Gemini CLI 0.28 and newer",
        },
        harm: "with two projects open the agent always talks to the same one, and says it runs in the \
            wrong directory",
        ..Check::of(Group::Discovery, When::InTurn, |case| Box::pin(no_override(case)))
    },
];

async fn gemini_file(case: &Case<'_>) -> Checked {
    let name = "gemini-ide-server-{pid}-{port}.json";
    there_is(case, "gemini", name, "gemini/ide/gemini-ide-server-PID-PORT.json").await
}

async fn gemini_old_file(case: &Case<'_>) -> Checked {
    there_is(case, "gemini", "gemini-ide-server-{pid}.json", "gemini-ide-server-PID.json").await
}

async fn qwen_file(case: &Case<'_>) -> Checked {
    let files = published_files::files_of(case, "qwen", "qwen-code-ide-server-{pid}-{port}.json")?;
    // Early releases read the same name in another directory.
    let in_place =
        files.iter().any(|file| file.row.is_some_and(|(_, row)| row.directory == Directory::Tmp("qwen/ide")));
    let at = case.fixture.target.here.tmp.join("qwen/ide");
    ensure(in_place, || format!("there is no qwen-code-ide-server-PID-PORT.json of it in {}", at.display()))
}

async fn qwen_old_file(case: &Case<'_>) -> Checked {
    there_is(case, "qwen", "qwen-code-ide-server-{pid}.json", "qwen-code-ide-server-PID.json").await
}

async fn there_is(case: &Case<'_>, family: &str, name: &str, shown: &str) -> Checked {
    let files = published_files::files_of(case, family, name)?;
    ensure(!files.is_empty(), || format!("there is no {shown} that leads to the companion"))
}

async fn port_in_name(case: &Case<'_>) -> Checked {
    let port = case.fixture.target.record.port;
    published_files::each_file(case, |file| {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match file.row {
            Some((_, row)) if row.names_port() => {
                let expected = row.file_name(file.pid().unwrap_or_default(), port);
                // A name with a single number may have the port or the process ID.
                let fits = name == expected || !row.names_pid() && name == row.file_name(0, port);
                ensure(fits, || format!("the companion listens on port {port}"))
            }
            _ => unseen("no port in it"),
        }
    })
}

async fn pid_in_name(case: &Case<'_>) -> Checked {
    published_files::each_file(case, |file| match file.pid() {
        Some(pid) => ensure(process::is_alive(pid), || format!("there is no process {pid}")),
        None => unseen("no process in it"),
    })
}

async fn private_file(case: &Case<'_>) -> Checked {
    published_files::each_file(case, |file| match mode(&file.path) {
        Some(mode) => ensure(mode & 0o077 == 0, || format!("its mode is {mode:04o} instead of 0600")),
        None => unseen("this system has no modes"),
    })
}

async fn private_directory(case: &Case<'_>) -> Checked {
    published_files::each_file(case, |file| {
        // The system sets the permissions of the temporary directory itself.
        let own = file.row.is_some_and(|(_, row)| row.directory != Directory::Tmp(""));
        match file.path.parent().filter(|_| own).and_then(|parent| Some((parent, mode(parent)?))) {
            Some((parent, mode)) => ensure(mode & 0o022 == 0 && mode & 0o077 == 0, || {
                format!("the mode of {} is {mode:04o} instead of 0700", parent.display())
            }),
            None => unseen("this directory is not its own"),
        }
    })
}

async fn owner(case: &Case<'_>) -> Checked {
    published_files::each_file(case, |file| match std::fs::metadata(&file.path) {
        Ok(found) => ensure(files::is_ours(&found), || "it belongs to another user".into()),
        Err(error) => fail(format!("its owner cannot be read: {error}")),
    })
}

async fn no_override(case: &Case<'_>) -> Checked {
    let directory = case.fixture.target.here.resolve(Directory::Tmp("gemini/ide"));
    published_files::files(case)?;
    let port = case.fixture.target.record.port;
    for path in record_file::list(&directory) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let middle = name.strip_prefix("gemini-ide-server-").and_then(|rest| rest.strip_suffix(".json"));
        let is_override = middle.is_some_and(|middle| middle.bytes().all(|byte| byte.is_ascii_digit()));
        let record = record_file::record(&path)
            .ok()
            .and_then(|json| serde_json::from_slice::<serde_json::Value>(&json).ok());
        if is_override && record.is_some_and(|record| record["port"] == port) {
            return fail(format!("there is {}", path.display()));
        }
    }
    case.evidence.note(format!("← none of it in {}", directory.display()));
    Ok(())
}

/// Returns the permission bits, on systems that have them.
fn mode(path: &Path) -> Option<u32> {
    files::mode(&std::fs::metadata(path).ok()?)
}
