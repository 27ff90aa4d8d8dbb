//! Connections under TLS: the handshake within the limits of a connection, then HTTP/2 or HTTP/1.1.

use super::connections::{Client, Patience};
use super::http2::Http2;
use super::taken::Taken;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::server::TlsStream;

/// What all connections under TLS share.
///
/// This is tokio-rustls and not axum-server, whose loop has neither these limits nor an eviction.
#[derive(Clone)]
pub struct Secure {
    tls: watch::Receiver<Arc<ServerConfig>>,
    http2: Http2,
}

impl Secure {
    /// With the configuration that `tls` has when a connection comes.
    pub fn new(tls: watch::Receiver<Arc<ServerConfig>>, patience: Patience) -> Secure {
        Secure {
            tls,
            http2: Http2::new(patience),
        }
    }

    /// Answers what the client asks, by the protocol that it chose.
    pub async fn serve(self, mut client: Client, stream: Taken<TcpStream>) {
        let Some(stream) = self.shake_hands(&mut client, stream).await else {
            return;
        };
        match stream.get_ref().1.alpn_protocol() {
            Some(b"h2") => self.http2.serve(client, stream).await,
            _ => client.http1(stream).await,
        }
    }

    /// It has the time of a head, and a connection without a request makes room.
    async fn shake_hands(
        &self,
        client: &mut Client,
        stream: Taken<TcpStream>,
    ) -> Option<TlsStream<Taken<TcpStream>>> {
        let acceptor = TlsAcceptor::from(self.tls.borrow().clone());
        tokio::select! {
            done = timeout(client.patience.head, acceptor.accept(stream)) => done.ok()?.ok(),
            () = client.connection.evicted.notified() => None,
            _ = client.stopping.changed() => None,
        }
    }
}
