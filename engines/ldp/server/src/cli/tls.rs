//! The certificate and the key of `ldp serve`, which are read anew when they have changed.

use super::exit::At;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::signal::unix::Signal;
use tokio::sync::watch;
use tokio::task::block_in_place;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Where they are.
pub struct Files {
    /// The certificate, and those between it and the root that clients know, in PEM.
    pub certificate: PathBuf,
    /// The key of the certificate, in PEM.
    pub key: PathBuf,
}

impl Files {
    /// What the files hold now, for clients of HTTP/2 and HTTP/1.1. Whether a certificate has expired is for
    /// them to say.
    pub fn read(&self) -> Result<Arc<ServerConfig>, Box<dyn Error>> {
        let chain = CertificateDer::pem_slice_iter(&read(&self.certificate)?)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| At::new(self.certificate.display(), error.to_string()))?;
        if chain.is_empty() {
            return Err(
                At::new(self.certificate.display(), "there is no certificate in PEM").into(),
            );
        }
        let key = PrivateKeyDer::from_pem_slice(&read(&self.key)?)
            .map_err(|error| At::new(self.key.display(), format!("no key in PEM: {error}")))?;
        let both = format!("{} with {}", self.certificate.display(), self.key.display());
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| At::new(both, error))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// Reads them at each signal. If they cannot be used, what was there before stays.
    pub async fn follow(self, mut signal: Signal, current: watch::Sender<Arc<ServerConfig>>) {
        while signal.recv().await.is_some() {
            match block_in_place(|| self.read()) {
                Ok(config) => {
                    current.send_replace(config);
                    eprintln!("ldp: new connections get the certificate that is there now");
                }
                Err(error) => eprintln!("ldp: the certificate stays the one before: {error}"),
            }
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, At> {
    std::fs::read(path).map_err(|error| At::new(path.display(), error))
}
