//! Methods that are asked like questions and change the value.

use syn::visit::{self, Visit};
use syn::{File, ImplItemFn, ReturnType, Signature, TraitItemFn, Type};

/// Returns the names of the methods of a file that are asked like questions and take `&mut self`.
pub(super) fn changing_questions(file: &File) -> Vec<String> {
    let mut found = ChangingQuestions::default();
    found.visit_file(file);
    found.0
}

#[derive(Default)]
struct ChangingQuestions(Vec<String>);

impl ChangingQuestions {
    fn add(&mut self, signature: &Signature) {
        let receiver = signature.receiver();
        let changes = receiver.is_some_and(|this| this.reference.is_some() && this.mutability.is_some());
        let name = signature.ident.to_string();
        if changes && is_question(&name, &signature.output) {
            self.0.push(name);
        }
    }
}

impl<'a> Visit<'a> for ChangingQuestions {
    fn visit_impl_item_fn(&mut self, method: &'a ImplItemFn) {
        self.add(&method.sig);
        visit::visit_impl_item_fn(self, method);
    }

    fn visit_trait_item_fn(&mut self, method: &'a TraitItemFn) {
        self.add(&method.sig);
        visit::visit_trait_item_fn(self, method);
    }
}

/// Whether a method is asked: it is called `is_…` or `has_…`, or answers yes or no to a sentence about the
/// value, such as `admits`.
fn is_question(name: &str, output: &ReturnType) -> bool {
    const AUXILIARIES: [&str; 8] = ["are", "can", "does", "may", "must", "was", "were", "will"];
    let verb = name.split('_').next().unwrap_or_default();
    let is_third_person = verb.ends_with('s') && !verb.ends_with("ss") && !verb.ends_with("us");
    let answers = match output {
        ReturnType::Type(_, answer) => matches!(&**answer, Type::Path(path) if path.path.is_ident("bool")),
        ReturnType::Default => false,
    };
    ["is", "has"].contains(&verb) || (answers && (is_third_person || AUXILIARIES.contains(&verb)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_known_by_its_verb_and_its_answer() {
        let found = |code: &str| {
            changing_questions(&syn::parse_file(&format!("impl A {{ fn {code} {{}} }}")).unwrap()).len()
        };
        for question in ["is_new(&mut self)", "holds_move(&mut self) -> bool", "can_go(&mut self) -> bool"] {
            assert_eq!(found(question), 1, "{question}");
        }
        for other in [
            "holds(&self) -> bool",
            "hold(&mut self) -> bool",
            "focus(&mut self) -> bool",
            "lists(&mut self)",
        ] {
            assert_eq!(found(other), 0, "{other}");
        }
    }
}
