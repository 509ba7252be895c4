//! Names the commit and its date for `alongside --version`, where this is built from a checkout of the
//! repository. A packed crate has neither, and its version says enough.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names the commit and its date where git cannot, as in the Debian in which `cargo xtask dist` builds.
const GIVEN: &str = "ALONGSIDE_COMMIT";

fn main() {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={GIVEN}");
    let given = env::var(GIVEN).ok().filter(|given| !given.is_empty());
    let named = match given.or_else(|| commit(&checkout()?)) {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=ALONGSIDE_VERSION={named}");
}

/// The checkout with this crate in its place. A copy of the crate may lie in the repository of somebody
/// else, whose commits are not ours.
fn checkout() -> Option<PathBuf> {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let checkout = package.ancestors().nth(2)?;
    // In a working tree of its own, `.git` is a file.
    (package.ends_with("crates/alongside") && checkout.join(".git").exists()).then(|| checkout.to_owned())
}

/// The commit as Rust's own programs name it, the same in each build: git itself shortens by what else a
/// clone holds, and no time of the build is in it.
fn commit(checkout: &Path) -> Option<String> {
    watch_head(checkout);
    let hash = git(checkout, &["rev-parse", "HEAD"])?;
    // Someone's settings may have a signature in the log, which would be in the version.
    let log = ["log", "-1", "--no-show-signature", "--date=format-local:%Y-%m-%d", "--format=%cd"];
    let date = git(checkout, &log)?;
    Some(format!("{} {date}", hash.get(..9)?))
}

/// Has cargo run this again when HEAD changes, and at nothing else that git does.
fn watch_head(checkout: &Path) {
    let path = |name: &str| git(checkout, &["rev-parse", "--git-path", name]).map(|path| checkout.join(path));
    // Every change of HEAD is a line of its log. Without one, HEAD names a branch, which is a file or a line.
    let log = path("logs/HEAD").filter(|log| log.is_file());
    let branch = || git(checkout, &["symbolic-ref", "--quiet", "HEAD"]).and_then(|branch| path(&branch));
    let watched = match log {
        Some(log) => vec![log],
        None => [path("HEAD"), branch(), path("packed-refs")].into_iter().flatten().collect(),
    };
    // Cargo takes a file that is not there for one that has changed.
    for file in watched.iter().filter(|file| file.is_file()) {
        println!("cargo::rerun-if-changed={}", file.display());
    }
}

fn git(checkout: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(checkout).args(arguments).env("TZ", "UTC").stdin(Stdio::null());
    // A hook of git that builds us has them, for a repository that may be another one.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
