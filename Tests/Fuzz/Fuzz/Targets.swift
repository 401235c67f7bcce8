// SPDX-License-Identifier: Apache-2.0

enum Targets {
    /// The environment variable with the target's name for processes that libFuzzer starts.
    static let variable = "KYMOGRAPH_FUZZ_TARGET"
    /// The environment variable with the number of inputs in the corpus at the start of a process.
    static let knownVariable = "KYMOGRAPH_FUZZ_KNOWN"

    /// All targets, in the order of the table in `Docs/Internals/Testing.md`, which omits the parts.
    static var all: [Target] {
        let groups: [[Target]] = [
            ColumnTargets.all, BlockTargets.all, SegmentTargets.all, HealthTargets.all,
            ElectrocardiogramTargets.all, RecordTargets.all, TextTargets.all, ExportTargets.all, WorkoutFileTargets.all,
            DeletionTargets.all,
            NoteTargets.all, EncryptionTargets.all, SyncTargets.all,
            [CatalogPageTarget.target, StoreTarget.target],
        ]
        return groups.flatMap { $0 }
    }
}
