// SPDX-License-Identifier: Apache-2.0

enum Targets {
    /// The target's name in the environment of processes that libFuzzer starts.
    static let variable = "KYMOGRAPH_FUZZ_TARGET"
    /// How many inputs are in the corpus when a process starts.
    static let knownVariable = "KYMOGRAPH_FUZZ_KNOWN"

    /// In the order of the table in `Docs/Fuzzing.md`, which lists them without the parts.
    static var all: [Target] {
        let groups: [[Target]] = [
            ColumnTargets.all, BlockTargets.all, SegmentTargets.all, HealthTargets.all,
            ElectrocardiogramTargets.all, TextTargets.all, ExportTargets.all, DeletionTargets.all, NoteTargets.all,
            [CatalogPageTarget.target, StoreTarget.target],
        ]
        return groups.flatMap { $0 }
    }
}
