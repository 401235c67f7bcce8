// SPDX-License-Identifier: Apache-2.0

/// What was said about a sample beyond its numbers: metadata in the order of its writing, and the beats of a heart
/// rate variability measurement.
public struct HealthMetadata: Sendable, Hashable {
    /// A key and its value, both as an export writes them.
    public struct Entry: Sendable, Hashable {
        /// The stored key, such as `HKWasUserEntered`.
        public var key: String
        /// The value as text: `1`, `2403 cm`, `2022-01-02 22:18:47 +0200`.
        public var value: String

        package init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// One beat of a heart rate variability measurement, as an export writes it.
    public struct Beat: Sendable, Hashable {
        /// Beats per minute: `61`.
        public var bpm: String
        /// The local time of day: `9:00:52.18 AM`.
        public var time: String

        package init(bpm: String, time: String) {
            self.bpm = bpm
            self.time = time
        }
    }

    /// The metadata entries, in their order.
    public var entries: [Entry] = []
    /// The beats; nil if the sample has no list of them.
    public var beats: [Beat]?
    /// Attributes of the sample's record that have no meaning of their own; in iOS 8 an app's metadata stood there.
    public var attributes: [Entry] = []
    /// Children of the sample's record that nobody knows: their XML.
    public var children: [String] = []
    /// The values that a program gave, by key.
    package var typed: HealthMetadataValues = [:]
    /// The text of the value, where it is not the one that the stored number would be written as.
    package var valueText: String?
    /// Whether the record had no value at all.
    package var hasNoValue = false
    /// Whether the record did not name its source; its source is the empty name.
    package var hasNoSource = false

    package init() {}

    /// The metadata as an object has it: values that a program gave as it gave them, those of an export by what their
    /// key means; of several with one key the first.
    package var values: HealthMetadataValues {
        var values = typed
        for entry in entries where values[entry.key] == nil {
            values[entry.key] = HealthMetadataValue(exportText: entry.value, of: entry.key)
        }
        return values
    }

    /// The value of the first entry with a key.
    public subscript(_ key: String) -> String? { entries.first { $0.key == key }?.value }
}
