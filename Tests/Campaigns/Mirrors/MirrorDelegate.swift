// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// Passes each call of a session's delegate on as a line.
final class MirrorDelegate: NSObject, HKWorkoutSessionDelegate, Sendable {
    private let note: @Sendable (String) -> Void

    init(_ note: @escaping @Sendable (String) -> Void) { self.note = note }

    func workoutSession(
        _ session: HKWorkoutSession, didChangeTo to: HKWorkoutSessionState, from: HKWorkoutSessionState, date: Date
    ) { note("changed \(from) \(to)") }

    func workoutSession(_ session: HKWorkoutSession, didFailWithError error: any Error) { note("failed \(error)") }

    func workoutSession(_ session: HKWorkoutSession, didGenerate event: HKWorkoutEvent) {
        note("event \(event.type.rawValue)")
    }

    func workoutSession(
        _ session: HKWorkoutSession, didBeginActivityWith configuration: HKWorkoutConfiguration, date: Date
    ) { note("began \(configuration.activityType.rawValue)") }

    func workoutSession(
        _ session: HKWorkoutSession, didEndActivityWith configuration: HKWorkoutConfiguration, date: Date
    ) { note("finished \(configuration.activityType.rawValue)") }

    func workoutSession(_ session: HKWorkoutSession, didReceiveDataFromRemoteWorkoutSession data: [Data]) {
        for one in data { note("data \(String(decoding: one, as: UTF8.self))") }
    }

    func workoutSession(
        _ session: HKWorkoutSession, didDisconnectFromRemoteDeviceWithError error: (any Error)?
    ) { note(error == nil ? "gone" : "broken") }
}
