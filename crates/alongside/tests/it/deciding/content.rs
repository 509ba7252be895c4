//! Line endings, new files, binary files and harmful text in line mode.

use super::*;

#[tokio::test]
async fn crlf_new_and_binary_files_are_named_as_such() {
    let home = Home::new();
    let dos = home.file("dos.txt", "a\r\nb\r\n");
    let binary = home.file("binary.bin", "");
    std::fs::write(&binary, b"\xff\xfe\x00\x01").unwrap();
    let new = home.in_project("new.txt");
    let mut desk = home.review(&[]);
    let (agent, diff) = home.proposes(&dos, "a\nB\n").await;
    desk.answers_all(&["a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("a\nB\n"));

    let diff = propose(&agent, &new, "x\n").await;
    desk.answers_all(&["a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("x\n"));

    let diff = propose(&agent, &binary, "text now\n").await;
    desk.answers_all(&["r"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_snapshot!(home.dialogue(&mut desk, "is told.\n").await);
}

#[tokio::test]
async fn agent_text_cannot_take_over_the_terminal() {
    let home = Home::new();
    let name = "evil\x1b[2J\u{202e}\n.txt";
    let file = home.file(name, "safe\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let text = "\x1b]0;owned\x07 \u{9b}31m \u{202e}reversed\u{2066} \u{200b}\ttab\n\
        x\u{fe0f}\u{e0100}\u{2800}\u{13430}y\u{200d} \u{2764}\u{fe0f}\n";
    let diff = propose(&agent, &file, text).await;
    desk.answers_all(&["a"]).await;
    assert_eq!(
        soon("the outcome", diff.outcome()).await,
        accepted(text),
        "what is shown is escaped, what is accepted is not"
    );
    let dialogue = home.dialogue(&mut desk, "writes it.\n").await;
    let all = desk.out.text();
    assert_snapshot!(dialogue);
    let harmful = |c: char| (c.is_control() && !"\n\t".contains(c)) || "\u{202e}\u{2066}\u{200b}".contains(c);
    assert!(!all.contains(harmful), "{all:?}");
}
