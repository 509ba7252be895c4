//! The Rust files of the repository: their paths, and their parts that exist only in tests.

use std::path::{Path, PathBuf};

use alongside_testing::chores::checkout;
use syn::{Attribute, File, ImplItem, Item};

/// The segments of a module within its crate.
pub(crate) type Module = Vec<String>;

/// Directories with Rust of ours.
const DIRECTORIES: [&str; 5] = ["crates", "editors", "fuzz", "rig", "xtask"];

/// Returns every Rust file of the repository.
pub(crate) fn rust_files() -> Vec<PathBuf> {
    let files: Vec<_> = DIRECTORIES.iter().flat_map(|name| files_below(&checkout().join(name))).collect();
    assert!(files.len() > 300, "only {} files were found", files.len());
    files
}

/// Returns the Rust files below a directory, but for those that others wrote.
pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| {
        let below = path.strip_prefix(directory).unwrap_or(path);
        below.extension().is_some_and(|extension| extension == "rs")
            && !below.iter().any(|part| part == "target" || part == "node_modules")
    };
    alongside_testing::files_below(directory).into_iter().filter(is_ours).collect()
}

/// Returns a path from the top of the repository, with `/`.
pub(crate) fn shown(path: &Path) -> String {
    let parts = path.strip_prefix(checkout()).unwrap_or(path).iter();
    parts.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Returns the package or program of a file, and its module there; `None` for a test, and for a program of
/// one file.
pub(crate) fn place(path: &str) -> Option<(&str, Module)> {
    let (package, below) = path.split_once("/src/")?;
    let (package, below) = match below.strip_prefix("bin/") {
        Some(program) => {
            let below = program.split_once('/')?.1;
            (path.strip_suffix(below)?.trim_end_matches('/'), below)
        }
        None => (package, below),
    };
    let mut module: Module = below.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
        module.pop();
    }
    (!is_test(path)).then_some((package, module))
}

/// Whether a file is compiled only in tests, by its path.
pub(crate) fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with("tests"))
}

pub(crate) fn parse(path: &Path, text: &str) -> File {
    syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn read_text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files of one of our libraries, or of the program, without their tests.
pub(crate) fn crate_sources(name: &str) -> Vec<(Module, File)> {
    let files = files_below(&checkout().join("crates").join(name).join("src"));
    let source = |path: PathBuf| {
        let module = place(&shown(&path))?.1;
        Some((module, without_tests(parse(&path, &read_text(&path)))))
    };
    files.into_iter().filter_map(source).collect()
}

/// Returns a file without the items that are only there in tests.
pub(crate) fn without_tests(mut file: File) -> File {
    fn remove_tests(items: &mut Vec<Item>) {
        items.retain(|item| !is_for_tests(attributes(item)));
        for item in items {
            match item {
                Item::Mod(item) => {
                    if let Some((_, items)) = &mut item.content {
                        remove_tests(items);
                    }
                }
                Item::Impl(item) => {
                    item.items
                        .retain(|item| !matches!(item, ImplItem::Fn(method) if is_for_tests(&method.attrs)));
                }
                _ => {}
            }
        }
    }
    match is_for_tests(&file.attrs) {
        true => file.items.clear(),
        false => remove_tests(&mut file.items),
    }
    file
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an item exists only in tests.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).any(|word| word == "test")
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_a_package_or_a_program_of_several_files() {
        let found = |path| place(path).map(|(package, module)| (package, module.join("/")));
        assert_eq!(found("crates/a/src/lib.rs"), Some(("crates/a", String::new())));
        assert_eq!(found("crates/a/src/b/mod.rs"), Some(("crates/a", "b".into())));
        assert_eq!(found("rig/src/bin/rig/b/c.rs"), Some(("rig/src/bin/rig", "b/c".into())));
        for other in
            ["rig/src/bin/one.rs", "crates/a/src/b/tests.rs", "crates/a/tests/it/src/b.rs", "a/build.rs"]
        {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[test]
    fn items_of_tests_are_left_out() {
        let left = |text: &str| without_tests(syn::parse_file(text).unwrap()).items.len();
        assert_eq!(left("#![cfg(test)] fn f() {}"), 0);
        assert_eq!(
            left("#[cfg(all(test, unix))] use a::b; #[cfg(unix)] use c::d; #[cfg(test)] mod tests;"),
            1
        );
    }
}
