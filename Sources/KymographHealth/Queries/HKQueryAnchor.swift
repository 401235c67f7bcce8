// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The position of an anchored query: the next query with this anchor returns only later changes.
///
/// An anchor is valid for a query with the same types and predicates, in the same store, in any process, without a time
/// limit. Store its ``text``, whose checksum is verified on parsing; `NSKeyedUnarchiver` ends the process for some
/// damaged archives. `Docs/Guide/HealthStore.md` describes anchors of a restored or repaired store.
public final class HKQueryAnchor: NSObject, NSSecureCoding, NSCopying, Sendable {
    let position: FeedPosition

    init(_ position: FeedPosition) { self.position = position }

    /// Creates the anchor before all objects, for any value. HealthKit converts values of its first version; no
    /// Kymograph store ever returned such values.
    public convenience init(fromValue value: Int) { self.init(FeedPosition()) }

    /// The anchor as a text of digits, letters and punctuation, for storage anywhere. Not part of HealthKit.
    public var text: String { position.text }

    /// Parses an anchor's ``text``; nil for any other text. Not part of HealthKit.
    public convenience init?(text: String) {
        guard let position = FeedPosition(text: text) else { return nil }
        self.init(position)
    }

    /// True: anchors support secure coding.
    public static var supportsSecureCoding: Bool { true }

    private static let key = "position"

    /// Writes the anchor to an archive.
    public func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: Self.key) }

    /// Reads an anchor from an archive; nil if there is none.
    public convenience init?(coder: NSCoder) {
        // A coder ends the process for a request of a missing value.
        guard coder.containsValue(forKey: Self.key), let text = coder.decodeObject(of: NSString.self, forKey: Self.key)
        else { return nil }
        self.init(text: String(describing: text))
    }

    /// Returns the anchor itself, because it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the position.
    public override var hash: Int { position.hashValue }

    /// Returns whether the other anchor has the same position.
    public override func isEqual(_ object: Any?) -> Bool { (object as? HKQueryAnchor)?.position == position }

    /// The text.
    public override var description: String { text }
}
