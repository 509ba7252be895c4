//! What can be mended without asking: our own files whose companion is gone. Everything else is a person's to do.

use std::path::PathBuf;

use alongside_contract::discovery::{Record, WRITER};
use alongside_desk::harmless;

use super::living::Machine;
use super::probe::{self, Answer};

/// Removes them, and says which. A file goes only if it says that we wrote it, nobody of ours answers to its token, and
/// it still says so.
pub(super) async fn mend(machine: &Machine) -> Vec<String> {
    let mut done = Vec::new();
    for (path, record) in machine.stale.iter().filter(|(_, record)| record.writer.as_deref() == Some(WRITER))
    {
        let answer = probe::connect("127.0.0.1", record.port, record.auth_token.as_deref()).await;
        // What only hangs may come back.
        if !matches!(answer, Answer::Nobody | Answer::Refused | Answer::Other(_)) || !still(path, record) {
            continue;
        }
        done.push(match std::fs::remove_file(path) {
            Ok(()) => format!("removed {}", harmless::path(path)),
            Err(error) => format!("cannot remove {}: {error}", harmless::path(path)),
        });
    }
    done
}

fn still(path: &PathBuf, record: &Record) -> bool {
    let now = std::fs::read(path).ok().and_then(|json| serde_json::from_slice::<Record>(&json).ok());
    now.is_some_and(|now| now.is_same_companion(record))
}
