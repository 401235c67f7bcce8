// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

/// A message between two stores. `Docs/Format/Sync.md` describes the bytes.
struct SyncFrame: Equatable {
    /// The kind of a frame. The raw value is in its bytes.
    enum Kind: UInt8, CaseIterable {
        case hello = 1
        /// The position at which the receiver continues.
        case resume = 2
        case page = 3
        case acknowledgement = 4
        /// There are no more changes for now.
        case done = 5
        case end = 6
        case error = 7

        /// The maximum length of a body, in bytes.
        var mostBytes: Int {
            switch self {
            case .hello: 1 << 16
            case .resume, .acknowledgement, .end: 1_024
            case .page: 1 << 26
            case .done: 0
            case .error: 4_096
            }
        }
    }

    var kind: Kind
    var body: [UInt8] = []

    /// Length, kind, and checksum.
    static let headBytes = 5
    static let tailBytes = 4

    /// Returns the bytes of the frame with a number: the frames of one direction are counted from 0.
    func encoded(number: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: body.count + Self.headBytes + Self.tailBytes)
        writer.put(UInt32(body.count))
        writer.put(kind.rawValue)
        writer.put(bytes: body)
        writer.put(Self.checksum(kind, body, number))
        return writer.bytes
    }

    private static func checksum(_ kind: Kind, _ body: [UInt8], _ number: UInt64) -> UInt32 {
        var head = ByteWriter(capacity: 16)
        head.put(number)
        head.put(kind.rawValue)
        let start = Kernel.crc32c(head.bytes, 0..<head.count)
        return Kernel.crc32c(body, 0..<body.count) ^ start
    }

    /// Reads the frames of one direction.
    struct Reader {
        private let channel: any SyncChannel
        private var number: UInt64 = 0
        private var waiting: [UInt8] = []
        /// The number of bytes read.
        private(set) var bytes: UInt64 = 0

        init(_ channel: any SyncChannel) { self.channel = channel }

        /// Waits for the next frame; nil at the end of the connection.
        mutating func next() throws -> SyncFrame? {
            guard try fill(SyncFrame.headBytes, mayEnd: true) else { return nil }
            var reader = ByteReader(waiting)
            let (length, raw) = (Int(try reader.u32()), try reader.u8())
            guard let kind = Kind(rawValue: raw) else { throw fault("has the unknown kind \(raw)") }
            guard length <= kind.mostBytes else { throw fault("(\(kind)) has \(length) bytes") }
            _ = try fill(SyncFrame.headBytes + length + SyncFrame.tailBytes, mayEnd: false)
            let body = Array(waiting[SyncFrame.headBytes..<SyncFrame.headBytes + length])
            var tail = ByteReader(waiting, at: SyncFrame.headBytes + length)
            guard try tail.u32() == SyncFrame.checksum(kind, body, number) else {
                throw fault("(\(kind)) has a wrong checksum, or comes out of order")
            }
            waiting.removeFirst(SyncFrame.headBytes + length + SyncFrame.tailBytes)
            number += 1
            return SyncFrame(kind: kind, body: body)
        }

        /// Reads until `count` bytes are there. A frame with a false length takes no more memory than its bytes.
        ///
        /// - Returns: false at the end of the connection, if it may end here.
        private mutating func fill(_ count: Int, mayEnd: Bool) throws -> Bool {
            while waiting.count < count {
                let more = try channel.read(min(1 << 18, max(64, count - waiting.count)))
                if more.isEmpty {
                    if mayEnd, waiting.isEmpty { return false }
                    throw SyncError(.connection, "the connection ended in frame \(number) from the other store")
                }
                bytes += UInt64(more.count)
                waiting += more
            }
            return true
        }

        private func fault(_ what: String) -> SyncError {
            SyncError(.malformed, "frame \(number) from the other store \(what)")
        }
    }
}
