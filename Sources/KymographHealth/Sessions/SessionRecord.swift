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

    private static let version: UInt8 = 1

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
        return ObjectCompressor(level: 6, dictionary: false).encode(writer.bytes(version: Self.version))
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
            var reader = try WorkoutReader(plain, version: Self.version)
            state = try reader.sessionState()
            guard let phase = WorkoutDraft.Phase(rawValue: try reader.bytes.u8()) else {
                throw ByteError(offset: reader.bytes.offset, what: "unknown phase of a builder")
            }
            let (first, last) = (try reader.optionalDate(), try reader.optionalDate())
            let metadata = try reader.metadata() ?? [:]
            let events = try reader.events()
            draft = WorkoutDraft(
                state.configuration, phase, start: first, end: last, metadata: metadata, events: events,
                activities: try reader.activities())
            device = try reader.flag() ? try reader.text() : nil
            collectsEvents = try reader.flag()
            for _ in 0..<(try WorkoutReader.count(&reader.bytes)) { types.insert(try reader.text()) }
        } catch {
            throw HealthStoreError(error, in: "a workout session")
        }
    }
}
