//! Helix shows one line of a message and cuts off the rest.

use alongside_desk::{Agent, Closed, Closing, LineEnding, Problem};
use unicode_width::UnicodeWidthStr as _;

use super::companion::Companion;
use super::showing::{NEW, OLD};
use super::*;

const COLUMNS: usize = 80;

/// Returns the messages since the last look; each fits.
fn said(stage: &Stage) -> Vec<String> {
    let said: Vec<String> = stage.seen().said().lines().map(str::to_owned).collect();
    for line in &said {
        assert!(line.width() <= COLUMNS, "{}: {line}", line.width());
    }
    said
}

/// Returns a stage on which Helix has heard of a review of a file far down.
async fn announced(change: impl FnOnce(&mut alongside_desk::Review)) -> (Stage, Companion) {
    let mut stage = Stage::new("helix", &[]);
    let deep = format!("{}/InvoiceRepository漢字.java", ["deep"; 12].join("/"));
    let path = stage.path(&deep);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, OLD).unwrap();
    let agent = Agent { number: 1, name: "Gemini CLI".into(), ..Agent::default() };
    let mut review = Companion::review(1, agent, path.to_str().unwrap().to_owned(), OLD, NEW);
    change(&mut review);
    let companion = Companion::opens(&mut stage, review).await;
    (stage, companion)
}

#[tokio::test(start_paused = true)]
async fn an_announcement_names_the_keys_and_fits() {
    let (stage, _) = announced(|_| ()).await;
    let [said] = said(&stage).try_into().unwrap();
    let said = with_slashes(&said);
    assert!(said.starts_with("Gemini CLI proposes …/deep/"), "{said}");
    assert!(said.ends_with("/deep/InvoiceRepository漢字.java: space a"), "{said}");
    let mut stage = Stage::new("helix", &[]).in_project();
    stage.open("main.py", OLD);
    Companion::proposes(&mut stage, "main.py", OLD, NEW).await;
    assert_eq!(stage.seen().said(), "Gemini CLI proposes main.py: space a");
}

#[tokio::test(start_paused = true)]
async fn titles_of_actions_fit_into_the_menu() {
    let (mut stage, _) = announced(|_| ()).await;
    let target = stage.uri(&format!("{}/InvoiceRepository漢字.java", ["deep"; 12].join("/")));
    let titles = stage.titles(&target, 0);
    assert_eq!(titles.len(), 3);
    for title in titles {
        assert!(title.width() <= COLUMNS - 4 && with_slashes(&title).contains("…/deep/"), "{title}");
    }
    assert!(stage.titles("file:///elsewhere", 0)[0].ends_with(".java (Gemini CLI, 2 changes)"));
}

#[tokio::test(start_paused = true)]
async fn a_danger_comes_first_and_fits() {
    let (stage, _) = announced(|review| {
        review.agent.name = "a name that goes on and on, beyond the end of every line".into();
        (review.outside, review.in_git) = (Some("/x".into()), Some("/y".into()));
    })
    .await;
    let [said] = said(&stage).try_into().unwrap();
    assert!(said.starts_with("OUTSIDE THE PROJECT: RUN BY GIT: "), "{said}");
}

#[tokio::test(start_paused = true)]
async fn every_end_of_a_review_fits() {
    for closing in [
        Closing::Accepted,
        Closing::Rejected,
        Closing::AnsweredInAgent,
        Closing::AgentGone,
        Closing::Stopped,
        Closing::EditorGone,
        Closing::Interrupted,
    ] {
        for draft in [None, Some(std::path::PathBuf::from("/home/somebody/.local/state/alongside/drafts/1"))]
        {
            let (mut stage, companion) = announced(|_| ()).await;
            said(&stage);
            let has_draft = draft.is_some();
            let closed = Closed { draft, ..Closed::of(companion.review.id, closing) };
            stage.desk.handle_event(&mut stage.io, alongside_desk::Event::Closed(closed));
            let [said] = said(&stage).try_into().unwrap();
            assert!(said.contains("…"), "{said}");
            // The companion reports edits that an agent left out.
            let names_draft = has_draft && closing != Closing::AnsweredInAgent;
            assert_eq!(said.ends_with("alongside drafts"), names_draft, "{said}");
            let is_decided = matches!(closing, Closing::Accepted | Closing::Rejected);
            assert_eq!(said.contains(" at another desk"), is_decided, "{said}");
            let is_accepted = closing == Closing::Accepted;
            assert_eq!(said.ends_with("; open it and :rl."), is_accepted && !has_draft, "{said}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn other_messages_about_a_file_fit() {
    let (mut stage, mut companion) = announced(|review| {
        review.file_line_ending = Some(LineEnding::Crlf);
        review.file_has_bom = Some(true);
    })
    .await;
    said(&stage);
    let own = stage.show_proposal(NEW);
    assert!(said(&stage)[0].contains("CRLF in the file"));
    stage.type_in(&own, "mine", range((0, 0), (0, 0)));
    companion.serve(&mut stage).await;
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    stage.wait();
    assert!(said(&stage)[0].contains("the proposal has your edits"));
    for _ in 0..2 {
        stage.command(json!({"command": "alongside.pause"}));
        assert_eq!(said(&stage).len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_problem_is_one_message_for_the_next_replaces_it() {
    let mut stage = Stage::new("helix", &[]);
    let problem = Problem::new("the host has stopped", "Run\nalongside doctor");
    stage.desk.handle_event(&mut stage.io, alongside_desk::Event::Problem(problem));
    assert_eq!(said(&stage), [r"the host has stopped: Run\nalongside doctor"]);
}

/// Returns a stage in the directory of its project, on which Helix has heard of reviews of two files.
async fn two_announced() -> (Stage, Vec<Companion>) {
    let mut stage = Stage::new("helix", &[]).in_project();
    let mut companions = Vec::new();
    for (id, name) in [(1, "basket.py"), (2, "numbers.txt")] {
        stage.open(name, OLD);
        let agent = Agent { number: 1, name: "Gemini CLI".into(), listening: true, ..Agent::default() };
        let file = stage.path(name).to_str().unwrap().to_owned();
        let review = Companion::review(id, agent, file, OLD, NEW);
        companions.push(Companion::opens(&mut stage, review).await);
    }
    (stage, companions)
}

#[tokio::test(start_paused = true)]
async fn a_message_about_one_review_counts_the_others() {
    let both =
        ["Gemini CLI proposes basket.py: space a", "Gemini CLI proposes numbers.txt (1 more waits): space a"];
    let own = "numbers.txt: accepted (:rl shows it). 1 more waits: space a";
    for (closing, end) in [
        (Closing::Rejected, "numbers.txt: rejected; Gemini CLI is told. 1 more waits: space a"),
        (Closing::Accepted, own),
        // This ends all of them.
        (Closing::Stopped, "numbers.txt: rejected, because the companion stopped."),
    ] {
        let (mut stage, companions) = two_announced().await;
        assert_eq!(said(&stage), both);
        companions[1].close(&stage, closing, true);
        stage.hear().await;
        assert_eq!(said(&stage), [end]);
        companions[0].close(&stage, Closing::Rejected, true);
        stage.hear().await;
        assert_eq!(said(&stage), ["basket.py: rejected; Gemini CLI is told."]);
    }
}
