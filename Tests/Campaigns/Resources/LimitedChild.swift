// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph
import TestSupport

/// The process under limits: runs a script in a directory, continues after refused operations, and reports the outcome
/// of each operation to its parent.
package enum LimitedChild {
    /// A line of its report.
    enum Line: Equatable {
        case started
        case begun(Int)
        case done(Int)
        case refused(Int, String)
        /// The content differs from the acknowledged content.
        case wrong(String)
        case ended

        var text: String {
            switch self {
            case .started: "started"
            case .begun(let index): "begun \(index)"
            case .done(let index): "done \(index)"
            case .refused(let index, let kind): "refused \(index) \(kind)"
            case .wrong(let what): "wrong \(what)"
            case .ended: "ended"
            }
        }

        init?(_ text: Substring) {
            let parts = text.split(separator: " ", maxSplits: 2).map(String.init)
            switch (parts.first, parts.count) {
            case ("started", 1): self = .started
            case ("ended", 1): self = .ended
            case ("begun", 2): self = .begun(Int(parts[1]) ?? -1)
            case ("done", 2): self = .done(Int(parts[1]) ?? -1)
            case ("refused", 3): self = .refused(Int(parts[1]) ?? -1, parts[2])
            case ("wrong", _): self = .wrong(parts.dropFirst().joined(separator: " "))
            default: return nil
            }
        }
    }

    /// Small limits, so that short scripts reach all mechanisms of a store.
    static var options: StoreOptions {
        var options = StoreOptions()
        options.ballastBytes = 65_536
        options.segmentBytes = 20_000
        options.sealSamples = 200
        options.sealBatches = 6
        options.threads = 1
        options.indexCacheBytes = 1 << 20
        return options
    }

    static func script(_ seed: UInt64) -> StoreScript { StoreScript(seed: seed, length: 24, batchesMeet: false) }

    /// - Parameter order: the script's seed, a colon, the directory.
    package static func run(_ order: String) {
        let parts = order.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, let seed = UInt64(parts[0]) else { return }
        say(.started)
        let script = script(seed)
        var model = StoreModel()
        var store: TimeSeriesStore?
        for (index, operation) in script.operations.enumerated() {
            if !model.isPossible(operation) { continue }
            say(.begun(index))
            do {
                if case .reopen = operation {
                    store?.close()
                    store = nil
                }
                let opened = try store ?? TimeSeriesStore.openOrCreate(at: parts[1], options: options)
                store = opened
                try opened.perform(operation)
                model.apply(operation)
                say(.done(index))
            } catch let error as StoreError {
                say(.refused(index, error.kind.name))
                if [.outcomeUnknown, .writerFailed].contains(error.kind) { return say(.ended) }
            } catch {
                say(.wrong("\(operation.name): \(error)"))
            }
            // Reads may be refused for lack of descriptors; successful reads must be right.
            if let store, let found = try? SimulatedStore.digest(of: store), found != model.digest {
                say(.wrong("after operation \(index)"))
            }
        }
        store?.close()
        say(.ended)
    }

    private static func say(_ line: Line) {
        FileHandle.standardOutput.write(Data((line.text + "\n").utf8))
    }
}
