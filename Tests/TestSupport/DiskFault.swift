// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The kinds of calls that a disk gets.
package enum DiskCallKind: String, Sendable, CaseIterable {
    case createDirectory, kind, sizeOf, list, create, open, map, remove, rename, syncDirectory, lock, freeSpace
    case write, truncate, read, size, sync, close, copy

    /// Calls that change what is on the disk, or what of it is durable.
    package var isMutation: Bool { Self.mutations.contains(self) }

    /// Calls that change what is on the disk, or what of it is durable.
    package static let mutations: Set<DiskCallKind> = [
        .createDirectory, .create, .remove, .rename, .syncDirectory, .write, .truncate, .sync,
    ]
}

/// One call that a `FaultyDisk` got.
package struct DiskCall: Sendable, CustomStringConvertible {
    /// Counted from 1 over all calls.
    package let number: Int
    package let kind: DiskCallKind
    package let path: String
    /// Where in the file, for reads, writes and copies.
    package let range: Range<UInt64>
    /// The error that was injected; 0 if none.
    package var errno: Int32 = 0

    package var description: String {
        let place = range.isEmpty ? "" : " \(range)"
        return "\(number) \(kind.rawValue) \(path)\(place)\(errno == 0 ? "" : " failed with \(errno)")"
    }
}

/// A failure to come: which call, how often, and how much of the call is done nevertheless.
package struct DiskFault: Sendable {
    /// What a failing call has done before it fails.
    package enum Effect: Sendable {
        /// Nothing. A failing sync still marks what it should have written as clean, as real systems do.
        case nothing
        /// A part: half of a write, a random half of what a sync should have written. A read returns half of what it
        /// could and no error; so does nothing else.
        case part
        /// Everything; only the answer is wrong.
        case everything
    }

    /// The kinds of calls that count.
    package var kinds: Set<DiskCallKind>
    /// Only calls on paths that end like this count; nil: all.
    package var pathSuffix: String?
    /// Which of the counted calls fails, from 1.
    package var nth: Int
    /// Whether all later ones fail too.
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

    /// How many counted calls there have been.
    var seen = 0

    /// Counts a call; whether it is to fail.
    mutating func strikes(_ kind: DiskCallKind, _ path: String) -> Bool {
        guard kinds.contains(kind), pathSuffix.map(path.hasSuffix) ?? true else { return false }
        seen += 1
        return seen == nth || forever && seen > nth
    }
}

/// What a crash does to what is not durable.
package enum CrashModel: Sendable {
    /// Each unsynced piece, size and name is kept, lost, zeroed, torn or garbage, by the seed.
    case any
    /// All of it survives: the process dies, the system lives on.
    case keepAll
    /// All of it is lost: a power cut right after the last sync.
    case loseAll
}
