//! The real client code of Gemini CLI in Node for Windows, which `cargo xtask systems` installs. On Linux,
//! the tests in `rig` use this client in every release.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::home::{Home, soon};

/// The environment variable with the command that starts the driver of the client, as JSON list of its words.
const CLIENT_VARIABLE: &str = "ALONGSIDE_IDE_CLIENT";

/// The running driver of the client.
struct Client {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Client {
    fn start(home: &Home) -> Self {
        let words = std::env::var(CLIENT_VARIABLE).expect("cargo xtask systems names the client");
        let words: Vec<String> = serde_json::from_str(&words).unwrap();
        let mut command = home.command(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, lines: BufReader::new(out).lines() }
    }

    /// Sends a request to the driver.
    fn asks(&mut self, request: &Value) {
        writeln!(self.input, "{request}").unwrap();
    }

    /// Waits for the reply to a request and returns its result.
    fn reply(&mut self, id: u32) -> Value {
        loop {
            let line = self.lines.next().expect("the client still runs").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].clone();
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn the_real_client_of_gemini_gets_every_outcome() {
    let home = Home::new();
    let file = home.file("a.txt", "a\nb\nc\n");
    let mut desk = home.desk();
    desk.hears("alongside/didChangeStatus", |_| true).await;
    let mut client = Client::start(&home);
    client.asks(&json!({"id": 1, "cmd": "connect"}));
    let connected = soon("the connection", tokio::task::spawn_blocking(move || (client.reply(1), client)));
    let (status, mut client) = connected.await.unwrap();
    assert_eq!((&status["status"], &status["diffing"]), (&json!("connected"), &json!(true)), "{status}");
    for (id, decision) in [(2_u32, "accept"), (3, "reject")] {
        let text = format!("A{id}\nb\nc\n");
        client.asks(&json!({"id": id, "cmd": "openDiff", "path": file, "text": text}));
        let opened = |review: &Value| review["file"] == *file && review["proposed"] == *text;
        let review = desk.hears("alongside/didOpenReview", opened).await;
        desk.decides(&review, decision);
        let told = soon("the outcome", tokio::task::spawn_blocking(move || (client.reply(id), client)));
        let outcome;
        (outcome, client) = told.await.unwrap();
        assert_eq!(outcome["status"], format!("{decision}ed"), "{outcome}");
    }
}
