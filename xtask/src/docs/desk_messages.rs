//! The messages of the desk protocol, as `crates/desk` defines them, and the ones that Rust code uses.

use std::collections::BTreeSet;

use alongside_testing::chores::checkout;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Lit, Pat};

use crate::rust_sources::{crate_sources, parse, read_text};

/// Requests without a row: the messages that LSP has for them, and the answers to two events.
pub(super) const WITHOUT_ROW: [&str; 4] = ["ChangeRoots", "Leave", "Flushed", "Diagnostics"];

/// Functions of [`alongside_desk::Request`] that make one.
const CONSTRUCTORS: [(&str, &str); 1] = [("replace_text", "EditReview")];

/// The messages of the protocol.
pub(super) struct Protocol {
    /// From a desk: variants of `Request` and their methods, then the methods of plugins that only present.
    pub(super) requests: Vec<(String, String)>,
    /// To a desk: variants of `Event`.
    pub(super) events: Vec<(String, String)>,
}

impl Protocol {
    pub(super) fn read() -> Self {
        let path = checkout().join("crates/desk/src/protocol_messages.rs");
        let file = parse(&path, &read_text(&path));
        let variants = |name: &str| {
            let of_enum = file.items.iter().find_map(|item| match item {
                Item::Enum(item) if item.ident == name => Some(&item.variants),
                _ => None,
            });
            let of_enum = of_enum.unwrap_or_else(|| panic!("crates/desk has no enum {name}"));
            of_enum
                .iter()
                .map(|variant| (variant.ident.to_string(), method_of(&variant.attrs)))
                .collect::<Vec<_>>()
        };
        let (mut requests, events) = (variants("Request"), variants("Event"));
        for method in methods_of_plugins() {
            if !requests.iter().chain(&events).any(|(_, known)| *known == method) {
                requests.push((String::new(), method));
            }
        }
        Self { requests, events }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &(String, String)> {
        self.requests.iter().chain(&self.events)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &(String, String)> {
        self.all().filter(|(variant, _)| !WITHOUT_ROW.contains(&variant.as_str()))
    }
}

/// Returns the name of a variant in JSON.
fn method_of(attributes: &[Attribute]) -> String {
    let mut method = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        let _ = attribute.parse_nested_meta(|meta| {
            let value: Expr = meta.value()?.parse()?;
            if let (true, Expr::Lit(value)) = (meta.path.is_ident("rename"), value)
                && let Lit::Str(name) = value.lit
            {
                method = Some(name.value());
            }
            Ok(())
        });
    }
    method.expect("each message has a serde(rename)")
}

/// Returns the methods that a relay itself reads of a plugin that only presents reviews.
fn methods_of_plugins() -> BTreeSet<String> {
    struct Literals(BTreeSet<String>);
    impl<'a> Visit<'a> for Literals {
        fn visit_lit_str(&mut self, literal: &'a syn::LitStr) {
            self.0.extend(methods_in(&literal.value(), |_| true));
        }

        fn visit_attribute(&mut self, _: &'a Attribute) {}
    }
    let mut literals = Literals(BTreeSet::new());
    for (_, file) in crate_sources("presentation") {
        literals.visit_file(&file);
    }
    assert!(!literals.0.is_empty(), "crates/presentation has no methods of plugins: it was not read");
    literals.0
}

/// Returns the words `alongside/method` in a text, if the text before one is right. `alongside/text.vim` is a
/// file.
pub(super) fn methods_in(text: &str, is_right: impl Fn(&str) -> bool) -> Vec<String> {
    let found = text.match_indices("alongside/").filter_map(|(at, prefix)| {
        let rest = &text[at + prefix.len()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let is_whole = end > 0 && !rest[end..].starts_with(['.', '/', '-', '_']);
        (is_whole && is_right(&text[..at])).then(|| format!("{prefix}{}", &rest[..end]))
    });
    found.collect()
}

/// The messages that a Rust desk sends or handles, by variant.
#[derive(Default)]
pub(super) struct Used(pub(super) BTreeSet<(&'static str, String)>);

impl Used {
    fn take(&mut self, name: &'static str, path: &syn::Path) {
        let mut last = path.segments.iter().rev();
        let (variant, owner) = (last.next(), last.next());
        if let (Some(variant), Some(owner)) = (variant, owner)
            && owner.ident == name
        {
            let variant = variant.ident.to_string();
            let made = CONSTRUCTORS.iter().find(|(function, _)| *function == variant);
            self.0.insert((name, made.map_or(variant, |(_, made)| (*made).to_owned())));
        }
    }

    /// Takes the events that a pattern is about.
    fn matched(&mut self, pattern: &Pat) {
        struct Events<'a>(&'a mut Used);
        impl<'a> Visit<'a> for Events<'_> {
            fn visit_path(&mut self, path: &'a syn::Path) {
                self.0.take("Event", path);
            }
        }
        Events(self).visit_pat(pattern);
    }
}

impl<'a> Visit<'a> for Used {
    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        self.take("Request", &path.path);
    }

    fn visit_expr_struct(&mut self, made: &'a syn::ExprStruct) {
        self.take("Request", &made.path);
        visit::visit_expr_struct(self, made);
    }

    /// A pattern sends nothing.
    fn visit_pat(&mut self, _: &'a Pat) {}

    fn visit_local(&mut self, local: &'a syn::Local) {
        self.matched(&local.pat);
        visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, condition: &'a syn::ExprLet) {
        self.matched(&condition.pat);
        visit::visit_expr_let(self, condition);
    }

    /// An arm without any code handles nothing.
    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        if !matches!(&*arm.body, Expr::Block(body) if body.block.stmts.is_empty()) {
            self.matched(&arm.pat);
        }
        visit::visit_arm(self, arm);
    }

    /// Macros such as `select!` have code that nobody has parsed; `matches!` has patterns.
    fn visit_macro(&mut self, called: &'a syn::Macro) {
        let tokens: String = called.tokens.to_string().split_whitespace().collect();
        if !called.path.is_ident("matches") && !tokens.is_empty() {
            for (at, start) in tokens.match_indices("Request::") {
                let is_other = tokens[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
                let name =
                    tokens[at + start.len()..].split(|c: char| !c.is_alphanumeric() && c != '_').next();
                let name = name.filter(|name| !name.is_empty() && !is_other);
                if let Some(path) = name.and_then(|name| syn::parse_str(&format!("{start}{name}")).ok()) {
                    self.take("Request", &path);
                }
            }
        }
    }
}
