// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthSync
import Kymograph
import Synchronization

/// A connection that ends after some bytes. It notes the acknowledgements that it carries.
final class CutChannel: SyncChannel {
    /// The kind of a frame that acknowledges a page: `Docs/Format/Sync.md`.
    private static let acknowledgement: UInt8 = 4
    /// The bytes before and after the body of a frame.
    private static let (headBytes, tailBytes) = (5, 4)

    private let channel: DescriptorChannel
    private let left: Mutex<Int>
    private let positions = Mutex<[String]>([])

    private init(_ channel: DescriptorChannel, _ left: Int) {
        self.channel = channel
        self.left = Mutex(left)
    }

    /// Returns the two ends of a connection.
    ///
    /// - Parameter bytes: the bytes that each end writes before the connection ends.
    static func pair(after bytes: Int) -> (CutChannel, CutChannel) {
        let (one, other) = (Pipe(), Pipe())
        func end(_ input: Pipe, _ output: Pipe) -> CutChannel {
            let channel = DescriptorChannel(
                reading: dup(input.fileHandleForReading.fileDescriptor),
                writing: dup(output.fileHandleForWriting.fileDescriptor), name: "a connection")
            return CutChannel(channel, bytes)
        }
        let ends = (end(one, other), end(other, one))
        for pipe in [one, other] {
            try? pipe.fileHandleForReading.close()
            try? pipe.fileHandleForWriting.close()
        }
        return ends
    }

    /// The positions of the pages that this end has acknowledged, in order.
    var acknowledged: [String] { positions.withLock { $0 } }

    func read(_ count: Int) throws -> [UInt8] { try channel.read(count) }

    func write(_ bytes: [UInt8]) throws {
        let may = left.withLock { left in
            let may = min(left, bytes.count)
            if left != .max { left -= may }
            return may
        }
        // A frame is written with one call.
        if may == bytes.count, bytes.count > Self.headBytes + Self.tailBytes, bytes[4] == Self.acknowledgement {
            let body = bytes[Self.headBytes..<bytes.count - Self.tailBytes]
            positions.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
        }
        try channel.write(Array(bytes.prefix(may)))
        if may < bytes.count {
            channel.close()
            throw StoreError(.inputOutput, "the connection is cut")
        }
    }

    func close() { channel.close() }
}
