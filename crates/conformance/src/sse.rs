//! Server-sent events as they come, rule breaking included: nothing is passed over in silence, for all of it
//! is evidence.

/// Something on a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    /// Lines that begin with a colon only.
    Comment,
    /// Anything else.
    Event(Event),
}

/// An event with the fields it has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) data: Option<String>,
}

/// Takes bytes, gives items.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    bytes: Vec<u8>,
    searched: usize,
}

impl Parser {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole item.
    pub(crate) fn next(&mut self) -> Option<Item> {
        loop {
            let end = self.block_end()?;
            let block: Vec<u8> = self.bytes.drain(..end).collect();
            self.searched = 0;
            if let Some(item) = parse(&String::from_utf8_lossy(&block)) {
                return Some(item);
            }
        }
    }

    /// Where the first block ends: behind its empty line.
    fn block_end(&mut self) -> Option<usize> {
        let from = self.searched;
        for (at, _) in self.bytes[from..].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            let at = from + at;
            let line_start =
                at.checked_sub(1).map(|before| if self.bytes[before] == b'\r' { before } else { at });
            match line_start.unwrap_or(0) {
                0 => return Some(at + 1),
                start if self.bytes[start - 1] == b'\n' => return Some(at + 1),
                _ => {}
            }
        }
        // The last bytes may be the beginning of an empty line.
        self.searched = self.bytes.len().saturating_sub(2);
        None
    }
}

fn parse(block: &str) -> Option<Item> {
    let mut event = Event::default();
    let (mut comments, mut fields) = (false, false);
    for line in block.lines().filter(|line| !line.is_empty()) {
        if line.starts_with(':') {
            comments = true;
            continue;
        }
        fields = true;
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "id" => event.id = Some(value.to_owned()),
            "retry" => event.retry = Some(value.to_owned()),
            "event" => event.kind = Some(value.to_owned()),
            "data" => {
                let data = event.data.get_or_insert_default();
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(value);
            }
            _ => {}
        }
    }
    match (fields, comments) {
        (true, _) => Some(Item::Event(event)),
        (false, true) => Some(Item::Comment),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<Item> {
        let mut parser = Parser::default();
        let mut items = Vec::new();
        for byte in text.as_bytes() {
            parser.feed(&[*byte]);
            items.extend(std::iter::from_fn(|| parser.next()));
        }
        items
    }

    #[test]
    fn fields_comments_and_line_ends_are_told_apart_byte_by_byte() {
        let event = |data: &str| Event { data: Some(data.into()), ..Event::default() };
        let text = ": hi\n\nevent: message\ndata: {\"a\":1}\n\nid: 7\r\nretry: 10\r\ndata:\r\n\r\ndata: a\ndata: b\n\n: open";
        assert_eq!(
            items(text),
            [
                Item::Comment,
                Item::Event(Event { kind: Some("message".into()), ..event("{\"a\":1}") }),
                Item::Event(Event { id: Some("7".into()), retry: Some("10".into()), ..event("") }),
                Item::Event(event("a\nb")),
            ]
        );
    }

    #[test]
    fn an_event_without_data_is_an_event() {
        assert_eq!(items("id: 1\n\n"), [Item::Event(Event { id: Some("1".into()), ..Event::default() })]);
        assert_eq!(items("\n\n\r\n"), []);
    }
}
