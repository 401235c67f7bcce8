// SPDX-License-Identifier: Apache-2.0

import HealthModel
import KymographHealth

extension TestDoor {
    /// Saves a heartbeat series, an electrocardiogram and a workout.
    ///
    /// - Parameter device: the device of the heartbeat series.
    func recordings(of device: HKDevice? = nil) async throws {
        let builder = HKHeartbeatSeriesBuilder(healthStore: health, device: device, start: clock)
        try await builder.addHeartbeat(at: 1, precededByGap: false)
        _ = try await builder.finishSeries()
        let voltages = HealthElectrocardiogramBuilder(
            healthStore: health, device: nil, start: clock,
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
        try voltages.append(voltages: [1, 2])
        _ = try await voltages.finish()
        _ = try await workout(.running)
    }
}
