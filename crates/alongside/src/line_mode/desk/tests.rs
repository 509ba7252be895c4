//! Tests of typed lines, with a companion in memory that refuses some requests.

use std::sync::Arc;

use alongside_desk::{Call, Hunk, Reasons, Refusal, Review, Revised, pair};

use super::*;
use crate::line_mode::drafts_in_memory::Drafts;
use crate::line_mode::output_in_memory::MemoryOutput;

/// The effects of typed lines.
struct Typed {
    /// The requests that the companion received.
    requests: Vec<Request>,
    drafts: Vec<String>,
    output: String,
}

impl Typed {
    /// Returns the reasons that the companion received.
    fn reasons(&self) -> Vec<&str> {
        let reasons = self.requests.iter().filter_map(|request| match request {
            Request::SetReason { reason, .. } => Some(&**reason),
            _ => None,
        });
        reasons.collect()
    }
}

/// Types these lines at a review whose companion refuses the first `refused` reasons.
async fn type_reasons(lines: &'static str, mut refused: usize) -> Typed {
    let refuses = move |request: &Request| {
        let is_refused = matches!(request, Request::SetReason { .. }) && refused > 0;
        refused -= usize::from(is_refused);
        is_refused
    };
    type_lines(lines, refuses).await
}

/// Types these lines at a review whose companion refuses some requests.
async fn type_lines(
    lines: &'static str,
    mut refuses: impl FnMut(&Request) -> bool + Send + 'static,
) -> Typed {
    let line = (0..1).into();
    let hunk = Hunk { original: line, proposed: line, current: line, ..Hunk::default() };
    let mut review = Review {
        id: ReviewId(1),
        file: "/p/a.rs".into(),
        original: Some("old\n".into()),
        proposed: "new\n".into(),
        current: "new\n".into(),
        hunks: vec![hunk],
        reasons: Reasons::Always,
        ..Review::default()
    };
    review.agent.name = "Codex".into();
    let (desk, mut seat) = pair();
    seat.events.send(Event::Opened(review)).unwrap();
    let served = tokio::spawn(async move {
        let mut requests = Vec::new();
        while let Some(Call { request, answer }) = seat.calls.recv().await {
            let is_last = request == Request::Leave;
            // No event brings the revision of a reason.
            let revision = u64::from(matches!(request, Request::SetReason { .. }));
            let reply = if refuses(&request) { Err(Refusal::Interrupted) } else { Ok(Revised { revision }) };
            requests.push(request);
            let _ = answer.send(reply);
            if is_last {
                break;
            }
        }
        requests
    });
    let drafts = Arc::new(Drafts::default());
    let input = LineReader::new(false, move || Box::new(lines.as_bytes()));
    let reading = Reading::new(input, vec!["/p".into()], Policy::Ask, true);
    let mut work = ReviewWork::new(desk, reading, DraftStore::among_drafts(drafts.clone()));
    let output = MemoryOutput::default();
    *work.reading().printer() = output.printer();
    let mut desk = LineDesk::of(work, true);
    let ending = desk.run(&mut Signals::listen().unwrap(), std::future::pending()).await;
    desk.finish(ending).await;
    Typed { requests: served.await.unwrap(), drafts: drafts.all(), output: output.text() }
}

#[tokio::test]
async fn a_refused_reason_is_sent_again_by_its_letter_alone() {
    let typed = type_reasons("R too early\nR\nR\nq\ny\n", 1).await;
    assert_eq!(typed.reasons(), ["too early", "too early"], "an accepted reason is not sent again");
    assert!(typed.drafts.is_empty(), "{:?}", typed.drafts);
}

#[tokio::test]
async fn a_refused_removal_of_a_reason_is_sent_again_only_when_typed() {
    let typed = type_reasons("R too early\nR -\nR\nq\ny\n", 9).await;
    assert_eq!(typed.reasons(), ["too early", ""]);
    assert!(typed.drafts.is_empty(), "{:?}", typed.drafts);
    let (_, after) = typed.output.split_once(prompts::REASON_COMES_BACK).unwrap();
    assert!(after.contains(prompts::REASON_NOT_REMOVED), "{after}");
    assert!(!after.contains(prompts::REASON_COMES_BACK), "{after}");
}

#[tokio::test]
async fn a_redo_that_the_companion_could_not_answer_is_typed_again() {
    let mut redos = 0;
    let refuses = move |request: &Request| {
        redos += usize::from(matches!(request, Request::RedoReview { .. }));
        matches!(request, Request::RedoReview { .. }) && redos == 1
    };
    // The first step keeps a kept change, which the companion does not know.
    let typed = type_lines("y\nb\nn\nu\nu\nU\nU\nU\nu\nq\ny\n", refuses).await;
    let steps = typed.requests.iter().filter_map(|request| match request {
        Request::KeepHunks { .. } => Some("drop"),
        Request::UndoReview { .. } => Some("undo"),
        Request::RedoReview { .. } => Some("redo"),
        _ => None,
    });
    assert_eq!(steps.collect::<Vec<_>>(), ["drop", "undo", "redo", "redo", "undo"], "{}", typed.output);
}

#[tokio::test]
async fn no_line_waits_for_a_revision_that_came_with_no_event() {
    let typed = type_reasons("R too early\nR too late\nq\ny\n", 0).await;
    assert_eq!(typed.reasons(), ["too early", "too late"]);
    assert!(typed.drafts.is_empty(), "{:?}", typed.drafts);
}

#[tokio::test]
async fn an_unsent_reason_is_in_the_drafts() {
    let typed = type_reasons("R too early\nR too late\nq\ny\n", 9).await;
    assert_eq!(typed.reasons(), ["too early", "too late"]);
    let why = "the desk was closed before this reason was taken";
    assert_eq!(typed.drafts, [format!("/p/a.rs (Codex): {why}: too late")]);
}
