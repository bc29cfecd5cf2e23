//! Whether a capture is of this machine.

use narrows_model::Platform;

use crate::{Header, MachineDigest};

/// Sentences about what differs, each with both sides; none where it is, as far as can be told, the same machine.
/// `machine_id` is this machine's own (machine-id(5)); containers have others and are told apart by hardware alone.
pub fn different(
    header: &Header,
    captured: &Platform,
    here: &Platform,
    machine_id: Option<&str>,
) -> Vec<String> {
    let mut differ = Vec::new();
    let mut compare = |what: &str, then: Option<String>, now: Option<String>| {
        if let (Some(then), Some(now)) = (then, now)
            && then != now
        {
            // What another machine's file says may steer a terminal.
            let then = narrows_units::shown(&then);
            differ.push(format!("{what} was {then} and is {now}"));
        }
    };
    compare("the product", captured.product.clone(), here.product.clone());
    compare("the CPU", captured.cpu.model.clone(), here.cpu.model.clone());
    let nodes = |platform: &Platform| Some(platform.nodes.len().to_string());
    compare("the number of its NUMA nodes", nodes(captured), nodes(here));
    compare("its drives", drives(captured), drives(here));
    let outside = captured.container.is_none() && here.container.is_none();
    if let (Some(then), Some(id), true) = (&header.machine, machine_id, outside)
        && MachineDigest::of(&then.salt, id) != *then
    {
        differ.push("its machine id is another".to_string());
    }
    differ
}

/// Models and sizes; `None` where a machine shows no drive.
fn drives(platform: &Platform) -> Option<String> {
    let drives = platform.devices.drives.iter().map(|drive| {
        let size = drive.size_bytes.map_or("unknown size".to_string(), |n| format!("{n} B"));
        format!("{} of {size}", drive.model.as_deref().unwrap_or("one without model"))
    });
    let mut drives: Vec<String> = drives.collect();
    drives.sort();
    (!drives.is_empty()).then(|| drives.join(", "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use narrows_model::{Cpu, Drive, NumaNode, Tool};

    use super::*;
    use crate::SCHEMA;

    fn header(machine: Option<MachineDigest>) -> Header {
        Header {
            schema: SCHEMA.to_string(),
            tool: Tool { name: "narrows".into(), version: "1".into() },
            captured_at: String::new(),
            privileged: true,
            roles: Vec::new(),
            machine,
            replaced: BTreeMap::new(),
            left_out: Vec::new(),
        }
    }

    fn machine() -> Platform {
        let cpu = Cpu { model: Some("EPYC 9354".into()), ..Cpu::default() };
        let drive =
            Drive { model: Some("PM9A3".into()), size_bytes: Some(1000), ..Drive::default() };
        let mut machine = Platform { product: Some("R6625".into()), cpu, ..Platform::default() };
        machine.devices.drives = vec![drive.clone(), Drive { size_bytes: None, ..drive }];
        machine
    }

    #[test]
    fn the_same_machine_and_what_tells_another() {
        let salted = header(Some(MachineDigest::of("5a17", "0123")));
        let here = machine();
        let differ = |captured: &Platform, id| different(&salted, captured, &here, id);
        assert_eq!(differ(&here, Some("0123")), Vec::<String>::new());
        assert_eq!(differ(&here, None), Vec::<String>::new());
        assert_eq!(differ(&here, Some("4567")), ["its machine id is another"]);
        let contained = Platform { container: Some("docker".into()), ..machine() };
        assert_eq!(differ(&contained, Some("4567")), Vec::<String>::new());
        assert_eq!(different(&header(None), &here, &here, Some("4567")), Vec::<String>::new());
        let mut other = machine();
        other.product = None;
        assert_eq!(differ(&other, None), Vec::<String>::new(), "unknown is no difference");
        other.product = Some("R7625".into());
        other.cpu.model = Some("EPYC 9124".into());
        other.nodes.push(NumaNode::default());
        other.devices.drives.pop();
        let said = differ(&other, None);
        assert_eq!(said.len(), 4, "{said:?}");
        assert_eq!(said[0], "the product was R7625 and is R6625");
    }
}
