// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension HKElectrocardiogram {
    /// The voltages of one moment.
    public final class VoltageMeasurement: NSObject, NSCopying, Sendable {
        /// In seconds since the start of the electrocardiogram.
        public let timeSinceSampleStart: TimeInterval
        private let quantities: [Lead: HKQuantity]

        package init(time: TimeInterval, quantities: [Lead: HKQuantity]) {
            timeSinceSampleStart = time
            self.quantities = quantities
            super.init()
        }

        /// The voltage of a lead, in the unit that it is kept in; nil where it was not measured.
        public func quantity(for lead: Lead) -> HKQuantity? { quantities[lead] }

        /// The object itself, which never changes.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
}
