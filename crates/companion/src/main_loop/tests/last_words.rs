//! The last word of a review is true: what its file holds after the decision.

use alongside_desk::{HookProposal, LastWord, Word};

use super::rules::rule;
use super::*;
use crate::Ruling;

impl Story {
    /// The next last word, and how long it took to come.
    async fn last_word(&mut self) -> (LastWord, Duration) {
        let begun = Instant::now();
        loop {
            // Longer than any test waits for none.
            let event = tokio::time::timeout(2 * LONG, self.desk.next()).await;
            if let desk::Event::LastWord(last) = event.expect("the desk is told").unwrap() {
                return (last, begun.elapsed());
            }
        }
    }

    async fn word(&mut self) -> Word {
        self.last_word().await.0.word
    }

    async fn no_word_within(&mut self, time: Duration) {
        let last = tokio::time::timeout(time, self.last_word()).await;
        assert!(last.is_err(), "{last:?}");
    }

    /// A proposal that the person decides.
    async fn decided(&mut self, agent: &Agent, text: &str, decision: Decision) -> Review {
        let review = self.proposed_by(agent, text).await;
        self.decide(&review, decision).await.unwrap();
        review
    }

    /// The verdict for the hook of an agent, whose proposal the person accepts.
    async fn hooked(&mut self, proposal: HookProposal) {
        let Self { companion, desk, .. } = self;
        let decides = async {
            let review = loop {
                if let desk::Event::Opened(review) = desk.next().await.unwrap() {
                    break review;
                }
            };
            let (id, revision) = (review.id, review.revision);
            let decide = Request::DecideReview { id, revision, decision: Decision::Accept };
            desk.request(decide).await.unwrap();
        };
        let (verdict, ()) = tokio::join!(companion.review(proposal), decides);
        assert!(matches!(verdict, Verdict::Accepted { .. }), "{verdict:?}");
    }
}

const SOON: Duration = Duration::from_secs(1);
/// Longer than any file is watched.
const LONG: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn an_accepted_text_that_is_written_is_told_soon_and_once() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let review = story.decided(&agent, "new\n", Decision::Accept).await;
    // The agent takes its time.
    story.no_word_within(Duration::from_secs(300)).await;
    fs::write(&story.file, "new\n").unwrap();
    let (last, took) = story.last_word().await;
    assert!(took < SOON, "{took:?}");
    let message = "a.txt: written as accepted.".to_owned();
    let word = Word::WrittenAsAccepted;
    assert_eq!(last, LastWord { id: review.id, file: story.file.clone(), word, message });
    fs::write(&story.file, "the person goes on\n").unwrap();
    story.no_word_within(LONG).await;
    assert_eq!(story.drafts().await, Vec::<String>::new());
}

/// An agent does not tell whether its own prompt got a yes: the file does.
#[tokio::test(start_paused = true)]
async fn after_an_answer_in_the_agent_the_file_tells_what_it_was() {
    let mut story = Story::begin().await;
    let (agent, _stream) = story.listener().await;
    story.proposed_by(&agent, "new\n").await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("new\n"));
    fs::write(&story.file, "new\n").unwrap();
    assert_eq!(story.notice().await, "a.txt: written as proposed.");
    story.proposed_by(&agent, "newer\n").await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("newer\n"));
    assert_eq!(story.notice().await, "a.txt: Gemini CLI has not written it.");
    // The person has said yes all the same, or has typed the same text.
    fs::write(&story.file, "newer\n").unwrap();
    assert_eq!(story.notice().await, "a.txt: written as proposed.");
    // Of another text, neither is known.
    story.proposed_by(&agent, "newest\n").await;
    assert_eq!(agent.close_diff(&story.file).await.as_deref(), Some("newest\n"));
    fs::write(&story.file, "something else\n").unwrap();
    let notice = tokio::time::timeout(Duration::from_secs(60), story.notice()).await;
    assert!(notice.is_err(), "{notice:?}");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_still_being_written_is_not_judged() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    story.decided(&agent, "new\nand more\n", Decision::Accept).await;
    for step in ["", "new\n", "new\nand"] {
        fs::write(&story.file, step).unwrap();
        story.no_word_within(Duration::from_millis(150)).await;
    }
    fs::write(&story.file, "new\nand more\n").unwrap();
    assert_eq!(story.word().await, Word::WrittenAsAccepted);
}

#[tokio::test(start_paused = true)]
async fn a_file_with_something_else_is_told_and_the_accepted_text_kept() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    story.decided(&agent, "new\n", Decision::Accept).await;
    fs::write(&story.file, "formatted\n").unwrap();
    let (last, took) = story.last_word().await;
    assert_eq!((last.word, took < SOON), (Word::SomethingElse, true));
    let drafts = Drafts::open(&story.app_dirs());
    wait_until("the text is kept", || drafts.list().unwrap().len() == 1).await;
    assert_eq!(texts(&drafts), ["new\n"]);
    assert!(last.message.contains("`alongside drafts`"), "{}", last.message);
    // The agent writes later than another program: the last word is the one that counts.
    fs::write(&story.file, "still something else\n").unwrap();
    story.no_word_within(SOON).await;
    fs::write(&story.file, "new\n").unwrap();
    assert_eq!(story.word().await, Word::WrittenAsAccepted);
    wait_until("the draft goes", || drafts.list().unwrap().is_empty()).await;
}

/// The agent goes, and another program that it has started writes what the person typed.
#[tokio::test(start_paused = true)]
async fn a_draft_goes_though_the_watch_for_its_word_has_ended() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let mut review = story.proposed_by(&agent, "new\n").await;
    story.type_over(&mut review, "mine\n").await;
    story.decide(&review, Decision::Accept).await.unwrap();
    agent.leave().await;
    assert_eq!(story.word().await, Word::NotWritten);
    fs::write(&story.file, "mine\n").unwrap();
    story.no_word_within(SOON).await;
    let drafts = Drafts::open(&story.app_dirs());
    wait_until("the draft goes", || drafts.list().unwrap().is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_vanishes_is_gone() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    story.decided(&agent, "new\n", Decision::Accept).await;
    fs::rename(&story.file, story.path("project/b.txt")).unwrap();
    assert_eq!(story.word().await, Word::Gone);
    assert_eq!(story.drafts().await, ["new\n"]);
}

#[tokio::test(start_paused = true)]
async fn an_accepted_text_that_nobody_writes_is_told_when_the_watch_ends() {
    for which in ["the next proposal", "the end of the session", "ten minutes"] {
        let (mut story, agent, _stream) = Story::with_listener().await;
        let review = story.decided(&agent, "new\n", Decision::Accept).await;
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
        let (last, took) = story.last_word().await;
        assert_eq!((last.id, last.word), (review.id, Word::NotWritten), "{which}");
        assert!(took < within, "{which}: {took:?}");
        assert!(which != "ten minutes" || took >= Duration::from_secs(600), "{took:?}");
        fs::write(&story.file, "new\n").unwrap();
        story.no_word_within(LONG).await;
        assert_eq!(story.drafts().await, Vec::<String>::new(), "nobody typed anything");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rejected_text_that_is_written_is_told_and_nothing_else() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let review = story.decided(&agent, "new\n", Decision::Reject).await;
    fs::write(&story.file, "by hand\n").unwrap();
    story.no_word_within(Duration::from_secs(60)).await;
    fs::write(&story.file, "new\n").unwrap();
    let (last, _) = story.last_word().await;
    assert_eq!((last.id, last.word), (review.id, Word::WrittenThoughRejected));
    let message = "a.txt: written although you rejected it: the file holds the text of Gemini CLI.";
    assert_eq!(last.message, message);
    story.no_word_within(LONG).await;

    story.decided(&agent, "newer\n", Decision::Reject).await;
    story.no_word_within(LONG).await;
}

/// Its hook may have been killed.
#[tokio::test(start_paused = true)]
async fn a_text_that_is_written_after_its_hook_went_away_is_told() {
    let mut story = Story::begin().await;
    let hook = tokio::spawn(story.companion.review(story.hooks("a.txt", "new\n")));
    let review = story.opened().await;
    hook.abort();
    story.no_word_within(Duration::from_secs(60)).await;
    fs::write(&story.file, "new\n").unwrap();
    let (last, _) = story.last_word().await;
    assert_eq!((last.id, last.word), (review.id, Word::WrittenUndecided));
    let message = "a.txt: written without your decision at a desk: the file holds the text of Codex.";
    assert_eq!(last.message, message);
    story.no_word_within(LONG).await;
}

#[tokio::test(start_paused = true)]
async fn a_text_that_was_rejected_from_one_agent_may_come_from_another() {
    let mut story = Story::begin().await;
    let ((one, _ones), (other, _others)) = (story.listener().await, story.listener().await);
    story.decided(&one, "new\n", Decision::Reject).await;
    story.decided(&other, "new\n", Decision::Accept).await;
    fs::write(&story.file, "new\n").unwrap();
    assert_eq!(story.word().await, Word::WrittenAsAccepted);
    story.no_word_within(LONG).await;
}

#[tokio::test(start_paused = true)]
async fn decisions_in_a_row_have_their_own_words() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let mut words = Vec::new();
    // The agent goes on before anybody has looked: the third text is not written.
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
    let (last, _) = story.last_word().await;
    words.push((last.id.0, last.word));
    let [written, not] = [Word::WrittenAsAccepted, Word::NotWritten];
    assert_eq!(words, [(1, written), (2, written), (3, not), (4, written)]);
    story.no_word_within(LONG).await;
}

#[tokio::test(start_paused = true)]
async fn a_text_counts_in_the_line_ends_of_the_file() {
    let mut story = Story::begin().await;
    fs::write(&story.file, "\u{feff}one\r\ntwo\r\n").unwrap();
    let (agent, _stream) = story.listener().await;
    story.decided(&agent, "one\n2\n", Decision::Accept).await;
    fs::write(&story.file, "\u{feff}one\r\n2\r\n").unwrap();
    assert_eq!(story.word().await, Word::WrittenAsAccepted);
    story.decided(&agent, "one\n3\n", Decision::Accept).await;
    fs::write(&story.file, "one\r\n3\n").unwrap();
    assert_eq!(story.word().await, Word::SomethingElse);
}

/// Compared line by line, the file holds the text already.
#[tokio::test(start_paused = true)]
async fn other_line_ends_alone_are_written_by_somebody_or_not_at_all() {
    for (on_disk, proposed) in [("one\r\ntwo\r\n", "one\ntwo\n"), ("\u{feff}one\n", "one\n")] {
        let mut story = Story::begin().await;
        fs::write(&story.file, on_disk).unwrap();
        let (agent, _stream) = story.listener().await;
        story.decided(&agent, proposed, Decision::Accept).await;
        story.no_word_within(SOON).await;
        // The agent keeps the form of the file.
        fs::write(&story.file, on_disk).unwrap();
        let touched = std::time::SystemTime::now() + LONG;
        fs::File::options().write(true).open(&story.file).unwrap().set_modified(touched).unwrap();
        assert_eq!(story.word().await, Word::WrittenAsAccepted, "{on_disk:?}");
        story.decided(&agent, proposed, Decision::Accept).await;
        agent.open_diff(&story.file, "newer\n").await.unwrap();
        assert_eq!(story.word().await, Word::NotWritten, "{on_disk:?}");
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
    story.decided(&agent, "new\n", Decision::Accept).await;
    story.no_word_within(SOON).await;
    fs::write(&link, "new\n").unwrap();
    assert_eq!(story.word().await, Word::WrittenAsAccepted);

    let coming = story.path("project/to/come/new.txt");
    story.file = coming.to_str().unwrap().to_owned();
    story.decided(&agent, "new\n", Decision::Accept).await;
    story.no_word_within(SOON).await;
    fs::create_dir_all(coming.parent().unwrap()).unwrap();
    story.no_word_within(SOON).await;
    fs::write(&coming, "new\n").unwrap();
    let (last, took) = story.last_word().await;
    assert_eq!((last.word, took < SOON), (Word::WrittenAsAccepted, true));
}

#[tokio::test(start_paused = true)]
async fn an_accepted_deletion_is_written_when_the_file_is_gone() {
    let mut story = Story::begin().await;
    let remark = Some("This deletes the file.".into());
    let proposal = HookProposal { remark, takes_text: true, ..story.hooks("a.txt", "") };
    story.hooked(proposal).await;
    story.no_word_within(SOON).await;
    fs::remove_file(&story.file).unwrap();
    assert_eq!(story.word().await, Word::WrittenAsAccepted);
}

/// The person changed the text, and the agent takes no other: it is asked to propose that text itself.
#[tokio::test(start_paused = true)]
async fn the_same_answer_once_more_ends_no_watch() {
    let (mut story, agent, _stream) = Story::with_listener().await;
    let proposal = HookProposal {
        agent: "Gemini CLI".into(),
        comes_twice: true,
        takes_text: true,
        ..story.hooks("a.txt", "new\n")
    };
    story.hooked(proposal).await;
    agent.open_diff(&story.file, "new\n").await.unwrap();
    story.no_word_within(SOON).await;
    fs::write(&story.file, "new\n").unwrap();
    assert_eq!(story.word().await, Word::WrittenAsAccepted);
}

#[tokio::test(start_paused = true)]
async fn nothing_false_is_said_of_files_that_too_many_others_crowd_out() {
    let mut story = Story::of(|builder| builder.rules([rule("*", Ruling::Accept)], [])).await;
    let names = || (0..100).map(|number| format!("new-{number}.txt"));
    // As a patch of so many files: they are written when all of them are accepted.
    for name in names() {
        let proposal = HookProposal { parts: 100, ..story.hooks(&name, "x\n") };
        assert!(matches!(story.companion.review(proposal).await, Verdict::Accepted { .. }));
    }
    for name in names() {
        fs::write(story.path("project").join(name), "x\n").unwrap();
    }
    let mut words = Vec::new();
    while let Ok((last, _)) = tokio::time::timeout(10 * SOON, story.last_word()).await {
        words.push(last.word);
    }
    assert!(words.iter().all(|word| *word == Word::WrittenAsAccepted), "{words:?}");
    assert!((64..=100).contains(&words.len()), "{}", words.len());
}
