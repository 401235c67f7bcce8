// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CLLocationCoordinate2D {
    /// The equatorial radius of WGS84, in metres.
    private static let radius = 6_378_137.0
    /// The flattening of WGS84.
    private static let flattening = 1 / 298.257_223_563
    /// The mean radius of WGS84, for the sphere.
    private static let meanRadius = 6_371_008.771_4
    private static let rounds = 200

    /// Returns the length of the shortest path to another coordinate on the WGS84 ellipsoid, in metres. Not part of
    /// Core Location.
    ///
    /// The method is the inverse solution of T. Vincenty, *Direct and inverse solutions of geodesics on the ellipsoid*,
    /// Survey Review 23 (1975). Its error is below a millimetre. It does not converge between nearly opposite places;
    /// there the result is the distance on a sphere with the mean radius, with an error below 0.6 %.
    ///
    /// - Returns: NaN if a coordinate is NaN or infinite.
    public func distance(to other: CLLocationCoordinate2D) -> CLLocationDistance {
        let numbers = [latitude, longitude, other.latitude, other.longitude]
        guard numbers.allSatisfy(\.isFinite) else { return .nan }
        if self == other { return 0 }
        return reduced.onEllipsoid(other.reduced) ?? reduced.onSphere(other.reduced)
    }

    /// The same place with angles from -180 to 180, so that no product overflows.
    private var reduced: CLLocationCoordinate2D {
        CLLocationCoordinate2D(
            latitude: latitude.remainder(dividingBy: 360), longitude: longitude.remainder(dividingBy: 360))
    }

    /// Returns the distance by Vincenty's inverse solution; nil if it does not converge.
    private func onEllipsoid(_ other: CLLocationCoordinate2D) -> Double? {
        let (f, a) = (Self.flattening, Self.radius)
        let b = a * (1 - f)
        let length = (other.longitude - longitude).remainder(dividingBy: 360) * .pi / 180
        // Reduced latitudes.
        let (u1, u2) = (
            atan((1 - f) * tan(latitude * .pi / 180)), atan((1 - f) * tan(other.latitude * .pi / 180))
        )
        let (sinU1, cosU1, sinU2, cosU2) = (sin(u1), cos(u1), sin(u2), cos(u2))
        var lambda = length
        for _ in 0..<Self.rounds {
            let (x, y) = (cosU2 * sin(lambda), cosU1 * sinU2 - sinU1 * cosU2 * cos(lambda))
            let sinSigma = (x * x + y * y).squareRoot()
            if sinSigma == 0 { return 0 }
            let cosSigma = sinU1 * sinU2 + cosU1 * cosU2 * cos(lambda)
            let sigma = atan2(sinSigma, cosSigma)
            let sinAlpha = cosU1 * cosU2 * sin(lambda) / sinSigma
            let cosSquared = 1 - sinAlpha * sinAlpha
            // On the equator, the cosine of alpha is 0.
            let middle = cosSquared == 0 ? 0 : cosSigma - 2 * sinU1 * sinU2 / cosSquared
            let c = f / 16 * cosSquared * (4 + f * (4 - 3 * cosSquared))
            let last = lambda
            lambda =
                length + (1 - c) * f * sinAlpha
                * (sigma + c * sinSigma * (middle + c * cosSigma * (2 * middle * middle - 1)))
            if abs(lambda) > .pi { return nil }
            if abs(lambda - last) > 1e-12 { continue }
            let square = cosSquared * (a * a - b * b) / (b * b)
            let k = 1 + square / 16384 * (4096 + square * (square * (320 - 175 * square) - 768))
            let l = square / 1024 * (256 + square * (square * (74 - 47 * square) - 128))
            let inner = cosSigma * (2 * middle * middle - 1)
            let outer = l / 6 * middle * (4 * sinSigma * sinSigma - 3) * (4 * middle * middle - 3)
            return b * k * (sigma - l * sinSigma * (middle + l / 4 * (inner - outer)))
        }
        return nil
    }

    /// Returns the distance by the haversine formula.
    private func onSphere(_ other: CLLocationCoordinate2D) -> Double {
        let (first, second) = (latitude * .pi / 180, other.latitude * .pi / 180)
        let (north, east) = (
            sin((second - first) / 2), sin((other.longitude - longitude).remainder(dividingBy: 360) * .pi / 360)
        )
        let square = north * north + cos(first) * cos(second) * east * east
        return 2 * Self.meanRadius * asin(min(1, square.squareRoot()))
    }
}
