// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Up to where a query was told what came and went: the next one with it is told the rest.
///
/// An anchor is good for a query with the same types and predicates, in the store that it came from, in any process,
/// for ever. Keep its ``text``: its checksum is verified when it is read. `NSKeyedUnarchiver` stops the process at
/// some damaged archives. `Docs/Queries.md` says what becomes of it when a store is restored or
/// repaired.
public final class HKQueryAnchor: NSObject, NSSecureCoding, NSCopying, Sendable {
    let position: FeedPosition

    init(_ position: FeedPosition) { self.position = position }

    /// The anchor before all objects. HealthKit makes anchors of numbers that its first version gave; no store here
    /// ever gave one, so every number means the beginning.
    public convenience init(fromValue value: Int) { self.init(FeedPosition()) }

    /// The anchor as a word of digits and points, to be kept anywhere. Not part of HealthKit.
    public var text: String { position.text }

    /// An anchor from its ``text``; nil if it is none. Not part of HealthKit.
    public convenience init?(text: String) {
        guard let position = FeedPosition(text: text) else { return nil }
        self.init(position)
    }

    /// Anchors can be archived securely.
    public static var supportsSecureCoding: Bool { true }

    private static let key = "position"

    /// Writes the anchor to an archive.
    public func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: Self.key) }

    /// Reads an anchor from an archive; nil where there is none.
    public convenience init?(coder: NSCoder) {
        // A coder stops the process where it is asked for what it does not have.
        guard coder.containsValue(forKey: Self.key), let text = coder.decodeObject(of: NSString.self, forKey: Self.key)
        else { return nil }
        self.init(text: String(describing: text))
    }

    /// The anchor: it does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Hashes the position.
    public override var hash: Int { position.hashValue }

    /// Whether the other anchor is at the same position.
    public override func isEqual(_ object: Any?) -> Bool { (object as? HKQueryAnchor)?.position == position }

    /// The text.
    public override var description: String { text }
}
