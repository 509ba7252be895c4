//! Finds comparisons of the identifier of an agent with a text. Such a comparison has an arm for the agents
//! of today, and gives a new one the behaviour of another: only a look-up in the table of agents may compare.

use std::collections::BTreeSet;

use alongside_contract::agents::AGENTS;
use alongside_testing::chores::checkout;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary, ExprMatch, ExprMethodCall, File, Lit, Macro, Pat};

use crate::rust_sources::files_below;

/// Returns the comparisons with the identifier of an agent in a file, each as a line of code.
pub(super) fn comparisons(file: &File) -> Vec<String> {
    let mut comparisons = Comparisons::default();
    comparisons.visit_file(file);
    comparisons.0
}

#[derive(Default)]
struct Comparisons(Vec<String>);

fn is_agent(text: &str) -> bool {
    AGENTS.iter().any(|agent| agent.id == text)
}

fn text_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        Expr::Reference(reference) => text_of(&reference.expr),
        Expr::Paren(inner) => text_of(&inner.expr),
        Expr::Call(call) if call.args.len() == 1 => text_of(&call.args[0]),
        _ => None,
    }
}

/// Whether an expression is the field `id` of a value, or has one in a tuple.
fn is_id(expression: &Expr) -> bool {
    match expression {
        Expr::Field(field) => matches!(&field.member, syn::Member::Named(name) if name == "id"),
        Expr::Reference(reference) => is_id(&reference.expr),
        Expr::Paren(inner) => is_id(&inner.expr),
        Expr::Tuple(tuple) => tuple.elems.iter().any(is_id),
        _ => false,
    }
}

/// Returns the texts in a pattern.
fn texts_in(pattern: &Pat) -> Vec<String> {
    #[derive(Default)]
    struct Texts(Vec<String>);
    impl<'a> Visit<'a> for Texts {
        fn visit_lit_str(&mut self, text: &'a syn::LitStr) {
            self.0.push(text.value());
        }
    }
    let mut texts = Texts::default();
    texts.visit_pat(pattern);
    texts.0
}

impl<'a> Visit<'a> for Comparisons {
    fn visit_expr_binary(&mut self, binary: &'a ExprBinary) {
        if matches!(binary.op, BinOp::Eq(_) | BinOp::Ne(_)) {
            for (one, other) in [(&binary.left, &binary.right), (&binary.right, &binary.left)] {
                if let Some(text) = text_of(one)
                    && (is_agent(&text) || is_id(other))
                {
                    self.0.push(format!("== {text:?}"));
                }
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_match(&mut self, matching: &'a ExprMatch) {
        let texts = matching.arms.iter().flat_map(|arm| texts_in(&arm.pat));
        let meant = texts.filter(|text| is_agent(text) || is_id(&matching.expr));
        self.0.extend(meant.map(|text| format!("match … {{ {text:?} }}")));
        visit::visit_expr_match(self, matching);
    }

    fn visit_expr_let(&mut self, binding: &'a syn::ExprLet) {
        let texts = texts_in(&binding.pat).into_iter();
        let meant = texts.filter(|text| is_agent(text) || is_id(&binding.expr));
        self.0.extend(meant.map(|text| format!("let {text:?}")));
        visit::visit_expr_let(self, binding);
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        if call.method == "contains"
            && let Expr::Array(array) = &*call.receiver
        {
            let texts = array.elems.iter().filter_map(text_of).filter(|text| is_agent(text));
            self.0.extend(texts.map(|text| format!("[{text:?}].contains(…)")));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, invoked: &'a Macro) {
        if invoked.path.is_ident("matches") {
            let tokens = invoked.tokens.to_string();
            let meant = AGENTS.iter().filter(|agent| tokens.contains(&format!("{:?}", agent.id)));
            self.0.extend(meant.map(|agent| format!("matches!(…, {:?})", agent.id)));
        }
    }
}

#[test]
fn every_agent_has_a_file_of_its_name() {
    let files = files_below(&checkout().join("crates/contract/src/agents"));
    let stems = files.iter().filter_map(|file| file.file_stem()?.to_str().map(str::to_owned));
    let files: BTreeSet<String> = stems.collect();
    let rows: BTreeSet<String> = AGENTS.iter().map(|agent| agent.id.replace('-', "_")).collect();
    assert_eq!(files, rows, "files of crates/contract/src/agents, and rows of its table");
}

#[test]
fn every_form_of_a_comparison_is_found() {
    for code in [
        r#"agent.id == "x""#,
        r#"id != "claude""#,
        r#"id == Some("claude")"#,
        r#"match agent.id { "x" => {} _ => {} }"#,
        r#"match (agent.id, tool) { ("x", _) => {} _ => {} }"#,
        r#"match name { "claude" | "y" => {} _ => {} }"#,
        r#"if let Some("claude") = name {}"#,
        r#"["claude", "y"].contains(&name)"#,
        r#"matches!(name, "claude" | "y")"#,
    ] {
        let file = syn::parse_file(&format!("fn f() {{ {code}; }}")).unwrap();
        assert_eq!(comparisons(&file).len(), 1, "{code}");
    }
}
