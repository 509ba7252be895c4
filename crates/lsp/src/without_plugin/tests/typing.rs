//! Typing in a proposal, in editors with any encoding and line endings, while others change it too.

use proptest::prelude::*;

use super::companion::Companion;
use super::*;
use crate::encoding::Encoding;
use crate::without_plugin::open_documents::positions::{self, position};
use alongside_desk::{Event, Position, Text};

/// A document in an editor.
struct Buffer {
    uri: String,
    text: Text,
    version: i32,
    encoding: Encoding,
}

impl Stage {
    /// Opens the proposal with a text in the editor; returns its URI.
    pub(super) fn show_proposal(&mut self, text: &str) -> String {
        let uri = uri(self.desk.reviews.iter().find_map(|waiting| waiting.document.path()).unwrap());
        self.tell("didOpen", json!({"textDocument": {"uri": uri, "version": 1, "text": text}}));
        uri
    }

    /// Replaces text as the person does.
    pub(super) fn type_in(&mut self, uri: &str, text: &str, range: Value) {
        self.type_version(uri, 2, text, range);
    }

    fn type_version(&mut self, uri: &str, version: i32, text: &str, range: Value) {
        let document = json!({"uri": uri, "version": version});
        let changes = json!([{"range": range, "text": text}]);
        self.tell("didChange", json!({"textDocument": document, "contentChanges": changes}));
    }
}

impl Buffer {
    fn replace(&mut self, stage: &mut Stage, from: usize, to: usize, new: &str) {
        let at = |offset: usize| {
            let Position { line, character } = position(&self.text, offset, self.encoding);
            at(line, character)
        };
        let range = json!({"start": at(from), "end": at(to)});
        let old = self.text.text();
        self.text = Text::new(format!("{}{new}{}", &old[..from], &old[to..]));
        self.version += 1;
        stage.type_version(&self.uri, self.version, new, range);
    }

    /// Applies the edits that the server requests; false if there are none.
    fn obey(&mut self, stage: &mut Stage) -> bool {
        let asked = stage.seen().0.into_iter().filter_map(|message| match message {
            Message::Request(asked) if asked.method == "workspace/applyEdit" => Some(asked),
            _ => None,
        });
        let asked: Vec<_> = asked.collect();
        for edit in &asked {
            let change = &edit.params["edit"]["documentChanges"][0];
            let taken = change["textDocument"]["version"] == self.version;
            let edits = change["edits"].as_array().unwrap();
            for edit in edits.iter().rev().filter(|_| taken) {
                let at = |place: &Value| {
                    positions::offset(&self.text, positions::read_position(place).unwrap(), self.encoding)
                };
                let (from, to) = (at(&edit["range"]["start"]), at(&edit["range"]["end"]));
                // One change for each edit, as in some editors.
                self.replace(stage, from, to, edit["newText"].as_str().unwrap());
            }
            stage.reply(&edit.id, json!({"applied": taken}));
        }
        !asked.is_empty()
    }
}

/// Returns a proposal for a file that is not open, in Helix.
async fn proposed_as(original: &str, text: &str) -> (Stage, Companion) {
    let mut stage = Stage::new("helix", &[]);
    let companion = Companion::proposes(&mut stage, "notes.txt", original, text).await;
    (stage, companion)
}

/// The text on disk, in the editor, and at the companion after typing at the start.
#[tokio::test(start_paused = true)]
async fn normalization_is_no_edit_and_survives_one() {
    for (disk, editor, typed) in [
        ("\u{feff}a\r\nb\r\n", "a\nb\n", "\u{feff}xa\r\nb\r\n"),
        ("a\r\nb\nc", "a\nb\nc\n", "xa\nb\nc"),
        ("a", "a\n", "xa"),
        ("a\nb", "a\r\nb", "xa\nb"),
    ] {
        let (mut stage, mut companion) = proposed_as("", disk).await;
        let own = stage.show_proposal(editor);
        companion.serve(&mut stage).await;
        assert_eq!((companion.edits, &*companion.review.current), (0, disk));
        stage.type_in(&own, "x", range((0, 0), (0, 0)));
        companion.serve(&mut stage).await;
        if disk == "a\r\nb\nc" {
            // The edited line gets the most frequent ending.
            assert!(["xa\nb\nc", "xa\r\nb\nc"].contains(&&*companion.review.current));
        } else {
            assert_eq!(&*companion.review.current, typed);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_flush_sends_edits_first() {
    let (mut stage, mut companion) = proposed_as("", "a\n").await;
    let own = stage.show_proposal("a\n");
    stage.type_in(&own, "x", range((0, 0), (0, 0)));
    stage.type_in(&own, "y", range((0, 1), (0, 1)));
    stage.seat.events.send(Event::FlushReview { id: companion.review.id }).unwrap();
    stage.hear().await;
    assert!(!companion.flushed);
    companion.serve(&mut stage).await;
    assert!(companion.flushed);
    assert_eq!(&*companion.review.current, "xya\n");
}

#[tokio::test(start_paused = true)]
async fn the_last_edits_survive_closing_and_reopening() {
    let (mut stage, mut companion) = proposed_as("", "a\n").await;
    let own = stage.show_proposal("a\n");
    stage.type_in(&own, "x", range((0, 0), (0, 0)));
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    stage.show_proposal("xa\n");
    stage.show_proposal("xa\n");
    companion.serve(&mut stage).await;
    assert_eq!(&*companion.review.current, "xa\n");
    assert!(stage.seen().all("workspace/applyEdit").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_restarted_server_finds_the_edits() {
    let mut stage = Stage::new("helix", &[]);
    // The editor sends its documents before the companion is connected.
    let path = stage.path("own/1-0-1/notes.txt");
    let own = uri(&path);
    stage.tell("didOpen", json!({"textDocument": {"uri": own, "version": 7, "text": "typed a\n"}}));
    let companion = Companion::proposes(&mut stage, "notes.txt", "", "a\n").await;
    assert_eq!(&*companion.review.current, "typed a\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn editor_and_companion_converge(
        encoding in proptest::sample::select(vec![Encoding::Utf8, Encoding::Utf16, Encoding::Utf32]),
        crlf: bool,
        marked: bool,
        text in "([ab\u{1f600}]{0,2}\n){1,6}",
        steps in proptest::collection::vec((0..4_usize, 0..99_usize, 0..99_usize), 0..24),
    ) {
        let runtime = paused_runtime();
        runtime.block_on(async {
            let mark = if marked { "\u{feff}" } else { "" };
            let disk = format!("{mark}{}", if crlf { text.replace('\n', "\r\n") } else { text.clone() });
            let mut stage = Stage::new("helix", &[encoding.name()]);
            let mut companion = Companion::proposes(&mut stage, "notes.txt", "a\nb\n", &disk).await;
            let uri = stage.show_proposal(&text);
            let text = Text::new(text.as_str());
            let mut buffer = Buffer { uri, text, version: 1, encoding };
            let mut tokens = 0;
            for (step, place, what) in steps {
                match step {
                    0 | 1 => {
                        let line = place % (buffer.text.len() + 1);
                        let from = buffer.text.lines(0..line).len();
                        let new = if what % 2 == 0 { format!("<{tokens}>") } else { format!("<{tokens}>\n") };
                        buffer.replace(&mut stage, from, from, &new);
                        tokens += 1;
                    }
                    2 => companion.change(&stage, |review| {
                        let lines = review.current.split_inclusive('\n');
                        let mut lines: Vec<String> = lines.map(str::to_owned).collect();
                        let line = place % (lines.len() + 1);
                        let new = format!("new {what}{}", if crlf { "\r\n" } else { "\n" });
                        match lines.get_mut(line) {
                            Some(old) if what % 2 == 0 && !old.contains('<') && line > 0 => *old = new,
                            _ => lines.insert(line.max(usize::from(marked)).min(lines.len()), new),
                        }
                        review.current = lines.concat().into();
                    }),
                    _ => {
                        companion.serve(&mut stage).await;
                        buffer.obey(&mut stage);
                    }
                }
            }
            buffer.replace(&mut stage, 0, 0, "<last>\n");
            loop {
                companion.serve(&mut stage).await;
                if !buffer.obey(&mut stage) {
                    break;
                }
            }
            let ending = if crlf { "\r\n" } else { "\n" };
            let shown = format!("{mark}{}", buffer.text.text().replace('\n', ending));
            prop_assert_eq!(&*companion.review.current, shown);
            for token in (0..tokens).map(|token| format!("<{token}>")).chain(["<last>".to_owned()]) {
                prop_assert_eq!(companion.review.current.matches(&token).count(), 1, "{}", token);
            }
            Ok(())
        })?;
    }
}
