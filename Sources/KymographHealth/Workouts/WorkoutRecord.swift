// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthModel

/// A workout in stored form: its properties, the identities of its samples and, for an imported workout, its element.
/// `Docs/Format/Catalog.md` describes the bytes.
struct WorkoutRecord: Sendable, Equatable {
    var content: WorkoutContent
    /// The samples that a builder or a program added. The samples of an export are not among them.
    var members: IdentityRuns
    /// The imported element; nil for a workout saved by a program.
    var element: CorrelationBody.Element?

    init(_ content: WorkoutContent, members: IdentityRuns = IdentityRuns(), element: CorrelationBody.Element? = nil) {
        self.content = content
        self.members = members
        self.element = element
    }

    /// The version of a workout without zones.
    private static let version: UInt8 = 1
    /// The version of a workout with zones.
    private static let zoneVersion: UInt8 = 2

    /// The bytes of the body.
    var body: [UInt8] { body(ObjectCompressor(level: 6, dictionary: false)) }

    /// Returns the bytes of the body. The compressor is shared by many bodies.
    func body(_ compressor: ObjectCompressor) -> [UInt8] {
        var writer = WorkoutWriter()
        writer.put(content)
        let hasZones = !content.zones.isEmpty
        if hasZones { writer.putZones(of: content) }
        writer.put(members)
        writer.plain.put(element == nil ? 0 : 1 as UInt8)
        if let element {
            writer.plain.put(element.object)
            writer.plain.put(element.digest)
        }
        return ObjectCompressor(level: 6, dictionary: false).encode(
            writer.bytes(version: hasZones ? Self.zoneVersion : Self.version))
    }

    /// Parses the bytes of `body`.
    ///
    /// - Throws: `newerFormat`, `corrupt`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        self = try Self.parse(body) { reader throws(ByteError) in
            let content = try Self.content(&reader)
            let members = try reader.members()
            var element: CorrelationBody.Element?
            if try reader.bytes.u8() == 1 {
                element = CorrelationBody.Element(object: try reader.bytes.i64(), digest: try reader.bytes.i64())
            }
            return WorkoutRecord(content, members: members, element: element)
        }
    }

    /// Parses a body, and adds the samples of the workout that it replaces.
    init(_ body: [UInt8], including members: IdentityRuns) throws(HealthStoreError) {
        try self.init(body)
        self.members = self.members.union(members)
    }

    /// Parses only the properties of the workout.
    static func content(_ body: [UInt8]) throws(HealthStoreError) -> WorkoutContent {
        try parse(body) { reader throws(ByteError) in try content(&reader) }
    }

    private static func content(_ reader: inout WorkoutReader) throws(ByteError) -> WorkoutContent {
        var content = try reader.content()
        if reader.version >= zoneVersion { try reader.zones(into: &content) }
        return content
    }

    private static func parse<T>(
        _ body: [UInt8], _ read: (inout WorkoutReader) throws(ByteError) -> T
    ) throws(HealthStoreError) -> T {
        let plain = try ObjectExpander.decode(body)
        do throws(ByteError) {
            var reader = try WorkoutReader(plain, version: version, to: zoneVersion)
            return try read(&reader)
        } catch {
            throw HealthStoreError(error, in: "a workout")
        }
    }
}
