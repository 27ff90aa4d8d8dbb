//! The server under test, a process of its own: started, asked what it costs, stopped.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::Result;
use crate::http::{Client, Connection};
use crate::store;
use crate::system::System;

/// A server that was asked to stop has this long, to write what it holds.
const STOP: Duration = Duration::from_secs(60);

/// A running server. It is killed when this is dropped.
pub struct Server {
    /// Host and port.
    pub address: String,
    /// From its start to its first good answer.
    pub ready_after: Duration,
    child: Child,
    store: PathBuf,
    temporary: PathBuf,
}

/// What a server has used since its start, with all processes below it.
pub struct Usage {
    /// Seconds of processor time.
    pub cpu: f64,
    /// Sum of the largest resident sizes, in bytes.
    pub peak_memory: u64,
}

impl Server {
    /// Starts `words` on the store in the folder `store`, and waits until it answers.
    ///
    /// @PORT@, @PORT2@ to @PORT9@ (free ports), @DIR@ (the store) and @TMP@ (a folder that is
    /// removed afterwards) are filled in.
    pub fn start(system: &System, store: &Path, words: &[String]) -> Result<Server> {
        fs::create_dir_all(store)?;
        let store = store.canonicalize()?;
        let temporary = std::env::temp_dir().join(format!("ldpload-{}", std::process::id()));
        fs::create_dir_all(&temporary)?;
        let (words, port) = fill(words, &store, &temporary)?;
        let [program, arguments @ ..] = words.as_slice() else {
            return Err("expected the command of the server after --".into());
        };
        let log = File::create(temporary.join("server.log"))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .process_group(0)
            .stdin(Stdio::null());
        command.stdout(log.try_clone()?).stderr(log);
        // SAFETY: between fork and exec, only prctl(2) is called.
        unsafe {
            command.pre_exec(|| Ok(nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?));
        }
        store::mark(&store)?;
        let start = Instant::now();
        let child = command
            .spawn()
            .map_err(|error| format!("cannot start {program}: {error}"))?;
        let mut server = Server {
            address: format!("127.0.0.1:{port}"),
            ready_after: Duration::ZERO,
            child,
            store,
            temporary,
        };
        server.wait_until_ready(system, start)?;
        Ok(server)
    }

    fn wait_until_ready(&mut self, system: &System, start: Instant) -> Result<()> {
        let patience = Duration::from_secs(system.ready_timeout_s);
        let headers: Vec<_> = pairs(&system.headers).collect();
        let mut client = Client::new(&self.address, Connection::New);
        loop {
            let answer = client.send("GET", &system.ready(), &headers, b"");
            self.ready_after = start.elapsed();
            let problem = match answer {
                Ok(found) if (200..300).contains(&found.status) => return Ok(()),
                Ok(found) => format!("status {}", found.status),
                Err(error) => error.to_string(),
            };
            if let Some(status) = self.child.try_wait()? {
                return Err(format!("the server ended ({status}): {}", self.said()).into());
            }
            if self.ready_after > patience {
                let said = self.said();
                return Err(format!("not ready in {patience:?}: {problem}: {said}").into());
            }
            // An interval of 2 % of what has passed, so that asking neither costs nor delays.
            sleep(
                (self.ready_after / 50)
                    .clamp(Duration::from_micros(200), Duration::from_millis(50)),
            );
        }
    }

    /// What it has used until now.
    pub fn usage(&self) -> Result<Usage> {
        let mut usage = Usage {
            cpu: 0.0,
            peak_memory: 0,
        };
        for pid in tree(self.child.id()) {
            match usage_of(pid) {
                Ok(one) => {
                    usage.cpu += one.cpu;
                    usage.peak_memory += one.peak_memory;
                }
                // It has just ended.
                Err(_) if !Path::new(&format!("/proc/{pid}")).exists() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(usage)
    }

    /// Stops it and waits until it and all it started are gone. The store is then clean.
    pub fn stop(mut self) -> Result<()> {
        let group = self.group()?;
        killpg(group, Signal::SIGTERM)?;
        let start = Instant::now();
        // The group is there as long as one process of it is.
        while self.child.try_wait()?.is_none() || killpg(group, None).is_ok() {
            if start.elapsed() > STOP {
                return Err(format!("the server did not stop in {STOP:?}: {}", self.said()).into());
            }
            sleep(Duration::from_millis(1));
        }
        store::unmark(&self.store)
    }

    fn group(&self) -> Result<Pid> {
        Ok(Pid::from_raw(i32::try_from(self.child.id())?))
    }

    /// The end of what it printed, on one line.
    fn said(&self) -> String {
        let text = fs::read(self.temporary.join("server.log")).unwrap_or_default();
        let end = &text[text.len().saturating_sub(2000)..];
        String::from_utf8_lossy(end).trim().replace('\n', " | ")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(group) = self.group() {
            let _ = killpg(group, Signal::SIGKILL);
        }
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

/// Names and values of headers, borrowed.
pub fn pairs(
    headers: &std::collections::BTreeMap<String, String>,
) -> impl Iterator<Item = (&str, &str)> {
    headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

/// `words` with everything filled in, and the first port.
fn fill(words: &[String], store: &Path, temporary: &Path) -> Result<(Vec<String>, u16)> {
    let listeners = (1..=9)
        .map(|_| TcpListener::bind("127.0.0.1:0"))
        .collect::<std::io::Result<Vec<_>>>()?;
    let ports = listeners
        .iter()
        .map(|listener| Ok(listener.local_addr()?.port()))
        .collect::<std::io::Result<Vec<_>>>()?;
    let one = |word: &String| {
        let mut word = word
            .replace("@DIR@", &store.to_string_lossy())
            .replace("@TMP@", &temporary.to_string_lossy())
            .replace("@PORT@", &ports[0].to_string());
        for (i, port) in ports.iter().enumerate() {
            word = word.replace(&format!("@PORT{}@", i + 1), &port.to_string());
        }
        word
    };
    Ok((words.iter().map(one).collect(), ports[0]))
}

fn usage_of(pid: u32) -> Result<Usage> {
    let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(i32::try_from(pid)?))?;
    Ok(Usage {
        cpu: Duration::from(clock.now()?).as_secs_f64(),
        peak_memory: 1024 * field(&format!("/proc/{pid}/status"), "VmHWM:")?,
    })
}

/// A process and all below it.
fn tree(pid: u32) -> Vec<u32> {
    let mut all = vec![pid];
    let mut at = 0;
    while let Some(pid) = all.get(at) {
        let tasks = fs::read_dir(format!("/proc/{pid}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            // A thread that has just ended has no children.
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(
                children
                    .split_whitespace()
                    .filter_map(|word| word.parse::<u32>().ok()),
            );
        }
        at += 1;
    }
    all
}

fn field(path: &str, name: &str) -> Result<u64> {
    let text = fs::read_to_string(path)?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    Ok(number.ok_or_else(|| format!("{path} has no number after {name}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_free_and_differ_and_folders_are_filled_in() {
        let words = ["@PORT@,@PORT1@,@PORT2@", "@DIR@/x", "--tmp=@TMP@"].map(String::from);
        let (filled, port) = fill(&words, Path::new("/s"), Path::new("/t")).unwrap();
        let ports: Vec<u16> = filled[0].split(',').map(|p| p.parse().unwrap()).collect();
        assert_eq!((ports[0], ports[1]), (port, port));
        assert_ne!(ports[1], ports[2]);
        assert_eq!(filled[1..], ["/s/x", "--tmp=/t"]);
        TcpListener::bind(("127.0.0.1", port)).unwrap();
    }

    #[test]
    fn what_a_process_uses_is_read() {
        let usage = usage_of(std::process::id()).unwrap();
        assert!(usage.cpu > 0.0 && usage.peak_memory > 100_000);
        assert!(tree(std::process::id()).contains(&std::process::id()));
        usage_of(u32::from(u16::MAX) * 1000).err().unwrap();
    }

    #[test]
    fn a_server_that_ends_is_an_error_that_says_what_it_said() {
        let dir = std::env::temp_dir().join(format!("ldpload-test-{}", std::process::id()));
        let system: System = toml::from_str("root = '/'").unwrap();
        let words = ["sh", "-c", "echo no memory >&2; exit 3"].map(String::from);
        let error = Server::start(&system, &dir.join("store"), &words)
            .err()
            .unwrap();
        let told = error.to_string();
        assert!(
            told.contains("exit status: 3") && told.contains("no memory"),
            "{told}"
        );
        fs::remove_dir_all(dir).unwrap();
    }
}
