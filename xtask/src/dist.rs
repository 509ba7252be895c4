//! `cargo xtask dist`: builds the packages for people without a compiler: for each target an archive, for
//! glibc a Debian package, a package of npm, a wheel for PyPI and a bill of materials; the install script,
//! the recipes of package managers, and checksums. The same commit and compiler give the same bytes.

mod archive;
mod bare_root_trial;
mod build;
mod c_library;
mod cargo_options;
mod debian_package;
mod debian_trial;
mod licences;
mod linked_crates;
mod npm;
mod packed_crates;
mod product;
mod recipes;
mod repository_url;
mod sbom;
mod static_build;
mod targets;
#[cfg(test)]
mod tests;
mod tools;
mod wheel;
mod windows_build;
mod winget_schemas;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use alongside_testing::chores::{checkout, target_directory};
use anyhow::{Context as _, bail};

pub(crate) use self::build::static_programs;
use self::linked_crates::Crates;
use self::product::Product;
use crate::rig;

/// The output directory, below the target directory.
const OUT: &str = "dist";

/// The version of everything in the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Options of `cargo xtask dist`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Try each way to get the program in a new, minimal Debian afterwards, and a static one where nothing
    /// else is.
    ///
    /// This needs root, and debootstrap with a Debian mirror; without them it is skipped with a message.
    #[arg(long = "try")]
    try_out: bool,

    /// Only try what `cargo install alongside` does: pack every crate as for a registry, and install the
    /// program from the packed ones. --try does this, too.
    #[arg(long, conflicts_with_all = ["try_out", "target", "own_glibc", "from"])]
    crates: bool,

    /// The only target to build for; this machine must be able to run it. By default, all that it can build
    /// for.
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,

    /// Build for this machine with its own C library where the linker for an old one cannot be had. The
    /// program may not start elsewhere, and npm gets no package of it.
    #[arg(long)]
    own_glibc: bool,

    /// The URL that the script fetches archives from by default.
    #[arg(long, value_name = "URL")]
    from: Option<String>,
}

pub(crate) fn dist(options: &Options) -> anyhow::Result<ExitCode> {
    if options.crates {
        packed_crates::try_out(VERSION, &target_directory())?;
        return Ok(ExitCode::SUCCESS);
    }
    rig::build_extension("the packages lack it")?;
    let built = target_directory();
    let epoch = epoch()?;
    let syntaxes = licences::of_syntaxes()?;
    let product = |(target, program): (String, PathBuf)| {
        let crates = Crates::of(&target)?;
        let licences = licences::of_crates(&crates)? + &syntaxes;
        let sbom = sbom::of_crates(&crates, VERSION, &target)?;
        Ok(Product { program, version: VERSION.to_owned(), target, epoch, licences, sbom })
    };
    let programs = build::programs(options.target.as_deref(), options.own_glibc)?.into_iter();
    let products = programs.map(product).collect::<anyhow::Result<Vec<_>>>()?;
    let out = built.join(OUT);
    make(&products, &out, options.from.as_deref())?;
    println!("{}:", out.display());
    for name in names(&out)? {
        println!("  {name}");
    }
    if !options.try_out {
        return Ok(ExitCode::SUCCESS);
    }
    packed_crates::try_out(VERSION, &built)?;
    debian_trial::run_all(&products, &out, &built)
}

/// Makes everything in `out`, which is emptied first. The first program writes the manual pages of all.
pub(crate) fn make(products: &[Product], out: &Path, from: Option<&str>) -> anyhow::Result<()> {
    let runs_here = products.first().context("there is no program to pack")?;
    if out.exists() {
        std::fs::remove_dir_all(out).with_context(|| format!("cannot remove {}", out.display()))?;
    }
    std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let scratch = out.join("scratch");
    let repository = repository_url::address(from)?;
    let repository = repository.as_deref();
    if repository.is_none() {
        println!(
            "WARNING: Cargo.toml names no repository, so packages have none: npm takes no provenance of them"
        );
    }
    let pages = archive::Pages::written_by(&runs_here.program, &scratch.join("pages"))?;
    for product in products {
        let scratch = scratch.join(&product.target);
        if archive::can_be_made(&product.target) {
            archive::make(product, &pages, &scratch, out)?;
        } else {
            println!("SKIPPED: the archive for {}, because python3 is not installed", product.target);
        }
        if let Some(warning) = targets::row_of(&product.target).and_then(|target| target.proof.warning()) {
            println!("WARNING: {}: {warning}", product.target);
        }
        std::fs::write(out.join(sbom::file_name(&product.version, &product.target)), &product.sbom)?;
        if !debian_package::can_be_made() {
            println!("SKIPPED: the Debian package, because dpkg-deb is not installed");
        } else if product.is_for_debian() {
            debian_package::make(product, &pages, repository, &scratch, out)?;
        }
        if wheel::can_be_made() {
            wheel::make(product, &pages, repository, &scratch, out)?;
        } else {
            println!("SKIPPED: the wheel for PyPI, because python3 is not installed");
        }
    }
    npm::make(products, &pages, repository, &scratch, out)?;
    std::fs::remove_dir_all(&scratch)?;
    script(out, from)?;
    let names = names(out)?;
    let sums = tools::output(Command::new("sha256sum").arg("--").args(&names).current_dir(out))?;
    std::fs::write(out.join("SHA256SUMS"), &sums)?;
    recipes::make(&sums, &runs_here.version, from, repository, out)
}

/// Writes the install script, with the URL of published archives if there is one.
fn script(out: &Path, from: Option<&str>) -> anyhow::Result<()> {
    const PUBLISHED: &str = "published=''";
    let mut script = std::fs::read_to_string(checkout().join("packaging/install.sh"))?;
    if let Some(from) = from {
        if !script.contains(PUBLISHED) {
            bail!("packaging/install.sh has no line {PUBLISHED}");
        }
        if from.contains('\'') || !from.starts_with("https://") {
            bail!("--from needs a URL that begins with https://");
        }
        script = script.replace(PUBLISHED, &format!("published='{from}'"));
    }
    let path = out.join("install.sh");
    std::fs::write(&path, script)?;
    tools::run(Command::new("chmod").arg("755").arg(path))
}

/// Returns the files in a directory, sorted.
fn names(directory: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// `SOURCE_DATE_EPOCH`, else the time of the last commit.
fn epoch() -> anyhow::Result<u64> {
    let said = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(said) => said,
        Err(_) => {
            tools::output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(checkout()))
                .context("without a git repository, set SOURCE_DATE_EPOCH")?
        }
    };
    said.trim().parse().with_context(|| format!("{said:?} is not a time in seconds since 1970"))
}
