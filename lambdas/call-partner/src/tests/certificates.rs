//! A root of the test's own, and certificates of partners.

use rcgen::{CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A root, and what it signs.
pub struct Secure {
    pub root: CertifiedIssuer<'static, KeyPair>,
}

/// A partner's certificate.
#[derive(Clone, Copy)]
pub enum Certificate {
    /// For `localhost`, from the root.
    Good,
    /// The same, of the past.
    Expired,
    /// The same, of the future.
    Early,
    /// From the root, but for another name.
    Foreign,
    /// For `localhost`, from nobody.
    SelfSigned,
}

impl Secure {
    pub fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let root = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { root }
    }

    /// The root, for a caller that is to trust it.
    pub fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.root.der().clone()).unwrap();
        roots
    }

    /// A certificate and its key.
    pub fn certificate(&self, certificate: Certificate) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let name = match certificate {
            Certificate::Foreign => "partner.example.com",
            _ => "localhost",
        };
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        match certificate {
            Certificate::Expired => params.not_after = date_time_ymd(2020, 1, 1),
            Certificate::Early => params.not_before = date_time_ymd(2090, 1, 1),
            _ => {}
        }
        let key = KeyPair::generate().unwrap();
        let signed = match certificate {
            Certificate::SelfSigned => params.self_signed(&key).unwrap(),
            _ => params.signed_by(&key, &self.root).unwrap(),
        };
        (signed.der().clone(), PrivateKeyDer::Pkcs8(key.serialize_der().into()))
    }
}
