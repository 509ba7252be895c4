//! Quotes text for shells: the shell reads the same text, and a terminal may show the quoted text.

use alongside_desk::harmless;
use alongside_platform::shell::in_powershell_quotes;

/// Returns an assignment for bash and other POSIX shells. Some of them lack the escapes of `$'…'`, but each
/// has the escapes of `printf`. The final `_` keeps trailing newlines, which a command substitution would
/// drop.
pub(super) fn posix_assignment(name: &str, value: &str) -> String {
    if is_safe(value) {
        return format!("export {name}={}\n", in_quotes(value));
    }
    let format = value.replace('\\', r"\\").replace('%', "%%");
    let octal = |c: char| c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let format = in_quotes(&escaped(&format, octal));
    format!("export {name}=\"$(printf {format}_)\"; {name}=\"${{{name}%_}}\"\n")
}

/// Whether a terminal may show this text without escapes.
pub(super) fn is_safe(text: &str) -> bool {
    harmless::harmful(text).next().is_none()
}

/// Escapes the characters that are harmful to a terminal.
fn escaped(text: &str, escape: impl Fn(char) -> String) -> String {
    let escape_harmful = |c: char| if harmless::is_harmful(c) { escape(c) } else { c.to_string() };
    text.chars().map(escape_harmful).collect()
}

/// Returns a text as quoted pieces, with escapes of the harmful characters between them.
fn quoted_pieces(text: &str, between: &str, quote: fn(&str) -> String, escape: fn(char) -> String) -> String {
    let mut pieces = Vec::new();
    let mut quoted = 0;
    for (at, c) in harmless::harmful(text) {
        // The first piece is a string, also an empty one: PowerShell would add characters as numbers.
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

/// Quotes a text for POSIX shells.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns a text as an argument to paste into a shell, in quotes if it needs them.
pub(super) fn quoted(text: &str) -> String {
    let needs_no_quotes = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(needs_no_quotes) {
        return text.to_owned();
    }
    if is_safe(text) {
        return in_quotes(text);
    }
    let octal = |c: char| c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect();
    format!("$'{}'", escaped(&text.replace('\\', r"\\").replace('\'', r"\'"), octal))
}

/// Returns a text as a value in fish.
pub(super) fn fish_value(text: &str) -> String {
    quoted_pieces(text, "", in_fish_quotes, fish_escape)
}

fn in_fish_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

/// Returns the escape of a character in fish, which must be outside of quotes. No digit of the text follows
/// it.
fn fish_escape(c: char) -> String {
    match u32::from(c) {
        code @ ..=0x7f => format!("\\x{code:02x}"),
        code @ ..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// Returns a text as a value in PowerShell.
pub(super) fn pwsh_value(text: &str) -> String {
    quoted_pieces(text, " + ", in_powershell_quotes, pwsh_escape)
}

/// Returns an expression for a character, because older versions of PowerShell lack escapes for most
/// characters.
fn pwsh_escape(c: char) -> String {
    match u32::from(c) {
        code @ ..=0xffff => format!("[char]0x{code:x}"),
        code => format!("[char]::ConvertFromUtf32(0x{code:x})"),
    }
}
