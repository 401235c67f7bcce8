// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import HealthCatalog

/// The body of a correlation's row, as described in `Docs/Format/Catalog.md`: its members and, for an imported
/// correlation, its element.
struct CorrelationBody: Sendable, Equatable {
    /// The imported element of a correlation.
    struct Element: Sendable, Equatable {
        /// The row of `object` with the XML; ``erased`` if the XML is erased.
        let object: Int64
        /// A digest of the element's content, independent of its spelling: equal in every export.
        let digest: Int64

        /// The row number of an element that a compaction erased after the deletion of a member.
        static let erased: Int64 = 0
    }

    let members: [CorrelationRecord.Member]
    /// The element; nil for a correlation saved by a program.
    let element: Element?

    init(members: [CorrelationRecord.Member], element: Element? = nil) {
        self.members = members
        self.element = element
    }

    private static let saved: UInt8 = 1
    private static let imported: UInt8 = 2

    var bytes: [UInt8] {
        var plain: [UInt8] = [element == nil ? Self.saved : Self.imported]
        plain.put(varint: UInt64(members.count))
        for member in members {
            plain.put(varint: UInt64(member.type.utf8.count))
            plain.append(contentsOf: member.type.utf8)
            for half in [member.identity.high, member.identity.low, member.start] { plain.put(half: half) }
        }
        if let element {
            plain.put(half: element.object)
            plain.put(half: element.digest)
        }
        return ObjectCompressor.plain(plain)
    }

    /// Parses the stored bytes.
    ///
    /// - Throws: `newerFormat`, `corrupt`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        let plain = try ObjectExpander.decode(body)
        var reader = ByteReader(plain)
        do throws(ByteError) {
            let version = try reader.u8()
            guard version == Self.saved || version == Self.imported else {
                throw ByteError(offset: 0, what: HealthMetadata.unknownPart)
            }
            let count = try reader.varint()
            guard count <= UInt64(reader.remaining) else {
                throw ByteError(offset: reader.offset, what: "more members than bytes")
            }
            var members = [CorrelationRecord.Member]()
            for _ in 0..<count {
                let type = try reader.string()
                let identity = SampleIdentity(high: try Self.half(&reader), low: try Self.half(&reader))
                members.append(.init(type: type, identity: identity, start: try Self.half(&reader)))
            }
            self.members = members
            element =
                version == Self.imported
                ? Element(object: try Self.half(&reader), digest: try Self.half(&reader)) : nil
        } catch {
            throw HealthStoreError(error, in: "the members of a correlation")
        }
    }

    /// Reads eight bytes, big-endian.
    private static func half(_ reader: inout ByteReader) throws(ByteError) -> Int64 {
        Int64(bitPattern: (try reader.u64()).byteSwapped)
    }
}

extension [UInt8] {
    /// Appends eight bytes, big-endian.
    fileprivate mutating func put(half: Int64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: half >> Int64(shift))) }
    }
}
