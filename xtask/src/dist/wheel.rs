//! The packages for PyPI: a wheel for each target, with the program where pip puts scripts. No Python is in
//! it, and no code of it runs at the installation.

use std::fs;
use std::path::Path;
use std::process::Command;

use alongside_testing::chores::checkout;
use anyhow::{Context as _, bail};

use super::archive::{self, Pages};
use super::product::{DESCRIPTION, Product};
use super::targets::Target;
use super::{c_library, licences, targets, tools};

/// Whether this machine can make one.
pub(super) fn can_be_made() -> bool {
    tools::is_installed("python3")
}

/// Makes `alongside-VERSION-py3-none-SYSTEMS.whl` in `out`, for a target in the table.
pub(super) fn make(
    product: &Product,
    pages: &Pages,
    repository: Option<&str>,
    scratch: &Path,
    out: &Path,
) -> anyhow::Result<()> {
    let Some(target) = targets::row_of(&product.target) else { return Ok(()) };
    // The name of a wheel promises the systems on which its program starts.
    if let Err(why) = c_library::check(&fs::read(&product.program)?, target.libc) {
        println!("SKIPPED: the wheel for {}: {why}", target.triple);
        return Ok(());
    }
    let version = version(&product.version)?;
    let tree = scratch.join("wheel");
    let install = |from: &Path, to: &str, mode: &str| {
        tools::run(Command::new("install").args(["-D", "-m", mode]).arg(from).arg(tree.join(to)))
    };
    let data = format!("alongside-{version}.data");
    let program = targets::program_name(target.triple);
    install(&product.program, &format!("{data}/scripts/{program}"), "755")?;
    if !targets::is_windows(target.triple) {
        for page in fs::read_dir(&pages.man)? {
            let page = page?;
            let name = page.file_name();
            install(&page.path(), &format!("{data}/data/share/man/man1/{}", name.to_string_lossy()), "644")?;
        }
        for (shell, place) in [
            ("bash", "bash-completion/completions/alongside"),
            ("zsh", "zsh/site-functions/_alongside"),
            ("fish", "fish/vendor_completions.d/alongside.fish"),
        ] {
            install(&pages.completion(shell)?, &format!("{data}/data/share/{place}"), "644")?;
        }
    }
    let info = format!("alongside-{version}.dist-info");
    for licence in licences::OWN {
        install(&checkout().join(licence), &format!("{info}/licenses/{licence}"), "644")?;
    }
    let write = |name: &str, text: &str| fs::write(tree.join(&info).join(name), text);
    write(&format!("licenses/{}", licences::FILE), &product.licences)?;
    write("METADATA", &metadata(&version, repository, target)?)?;
    write("WHEEL", &about(target))?;
    let name = format!("alongside-{version}-py3-none-{}.whl", target.wheel);
    archive::zip(&tree, &out.join(name), product.epoch)
}

fn metadata(version: &str, repository: Option<&str>, target: &Target) -> anyhow::Result<String> {
    let readme = fs::read_to_string(checkout().join("README.md"))?;
    let warning = target.proof.warning().map(|warning| format!("**{}: {warning}**\n\n", target.triple));
    let warning = warning.unwrap_or_default();
    let system = match target.node[0] {
        "win32" => "Microsoft :: Windows",
        "darwin" => "MacOS",
        _ => "POSIX :: Linux",
    };
    let mut text = format!(
        "Metadata-Version: 2.4\n\
         Name: alongside\n\
         Version: {version}\n\
         Summary: {DESCRIPTION}\n\
         License-Expression: MIT OR Apache-2.0\n"
    );
    for licence in licences::OWN.iter().chain([&licences::FILE]) {
        text += &format!("License-File: {licence}\n");
    }
    if let Some(repository) = repository {
        text += &format!("Project-URL: Repository, {repository}\n");
    }
    text += &format!(
        "Classifier: Environment :: Console\n\
         Classifier: Operating System :: {system}\n\
         Classifier: Programming Language :: Rust\n\
         Requires-Python: >=3.8\n\
         Description-Content-Type: text/markdown\n\n{warning}{readme}"
    );
    Ok(text)
}

fn about(target: &Target) -> String {
    let mut text = String::from("Wheel-Version: 1.0\nGenerator: alongside dist\nRoot-Is-Purelib: false\n");
    for system in target.wheel.split('.') {
        text += &format!("Tag: py3-none-{system}\n");
    }
    text
}

/// Returns the version as Python spells it.
fn version(said: &str) -> anyhow::Result<String> {
    let Some((release, stage)) = said.split_once('-') else { return Ok(said.to_owned()) };
    let (stage, number) = stage.split_once('.').with_context(|| format!("{said}: a stage has a number"))?;
    let stage = match stage {
        "alpha" => "a",
        "beta" => "b",
        "rc" => "rc",
        other => bail!("{said}: Python has no name for the stage {other}"),
    };
    Ok(format!("{release}{stage}{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_use_pythons_spelling() {
        assert_eq!(version("0.1.0").unwrap(), "0.1.0");
        assert_eq!(version("0.2.0-rc.1").unwrap(), "0.2.0rc1");
        assert_eq!(version("0.2.0-alpha.3").unwrap(), "0.2.0a3");
        assert!(version("0.2.0-nightly.1").is_err() && version("0.2.0-rc").is_err());
    }
}
