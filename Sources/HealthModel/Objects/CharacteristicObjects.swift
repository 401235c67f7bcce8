// SPDX-License-Identifier: Apache-2.0

public import Foundation

// What a store answers when it is asked for a characteristic: the value, wrapped in an object as HealthKit has it.

/// A sex, as a store answers it.
public final class HKBiologicalSexObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let biologicalSex: HKBiologicalSex

    package init(_ value: HKBiologicalSex) { biologicalSex = value }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Hashes the value.
    public override var hash: Int { biologicalSex.hashValue }

    /// Whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKBiologicalSexObject)?.biologicalSex == biologicalSex
    }
}

/// A blood type, as a store answers it.
public final class HKBloodTypeObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let bloodType: HKBloodType

    package init(_ value: HKBloodType) { bloodType = value }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Hashes the value.
    public override var hash: Int { bloodType.hashValue }

    /// Whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool { (object as? HKBloodTypeObject)?.bloodType == bloodType }
}

/// A type of skin, as a store answers it.
public final class HKFitzpatrickSkinTypeObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let skinType: HKFitzpatrickSkinType

    package init(_ value: HKFitzpatrickSkinType) { skinType = value }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Hashes the value.
    public override var hash: Int { skinType.hashValue }

    /// Whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKFitzpatrickSkinTypeObject)?.skinType == skinType
    }
}

/// The use of a wheelchair, as a store answers it.
public final class HKWheelchairUseObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let wheelchairUse: HKWheelchairUse

    package init(_ value: HKWheelchairUse) { wheelchairUse = value }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Hashes the value.
    public override var hash: Int { wheelchairUse.hashValue }

    /// Whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKWheelchairUseObject)?.wheelchairUse == wheelchairUse
    }
}

/// What the move ring counts, as a store answers it.
public final class HKActivityMoveModeObject: NSObject, NSCopying, Sendable {
    /// The value.
    public let activityMoveMode: HKActivityMoveMode

    package init(_ value: HKActivityMoveMode) { activityMoveMode = value }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Hashes the value.
    public override var hash: Int { activityMoveMode.hashValue }

    /// Whether the other object has the same value.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKActivityMoveModeObject)?.activityMoveMode == activityMoveMode
    }
}
