// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// Each test forks in a process of its own: beside other tests, a lock of the allocator or of the runtime that another
/// thread holds at that moment would stay locked in the child for ever.
@Suite("E-12 S-1 a process that was forked with a health store open")
struct HealthForkTests {
    @Test(
        "a save and a load are refused in the child, also where the parent's threads save or load", arguments: [0, 1])
    func gate(_ other: Int) async {
        await #expect(processExitsWith: .success) { [other = other as Int] in
            try ForkedHealth.gate(whileLoading: other == 1)
        }
    }

    @Test("so is a save of so many objects that several threads check them")
    func many() async {
        await #expect(processExitsWith: .success) { try ForkedHealth.many() }
    }
}

/// What happens in the process of each test.
private enum ForkedHealth {
    /// What a call ends with in a forked child: 1 for the refusal of a forked child, 0 for no error, 2 for another one;
    /// -1 where it does not end.
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
