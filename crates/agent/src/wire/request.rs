//! A request as bytes, with headers that may be missing or wrong.

/// A request that is not yet sent.
#[derive(Clone)]
pub struct Request {
    method: &'static str,
    path: &'static str,
    headers: Vec<(String, String)>,
    /// The body, or empty.
    pub body: Vec<u8>,
}

impl Request {
    /// Makes a request without headers.
    pub fn new(method: &'static str, path: &'static str) -> Self {
        Self { method, path, headers: Vec::new(), body: Vec::new() }
    }

    /// Returns the method.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Sets a header, replacing a header of the same name.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self = self.without(name);
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Removes a header.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(header, _)| !header.eq_ignore_ascii_case(name));
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Returns the request line and the headers. More headers may follow, and an empty line must.
    pub fn open_head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head
    }

    /// Returns the whole head. For a POST it announces a body of `length` bytes.
    pub fn head(&self, length: usize) -> Vec<u8> {
        let mut head = self.open_head();
        if self.method == "POST" {
            head.push_str(&format!("content-length: {length}\r\n"));
        }
        (head + "\r\n").into_bytes()
    }

    /// Returns the head and the body.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head(self.body.len());
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// Whether a header can contain this text: visible ASCII, blanks and tabs.
pub(crate) fn is_header_value(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
}
