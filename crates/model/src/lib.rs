//! The program's words as types, and the run file they are stored in.
//!
//! A [`Run`] holds everything one invocation learned: the [`Platform`] of each host, the [`Measurement`]s, the
//! [`Finding`]s about them and the [`Verdict`]s drawn from them. Any report can be made from it later, and a
//! newer version can judge it again, so nothing a verdict needs may live anywhere else.
//!
//! Pure data: no clock, no file, no system call. Units are the last part of every key and field name; a value
//! that could not be learned is `None`, never zero.

#![forbid(unsafe_code)]

mod calibration;
mod cause;
mod comparison;
pub mod condition;
mod durability;
pub mod fabric;
mod file_sharing;
mod finding;
mod flush_test;
mod id;
mod live_log;
mod live_verdict;
mod measurement;
pub mod metric;
mod observation;
mod observed_situation;
pub mod orders;
mod other_program;
pub mod page_archive;
mod plan;
mod platform;
mod run;
mod sweep;
mod verdict;
mod what_if;
pub mod workload;

pub use calibration::{
    Calibration, CalibrationEnd, CalibrationGoal, CurvePoint, DepthPoint, OracleNumbers,
};
pub use cause::{Cause, CauseShare, Urgency};
pub use comparison::{
    CommitFigure, CommitWork, Comparison, PlacedDatabase, PlacedEmulation, PlacedStep, Placement,
};
pub use condition::{Conditions, Key};
pub use durability::{
    CrashTest, CrashTestOutcome, Durability, DurabilityEvidence, DurabilityWord, Leaning,
    LostRecord,
};
pub use file_sharing::{FileSharing, FileSharingOutcome};
pub use finding::{
    FORMER_FINDING_IDS, Finding, FindingPlace, Inventory, RuleId, Severity, current_finding_id,
};
pub use flush_test::{FlushTest, FlushTestKind, FlushTestRow};
pub use id::{Family, MeasurementId, family};
pub use live_log::{
    LiveCost, LiveCounts, LiveCpuWindow, LiveCpus, LiveLog, LivePace, LiveSetting, LiveStandby,
    LiveWait, LiveWaitKind, LiveWaits,
};
pub use live_verdict::{LiveBound, LiveModel, LivePart, LiveVerdict};
pub use measurement::{
    Better, Histogram, Interval, IntervalMethod, Layer, LimitBasis, LimitShare, Measurement,
    MetricValue, NormalFigure, Replication, Series, Unit, Validity,
};
pub use metric::Metric;
pub use observation::{
    Activity, ActivityMoment, ActivityState, ActivityWhere, ClassUse, ConsumerKind, Consumers,
    Duty, FileSystemRoom, HorizonHolder, HorizonKind, HotProcess, IndexSums, IndexUse, LoadChange,
    LockHolder, LockHolders, LockKept, MariaDbProcess, MariaDbStatement, MariaDbUse, Observation,
    ObservedCounts, ObservedProcesses, ObservedSessions, PlanNode, ProcessClass, ProgramUse,
    QueuedSession, Reserves, SampledConsumers, SampledGroup, SequenceUse, ServerReport,
    SessionsOfDuty, StatementFigures, StatementGroup, StatementHistory, StatementMoment,
    StatementPlan, StatementSamples, StatementStatistics, StatementUse, TableUse, TriedIndex,
    UnindexedKey, WaitCheck, cancels_in_transaction, cancels_waiting, ends_idle_in_transaction,
    ends_transaction_between_statements,
};
pub use observed_situation::{
    Headroom, ObservedSituation, ProcessorUser, Step, TimeAccount, TimeShare, TransactionTime,
};
pub use other_program::OtherProgram;
pub use plan::{DatabaseChoice, Plan, PlannedStep};
pub use platform::{
    ArrayMember, Captured, CxlMemory, DaxDevice, Devices, Drive, DriveLink, DriveLinkKind,
    DrivePath, Idle, IdleState, Interrupts, MapperDevice, MapperTarget, MdArray, NetworkPort,
    NvmeController, NvmeFabric, NvmeNamespace, NvmePath, NvmeSubsystem, PciDevice, PciKind,
    PmemNamespace, PmemRegion, RdmaPort, ScsiHost, VirtioDevice,
};
pub use platform::{
    BlockDevice, Cache, Cgroup, CgroupVersion, CoreKind, Cpu, CpuGroup, CpuIdentity, DeviceKind,
    Dimm, DriveCache, FileSystem, GroupLevel, HugePages, IdSet, IdSetError, IoLimit, LoadedLink,
    MEMORY, Medium, Memory, MemoryCache, NodeAccess, NumaNode, PcieLink, Platform, Queue, Role,
    RolePath, RunningDatabase, SlotPlace, Slots, THIS_MACHINE, Unknown,
};
pub use run::{Host, HostRole, ReadRunError, Run, SCHEMA, Tool};
pub use sweep::{
    HighestRate, OneStart, Ranged, Scaling, ScalingLaw, ScalingPoint, Starts, StartsSpread,
};
pub use verdict::{
    Bottleneck, Bound, Grade, NextLimit, OperatingPoint, Provenance, Sharing, Sum, SumKind,
    SumTerm, Test, Utilisation, Verdict,
};
pub use what_if::{WhatIf, WhatIfThen};
pub use workload::Workload;
