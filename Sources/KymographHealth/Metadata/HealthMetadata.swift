// SPDX-License-Identifier: Apache-2.0

/// The metadata of a sample: entries in the order of writing, and the beats of a heart rate variability measurement.
public struct HealthMetadata: Sendable, Hashable {
    /// A key and its value, in the text form of an export.
    public struct Entry: Sendable, Hashable {
        /// The stored key, such as `HKWasUserEntered`.
        public var key: String
        /// The value as text: `1`, `2403 cm`, `2022-01-02 22:18:47 +0200`.
        public var value: String
    }

    /// One beat of a heart rate variability measurement, in the text form of an export.
    public struct Beat: Sendable, Hashable {
        /// Beats per minute: `61`.
        public var bpm: String
        /// The local time of day: `9:00:52.18 AM`.
        public var time: String
    }

    /// The metadata entries, in their order.
    public var entries: [Entry] = []
    /// The beats; nil if the sample has no list of beats.
    public var beats: [Beat]?
    /// Unknown attributes of the sample's record; exports of iOS 8 had the metadata of apps there.
    public var attributes: [Entry] = []
    /// The XML of unknown children of the sample's record.
    public var children: [String] = []
    /// The typed values of a program, by key.
    package var typed: HealthMetadataValues = [:]
    /// The text of the value; nil if it equals the canonical text of the stored number.
    package var valueText: String?
    /// Whether the record had no value.
    package var hasNoValue = false
    /// Whether the record named no source; the name of its source is then empty.
    package var hasNoSource = false

    package init() {}

    /// The metadata in the form of an object: typed values of a program as given, values of an export parsed by their
    /// key. For a repeated key the first entry counts.
    package var values: HealthMetadataValues {
        var values = typed
        for entry in entries where values[entry.key] == nil {
            values[entry.key] = HealthMetadataValue(exportText: entry.value, of: entry.key)
        }
        return values
    }

    /// Returns the value of the first entry with a key.
    public subscript(_ key: String) -> String? { entries.first { $0.key == key }?.value }
}
