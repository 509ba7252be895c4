//! The packages for npm: one with a launcher, which people install, and one with a program for each target.
//! npm chooses the program's package by `os`, `cpu` and `libc`; the installation runs no script.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use alongside_testing::chores::checkout;
use serde_json::{Map, Value, json};

use super::archive::{self, Pages};
use super::licences;
use super::product::{DESCRIPTION, Product};
use super::targets::{self, Libc, Target};
use super::{c_library, tools};

const NAME: &str = "alongside";

/// Makes `alongside-VERSION.tgz`, and one for each program of a target in the table.
/// npm compares `repository` with the workflow that publishes them.
pub(super) fn make(
    products: &[Product],
    pages: &Pages,
    repository: Option<&str>,
    scratch: &Path,
    out: &Path,
) -> anyhow::Result<()> {
    let repository = repository.map(|url| json!({ "type": "git", "url": format!("git+{url}.git") }));
    let mut programs = Map::new();
    for product in products {
        if let Some(target) = targets::row_of(&product.target) {
            // npm would install the package on every system with glibc.
            if let Err(why) = c_library::check(&fs::read(&product.program)?, target.libc) {
                println!("SKIPPED: the package of npm for {}: {why}", target.triple);
                continue;
            }
            let package = Package::new(&name_of(target), repository.clone(), scratch)?;
            let program = targets::program_name(target.triple);
            package.install(&product.program, &format!("bin/{program}"), "755")?;
            package.write(licences::FILE, &product.licences)?;
            package.write("README.md", &about(target))?;
            let [os, cpu] = target.node;
            let mut only = json!({ "os": [os], "cpu": [cpu], "preferUnplugged": true });
            if let Some(libc) = target.libc.name() {
                only["libc"] = json!([libc]);
            }
            package.finish(&only, product, out)?;
            programs.insert(package.name, product.version.clone().into());
        }
    }
    // A system without a row has its own way to build.
    let Some(product) = products.first().filter(|_| !programs.is_empty()) else { return Ok(()) };
    let package = Package::new(NAME, repository, scratch)?;
    package.install(&checkout().join("packaging/npm/alongside.js"), "bin/alongside.js", "755")?;
    package.install(&checkout().join("README.md"), "README.md", "644")?;
    let mut man = Vec::new();
    for page in fs::read_dir(&pages.man)? {
        let page = page?;
        let name = format!("man/{}", page.file_name().to_string_lossy());
        package.install(&page.path(), &name, "644")?;
        man.push(name);
    }
    man.sort();
    let launcher = json!({
        "bin": { NAME: "bin/alongside.js" },
        "man": man,
        "engines": { "node": ">=18" },
        "optionalDependencies": programs,
    });
    package.finish(&launcher, product, out)
}

/// Returns the package with the program for a target, as the launcher names it.
pub(super) fn name_of(target: &Target) -> String {
    let name = format!("{NAME}-{}", target.node.join("-"));
    if target.libc == Libc::Static { format!("{name}-musl") } else { name }
}

fn about(target: &Target) -> String {
    let triple = target.triple;
    let warning = target.proof.warning().map(|warning| format!(" {warning}")).unwrap_or_default();
    format!(
        "The program of alongside for {triple}.{warning} Install the package `alongside`, which takes it \
         in.\n"
    )
}

/// A package in the making.
struct Package {
    name: String,
    repository: Option<Value>,
    /// The directory that npm calls `package/`.
    tree: PathBuf,
}

impl Package {
    fn new(name: &str, repository: Option<Value>, scratch: &Path) -> anyhow::Result<Self> {
        let tree = scratch.join("npm").join(name).join("package");
        fs::create_dir_all(&tree)?;
        Ok(Self { name: name.to_owned(), repository, tree })
    }

    fn install(&self, from: &Path, to: &str, mode: &str) -> anyhow::Result<()> {
        tools::run(Command::new("install").args(["-D", "-m", mode]).arg(from).arg(self.tree.join(to)))
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        Ok(fs::write(self.tree.join(name), text)?)
    }

    /// Adds the licence and the manifest, and packs all of it.
    fn finish(&self, own: &Value, product: &Product, out: &Path) -> anyhow::Result<()> {
        for text in licences::OWN {
            self.install(&checkout().join(text), text, "644")?;
        }
        let mut manifest = json!({
            "name": self.name,
            "version": product.version,
            "description": DESCRIPTION,
            "license": "MIT OR Apache-2.0",
        });
        if let (Some(manifest), Some(own)) = (manifest.as_object_mut(), own.as_object()) {
            manifest.extend(own.clone());
            if let Some(repository) = &self.repository {
                manifest.insert("repository".to_owned(), repository.clone());
            }
        }
        self.write("package.json", &(serde_json::to_string_pretty(&manifest)? + "\n"))?;
        let file = out.join(format!("{}-{}.tgz", self.name, product.version));
        archive::pack(&self.tree, &file, product.epoch)
    }
}
