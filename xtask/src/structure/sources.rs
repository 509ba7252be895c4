//! The Rust files of the repository, and what stands in them.

use std::path::{Path, PathBuf};

use alongside_testing::chores::checkout;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, Item, ItemImpl, Signature, TraitItemFn, Type};

/// Directories with Rust of ours.
const DIRECTORIES: [&str; 4] = ["crates", "fuzz", "rig", "xtask"];

/// Every Rust file of the repository.
pub(super) fn rust_files() -> Vec<PathBuf> {
    let files: Vec<_> = DIRECTORIES.iter().flat_map(|name| files_below(&checkout().join(name))).collect();
    assert!(files.len() > 300, "only {} files were found", files.len());
    files
}

/// The Rust files below a directory, but for those that others wrote.
pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory that can be read").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        match path.is_dir() {
            true if name == "target" || name == "node_modules" => {}
            true => found.extend(files_below(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
    found
}

/// The files of a crate that are no tests.
pub(super) fn crate_sources(name: &str) -> Vec<Source> {
    let directory = checkout().join("crates").join(name).join("src");
    let is_test = |path: &Path| {
        let below = path.strip_prefix(&directory).unwrap_or(path).with_extension("");
        below.components().any(|part| part.as_os_str().to_string_lossy().starts_with("tests"))
    };
    let files = files_below(&directory).into_iter().filter(|path| !is_test(path));
    files
        .map(|path| {
            let module = module_of(path.strip_prefix(&directory).unwrap_or(&path));
            Source { module, ..Source::read(&path) }
        })
        .filter(|source| !is_for_tests(&source.file.attrs))
        .collect()
}

/// The module of a file below `src`.
fn module_of(file: &Path) -> Vec<String> {
    let mut module: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
        module.pop();
    }
    module
}

/// Whether an item is only there in tests.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).any(|word| word == "test")
            })
    })
}

/// A parsed file.
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// The segments of its module within the crate.
    pub(super) module: Vec<String>,
    pub(super) file: syn::File,
}

impl Source {
    pub(super) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a source that can be read");
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path: path.to_owned(), module: Vec::new(), file }
    }

    /// Whether methods of this type are here.
    pub(super) fn implements(&self, name: &str) -> bool {
        self.file.items.iter().any(|item| match item {
            Item::Impl(ItemImpl { self_ty, .. }) => match &**self_ty {
                Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == name),
                _ => false,
            },
            _ => false,
        })
    }

    /// The names of methods that take `&mut self`.
    pub(super) fn mutating_methods(&self) -> Vec<String> {
        #[derive(Default)]
        struct Methods(Vec<String>);
        impl Methods {
            fn add(&mut self, signature: &Signature) {
                let receiver = signature.receiver();
                if receiver.is_some_and(|this| this.reference.is_some() && this.mutability.is_some()) {
                    self.0.push(signature.ident.to_string());
                }
            }
        }
        impl<'a> Visit<'a> for Methods {
            fn visit_impl_item_fn(&mut self, method: &'a ImplItemFn) {
                self.add(&method.sig);
                visit::visit_impl_item_fn(self, method);
            }

            fn visit_trait_item_fn(&mut self, method: &'a TraitItemFn) {
                self.add(&method.sig);
                visit::visit_trait_item_fn(self, method);
            }
        }
        let mut methods = Methods::default();
        methods.visit_file(&self.file);
        methods.0
    }
}
