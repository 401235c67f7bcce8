// SPDX-License-Identifier: Apache-2.0

internal import CoreMetrics
internal import Kymograph

/// The counters, gauges and timers of one reporter.
struct Instruments: Sendable {
    /// Counters: the name, and the field of the store's counters with the value.
    private static let counted: [(name: String, value: @Sendable (StoreCounters) -> Int)] = [
        ("commits_total", { $0.commits }),
        ("commits_failed_total", { $0.commitsFailed }),
        ("commit_nanoseconds_total", { $0.commitTime.nanoseconds }),
        ("syncs_total", { $0.syncs }),
        ("catalog_written_bytes_total", { $0.catalogBytesWritten }),
        ("tail_written_bytes_total", { $0.tailBytesWritten }),
        ("segment_written_bytes_total", { $0.segmentBytesWritten }),
        ("appends_total", { $0.appends }),
        ("appends_grouped_total", { $0.appendsGrouped }),
        ("samples_appended_total", { $0.samplesAppended }),
        ("samples_loaded_total", { $0.samplesLoaded }),
        ("samples_deleted_total", { $0.samplesDeleted }),
        ("seals_total", { $0.seals }),
        ("merges_total", { $0.compaction.steps }),
        ("merge_segments_read_total", { $0.compaction.segmentsRead }),
        ("merge_segments_written_total", { $0.compaction.segmentsWritten }),
        ("merge_read_bytes_total", { Int($0.compaction.bytesRead) }),
        ("merge_written_bytes_total", { Int($0.compaction.bytesWritten) }),
        ("merge_samples_written_total", { $0.compaction.samplesWritten }),
        ("merge_samples_removed_total", { $0.compaction.samplesRemoved }),
        ("damaged_reads_total", { $0.damagedReads }),
        ("disk_full_errors_total", { $0.diskFullErrors }),
        ("backpressure_waits_total", { $0.backpressureWaits }),
        ("backpressure_nanoseconds_total", { $0.backpressureTime.nanoseconds }),
        ("overloads_total", { $0.overloads }),
        ("turns_total", { $0.turns }),
        ("turn_wait_nanoseconds_total", { $0.turnWaitTime.nanoseconds }),
        ("index_pages_read_total", { $0.indexPagesRead }),
        ("events_lost_total", { $0.eventsLost }),
    ]

    /// Gauges: the name, and the field of the store's counters with the value.
    private static let current: [(name: String, value: @Sendable (StoreCounters) -> Int)] = [
        ("appends_waiting", { $0.appendsWaiting }),
        ("relaxed_waiting_bytes", { $0.relaxedBytesWaiting }),
        ("commits_held", { $0.commitsHeld }),
        ("commits_behind", { Int($0.commitsBehind) }),
        ("index_pages_in_memory", { $0.indexPagesInMemory }),
    ]

    /// Gauges: the name, and the field of the store's info with the value.
    private static let held: [(name: String, value: @Sendable (StoreInfo) -> Int)] = [
        ("last_commit", { Int($0.sequence) }),
        ("samples", { $0.samples }),
        ("deleted_samples", { $0.deletedSamples }),
        ("series", { $0.series }),
        ("segments", { $0.segments }),
        ("retired_segments", { $0.retiredSegments }),
        ("blocks", { $0.blocks }),
        ("tail_samples", { $0.tailSamples }),
        ("tail_batches", { $0.tailBatches }),
        ("segment_bytes", { Int($0.segmentBytes) }),
        ("deleted_bytes", { Int($0.deletedBytes) }),
        ("retired_bytes", { Int($0.retiredBytes) }),
        ("catalog_bytes", { Int($0.catalogBytes) }),
        ("store_bytes", { Int($0.bytes) }),
        ("ballast_bytes", { Int($0.ballastBytes) }),
    ]

    private let prefix: String
    private let dimensions: [(String, String)]
    private let factory: any MetricsFactory
    private let counters: [Counter]
    private let gauges: [Gauge]
    private let sizes: [Gauge]
    private let merges, loads, seals, backups: Timer

    init(_ prefix: String, _ dimensions: [(String, String)], _ factory: any MetricsFactory) {
        func label(_ name: String) -> String { prefix + "_" + name }
        self.prefix = prefix
        self.dimensions = dimensions
        self.factory = factory
        counters = Self.counted.map { Counter(label: label($0.name), dimensions: dimensions, factory: factory) }
        gauges = Self.current.map { Gauge(label: label($0.name), dimensions: dimensions, factory: factory) }
        sizes = Self.held.map { Gauge(label: label($0.name), dimensions: dimensions, factory: factory) }
        merges = Timer(label: label("merge_duration"), dimensions: dimensions, factory: factory)
        loads = Timer(label: label("load_duration"), dimensions: dimensions, factory: factory)
        seals = Timer(label: label("seal_duration"), dimensions: dimensions, factory: factory)
        backups = Timer(label: label("backup_duration"), dimensions: dimensions, factory: factory)
    }

    /// Publishes the increase of each counter since `last`, and the current gauges.
    func count(_ now: StoreCounters, since last: StoreCounters?) {
        for (counter, counted) in zip(counters, Self.counted) {
            let more = counted.value(now) - (last.map(counted.value) ?? 0)
            if more > 0 { counter.increment(by: more) }
        }
        for (kind, count) in now.mergesFailed {
            let more = count - (last?.mergesFailed[kind] ?? 0)
            guard more > 0 else { continue }
            Counter(
                label: prefix + "_merges_failed_total", dimensions: dimensions + [("reason", kind.name)],
                factory: factory
            ).increment(by: more)
        }
        for (gauge, current) in zip(gauges, Self.current) { gauge.record(current.value(now)) }
    }

    /// Publishes the gauges of the store's sizes.
    func gauge(_ info: StoreInfo) {
        for (gauge, held) in zip(sizes, Self.held) { gauge.record(held.value(info)) }
    }

    /// Records the duration of an event; events without a duration are ignored.
    func record(_ event: StoreEvent) {
        switch event.what {
        case .mergeEnded(_, let took): merges.recordNanoseconds(Int64(took.nanoseconds))
        case .loaded(_, _, let took): loads.recordNanoseconds(Int64(took.nanoseconds))
        case .sealed(_, _, let took): seals.recordNanoseconds(Int64(took.nanoseconds))
        case .backedUp(_, let took): backups.recordNanoseconds(Int64(took.nanoseconds))
        default: break
        }
    }
}

extension Duration {
    /// The duration in whole nanoseconds.
    fileprivate var nanoseconds: Int {
        Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
    }
}
