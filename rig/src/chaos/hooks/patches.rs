//! Patches of one file in Codex's format, as far as the rounds need it. This code is independent of the
//! program's.

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";

/// Returns the patch by which a model writes a text to a file that has the text `before`.
pub(super) fn between(path: &str, before: Option<&str>, text: &str) -> String {
    let lines = |sign: char, text: &str| -> String {
        text.split_terminator('\n').map(|line| format!("{sign}{line}\n")).collect()
    };
    let body = match before.filter(|before| !before.is_empty()) {
        None => format!("{ADD}{path}\n{}", lines('+', text)),
        Some(before) => {
            let (above, old, new) = difference(before, text);
            let below = &before[above.len() + old.len()..];
            let changed = [lines('-', old), lines('+', new)].concat();
            format!("{UPDATE}{path}\n@@\n{}{changed}{}", lines(' ', above), lines(' ', below))
        }
    };
    format!("{BEGIN}\n{body}{END}")
}

/// Returns the common lines at the beginning of two texts, and then the lines of each that differ.
pub(super) fn difference<'a>(before: &'a str, text: &'a str) -> (&'a str, &'a str, &'a str) {
    let same = |(one, other): &(&str, &str)| one == other;
    let length = |(line, _): (&str, &str)| line.len();
    let pairs = before.split_inclusive('\n').zip(text.split_inclusive('\n'));
    let above_bytes: usize = pairs.take_while(same).map(length).sum();
    let (old, new) = (&before[above_bytes..], &text[above_bytes..]);
    let pairs = old.split_inclusive('\n').rev().zip(new.split_inclusive('\n').rev());
    let below_bytes: usize = pairs.take_while(same).map(length).sum();
    (&before[..above_bytes], &old[..old.len() - below_bytes], &new[..new.len() - below_bytes])
}

/// Returns the path of the file in a patch.
pub(super) fn path(patch: &str) -> Option<&str> {
    patch.lines().find_map(|line| line.strip_prefix(UPDATE).or_else(|| line.strip_prefix(ADD)))
}

/// Applies a patch as Codex does to a file with the text `present`. Returns the new text.
///
/// # Errors
///
/// Fails if the patch is malformed, changes several files, or does not apply.
pub(super) fn apply(patch: &str, present: Option<&str>) -> Result<String, String> {
    let mut lines = patch.trim().lines();
    if lines.next() != Some(BEGIN) || lines.next_back() != Some(END) {
        return Err("a patch has a begin and an end".into());
    }
    let head = lines.next().unwrap_or_default();
    let body: Vec<&str> = lines.collect();
    if body.iter().any(|line| line.starts_with("*** ")) {
        return Err("the rounds play patches of one file".into());
    }
    if head.starts_with(ADD) {
        let added = body.iter().map(|line| line.strip_prefix('+').map(|line| format!("{line}\n")));
        return added.collect::<Option<_>>().ok_or_else(|| "an added file has added lines only".into());
    }
    if !head.starts_with(UPDATE) {
        return Err(format!("an unknown part of a patch: {head}"));
    }
    let present = present.ok_or("there is no such file")?;
    let mut file: Vec<String> = present.split_terminator('\n').map(str::to_owned).collect();
    let mut from = 0;
    for chunk in body.split(|line| line.starts_with("@@")).filter(|chunk| !chunk.is_empty()) {
        let of = |signs: [char; 2]| -> Vec<String> {
            chunk.iter().filter_map(|line| line.strip_prefix(signs)).map(str::to_owned).collect()
        };
        let (old, new) = (of([' ', '-']), of([' ', '+']));
        let at = match old.is_empty() {
            true => file.len(),
            false => {
                let found = file[from..].windows(old.len()).position(|lines| lines == old);
                from + found.ok_or("the lines are not in the file")?
            }
        };
        let end = at + new.len();
        drop(file.splice(at..at + old.len(), new));
        from = end;
    }
    Ok(file.iter().map(|line| format!("{line}\n")).collect())
}
