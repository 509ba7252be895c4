//! The last word of a review states what its file holds after the decision.

use alongside_desk::{HookProposal, LastWord, Word};

use super::rules::rule;
use super::*;
use crate::Ruling;

impl Story {
    /// Returns the next last word, and the time until it came.
    async fn next_last_word(&mut self) -> (LastWord, Duration) {
        let begun = Instant::now();
        loop {
            // No test waits longer than this for the absence of a word.
            let event = tokio::time::timeout(2 * PAST_EVERY_WATCH, self.desk.next()).await;
            if let desk::Event::LastWord(last) = event.expect("an event comes").unwrap() {
                return (last, begun.elapsed());
            }
        }
    }

    async fn next_word(&mut self) -> Word {
        self.next_last_word().await.0.word
    }

    async fn expect_no_word_within(&mut self, time: Duration) {
        let last = tokio::time::timeout(time, self.next_last_word()).await;
        assert!(last.is_err(), "{last:?}");
    }

    /// Proposes a text, and decides on its review.
    async fn propose_and_decide(&mut self, agent: &Agent, text: &str, decision: Decision) -> Review {
        let review = self.propose_as(agent, text).await;
        self.decide(&review, decision).await.unwrap();
        review
    }

    /// Proposes by a hook, and accepts the review.
    async fn propose_by_hook_and_accept(&mut self, proposal: HookProposal) {
        let Self { companion, desk, .. } = self;
        let decide = async {
            let review = loop {
                if let desk::Event::Opened(review) = desk.next().await.unwrap() {
                    break review;
                }
            };
            let (id, revision) = (review.id, review.revision);
            let request = Request::DecideReview { id, revision, decision: Decision::Accept };
            desk.request(request).await.unwrap();
        };
        let (verdict, ()) = tokio::join!(companion.review(proposal), decide);
        assert!(matches!(verdict, Verdict::Accepted { .. }), "{verdict:?}");
    }
}

const SOON: Duration = Duration::from_secs(1);
/// A time longer than any file is watched.
const PAST_EVERY_WATCH: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn an_accepted_text_that_is_written_is_reported_soon_and_once() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let review = story.propose_and_decide(&agent, "new\n", Decision::Accept).await;
    // The agent writes late.
    story.expect_no_word_within(Duration::from_secs(300)).await;
    fs::write(&story.file, "new\n").unwrap();
    let (last, took) = story.next_last_word().await;
    assert!(took < SOON, "{took:?}");
    let message = "a.txt: written as accepted.".to_owned();
    let word = Word::WrittenAsAccepted;
    assert_eq!(last, LastWord { id: review.id, file: story.file.clone(), word, message });
    fs::write(&story.file, "the person goes on\n").unwrap();
    story.expect_no_word_within(PAST_EVERY_WATCH).await;
    assert_eq!(story.drafts().await, Vec::<String>::new());
}

/// An agent does not report the answer to its own prompt: only the file shows it.
#[tokio::test(start_paused = true)]
async fn the_file_shows_the_answer_that_was_given_in_the_agent() {
    let mut story = Story::begin().await;
    let (agent, _stream) = story.listener().await;
    story.propose_as(&agent, "new\n").await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("new\n"));
    fs::write(&story.file, "new\n").unwrap();
    assert_eq!(story.next_notice().await, "a.txt: written as proposed.");
    story.propose_as(&agent, "newer\n").await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("newer\n"));
    assert_eq!(story.next_notice().await, "a.txt: Gemini CLI has not written it.");
    // The person has accepted after all, or has typed the same text.
    fs::write(&story.file, "newer\n").unwrap();
    assert_eq!(story.next_notice().await, "a.txt: written as proposed.");
    // Another text shows neither an acceptance nor a rejection.
    story.propose_as(&agent, "newest\n").await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("newest\n"));
    fs::write(&story.file, "something else\n").unwrap();
    let notice = tokio::time::timeout(Duration::from_secs(60), story.next_notice()).await;
    assert!(notice.is_err(), "{notice:?}");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_still_being_written_is_not_judged() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    story.propose_and_decide(&agent, "new\nand more\n", Decision::Accept).await;
    for step in ["", "new\n", "new\nand"] {
        fs::write(&story.file, step).unwrap();
        story.expect_no_word_within(Duration::from_millis(150)).await;
    }
    fs::write(&story.file, "new\nand more\n").unwrap();
    assert_eq!(story.next_word().await, Word::WrittenAsAccepted);
}

#[tokio::test(start_paused = true)]
async fn a_file_with_another_text_is_reported_and_the_accepted_text_kept() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    story.propose_and_decide(&agent, "new\n", Decision::Accept).await;
    fs::write(&story.file, "formatted\n").unwrap();
    let (last, took) = story.next_last_word().await;
    assert_eq!((last.word, took < SOON), (Word::SomethingElse, true));
    let drafts = Drafts::open(&story.app_dirs());
    wait_until("the text is kept", || drafts.list().unwrap().len() == 1).await;
    assert_eq!(draft_texts(&drafts), ["new\n"]);
    assert!(last.message.contains("`alongside drafts`"), "{}", last.message);
    // The agent may write after another program: then its last word replaces the first one.
    fs::write(&story.file, "still something else\n").unwrap();
    story.expect_no_word_within(SOON).await;
    fs::write(&story.file, "new\n").unwrap();
    assert_eq!(story.next_word().await, Word::WrittenAsAccepted);
    wait_until("the draft is removed", || drafts.list().unwrap().is_empty()).await;
}

/// The agent ends, and a program that it started writes the text that the person typed.
#[tokio::test(start_paused = true)]
async fn a_draft_is_removed_even_after_the_watch_of_its_file_has_ended() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let mut review = story.propose_as(&agent, "new\n").await;
    story.type_over(&mut review, "mine\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    agent.leave().await;
    assert_eq!(story.next_word().await, Word::NotWritten);
    fs::write(&story.file, "mine\n").unwrap();
    story.expect_no_word_within(SOON).await;
    let drafts = Drafts::open(&story.app_dirs());
    wait_until("the draft is removed", || drafts.list().unwrap().is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_removed_file_is_reported_as_gone() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    story.propose_and_decide(&agent, "new\n", Decision::Accept).await;
    fs::rename(&story.file, story.path("project/b.txt")).unwrap();
    assert_eq!(story.next_word().await, Word::Gone);
    assert_eq!(story.drafts().await, ["new\n"]);
}

#[tokio::test(start_paused = true)]
async fn an_unwritten_accepted_text_is_reported_when_the_watch_ends() {
    for which in ["the next proposal", "the end of the session", "ten minutes"] {
        let (mut story, agent, _stream) = Story::with_listener().await;
        let review = story.propose_and_decide(&agent, "new\n", Decision::Accept).await;
        let within = match which {
            "the next proposal" => {
                agent.open_diff(&story.file, "newer\n").await.unwrap();
                SOON
            }
            "the end of the session" => {
                assert!(agent.leave().await);
                SOON
            }
            _ => Duration::from_secs(601),
        };
        let (last, took) = story.next_last_word().await;
        assert_eq!((last.id, last.word), (review.id, Word::NotWritten), "{which}");
        assert!(took < within, "{which}: {took:?}");
        assert!(which != "ten minutes" || took >= Duration::from_secs(600), "{took:?}");
        fs::write(&story.file, "new\n").unwrap();
        story.expect_no_word_within(PAST_EVERY_WATCH).await;
        assert_eq!(story.drafts().await, Vec::<String>::new(), "the person typed nothing");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_rejection_only_the_written_rejected_text_is_reported() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let review = story.propose_and_decide(&agent, "new\n", Decision::Reject).await;
    fs::write(&story.file, "by hand\n").unwrap();
    story.expect_no_word_within(Duration::from_secs(60)).await;
    fs::write(&story.file, "new\n").unwrap();
    let (last, _) = story.next_last_word().await;
    assert_eq!((last.id, last.word), (review.id, Word::WrittenThoughRejected));
    let message = "a.txt: written although you rejected it: the file holds the text of Gemini CLI.";
    assert_eq!(last.message, message);
    story.expect_no_word_within(PAST_EVERY_WATCH).await;

    story.propose_and_decide(&agent, "newer\n", Decision::Reject).await;
    story.expect_no_word_within(PAST_EVERY_WATCH).await;
}

/// The hook may have been killed, and the agent writes all the same.
#[tokio::test(start_paused = true)]
async fn a_text_written_after_its_hook_has_ended_is_reported() {
    let mut story = Story::begin().await;
    let hook = tokio::spawn(story.companion.review(story.hook_proposal("a.txt", "new\n")));
    let review = story.next_opened().await;
    hook.abort();
    story.expect_no_word_within(Duration::from_secs(60)).await;
    fs::write(&story.file, "new\n").unwrap();
    let (last, _) = story.next_last_word().await;
    assert_eq!((last.id, last.word), (review.id, Word::WrittenUndecided));
    let message = "a.txt: written without your decision at a desk: the file holds the text of Codex.";
    assert_eq!(last.message, message);
    story.expect_no_word_within(PAST_EVERY_WATCH).await;
}

#[tokio::test(start_paused = true)]
async fn a_text_rejected_from_one_agent_may_be_accepted_from_another() {
    let mut story = Story::begin().await;
    let ((one, _ones), (other, _others)) = (story.listener().await, story.listener().await);
    story.propose_and_decide(&one, "new\n", Decision::Reject).await;
    story.propose_and_decide(&other, "new\n", Decision::Accept).await;
    fs::write(&story.file, "new\n").unwrap();
    assert_eq!(story.next_word().await, Word::WrittenAsAccepted);
    story.expect_no_word_within(PAST_EVERY_WATCH).await;
}

#[tokio::test(start_paused = true)]
async fn each_of_several_decisions_on_a_file_has_its_own_last_word() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let mut words = Vec::new();
    // The agent proposes again before the file is checked. It does not write the third text.
    for text in ["one\n", "one\ntwo\n", "never\n", "one\ntwo\nthree!\n"] {
        agent.open_diff(&story.file, text).await.unwrap();
        let review = loop {
            match story.next().await {
                desk::Event::Opened(review) => break review,
                desk::Event::LastWord(LastWord { id, word, .. }) => words.push((id.0, word)),
                _ => {}
            }
        };
        story.decide(&review, Decision::Accept).await.unwrap();
        if text != "never\n" {
            fs::write(&story.file, text).unwrap();
        }
    }
    let (last, _) = story.next_last_word().await;
    words.push((last.id.0, last.word));
    let [written, not] = [Word::WrittenAsAccepted, Word::NotWritten];
    assert_eq!(words, [(1, written), (2, written), (3, not), (4, written)]);
    story.expect_no_word_within(PAST_EVERY_WATCH).await;
}

#[tokio::test(start_paused = true)]
async fn a_text_is_compared_in_the_line_endings_of_the_file() {
    let mut story = Story::begin().await;
    fs::write(&story.file, "\u{feff}one\r\ntwo\r\n").unwrap();
    let (agent, _stream) = story.listener().await;
    story.propose_and_decide(&agent, "one\n2\n", Decision::Accept).await;
    fs::write(&story.file, "\u{feff}one\r\n2\r\n").unwrap();
    assert_eq!(story.next_word().await, Word::WrittenAsAccepted);
    story.propose_and_decide(&agent, "one\n3\n", Decision::Accept).await;
    fs::write(&story.file, "one\r\n3\n").unwrap();
    assert_eq!(story.next_word().await, Word::SomethingElse);
}

/// Compared line by line, the file already holds the text.
#[tokio::test(start_paused = true)]
async fn a_text_of_equal_lines_counts_as_written_only_after_a_write() {
    for (on_disk, proposed) in [("one\r\ntwo\r\n", "one\ntwo\n"), ("\u{feff}one\n", "one\n")] {
        let mut story = Story::begin().await;
        fs::write(&story.file, on_disk).unwrap();
        let (agent, _stream) = story.listener().await;
        story.propose_and_decide(&agent, proposed, Decision::Accept).await;
        story.expect_no_word_within(SOON).await;
        // The agent writes in the form of the file, so that only the time of modification changes.
        fs::write(&story.file, on_disk).unwrap();
        let touched = std::time::SystemTime::now() + PAST_EVERY_WATCH;
        fs::File::options().write(true).open(&story.file).unwrap().set_modified(touched).unwrap();
        assert_eq!(story.next_word().await, Word::WrittenAsAccepted, "{on_disk:?}");
        story.propose_and_decide(&agent, proposed, Decision::Accept).await;
        agent.open_diff(&story.file, "newer\n").await.unwrap();
        assert_eq!(story.next_word().await, Word::NotWritten, "{on_disk:?}");
    }
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_file_behind_a_link_or_in_a_new_directory_is_watched() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    fs::create_dir(story.path("project/deep")).unwrap();
    fs::write(story.path("project/deep/real.txt"), "one\n").unwrap();
    let link = story.path("project/link.txt");
    std::os::unix::fs::symlink("deep/real.txt", &link).unwrap();
    story.file = link.to_str().unwrap().to_owned();
    story.propose_and_decide(&agent, "new\n", Decision::Accept).await;
    story.expect_no_word_within(SOON).await;
    fs::write(&link, "new\n").unwrap();
    assert_eq!(story.next_word().await, Word::WrittenAsAccepted);

    let coming = story.path("project/to/come/new.txt");
    story.file = coming.to_str().unwrap().to_owned();
    story.propose_and_decide(&agent, "new\n", Decision::Accept).await;
    story.expect_no_word_within(SOON).await;
    fs::create_dir_all(coming.parent().unwrap()).unwrap();
    story.expect_no_word_within(SOON).await;
    fs::write(&coming, "new\n").unwrap();
    let (last, took) = story.next_last_word().await;
    assert_eq!((last.word, took < SOON), (Word::WrittenAsAccepted, true));
}

#[tokio::test(start_paused = true)]
async fn an_accepted_deletion_is_written_when_the_file_is_gone() {
    let mut story = Story::begin().await;
    let remark = Some("This deletes the file.".into());
    let proposal = HookProposal { remark, takes_text: true, ..story.hook_proposal("a.txt", "") };
    story.propose_by_hook_and_accept(proposal).await;
    story.expect_no_word_within(SOON).await;
    fs::remove_file(&story.file).unwrap();
    assert_eq!(story.next_word().await, Word::WrittenAsAccepted);
}

/// Gemini CLI asks twice about one change: by its hook, and by `openDiff`.
#[tokio::test(start_paused = true)]
async fn a_repeated_answer_ends_no_watch() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let proposal = HookProposal {
        agent: "Gemini CLI".into(),
        comes_twice: true,
        takes_text: true,
        ..story.hook_proposal("a.txt", "new\n")
    };
    story.propose_by_hook_and_accept(proposal).await;
    agent.open_diff(&story.file, "new\n").await.unwrap();
    story.expect_no_word_within(SOON).await;
    fs::write(&story.file, "new\n").unwrap();
    assert_eq!(story.next_word().await, Word::WrittenAsAccepted);
}

#[tokio::test(start_paused = true)]
async fn files_beyond_the_limit_of_watches_get_no_false_word() {
    let mut story = Story::with_builder(|builder| builder.rules([rule("*", Ruling::Accept)], [])).await;
    let names = || (0..100).map(|number| format!("new-{number}.txt"));
    // An agent writes the files of a patch once all of them are accepted.
    for name in names() {
        let proposal = HookProposal { parts: 100, ..story.hook_proposal(&name, "x\n") };
        assert!(matches!(story.companion.review(proposal).await, Verdict::Accepted { .. }));
    }
    for name in names() {
        fs::write(story.path("project").join(name), "x\n").unwrap();
    }
    let mut words = Vec::new();
    while let Ok((last, _)) = tokio::time::timeout(10 * SOON, story.next_last_word()).await {
        words.push(last.word);
    }
    assert!(words.iter().all(|word| *word == Word::WrittenAsAccepted), "{words:?}");
    assert!((64..=100).contains(&words.len()), "{}", words.len());
}
