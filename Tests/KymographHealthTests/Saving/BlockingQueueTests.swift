// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import KymographHealth

@Suite("S-40 blocking work of the health store")
struct BlockingQueueTests {
    private final class Count: Sendable {
        let running = Mutex((now: 0, most: 0, done: 0))
    }

    @Test("any number of blocking works runs on a bounded number of threads, and all of them end")
    func bounded() {
        let (count, gate, all) = (Count(), DispatchSemaphore(value: 0), DispatchGroup())
        let works = 3 * BlockingQueue.width
        for _ in 0..<works {
            all.enter()
            BlockingQueue.run {
                count.running.withLock { state in
                    state.now += 1
                    state.most = max(state.most, state.now)
                }
                gate.wait()
                count.running.withLock { state in
                    state.now -= 1
                    state.done += 1
                }
                all.leave()
            }
        }
        for _ in 0..<works { gate.signal() }
        all.wait()
        let (now, most, done) = count.running.withLock { $0 }
        #expect(now == 0 && done == works && most <= BlockingQueue.width)
    }

    @Test("a directory whose store is closed, or cannot be opened, is not remembered")
    func places() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("places-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for number in 0..<3 {
            let path = folder.appendingPathComponent("\(number)").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            _ = try OpenHealthStores.store(at: path, StoreOptions())
            #expect(OpenHealthStores.names.contains { $0.hasSuffix(folder.lastPathComponent + "/\(number)") })
            OpenHealthStores.close(path)
        }
        let file = folder.appendingPathComponent("file").path
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(throws: (any Error).self) { try OpenHealthStores.store(at: file, StoreOptions()) }
        #expect(!OpenHealthStores.names.contains { $0.contains(folder.lastPathComponent) })
    }
}
