//! A processor's name in `/proc/cpuinfo`, on the architectures that print one and on those that print numbers.

use narrows_model::CpuIdentity;

/// The first value of a field of `/proc/cpuinfo`.
pub(crate) fn field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim()).filter(|value| !value.is_empty())
    })
}

pub(crate) fn model(cpuinfo: &str) -> Option<String> {
    // Runs of spaces are common in the brand string.
    let tidy = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    field(cpuinfo, "model name").map(tidy).or_else(|| arm_model(cpuinfo)).or_else(|| {
        let names = ["cpu", "Processor", "family", "vendor_id"];
        // A family that is a number names nothing.
        let name = |value: &&str| value.parse::<u32>().is_err();
        names.iter().find_map(|field_name| field(cpuinfo, field_name).filter(name)).map(tidy)
    })
}

/// What tells an x86 processor's generation; other architectures print other fields.
pub(crate) fn identity(cpuinfo: &str) -> Option<CpuIdentity> {
    let number = |name| field(cpuinfo, name)?.parse().ok();
    Some(CpuIdentity {
        vendor: field(cpuinfo, "vendor_id")?.to_string(),
        family: number("cpu family")?,
        model: number("model")?,
        stepping: number("stepping")?,
    })
}

/// Arm kernels print numbers only (Linux `arch/arm64/include/asm/cputype.h`).
fn arm_model(cpuinfo: &str) -> Option<String> {
    const PARTS: &[(u32, u32, &str)] = &[
        (0x41, 0xd08, "Arm Cortex-A72"),
        (0x41, 0xd0c, "Arm Neoverse N1"),
        (0x41, 0xd40, "Arm Neoverse V1"),
        (0x41, 0xd49, "Arm Neoverse N2"),
        (0x41, 0xd4f, "Arm Neoverse V2"),
        (0x41, 0xd83, "Arm Neoverse V3"),
        (0x41, 0xd8e, "Arm Neoverse N3"),
        (0x43, 0x0af, "Cavium ThunderX2"),
        (0x46, 0x001, "Fujitsu A64FX"),
        (0x48, 0xd01, "HiSilicon Kunpeng 920"),
        (0x48, 0xd02, "HiSilicon Kunpeng 930"),
        (0x6d, 0xd49, "Microsoft Azure Cobalt 100"),
        (0xc0, 0xac3, "Ampere One"),
        (0xc0, 0xac4, "Ampere One"),
    ];
    let number = |name| {
        let text = field(cpuinfo, name)?;
        u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
    };
    let (implementer, part) = (number("CPU implementer")?, number("CPU part")?);
    let known = PARTS.iter().find(|(i, p, _)| (*i, *p) == (implementer, part));
    Some(known.map_or_else(
        || format!("Arm implementer {implementer:#x} part {part:#x}"),
        |(_, _, name)| name.to_string(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_whole_or_not_there() {
        let x86 = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: x\nstepping\t: 1\n";
        let found = identity(x86).unwrap();
        assert_eq!((found.vendor.as_str(), found.family), ("AuthenticAMD", 25));
        assert_eq!((found.model, found.stepping), (17, 1));
        assert_eq!(identity(&x86.replace("stepping", "step")), None);
        assert_eq!(identity(&x86.replace(": 1\n", ": unknown\n")), None);
    }

    #[test]
    fn models_of_several_architectures() {
        let x86 =
            "processor\t: 0\nmodel\t\t: 2\nmodel name\t: AMD EPYC  9354   32-Core Processor\n";
        assert_eq!(model(x86).as_deref(), Some("AMD EPYC 9354 32-Core Processor"));
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(model(arm).as_deref(), Some("Arm Neoverse N1"));
        let unknown = "CPU implementer\t: 0x99\nCPU part\t: 0x001\n";
        assert_eq!(model(unknown).as_deref(), Some("Arm implementer 0x99 part 0x1"));
        let power = "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n";
        assert_eq!(model(power).as_deref(), Some("POWER9, altivec supported"));
        let itanium = "vendor_id : GenuineIntel\narch : IA-64\nfamily : 32\n";
        assert_eq!(model(itanium).as_deref(), Some("GenuineIntel"));
        assert_eq!(model(""), None);
    }
}
