//! Tests of the person's own editor: its text goes into the review or is kept. The editors are real
//! processes, so the clock is not paused here.

use alongside_desk::{Closing, Event};

use super::*;

/// Waits until `is` holds. `what`: the awaited event, for the message of a failure.
async fn until(desk: &mut TestDesk, what: &str, is: impl Fn(&TestDesk) -> bool) {
    for _ in 0..1500 {
        if is(desk) {
            return;
        }
        desk.deliver_all().await;
    }
    panic!("waited for {what}:\n{}\n{:?}", desk.screen(), desk.companion.requests);
}

fn on_screen(text: &str) -> impl Fn(&TestDesk) -> bool {
    move |desk| desk.flat().contains(text)
}

fn edits(desk: &TestDesk) -> Vec<String> {
    let text = |request: &Request| match request {
        Request::EditReview { changes, .. } => Some(changes[0].text.clone()),
        _ => None,
    };
    desk.companion.requests.iter().filter_map(text).collect()
}

/// The shell command that waits until a file exists.
fn wait_for(file: &std::path::Path) -> String {
    format!("while [ ! -e '{}' ]; do sleep 0.02; done", file.display())
}

async fn edit_with(editor: &str) -> TestDesk {
    let mut desk = TestDesk::with_editor(160, 24, editor);
    desk.open(1, "/shop/basket.py", &[same("one\n"), differs("two\n", "zwei\n")]);
    desk.wait_until_keys_count().await;
    desk.press("e").await;
    desk
}

#[tokio::test]
async fn a_saved_text_goes_into_the_review() {
    let mut desk = edit_with("edit() { echo mine >> \"$1\"; }; edit").await;
    until(&mut desk, "the message", on_screen("Edit applied: 1 change.")).await;
    assert_eq!(edits(&desk), ["one\nzwei\nmine\n"]);
    desk.assert_shows("1 edited");
    desk.assert_hides("another desk");
    let note = desk.shared.notes.lock().unwrap()[0].clone();
    assert_eq!(note, "basket.py is open in your editor. Close it to come back.");
}

#[tokio::test]
async fn an_editor_that_changes_nothing_changes_nothing() {
    let mut desk = edit_with("true").await;
    until(&mut desk, "the message", on_screen("You changed nothing in the editor.")).await;
    assert_eq!(edits(&desk), [""; 0]);
}

#[tokio::test]
async fn an_editor_that_fails_loses_nothing() {
    let mut desk = edit_with("edit() { echo mine > \"$1\"; exit 3; }; edit").await;
    until(&mut desk, "the message", on_screen("the editor ended with exit code 3. Your text is in ")).await;
    assert_eq!(edits(&desk), [""; 0]);
    assert_eq!(kept(&desk.flat()), "mine\n");
}

/// The kept text that a message names. Removes its directory.
fn kept(said: &str) -> String {
    let path = said.split("Your text is in ").nth(1).unwrap().split(' ').next().unwrap();
    let path = std::path::Path::new(path.trim_end_matches('.'));
    let text = std::fs::read_to_string(path).unwrap();
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    text
}

#[tokio::test]
async fn an_editor_that_is_not_there_is_named() {
    let mut desk = edit_with("no-such-editor-anywhere").await;
    let editor = r#"the editor "no-such-editor-anywhere""#;
    // On Windows, no shell starts the editor.
    let what = match cfg!(windows) {
        true => format!("cannot start {editor}; set EDITOR to an editor of yours"),
        false => format!("{editor} cannot be found; set EDITOR to an editor of yours"),
    };
    until(&mut desk, "the message", on_screen(&what)).await;
}

#[tokio::test]
async fn a_flush_sends_the_text_saved_in_an_open_editor() {
    // The editor saves, and stays open until a file exists.
    let signs = tempfile::tempdir().unwrap();
    let sign = |name: &str| signs.path().join(name);
    let (saved, waits) = (sign("saved").display().to_string(), wait_for(&sign("close")));
    let editor = format!("edit() {{ echo mine > \"$1\"; : > '{saved}'; {waits}; }}; edit");
    let mut desk = edit_with(&editor).await;
    until(&mut desk, "the editor to save", |_| sign("saved").exists()).await;
    desk.companion.send(Event::FlushReview { id: ReviewId(1) });
    let flushed = Request::Flushed { id: ReviewId(1) };
    until(&mut desk, "the flush", |desk| desk.companion.requests.contains(&flushed)).await;
    assert_eq!(edits(&desk), ["mine\n"]);
    let at = |is: &dyn Fn(&Request) -> bool| desk.companion.requests.iter().position(is);
    assert!(at(&|asked| matches!(asked, Request::EditReview { .. })) < at(&|asked| *asked == flushed));
    // The companion ends, but the desk stays until the editor ends.
    let TestDesk { companion, mut ended, .. } = desk;
    drop(companion);
    assert!(
        tokio::time::timeout(Duration::from_millis(500), &mut ended).await.is_err(),
        "the editor is open"
    );
    std::fs::write(sign("close"), "").unwrap();
    let (ending, words) = ended.await.unwrap();
    assert_eq!((ending.unwrap(), words), (Ending::Gone, None));
}

#[tokio::test]
async fn a_text_saved_after_the_companion_stopped_is_kept() {
    let signs = tempfile::tempdir().unwrap();
    let go = signs.path().join("go");
    let desk = edit_with(&format!("edit() {{ {}; echo late > \"$1\"; }}; edit", wait_for(&go))).await;
    let TestDesk { companion, ended, .. } = desk;
    drop(companion);
    // The desk runs on this thread, so it handles the end of the companion first.
    sleep(Duration::from_millis(20)).await;
    std::fs::write(go, "").unwrap();
    let (ending, words) = ended.await.unwrap();
    let words = words.expect("it says where");
    assert_eq!(ending.unwrap(), Ending::Gone);
    let path = words.split("Your text is in ").nth(1).unwrap().trim_end_matches('.');
    let path = std::path::Path::new(path);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "late\n");
    let mode = alongside_platform::files::mode(&path.parent().unwrap().metadata().unwrap());
    assert_eq!(mode.unwrap_or(0o700), 0o700, "nobody else's business");
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[tokio::test]
async fn a_desk_whose_companion_stops_ends_although_a_text_was_on_its_way() {
    let deadline = Duration::from_secs(30);
    let signs = tempfile::tempdir().unwrap();
    let sign = |name: &str| signs.path().join(name);
    let (save, close) = (wait_for(&sign("save")), wait_for(&sign("close")));
    let mut desk = edit_with(&format!("edit() {{ {save}; echo mine > \"$1\"; {close}; }}; edit")).await;
    until(&mut desk, "the editor", |desk| !desk.shared.notes.lock().unwrap().is_empty()).await;
    std::fs::write(sign("save"), "").unwrap();
    // The companion never replies to the text, which comes at the next look at the file.
    let text = loop {
        let call = timeout(deadline, desk.companion.next()).await.expect("a text").unwrap();
        if let Request::EditReview { .. } = call.request {
            break call;
        }
        desk.companion.answer(call);
    };
    let frames = *desk.shared.frames.lock().unwrap();
    std::fs::write(sign("close"), "").unwrap();
    // The first frame after the editor shows that the desk knows of its end.
    let drawn = async {
        while *desk.shared.frames.lock().unwrap() == frames {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(deadline, drawn).await.expect("a frame");
    let TestDesk { companion, ended, .. } = desk;
    drop(text);
    drop(companion);
    let (ending, words) = timeout(deadline, ended).await.expect("the end of the desk").unwrap();
    assert_eq!(ending.unwrap(), Ending::Gone);
    assert_eq!(kept(&words.expect("it says where")), "mine\n");
}

#[tokio::test]
async fn a_text_outlives_its_review() {
    let signs = tempfile::tempdir().unwrap();
    let go = signs.path().join("go");
    let waits = wait_for(&go);
    let editor = format!("edit() {{ echo mine > \"$1\"; {waits}; echo more >> \"$1\"; }}; edit");
    let mut desk = edit_with(&editor).await;
    desk.close(1, Closing::AgentGone).await;
    std::fs::write(go, "").unwrap();
    until(&mut desk, "the message", on_screen("the review has ended. Your text is in ")).await;
    assert_eq!(kept(&desk.flat()), "mine\nmore\n");
}

/// Starts a desk with a review of one change, open in an editor that ends once a file exists.
async fn edit_until(go: &std::path::Path) -> TestDesk {
    let again = "if grep -q mine \"$1\"; then echo more >> \"$1\"";
    let script = format!("edit() {{ {again}; else {}; echo mine > \"$1\"; fi; }}; edit", wait_for(go));
    let mut desk = edit_with(&script).await;
    until(&mut desk, "the editor", |desk| !desk.shared.notes.lock().unwrap().is_empty()).await;
    desk
}

#[tokio::test]
async fn a_refused_text_names_the_reason_and_opens_again() {
    let signs = tempfile::tempdir().unwrap();
    let go = signs.path().join("go");
    let mut desk = edit_until(&go).await;
    desk.companion.drop_elsewhere(1, &[0]);
    desk.deliver_all().await;
    std::fs::write(&go, "").unwrap();
    let cause = "basket.py: another desk changed the review while you edited. e opens your text again";
    until(&mut desk, "the message", on_screen(cause)).await;
    let said = desk.flat();
    let copy = said.split("a copy is in ").nth(1).unwrap().split(' ').next().unwrap();
    let copy = std::path::Path::new(copy.trim_end_matches('.'));
    assert_eq!(std::fs::read_to_string(copy).unwrap(), "mine\n");
    desk.assert_hides("has changed: look at it again");
    desk.wait_until_keys_count().await;
    desk.press("e").await;
    until(&mut desk, "the message", on_screen("Edit applied: 1 change.")).await;
    assert_eq!(edits(&desk), ["mine\n", "mine\nmore\n"]);
    assert!(!copy.parent().unwrap().exists(), "the review has the text");
}

#[tokio::test]
async fn a_file_that_changes_meanwhile_refuses_no_text() {
    let signs = tempfile::tempdir().unwrap();
    let go = signs.path().join("go");
    let mut desk = edit_until(&go).await;
    desk.companion.change(1, |review, _| review.stale = true);
    desk.deliver_all().await;
    std::fs::write(&go, "").unwrap();
    until(&mut desk, "the edit", on_screen("1 edited")).await;
    assert_eq!(edits(&desk), ["mine\n"]);
}

#[tokio::test]
async fn a_text_refused_for_another_reason_is_kept() {
    let mut desk = TestDesk::with_editor(160, 24, "edit() { echo mine > \"$1\"; }; edit");
    desk.open(1, "/shop/basket.py", &[differs("two\n", "zwei\n")]);
    desk.wait_until_keys_count().await;
    desk.companion.refuse = Some(alongside_desk::Refusal::Interrupted);
    desk.press("e").await;
    until(&mut desk, "the message", on_screen("try again in a moment. Your text is in ")).await;
    assert_eq!(kept(&desk.flat()), "mine\n");
}

/// Starts a desk with a review of two changes, at the second one.
async fn at_second_change(editor: &str) -> TestDesk {
    let mut desk = TestDesk::with_editor(160, 24, editor);
    let pieces = [differs("one\n", "eins\n"), same("two\n"), differs("three\n", "drei\n")];
    desk.open(1, "/shop/basket.py", &pieces);
    desk.wait_until_keys_count().await;
    desk.press_expecting("j", "change 2 of 2").await;
    desk
}

#[tokio::test]
async fn u_after_a_saved_text_goes_to_the_change_of_the_editor() {
    let signs = tempfile::tempdir().unwrap();
    let sign = |name: &str| signs.path().join(name);
    let (saved, waits) = (sign("saved").display().to_string(), wait_for(&sign("close")));
    let editor = format!("edit() {{ echo mine > \"$1\"; : > '{saved}'; {waits}; }}; edit");
    let mut desk = at_second_change(&editor).await;
    desk.press("e").await;
    until(&mut desk, "the editor to save", |_| sign("saved").exists()).await;
    desk.companion.send(Event::FlushReview { id: ReviewId(1) });
    until(&mut desk, "the text", |desk| edits(desk) == ["mine\n"]).await;
    std::fs::write(sign("close"), "").unwrap();
    until(&mut desk, "the message", on_screen("Edit applied: 1 change.")).await;
    desk.wait_until_keys_count().await;
    desk.press_expecting("u", "change 2 of 2").await;
}

#[tokio::test]
async fn a_refused_text_is_no_step_that_u_undoes() {
    let mut desk = at_second_change("edit() { echo mine > \"$1\"; }; edit").await;
    desk.press("k j").await;
    desk.companion.refuse = Some(alongside_desk::Refusal::Interrupted);
    desk.press("e").await;
    until(&mut desk, "the message", on_screen("Your text is in ")).await;
    assert_eq!(kept(&desk.flat()), "mine\n");
    desk.wait_until_keys_count().await;
    desk.press_expecting("u", "Undone.").await;
    desk.assert_shows("change 1 of 2");
}
