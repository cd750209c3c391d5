//! A whole answer, as the script gives it and as its bytes go out.

use std::{collections::BTreeMap, io::Write as _};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// What an HTTP answer says. Every field has a default: 200, `application/json`, a small JSON body, at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Answer {
    /// The status, 200-999 as it stands in the first line.
    pub status: u16,
    /// The `content-type`; null for none.
    pub content_type: Option<String>,
    /// The body. In a text, `{{nonce}}` becomes this answer's nonce and `{{seq}}` the request's number in the log.
    pub body: Body,
    /// More headers; `{{nonce}}` and `{{seq}}` are replaced as in the body. A `connection: close` is kept to.
    pub headers: BTreeMap<String, String>,
    /// Milliseconds between the request and the first byte.
    pub after_ms: u64,
    /// Whether the answer also waits until [`release`](crate::Partner::release).
    pub held: bool,
    /// How the body is compressed, which a `content-encoding` then says.
    pub encoding: Option<Encoding>,
    /// How the end of the body is told.
    pub framing: Framing,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            status: 200,
            content_type: Some("application/json".to_owned()),
            body: Body::Text(r#"{"partner":"scripted"}"#.to_owned()),
            headers: BTreeMap::new(),
            after_ms: 0,
            held: false,
            encoding: None,
            framing: Framing::Length,
        }
    }
}

impl Answer {
    /// An answer at once, of this status and body, as JSON.
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self {
            status,
            body: Body::Text(body.into()),
            ..Self::default()
        }
    }

    /// The same answer, `after_ms` milliseconds after its request.
    pub fn after_ms(self, after_ms: u64) -> Self {
        Self { after_ms, ..self }
    }

    /// The same answer, once it is released.
    pub fn held(self) -> Self {
        Self { held: true, ..self }
    }

    /// The bytes of the answer to a request: the head with its empty line, and the body as it is framed.
    pub(crate) fn wire(&self, to: &Addressee<'_>) -> Wire {
        let body = self.encoded(self.body.bytes(to));
        let bodiless = matches!(self.status, 204 | 304);
        let mut head = format!("HTTP/1.1 {} \r\n", self.status);
        let mut field = |name: &str, value: &str| {
            head.push_str(name);
            head.push_str(": ");
            head.push_str(value);
            head.push_str("\r\n");
        };
        if let Some(content_type) = &self.content_type {
            field("content-type", content_type);
        }
        if let Some(encoding) = self.encoding {
            field("content-encoding", encoding.name());
        }
        for (name, value) in &self.headers {
            field(name, &to.fill(value));
        }
        match self.framing {
            _ if bodiless => {}
            Framing::Length => field("content-length", &body.len().to_string()),
            Framing::Chunked => field("transfer-encoding", "chunked"),
            Framing::Close => field("connection", "close"),
        }
        head.push_str("\r\n");
        let body = match self.framing {
            _ if bodiless || to.head_only => Vec::new(),
            Framing::Length | Framing::Close => body,
            Framing::Chunked => chunked(&body),
        };
        let says_close = self
            .headers
            .iter()
            .any(|(name, value)| is("connection", name) && value.eq_ignore_ascii_case("close"));
        Wire {
            head: head.into_bytes(),
            body,
            closes: says_close || self.framing == Framing::Close,
        }
    }

    fn encoded(&self, body: Vec<u8>) -> Vec<u8> {
        // Writing into a vector can't fail; were it to, the body goes out as it is and the test that decodes it fails.
        let level = flate2::Compression::default();
        let compressed = match self.encoding {
            None => return body,
            Some(Encoding::Gzip) => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(&body).and_then(|()| encoder.finish())
            }
            Some(Encoding::Deflate) => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(&body).and_then(|()| encoder.finish())
            }
        };
        compressed.unwrap_or(body)
    }
}

fn is(name: &str, other: &str) -> bool {
    name.eq_ignore_ascii_case(other)
}

/// The body in chunks of 4 KiB at most, and the last, empty one.
fn chunked(body: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(body.len() + 64);
    for chunk in body.chunks(4096) {
        framed.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
    }
    framed.extend_from_slice(b"0\r\n\r\n");
    framed
}

/// Whom an answer goes to: what a body can quote, and whether it is wanted at all.
pub(crate) struct Addressee<'a> {
    pub nonce: &'a str,
    pub seq: u64,
    /// A `HEAD` request gets no body.
    pub head_only: bool,
}

impl Addressee<'_> {
    fn fill(&self, text: &str) -> String {
        text.replace("{{nonce}}", self.nonce)
            .replace("{{seq}}", &self.seq.to_string())
    }
}

/// An answer's bytes.
pub(crate) struct Wire {
    pub head: Vec<u8>,
    pub body: Vec<u8>,
    /// Whether the answer says that its connection closes.
    pub closes: bool,
}

/// What an answer carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = r#"a text, {"base64": "…"} or {"repeat": "text", "times": n}"#)]
pub enum Body {
    /// A text.
    Text(String),
    /// Any bytes, written as base64.
    Binary {
        /// The bytes.
        #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
        base64: Vec<u8>,
    },
    /// A text many times over: a large body in a small script.
    Repeated {
        /// The text.
        repeat: String,
        /// How often it stands in the body.
        times: usize,
    },
}

impl Body {
    pub(crate) fn bytes(&self, to: &Addressee<'_>) -> Vec<u8> {
        match self {
            Self::Text(text) => to.fill(text).into_bytes(),
            Self::Binary { base64 } => base64.clone(),
            Self::Repeated { repeat, times } => repeat.repeat(*times).into_bytes(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Binary { base64 } => base64.is_empty(),
            Self::Repeated { repeat, times } => repeat.is_empty() || *times == 0,
        }
    }
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    STANDARD
        .decode(String::deserialize(deserializer)?)
        .map_err(D::Error::custom)
}

/// How a body is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// `gzip`
    Gzip,
    /// `deflate`, in the zlib format that HTTP means by it.
    Deflate,
}

impl Encoding {
    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        }
    }
}

/// How the end of a body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// By a `content-length`.
    Length,
    /// In chunks.
    Chunked,
    /// By the end of the connection.
    Close,
}
