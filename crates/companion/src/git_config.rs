//! A parser of git's settings files: sections, keys and values. The callers know what a setting means.

/// A setting of git.
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    /// The section in lower case, without its subsection.
    pub section: String,
    /// Whether the section has a subsection, such as the condition of an `includeIf`.
    pub has_subsection: bool,
    /// The key in lower case.
    pub key: String,
    /// The value without quotes and comment.
    pub value: String,
}

/// Parses the settings in the text of a file, in order. Lines without a setting are skipped.
pub fn settings(text: &str) -> Vec<Setting> {
    // Git skips a BOM, and treats both line endings alike.
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (mut section, mut has_subsection, mut found) = (String::new(), false, Vec::new());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '#' | ';' => drop(chars.by_ref().find(|char| *char == '\n')),
            '[' => (section, has_subsection) = header(&mut chars),
            char if char.is_whitespace() => {}
            char => {
                let mut key = String::from(char);
                while let Some(char) = chars.next_if(|char| !['=', '\n', '#', ';'].contains(char)) {
                    key.push(char);
                }
                if chars.next_if_eq(&'=').is_some() {
                    let (section, key) = (section.clone(), key.trim().to_ascii_lowercase());
                    found.push(Setting { section, has_subsection, key, value: value(&mut chars) });
                }
            }
        }
    }
    found
}

/// Reads the name of a section in lower case, and whether it has a subsection, whose quotes may hold
/// anything.
fn header(chars: &mut impl Iterator<Item = char>) -> (String, bool) {
    let (mut header, mut is_quoted) = (String::new(), false);
    while let Some(char) = chars.next() {
        match char {
            ']' if !is_quoted => break,
            '\n' => break,
            '\\' if is_quoted => header.extend(chars.next()),
            '"' => {
                is_quoted = !is_quoted;
                header.push(char);
            }
            char => header.push(char),
        }
    }
    let (name, below) = header.split_once([' ', '\t', '"']).unwrap_or((&header, ""));
    (name.trim().to_ascii_lowercase(), !below.trim().is_empty())
}

/// Reads a value without quotes, escapes and comment. A backslash at the end of a line continues the value.
fn value(chars: &mut impl Iterator<Item = char>) -> String {
    let (mut value, mut is_quoted) = (String::new(), false);
    while let Some(char) = chars.next() {
        match char {
            '\n' => break,
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => {
                chars.find(|char| *char == '\n');
                break;
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(char) => value.push(char),
            },
            // The whitespace before a value does not belong to it.
            char if value.is_empty() && !is_quoted && char.is_whitespace() => {}
            char => value.push(char),
        }
    }
    value.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keys_and_values_are_read_as_git_reads_them() {
        let text =
            "[Core] a = 1\n[core \"x\"]\nB=\"c;d\" # e\n; [no]\n[includeIf \"onbranch:x\"]\n\tpath = \\\\y\n";
        let setting = |section: &str, has_subsection, key: &str, value: &str| Setting {
            section: section.into(),
            has_subsection,
            key: key.into(),
            value: value.into(),
        };
        let (plain, below) = (setting("core", false, "a", "1"), setting("core", true, "b", "c;d"));
        assert_eq!(settings(text), [plain, below, setting("includeif", true, "path", "\\y")]);
    }

    #[test]
    fn continued_lines_boms_and_brackets_hide_no_setting() {
        for text in [
            "\u{feff}[core]\nhooksPath = a b\n",
            "[core]\nhooksPath = \\\na b\n",
            "[core]\r\nhooksPath = a\\\r\n b\r\n",
            "[core]\nhooksPath = \"a\\\n b\" # \\\n",
            "[core]hooksPath\t=a b;c",
            "# [x\n[core]; y\n\nhooksPath = a b",
        ] {
            let found = settings(text);
            let [one] = found.as_slice() else { panic!("{text:?}: {found:?}") };
            assert_eq!((&*one.section, &*one.key, &*one.value), ("core", "hookspath", "a b"), "{text:?}");
        }
        let found = settings("[includeIf \"gitdir:x\\\"]y\"] path = inner\nflag\n[core] a = 1");
        let values: Vec<_> =
            found.iter().map(|one| (&*one.section, one.has_subsection, &*one.value)).collect();
        assert_eq!(values, [("includeif", true, "inner"), ("core", false, "1")]);
    }
}
