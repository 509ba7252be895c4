//! Build script: gives `alongside --version` the commit and its date if the crate is built in a checkout of
//! the repository. A packed crate has neither, and its version number is enough.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment variable with the commit and its date, for builds without git, such as those of
/// `cargo xtask dist` in its Debian image.
const COMMIT_VARIABLE: &str = "ALONGSIDE_COMMIT";

fn main() {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={COMMIT_VARIABLE}");
    let given = env::var(COMMIT_VARIABLE).ok().filter(|given| !given.is_empty());
    let full_version = match given.or_else(|| commit(&checkout()?)) {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=ALONGSIDE_VERSION={full_version}");
}

/// Returns the root of the checkout of alongside's repository that holds this crate. A copy of the crate may
/// lie in another repository, whose commits do not identify alongside.
fn checkout() -> Option<PathBuf> {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let checkout = package.ancestors().nth(2)?;
    // In a linked worktree, `.git` is a file.
    (package.ends_with("crates/alongside") && checkout.join(".git").exists()).then(|| checkout.to_owned())
}

/// Returns the abbreviated commit and its date, in the format of `rustc --version`. The result is the same in
/// each build: the length of the hash is fixed, since git's own abbreviation depends on the clone, and the
/// date is that of the commit.
fn commit(checkout: &Path) -> Option<String> {
    watch_head(checkout);
    let hash = git(checkout, &["rev-parse", "HEAD"])?;
    // The git configuration of a user may add signatures to the log, and so to the version.
    let log = ["log", "-1", "--no-show-signature", "--date=format-local:%Y-%m-%d", "--format=%cd"];
    let date = git(checkout, &log)?;
    Some(format!("{} {date}", hash.get(..9)?))
}

/// Makes cargo run this build script again when HEAD changes, and for no other operation of git.
fn watch_head(checkout: &Path) {
    let path = |name: &str| git(checkout, &["rev-parse", "--git-path", name]).map(|path| checkout.join(path));
    // Every change of HEAD adds a line to its log. Without a log, HEAD names a branch, which is a file or a
    // line of `packed-refs`.
    let log = path("logs/HEAD").filter(|log| log.is_file());
    let branch = || git(checkout, &["symbolic-ref", "--quiet", "HEAD"]).and_then(|branch| path(&branch));
    let watched = match log {
        Some(log) => vec![log],
        None => [path("HEAD"), branch(), path("packed-refs")].into_iter().flatten().collect(),
    };
    // Cargo treats a missing file as changed.
    for file in watched.iter().filter(|file| file.is_file()) {
        println!("cargo::rerun-if-changed={}", file.display());
    }
}

/// Runs git in the checkout. Returns its output, or `None` if it fails.
fn git(checkout: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(checkout).args(arguments).env("TZ", "UTC").stdin(Stdio::null());
    // A build within a git hook inherits these variables, which may name another repository.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
