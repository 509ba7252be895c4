//! Very large messages: 64 MB is accepted, 1 GB is refused, and the companion's memory hardly grows.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use alongside_rig::procfs::status_field;
use alongside_rig::wire::{Peer, Raw, open_diff_call, within};

use crate::stage::Stage;
use crate::test_directory::companion_directory;

#[tokio::test]
async fn a_proposal_of_64_mb_works_there_and_back() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    let text = "a line of text that is not so long, \"quoted\" and\ttabbed\n".repeat((64 << 20) / 56 + 1);
    let path = stage.path("big.txt");
    stage.open_and_accept(&peer, 1, &path, &text).await;
    let accepted = stream.wait_for("ide/diffAccepted").await;
    assert!(accepted["params"]["content"] == *text, "the returned text differs");
    peer.acknowledge(&mut stream).await;
}

#[tokio::test]
async fn oversized_body_is_413_however_it_is_sent() {
    let stage = Stage::with(|builder| builder.max_body(1 << 20)).await;
    let peer = stage.peer().await;
    let large = open_diff_call(1, &stage.path("a"), &"x".repeat(1 << 20));
    let mut raw = Raw::dial(stage.port()).await;
    raw.send(peer.post_head(large.len())).await;
    assert_eq!(within("413 before the body", raw.head()).await.status, 413);

    let mut raw = Raw::dial(stage.port()).await;
    raw.send(chunked_head(&peer)).await;
    let chunk = format!("{:x}\r\n{}\r\n", 64 << 10, "x".repeat(64 << 10));
    raw.send_until_answered(&chunk, usize::MAX).await;
    assert_eq!(raw.head().await.status, 413);
    let fits = open_diff_call(2, &stage.path("a"), &"x".repeat((1 << 20) - 1000));
    assert_eq!(peer.post(fits).await.status(), 200);
}

fn chunked_head(peer: &Peer) -> String {
    format!(
        "{}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        peer.head("POST")
    )
}

/// A companion in a process of its own, which is killed when this value is dropped.
pub(crate) struct LoneCompanion {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
    temp: tempfile::TempDir,
}

impl LoneCompanion {
    pub(crate) fn start() -> Self {
        Self::start_as(Command::new(env!("CARGO_BIN_EXE_lone-companion")))
    }

    /// Starts a companion with this limit of open files and connections.
    pub(crate) fn start_with_descriptors(descriptors: usize) -> Self {
        let mut command = Command::new("sh");
        let script = format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_lone-companion")]);
        Self::start_as(command)
    }

    fn start_as(mut command: Command) -> Self {
        let temp = companion_directory();
        let mut child = spawn(command.arg(temp.path()).arg("accept"));
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: serde_json::Value = serde_json::from_str(&line).expect("the companion's first line");
        let port = ready["port"].as_u64().unwrap().try_into().unwrap();
        Self { child, port, token: ready["token"].as_str().unwrap().to_owned(), temp }
    }

    /// Connects an agent.
    pub(crate) async fn peer(&self) -> Peer {
        Peer::join(self.port, &self.token).await
    }

    /// Fails unless the process's peak memory is less than `limit` KB above `before`.
    pub(crate) fn expect_growth_below(&self, limit: u64, before: u64) {
        let grown = self.peak_kb().saturating_sub(before);
        assert!(grown < limit, "memory grew by {grown} KB");
    }

    /// Returns the process's peak memory, in KB.
    pub(crate) fn peak_kb(&self) -> u64 {
        status_field(self.child.id(), "VmHWM").unwrap()
    }
}

fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Starts a companion for a user with a permissive umask, and calls `look` with every file and directory that
/// it creates, again and again. Returns what `look` has returned.
#[cfg(target_os = "linux")]
pub(crate) fn watch_while_starting<T>(look: impl Fn(&std::path::Path) -> Option<T>) -> Vec<T> {
    let temp = companion_directory();
    let mut command = Command::new("sh");
    command.args(["-c", "umask 0 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_lone-companion")]);
    let mut child = spawn(command.arg(temp.path()));
    let deadline = std::time::Instant::now() + alongside_rig::wire::PATIENCE;
    let (mut seen, mut rounds_after) = (Vec::new(), 0);
    while rounds_after < 50 {
        assert!(std::time::Instant::now() < deadline, "the companion publishes no file");
        let before = seen.len();
        let mut directories = vec![temp.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
                directories.extend(entry.file_type().is_ok_and(|kind| kind.is_dir()).then(|| entry.path()));
                seen.extend(look(&entry.path()));
            }
        }
        rounds_after += usize::from(before > 0);
    }
    let _ = child.kill();
    let _ = child.wait();
    seen
}

impl Drop for LoneCompanion {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The limit of the memory that a refused gigabyte may cost, in KB.
pub(crate) const MAX_GROWTH_KB: u64 = 64 << 10;

#[cfg(target_os = "linux")]
#[tokio::test]
async fn gigabyte_with_length_is_413_and_memory_stays_flat() {
    let lone = LoneCompanion::start();
    let peer = lone.peer().await;
    let before = lone.peak_kb();
    let mut raw = Raw::dial(lone.port).await;
    raw.send(peer.post_head(1 << 30)).await;
    let chunk = vec![b'x'; 1 << 20];
    raw.send_until_answered(&chunk, 1024).await;
    assert_eq!(raw.head().await.status, 413);
    lone.expect_growth_below(MAX_GROWTH_KB, before);
    peer.request(1, "ping", serde_json::json!({})).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_gigabyte_in_chunks_is_413_within_the_memory_limit() {
    let lone = LoneCompanion::start();
    let peer = lone.peer().await;
    let before = lone.peak_kb();
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "x".repeat(1 << 20));
    // The size of the body is unknown, so the companion reads up to its limit, and then drops the body.
    for _ in 0..3 {
        let mut raw = Raw::dial(lone.port).await;
        raw.send(chunked_head(&peer)).await;
        raw.send_until_answered(&chunk, 1024).await;
        assert_eq!(raw.head().await.status, 413);
    }
    lone.expect_growth_below((192 << 10) + MAX_GROWTH_KB, before);
    peer.request(1, "ping", serde_json::json!({})).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn agents_that_never_read_cost_only_what_they_requested() {
    let lone = LoneCompanion::start();
    let text = format!("{}\n", "x".repeat(1023)).repeat(2 << 10);
    let mut deaf = Vec::new();
    for _ in 0..3 {
        let peer = lone.peer().await;
        let unread = peer.get().await;
        deaf.push((peer, unread));
    }
    let path = lone.temp.path().join("project/a.txt").to_str().unwrap().to_owned();
    let mut peaks = Vec::new();
    for round in 0..30 {
        for (peer, _) in &deaf {
            peer.open_diff(round, &path, &text).await;
        }
        peaks.push(lone.peak_kb());
    }
    // The first rounds fill the allocator, and later rounds need no more memory. The kernel's counters are
    // not exact: even a peak can be a little lower later.
    let grown = peaks[29].saturating_sub(peaks[9]);
    assert!(grown < 40 << 10, "60 proposals of 2 MB that nobody hears of cost {grown} KB: {peaks:?}");
}

/// The index of lines is small, even for millions of lines that all differ from the file's.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn millions_of_empty_lines_cost_little_more_than_their_bytes() {
    let lone = LoneCompanion::start();
    let peer = lone.peer().await;
    let path = |name: &str| lone.temp.path().join("project").join(name).to_str().unwrap().to_owned();
    std::fs::write(path("there.txt"), "a\n".repeat(8 << 20)).unwrap();
    let before = lone.peak_kb();
    let text = "\n".repeat(16 << 20);
    peer.open_diff(1, &path("new.txt"), &text).await;
    peer.open_diff(2, &path("there.txt"), &text).await;
    // The message has two bytes per line and exists twice for a moment, and the texts of both reviews stay in
    // memory: some 220 MB, plus the allocator's reserve. An index of 16 bytes per line would add that size
    // twice.
    lone.expect_growth_below(400 << 10, before);
}

#[tokio::test]
async fn a_lone_companion_ends_with_its_input() {
    let mut lone = LoneCompanion::start();
    let records = lone.temp.path().join("tmp");
    assert!(records.read_dir().unwrap().next().is_some());
    drop(lone.child.stdin.take().map(|mut input| input.write_all(b"bye\n")));
    let status = within("the companion to end", async {
        loop {
            if let Some(status) = lone.child.try_wait().unwrap() {
                return status;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
    assert!(status.success());
}
