//! The commands of the README do what it says.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A command and the lines `# …` below it: each stands somewhere in its output.
struct Example {
    command: String,
    expected: Vec<String>,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut continued = false;
    for block in text.split("```sh\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        for line in block.lines().filter(|line| !line.is_empty()) {
            match (line.strip_prefix("# "), examples.last_mut()) {
                (Some(expected), Some(example)) => example.expected.push(expected.to_string()),
                (None, Some(example)) if continued => {
                    example.command.push('\n');
                    example.command.push_str(line);
                }
                _ => examples.push(Example {
                    command: line.to_string(),
                    expected: Vec::new(),
                }),
            }
            continued = line.ends_with('\\');
        }
    }
    examples
}

fn bash(command: &str, dir: &Path) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_ldp"))
        .parent()
        .expect("its folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("bash");
    bash.args(["-c", command]).current_dir(dir);
    bash.env("PATH", format!("{}:{path}", bin.display()));
    bash
}

struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_commands_of_the_readme_work() {
    let text = include_str!("../../../README.md");
    let dir = tempfile::TempDir::new().expect("a folder");
    let free = [8000, 8443].map(|port| (port, TcpListener::bind("127.0.0.1:0").expect("a port")));
    let mut text = text.to_owned();
    for (port, free) in &free {
        let free = free.local_addr().expect("an address").to_string();
        text = text.replace(&format!("127.0.0.1:{port}"), &free);
    }
    drop(free);
    let mut background = Vec::new();
    let examples = examples(&text);
    assert!(examples.len() > 8, "{} examples", examples.len());
    for Example { command, expected } in &examples {
        if let Some(command) = command.strip_suffix(" &") {
            let child = bash(&format!("exec {command}"), dir.path())
                .stdout(Stdio::piped())
                .spawn();
            let mut child = child.expect("bash");
            let mut line = String::new();
            let stdout = child.stdout.take().expect("its output");
            background.push(Background(child));
            BufReader::new(stdout).read_line(&mut line).expect("a line");
            assert!(line.starts_with("listening on"), "{line}");
            continue;
        }
        let output = bash(command, dir.path()).output().expect("bash");
        let said = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        for line in expected {
            assert!(
                said.contains(line),
                "no {line:?} in the output of\n{command}\n{said}{complaint}"
            );
        }
    }
}
