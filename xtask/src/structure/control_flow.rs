//! Control flow in disguise: `if let` as a `map`, `for` as a `for_each`, a `match` as nested `let … else`.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{
    BinOp, Expr, ExprAssign, ExprBinary, ExprClosure, ExprMethodCall, File, Local, Pat, PatIdent, Stmt,
};

/// Methods that are there for their value.
const ADAPTERS: [&str; 3] = ["map", "and_then", "inspect"];

/// Returns the adapters of a file whose value nobody takes or whose closure assigns, the `for_each` of a
/// value that `for` takes as it is, and each `let … else` within another one.
pub(super) fn disguised(file: &File) -> Vec<String> {
    let mut found = Disguised::default();
    found.visit_file(file);
    found.found
}

#[derive(Default)]
struct Disguised {
    found: Vec<String>,
    is_in_else: bool,
}

impl Disguised {
    fn add(&mut self, found: impl Into<String>) {
        self.found.push(found.into());
    }
}

/// Returns the method of a call to an adapter.
fn adapter(expression: &Expr) -> Option<&syn::Ident> {
    match expression {
        Expr::MethodCall(call) => {
            Some(&call.method).filter(|method| ADAPTERS.iter().any(|adapter| method == adapter))
        }
        _ => None,
    }
}

impl<'a> Visit<'a> for Disguised {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Expr(expression, Some(_)) = statement
            && let Some(method) = adapter(expression)
        {
            self.add(format!("{method} as a statement"));
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_local(&mut self, local: &'a Local) {
        let Some(init) = &local.init else { return };
        // `and_then` also joins two results whose values are unused.
        if let (Pat::Wild(_), Some(method)) = (&local.pat, adapter(&init.expr))
            && method != "and_then"
        {
            self.add(format!("{method} as a statement"));
        }
        self.visit_expr(&init.expr);
        if let Some((_, diverging)) = &init.diverge {
            if self.is_in_else {
                self.add("let … else within another one");
            }
            let around = std::mem::replace(&mut self.is_in_else, true);
            self.visit_expr(diverging);
            self.is_in_else = around;
        }
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        if let Some(Expr::Closure(closure)) = call.args.first()
            && ADAPTERS.iter().any(|name| call.method == name)
            && assigns(closure)
        {
            self.add(format!("{} that assigns", call.method));
        }
        if let Expr::MethodCall(receiver) = &*call.receiver
            && call.method == "for_each"
            && receiver.method == "into_iter"
        {
            self.add("into_iter().for_each");
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// Whether a closure assigns to anything but a variable of its own.
fn assigns(closure: &ExprClosure) -> bool {
    #[derive(Default)]
    struct Variables {
        own: BTreeSet<String>,
        assigned: BTreeSet<String>,
    }
    impl<'a> Visit<'a> for Variables {
        fn visit_pat_ident(&mut self, variable: &'a PatIdent) {
            if variable.mutability.is_some() {
                self.own.insert(variable.ident.to_string());
            }
        }

        fn visit_expr_assign(&mut self, assignment: &'a ExprAssign) {
            self.assigned.extend(variable(&assignment.left));
            visit::visit_expr_assign(self, assignment);
        }

        fn visit_expr_binary(&mut self, binary: &'a ExprBinary) {
            use BinOp::{AddAssign, BitAndAssign, BitOrAssign, DivAssign, MulAssign, SubAssign};
            if let AddAssign(_) | BitAndAssign(_) | BitOrAssign(_) | DivAssign(_) | MulAssign(_)
            | SubAssign(_) = binary.op
            {
                self.assigned.extend(variable(&binary.left));
            }
            visit::visit_expr_binary(self, binary);
        }
    }
    let mut variables = Variables::default();
    variables.visit_expr_closure(closure);
    !variables.assigned.is_subset(&variables.own)
}

/// Returns the variable that a place belongs to.
fn variable(place: &Expr) -> Option<String> {
    match place {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Field(field) => variable(&field.base),
        Expr::Index(index) => variable(&index.expr),
        Expr::Unary(unary) => variable(&unary.expr),
        Expr::MethodCall(call) => variable(&call.receiver),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Vec<String> {
        disguised(&syn::parse_file(&format!("fn f() {{ {code} }}")).unwrap())
    }

    #[test]
    fn a_value_that_nobody_takes_is_a_disguise() {
        assert_eq!(found("a.map(A::forget);"), ["map as a statement"]);
        assert_eq!(found("let _ = a.map(A::forget);"), ["map as a statement"]);
        assert_eq!(found("a.into_iter().for_each(f);"), ["into_iter().for_each"]);
        assert!(found("let b = a.map(|a| a.b == 1); b.iter().map(f).for_each(g); a.and_then(f)").is_empty());
    }

    #[test]
    fn an_adapter_changes_its_own_variables_only() {
        for code in ["a.map(|a| a.b = true).is_some()", "a.map(|a| { n += 1; a })", "a.map(|a| *a.b() = n)"] {
            assert_eq!(found(code), ["map that assigns"], "{code}");
        }
        assert!(found("a.map(|mut a| { a.b = 1; a })").is_empty());
        assert!(found("a.map(|a| { let mut n = a; n.b[0] += 1; n })").is_empty());
    }

    #[test]
    fn alternatives_are_no_let_else_within_each_other() {
        let nested = "let A(a) = b else { let B(b) = b else { return; }; return g(b); };";
        assert_eq!(found(nested), ["let … else within another one"]);
        assert!(found("let A(a) = b else { return }; let B(b) = c else { return };").is_empty());
    }
}
