// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Results of characteristic queries: each wraps a value in an object, as in HealthKit.

/// A biological sex returned by a store.
public final class HKBiologicalSexObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let biologicalSex: HKBiologicalSex

    package init(_ value: HKBiologicalSex) { biologicalSex = value }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    public override var hash: Int { biologicalSex.hashValue }

    /// Returns whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKBiologicalSexObject)?.biologicalSex == biologicalSex
    }
}

/// A blood type returned by a store.
public final class HKBloodTypeObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let bloodType: HKBloodType

    package init(_ value: HKBloodType) { bloodType = value }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    public override var hash: Int { bloodType.hashValue }

    /// Returns whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool { (object as? HKBloodTypeObject)?.bloodType == bloodType }
}

/// A skin type returned by a store.
public final class HKFitzpatrickSkinTypeObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let skinType: HKFitzpatrickSkinType

    package init(_ value: HKFitzpatrickSkinType) { skinType = value }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    public override var hash: Int { skinType.hashValue }

    /// Returns whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKFitzpatrickSkinTypeObject)?.skinType == skinType
    }
}

/// A wheelchair use returned by a store.
public final class HKWheelchairUseObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let wheelchairUse: HKWheelchairUse

    package init(_ value: HKWheelchairUse) { wheelchairUse = value }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    public override var hash: Int { wheelchairUse.hashValue }

    /// Returns whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKWheelchairUseObject)?.wheelchairUse == wheelchairUse
    }
}

/// An activity move mode returned by a store.
public final class HKActivityMoveModeObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let activityMoveMode: HKActivityMoveMode

    package init(_ value: HKActivityMoveMode) { activityMoveMode = value }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the value.
    public override var hash: Int { activityMoveMode.hashValue }

    /// Returns whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKActivityMoveModeObject)?.activityMoveMode == activityMoveMode
    }
}
