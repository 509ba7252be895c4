//! Finds the imports between files. An import points at the file that defines the item, also if another file
//! re-exports it; an item that exists only in tests imports nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use syn::visit::{self, Visit};
use syn::{File, ImplItem, Item, ItemImpl, Type, UseTree};

use crate::rust_sources::{Module, without_tests};

/// The imports of a file, before the re-exports of other files are known.
#[derive(Debug, Default)]
pub(super) struct Imports {
    pub(super) module: Module,
    /// The names that it re-exports, and their paths.
    re_exports: BTreeMap<String, Module>,
    /// The paths that the file imports from its own crate.
    taken: BTreeSet<Module>,
    /// The paths to the types that have methods here, without those of traits.
    pub(super) implemented: BTreeSet<Module>,
}

impl Imports {
    pub(super) fn of(module: Module, file: &File) -> Self {
        let mut paths = Paths::of(module, file);
        paths.visit_file(file);
        paths.imports
    }

    /// Returns the imports of a text, for tests of the rules.
    pub(super) fn of_text(module: &str, text: &str) -> Self {
        let module = module.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Self::of(module, &without_tests(syn::parse_file(text).unwrap()))
    }
}

/// Modules, and the modules that each imports from, with the names that it takes.
#[derive(Debug, Default)]
pub(super) struct Graph(BTreeMap<Module, BTreeMap<Module, BTreeSet<String>>>);

/// Modules that import each other.
#[derive(Debug)]
pub(super) struct Circle(Vec<String>);

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n    "))
    }
}

impl Graph {
    /// Returns the imports between the files of a crate.
    pub(super) fn of_files(files: &[&Imports]) -> Self {
        let modules = Crate::of(files);
        let mut graph = Self::default();
        for file in files {
            let imports = graph.0.entry(file.module.clone()).or_default();
            for path in &file.taken {
                if let Some((module, name)) = modules.resolve(path)
                    && module != file.module
                {
                    imports.entry(module).or_default().insert(name);
                }
            }
        }
        graph
    }

    /// Returns the imports between the files and folders of each folder. A folder imports what any file in it
    /// does.
    pub(super) fn of_folders(&self) -> Vec<Self> {
        let mut folders: BTreeMap<&[String], Self> = BTreeMap::new();
        for (module, imports) in &self.0 {
            for (other, names) in imports {
                let shared = module.iter().zip(other).take_while(|(a, b)| a == b).count();
                // A file and one in the folder of its name import each other as files do.
                if let (Some(own), Some(imported)) = (module.get(..=shared), other.get(..=shared)) {
                    let folder = folders.entry(&module[..shared]).or_default();
                    let taken =
                        folder.0.entry(own.to_vec()).or_default().entry(imported.to_vec()).or_default();
                    let name = format!("{} -> {}", module.join("/"), other.join("/"));
                    taken.extend(names.iter().map(|taken| format!("{name}: {taken}")));
                }
            }
        }
        folders.into_values().collect()
    }

    /// Returns every module that can be reached from one.
    fn reachable<'a>(&'a self, from: &'a Module) -> BTreeSet<&'a Module> {
        let mut reached = BTreeSet::new();
        let mut next = vec![from];
        while let Some(module) = next.pop() {
            for imported in self.0.get(module).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(imported) {
                    next.push(imported);
                }
            }
        }
        reached
    }
}

/// Returns the circles of a graph, each once, with the imports that close it.
pub(super) fn circles(graph: &Graph) -> Vec<Circle> {
    let reachable: BTreeMap<_, _> = graph.0.keys().map(|module| (module, graph.reachable(module))).collect();
    let mut done = BTreeSet::new();
    let mut circles = Vec::new();
    for (module, reached) in &reachable {
        if !reached.contains(module) || done.contains(module) {
            continue;
        }
        let is_in_circle =
            |other: &&Module| reachable.get(*other).is_some_and(|reached| reached.contains(module));
        let members: BTreeSet<_> = reached.iter().copied().filter(is_in_circle).collect();
        done.extend(members.iter().copied());
        let mut lines = vec![format!("{} modules", members.len())];
        for member in &members {
            for (other, names) in graph.0.get(*member).into_iter().flatten() {
                if members.contains(other) {
                    let names: Vec<_> = names.iter().map(String::as_str).collect();
                    lines.push(format!("{} -> {}: {}", member.join("/"), other.join("/"), names.join(", ")));
                }
            }
        }
        circles.push(Circle(lines));
    }
    circles
}

/// The modules of a crate, and the names that each re-exports.
pub(super) struct Crate<'a>(BTreeMap<&'a [String], &'a BTreeMap<String, Module>>);

impl<'a> Crate<'a> {
    pub(super) fn of(files: &[&'a Imports]) -> Self {
        Self(files.iter().map(|file| (file.module.as_slice(), &file.re_exports)).collect())
    }

    /// Returns the file that defines an item, and the item's name; `None` for a path out of the crate.
    pub(super) fn resolve(&self, path: &[String]) -> Option<(Module, String)> {
        self.resolve_through(path, 0)
    }

    fn resolve_through(&self, path: &[String], depth: usize) -> Option<(Module, String)> {
        let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]))?;
        let (module, below) = path.split_at(length);
        let Some(name) = below.first() else { return Some((module.to_vec(), "the module".into())) };
        let real = self.0[module].get(name).filter(|_| depth < 8);
        let real = real.map(|real| [real, &below[1..]].concat());
        let found = real.and_then(|real| self.resolve_through(&real, depth + 1));
        Some(found.unwrap_or_else(|| (module.to_vec(), name.clone())))
    }
}

/// Collects the imports of a file.
struct Paths {
    /// The modules that it declares, each in a file of its own.
    children: BTreeSet<String>,
    /// Names that a `use` has bound.
    bound: BTreeMap<String, Module>,
    imports: Imports,
}

impl Paths {
    fn of(module: Module, file: &File) -> Self {
        let child = |item: &Item| match item {
            Item::Mod(child) if child.content.is_none() => Some(child.ident.to_string()),
            _ => None,
        };
        let children = file.items.iter().filter_map(child).collect();
        let imports = Imports { module, ..Imports::default() };
        let mut paths = Self { children, bound: BTreeMap::new(), imports };
        // A name may be used before the line that binds it.
        for item in &file.items {
            if let Item::Use(item) = item {
                for (path, name) in flat(&item.tree) {
                    if let Some(path) = paths.within_crate(&path) {
                        if !matches!(item.vis, syn::Visibility::Inherited) {
                            paths.imports.re_exports.insert(name.clone(), path.clone());
                        }
                        paths.bound.insert(name, path);
                    }
                }
            }
        }
        paths
    }

    /// Returns a path from the root of the crate; `None` for a path out of the crate.
    fn within_crate(&self, path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        match self.bound.get(first) {
            Some(bound) => Some([bound, rest].concat()),
            None if self.children.contains(first) => Some([&self.imports.module, path].concat()),
            None => absolute(path, &self.imports.module),
        }
    }
}

impl<'a> Visit<'a> for Paths {
    /// The path of a visibility imports nothing.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        for (path, _) in flat(&item.tree) {
            // The module that a name was imported from counts where the name is used.
            self.imports.taken.extend(self.within_crate(&path));
        }
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        let is_method =
            |item: &ImplItem| matches!(item, ImplItem::Fn(method) if method.sig.receiver().is_some());
        if let (None, Type::Path(implemented)) = (&item.trait_, &*item.self_ty)
            && item.items.iter().any(is_method)
        {
            let path = segments(&implemented.path);
            let here = || [&self.imports.module, &path[..]].concat();
            self.imports
                .implemented
                .extend(self.within_crate(&path).or_else(|| (path.len() == 1).then(here)));
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let segments = segments(path);
        if segments.len() > 1 {
            self.imports.taken.extend(self.within_crate(&segments));
        }
        visit::visit_path(self, path);
    }
}

fn segments(path: &syn::Path) -> Module {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// Returns the paths of a `use`, each with the name that it binds.
fn flat(tree: &UseTree) -> Vec<(Vec<String>, String)> {
    match tree {
        UseTree::Path(path) => {
            let below = flat(&path.tree).into_iter();
            below
                .map(|(mut rest, name)| {
                    rest.insert(0, path.ident.to_string());
                    (rest, name)
                })
                .collect()
        }
        UseTree::Name(name) if name.ident == "self" => vec![(Vec::new(), String::new())],
        UseTree::Name(name) => vec![(vec![name.ident.to_string()], name.ident.to_string())],
        UseTree::Rename(rename) => vec![(vec![rename.ident.to_string()], rename.rename.to_string())],
        UseTree::Glob(_) => vec![(vec!["*".into()], "*".into())],
        UseTree::Group(group) => group.items.iter().flat_map(flat).collect(),
    }
    .into_iter()
    .map(|(path, name)| {
        // `use a::b::{self}` binds `b`.
        let name = if name.is_empty() { path.last().cloned().unwrap_or_default() } else { name };
        (path, name)
    })
    .collect()
}

/// Returns a path that begins with `crate`, `self` or `super`, from the root of the crate.
fn absolute(path: &[String], module: &[String]) -> Option<Module> {
    let mut base = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module.split_last()?.1.to_vec(),
        _ => return None,
    };
    let mut rest = &path[1..];
    while rest.first().is_some_and(|first| first == "super") {
        base.pop();
        rest = &rest[1..];
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(files: &[(&str, &str)]) -> Vec<Imports> {
        files.iter().map(|(module, text)| Imports::of_text(module, text)).collect()
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files = imports(files);
        circles(&Graph::of_files(&Vec::from_iter(&files))).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_that_use_each_other_are_a_circle() {
        let circles = found(&[
            ("", "mod one; mod two;"),
            ("one", "use super::two::Two; pub struct One;"),
            ("two", "pub struct Two(crate::one::One);"),
        ]);
        assert_eq!(circles, ["2 modules\n    one -> two: Two\n    two -> one: One"]);
    }

    #[test]
    fn a_parent_and_the_child_it_uses_are_a_circle() {
        let parent = ("a", "mod b; use b::B; pub struct A;");
        assert_eq!(found(&[("", "mod a;"), parent, ("a/b", "use super::A; pub struct B;")]).len(), 1);
    }

    #[test]
    fn a_folder_that_imports_back_is_a_circle_and_a_visibility_imports_nothing() {
        let files = imports(&[
            ("", "mod a; mod b;"),
            ("a/one", "use crate::b::two::Two; pub struct One;"),
            ("b/two", "pub(in crate::a) struct Two;"),
            ("b/three", "use crate::a::four::Four;"),
            ("a/four", "pub struct Four;"),
        ]);
        let files = Graph::of_files(&Vec::from_iter(&files));
        assert!(circles(&files).is_empty());
        let folders: Vec<_> =
            files.of_folders().iter().flat_map(circles).map(|circle| circle.to_string()).collect();
        let circle = "2 modules\n    a -> b: a/one -> b/two: Two\n    b -> a: b/three -> a/four: Four";
        assert_eq!(folders, [circle]);
    }

    #[test]
    fn a_name_is_followed_to_the_file_that_defines_it() {
        let face = ("a", "mod b; mod c; pub use b::B;");
        assert!(
            found(&[("", "mod a;"), face, ("a/b", "pub struct B;"), ("a/c", "use super::B;")]).is_empty()
        );
    }

    #[test]
    fn a_path_through_an_imported_module_counts() {
        let one = ("one", "use crate::two; fn f() { two::g() }");
        assert_eq!(found(&[("", "mod one; mod two;"), one, ("two", "fn g() { crate::one::f() }")]).len(), 1);
    }

    #[test]
    fn tests_and_other_crates_import_nothing() {
        let one = ("one", "use super::two::Two; use std::fmt;");
        let two = ("two", "#[cfg(test)] mod tests { use crate::one::One; } pub struct Two;");
        assert!(found(&[("", "mod one; mod two;"), one, two]).is_empty());
    }
}
