// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport

/// What happens during a synchronisation of two stores.
enum SyncEvent: Sendable {
    case nothing
    /// The connection ends after some bytes in each direction.
    case cut(Int)
    /// The disk of the first or the second store stops after some changing calls.
    case crash(isFirst: Bool, after: Int, seed: UInt64, CrashModel)
    /// A call of the disk of the first or the second store fails, once or for ever.
    case fault(isFirst: Bool, DiskFault)

    var name: String {
        switch self {
        case .nothing: "synchronised"
        case .cut: "cut"
        case .crash: "crash"
        case .fault(_, let fault): fault.forever ? "failing for ever" : "failing once"
        }
    }

    /// The number of bytes after which the connection ends.
    var bytes: Int {
        if case .cut(let bytes) = self { return bytes }
        return .max
    }

    static func random(_ one: SyncSide, _ other: SyncSide, _ random: inout SeededGenerator) -> SyncEvent {
        let isFirst = random.chance(0.5)
        let side = isFirst ? one : other
        switch random.below(10) {
        case 0...2: return .nothing
        case 3, 4: return .cut(random.below(6_000))
        case 5...7:
            return .crash(
                isFirst: isFirst, after: random.below(side.mutations + 4), seed: random.next(),
                random.pick([.loseAll, .any, .any, .keepAll]))
        default:
            let fault = DiskFault(
                Set(DiskCallKind.allCases), nth: 1 + random.below(side.calls + 10), forever: random.chance(0.4),
                errno: random.pick([DiskError.inputOutput, DiskError.noSpace]),
                effect: random.pick([.nothing, .part, .everything]))
            return .fault(isFirst: isFirst, fault)
        }
    }
}
