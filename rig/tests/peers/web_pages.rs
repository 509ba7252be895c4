//! Requests of web pages in the person's browser. *Simple* requests (GET, and POST with the content types of
//! forms) need no preflight. No request of a page gets or changes anything, even where agents need no token.

use alongside_rig::wire::{Raw, open_diff_call};

use crate::stage::Stage;

/// Returns the headers that a browser adds for a page whose name was rebound to the loopback, and for other
/// pages.
fn headers_of_pages(port: u16) -> [String; 4] {
    [
        format!("Host: rebound.example:{port}\r\n"),
        format!("Host: rebound.example:{port}\r\nOrigin: http://rebound.example:{port}\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n"),
        // A sandboxed frame, a file, a redirect.
        format!("Host: localhost:{port}\r\nOrigin: null\r\n"),
    ]
}

/// Sends a request, and returns the status of the response, which must allow a page nothing.
async fn status(stage: &Stage, head: &str, body: &str) -> u16 {
    let mut raw = Raw::dial(stage.port()).await;
    raw.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await;
    let answer = raw.answer().await;
    for (name, what) in [("access-control-allow-origin", "read"), ("access-control-allow-headers", "asked")] {
        assert_eq!(answer.head.get(name), None, "the answer must not allow a page {what}");
    }
    assert!(!answer.text().contains(stage.companion.token()));
    answer.status()
}

/// Returns the body of a form with `enctype="text/plain"`, which a page can make valid JSON.
fn form_body(stage: &Stage) -> String {
    open_diff_call(1, &stage.path("a.txt"), "theirs=\r\n")
}

/// Fails unless every request of a page is refused.
async fn assert_pages_are_refused(stage: &Stage) {
    for page in headers_of_pages(stage.port()) {
        for kind in
            ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json"]
        {
            let head = format!("POST /mcp HTTP/1.1\r\n{page}Content-Type: {kind}\r\n");
            assert_eq!(status(stage, &head, &form_body(stage)).await, 403, "{head}");
        }
        for path in ["/mcp", "/status", "/"] {
            assert_eq!(status(stage, &format!("GET {path} HTTP/1.1\r\n{page}"), "").await, 403, "{page}");
        }
        let ask = "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization\r\n";
        assert_eq!(status(stage, &format!("OPTIONS /mcp HTTP/1.1\r\n{page}{ask}"), "").await, 403, "{page}");
    }
    assert_eq!(stage.companion.status().await.reviews, 0);
}

#[tokio::test]
async fn nothing_that_a_page_can_send_gets_in() {
    assert_pages_are_refused(&Stage::new().await).await;
}

#[tokio::test]
async fn no_page_gets_in_where_agents_need_no_token() {
    let stage = Stage::with(|builder| builder.allow_tokenless_agents(true)).await;
    assert_pages_are_refused(&stage).await;
    // Old browsers send forms without an Origin.
    let host = format!("Host: 127.0.0.1:{}\r\n", stage.port());
    for kind in ["", "Content-Type: text/plain\r\n", "Content-Type: multipart/form-data; boundary=x\r\n"] {
        let head = format!("POST /mcp HTTP/1.1\r\n{host}{kind}");
        assert_eq!(status(&stage, &head, &form_body(&stage)).await, 415, "{head}");
    }
    let image = format!("GET /mcp HTTP/1.1\r\n{host}Accept: image/*\r\n");
    assert_eq!(status(&stage, &image, "").await, 400, "a stream needs a session");
}

#[tokio::test]
async fn an_image_or_script_of_a_page_gets_nothing() {
    let stage = Stage::new().await;
    // Such requests have no Origin, and the page chooses the host.
    let host = format!("Host: 127.0.0.1:{}\r\n", stage.port());
    for path in ["/mcp", "/status", "/status?token=x", "/"] {
        assert_eq!(status(&stage, &format!("GET {path} HTTP/1.1\r\n{host}"), "").await, 401, "{path}");
    }
}

#[tokio::test]
async fn a_token_that_is_almost_right_is_as_wrong_as_any() {
    let stage = Stage::new().await;
    let token = stage.companion.token().to_owned();
    let (last, flipped) = (token.len() - 1, if token.ends_with('0') { "1" } else { "0" });
    let almost = [
        format!("{}{flipped}", &token[..last]),
        format!("{flipped}{}", &token[1..]),
        token.to_uppercase(),
        format!("{token}0"),
        token[1..].to_owned(),
        token[..last].to_owned(),
        String::new(),
        format!("{token}.gemini.gemini"),
        format!("{token}.nobody"),
        format!("{token}\t{token}"),
        format!(".{token}"),
    ];
    for wrong in almost.iter().filter(|wrong| **wrong != token) {
        let host = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {wrong}\r\n", stage.port());
        let head = format!("POST /mcp HTTP/1.1\r\n{host}Content-Type: application/json\r\n");
        assert_eq!(status(&stage, &head, &form_body(&stage)).await, 401, "{wrong}");
    }
    // Of two headers only the first counts.
    let host = format!("Host: 127.0.0.1:{}\r\n", stage.port());
    let two = format!("{host}Authorization: Bearer wrong\r\nAuthorization: Bearer {token}\r\n");
    assert_eq!(status(&stage, &format!("POST /mcp HTTP/1.1\r\n{two}"), &form_body(&stage)).await, 401);
    assert_eq!(stage.companion.status().await.reviews, 0);
}
