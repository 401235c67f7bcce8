// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthModel

/// A session and its builder in stored form, without samples and statistics. `Docs/Format/Catalog.md` describes the
/// bytes.
struct SessionRecord: Sendable {
    var state: SessionState
    var draft: WorkoutDraft
    /// The description of the builder's device.
    var device: String?
    var collectsEvents = true
    /// The types of the samples so far.
    var types: Set<String> = []

    /// The version of a session without zones, and of a list of samples.
    private static let version: UInt8 = 1
    /// The version of a session with zones.
    private static let zoneVersion: UInt8 = 2
    /// The version of a session with events that are not events of the workout.
    private static let hiddenVersion: UInt8 = 3

    /// The bytes of the body.
    var body: [UInt8] {
        var writer = WorkoutWriter()
        writer.put(state)
        writer.plain.put(draft.phase.rawValue)
        writer.put(optional: draft.start)
        writer.put(optional: draft.end)
        writer.put(draft.metadata)
        writer.put(draft.events)
        writer.put(draft.activities)
        writer.put(optional: device)
        writer.plain.put(collectsEvents ? 1 : 0 as UInt8)
        writer.plain.put(varint: UInt64(types.count))
        for type in types.sorted() { writer.put(text: type) }
        let hasZones = draft.hasFinalZones || !draft.zones.isEmpty
        let hasHidden = !draft.hiddenEvents.isEmpty
        if hasZones || hasHidden {
            writer.plain.put(draft.hasFinalZones ? 1 : 0 as UInt8)
            writer.plain.put(varint: UInt64(draft.zones.count))
            for (_, zones) in draft.zones.sorted(by: { $0.key < $1.key }) { writer.put(zones) }
        }
        if hasHidden { writer.put(draft.hiddenEvents) }
        let version = hasHidden ? Self.hiddenVersion : hasZones ? Self.zoneVersion : Self.version
        return ObjectCompressor(level: 6, dictionary: false).encode(writer.bytes(version: version))
    }

    init(state: SessionState, draft: WorkoutDraft, device: String?) {
        self.state = state
        self.draft = draft
        self.device = device
    }

    /// Parses the bytes of `body`; the draft has no samples.
    ///
    /// - Throws: `newerFormat`, `corrupt`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        let plain = try ObjectExpander.decode(body)
        do throws(ByteError) {
            var reader = try WorkoutReader(plain, version: Self.version, to: Self.hiddenVersion)
            state = try reader.sessionState()
            guard let phase = WorkoutDraft.Phase(rawValue: try reader.bytes.u8()) else {
                throw ByteError(offset: reader.bytes.offset, what: "unknown phase of a builder")
            }
            let (first, last) = (try reader.optionalDate(), try reader.optionalDate())
            var contents = WorkoutDraft.Contents()
            contents.metadata = try reader.metadata() ?? [:]
            contents.events = try reader.events()
            contents.activities = try reader.activities()
            device = try reader.flag() ? try reader.text() : nil
            collectsEvents = try reader.flag()
            for _ in 0..<(try WorkoutReader.count(&reader.bytes)) { types.insert(try reader.text()) }
            if reader.version >= Self.zoneVersion {
                contents.hasFinalZones = try reader.flag()
                for _ in 0..<(try WorkoutReader.count(&reader.bytes)) {
                    contents.zones.append(try reader.zoneConfiguration())
                }
            }
            if reader.version >= Self.hiddenVersion { contents.hiddenEvents = try reader.events() }
            draft = WorkoutDraft(state.configuration, phase, start: first, end: last, contents)
        } catch {
            throw HealthStoreError(error, in: "a workout session")
        }
    }
}
