// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// Each test forks in a process of its own. Beside other tests, a lock of the allocator or the runtime that another
/// thread holds at the fork would stay locked in the child.
@Suite("E-12 S-1 a forked process cannot write to the parent's health store")
struct HealthForkTests {
    @Test(
        "a save and a load are refused in the child, also while the parent's threads save or load", arguments: [0, 1])
    func gate(_ other: Int) async {
        await #expect(processExitsWith: .success) { [other = other as Int] in
            try ForkedHealth.gate(whileLoading: other == 1)
        }
    }

    @Test("a save of so many objects that several threads check them is refused in the child")
    func many() async {
        await #expect(processExitsWith: .success) { try ForkedHealth.many() }
    }
}

/// The process of each test.
private enum ForkedHealth {
    /// Returns the outcome of a call in a forked child: 1 if the call is refused because of the fork, 0 for no error, 2
    /// for another error, -1 if the call does not return.
    private static func inChild(_ body: @escaping () throws -> Void) -> Int32 {
        let child = ForkedChild {
            alarm(10)
            do {
                try body()
                return 0
            } catch {
                return "\(error)".contains("forked") ? 1 : 2
            }
        }
        return child.wait()
    }

    private static let program = HKSourceRevision(
        source: HKSource(name: "Scale", bundleIdentifier: "org.scale"), version: nil, productType: nil,
        operatingSystemVersion: OperatingSystemVersion())

    private static func weights(_ count: Int) -> [HKObject] {
        (0..<count).map { i in
            HKQuantitySample(
                type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 70),
                start: Date(timeIntervalSince1970: Double(i)), end: Date(timeIntervalSince1970: Double(i)))
        }
    }

    static func gate(whileLoading: Bool) throws {
        let test = try TestHealthStore()
        let store = test.store
        try store.save(weights(2), as: program)
        let (held, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let wait: @Sendable () -> Void = {
            held.signal()
            end.wait()
        }
        let thread = Thread {
            if whileLoading { try? store.gate.load { wait() } } else { try? store.gate.save { wait() } }
        }
        thread.start()
        held.wait()
        #expect(inChild { try store.save(weights(1), as: program) } == 1)
        #expect(inChild { _ = try store.load { _ in } } == 1)
        #expect(inChild { try store.write { _ in } } == 1)
        end.signal()
        try store.save(weights(3), as: program)
        #expect(try store.engine.verify().isSound)
    }

    static func many() throws {
        let test = try TestHealthStore()
        let store = test.store
        let objects = weights(40_000)
        try store.save(objects, as: program)
        let more = weights(40_000)
        #expect(inChild { try store.save(more, as: program) } == 1)
        try store.save(more, as: program)
    }
}
