// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The kinds of calls to a disk.
package enum DiskCallKind: String, Sendable, CaseIterable {
    case createDirectory, kind, sizeOf, list, create, open, map, remove, rename, syncDirectory, lock, freeSpace
    case write, truncate, read, size, sync, close, copy

    /// True if the call changes the content of the disk or its durable state.
    package var isMutation: Bool { Self.mutations.contains(self) }

    /// The kinds of calls that change the content of the disk or its durable state.
    package static let mutations: Set<DiskCallKind> = [
        .createDirectory, .create, .remove, .rename, .syncDirectory, .write, .truncate, .sync,
    ]
}

/// One call to a `FaultyDisk`.
package struct DiskCall: Sendable, CustomStringConvertible {
    /// The number of the call, from 1, over all kinds.
    package let number: Int
    package let kind: DiskCallKind
    package let path: String
    /// The range in the file, for reads, writes and copies.
    package let range: Range<UInt64>
    /// The injected error; 0 for none.
    package var errno: Int32 = 0
    /// The way to the call, see `CallSites.way`, if the disk records it; else 0.
    package var way = 0

    package var description: String {
        let place = range.isEmpty ? "" : " \(range)"
        return "\(number) \(kind.rawValue) \(path)\(place)\(errno == 0 ? "" : " failed with \(errno)")"
    }
}

/// A failure to inject: which calls fail, and how much of a failing call is done nevertheless.
package struct DiskFault: Sendable {
    /// The part of a failing call that is done.
    package enum Effect: Sendable {
        /// Nothing. A failing sync still marks the unsynced pieces as clean, as real systems do.
        case nothing
        /// A part: half of a write, or a random half of the pieces of a sync. A read returns half of its bytes and no
        /// error. Calls of other kinds do nothing.
        case part
        /// Everything; only the result is an error.
        case everything
    }

    /// The kinds of calls that are counted.
    package var kinds: Set<DiskCallKind>
    /// Restricts the counted calls to paths with this suffix; nil for all paths.
    package var pathSuffix: String?
    /// The number of the counted call that fails, from 1.
    package var nth: Int
    /// True if all later counted calls fail too.
    package var forever: Bool
    package var errno: Int32
    package var effect: Effect

    package init(
        _ kinds: Set<DiskCallKind>, pathSuffix: String? = nil, nth: Int = 1, forever: Bool = false,
        errno: Int32 = DiskError.inputOutput, effect: Effect = .nothing
    ) {
        self.kinds = kinds
        self.pathSuffix = pathSuffix
        self.nth = nth
        self.forever = forever
        self.errno = errno
        self.effect = effect
    }

    /// The number of calls counted so far.
    var seen = 0

    /// Counts a call. Returns true if the call must fail.
    mutating func strikes(_ kind: DiskCallKind, _ path: String) -> Bool {
        guard kinds.contains(kind), pathSuffix.map(path.hasSuffix) ?? true else { return false }
        seen += 1
        return seen == nth || forever && seen > nth
    }
}

/// The effect of a crash on data that is not durable.
package enum CrashModel: Sendable {
    /// Each unsynced piece, size and name is kept, lost, zeroed, torn or garbage, chosen by the seed.
    case any
    /// All of it survives: the process dies, the system does not.
    case keepAll
    /// All of it is lost: a power cut right after the last sync.
    case loseAll
}
