//! Who uses a regular file as a drive: loop devices on it with whatever is on those, file systems mounted from it, kernel
//! services, swap, processes that have it open or mapped.

use narrows_facts::Source;

use crate::Use;
use crate::family::{Family, Relation, family_of_file};
use crate::openers::{Opener, Sought, openers};
use crate::storage::{self, Storage};
use crate::usage::uses;

/// Uses of the file at `path`; none where there is no file. A process that only reads is none.
pub fn uses_of_file(source: &dyn Source, path: &str) -> Vec<Use> {
    let Some(Storage::File(id)) = storage::at(source, path) else { return Vec::new() };
    let family = family_of_file(source, id, path);
    let (mut uses, _) = uses(source, &family);
    let (openers, _) = openers(source, &sought(&family));
    uses.extend(openers.into_iter().filter(|opener| opener.writes).map(open_for_writing));
    uses
}

/// What somebody may have open. A device that volumes share has writers of theirs.
pub(crate) fn sought(family: &Family) -> Sought<'_> {
    let members = family.members.iter();
    let members = members.filter(|member| member.relation != Relation::Shared).collect();
    Sought { members, files: &family.files }
}

pub(crate) fn open_for_writing(opener: Opener) -> Use {
    Use::OpenForWriting { device: opener.device, pid: opener.pid, command: opener.command }
}
