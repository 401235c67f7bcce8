// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension HKElectrocardiogram {
    /// The voltages measured at one instant.
    public final class VoltageMeasurement: NSObject, NSCopying, Sendable {
        /// The time since the start of the electrocardiogram in seconds.
        public let timeSinceSampleStart: TimeInterval
        private let quantities: [Lead: HKQuantity]

        package init(time: TimeInterval, quantities: [Lead: HKQuantity]) {
            timeSinceSampleStart = time
            self.quantities = quantities
            super.init()
        }

        /// Returns the voltage of a lead in its stored unit; nil if the lead was not measured.
        public func quantity(for lead: Lead) -> HKQuantity? { quantities[lead] }

        /// Returns the object itself, which is immutable.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
}
