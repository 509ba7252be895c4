//! Writes text so that a shell reads it back unchanged, and so that a terminal that shows it is not harmed.

use alongside_desk::harmless;
use alongside_platform::shell::in_powershell_quotes;

/// An assignment for bash and other POSIX shells. Not all of them know the escapes of `$'…'`, but all know
/// those of `printf`. The `_` at the end keeps line ends that a substitution would drop.
pub(super) fn posix_assignment(name: &str, value: &str) -> String {
    if is_safe(value) {
        return format!("export {name}={}\n", in_quotes(value));
    }
    let format = value.replace('\\', r"\\").replace('%', "%%");
    let octal = |c: char| c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let format = in_quotes(&escaped(&format, octal));
    format!("export {name}=\"$(printf {format}_)\"; {name}=\"${{{name}%_}}\"\n")
}

/// Whether a terminal may show this text.
pub(super) fn is_safe(text: &str) -> bool {
    harmless::harmful(text).next().is_none()
}

/// The text with escapes for characters that a terminal must not get.
fn escaped(text: &str, escape: impl Fn(char) -> String) -> String {
    let one = |c: char| if harmless::is_harmful(c) { escape(c) } else { c.to_string() };
    text.chars().map(one).collect()
}

/// The text as quoted pieces, with escapes between them for characters that a terminal must not get.
fn in_pieces(text: &str, between: &str, quote: fn(&str) -> String, escape: fn(char) -> String) -> String {
    let mut pieces = Vec::new();
    let mut quoted = 0;
    for (at, c) in harmless::harmful(text) {
        // PowerShell adds characters up as numbers unless the first operand is a string.
        if at > quoted || pieces.is_empty() {
            pieces.push(quote(&text[quoted..at]));
        }
        pieces.push(escape(c));
        quoted = at + c.len_utf8();
    }
    if quoted < text.len() || pieces.is_empty() {
        pieces.push(quote(&text[quoted..]));
    }
    pieces.join(between)
}

/// The text in the quotes of POSIX shells.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The text as an argument that a person can paste into a shell: in quotes where they are needed.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if is_safe(text) {
        return in_quotes(text);
    }
    let octal = |c: char| c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect();
    format!("$'{}'", escaped(&text.replace('\\', r"\\").replace('\'', r"\'"), octal))
}

/// The text as a value in fish.
pub(super) fn fish_value(text: &str) -> String {
    in_pieces(text, "", in_fish_quotes, fish_escape)
}

fn in_fish_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

/// fish reads escapes outside of quotes only, where no digit of the text can follow.
fn fish_escape(c: char) -> String {
    match u32::from(c) {
        code @ ..=0x7f => format!("\\x{code:02x}"),
        code @ ..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// The text as a value in PowerShell.
pub(super) fn pwsh_value(text: &str) -> String {
    in_pieces(text, " + ", in_powershell_quotes, pwsh_escape)
}

/// Older versions of PowerShell have no escapes for most characters.
fn pwsh_escape(c: char) -> String {
    match u32::from(c) {
        code @ ..=0xffff => format!("[char]0x{code:x}"),
        code => format!("[char]::ConvertFromUtf32(0x{code:x})"),
    }
}
