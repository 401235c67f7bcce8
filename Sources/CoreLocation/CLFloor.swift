// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The floor of a building. The ground floor is 0; floors below it are negative.
public final class CLFloor: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The number of the floor.
    public let level: Int

    /// Creates the floor with a number. Core Location on Apple's systems has no such initialiser.
    public init(level: Int) {
        self.level = level
        super.init()
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    private static let key = "level"

    /// Encodes the number.
    public func encode(with coder: NSCoder) { coder.encode(Int64(level), forKey: Self.key) }

    /// Decodes a floor that `encode(with:)` encoded; nil if the archive has no floor.
    public convenience init?(coder: NSCoder) {
        // `NSCoder` ends the process when a key without a value is decoded.
        guard coder.containsValue(forKey: Self.key) else { return nil }
        self.init(level: Int(coder.decodeInt64(forKey: Self.key)))
    }

    /// Returns the floor itself, because it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the number.
    public override var hash: Int { level.hashValue }

    /// Returns whether the other object is the same floor.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CLFloor)?.level == level }

    /// The number.
    public override var description: String { "floor \(level)" }
}
