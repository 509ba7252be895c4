//! Finds the function or heading that encloses a line, which the row of a fold names.

use alongside_desk::Text;

/// The most lines above a line in which its heading is searched for.
const MAX_LINES_ABOVE: usize = 400;

/// The words that begin a declaration in common languages.
const KEYWORDS: &str = "fn def class func function impl struct enum trait interface module namespace sub \
                        proc pub export public private protected static type object";

/// The line that declares the function or the like around this line, without the sign that opens a block;
/// `None` at the top level. `is_prose`: the text is Markdown, so the heading is returned instead.
pub(super) fn enclosing(text: &Text, line: usize, is_prose: bool) -> Option<&str> {
    // Finding each line by its number would take several times as long.
    let above = text.lines(line.saturating_sub(MAX_LINES_ABOVE)..line).lines().rev();
    let above = above.map(str::trim_end).filter(|line| !line.is_empty());
    if is_prose {
        return above
            .filter(|line| line.starts_with('#'))
            .map(|line| line.trim_start_matches('#').trim())
            .next();
    }
    // An empty line has no indentation, so the next other line counts.
    let at = |line: usize| text.lines(line..line + 1).trim_end();
    let first = (line..text.len()).map(at).find(|line| !line.is_empty())?;
    let mut inner = indentation(first);
    let mut found = None;
    for line in above {
        let outer = indentation(line);
        let content = line.trim_start();
        if outer >= inner || !content.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '@')) {
            continue;
        }
        (inner, found) = (outer, Some(content));
        let mut words = content.split(|c: char| !c.is_alphanumeric() && c != '_');
        if outer == 0
            || words.by_ref().take(2).any(|word| KEYWORDS.split(' ').any(|declares| declares == word))
        {
            break;
        }
    }
    found.map(|line| line.trim_end_matches(|c: char| matches!(c, '{' | ':') || c.is_whitespace()))
}

/// The indentation of a line in characters. A tab counts as one, because a text rarely mixes tabs and spaces.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, line: usize, is_prose: bool) -> Option<String> {
        enclosing(&Text::new(text.to_owned()), line, is_prose).map(str::to_owned)
    }

    #[test]
    fn a_line_stands_in_the_nearest_declaration() {
        let rust =
            "impl Basket {\n    fn total(&self) -> u32 {\n        if self.empty {\n            return 0;\n";
        assert_eq!(of(rust, 3, false).as_deref(), Some("fn total(&self) -> u32"));
        assert_eq!(of(rust, 1, false).as_deref(), Some("impl Basket"));
        assert_eq!(of(rust, 0, false), None);
        let c = "int main(void)\n{\n    if (x)\n        y();\n";
        assert_eq!(of(c, 3, false).as_deref(), Some("int main(void)"));
        let python = "class A:\n\n    def b(self):\n        # why\n        return 1\n\ndef c():\n    pass\n";
        assert_eq!(of(python, 4, false).as_deref(), Some("def b(self)"));
        assert_eq!(
            of(python, 1, false).as_deref(),
            Some("class A"),
            "an empty line is enclosed as the next line is"
        );
        assert_eq!(of(python, 6, false), None, "no declaration encloses a function at the top level");
        assert_eq!(of(python, 7, false).as_deref(), Some("def c()"));
    }

    #[test]
    fn prose_has_headings() {
        let text = "# Shop\n\ntext\n\n## Prices\n\n- one\n";
        assert_eq!(of(text, 6, true).as_deref(), Some("Prices"));
        assert_eq!(of(text, 2, true).as_deref(), Some("Shop"));
    }
}
