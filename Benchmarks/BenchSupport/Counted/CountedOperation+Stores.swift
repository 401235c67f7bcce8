// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import FileSystem
import Foundation
import Kymograph
import KymographHealth

extension CountedOperation {
    /// One thread: instructions of other threads would not be counted.
    static var options: StoreOptions {
        var options = StoreOptions()
        options.threads = 1
        return options
    }

    private static func small(_ name: String) throws -> BenchSet { try BenchSet.small([name])[0] }

    /// Creates a store with empty series for a set.
    private static func empty(_ path: String, _ set: BenchSet) throws -> (store: TimeSeriesStore, ids: [SeriesID]) {
        BenchFiles.removeTree(path)
        let store = try TimeSeriesStore.create(at: path, options: options)
        return (store, try set.series.map { try store.series($0.name, kind: .discrete).id })
    }

    private static func load(_ store: TimeSeriesStore, _ ids: [SeriesID], _ set: BenchSet) throws {
        try store.bulkLoad { loader in
            for (id, one) in zip(ids, set.series) {
                try loader.append(to: id, starts: one.times.span, values: one.values.span)
            }
        }
    }

    /// Bulk loads of each kind of data, and an import.
    static let loads: [CountedOperation] =
        BenchSet.names.map { name in
            CountedOperation("load-\(name)", name == "hr" ? 1 : 3, "bulk load of the small set \(name)") { work in
                let set = try small(name)
                let path = "\(work)/\(name)"
                var open: (store: TimeSeriesStore, ids: [SeriesID])?
                return Body(
                    prepare: {
                        open?.store.close()
                        open = try empty(path, set)
                    },
                    run: { if let open { try load(open.store, open.ids, set) } },
                    finish: { open?.store.close() })
            }
        } + [
            CountedOperation("import", 1, "import of an export with \(SmallExport.records) records") { work in
                let file = "\(work)/export.xml"
                try BenchFiles.write(SmallExport.text, to: file)
                let path = "\(work)/health"
                var store: HealthStore?
                return Body(
                    prepare: {
                        store?.close()
                        BenchFiles.removeTree(path)
                        store = try HealthStore.openOrCreate(at: path, options: options)
                    },
                    run: {
                        guard let store else { return }
                        let outcome = try AppleHealthImporter.importFile(file, into: store)
                        guard outcome.added == SmallExport.records else {
                            throw BenchError("\(outcome.added) of \(SmallExport.records) records were imported")
                        }
                    },
                    finish: { store?.close() })
            }
        ]

    /// Durable appends, sealing, opening, snapshots.
    static let commits: [CountedOperation] =
        [1, 100].map { size in
            CountedOperation("append-\(size)", 20, "a durable append of \(size)") { work in
                let set = try small("hr")
                let (store, ids) = try empty("\(work)/append", set)
                var at = 0
                var times = [Int64]()
                var values = [Double]()
                return Body(
                    prepare: {
                        times = Array(set.series[0].times[at..<at + size])
                        values = Array(set.series[0].values[at..<at + size])
                        at += size
                    },
                    run: { try store.append(to: ids[0], starts: times.span, values: values.span) },
                    finish: { store.close() })
            }
        } + [
            CountedOperation("seal", 1, "sealing 50 appends of 100") { work in
                let set = try small("hr")
                var open: (store: TimeSeriesStore, ids: [SeriesID])?
                return Body(
                    prepare: {
                        open?.store.close()
                        let made = try empty("\(work)/seal", set)
                        for i in 0..<50 {
                            let times = Array(set.series[0].times[i * 100..<i * 100 + 100])
                            let values = Array(set.series[0].values[i * 100..<i * 100 + 100])
                            try made.store.append(to: made.ids[0], starts: times.span, values: values.span)
                        }
                        open = made
                    },
                    run: { try open?.store.seal() },
                    finish: { open?.store.close() })
            },
            CountedOperation("open", 5, "opening and closing a store for reading") { work in
                let set = try small("hr")
                let (store, ids) = try empty("\(work)/open", set)
                try load(store, ids, set)
                store.close()
                return Body(run: {
                    try TimeSeriesStore.open(at: "\(work)/open", mode: .readOnly, options: options).close()
                })
            },
            CountedOperation("snapshot", 10, "a thousand snapshots") { work in
                let (store, _) = try empty("\(work)/snapshot", try small("hr"))
                return Body(run: { for _ in 0..<1_000 { blackHole(store.snapshot().sequence) } }, finish: store.close)
            },
        ]
}
