//! A kill at each step of each write: the test copies the state directory at every step, starts a companion
//! from each copy, and checks that it has everything that was confirmed to agent and person by then.

use std::sync::Arc;
use std::sync::Mutex;

use super::*;
use crate::persistence::private_files::disk_steps;

/// The knowledge of agent and person. All texts differ, so that each identifies its proposal.
#[derive(Debug, Clone, PartialEq)]
enum Known {
    /// The agent has its session.
    Session(String),
    /// `openDiff` of this file was answered.
    Proposed(String),
    /// The edit to this text was confirmed to the desk.
    Typed(String),
    /// The person has sent this decision; it is not confirmed.
    DecisionSent(Decision),
    /// The decision on the open review was confirmed.
    DecisionConfirmed,
    /// The agent has read this outcome.
    Delivered(serde_json::Value),
    /// `closeDiff` has returned this text to the agent.
    Closed(String),
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<Known>>>);

impl Memory {
    fn add(&self, known: Known) {
        self.0.lock().unwrap().push(known);
    }
}

/// The state directory at one step, with everything that was known then.
struct Moment {
    known: Vec<Known>,
    state: tempfile::TempDir,
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let entries = fs::read_dir(from).into_iter().flatten().flatten();
    // The reserve holds no data.
    for entry in entries.filter(|entry| entry.file_name() != "reserve") {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// Returns lines that make the texts of some files large: a large text has its own file in the journal.
fn filler(n: usize) -> String {
    if matches!(n, 0 | 3) { "the same\n".repeat(8 << 10) } else { String::new() }
}

/// Records each step of a story: an agent proposes four files, one after the other. An edited one is
/// accepted, one is rejected, one is answered in the agent, and one is left open. Returns the moments, the
/// files, and the port with its hold.
async fn record_moments() -> (Vec<Moment>, Vec<String>, u16, PortHold) {
    let mut story = Story::with_journal().await;
    let port = story.companion.port();
    let hold = PortHold::take(story.companion.addresses()).unwrap();
    let (memory, moments) = (Memory::default(), Arc::new(Mutex::new(Vec::new())));
    let state = story.path("state");
    let (memory_then, recorded, source) = (memory.clone(), moments.clone(), state.clone());
    disk_steps::watch(&state, move || {
        let known = memory_then.0.lock().unwrap().clone();
        let state = tempfile::tempdir().unwrap();
        copy(&source, state.path());
        recorded.lock().unwrap().push(Moment { known, state });
    });
    let files: Vec<String> = ["a.txt", "b.txt", "c.txt", "d.txt"]
        .map(|name| story.path("project").join(name).to_str().unwrap().to_owned())
        .into();
    let agent = story.agent().await;
    memory.add(Known::Session(agent.session.clone()));
    let reading = tokio::spawn(read_as_agent(agent.stream().await, memory.clone()));
    for (n, file) in files.iter().enumerate() {
        agent.open_diff(file, &format!("{}proposal {n}\n", filler(n))).await.unwrap();
        memory.add(Known::Proposed(file.clone()));
        let mut review = story.next_opened().await;
        for again in ["typed", "typed again"] {
            let text = format!("{}{again} {n}\n", filler(n));
            story.type_over(&mut review, &text).await;
            memory.add(Known::Typed(text));
        }
        let decision = if n == 0 { Decision::Accept } else { Decision::Reject };
        match n {
            0 | 1 => {
                memory.add(Known::DecisionSent(decision));
                story.decide(&review, decision).await.unwrap();
                memory.add(Known::DecisionConfirmed);
                // By then the outcome is delivered, and its delivery is on disk.
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            2 => memory.add(Known::Closed(agent.close_diff(file).await.unwrap())),
            _ => {}
        }
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    story.companion.hand_over().await;
    reading.await.unwrap();
    // The state after the last step is a moment as well.
    disk_steps::step(&state);
    drop(story.directory);
    (std::mem::take(&mut *moments.lock().unwrap()), files, port, hold)
}

/// Reads each frame as it comes, and answers its ping.
async fn read_as_agent(mut stream: OpenStream, memory: Memory) {
    while let Some(frame) = stream.frames.recv().await {
        stream.events.send(Event::StreamDrained { session: stream.session.clone() });
        for message in messages_in(&text_of(&frame)) {
            match message["method"].as_str() {
                Some("ping") => {
                    let id = serde_json::from_value(message["id"].clone()).unwrap();
                    stream.events.send(Event::Receipt { session: stream.session.clone(), id });
                }
                Some(method) if method.starts_with("ide/diff") => memory.add(Known::Delivered(message)),
                _ => {}
            }
        }
    }
}

/// Starts a companion on the state of this moment. A test beside this one may have its port for a while.
async fn successor(moment: &Moment, port: u16, hold: &PortHold) -> (tempfile::TempDir, Companion) {
    let knows_port = moment.known.iter().any(|known| matches!(known, Known::Session(_)));
    for _ in 0..100 {
        let directory = tempfile::tempdir().unwrap();
        for below in ["tmp", "home", "project"] {
            fs::create_dir(directory.path().join(below)).unwrap();
        }
        copy(moment.state.path(), &directory.path().join("state"));
        let companion =
            builder(directory.path()).journal_as("k").port_hold(hold.clone()).start().await.unwrap();
        if companion.port() == port || !knows_port {
            return (directory, companion);
        }
        companion.stop().await;
        // The other process needs real time to free the port, and the clock of the test is paused.
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("another process keeps the port {port}");
}

/// Checks a companion that starts after a kill at this moment.
async fn check_after_kill(moment: &Moment, files: &[String], port: u16, hold: &PortHold) {
    let known = &moment.known;
    let what = format!("killed when this was known: {known:#?}");
    let (directory, companion) = successor(moment, port, hold).await;
    let drafts = Drafts::open(&AppDirs::below(directory.path()));
    let texts = draft_texts(&drafts);

    // The last text that was typed for each file is in a draft, unless the agent has it.
    let mut delivered = String::new();
    for known in known {
        match known {
            Known::Delivered(outcome) => {
                delivered += outcome["params"]["content"].as_str().unwrap_or_default()
            }
            Known::Closed(text) => delivered += text,
            _ => {}
        }
    }
    for n in 0..files.len() {
        let is_of_file =
            |known: &&Known| matches!(known, Known::Typed(text) if text.ends_with(&format!(" {n}\n")));
        if let Some(Known::Typed(text)) = known.iter().rfind(is_of_file) {
            // The next edit may be on disk already, though it was not confirmed.
            let newer = format!("{}typed again {n}\n", filler(n));
            let is_there = texts.contains(text) || texts.contains(&newer);
            assert!(is_there || delivered.contains(text.as_str()), "{text:?} is lost, {texts:?}; {what}");
        }
    }

    let session = known.iter().find_map(|known| match known {
        Known::Session(session) => Some(session.clone()),
        _ => None,
    });
    let Some(session) = session else { return companion.stop().await };
    let agent = Agent { events: companion.events.clone(), session };
    assert!(agent.is_known().await, "its session is lost; {what}");
    let mut stream = agent.stream().await;
    let is_outcome = |message: &serde_json::Value| {
        message["method"].as_str().is_some_and(|method| method.starts_with("ide/diff"))
    };
    let mut received = Vec::new();
    let deadline = Instant::now() + Duration::from_secs(2);
    while let Some(frame) = frame_within(&mut stream, deadline - Instant::now()).await {
        received.extend(messages_in(&frame).into_iter().filter(is_outcome));
    }
    // The agent gets the outcome of each open review once, and otherwise only outcomes that it got before.
    let last = known.iter().rposition(|known| matches!(known, Known::Proposed(_)));
    let since: &[Known] = last.map_or(&[], |at| &known[at..]);
    let ends = since.iter().any(|known| matches!(known, Known::Delivered(_) | Known::Closed(_)));
    if let (Some(Known::Proposed(file)), false) = (since.first(), ends) {
        let is_of_file = |outcome: &&serde_json::Value| outcome["params"]["filePath"] == file.as_str();
        let outcomes: Vec<_> = received.iter().filter(is_of_file).collect();
        let [outcome] = outcomes[..] else { panic!("{file} gets {outcomes:?}; {what}") };
        let accepts = since.contains(&Known::DecisionSent(Decision::Accept));
        match outcome["method"].as_str().unwrap() {
            "ide/diffAccepted" => assert!(accepts, "nobody accepted it; {what}"),
            _ => assert!(
                !(accepts && since.contains(&Known::DecisionConfirmed)),
                "the decision is lost; {what}"
            ),
        }
    }
    for outcome in received {
        let path = outcome["params"]["filePath"].clone();
        let before = known.iter().find_map(|known| match known {
            Known::Delivered(before) if before["params"]["filePath"] == path => Some(before),
            _ => None,
        });
        if let Some(before) = before {
            assert_eq!(&outcome, before, "the agent got another outcome before; {what}");
        }
    }
    companion.stop().await;
}

#[cfg_attr(
    not(target_os = "linux"),
    ignore = "only there does a successor keep the token, and so the sessions"
)]
#[tokio::test(start_paused = true)]
async fn after_a_kill_at_any_step_outcomes_and_edits_survive() {
    let (moments, files, port, hold) = record_moments().await;
    assert!(moments.len() > 60, "{} moments", moments.len());
    for moment in &moments {
        check_after_kill(moment, &files, port, &hold).await;
    }
}
