//! `--fix`: removes our own discovery files whose companion is gone. Everything else is the person's to do.

use std::path::Path;

use alongside_contract::discovery::{Record, WRITER};
use alongside_desk::harmless;
use alongside_platform::untrusted::{self, Whose};

use super::probe::{self, ProbeResult};
use super::running_companions::Companions;

/// A record has a few hundred bytes; a file larger than this is something else.
const MAX_BYTES: u64 = 1 << 20;

/// Removes the files, and returns a line for each. A file goes only if it names us as its writer, no
/// companion proves to know its token, and it still holds the same record.
pub(super) async fn remove(companions: &Companions) -> Vec<String> {
    let mut removed = Vec::new();
    let ours = companions.stale.iter().filter(|(_, record)| record.writer.as_deref() == Some(WRITER));
    for (path, record) in ours {
        let result = probe::connect("127.0.0.1", record.port, record.auth_token.as_deref()).await;
        // A companion that hangs may come back.
        let is_gone = matches!(
            result,
            ProbeResult::NotListening | ProbeResult::Refused | ProbeResult::Stranger | ProbeResult::Other(_)
        );
        if !is_gone || !still_holds(path, record) {
            continue;
        }
        removed.push(match std::fs::remove_file(path) {
            Ok(()) => format!("removed {}", harmless::path(path)),
            Err(error) => format!("cannot remove {}: {error}", harmless::path(path)),
        });
    }
    removed
}

fn still_holds(path: &Path, record: &Record) -> bool {
    // Another program may have put a device or a pipe there.
    let json = untrusted::read(path, MAX_BYTES, Whose::Ours).ok();
    let now = json.and_then(|json| serde_json::from_slice::<Record>(&json).ok());
    now.is_some_and(|now| now.is_same_companion(record))
}
