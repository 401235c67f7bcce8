// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// The load of a process that reads while another process writes: it refreshes and queries everything a hundred times a
/// second.
package enum ReaderLoad {
    /// Reads a store until the file `stop` exists. Returns the number of rounds.
    package static func run(store path: String, until stop: String, isEncrypted: Bool) throws -> Int {
        let store = try TimeSeriesStore.open(
            at: path, mode: .readOnly, options: BenchKey.options(isEncrypted: isEncrypted))
        defer { store.close() }
        var count = 0
        while !FileManager.default.fileExists(atPath: stop) {
            try store.refresh()
            let snapshot = store.snapshot()
            for one in snapshot.series { _ = try snapshot.aggregate(of: one.id) }
            count += 1
            usleep(10_000)
        }
        return count
    }

    /// Runs a body while a number of processes read a store.
    static func beside<R: Sendable>(
        _ processes: Int, store: String, isEncrypted: Bool, work: String, _ body: @escaping @Sendable () throws -> R
    ) throws -> R {
        let stop = "\(work)/readers-stop"
        BenchFiles.removeTree(stop)
        defer { BenchFiles.removeTree(stop) }
        let results = try Threads.run(processes + 1) { index -> R? in
            if index == 0 {
                defer { try? BenchFiles.write("", to: stop) }
                // Waits until the readers have started.
                usleep(300_000)
                return try body()
            }
            let place = "\(work)/reader-\(index)"
            try BenchFiles.makeDirectory(place)
            defer { BenchFiles.removeTree(place) }
            let child = try ChildProcess(
                ChildProcess.ownPath,
                ["read-beside", "--store", store, "--until", stop] + (isEncrypted ? ["--encrypted"] : []),
                work: place)
            try child.require("a reader")
            return nil
        }
        guard let found = results.compactMap(\.self).first else { throw BenchError("the writer returned no result") }
        return found
    }
}
