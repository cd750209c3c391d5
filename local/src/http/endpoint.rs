//! The address of another service on this machine or nearby.

use http::Uri;

/// `http://HOST:PORT`, without a path.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    /// Without a slash at its end.
    pub(crate) text: String,
    pub(crate) root: Uri,
}

impl Endpoint {
    /// Checks its form.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(endpoint: &str) -> Result<Self, String> {
        let root: Uri = endpoint.parse().map_err(|error| format!("it is no URL ({error})"))?;
        match root.scheme_str() {
            Some("http") => {}
            Some(other) => return Err(format!("it is {other}")),
            None => return Err("it has no scheme".to_owned()),
        }
        if root.path() != "/" || root.query().is_some() {
            return Err("it has a path".to_owned());
        }
        Ok(Self {
            text: endpoint.trim_end_matches('/').to_owned(),
            root,
        })
    }
}
