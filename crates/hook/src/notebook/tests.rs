//! Tests edits of one cell, and the notebook around it.

use serde_json::json;

use super::*;

const NOTEBOOK: &str = r#"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "Title"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "code",
   "metadata": {},
   "outputs": [],
   "source": "x = 1\ny = 2"
  }
 ],
 "nbformat": 4
}
"#;

fn edit(arguments: serde_json::Value) -> CellEdit {
    let input = HookInput { tool_input: arguments.as_object().unwrap().clone(), ..HookInput::default() };
    CellEdit::read("/n.ipynb".into(), &input).unwrap()
}

fn cells(text: &str) -> Vec<serde_json::Value> {
    let notebook: serde_json::Value = serde_json::from_str(text).unwrap();
    notebook["cells"].as_array().unwrap().clone()
}

#[test]
fn a_replaced_cell_changes_only_its_own_lines() {
    let edit = edit(json!({"cell_id": "code", "new_source": "x = 2\ny = 2"}));
    let text = edit.apply(NOTEBOOK).unwrap();
    assert_eq!(cells(&text)[1]["source"], json!(["x = 2\n", "y = 2"]));
    let unchanged = |text: &str| text.split_once("\"outputs\"").unwrap().0.to_owned();
    assert_eq!(unchanged(&text), unchanged(NOTEBOOK));
    assert_eq!(edit.source_for(NOTEBOOK, &text).unwrap(), "x = 2\ny = 2");
    let kept = text.replace("x = 2", "x = 3");
    assert_eq!(edit.source_for(NOTEBOOK, &kept).unwrap(), "x = 3\ny = 2");
    assert!(edit.source_for(NOTEBOOK, &kept.replace("Title", "Other")).is_err());
}

#[test]
fn a_cell_is_inserted_and_deleted() {
    let inserted = edit(json!({
        "cell_id": "intro", "new_source": "z = 1\n", "edit_mode": "insert", "cell_type": "code",
    }));
    let text = inserted.apply(NOTEBOOK).unwrap();
    let sources: Vec<_> = cells(&text).iter().map(|cell| cell["source"].clone()).collect();
    assert_eq!(sources, [json!(["Title"]), json!(["z = 1\n"]), json!("x = 1\ny = 2")]);
    assert_eq!(inserted.source_for(NOTEBOOK, &text).unwrap(), "z = 1\n");
    let first = edit(json!({"new_source": "Begin", "edit_mode": "insert", "cell_type": "markdown"}));
    assert_eq!(cells(&first.apply(NOTEBOOK).unwrap())[0]["source"], json!(["Begin"]));
    for (cell, left) in [("intro", "code"), ("code", "intro"), ("cell-0", "code")] {
        let deleted = edit(json!({"cell_id": cell, "edit_mode": "delete", "new_source": ""}));
        let left_over = cells(&deleted.apply(NOTEBOOK).unwrap());
        assert_eq!((left_over.len(), &left_over[0]["id"]), (1, &json!(left)), "{cell}");
    }
}

#[test]
fn a_text_that_is_no_notebook_is_refused() {
    let known = edit(json!({"cell_id": "code", "new_source": "x"}));
    for text in ["", "{}", "[]", r#"{"cells": 1}"#] {
        assert!(matches!(known.apply(text), Err(NoChange::Refused { .. })), "{text}");
    }
    let unknown = edit(json!({"cell_id": "none", "new_source": "x"}));
    assert!(matches!(unknown.apply(NOTEBOOK), Err(NoChange::Refused { .. })));
}

/// An agent may skip such a cell when it counts, and would write another cell than the person sees.
#[test]
fn a_notebook_with_an_unreadable_cell_is_refused() {
    let known = edit(json!({"cell_id": "b", "new_source": "x"}));
    let by_number = edit(json!({"cell_id": "1", "new_source": "x"}));
    for bad in [
        r#"{"id": "b"}"#,
        r#"{"id": 1, "source": []}"#,
        r#"{"id": "a", "id": "b", "source": []}"#,
        r#"{"id": "b", "source": 1}"#,
        r#"{"id": "b", "source": ["x", 1]}"#,
        "null",
        "[]",
    ] {
        for cells in [
            format!(r#"{bad}, {{"id": "b", "source": []}}"#),
            format!(r#"{{"id": "b", "source": []}}, {bad}"#),
        ] {
            let text = format!(r#"{{"cells": [{cells}]}}"#);
            for edit in [&known, &by_number] {
                assert!(matches!(edit.apply(&text), Err(NoChange::Refused { .. })), "{text}");
            }
        }
    }
    // An agent accepts a number only after `cell-`.
    let text = r#"{"cells": [{"source": []}, {"source": []}]}"#;
    assert!(matches!(by_number.apply(text), Err(NoChange::Refused { .. })));
    assert!(edit(json!({"cell_id": "cell-1", "new_source": "x"})).apply(text).is_ok());
    assert!(edit(json!({"cell_id": "cell-+1", "new_source": "x"})).apply(text).is_err());
}

#[test]
fn a_notebook_with_a_byte_order_mark_keeps_it() {
    let text = format!("\u{feff}{NOTEBOOK}");
    let edited = edit(json!({"cell_id": "code", "new_source": "x = 9"})).apply(&text).unwrap();
    assert!(edited.starts_with("\u{feff}{") && edited.contains("x = 9"), "{edited}");
}
