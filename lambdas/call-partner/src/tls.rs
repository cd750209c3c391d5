//! Which partners are believed to be who they say.

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::ConfigVerifierExt as _;

/// TLS that trusts whom the system trusts (`SSL_CERT_FILE` names another file of roots). HTTP/2 is spoken where the partner
/// offers it.
pub fn trusting_the_system() -> ClientConfig {
    let config = ClientConfig::with_platform_verifier().unwrap_or_else(|error| {
        // A machine without root certificates can still call plain HTTP; each https call is then a `tls` failure.
        tracing::warn!(%error, "no root certificates: https partners can't be called");
        ClientConfig::builder()
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth()
    });
    speaking_http_2(config)
}

/// The same with these roots instead.
#[cfg(test)]
pub fn trusting(roots: RootCertStore) -> ClientConfig {
    speaking_http_2(
        ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth(),
    )
}

fn speaking_http_2(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}
