//! Tests of comments that the companion does not have: they come back in the next input, or are in the
//! drafts.

use alongside_desk::{DraftKeeper, FileChange, Refusal, Side, Turn};

use super::commenting::{add, read_it, route};
use super::turns::{ID, file, files, turn};
use super::*;
use crate::DraftStore;

#[tokio::test(start_paused = true)]
async fn the_text_of_a_refused_comment_comes_back() {
    let mut desk = TestDesk::commenting(120, 30).await;
    desk.press("ctoo early").await;
    desk.companion.refuse = Some(Refusal::CommentNotKept { reason: "the disk is full".into() });
    desk.press_and_wait_expecting(
        "\n",
        "The comment is not saved: the disk is full. c brings back what you typed.",
    )
    .await;
    desk.press_expecting("c", "> too early").await;
    desk.press_expecting("⎋", "The comment is not saved yet. c brings back what you typed.").await;
    desk.press_expecting("c", "> too early").await;
    // The file changes while the person types, so the chosen lines belong to an old text.
    let pieces = [same("# Shop\n\n"), differs("It sells.\n", "It sells everything.\n")];
    let review = scripted_companion::review(2000, &desk.gemini, "/shop/src/basket.py", &pieces);
    let opened = alongside_desk::OpenedTurnFile {
        turn: ID,
        revision: 1,
        file: 2,
        review,
        new: None,
        accepted: Vec::new(),
    };
    desk.companion.send(alongside_desk::Event::TurnFile(opened));
    desk.wait_until_keys_count().await;
    desk.press_and_wait("\n").await;
    desk.assert_shows("The file has changed on disk: look at the lines again, then press Enter. > too early");
    assert_eq!(desk.turn_requests().len(), 1);
    desk.press_and_wait("\n").await;
    assert_eq!(desk.turn_requests()[1..], [add(Some(2), Some((3, 3)), Side::New, "too early")]);
}

/// Keeps drafts in memory.
#[derive(Debug, Default)]
pub(super) struct Kept(pub(super) Mutex<Vec<String>>);

impl DraftKeeper for Kept {
    fn keep(&self, file: &str, agent: &str, why: &str, text: &str) -> io::Result<std::path::PathBuf> {
        self.0.lock().unwrap().push(format!("{file} ({agent}): {why}: {text}"));
        Ok("/drafts/1".into())
    }

    fn discard(&self, _: &std::path::Path) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_half_typed_comment_is_in_the_drafts_when_the_desk_ends() {
    for gone in [false, true] {
        let kept = Arc::new(Kept::default());
        let options = Options { drafts: DraftStore::among_drafts(kept.clone()), ..Options::default() };
        let turn = Turn {
            route: route(),
            ..turn(vec![
                file("README.md", FileChange::Modified, 1, 1),
                file("a.py", FileChange::Modified, 7, 6),
                file("src/basket.py", FileChange::Modified, 7, 6),
            ])
        };
        let mut desk = TestDesk::commenting_on(120, 30, turn, options).await;
        desk.press("chalf a tho").await;
        let ended = match gone {
            true => {
                let TestDesk { companion, ended, input, .. } = desk;
                drop(companion);
                let ended = timeout(Duration::from_secs(10), ended).await.unwrap().unwrap();
                drop(input);
                (ended.0.unwrap(), ended.1)
            }
            false => {
                desk.ctrl('c').await;
                desk.ending().await
            }
        };
        let why = "the desk was closed before this comment was saved";
        assert_eq!(*kept.0.lock().unwrap(), [format!("/shop/src/basket.py (Codex): {why}: half a tho")]);
        let said = "your comment \"half a tho\" was not saved. Your text is in /drafts/1";
        assert!(ended.1.unwrap().contains(said), "{gone}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_unsent_text_comes_back_or_is_in_the_drafts() {
    let kept = Arc::new(Kept::default());
    let options = Options { drafts: DraftStore::among_drafts(kept.clone()), ..Options::default() };
    let turn = Turn { route: route(), ..turn(files()) };
    let mut desk = TestDesk::commenting_on(120, 30, turn, options).await;
    desk.press_and_wait("cwhy\n").await;
    desk.press("c not⎋").await;
    // A text for another file leaves the text for the first file.
    desk.press_and_wait("⇤").await;
    desk.press_and_wait("ctoo big⎋\t").await;
    desk.press_expecting("c", "Your comment on lines 4–6.").await;
    desk.assert_shows("> why not");
    desk.key(KeyCode::Esc).await;
    // Now the agent has read the comment, so another text for it becomes a new comment on the same file.
    desk.change_turn(read_it).await;
    desk.press_expecting("c", "Comment on change 1 of 3").await;
    desk.assert_shows("> why not");
    desk.key(KeyCode::Esc).await;
    desk.ctrl('c').await;
    desk.ending().await;
    let of_drafts: Vec<_> =
        kept.0.lock().unwrap().iter().map(|draft| draft.replace("(Codex): ", "")).collect();
    let why = "the desk was closed before this comment was saved";
    let expected = [("assets/logo.png", "too big"), ("src/basket.py", "why not")];
    assert_eq!(of_drafts, expected.map(|(file, text)| format!("/shop/{file} {why}: {text}")));
}
