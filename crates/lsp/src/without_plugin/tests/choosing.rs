//! The choice of a review among several, or of one that the editor shows without this server.

use alongside_desk::Agent;

use super::companion::Companion;
use super::showing::{NEW, OLD, proposed};
use super::*;
use crate::without_plugin::messages;

#[tokio::test(start_paused = true)]
async fn a_command_means_the_documents_or_the_named_review() {
    let (mut stage, _) = proposed("Eglot").await;
    let agent = Agent { number: 2, ..Agent::default() };
    Companion::also_proposes(&mut stage, agent, "b.txt", "b\n", "B\n").await;
    stage.open("c.txt", "c\n");
    stage.seen();
    stage.command(json!({"command": "alongside.review"}));
    let said = stage.seen().said();
    assert!(said.contains("1: ") && said.contains("2: ") && said.contains("agent 2"), "{said}");
    for arguments in [json!([2]), json!(["2"]), json!([{"review": 2}])] {
        stage.command(json!({"command": "alongside.review", "arguments": arguments}));
        assert!(stage.seen().one("window/showDocument")["uri"].as_str().unwrap().ends_with("b.txt"));
    }
    stage.open("notes.txt", OLD);
    stage.command(json!({"command": "alongside.review"}));
    assert!(stage.seen().one("window/showDocument")["uri"].as_str().unwrap().ends_with("notes.txt"));
    assert!(stage.ask("workspace/textDocumentContent", json!({"uri": "alongside:/original/2/b.txt"})));
    assert_eq!(stage.seen().result(), &json!({"text": "b\n"}));
}

#[tokio::test(start_paused = true)]
async fn helix_is_told_in_one_line_that_several_wait() {
    let (mut stage, _) = proposed("helix").await;
    Companion::also_proposes(&mut stage, Agent::default(), "b.txt", "b\n", "B\n").await;
    stage.open("c.txt", "c\n");
    stage.seen();
    stage.command(json!({"command": "alongside.review"}));
    assert_eq!(stage.seen().said(), "Several reviews are waiting. Choose one with space a.");
}

#[tokio::test(start_paused = true)]
async fn the_documents_review_comes_first_and_is_named() {
    let (mut stage, _) = proposed("helix").await;
    stage.open("m.md", "m\n");
    Companion::also_proposes(&mut stage, Agent::default(), "m.md", "m\n", "M\n").await;
    let roots = stage.desk.editor.roots();
    let names = stage.desk.reviews.iter().map(|waiting| messages::file_name(waiting.review(), roots));
    let [first, second] = names.collect::<Vec<_>>().try_into().unwrap();
    let begins = |titles: Vec<String>, expected: &[String]| {
        let fits = titles.iter().zip(expected).all(|(title, expected)| title.starts_with(expected));
        assert!(titles.len() == expected.len() && fits, "{titles:?}, not {expected:?}");
    };
    let review = |name: &str| format!("Review: {name} (");
    let deciding = |name: &str| ["Accept", "Reject"].map(|verb| format!("alongside: {verb} {name}"));
    let [accept, reject] = deciding(&second);
    let titles = stage.titles(&stage.uri("m.md"), 0);
    begins(titles, &[review(&second), accept, reject, review(&first)]);
    begins(stage.titles("file:///elsewhere", 0), &[review(&first), review(&second)]);
    let own = stage.show_proposal(NEW);
    let [accept, reject] = deciding(&first);
    let change = ["Drop this change", "Next change"].map(|title| format!("alongside: {title}"));
    let [drop, next] = change;
    let original = "alongside: Show the original".to_owned();
    begins(stage.titles(&own, 1), &[drop, accept, reject, original, next, review(&second)]);
}

#[tokio::test(start_paused = true)]
async fn decisions_on_two_proposals_for_one_file_name_their_agents() {
    let (mut stage, _) = proposed("helix").await;
    let agent = Agent { number: 2, name: "Qwen Code".into(), ..Agent::default() };
    Companion::also_proposes(&mut stage, agent, "notes.txt", OLD, "other\n").await;
    let titles = stage.titles(&stage.uri("notes.txt"), 0);
    for verb in ["Accept", "Reject"] {
        let meant: Vec<_> =
            titles.iter().filter(|title| title.starts_with(&format!("alongside: {verb}"))).collect();
        assert!(meant.len() == 2 && meant[0] != meant[1], "{titles:?}");
        assert!(meant[1].contains(" of Qwen Code"), "{titles:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_proposal_shown_without_this_server_is_decided_elsewhere() {
    let (mut stage, mut companion) = proposed("helix").await;
    let decides = |titles: &[String]| titles.iter().any(|title| title.starts_with("alongside: Accept "));
    stage.open("other.md", "x\n");
    let other = stage.uri("other.md");
    stage.choose(&other, 0, "Review: ");
    let number = stage.seen().number("window/showDocument");
    stage.reply(&number, json!({"success": true}));
    assert!(!decides(&stage.titles(&other, 0)), "the editor may still open it");
    stage.look();
    let seen = stage.seen();
    assert_eq!(seen.said(), "notes.txt has no actions here. Save your text, decide in another file.");
    assert!(seen.said().len() <= 80);
    assert_eq!(seen.one("window/showMessage")["type"], 2);
    assert!(decides(&stage.titles(&other, 0)));
    stage.look();
    assert_eq!(stage.seen().said(), "", "the message appears once");
    stage.choose(&other, 0, "alongside: Accept ");
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(alongside_desk::Decision::Accept));

    // A proposal that is opened, before or after the answer, is not shown without this server.
    for opened_first in [true, false] {
        let (mut stage, _) = proposed("helix").await;
        stage.choose("file:///elsewhere", 0, "Review: ");
        let seen = stage.seen();
        let own = seen.one("window/showDocument")["uri"].clone();
        let open = json!({"textDocument": {"uri": own, "version": 0, "text": NEW}});
        if opened_first {
            stage.tell("didOpen", open.clone());
        }
        stage.reply(&seen.number("window/showDocument"), json!({"success": true}));
        if !opened_first {
            stage.tell("didOpen", open);
        }
        stage.wait();
        assert!(!stage.seen().said().contains("has no actions here"));
        assert!(!decides(&stage.titles("file:///elsewhere", 0)));
    }
}

/// Returns a proposal that an editor shows without this server; also its file, and the document of another
/// file.
async fn shown_without_server() -> (Stage, Companion, PathBuf, String) {
    let (mut stage, companion) = proposed("helix").await;
    stage.open("other.md", "x\n");
    let other = stage.uri("other.md");
    stage.choose(&other, 0, "Review: ");
    let seen = stage.seen();
    let own = crate::uri::to_path(seen.one("window/showDocument")["uri"].as_str().unwrap()).unwrap();
    stage.reply(&seen.number("window/showDocument"), json!({"success": true}));
    stage.look();
    stage.seen();
    (stage, companion, own, other)
}

#[tokio::test(start_paused = true)]
async fn text_saved_in_a_proposal_without_this_server_counts() {
    let mine = format!("mine\n{NEW}");
    let (mut stage, mut companion, own, other) = shown_without_server().await;
    std::fs::write(&own, &mine).unwrap();
    stage.choose(&other, 0, "alongside: Accept ");
    companion.serve(&mut stage).await;
    assert_eq!(companion.decided, Some(alongside_desk::Decision::Accept));
    assert_eq!((&*companion.review.current, companion.edits), (&*mine, 1));
    assert_eq!(stage.drafts.texts(), Vec::<String>::new());

    // Showing it again, or a decision elsewhere, takes the text as well.
    let (mut stage, mut companion, own, other) = shown_without_server().await;
    std::fs::write(&own, &mine).unwrap();
    stage.choose(&other, 0, "Review: ");
    companion.serve(&mut stage).await;
    assert_eq!(std::fs::read_to_string(&own).unwrap(), mine);
    std::fs::write(&own, format!("more\n{mine}")).unwrap();
    stage.seat.events.send(alongside_desk::Event::FlushReview { id: companion.review.id }).unwrap();
    companion.serve(&mut stage).await;
    assert_eq!(&*companion.review.current, format!("more\n{mine}"));

    // Text that comes too late is in a draft.
    std::fs::write(&own, "late").unwrap();
    companion.close(&stage, alongside_desk::Closing::AnsweredInAgent, false);
    stage.hear().await;
    assert_eq!(stage.drafts.texts(), ["late"]);
    for text in ["later", "last"] {
        std::fs::write(&own, text).unwrap();
        stage.look();
        assert_eq!(stage.drafts.texts(), ["late", text], "the newest one after the end");
    }
    std::fs::write(&own, "at the end").unwrap();
    stage.desk.shut_down(&stage.io);
    assert_eq!(stage.drafts.texts(), ["late", "at the end"]);
    let (mut stage, _companion, own, _) = shown_without_server().await;
    std::fs::write(&own, "at the end").unwrap();
    stage.desk.shut_down(&stage.io);
    assert_eq!(stage.drafts.texts(), ["at the end"]);
}

/// The editor reports no save, and other desks continue meanwhile.
#[tokio::test(start_paused = true)]
async fn text_saved_apart_reaches_the_review_by_itself_and_keeps_other_desks_changes() {
    let (mut stage, mut companion, own, other) = shown_without_server().await;
    companion.change(&stage, |review| review.current = NEW.replace("TWO", "two").into());
    companion.serve(&mut stage).await;
    std::fs::write(&own, format!("{NEW}mine\n")).unwrap();
    stage.look();
    companion.serve(&mut stage).await;
    assert_eq!(&*companion.review.current, format!("{}mine\n", NEW.replace("TWO", "two")));
    // The file is not written while the editor may show it, unless another desk has changed the text.
    stage.choose(&other, 0, "Review: ");
    let time = || std::fs::metadata(&own).unwrap().modified().unwrap();
    let before = time();
    stage.choose(&other, 0, "Review: ");
    assert_eq!(time(), before);
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_saves_an_untouched_proposal_edits_nothing() {
    let (mut stage, mut companion, own, other) = shown_without_server().await;
    std::fs::write(&own, NEW.replace('\n', "\r\n")).unwrap();
    stage.choose(&other, 0, "alongside: Reject ");
    companion.serve(&mut stage).await;
    assert_eq!((companion.decided, companion.edits), (Some(alongside_desk::Decision::Reject), 0));
    let (mut stage, companion, own, _) = shown_without_server().await;
    std::fs::write(&own, [0xff, b'\n']).unwrap();
    stage.choose(&stage.uri("other.md"), 0, "alongside: Accept ");
    assert!(stage.seen().said().contains("does not count: cannot read it"));
    drop(companion);
}

#[tokio::test(start_paused = true)]
async fn no_name_is_a_link_where_an_editor_renders_messages() {
    for (editor, is_link) in
        [("Visual Studio Code", false), ("Something new", false), ("Kate", false), ("helix", true)]
    {
        let mut stage = Stage::new(editor, &[]);
        stage.open("notes.txt", OLD);
        let name = "[a](command:x) $(zap)<b>x://y&z".to_owned();
        let agent = Agent { number: 1, name, listening: true, ..Agent::default() };
        let file = stage.path("[b](command:y).txt").to_str().unwrap().to_owned();
        Companion::opens(&mut stage, Companion::review(1, agent, file, OLD, NEW)).await;
        let seen = stage.seen();
        let asked = seen.all("window/showMessageRequest").into_iter();
        let asked: String = asked.map(|asked| asked["message"].to_string()).collect();
        let said = seen.said() + &asked;
        let uri = stage.uri("notes.txt");
        let titles = stage.titles(&uri, 0).join("\n");
        for text in [said, titles] {
            assert!(text.contains("command:x") || text.contains("command:y"), "{editor}: {text}");
            let has_markup = ["](", "$(", "<b>", "://", "&"].iter().any(|markup| text.contains(markup));
            assert_eq!(has_markup, is_link, "{editor}: {text}");
        }
    }
}
