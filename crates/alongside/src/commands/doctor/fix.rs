//! What can be mended without asking: our own files whose companion is gone. Everything else is a person's to
//! do.

use std::path::Path;

use alongside_contract::discovery::{Record, WRITER};
use alongside_desk::harmless;
use alongside_platform::untrusted::{self, Whose};

use super::living::Machine;
use super::probe::{self, Answer};

/// A record is a few hundred bytes; whatever is larger than this is something else.
const MAX_BYTES: u64 = 1 << 20;

/// Removes them, and says which. A file goes only if it says that we wrote it, nobody of ours answers to its
/// token, and it still says so.
pub(super) async fn mend(machine: &Machine) -> Vec<String> {
    let mut done = Vec::new();
    for (path, record) in machine.stale.iter().filter(|(_, record)| record.writer.as_deref() == Some(WRITER))
    {
        let answer = probe::connect("127.0.0.1", record.port, record.auth_token.as_deref()).await;
        // What only hangs may come back.
        let is_gone =
            matches!(answer, Answer::Nobody | Answer::Refused | Answer::Stranger | Answer::Other(_));
        if !is_gone || !still(path, record) {
            continue;
        }
        done.push(match std::fs::remove_file(path) {
            Ok(()) => format!("removed {}", harmless::path(path)),
            Err(error) => format!("cannot remove {}: {error}", harmless::path(path)),
        });
    }
    done
}

fn still(path: &Path, record: &Record) -> bool {
    // Somebody else may have put something there that never ends.
    let now = untrusted::read(path, MAX_BYTES, Whose::Ours).ok();
    let now = now.and_then(|json| serde_json::from_slice::<Record>(&json).ok());
    now.is_some_and(|now| now.is_same_companion(record))
}
