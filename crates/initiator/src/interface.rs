//! By which network interface a connection goes.

use std::ffi::CStr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The interface with that address; `None` where none has it.
pub(crate) fn interface_of(address: IpAddr) -> Option<String> {
    let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: where it succeeds the list is ours until it is freed, below.
    if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
        return None;
    }
    let mut found = None;
    let mut at = first;
    while !at.is_null() {
        // SAFETY: an element of the list that was just given; its name is text that ends with a zero.
        let one = unsafe { &*at };
        if address_of(one.ifa_addr) == Some(address) {
            // SAFETY: as above.
            let name = unsafe { CStr::from_ptr(one.ifa_name) };
            found = name.to_str().ok().map(str::to_string);
            break;
        }
        at = one.ifa_next;
    }
    // SAFETY: the list that was given, once.
    unsafe { libc::freeifaddrs(first) };
    found
}

/// An address of a list; `None` for other families.
fn address_of(address: *const libc::sockaddr) -> Option<IpAddr> {
    if address.is_null() {
        return None;
    }
    // SAFETY: its family says which structure it is.
    unsafe {
        match i32::from((*address).sa_family) {
            libc::AF_INET => {
                let address = &*address.cast::<libc::sockaddr_in>();
                Some(Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr)).into())
            }
            libc::AF_INET6 => {
                let address = &*address.cast::<libc::sockaddr_in6>();
                Some(Ipv6Addr::from(address.sin6_addr.s6_addr).into())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_its_address_and_nobody_has_one_of_the_documentation() {
        assert_eq!(interface_of(Ipv4Addr::LOCALHOST.into()).as_deref(), Some("lo"));
        assert_eq!(interface_of(Ipv4Addr::new(192, 0, 2, 77).into()), None);
    }
}
