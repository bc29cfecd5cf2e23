//! A run that is watched while it goes on: what it has said so far, a signal to it, its end.

use std::io::Read;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A started program with its streams collected.
pub struct Started {
    child: Child,
    said: Arc<Mutex<String>>,
    printed: Arc<Mutex<String>>,
    readers: Vec<JoinHandle<()>>,
}

/// How it ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }
}

impl Started {
    /// Takes the streams of a child whose output is piped.
    pub fn new(mut child: Child) -> Started {
        let (said, printed) = (Arc::default(), Arc::default());
        let readers = vec![
            collect(child.stderr.take().expect("it is piped"), Arc::clone(&said)),
            collect(child.stdout.take().expect("it is piped"), Arc::clone(&printed)),
        ];
        Started { child, said, printed, readers }
    }

    /// Waits until standard error holds `text`, and returns all of it; fails if the program ends first.
    pub fn wait_for(&mut self, text: &str) -> String {
        let end = Instant::now() + Duration::from_secs(300);
        loop {
            let said = self.said.lock().unwrap().clone();
            if said.contains(text) {
                return said;
            }
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "it ended ({ended:?}) without saying `{text}`:\n{said}");
            assert!(Instant::now() < end, "it never said `{text}`:\n{said}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether it goes on.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Sends a signal.
    pub fn signal(&self, number: i32) {
        // SAFETY: no memory is involved; the child was not waited for, so the number is its own.
        assert_eq!(unsafe { libc::kill(self.child.id() as libc::pid_t, number) }, 0);
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let status = self.child.wait().unwrap();
        for reader in self.readers {
            reader.join().unwrap();
        }
        let text = |shared: &Mutex<String>| shared.lock().unwrap().clone();
        Ended { status, stdout: text(&self.printed), stderr: text(&self.said) }
    }
}

fn collect(mut stream: impl Read + Send + 'static, into: Arc<Mutex<String>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(n) = stream.read(&mut chunk) {
            if n == 0 {
                break;
            }
            into.lock().unwrap().push_str(&String::from_utf8_lossy(&chunk[..n]));
        }
    })
}
