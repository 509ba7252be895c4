//! Server-sent events as they arrive. Violations of the format are kept, because the conformance suite checks
//! them.

use bytes::BytesMut;

/// A block of lines in a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Only lines that begin with a colon, which they keep.
    Comment(String),
    /// Any other block.
    Event(Event),
}

/// An event with its fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// The field `id`.
    pub id: Option<String>,
    /// The field `retry`.
    pub retry: Option<String>,
    /// The field `event`.
    pub kind: Option<String>,
    /// The field `data`. Several lines of it are joined with `\n`.
    pub data: Option<String>,
}

impl Item {
    /// Parses a block. Returns `None` for an empty block.
    pub fn parse(block: &[u8]) -> Option<Self> {
        let block = String::from_utf8_lossy(block);
        let mut event = Event::default();
        let (mut has_comments, mut has_fields) = (false, false);
        for line in block.lines().filter(|line| !line.is_empty()) {
            if line.starts_with(':') {
                has_comments = true;
                continue;
            }
            has_fields = true;
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
        match (has_fields, has_comments) {
            (true, _) => Some(Self::Event(event)),
            (false, true) => Some(Self::Comment(block.trim_end().to_owned())),
            (false, false) => None,
        }
    }
}

/// Splits the bytes of a stream into blocks.
#[derive(Debug, Default)]
pub struct EventParser {
    bytes: BytesMut,
    /// The number of bytes that are known to contain no end of a block.
    searched: usize,
}

impl EventParser {
    /// Takes the next bytes of the stream.
    pub fn feed(&mut self, bytes: BytesMut) {
        match self.bytes.is_empty() {
            true => self.bytes = bytes,
            false => self.bytes.extend_from_slice(&bytes),
        }
    }

    /// Whether the bytes end within a block.
    pub fn is_in_block(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// Returns the next complete block, not yet parsed, without the empty line that ends it.
    pub fn next_block(&mut self) -> Option<BytesMut> {
        let from = self.searched;
        let mut line_ends = memchr::memchr_iter(b'\n', &self.bytes[from..]).map(|at| from + at);
        let Some(end) = line_ends.find(|at| self.line_before(*at).is_empty()) else {
            self.searched = self.bytes.len();
            return None;
        };
        self.searched = 0;
        let mut block = self.bytes.split_to(end + 1);
        while block.last().is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
            block.truncate(block.len() - 1);
        }
        Some(block)
    }

    /// Returns as much of the line that ends at this newline as is needed to know whether it is empty.
    fn line_before(&self, newline: usize) -> &[u8] {
        let line = &self.bytes[newline.saturating_sub(2)..newline];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        &line[line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)..]
    }
}

impl Iterator for EventParser {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = Item::parse(&self.next_block()?) {
                return Some(item);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<Item> {
        let mut parser = EventParser::default();
        let mut items = Vec::new();
        for byte in text.as_bytes() {
            parser.feed(BytesMut::from(&[*byte][..]));
            items.extend(&mut parser);
        }
        items
    }

    #[test]
    fn fields_comments_and_line_ends_are_distinguished() {
        let event = |data: &str| Event { data: Some(data.into()), ..Event::default() };
        let text = ": hi\n\nevent: message\ndata: {\"a\":1}\n\n\
            id: 7\r\nretry: 10\r\ndata:\r\n\r\ndata: a\ndata: b\n\n: open";
        assert_eq!(
            items(text),
            [
                Item::Comment(": hi".into()),
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
