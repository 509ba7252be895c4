//! Tests notes on files: texts that a person accepted before they were written, and saves in an editor.

use std::time::Duration;

use alongside_companion::turns::source::{AcceptedText, TurnNote, TurnSource as _};
use alongside_desk::Lines;

use super::fixture::{Project, file, rows};
use crate::trim;

impl Project {
    /// Writes a text, as an agent does whose proposal the person has accepted.
    fn accept(&self, name: &str, text: &str) -> bool {
        let before = self.read(name);
        self.write(name, text);
        let note = TurnNote::Accepted(AcceptedText { before, after: text.into() });
        self.store.note(&self.path(name), &note)
    }

    fn save(&self, name: &str, text: &str) -> bool {
        self.write(name, text);
        self.store.note(&self.path(name), &TurnNote::Saved)
    }

    fn accepted(&self, name: &str) -> (bool, Vec<(usize, usize)>) {
        let look = self.look();
        let lines = self.texts(&look, name).accepted.into_iter().map(|Lines { start, end }| (start, end));
        (file(&look, name).told.accepted, lines.collect())
    }
}

#[test]
fn files_accepted_before_the_write_are_marked_and_come_last() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    assert!(project.accept("a", "one\nTWO\nthree\n") && project.accept("a", "ONE\nTWO\nthree\n"));
    assert!(project.accept("new", "1\n"));
    project.write("z", "by a shell command\n");
    project.end();
    assert_eq!(project.accepted("a"), (true, vec![(0, 3)]));
    assert_eq!(project.accepted("new"), (true, vec![(0, 1)]));
    assert_eq!(project.accepted("z"), (false, vec![]));
    assert_eq!(rows(&project.look()), ["A z", "M a", "A new"]);
    // A shell command changes the last line afterwards.
    project.write("a", "ONE\nTWO\nTHREE\n");
    assert_eq!(project.accepted("a"), (false, vec![(0, 2)]));
    // Another store reads the same from disk, and so does a review since a commit.
    let store = crate::TurnStore::new(project.dirs.clone());
    let look = store.look(&project.top, Some("HEAD")).unwrap();
    assert!(file(&look, "new").told.accepted);
    assert_eq!(store.texts(&look, file(&look, "a")).unwrap().accepted, [Lines { start: 0, end: 2 }]);
    project.chmod("new", 0o755);
    assert!(!project.accepted("new").0, "nobody accepted the mode");
    // After a finish, earlier notes do not count.
    project.store.finish(&project.look());
    assert_eq!(rows(&project.look()), Vec::<String>::new());
    project.write("a", "ONE\nTWO\nTHREE!\n");
    assert_eq!(project.accepted("a"), (false, vec![]));
}

#[test]
fn a_file_that_the_person_saved_since_the_baseline_is_marked() {
    let Some(project) = Project::new() else { return };
    assert!(!project.save("a", "mine\n"), "no turn has begun");
    project.prompt();
    project.write("run", "#!/bin/bash\n");
    project.write("a", "the agent's\n");
    assert!(project.save("a", "the agent's and mine\n"));
    assert!(!project.save("a", "once more\n"), "an editor may save by itself");
    project.end();
    let saved = |name: &str| file(&project.look(), name).told.saved;
    assert!(saved("a") && !saved("run"));
    project.store.finish(&project.look());
    std::thread::sleep(Duration::from_millis(2));
    project.prompt();
    project.write("a", "the agent's again\n");
    project.end();
    assert!(!saved("a"), "that was before the baseline");
}

#[test]
fn no_text_of_an_excluded_or_ignored_file_is_kept() {
    let Some(project) = Project::new() else { return };
    project.write(".gitignore", "ignored\n");
    project.prompt();
    for name in ["ignored", ".env"] {
        assert!(!project.accept(name, "secret\n"), "{name}");
    }
    let beside = project.beside("beside");
    std::fs::write(&beside, "x").unwrap();
    assert!(!project.store.note(&beside, &TurnNote::Saved));
    assert!(project.accept("b/c", "kept\n"));
}

#[test]
fn trimming_keeps_accepted_texts_of_a_kept_turn() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.accept("a", "one\nTWO\nthree\n");
    project.end();
    for _ in 0..3 {
        project.prompt();
        project.end();
    }
    let until = std::time::Instant::now() + Duration::from_secs(60);
    trim(&project.dirs, &project.top, 0, until).unwrap();
    assert_eq!(project.accepted("a"), (true, vec![(0, 3)]));
}
