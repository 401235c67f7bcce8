// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import KymographHealth

extension CountedOperation {
    /// The samples that a program reads: in an open store, and with full permission.
    static let access: [CountedOperation] = [false, true].map { isEnforced in
        let (name, what) = isEnforced ? ("access-full", "with full permission") : ("access-open", "of an open store")
        return CountedOperation(name, 20, "a program lists 1,000 of 10,000 heart rates \(what)") { work in
            let path = "\(work)/\(name)"
            BenchFiles.removeTree(path)
            let store = try HealthStore.openOrCreate(at: path, options: options)
            try Waiting.result { try await AccessBenchmark.fill(store, 10_000) }
            var all = AuthorizationChange(client: AccessBenchmark.client, origin: "benchmark")
            all.read[AccessBenchmark.heartRate] = true
            try store.decide(all)
            try store.setAuthorizationMode(isEnforced ? .enforced : .open)
            let view = store.acting(for: AccessBenchmark.client)
            return Body(
                run: {
                    var count = 0
                    try view.list(AccessBenchmark.heartRate, backward: true) { _ in
                        count += 1
                        return count < 1_000
                    }
                    guard count == 1_000 else { throw BenchError("\(count) of 1,000 samples were found") }
                },
                finish: { store.close() })
        }
    }
}
