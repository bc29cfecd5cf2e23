//! Engines whose operations move no data: calls on whole files and folders, and on a file's space.

/// Such an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEngine {
    /// Makes files.
    Filecreate,
    /// Asks the kernel about files.
    Filestat(StatCall),
    /// Removes files.
    Filedelete,
    /// Makes folders.
    Dircreate,
    /// Asks the kernel about folders.
    Dirstat(StatCall),
    /// Removes folders.
    Dirdelete,
    /// Gives space to a file, and takes it away where the job trims.
    Falloc,
    /// Sets the size of a file to each operation's offset.
    Ftruncate,
}

/// `stat_type`: by which call the kernel is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatCall {
    /// stat(2).
    #[default]
    Stat,
    /// lstat(2).
    Lstat,
    /// statx(2).
    Statx,
}

impl CallEngine {
    const ALL: [CallEngine; 8] = [
        CallEngine::Filecreate,
        CallEngine::Filestat(StatCall::Stat),
        CallEngine::Filedelete,
        CallEngine::Dircreate,
        CallEngine::Dirstat(StatCall::Stat),
        CallEngine::Dirdelete,
        CallEngine::Falloc,
        CallEngine::Ftruncate,
    ];

    /// The engine of that name.
    pub(crate) fn named(name: &str) -> Option<CallEngine> {
        CallEngine::ALL.into_iter().find(|engine| engine.fio_name() == name)
    }

    /// fio's name of it.
    pub fn fio_name(self) -> &'static str {
        match self {
            CallEngine::Filecreate => "filecreate",
            CallEngine::Filestat(_) => "filestat",
            CallEngine::Filedelete => "filedelete",
            CallEngine::Dircreate => "dircreate",
            CallEngine::Dirstat(_) => "dirstat",
            CallEngine::Dirdelete => "dirdelete",
            CallEngine::Falloc => "falloc",
            CallEngine::Ftruncate => "ftruncate",
        }
    }

    /// Whether each operation is on a file or folder of its own, taken in turn.
    pub fn is_on_whole_files(self) -> bool {
        !matches!(self, CallEngine::Falloc | CallEngine::Ftruncate)
    }

    /// Whether it can do something only once to each file or folder.
    pub fn is_once(self) -> bool {
        !matches!(
            self,
            CallEngine::Filestat(_)
                | CallEngine::Dirstat(_)
                | CallEngine::Falloc
                | CallEngine::Ftruncate
        )
    }

    /// With that call, where it asks the kernel.
    #[must_use]
    pub(crate) fn with_stat(self, call: StatCall) -> CallEngine {
        match self {
            CallEngine::Filestat(_) => CallEngine::Filestat(call),
            CallEngine::Dirstat(_) => CallEngine::Dirstat(call),
            other => other,
        }
    }

    /// What is otherwise than in fio.
    pub(crate) fn how(self) -> &'static str {
        match self {
            CallEngine::Filecreate => {
                "files are made new in a folder of narrows' own, which goes afterwards; a latency is that of open and close, fio's of open alone"
            }
            CallEngine::Dircreate => {
                "folders are made in one of narrows' own, which goes afterwards, with rights for their owner; fio's have none"
            }
            CallEngine::Filestat(_) | CallEngine::Dirstat(_) => {
                "what is looked up lies in a folder of narrows' own and was made just before: the kernel's caches of names and inodes answer, as mostly in fio"
            }
            CallEngine::Filedelete | CallEngine::Dirdelete => {
                "what is removed lies in a folder of narrows' own and was made just before; files were written and made durable"
            }
            CallEngine::Falloc => {
                "a file that is only allocated begins as a hole, as with fallocate=none; else fio allocates it before, and its calls find nothing to do. Once all of it is allocated that is so here, too"
            }
            CallEngine::Ftruncate => {
                "the file begins without blocks, so that no call has any to give back; in fio the first one has"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_found_by_its_name() {
        for engine in CallEngine::ALL {
            assert_eq!(CallEngine::named(engine.fio_name()), Some(engine));
        }
        assert_eq!(CallEngine::named("psync"), None);
        let asked = CallEngine::Dirstat(StatCall::Stat).with_stat(StatCall::Statx);
        assert_eq!(asked, CallEngine::Dirstat(StatCall::Statx));
    }
}
