//! The arguments of all workloads in one shape.

use narrows_layer_database::Workload;

use crate::args::LayerArg;
use crate::args::db::{FromArg, LoadArgs, LookupArgs, ScanArgs, ServerArgs, UpdateArgs};

/// One workload as it was asked for.
pub struct Asked<'a> {
    pub server: &'a ServerArgs,
    pub load: &'a LoadArgs,
    pub workload: Workload,
    /// The layers whose ceilings its verdict needs.
    pub layers: &'static [LayerArg],
}

impl<'a> Asked<'a> {
    pub fn lookup(args: &'a LookupArgs) -> Asked<'a> {
        let (workload, layers): (_, &[LayerArg]) = match args.from {
            FromArg::Pool => (Workload::LookupCached, &[]),
            FromArg::Drive => (Workload::LookupUncached, &[LayerArg::Block]),
        };
        Asked { server: &args.server, load: &args.load, workload, layers }
    }

    pub fn update(args: &'a UpdateArgs) -> Asked<'a> {
        let layers = &[LayerArg::Log];
        Asked { server: &args.server, load: &args.load, workload: Workload::Update, layers }
    }

    pub fn scan(args: &'a ScanArgs) -> Asked<'a> {
        let layers = &[LayerArg::Block];
        Asked { server: &args.server, load: &args.load, workload: Workload::Scan, layers }
    }
}
