// SPDX-License-Identifier: Apache-2.0

import Bytes
import KymographHealth

/// The first frame of each side: who it is, and what it wants.
struct SyncHello: Equatable {
    /// The version of the protocol.
    static let version: UInt16 = 1
    private static let mostTypes: UInt64 = 4_096
    private static let magic = Array("kymosync".utf8)

    /// The id of the store, 16 bytes.
    var store: [UInt8]
    /// What the other side calls this one, if a person gave no name.
    var name: String
    /// Whether the side sends its changes, and takes those of the other side.
    var sends = true
    var receives = true
    /// Whether the side waits for later changes.
    var follows = false
    var isEncrypted = false
    /// Whether the side keeps only the last days, so that it is no holder of history.
    var isLimited = false
    /// The epoch of the store: it changes when the store is restored.
    var epoch: Int64 = 0
    /// The part of the other store that the side wants.
    var selection = SyncSelection()

    var body: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.put(bytes: Self.magic)
        writer.put(Self.version)
        writer.put(bytes: store)
        let flags: [Bool] = [sends, receives, follows, isEncrypted, isLimited]
        writer.put(flags.enumerated().reduce(UInt8(0)) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
        writer.put(epoch)
        writer.put(string: String(name.prefix(200)))
        let types = selection.types?.sorted()
        writer.put(types == nil ? 0 : 1 as UInt8)
        if let types {
            writer.put(varint: UInt64(types.count))
            for type in types { writer.put(string: type) }
        }
        writer.put(selection.from == nil ? 0 : 1 as UInt8)
        if let from = selection.from { writer.put(from) }
        return writer.bytes
    }

    init(store: [UInt8], name: String) {
        self.store = store
        self.name = name
    }

    /// - Throws: `malformed`, `newerVersion`.
    init(_ body: [UInt8]) throws(SyncError) {
        var reader = ByteReader(body)
        do throws(ByteError) {
            guard try Array(reader.bytes(8)) == Self.magic else {
                throw ByteError(offset: 0, what: "other bytes than those of the protocol")
            }
            let version = try reader.u16()
            guard version <= Self.version else { throw ByteError(offset: -1, what: "\(version)") }
            store = Array(try reader.bytes(16))
            let flags = try reader.u8()
            (sends, receives) = (flags & 1 != 0, flags & 2 != 0)
            (follows, isEncrypted, isLimited) = (flags & 4 != 0, flags & 8 != 0, flags & 16 != 0)
            epoch = try reader.i64()
            name = try reader.string()
            if try reader.u8() == 1 {
                var types = Set<String>()
                let count = try reader.varint()
                guard count <= Self.mostTypes else { throw ByteError(offset: reader.offset, what: "\(count) types") }
                for _ in 0..<count { types.insert(try reader.string()) }
                selection.types = types
            }
            if try reader.u8() == 1 { selection.from = try reader.i64() }
        } catch {
            if error.offset < 0 {
                throw SyncError(
                    .newerVersion,
                    "the other program speaks version \(error.what) of the protocol, this one up to \(Self.version); "
                        + "update this program")
            }
            throw SyncError(.malformed, "the greeting of the other program has \(error.description)")
        }
    }
}
