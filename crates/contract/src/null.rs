//! Lenient reading: `null` means absent, because other languages do not distinguish them. Written messages
//! contain no `null`.

use serde::{Deserialize, Deserializer};

/// Reads `null` as the default, for `#[serde(default, deserialize_with = "null::or_default")]` on optional
/// fields whose type is not `Option`.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use crate::context::{IdeContext, OpenFile};
    use crate::diff::{CloseDiffRequest, ClosedDiff, DiffClosed};
    use crate::discovery::{Record, Stdio};
    use crate::mcp::{CallToolResult, Implementation, InitializeParams, TextContent};
    use crate::rpc::ErrorObject;

    /// Checks that absent fields and `null` mean the same.
    fn reads<T: DeserializeOwned + serde::Serialize>(needed: Value, optional: &[&str]) {
        let absent = serde_json::from_value::<T>(needed.clone()).map(|it| json!(it));
        let absent = absent.unwrap_or_else(|error| panic!("{needed} of {optional:?}: {error}"));
        for name in optional {
            let mut null = needed.clone();
            null[name] = Value::Null;
            let read = serde_json::from_value::<T>(null).map(|it| json!(it));
            assert_eq!(read.unwrap_or_else(|error| panic!("{name}: {error}")), absent, "{name}");
        }
    }

    #[test]
    fn null_means_absent_in_every_type() {
        reads::<InitializeParams>(json!({}), &["protocolVersion", "capabilities", "clientInfo"]);
        reads::<Implementation>(json!({}), &["name", "version", "title"]);
        reads::<CallToolResult>(json!({}), &["content", "isError"]);
        reads::<TextContent>(json!({"type": "text"}), &["text"]);
        reads::<IdeContext>(json!({}), &["workspaceState"]);
        reads::<IdeContext>(json!({"workspaceState": {}}), &["x"]);
        reads::<OpenFile>(json!({"path": "/a"}), &["timestamp", "isActive", "cursor", "selectedText"]);
        let fields = ["workspacePath", "authToken", "ideInfo", "ppid", "ideName", "stdio", "writer"];
        reads::<Record>(json!({"port": 1}), &fields);
        reads::<Record>(json!({"port": "1", "ideInfo": {"name": null, "displayName": null}}), &fields[3..]);
        reads::<Stdio>(json!({"command": "c"}), &["args"]);
        reads::<CloseDiffRequest>(json!({"filePath": "/a"}), &["suppressNotification"]);
        reads::<ClosedDiff>(json!({}), &["content"]);
        reads::<DiffClosed>(json!({"filePath": "/a"}), &["content"]);
        reads::<ErrorObject>(json!({"code": 1}), &["message", "data"]);
    }
}
