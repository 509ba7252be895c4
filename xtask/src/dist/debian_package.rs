//! The Debian package: the files of the archive where Debian expects them, and dpkg's metadata.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use alongside_testing::chores::checkout;
use anyhow::{Context as _, bail};

use super::archive::Pages;
use super::product::Product;
use super::{c_library, licences, tools};

/// The maintainer unless DEBFULLNAME and DEBEMAIL name another.
const MAINTAINER: (&str, &str) = ("The alongside contributors", "contributors@alongside.invalid");

const DESCRIPTION: &str = "\
IDE companion of coding agents, for every editor
 Coding agents such as Gemini CLI and Qwen Code ask an editor what is open in
 it, and let a person decide each change they propose. alongside is what they
 find beside any editor: a desk in the terminal, a language server for Neovim,
 Helix and others. Proposals are read, edited and decided change by change; the
 agent writes the file.
";

const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: alongside

Files: *
Copyright: 2026 the alongside contributors
License: Apache-2.0 or MIT

License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.

";

/// Whether this machine can make one.
pub(super) fn can_be_made() -> bool {
    tools::is_installed("dpkg-deb")
}

/// Returns the package's file name.
pub(super) fn file_name(product: &Product) -> anyhow::Result<String> {
    Ok(format!("alongside_{}_{}.deb", version(product), architecture(&product.target)?))
}

/// Makes `alongside_VERSION-1_ARCHITECTURE.deb` in `out`.
pub(super) fn make(
    product: &Product,
    pages: &Pages,
    repository: Option<&str>,
    scratch: &Path,
    out: &Path,
) -> anyhow::Result<()> {
    let tree = Tree { root: scratch.join("debian") };
    tree.install(&product.program, "usr/bin/alongside", "755")?;
    for page in fs::read_dir(&pages.man)? {
        let page = page?;
        tree.compress(&page.path(), &format!("usr/share/man/man1/{}", page.file_name().to_string_lossy()))?;
    }
    for (shell, place) in [
        ("bash", "usr/share/bash-completion/completions/alongside"),
        ("zsh", "usr/share/zsh/vendor-completions/_alongside"),
        ("fish", "usr/share/fish/vendor_completions.d/alongside.fish"),
    ] {
        tree.install(&pages.completion(shell)?, place, "644")?;
    }
    let texts = scratch.join("texts");
    fs::create_dir_all(&texts)?;
    let write = |name: &str, text: &str| -> anyhow::Result<PathBuf> {
        fs::write(texts.join(name), text)?;
        Ok(texts.join(name))
    };
    let doc = "usr/share/doc/alongside";
    tree.install(&write("copyright", &copyright()?)?, &format!("{doc}/copyright"), "644")?;
    tree.compress(&write("changelog", &changelog(product)?)?, &format!("{doc}/changelog.Debian"))?;
    tree.compress(&checkout().join("CHANGELOG.md"), &format!("{doc}/changelog"))?;
    tree.compress(&checkout().join("README.md"), &format!("{doc}/README.md"))?;
    tree.compress(&write(licences::FILE, &product.licences)?, &format!("{doc}/{}", licences::FILE))?;

    let files = tree.files()?;
    let mut size = 0;
    for file in &files {
        size += fs::metadata(tree.root.join(file))?.len().div_ceil(1024);
    }
    let sums = tools::output(Command::new("md5sum").arg("--").args(&files).current_dir(&tree.root))?;
    tree.install(&write("md5sums", &sums)?, "DEBIAN/md5sums", "644")?;
    tree.install(&write("control", &control(product, repository, size)?)?, "DEBIAN/control", "644")?;
    tools::run(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&tree.root))?;
    let mut build = Command::new("dpkg-deb");
    build.args(["--root-owner-group", "-Zxz", "--build"]).arg(&tree.root).arg(out.join(file_name(product)?));
    tools::run(build.env("SOURCE_DATE_EPOCH", product.epoch.to_string()))
}

/// The directory that becomes `/` where the package is installed.
struct Tree {
    root: PathBuf,
}

impl Tree {
    fn install(&self, from: &Path, to: &str, mode: &str) -> anyhow::Result<()> {
        tools::run(Command::new("install").args(["-D", "-m", mode]).arg(from).arg(self.root.join(to)))
    }

    fn compress(&self, from: &Path, to: &str) -> anyhow::Result<()> {
        self.install(from, to, "644")?;
        tools::run(Command::new("gzip").arg("-9n").arg(self.root.join(to)))
    }

    /// Returns the files in it, sorted, as `md5sums` names them.
    fn files(&self) -> anyhow::Result<Vec<String>> {
        let found = tools::output(Command::new("find").args(["usr", "-type", "f"]).current_dir(&self.root))?;
        let mut files: Vec<_> = found.lines().map(str::to_owned).collect();
        files.sort();
        Ok(files)
    }
}

/// `size` is in KiB.
fn control(product: &Product, repository: Option<&str>, size: u64) -> anyhow::Result<String> {
    let program = fs::read(&product.program)?;
    Ok(format!(
        "Package: alongside\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: {}\n\
         Installed-Size: {size}\n\
         {}\
         {}\
         Section: devel\n\
         Priority: optional\n\
         Description: {DESCRIPTION}",
        version(product),
        architecture(&product.target)?,
        maintainer(),
        depends(&program).map_or_else(String::new, |packages| format!("Depends: {packages}\n")),
        repository.map_or_else(String::new, |url| format!("Homepage: {url}\n")),
    ))
}

fn changelog(product: &Product) -> anyhow::Result<String> {
    let when = format!("--date=@{}", product.epoch);
    let when = tools::output(Command::new("date").args(["--utc", "--rfc-email", &when]))?;
    let (version, maintainer) = (version(product), maintainer());
    Ok(format!(
        "alongside ({version}) unstable; urgency=medium\n\n  \
         * Release {}. What is new is in changelog.gz.\n\n -- {maintainer}  {when}",
        product.version
    ))
}

fn copyright() -> anyhow::Result<String> {
    let mut text = COPYRIGHT.to_owned() + "License: MIT\n";
    let license = fs::read_to_string(checkout().join("LICENSE-MIT"))?;
    // The title and the copyright line are already above.
    let terms = license.split_once("Permission").context("LICENSE-MIT has no terms")?.1;
    for line in format!("Permission{terms}").lines() {
        text += &if line.trim().is_empty() { " .\n".to_owned() } else { format!(" {line}\n") };
    }
    Ok(text)
}

fn maintainer() -> String {
    let said = |name: &str, or: &str| {
        std::env::var(name).ok().filter(|said| !said.is_empty()).unwrap_or_else(|| or.to_owned())
    };
    format!("{} <{}>", said("DEBFULLNAME", MAINTAINER.0), said("DEBEMAIL", MAINTAINER.1))
}

/// Returns the Debian version: with a tilde, a pre-release sorts before its release.
fn version(product: &Product) -> String {
    format!("{}-1", product.version.replace('-', "~"))
}

/// Debian's name of a target's processor.
fn architecture(target: &str) -> anyhow::Result<&'static str> {
    Ok(match target.split('-').next().unwrap_or_default() {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "i686" => "i386",
        "armv7" => "armhf",
        "riscv64gc" => "riscv64",
        other => bail!("Debian has no name for the processor {other} of {target}"),
    })
}

/// Returns the dependencies of a dynamic program: the newest C library version that it names, and the
/// unwinder; `None` for a static program.
fn depends(program: &[u8]) -> Option<String> {
    let names = |what: &[u8]| program.windows(what.len()).any(|window| window == what);
    let libc = format!("libc6 (>= 2.{})", c_library::newest_glibc(program)?);
    Some(if names(b"libgcc_s.so.1") { format!("{libc}, libgcc-s1") } else { libc })
}

#[cfg(test)]
mod tests {
    use super::super::targets::TARGETS;
    use super::*;

    #[test]
    fn a_package_needs_the_c_library_of_its_program() {
        let program = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0libgcc_s.so.1\0";
        assert_eq!(depends(program).as_deref(), Some("libc6 (>= 2.34), libgcc-s1"));
        assert_eq!(depends(b"\0GLIBC_2.4\0 and").as_deref(), Some("libc6 (>= 2.4)"));
        assert_eq!(depends(b"static"), None);
    }

    #[test]
    fn versions_and_processors_use_debians_spelling() {
        let product = Product {
            program: "x".into(),
            version: "0.2.0-rc.1".into(),
            target: "aarch64-unknown-linux-gnu".into(),
            epoch: 0,
            licences: String::new(),
            sbom: String::new(),
        };
        assert_eq!(file_name(&product).unwrap(), "alongside_0.2.0~rc.1-1_arm64.deb");
        assert!(architecture("z80-unknown-none").is_err());
        for target in TARGETS {
            assert!(architecture(target.triple).is_ok(), "{}", target.triple);
        }
    }
}
