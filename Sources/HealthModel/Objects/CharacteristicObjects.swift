// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Results of characteristic queries: each wraps a value in an object, as in HealthKit. Tests of programs may subclass
// them and override the value.

/// A biological sex returned by a store.
open class HKBiologicalSexObject: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private let value: HKBiologicalSex

    package init(_ value: HKBiologicalSex) {
        self.value = value
        super.init()
    }

    /// Creates an object with the value `notSet`, for subclasses.
    public override init() {
        value = .notSet
        super.init()
    }

    /// The value.
    open var biologicalSex: HKBiologicalSex { value }

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    open override var hash: Int { biologicalSex.hashValue }

    /// Returns whether the other object has the same value.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? HKBiologicalSexObject)?.biologicalSex == biologicalSex
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the value.
    open func encode(with coder: NSCoder) { coder.encode([biologicalSex.rawValue], record: "value") }

    /// Decodes an object that `encode(with:)` encoded; nil if the archive has no value.
    public required init?(coder: NSCoder) {
        guard let raw = coder.decode([Int].self, record: "value")?.first, let value = HKBiologicalSex(rawValue: raw)
        else {
            return nil
        }
        self.value = value
        super.init()
    }
}

/// A blood type returned by a store.
open class HKBloodTypeObject: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private let value: HKBloodType

    package init(_ value: HKBloodType) {
        self.value = value
        super.init()
    }

    /// Creates an object with the value `notSet`, for subclasses.
    public override init() {
        value = .notSet
        super.init()
    }

    /// The value.
    open var bloodType: HKBloodType { value }

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    open override var hash: Int { bloodType.hashValue }

    /// Returns whether the other object has the same value.
    open override func isEqual(_ object: Any?) -> Bool { (object as? HKBloodTypeObject)?.bloodType == bloodType }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the value.
    open func encode(with coder: NSCoder) { coder.encode([bloodType.rawValue], record: "value") }

    /// Decodes an object that `encode(with:)` encoded; nil if the archive has no value.
    public required init?(coder: NSCoder) {
        guard let raw = coder.decode([Int].self, record: "value")?.first, let value = HKBloodType(rawValue: raw) else {
            return nil
        }
        self.value = value
        super.init()
    }
}

/// A skin type returned by a store.
open class HKFitzpatrickSkinTypeObject: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private let value: HKFitzpatrickSkinType

    package init(_ value: HKFitzpatrickSkinType) {
        self.value = value
        super.init()
    }

    /// Creates an object with the value `notSet`, for subclasses.
    public override init() {
        value = .notSet
        super.init()
    }

    /// The value.
    open var skinType: HKFitzpatrickSkinType { value }

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    open override var hash: Int { skinType.hashValue }

    /// Returns whether the other object has the same value.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? HKFitzpatrickSkinTypeObject)?.skinType == skinType
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the value.
    open func encode(with coder: NSCoder) { coder.encode([skinType.rawValue], record: "value") }

    /// Decodes an object that `encode(with:)` encoded; nil if the archive has no value.
    public required init?(coder: NSCoder) {
        guard let raw = coder.decode([Int].self, record: "value")?.first,
            let value = HKFitzpatrickSkinType(rawValue: raw)
        else {
            return nil
        }
        self.value = value
        super.init()
    }
}

/// A wheelchair use returned by a store.
open class HKWheelchairUseObject: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private let value: HKWheelchairUse

    package init(_ value: HKWheelchairUse) {
        self.value = value
        super.init()
    }

    /// Creates an object with the value `notSet`, for subclasses.
    public override init() {
        value = .notSet
        super.init()
    }

    /// The value.
    open var wheelchairUse: HKWheelchairUse { value }

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    open override var hash: Int { wheelchairUse.hashValue }

    /// Returns whether the other object has the same value.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? HKWheelchairUseObject)?.wheelchairUse == wheelchairUse
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the value.
    open func encode(with coder: NSCoder) { coder.encode([wheelchairUse.rawValue], record: "value") }

    /// Decodes an object that `encode(with:)` encoded; nil if the archive has no value.
    public required init?(coder: NSCoder) {
        guard let raw = coder.decode([Int].self, record: "value")?.first, let value = HKWheelchairUse(rawValue: raw)
        else {
            return nil
        }
        self.value = value
        super.init()
    }
}

/// An activity move mode returned by a store.
open class HKActivityMoveModeObject: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private let value: HKActivityMoveMode

    package init(_ value: HKActivityMoveMode) {
        self.value = value
        super.init()
    }

    /// Creates an object with the value `activeEnergy`, for subclasses.
    public override init() {
        value = .activeEnergy
        super.init()
    }

    /// The value.
    open var activityMoveMode: HKActivityMoveMode { value }

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    open override var hash: Int { activityMoveMode.hashValue }

    /// Returns whether the other object has the same value.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? HKActivityMoveModeObject)?.activityMoveMode == activityMoveMode
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the value.
    open func encode(with coder: NSCoder) { coder.encode([activityMoveMode.rawValue], record: "value") }

    /// Decodes an object that `encode(with:)` encoded; nil if the archive has no value.
    public required init?(coder: NSCoder) {
        guard let raw = coder.decode([Int].self, record: "value")?.first, let value = HKActivityMoveMode(rawValue: raw)
        else {
            return nil
        }
        self.value = value
        super.init()
    }
}
