//! An editor and a companion change one text over queues of any delay. In the end both have the same text,
//! and every typed token is there once.

use std::collections::VecDeque;
use std::sync::Arc;

use alongside_desk::Text;
use alongside_presentation::differences;
use proptest::prelude::*;

use crate::without_plugin::proposal_document::mirror::Mirror;

/// The reaction of an editor to an edit of a text that it no longer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// The editor refuses.
    Refuses,
    /// The editor accepts and does nothing.
    Pretends,
    /// The editor refuses. For other edits it answers before it sends the new text, together with the next
    /// change.
    AnswersFirst,
    /// The editor refuses. For other edits it sends the removal and the insertion as two changes.
    Piecemeal,
    /// The editor refuses every edit.
    Never,
}

const MANNERS: [Manner; 5] =
    [Manner::Refuses, Manner::Pretends, Manner::AnswersFirst, Manner::Piecemeal, Manner::Never];

enum FromEditor {
    Text(Vec<Arc<str>>),
    Applied(u64, bool),
}

enum FromCompanion {
    Told(Arc<str>, u64),
    Answer(bool),
}

struct World {
    manner: Manner,
    mirror: Mirror,
    revision: u64,
    editor: Arc<str>,
    companion: (Arc<str>, u64),
    to_editor: VecDeque<(Arc<str>, Arc<str>, u64)>,
    from_editor: VecDeque<FromEditor>,
    to_companion: VecDeque<(Arc<str>, u64)>,
    from_companion: VecDeque<FromCompanion>,
    tokens: usize,
}

impl World {
    fn new(manner: Manner, text: &str) -> Self {
        let text: Arc<str> = text.into();
        Self {
            manner,
            mirror: Mirror::new(text.clone()),
            revision: 1,
            editor: text.clone(),
            companion: (text, 1),
            to_editor: VecDeque::new(),
            from_editor: VecDeque::new(),
            to_companion: VecDeque::new(),
            from_companion: VecDeque::new(),
            tokens: 0,
        }
    }

    fn lines(text: &str) -> Vec<String> {
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    /// The person types into a line, adds a line, or removes an original line.
    fn type_(&mut self, place: usize, what: usize) {
        let mut lines = Self::lines(&self.editor);
        let at = place % (lines.len() + 1);
        let token = format!("<{}>", self.tokens);
        match (what % 3, lines.get_mut(at)) {
            (0, Some(line)) => line.insert_str(0, &token),
            (1, Some(line)) if !line.contains('<') => {
                lines.remove(at);
                return self.editor_has(lines.concat().into());
            }
            _ => lines.insert(at, format!("{token}\n")),
        }
        self.tokens += 1;
        self.editor_has(lines.concat().into());
    }

    fn editor_has(&mut self, text: Arc<str>) {
        self.editor = text.clone();
        match self.from_editor.back_mut() {
            Some(FromEditor::Text(steps)) if self.manner == Manner::AnswersFirst => steps.push(text),
            _ => self.from_editor.push_back(FromEditor::Text(vec![text])),
        }
    }

    /// Another desk changes original lines.
    fn elsewhere(&mut self, place: usize, what: usize) {
        let mut lines = Self::lines(&self.companion.0);
        let at = place % (lines.len() + 1);
        match lines.get(at) {
            Some(line) if what.is_multiple_of(3) && !line.contains('<') => drop(lines.remove(at)),
            Some(line) if what % 3 == 1 && !line.contains('<') => lines[at] = format!("other {what}\n"),
            _ => lines.insert(at, format!("new {what}\n")),
        }
        self.companion = (lines.concat().into(), self.companion.1 + 1);
        self.tell();
    }

    fn tell(&mut self) {
        let (text, revision) = self.companion.clone();
        self.from_companion.push_back(FromCompanion::Told(text, revision));
    }

    /// Delivers the first message of a queue; false if it is empty.
    fn deliver(&mut self, queue: usize) -> bool {
        match queue % 4 {
            0 => match self.from_editor.pop_front() {
                Some(FromEditor::Text(text)) => self.mirror.editor_changed(text),
                Some(FromEditor::Applied(offer, taken)) => self.mirror.offer_answered(offer, taken),
                None => return false,
            },
            1 => match self.from_companion.pop_front() {
                Some(FromCompanion::Told(text, revision)) => {
                    self.revision = revision;
                    let _ = self.mirror.companion_changed(text);
                }
                Some(FromCompanion::Answer(taken)) => self.mirror.companion_replied(taken),
                None => return false,
            },
            2 => {
                let Some((from, to, offer)) = self.to_editor.pop_front() else { return false };
                let takes = self.manner != Manner::Never && from == self.editor;
                let says = FromEditor::Applied(offer, takes || self.manner == Manner::Pretends);
                if self.manner == Manner::AnswersFirst {
                    self.from_editor.push_back(says);
                    if takes {
                        self.editor_has(to);
                    }
                } else {
                    if takes && self.manner == Manner::Piecemeal {
                        self.editor_has(halfway(&from, &to));
                    }
                    if takes {
                        self.editor_has(to);
                    }
                    self.from_editor.push_back(says);
                }
            }
            _ => {
                let Some((text, revision)) = self.to_companion.pop_front() else { return false };
                let taken = revision == self.companion.1;
                if taken {
                    self.companion = (text, revision + 1);
                    self.tell();
                }
                self.from_companion.push_back(FromCompanion::Answer(taken));
            }
        }
        self.go_on();
        true
    }

    fn go_on(&mut self) {
        let here = self.mirror.editor_text().clone();
        if let Some((text, offer)) = self.mirror.incoming() {
            self.to_editor.push_back((here, text, offer));
        }
        if let Some(text) = self.mirror.outgoing(false) {
            self.to_companion.push_back((text, self.revision));
        }
    }

    fn settle(&mut self) {
        for _ in 0..1000 {
            if !(0..4).any(|queue| self.deliver(queue)) {
                return;
            }
        }
        panic!("the texts never settle");
    }
}

/// Returns a text after the removal and before the insertion.
fn halfway(from: &Arc<str>, to: &Arc<str>) -> Arc<str> {
    let (from, to) = (Text::new(from.clone()), Text::new(to.clone()));
    let mut at = 0;
    let mut text = String::new();
    for (old, _) in differences(&from, &to) {
        text += from.lines(at..old.start);
        at = old.end;
    }
    (text + from.lines(at..from.len())).into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn both_sides_converge_and_keep_all_typing(
        manner in proptest::sample::select(MANNERS.to_vec()),
        text in "([abc]?\n){0,7}[ab]?",
        steps in proptest::collection::vec((0..9_usize, 0..9_usize, 0..99_usize), 0..60),
    ) {
        let mut world = World::new(manner, &text);
        for (step, place, what) in steps {
            match step {
                0 | 1 => world.type_(place, what),
                2 => world.elsewhere(place, what),
                other => drop(world.deliver(other)),
            }
        }
        world.settle();
        // After a refusal, the next change allows another offer.
        world.type_(0, 0);
        world.settle();
        prop_assert_eq!(&*world.companion.0, &**world.mirror.companion_text());
        if manner != Manner::Never {
            prop_assert_eq!(&world.editor, &world.companion.0);
            prop_assert!(world.mirror.is_settled());
        }
        for token in 0..world.tokens {
            let token = format!("<{token}>");
            let text = &world.companion.0;
            prop_assert_eq!(text.matches(&token).count(), 1, "{} in {:?}", token, text);
            prop_assert_eq!(world.editor.matches(&token).count(), 1);
        }
    }
}
