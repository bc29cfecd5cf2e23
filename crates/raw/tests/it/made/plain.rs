//! A plain file in `/dev`, and what isn't one.

use narrows_raw::plain_file_in_dev;

use crate::made::machine::Machine;

#[test]
fn a_file_where_a_device_is_expected() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.mounts(
        "21 20 0:6 / /dev/shm rw - tmpfs tmpfs rw\n22 20 8:0 / /dev/drive rw - ext4 /dev/sda rw\n",
    );
    machine.file("/dev/sdx", "left over").file("/dev/shm/x", "").file("/dev/drive/x", "");
    machine.file("/srv/x", "").link("/srv/link", "/dev/sdx");
    let tree = machine.tree();
    let found = plain_file_in_dev(&tree, "/dev/sdx").unwrap();
    assert!(found.exists);
    assert_eq!(found.file_system.as_deref(), Some("devtmpfs"));
    assert_eq!(plain_file_in_dev(&tree, "/srv/link").unwrap().path, "/dev/sdx");
    // Opening it for writing would make it.
    let would_be = plain_file_in_dev(&tree, "/dev/nvme9n1").unwrap();
    assert_eq!((would_be.exists, would_be.path.as_str()), (false, "/dev/nvme9n1"));
    for path in ["/dev/sda", "/dev/shm/x", "/dev/shm/new", "/dev/drive/x", "/srv/x", "/srv/new"] {
        assert_eq!(plain_file_in_dev(&tree, path), None, "{path}");
    }
}
