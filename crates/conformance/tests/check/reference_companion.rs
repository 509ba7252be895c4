//! The reference companion, met by an agent without the suite: the proof of the suite must not rest on the
//! suite alone.

use std::time::Duration;

use alongside_agent::{Endpoint, Identity, Outcome, Session, StreamState, find};
use alongside_contract::agent::FamilyAgent;
use tokio::time::timeout;

use crate::companion::Companion;

const PATIENCE: Duration = Duration::from_secs(10);

/// Starts a companion, and an agent of each family that finds it by its files.
async fn meet() -> (Companion, Vec<Session>) {
    let companion = Companion::start(None).await;
    let mut agents = Vec::new();
    for command in ["gemini", "qwen"] {
        let agent = FamilyAgent::of_command(command).unwrap();
        let found = find::candidates(agent, &companion.surroundings()).found;
        let record = &found.first().unwrap_or_else(|| panic!("{command} finds the companion")).record;
        let endpoint = Endpoint::local(record.port);
        let identity = Identity::new(command, "1");
        let connecting = Session::connect(endpoint, record.auth_token.as_deref(), identity);
        agents.push(timeout(PATIENCE, connecting).await.expect("connecting ends").expect("it connects"));
    }
    (companion, agents)
}

#[tokio::test]
async fn two_agents_with_one_file_each_hear_their_own_outcome() {
    let (companion, agents) = meet().await;
    let path = companion.shared.environment.project.join("main.rs").to_string_lossy().into_owned();
    let first = agents[0].open_diff(&path, "one\n").await.unwrap();
    assert!(companion.shared.edit(&path, "one, edited\n"));
    assert!(companion.shared.decide(&path, true));
    let second = agents[1].open_diff(&path, "two\n").await.unwrap();
    assert!(companion.shared.decide(&path, false));
    let accepted = Outcome::Accepted { content: "one, edited\n".into() };
    assert_eq!(timeout(PATIENCE, first.outcome()).await.expect("an outcome"), accepted);
    assert_eq!(timeout(PATIENCE, second.outcome()).await.expect("an outcome"), Outcome::Rejected);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "fn main() {}\n", "the agent writes, nobody else");
}

#[tokio::test]
async fn an_agent_that_closes_its_diff_is_given_the_edits() {
    let (companion, agents) = meet().await;
    agents[0].open_diff("/p//a.txt", "proposed\n").await.unwrap();
    assert!(companion.shared.edit("/p//a.txt", "edited\n"));
    for _ in 0..2 {
        let text = agents[0].close_diff("/p//a.txt", true).await.unwrap();
        assert_eq!(text.as_deref(), Some("edited\n"));
    }
    assert!(!companion.shared.is_open("/p//a.txt"));
    assert_eq!(agents[0].close_diff("/p//b.txt", false).await.unwrap(), None);
}

#[tokio::test]
async fn both_agents_know_where_the_person_is() {
    let (companion, agents) = meet().await;
    let path = companion.shared.environment.project.join("main.rs").to_string_lossy().into_owned();
    companion.shared.go_to(&path, 1, 4);
    for agent in &agents {
        let mut context = agent.context();
        let here = |context: &Option<alongside_contract::context::IdeContext>| {
            let file = context.as_ref().and_then(|context| context.open_files().first());
            file.is_some_and(|file| file.cursor.is_some_and(|cursor| cursor.character == 4))
        };
        timeout(PATIENCE, context.wait_for(here)).await.expect("a context in time").expect("a context");
    }
}

#[tokio::test]
async fn a_stopping_companion_rejects_and_removes_its_files() {
    let (companion, agents) = meet().await;
    let waiting = agents[0].open_diff("/p/a.txt", "proposed\n").await.unwrap();
    // The last outcome goes to open streams only.
    let mut stream = agents[0].stream();
    let open = stream.wait_for(|state| *state == StreamState::Open);
    timeout(PATIENCE, open).await.expect("a stream in time").expect("a stream");
    companion.stop().await;
    assert_eq!(timeout(PATIENCE, waiting.outcome()).await.expect("an outcome"), Outcome::Rejected);
    assert!(find::all_records(&companion.surroundings()).is_empty());
}
