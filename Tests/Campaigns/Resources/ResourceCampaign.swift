// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph
import TestSupport

/// Limits resources, on simulated and real disks: space, names, descriptors, file sizes, write permission, memory. Each
/// case expects a truthful error, a living process, all acknowledged content, and normal operation once the resource is
/// back.
package enum ResourceCampaign: Campaign {
    package static let name = "resources"
    package static let summary = "too little space, names, descriptors, memory; file size limits; a read-only mount"

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var random = SeededGenerator(seed: plan.seed)
        var seed = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            try runSpace(seed, steps: 15, clock, &result)
            for limit in Limit.round(&random) where !clock.isOver {
                let place = plan.work + "/\(seed)-\(result.cases)"
                var inner = CampaignResult(suite: name, seed: seed)
                LimitedCase(limit: limit, seed: seed, place: place).run(&inner)
                inner.failures = inner.failures.map { "script \(seed), \(limit): \($0)" }
                result.merge(inner)
            }
            seed &+= 1
        }
        failOverSkipped(&result)
        for (text, count) in result.counts.sorted(by: { $0.key < $1.key }) where text.hasPrefix("skipped") {
            FileHandle.standardError.write(Data("resources: \(count) cases \(text)\n".utf8))
        }
        result.seconds = clock.elapsed
        return result
    }

    /// A kind of case that was always skipped although mounting is possible is a failure.
    private static func failOverSkipped(_ result: inout CampaignResult) {
        guard LoopVolume.mountObstacle == nil else { return }
        let kinds = Set(Limit.allNames).filter { name in
            let wasSkipped = result.counts.keys.contains { $0.hasPrefix("skipped: \(name): ") }
            return wasSkipped && result.counts["real: \(name)"] == nil
        }
        for kind in kinds.sorted() { result.fail("every case of \(kind) was skipped") }
    }

    /// Runs one script on disks of sizes from zero to sufficient.
    private static func runSpace(
        _ seed: UInt64, steps: Int, _ clock: CampaignClock, _ result: inout CampaignResult
    ) throws {
        let script = StoreScript(seed: seed, length: 16, batchesMeet: false)
        let demand = try SpaceLife.demand(of: script)
        for step in 0..<steps where !clock.isOver {
            let capacity = demand * UInt64(step) / UInt64(steps - 1)
            let note = "script \(seed) on \(capacity) of \(demand) bytes"
            var inner = CampaignResult(suite: name, seed: seed)
            do {
                var life = try SpaceLife(script, capacity: capacity)
                try life.run(&inner)
            } catch {
                inner.fail("\(error)")
            }
            inner.failures = inner.failures.map { "\(note): \($0)" }
            result.merge(inner)
            result.cases += 1
            result.count("space, simulated")
        }
    }
}

/// The limited resource of a real case.
enum Limit: Sendable, CustomStringConvertible {
    case space(kilobytes: Int)
    /// The same space on ext4 with blocks of 1 KiB, smaller than pages of memory.
    case smallBlocks(kilobytes: Int)
    case names(Int)
    case readOnly
    case descriptors(Int)
    case fileSize(kilobytes: Int)
    case memory(megabytes: Int)

    static func round(_ random: inout SeededGenerator) -> [Limit] {
        [
            .space(kilobytes: 60 + random.below(300)), .space(kilobytes: 150 + random.below(600)),
            .smallBlocks(kilobytes: random.below(400)),
            .names(3 + random.below(8)), .names(6 + random.below(14)), .readOnly,
            .descriptors(8 + random.below(8)), .descriptors(12 + random.below(20)),
            .fileSize(kilobytes: 20 + random.below(100)), .fileSize(kilobytes: 40 + random.below(300)),
            .memory(megabytes: 80 + random.below(120)),
        ]
    }

    var description: String {
        switch self {
        case .space(let size): "a file system of \(size) kB"
        case .smallBlocks(let size): "\(size) kB in small blocks"
        case .names(let count): "\(count) names"
        case .readOnly: "a read-only mount"
        case .descriptors(let count): "\(count) descriptors"
        case .fileSize(let size): "files of \(size) kB"
        case .memory(let size): "\(size) MB of addresses"
        }
    }

    /// The class, for counting.
    var name: String {
        switch self {
        case .space: "space"
        case .smallBlocks: "small blocks"
        case .names: "names"
        case .readOnly: "read-only"
        case .descriptors: "descriptors"
        case .fileSize: "file size"
        case .memory: "memory"
        }
    }

    static let allNames = ["space", "small blocks", "names", "read-only", "descriptors", "file size", "memory"]

    /// The kinds of errors that are truthful.
    var kinds: Set<String> {
        let kinds: [StoreError.Kind] =
            switch self {
            case .space, .smallBlocks, .fileSize: [.diskFull]
            case .names: [.diskFull, .inputOutput]
            case .descriptors: [.inputOutput, .outcomeUnknown]
            case .readOnly: []
            // A file that cannot be mapped; the process may survive.
            case .memory: [.inputOutput, .outcomeUnknown, .writerFailed]
            }
        return Set(kinds.map(\.name))
    }

    /// Shell scripts that mount the required file system at `$1`, and that enlarge it afterwards.
    var mount: (tight: String, wide: String)? {
        func memory(_ tight: String, _ wide: String) -> (String, String) {
            ("mount -t tmpfs -o \(tight) none \"$1\"", "mount -o remount,\(wide) \"$1\"")
        }
        switch self {
        case .space(let size): return memory("size=\(size)k", "size=256m")
        case .smallBlocks(let size):
            let make = "truncate -s 16M \"$1.image\" && mkfs.ext4 -q -F -m 0 -b 1024 \"$1.image\""
            let fill = "dd if=/dev/zero of=\"$1/filler\" bs=1024; truncate -s -\(size)K \"$1/filler\""
            return ("\(make) && mount -o loop \"$1.image\" \"$1\" && { \(fill); }", "rm \"$1/filler\"")
        case .names(let count): return memory("size=256m,nr_inodes=\(count)", "nr_inodes=10000")
        case .readOnly: return memory("size=256m", "rw")
        case .descriptors, .fileSize, .memory: return nil
        }
    }

    /// The seconds after which a process is killed. Without memory for another thread the system's queue library waits
    /// forever.
    var patience: Int { if case .memory = self { 3 } else { 60 } }

    /// The shell commands that set the limit before the process starts.
    var shell: String {
        switch self {
        case .space, .smallBlocks, .names, .readOnly: "true"
        case .descriptors(let count): "ulimit -n \(count)"
        case .fileSize(let size): "trap '' XFSZ; ulimit -f \(size * 2)"
        case .memory(let size): "ulimit -v \(size * 1024)"
        }
    }
}
