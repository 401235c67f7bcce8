// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Decrypted blocks of encrypted segments that were read lately, for all threads. A block is found by its segment and
/// its offset.
///
/// A plain block is verified each time that it is read, since its bytes are those of the file. A block here was
/// verified when it was decrypted, and its bytes do not change.
final class OpenedBlocks: Sendable {
    /// A decrypted block with spare bytes behind it.
    struct Block {
        let bytes: [UInt8]
        /// The length of the block that the decoder gets.
        let length: Int
    }

    private struct Slot {
        var segment: Int64 = -1
        var offset: UInt64 = 0
        var block = Block(bytes: [], length: 0)
    }

    /// A part of the blocks with a lock of its own: sets of four slots, of which the next one in turn is replaced.
    private final class Shard: Sendable {
        struct State {
            var slots: [Slot] = []
            /// For each set, the slot that is replaced next.
            var next: [UInt8] = []
            var bytes = 0
            /// The slot that is emptied next when the bytes are too many.
            var hand = 0
        }

        let state = Mutex(State())
    }

    private static let ways = 4
    private static let shardBits = 4
    private static let setBits = 7

    private let shards = (0..<1 << shardBits).map { _ in Shard() }
    private let most: Int

    /// - Parameter bytes: the maximum number of bytes; 0 keeps nothing.
    init(bytes: Int) { most = max(0, bytes) >> Self.shardBits }

    /// Returns the shard of a block, and the first slot of its set.
    @inline(__always)
    private func place(_ segment: Int64, _ offset: UInt64) -> (Shard, Int) {
        let key = UInt64(bitPattern: segment) &* 0x9E37_79B9_7F4A_7C15 ^ offset
        let hash = (key ^ key >> 32) &* 0xD6E8_FEB8_6659_FD93
        let set = Int(hash >> UInt64(64 - Self.setBits))
        let shard = Int(hash >> UInt64(64 - Self.setBits - Self.shardBits)) & (1 << Self.shardBits - 1)
        return (shards[shard], set * Self.ways)
    }

    /// Returns a block; nil if it is not here.
    func find(_ segment: Int64, _ offset: UInt64) -> Block? {
        let (shard, first) = place(segment, offset)
        return shard.state.withLock { state in
            if state.slots.isEmpty { return nil }
            for at in first..<first + Self.ways
            where state.slots[at].offset == offset && state.slots[at].segment == segment {
                return state.slots[at].block
            }
            return nil
        }
    }

    /// Keeps a block, and drops others if there are too many bytes.
    func keep(_ block: Block, _ segment: Int64, _ offset: UInt64) {
        if block.bytes.count > most { return }
        let (shard, first) = place(segment, offset)
        shard.state.withLock { state in
            if state.slots.isEmpty {
                state.slots = [Slot](repeating: Slot(), count: Self.ways << Self.setBits)
                state.next = [UInt8](repeating: 0, count: 1 << Self.setBits)
            }
            let set = first / Self.ways
            let at = first + Int(state.next[set])
            state.next[set] = (state.next[set] + 1) % UInt8(Self.ways)
            state.bytes += block.bytes.count - state.slots[at].block.bytes.count
            state.slots[at] = Slot(segment: segment, offset: offset, block: block)
            while state.bytes > most {
                if state.hand != at {
                    state.bytes -= state.slots[state.hand].block.bytes.count
                    state.slots[state.hand] = Slot()
                }
                state.hand = (state.hand + 1) % state.slots.count
            }
        }
    }

    /// Drops all blocks.
    func removeAll() {
        for shard in shards { shard.state.withLock { $0 = Shard.State() } }
    }
}
