// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An eye. Raw values are HealthKit's.
public enum HKVisionEye: Int, Hashable, Sendable, CaseIterable {
    /// The left eye of the person.
    case left = 1
    /// The right eye of the person.
    case right = 2
}

/// The direction of the thick edge of a prism. Raw values are HealthKit's.
public enum HKPrismBase: Int, Hashable, Sendable, CaseIterable {
    /// No direction: the amount is 0.
    case none = 0
    /// Up.
    case up = 1
    /// Down.
    case down = 2
    /// To the nose.
    case `in` = 3
    /// To the temple.
    case out = 4
}

/// The prism of a lens, which moves the image that an eye sees.
///
/// A prism is a vector. It is given as amount and angle, or as a vertical and a horizontal amount, and has the
/// properties of both forms. The angle counts counter-clockwise as the examiner sees the person; 0° is to the
/// examiner's right, which is *in* for the right eye and *out* for the left eye. HealthKit does not publish the sign.
public final class HKVisionPrism: NSObject, NSCopying, Sendable {
    /// The length of the vector in prism dioptres (`pD`).
    public let amount: HKQuantity
    /// The direction of the vector in degrees.
    public let angle: HKQuantity
    /// The vertical amount from 0, in prism dioptres.
    public let verticalAmount: HKQuantity
    /// Up, down or none.
    public let verticalBase: HKPrismBase
    /// The horizontal amount from 0, in prism dioptres.
    public let horizontalAmount: HKQuantity
    /// In, out or none.
    public let horizontalBase: HKPrismBase
    /// The eye of the lens.
    public let eye: HKVisionEye
    /// Whether the prism was given as amount and angle.
    let isPolar: Bool

    /// Creates a prism from an amount and an angle. Never fails; `save` refuses a prescription with a negative amount
    /// or a unit of another dimension.
    public init(amount: HKQuantity, angle: HKQuantity, eye: HKVisionEye) {
        let length = amount.doubleValue(for: .prismDiopter())
        let (sine, cosine) = Self.direction(angle.doubleValue(for: .degreeAngle()))
        let (up, right) = (length * sine, length * cosine)
        self.amount = amount
        self.angle = angle
        self.eye = eye
        verticalAmount = HKQuantity(unit: .prismDiopter(), doubleValue: abs(up))
        verticalBase = up > 0 ? .up : up < 0 ? .down : .none
        horizontalAmount = HKQuantity(unit: .prismDiopter(), doubleValue: abs(right))
        horizontalBase = right == 0 || right.isNaN ? .none : (right > 0) == (eye == .right) ? .in : .out
        isPolar = true
    }

    /// Creates a prism from its two parts. Never fails; `save` refuses a prescription with a negative amount, a unit of
    /// another dimension or a base of the other direction, such as ``HKPrismBase/in`` for the vertical one.
    public init(
        verticalAmount: HKQuantity, verticalBase: HKPrismBase, horizontalAmount: HKQuantity,
        horizontalBase: HKPrismBase, eye: HKVisionEye
    ) {
        self.verticalAmount = verticalAmount
        self.verticalBase = verticalBase
        self.horizontalAmount = horizontalAmount
        self.horizontalBase = horizontalBase
        self.eye = eye
        let vertical = verticalAmount.doubleValue(for: .prismDiopter())
        let horizontal = horizontalAmount.doubleValue(for: .prismDiopter())
        let up = verticalBase == .up ? vertical : verticalBase == .down ? -vertical : 0
        let isRight = (horizontalBase == .in) == (eye == .right)
        let right = horizontalBase == .none ? 0 : isRight ? horizontal : -horizontal
        let length = (vertical * vertical + horizontal * horizontal).squareRoot()
        amount = HKQuantity(unit: .prismDiopter(), doubleValue: length)
        // The angle of no prism is 0.
        let angle = up == 0 && right == 0 ? 0 : atan2(up, right) * 180 / .pi
        self.angle = HKQuantity(unit: .degreeAngle(), doubleValue: angle < 0 ? angle + 360 : angle)
        isPolar = false
    }

    /// Returns sine and cosine of an angle in degrees; exact for multiples of 90.
    private static func direction(_ degrees: Double) -> (sine: Double, cosine: Double) {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        switch rest < 0 ? rest + 360 : rest {
        case 0: return (0, 1)
        case 90: return (1, 0)
        case 180: return (0, -1)
        case 270: return (-1, 0)
        default: return (sin(rest * .pi / 180), cos(rest * .pi / 180))
        }
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the values that were given.
    public override var hash: Int { fields.hashValue }

    /// Returns whether the other prism was given by the same values in the same form.
    public override func isEqual(_ object: Any?) -> Bool { (object as? HKVisionPrism)?.fields == fields }

    /// The values that were given.
    public override var description: String {
        let form =
            isPolar
            ? "\(amount) at \(angle)"
            : "\(verticalAmount) \(verticalBase), \(horizontalAmount) \(horizontalBase)"
        return "\(form), \(eye) eye"
    }
}
