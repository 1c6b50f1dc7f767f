//! TLS of connections, by rustls. A crate that joins both exists, but brings a second library of ciphers.

use crate::store::error::StoreError;
use crate::store::postgres::connection::address::{CertificateCheck, TlsRules};
use futures_util::future::BoxFuture;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// Makes TLS connections by these rules.
#[derive(Clone)]
pub struct PostgresTls {
    config: Arc<ClientConfig>,
}

impl PostgresTls {
    pub fn new(rules: &TlsRules) -> Result<Self, StoreError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let wrong = |reason: String| StoreError::Address { reason };
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|fault| wrong(fault.to_string()))?;
        let trusted = match rules.check {
            CertificateCheck::Nothing => None,
            CertificateCheck::Authority | CertificateCheck::AuthorityAndHost => {
                let roots = Arc::new(roots(rules)?);
                let verifier =
                    WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
                Some(verifier.map_err(|fault| wrong(fault.to_string()))?)
            }
        };
        let host_too = rules.check == CertificateCheck::AuthorityAndHost;
        let verifier = Arc::new(LenientVerifier { trusted, host_too, provider });
        let config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
        Ok(Self { config: Arc::new(config) })
    }
}

/// Reads the trusted authorities.
fn roots(rules: &TlsRules) -> Result<RootCertStore, StoreError> {
    let mut roots = RootCertStore::empty();
    let Some(path) = &rules.root_cert else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return Ok(roots);
    };
    let wrong =
        |fault: String| StoreError::Address { reason: format!("sslrootcert {}: {fault}", path.display()) };
    let certificates = CertificateDer::pem_file_iter(path).map_err(|fault| wrong(fault.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|fault| wrong(fault.to_string()))?;
        roots.add(certificate).map_err(|fault| wrong(fault.to_string()))?;
    }
    if roots.is_empty() { Err(wrong(String::from("it has no certificate"))) } else { Ok(roots) }
}

/// Verifier that leaves out what the rules leave out. The server must have the key of its certificate in any case.
#[derive(Debug)]
struct LenientVerifier {
    trusted: Option<Arc<WebPkiServerVerifier>>,
    host_too: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(trusted) = &self.trusted else { return Ok(ServerCertVerified::assertion()) };
        match trusted.verify_server_cert(own, between, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.host_too => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        tokio_rustls::rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        tokio_rustls::rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl MakeTlsConnect<Socket> for PostgresTls {
    type Stream = EncryptedSocket;
    type TlsConnect = HostTls;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<HostTls, io::Error> {
        // A socket of the file system has no name to check, and no TLS either.
        let name = if host.is_empty() { "localhost" } else { host };
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        Ok(HostTls { connector: tokio_rustls::TlsConnector::from(Arc::clone(&self.config)), name })
    }
}

/// TLS with one host.
pub struct HostTls {
    connector: tokio_rustls::TlsConnector,
    name: ServerName<'static>,
}

impl TlsConnect<Socket> for HostTls {
    type Stream = EncryptedSocket;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<EncryptedSocket>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move { Ok(EncryptedSocket(self.connector.connect(self.name, socket).await?)) })
    }
}

/// An encrypted connection.
pub struct EncryptedSocket(tokio_rustls::client::TlsStream<Socket>);

impl TlsStream for EncryptedSocket {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for EncryptedSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl AsyncWrite for EncryptedSocket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
