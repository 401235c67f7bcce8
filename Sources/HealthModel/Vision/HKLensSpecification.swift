// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The optical values of one lens. Programs create the two subclasses.
///
/// Creation never fails. `save` refuses a prescription with infinite values and with values of another
/// dimension.
public class HKLensSpecification: NSObject, NSCopying, @unchecked Sendable {
    /// The power of the sphere in dioptres (`D`): negative for short sight.
    public let sphere: HKQuantity
    /// The additional power along one meridian in dioptres; nil if there is none.
    public let cylinder: HKQuantity?
    /// The direction of the meridian without additional power, in degrees; nil without a cylinder.
    public let axis: HKQuantity?
    /// The additional power for near sight in dioptres; nil if there is none.
    public let addPower: HKQuantity?

    init(sphere: HKQuantity, cylinder: HKQuantity?, axis: HKQuantity?, addPower: HKQuantity?) {
        self.sphere = sphere
        self.cylinder = cylinder
        self.axis = axis
        self.addPower = addPower
        super.init()
    }

    /// The values as fields.
    var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, sphere)
        fields.put(2, cylinder)
        fields.put(3, axis)
        fields.put(4, addPower)
        return fields
    }

    /// The values with their names and the unit that they must convert to.
    var values: [(name: String, quantity: HKQuantity?, unit: HKUnit)] {
        [
            ("sphere", sphere, .diopter()), ("cylinder", cylinder, .diopter()), ("axis", axis, .degreeAngle()),
            ("addPower", addPower, .diopter()),
        ]
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the values.
    public override var hash: Int { fields.hashValue }

    /// Returns whether the other lens has the same class and equal values.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKLensSpecification, type(of: other) == type(of: self) else { return false }
        return other.fields == fields
    }

    /// The values that are present.
    public override var description: String {
        values.compactMap { value in value.quantity.map { "\(value.name) \($0)" } }.joined(separator: ", ")
    }
}

/// The optical values of one lens of glasses.
public final class HKGlassesLensSpecification: HKLensSpecification, @unchecked Sendable {
    /// The distance from the back of the lens to the eye; nil if unknown.
    public let vertexDistance: HKQuantity?
    /// The prism; nil if there is none.
    public let prism: HKVisionPrism?
    /// The distance from the middle of the nose to the pupil when the person looks far away; nil if unknown.
    public let farPupillaryDistance: HKQuantity?
    /// The distance from the middle of the nose to the pupil when the person looks at a near object; nil if unknown.
    public let nearPupillaryDistance: HKQuantity?

    /// Creates the values of a lens. Powers are in a unit that converts to `D`, the axis to `deg`, distances to `m`.
    public init(
        sphere: HKQuantity, cylinder: HKQuantity? = nil, axis: HKQuantity? = nil, addPower: HKQuantity? = nil,
        vertexDistance: HKQuantity? = nil, prism: HKVisionPrism? = nil, farPupillaryDistance: HKQuantity? = nil,
        nearPupillaryDistance: HKQuantity? = nil
    ) {
        self.vertexDistance = vertexDistance
        self.prism = prism
        self.farPupillaryDistance = farPupillaryDistance
        self.nearPupillaryDistance = nearPupillaryDistance
        super.init(sphere: sphere, cylinder: cylinder, axis: axis, addPower: addPower)
    }

    override var fields: HealthFields {
        var fields = super.fields
        fields.put(5, vertexDistance)
        fields.put(6, farPupillaryDistance)
        fields.put(7, nearPupillaryDistance)
        fields.put(10, prism?.fields)
        return fields
    }

    override var values: [(name: String, quantity: HKQuantity?, unit: HKUnit)] {
        super.values + [
            ("vertexDistance", vertexDistance, .meter()), ("farPupillaryDistance", farPupillaryDistance, .meter()),
            ("nearPupillaryDistance", nearPupillaryDistance, .meter()),
        ]
    }

    /// The values that are present.
    public override var description: String { super.description + (prism.map { ", prism \($0)" } ?? "") }
}

/// The optical values of one contact lens.
public final class HKContactsLensSpecification: HKLensSpecification, @unchecked Sendable {
    /// The radius of the back of the lens; nil if unknown.
    public let baseCurve: HKQuantity?
    /// The diameter of the lens; nil if unknown.
    public let diameter: HKQuantity?

    /// Creates the values of a lens. Powers are in a unit that converts to `D`, the axis to `deg`, lengths to `m`.
    public init(
        sphere: HKQuantity, cylinder: HKQuantity? = nil, axis: HKQuantity? = nil, addPower: HKQuantity? = nil,
        baseCurve: HKQuantity? = nil, diameter: HKQuantity? = nil
    ) {
        self.baseCurve = baseCurve
        self.diameter = diameter
        super.init(sphere: sphere, cylinder: cylinder, axis: axis, addPower: addPower)
    }

    override var fields: HealthFields {
        var fields = super.fields
        fields.put(8, baseCurve)
        fields.put(9, diameter)
        return fields
    }

    override var values: [(name: String, quantity: HKQuantity?, unit: HKUnit)] {
        super.values + [("baseCurve", baseCurve, .meter()), ("diameter", diameter, .meter())]
    }
}
