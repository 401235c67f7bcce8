// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-60 a session is mirrored to another process of its program")
struct MirroringTests {
    /// Records what a delegate receives beyond the session's changes.
    private final class Recorder: NSObject, HKWorkoutSessionDelegate, Sendable {
        private let state = Mutex<(calls: [String], data: [Data])>(([], []))
        var calls: [String] { state.withLock { $0.calls } }
        var data: [Data] { state.withLock { $0.data } }

        func workoutSession(
            _ workoutSession: HKWorkoutSession, didChangeTo toState: HKWorkoutSessionState,
            from fromState: HKWorkoutSessionState, date: Date
        ) { state.withLock { $0.calls.append("\(toState)") } }

        func workoutSession(_ workoutSession: HKWorkoutSession, didFailWithError error: any Error) {
            state.withLock { $0.calls.append("failed") }
        }

        func workoutSession(_ workoutSession: HKWorkoutSession, didReceiveDataFromRemoteWorkoutSession data: [Data]) {
            state.withLock { $0.data += data }
        }

        func workoutSession(
            _ workoutSession: HKWorkoutSession, didDisconnectFromRemoteDeviceWithError error: (any Error)?
        ) { state.withLock { $0.calls.append(error == nil ? "gone" : "broken") } }
    }

    /// Waits up to ten seconds for a condition.
    private static func wait(_ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<500 {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// Starts the mirroring. Waits longer than a program does, because other tests keep the other side from running.
    private static func start(_ session: HKWorkoutSession) async throws {
        try await BlockingQueue.result { () throws(HKError) in try session.startMirroring(milliseconds: 300_000) }
    }

    @Test("states, events, calls and data pass in both directions, below a long path", arguments: [10, 200])
    func mirror(length: Int) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file(String(repeating: "d", count: length))
        let (watch, phone) = (HKHealthStore(path: path), HKHealthStore(path: path))
        defer { watch.close() }
        let mirrored = Mutex<HKWorkoutSession?>(nil)
        phone.workoutSessionMirroringStartHandler = { session in mirrored.withLock { $0 = session } }
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .hiking
        let session = try HKWorkoutSession(healthStore: watch, configuration: configuration)
        let (own, other) = (Recorder(), Recorder())
        session.delegate = own
        #expect(await code { try await session.startMirroringToCompanionDevice() } == .errorInvalidArgument)
        #expect(await code { try await session.sendToRemoteWorkoutSession(data: Data([1])) } == .errorInvalidArgument)
        session.prepare()
        await session.settle()
        try await Self.start(session)
        #expect(try await Self.wait { mirrored.withLock { $0 } != nil })
        let mirror = try #require(mirrored.withLock { $0 })
        mirror.delegate = other
        #expect(mirror.type == .mirrored && mirror.workoutConfiguration.activityType == .hiking)
        do {
            try await mirror.startMirroringToCompanionDevice()
            Issue.record("a mirror was mirrored")
        } catch { #expect((error as? HKError)?.reason == "the session is a mirror") }
        #expect(await code { try await mirror.associatedWorkoutBuilder().beginCollection(at: clock) } != nil)
        session.startActivity(with: clock)
        #expect(try await Self.wait { mirror.state == .running && mirror.startDate == clock })
        mirror.pause()
        #expect(try await Self.wait { session.state == .paused && mirror.state == .paused })
        #expect(session.associatedWorkoutBuilder().workoutEvents.isEmpty)
        try await session.sendToRemoteWorkoutSession(data: Data("from the watch".utf8))
        try await mirror.sendToRemoteWorkoutSession(data: Data("from the phone".utf8))
        #expect(try await Self.wait { other.data == [Data("from the watch".utf8)] })
        #expect(try await Self.wait { own.data == [Data("from the phone".utf8)] })
        let much = Data(repeating: 0, count: 99_000)
        try await session.sendToRemoteWorkoutSession(data: much)
        #expect(await code { try await session.sendToRemoteWorkoutSession(data: much) } == .errorDataSizeExceeded)
        #expect(try await Self.wait { other.data.count == 2 })
        session.end()
        #expect(try await Self.wait { mirror.state == .ended && other.calls.contains("gone") })
        #expect(other.calls.filter { $0 != "gone" } == ["running", "paused", "ended"])
        #expect(await code { try await session.startMirroringToCompanionDevice() } == .errorInvalidArgument)
    }

    @Test("a delegate that the handler sets late misses no change")
    func lateDelegate() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let (watch, phone) = (HKHealthStore(path: path), HKHealthStore(path: path))
        defer { watch.close() }
        let mirrored = Mutex<HKWorkoutSession?>(nil)
        let other = Recorder()
        let isStarted = DispatchSemaphore(value: 0)
        phone.workoutSessionMirroringStartHandler = { session in
            isStarted.wait()
            session.delegate = other
            mirrored.withLock { $0 = session }
        }
        let session = try HKWorkoutSession(healthStore: watch, configuration: HKWorkoutConfiguration())
        session.prepare()
        await session.settle()
        try await Self.start(session)
        session.startActivity(with: clock)
        session.pause()
        await session.settle()
        isStarted.signal()
        #expect(try await Self.wait { other.calls.count == 2 })
        #expect(other.calls == ["running", "paused"] && mirrored.withLock { $0?.state } == .paused)
        session.end()
        #expect(try await Self.wait { other.calls.contains("gone") })
    }

    @Test("concurrent calls to start the mirroring give the session one mirror")
    func concurrentStarts() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let (watch, phone) = (HKHealthStore(path: path), HKHealthStore(path: path))
        defer { watch.close() }
        let count = Mutex(0)
        let other = Recorder()
        phone.workoutSessionMirroringStartHandler = { session in
            session.delegate = other
            count.withLock { $0 += 1 }
        }
        let session = try HKWorkoutSession(healthStore: watch, configuration: HKWorkoutConfiguration())
        session.prepare()
        await session.settle()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await Self.start(session) } }
            try await group.waitForAll()
        }
        session.end()
        #expect(try await Self.wait { other.calls.contains("gone") })
        #expect(other.calls == ["ended", "gone"] && count.withLock { $0 } == 1)
    }

    @Test("without another process the mirroring fails, and leaves nothing in the directory")
    func nobody() async throws {
        let door = try TestDoor()
        let session = try HKWorkoutSession(healthStore: door.health, configuration: HKWorkoutConfiguration())
        session.startActivity(with: clock)
        await session.settle()
        let code = await code { try await session.startMirroringToCompanionDevice() }
        #expect(code == .errorHealthDataUnavailable)
        let names = try FileManager.default.contentsOfDirectory(atPath: door.directory.file("store"))
        #expect(!names.contains { $0.hasPrefix("mirror") })
        // A socket of a killed process.
        let left = try LocalSocket.listen(in: door.directory.file("store"), name: "mirror-5")
        left.close()
        let store = try door.health.store()
        #expect(try store.verify().isSound)
        try store.engine.backup(to: door.directory.file("backup"))
        #expect(!FileManager.default.fileExists(atPath: door.directory.file("backup") + "/mirror-5"))
        session.end()
        await session.settle()
    }
}
