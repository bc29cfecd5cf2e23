//! Whether there is a hypervisor, and which.
//!
//! The processor itself says so: CPUID leaf 1 sets a bit that no real processor sets (`hypervisor` in
//! `/proc/cpuinfo`), and leaf 0x4000_0000 then holds the hypervisor's signature. Where the bit can't be read
//! (Arm, POWER, s390), the firmware's names are all there is.

use narrows_facts::Source;

use crate::machine::dmi;

/// Signatures of leaf 0x4000_0000 (Linux `arch/x86/kernel/cpu/*.c`, hypervisors' own manuals).
const SIGNATURES: &[(&str, &str)] = &[
    ("KVMKVMKVM", "KVM"),
    ("Linux KVM Hv", "KVM"),
    ("Microsoft Hv", "Hyper-V"),
    ("VMwareVMware", "VMware"),
    ("XenVMMXenVMM", "Xen"),
    ("TCGTCGTCGTCG", "QEMU without hardware support (TCG)"),
    ("VBoxVBoxVBox", "VirtualBox"),
    ("bhyve bhyve", "bhyve"),
    ("prl hyperv", "Parallels"),
    ("lrpepyh vr", "Parallels"),
    ("ACRNACRNACRN", "ACRN"),
    ("Jailhouse", "Jailhouse"),
    ("QNXQVMBSQG", "QNX"),
    ("SRESRESRESRE", "LMHS"),
    ("UnisysSpar64", "Unisys s-Par"),
];

/// What firmware tables of virtual machines say. A cloud's bare-metal machine carries the same vendor, so these count
/// only where the processor has no bit of its own.
const PRODUCTS: &[(&str, &str)] = &[
    ("QEMU", "QEMU"),
    ("KVM", "KVM"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("Virtual Machine", "Hyper-V"),
    ("Google Compute Engine", "KVM"),
    ("OpenStack", "KVM"),
    ("Alibaba Cloud ECS", "KVM"),
    ("Bochs", "Bochs"),
    ("Parallels", "Parallels"),
    ("Xen", "Xen"),
    ("Apple Virtualization", "Apple Virtualization"),
];

/// The hypervisor's name; `None` where nothing says that there is one.
pub(crate) fn read(source: &dyn Source) -> Option<String> {
    let head = source.read_head("/proc/cpuinfo", 8192).unwrap_or_default();
    let head = String::from_utf8_lossy(&head);
    let flags = crate::cpu::field(&head, "flags");
    let bit = flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    if bit {
        let name = source.hypervisor_signature().and_then(|text| name_of(&text));
        return name
            .or_else(|| xen(source))
            .or_else(|| from_firmware(source))
            .or_else(|| Some("one that does not say its name".to_string()));
    }
    if let Some(name) = xen(source) {
        return Some(name);
    }
    // On x86 the absent bit is the answer.
    if flags.is_some() {
        return None;
    }
    s390(source)
        .or_else(|| source.text("/sys/firmware/devicetree/base/hypervisor/compatible"))
        .or_else(|| from_firmware(source))
}

/// Xen's own folder; its first domain runs on the hypervisor too.
fn xen(source: &dyn Source) -> Option<String> {
    let kind = source.text("/sys/hypervisor/type")?;
    Some(if kind == "xen" { "Xen".to_string() } else { kind })
}

fn s390(source: &dyn Source) -> Option<String> {
    let text = source.text("/proc/sysinfo")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VM00 Control Program:"))?;
    Some(line.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn from_firmware(source: &dyn Source) -> Option<String> {
    let fields = ["product_name", "sys_vendor", "bios_vendor"];
    let texts: Vec<String> = fields.iter().filter_map(|field| dmi(source, field)).collect();
    let found = PRODUCTS.iter().find(|(trace, _)| texts.iter().any(|text| text.contains(trace)));
    if let Some((_, name)) = found {
        return Some(name.to_string());
    }
    let amazon = texts.iter().any(|text| text == "Amazon EC2");
    (amazon && !texts.iter().any(|text| text.ends_with(".metal"))).then(|| "KVM".to_string())
}

/// A known signature's name, an unknown one as it stands.
fn name_of(signature: &str) -> Option<String> {
    if signature.is_empty() || !signature.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
        return None;
    }
    let known = SIGNATURES.iter().find(|(known, _)| *known == signature);
    Some(known.map_or(signature, |(_, name)| name).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_known_unknown_and_none() {
        assert_eq!(name_of("KVMKVMKVM").as_deref(), Some("KVM"));
        assert_eq!(name_of("lrpepyh vr").as_deref(), Some("Parallels"));
        assert_eq!(name_of("MyOwnVMM1234").as_deref(), Some("MyOwnVMM1234"));
        assert_eq!(name_of(""), None);
        assert_eq!(name_of("\u{7}\u{1}\u{fffd}"), None);
    }
}
