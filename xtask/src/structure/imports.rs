//! Which file imports from which. An import points at the file that defines the item, also where another one
//! re-exports it; an item that is only there in tests imports nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use syn::visit::{self, Visit};
use syn::{Item, UseTree};

use super::sources::{Source, is_for_tests};

type Module = Vec<String>;

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
    /// The imports between the files of a crate.
    pub(super) fn of_files(sources: &[Source]) -> Self {
        let crate_modules = Crate::of(sources);
        let mut graph = Self::default();
        for source in sources {
            let imports = graph.0.entry(source.module.clone()).or_default();
            for path in Paths::of(source).found {
                if let Some((module, name)) = crate_modules.resolve(&path, 0)
                    && module != source.module
                {
                    imports.entry(module).or_default().insert(name);
                }
            }
        }
        graph
    }

    /// The imports between the top-level modules of a crate.
    pub(super) fn of_top_level(sources: &[Source]) -> Self {
        let mut graph = Self::default();
        for (module, imports) in Self::of_files(sources).0 {
            let Some(top) = module.first() else { continue };
            let node = graph.0.entry(vec![top.clone()]).or_default();
            for (other, names) in imports {
                if let Some(other_top) = other.first().filter(|other| *other != top) {
                    let name = format!("{} -> {}", module.join("/"), other.join("/"));
                    let taken = node.entry(vec![other_top.clone()]).or_default();
                    taken.extend(names.into_iter().map(|taken| format!("{name}: {taken}")));
                }
            }
        }
        graph
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.values().all(BTreeMap::is_empty)
    }

    /// Every module that can be reached from one.
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

/// The circles of a graph, each once, with the imports that close it.
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
struct Crate {
    modules: BTreeSet<Module>,
    re_exports: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl Crate {
    fn of(sources: &[Source]) -> Self {
        let modules: BTreeSet<_> = sources.iter().map(|source| source.module.clone()).collect();
        let re_exports = sources.iter().map(|source| {
            let mut named = BTreeMap::new();
            for item in &source.file.items {
                if let Item::Use(item) = item
                    && !matches!(item.vis, syn::Visibility::Inherited)
                {
                    for (path, name) in flat(&item.tree) {
                        named.extend(within_crate(&path, source).map(|path| (name, path)));
                    }
                }
            }
            (source.module.clone(), named)
        });
        let re_exports = re_exports.collect();
        Self { modules, re_exports }
    }

    /// The file that defines an item, and the item's name; `None` for a path out of the crate.
    fn resolve(&self, path: &[String], depth: usize) -> Option<(Module, String)> {
        let length = (0..=path.len()).rev().find(|length| self.modules.contains(&path[..*length]))?;
        let module = path[..length].to_vec();
        let Some(name) = path.get(length) else { return Some((module, "the module".into())) };
        if let Some(real) =
            self.re_exports.get(&module).and_then(|names| names.get(name)).filter(|_| depth < 8)
        {
            let rest = path[length + 1..].iter().cloned();
            let real: Vec<_> = real.iter().cloned().chain(rest).collect();
            if let Some(found) = self.resolve(&real, depth + 1) {
                return Some(found);
            }
        }
        // A name that the root does not define is another crate's.
        (!module.is_empty() || length > 0 || self.re_exports.contains_key(&module))
            .then(|| (module, name.clone()))
    }
}

/// The paths in a file that lead into its own crate.
struct Paths<'s> {
    source: &'s Source,
    /// Names that a `use` of the file has bound.
    bound: BTreeMap<String, Module>,
    found: BTreeSet<Module>,
}

impl<'s> Paths<'s> {
    fn of(source: &'s Source) -> Self {
        let mut paths = Self { source, bound: BTreeMap::new(), found: BTreeSet::new() };
        // A name may be used before the line that binds it.
        for item in &source.file.items {
            if let Item::Use(item) = item
                && !is_for_tests(&item.attrs)
            {
                paths.bind(&item.tree);
            }
        }
        paths.visit_file(&source.file);
        paths
    }

    fn bind(&mut self, tree: &UseTree) {
        for (path, name) in flat(tree) {
            if let Some(path) = within_crate(&path, self.source) {
                self.bound.insert(name, path);
            }
        }
    }
}

impl<'a> Visit<'a> for Paths<'_> {
    fn visit_item(&mut self, item: &'a Item) {
        let attributes = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        for (path, _) in flat(&item.tree) {
            // The module that a name was imported from counts where the name is used.
            self.found.extend(within_crate(&path, self.source));
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.len() > 1 {
            let bound = self.bound.get(&segments[0]);
            let through = bound.map(|bound| bound.iter().chain(&segments[1..]).cloned().collect());
            self.found.extend(through.or_else(|| within_crate(&segments, self.source)));
        }
        visit::visit_path(self, path);
    }
}

/// The paths of a `use`, each with the name that it binds.
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

/// A path from the root of the crate; `None` for a path out of the crate.
fn within_crate(path: &[String], source: &Source) -> Option<Module> {
    absolute(path, &source.module).or_else(|| {
        let first = path.first()?;
        let is_child = source.file.items.iter().any(|item| match item {
            Item::Mod(child) => {
                child.content.is_none() && !is_for_tests(&child.attrs) && child.ident == first
            }
            _ => false,
        });
        is_child.then(|| source.module.iter().chain(path).cloned().collect())
    })
}

/// A path that begins with `crate`, `self` or `super`, from the root of the crate.
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

    fn source(module: &str, text: &str) -> Source {
        let module = module.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Source { path: "x".into(), module, file: syn::parse_file(text).unwrap() }
    }

    fn found(sources: &[Source]) -> Vec<String> {
        circles(&Graph::of_files(sources)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_that_use_each_other_are_a_circle() {
        let one = source("one", "use super::two::Two; pub struct One;");
        let two = source("two", "pub struct Two(crate::one::One);");
        let circles = found(&[source("", "mod one; mod two;"), one, two]);
        assert_eq!(circles, ["2 modules\n    one -> two: Two\n    two -> one: One"]);
    }

    #[test]
    fn a_parent_and_the_child_it_uses_are_a_circle() {
        let parent = source("a", "mod b; use b::B; pub struct A;");
        assert_eq!(
            found(&[source("", "mod a;"), parent, source("a/b", "use super::A; pub struct B;")]).len(),
            1
        );
    }

    #[test]
    fn a_name_is_followed_to_the_file_that_defines_it() {
        let face = source("a", "mod b; mod c; pub use b::B;");
        let sources =
            [source("", "mod a;"), face, source("a/b", "pub struct B;"), source("a/c", "use super::B;")];
        assert_eq!(found(&sources), Vec::<String>::new());
    }

    #[test]
    fn a_path_through_an_imported_module_counts() {
        let one = source("one", "use crate::two; fn f() { two::g() }");
        let two = source("two", "fn g() { crate::one::f() }");
        assert_eq!(found(&[source("", "mod one; mod two;"), one, two]).len(), 1);
    }

    #[test]
    fn tests_and_other_crates_import_nothing() {
        let one = source("one", "use super::two::Two; use std::fmt;");
        let two = source("two", "#[cfg(test)] mod tests { use crate::one::One; } pub struct Two;");
        assert_eq!(found(&[source("", "mod one; mod two;"), one, two]), Vec::<String>::new());
    }
}
