//! The preview of changes that a person reads before they agree: the person's files line by line, our files
//! by name.

use std::path::{Path, PathBuf};

use alongside_common::person_file::link_target;
use alongside_common::unified::hunks;
use alongside_desk::harmless;
use alongside_platform::paths::Canonical as _;
use similar::ChangeTag;

use super::change::Change;
use super::user_environment::UserEnvironment;

/// Whether the changes add or remove our lines. The preview cuts long runs of our lines, and shows every line
/// of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OurLines {
    /// An installation adds them.
    Added,
    /// An uninstallation removes them.
    Removed,
}

/// Returns the preview of `changes`. `verbose` shows every line of every file.
pub fn preview(changes: &[Change], user: &UserEnvironment, our_lines: OurLines, verbose: bool) -> String {
    let (diffed, named): (Vec<_>, Vec<_>) =
        changes.iter().partition(|change| change.is_person_file || verbose);
    let foldable = (!verbose).then_some(our_lines);
    let mut text: String = diffed.iter().map(|change| unified_diff(change, foldable)).collect();
    for change in &diffed {
        if let Some(real) = link_destination(&change.path, user) {
            let (path, real) = (user.shown(&change.path), user.shown(&real));
            text.push_str(&format!("  link     {path} leads to {real}, which changes\n"));
        }
    }
    for label in ["new", "replace", "remove"] {
        let paths: Vec<&Path> = named
            .iter()
            .filter(|change| label_of(change) == label)
            .map(|change| change.path.as_path())
            .collect();
        let common = common_directory(&paths).filter(|_| paths.len() > MAX_NAMED_FILES);
        let (inside, outside): (Vec<&Path>, Vec<&Path>) = paths
            .iter()
            .copied()
            .partition(|path| common.is_some_and(|directory| path.starts_with(directory)));
        if let Some(directory) = common {
            text.push_str(&format!("  {label:8} {}: {} files\n", user.shown(directory), inside.len()));
        }
        for path in outside {
            text.push_str(&format!("  {label:8} {}\n", user.shown(path)));
        }
    }
    text
}

/// Returns the destination of `path`, if the file itself or a directory below home in its path is a link.
fn link_destination(path: &Path, user: &UserEnvironment) -> Option<PathBuf> {
    let mut steps = path.ancestors().take_while(|step| *step != user.home);
    let is_below_home = path.starts_with(&user.home);
    let is_linked = if is_below_home { steps.any(Path::is_symlink) } else { path.is_symlink() };
    is_linked.then(|| link_target(path)).map(|real| real.canonical().unwrap_or(real))
}

/// Returns the label of the change of a file in the preview.
fn label_of(change: &Change) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "new",
        (Some(_), Some(_)) => "replace",
        (Some(_), None) => "remove",
    }
}

/// The number of our files up to which each is named. More files are counted by directory.
const MAX_NAMED_FILES: usize = 4;

/// Returns the deepest directory that holds more than 95 % of the files. A few files beside the main folder
/// of a plugin are named.
fn common_directory<'p>(paths: &[&'p Path]) -> Option<&'p Path> {
    let directories = paths.iter().flat_map(|path| path.ancestors().skip(1));
    let holds_most = |directory: &&Path| {
        paths.iter().filter(|path| path.starts_with(directory)).count() * 20 > paths.len() * 19
    };
    directories.filter(holds_most).max_by_key(|directory| directory.components().count())
}

/// The longest run of our lines that is shown whole.
const MAX_OUR_LINES: usize = 16;
/// The lines that are shown of a longer run.
const FIRST_OUR_LINES: usize = 6;

/// The number of unchanged lines above and below a change.
const CONTEXT_LINES: usize = 3;

fn unified_diff(change: &Change, foldable: Option<OurLines>) -> String {
    let [before, after] = [&change.before, &change.after].map(|text| text.as_deref().unwrap_or_default());
    // The absolute path, without `~`: it shows whose file this is.
    let path = harmless::path(&change.path);
    let name = |text: &Option<String>| if text.is_some() { path.as_str() } else { "/dev/null" };
    let mut diff = format!("--- {}\n+++ {}\n", name(&change.before), name(&change.after));
    for hunk in hunks(before, after, CONTEXT_LINES) {
        diff.push_str(&format!("{}\n", hunk.header));
        for run in hunk.lines.chunk_by(|one, next| one.tag() == next.tag()) {
            let is_ours = run.first().is_some_and(|line| match foldable {
                Some(OurLines::Added) => line.tag() == ChangeTag::Insert,
                Some(OurLines::Removed) => line.tag() == ChangeTag::Delete,
                None => false,
            });
            let shown = if is_ours && run.len() > MAX_OUR_LINES { FIRST_OUR_LINES } else { run.len() };
            for line in &run[..shown] {
                let end = if line.value().ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
                diff.push_str(&format!("{}{}{end}", line.tag(), line.value()));
            }
            if shown < run.len() {
                let (tag, more) = (run[0].tag(), run.len() - shown);
                diff.push_str(&format!("{tag}… {more} more lines (--verbose shows them)\n"));
            }
        }
    }
    harmless::text(&diff).into_owned()
}
