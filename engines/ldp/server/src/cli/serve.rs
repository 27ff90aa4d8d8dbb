//! `ldp serve`: the repository over HTTP.

use super::durability;
use super::exit::At;
use super::tls::Files;
use crate::events::webhook;
use crate::http::{self, App, Limits, Patience, router};
use axum::http::Uri;
use ldp_rdf::Root;
use ldp_repository::{Options, References, Repository};
use ldp_store::Durability;
use std::error::Error;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio_rustls::rustls::ServerConfig;

/// Serves a repository over HTTP until SIGTERM or SIGINT.
#[derive(clap::Args)]
pub struct Args {
    /// Folder of the store; made if it is not there.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Address to listen on; a port of 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,
    /// Listens on an address that other machines reach, though whoever reaches it may read, write and delete
    /// everything: there is no access control.
    #[arg(long)]
    open_to_anyone: bool,
    /// File of the certificate, and of those between it and the root, in PEM: serves HTTPS. SIGHUP reads it and
    /// the key again.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// File of the certificate's key, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// What an answered write promises: sync (on disk), bg=MS (on disk within MS milliseconds), none.
    #[arg(long, value_name = "WHEN", default_value = "sync", value_parser = durability)]
    durability: Durability,
    /// References to resources that are not there: kept, dropped, or refused.
    #[arg(long, value_name = "RULE", default_value = "off")]
    refint: Refint,
    /// URL of the repository as clients see it, such as https://example.org/ldp; without it, what each
    /// request says in Host, and /ldp or /rest.
    #[arg(long, value_name = "URL", value_parser = Root::new)]
    root: Option<Root>,
    /// Bodies may speak of subjects beside the resource, its fragments and blank nodes.
    #[arg(long)]
    foreign_subjects: bool,
    /// A change of a resource that is there needs If-Match, else 428.
    #[arg(long)]
    require_if_match: bool,
    /// How long a transaction lives without use, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 180)]
    tx_life: u64,
    /// Most connections, and most requests over HTTP/2; beyond, the oldest connection without a request is closed,
    /// and requests over HTTP/2 get 503.
    #[arg(long, value_name = "NUMBER", default_value_t = Patience::default().connections)]
    max_connections: usize,
    /// Longest time of a connection without the head of a request, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = Patience::default().head.as_secs())]
    head_time: u64,
    /// Longest time of a body, in seconds, beside a second for each 16 KiB of it.
    #[arg(long, value_name = "SECONDS", default_value_t = Patience::default().body.as_secs())]
    body_time: u64,
    /// Longest body of RDF or of a patch, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().rdf)]
    max_body: usize,
    /// Largest binary, in bytes; without it, any size.
    #[arg(long, value_name = "BYTES")]
    max_binary: Option<u64>,
    /// Most memory of the bodies of all requests together, in bytes, beside 64 KiB of each; beyond, 503.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bodies)]
    max_bodies: usize,
    /// Longest query, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().sparql)]
    max_query: usize,
    /// Most queries at a time, and most patches; others wait for their turn, and beyond that 503.
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().queries)]
    max_queries: usize,
    /// Longest time of a query, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().query.time.as_secs())]
    query_time: u64,
    /// Most memory of a query, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().query.memory)]
    query_memory: u64,
    /// Most rows of a query.
    #[arg(long, value_name = "ROWS", default_value_t = Limits::default().query.rows)]
    query_rows: u64,
    /// Folder that POST /admin/backup and /admin/export write into; without it they are refused.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// URL that each change is sent to, by POST; may be given several times.
    #[arg(long, value_name = "URL", value_parser = webhook::url)]
    webhook: Vec<Uri>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Refint {
    Off,
    Lenient,
    Strict,
}

/// How long requests may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(10);

/// Runs the server.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    if !args.listen.ip().is_loopback() && !args.open_to_anyone {
        let address = args.listen;
        return Err(format!(
            "--listen {address} may be reached from other machines, and there is no access control: \
             expected a loopback address such as 127.0.0.1:8000, or --open-to-anyone"
        )
        .into());
    }
    if args.max_body > args.max_bodies {
        let (one, all) = (args.max_body, args.max_bodies);
        return Err(format!("--max-body is {one}, more than the {all} of --max-bodies").into());
    }
    let tls = match args.tls_cert.zip(args.tls_key) {
        Some((certificate, key)) => {
            let files = Files { certificate, key };
            Some((files.read()?, files))
        }
        None => None,
    };
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    super::memory::give_back();
    let mut options = Options {
        references: match args.refint {
            Refint::Off => References::Off,
            Refint::Lenient => References::Lenient,
            Refint::Strict => References::Strict,
        },
        foreign_subjects: args.foreign_subjects,
        require_if_match: args.require_if_match,
        transaction_life: Duration::from_secs(args.tx_life),
        ..Options::default()
    };
    options.store.durability = args.durability;
    let repository = Arc::new(Repository::open(&args.data, options)?);
    let limits = Limits {
        rdf: args.max_body,
        sparql: args.max_query,
        binary: args.max_binary.unwrap_or(u64::MAX),
        bodies: args.max_bodies,
        queries: args.max_queries,
        query: ldp_sparql::Limits {
            time: Duration::from_secs(args.query_time),
            memory: args.query_memory,
            rows: args.query_rows,
        },
    };
    let patience = Patience {
        connections: args.max_connections,
        head: Duration::from_secs(args.head_time),
        body: Duration::from_secs(args.body_time),
    };
    let app = App::new(repository, args.root.clone(), limits, args.out);
    let app = if tls.is_some() { app.secure() } else { app };
    // A write holds its thread while the store makes it wait for the disk: others go on meanwhile.
    let threads = std::thread::available_parallelism().map_or(1, usize::from) * 2;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.max(4))
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(
        app,
        args.listen,
        tls,
        patience,
        args.root,
        args.webhook,
    ));
    // Queries that still run are left behind; the store closes with the last user of it.
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

/// Connections that may wait until the server takes them. The library's 128 are soon full when many come at
/// once; who finds no place tries again after a second.
const BACKLOG: u32 = 1024;

fn listener(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

async fn serve(
    app: App,
    address: SocketAddr,
    tls: Option<(Arc<ServerConfig>, Files)>,
    patience: Patience,
    root: Option<Root>,
    receivers: Vec<Uri>,
) -> Result<(), Box<dyn Error>> {
    let (mut terminated, mut interrupted) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let listener =
        listener(address).map_err(|error| At::new(format!("cannot listen on {address}"), error))?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}", listener.local_addr()?);
    let tls = match tls {
        Some((config, files)) => {
            let (sender, current) = watch::channel(config);
            tokio::spawn(files.follow(signal(SignalKind::hangup())?, sender));
            Some(current)
        }
        None => None,
    };
    let feed = app.feed();
    let mut webhooks = JoinSet::new();
    for receiver in receivers {
        // No request names the host here.
        let root = root
            .clone()
            .map_or_else(|| Root::new(&format!("{url}/ldp")), Ok)?;
        webhooks.spawn(webhook::deliver(receiver, root, feed.reader(None)));
    }
    println!("listening on {url}");
    std::io::stdout().flush()?;
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(http::serve(listener, router(app), patience, tls, async {
        let _ = stopped.await;
    }));
    tokio::select! {
        _ = terminated.recv() => {}
        _ = interrupted.recv() => {}
    }
    let _ = stop.send(());
    // Else those who follow it would hold their connections.
    feed.close();
    let ended = async {
        let ended = server.await;
        webhooks.join_all().await;
        ended
    };
    if let Ok(ended) = tokio::time::timeout(GRACE, ended).await {
        ended?;
    }
    Ok(())
}
