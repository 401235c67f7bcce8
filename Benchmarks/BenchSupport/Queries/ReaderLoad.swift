// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// What a process does that reads beside a writer: a hundred times a second it refreshes and asks for everything.
package enum ReaderLoad {
    /// Reads until a file of this name is there; how often.
    package static func run(store path: String, until stop: String) throws -> Int {
        let store = try TimeSeriesStore.open(at: path, mode: .readOnly)
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

    /// Runs a body beside so many processes that read a store.
    static func beside<R: Sendable>(
        _ processes: Int, store: String, work: String, _ body: @escaping @Sendable () throws -> R
    ) throws -> R {
        let stop = "\(work)/readers-stop"
        BenchFiles.removeTree(stop)
        defer { BenchFiles.removeTree(stop) }
        let results = try Threads.run(processes + 1) { index -> R? in
            if index == 0 {
                defer { try? BenchFiles.write("", to: stop) }
                // The readers have to be there first.
                usleep(300_000)
                return try body()
            }
            let place = "\(work)/reader-\(index)"
            try BenchFiles.makeDirectory(place)
            defer { BenchFiles.removeTree(place) }
            let child = try ChildProcess(
                ChildProcess.ownPath, ["read-beside", "--store", store, "--until", stop], work: place)
            try child.require("a reader")
            return nil
        }
        guard let found = results.compactMap(\.self).first else { throw BenchError("the writer gave no answer") }
        return found
    }
}
