// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import KymographHealth
import UniformTypeIdentifiers

/// The rates at which attachments are added and read, beside durable copies and plain reads of the same files.
package struct AttachmentBenchmark: Sendable {
    package struct Bounds: Sendable {
        /// The attachments of one prescription, and the bytes of each.
        package var files = 1_000
        package var bytes = 1_000_000
        /// The readings of all attachments.
        package var runs = 5

        package init() {}

        /// Bounds for a run of some seconds.
        package static var small: Bounds {
            var bounds = Bounds()
            (bounds.files, bounds.bytes) = (20, 200_000)
            return bounds
        }
    }

    let work: String
    let bounds: Bounds

    package init(work: String, _ bounds: Bounds) {
        self.work = work
        self.bounds = bounds
    }

    /// The files in turn: copies and additions of the same file alternate, so that both meet the same disk.
    private static let sources = 8

    /// Runs all measurements in one store.
    package func run() async throws -> [BenchResult] {
        let path = "\(work)/attachments"
        BenchFiles.removeTree(path)
        try BenchFiles.makeDirectory(path)
        try BenchFiles.makeDirectory(path + "/copies")
        defer { BenchFiles.removeTree(path) }
        for number in 0..<Self.sources { try contents(number).write(to: source(path, number)) }
        let store = try HealthStore.openOrCreate(at: path + "/store")
        defer { store.close() }
        let health = HKHealthStore(store)
        let prescription = HKVisionPrescription(
            type: .glasses, dateIssued: WorkoutBenchmark.begin, expirationDate: nil, device: nil,
            metadata: nil)
        try await health.save(prescription)
        let attachments = HKAttachmentStore(healthStore: health)

        var rows = try await added(attachments, prescription, path)
        let all = try await attachments.attachments(for: prescription)
        guard all.count == bounds.files else { throw BenchError("\(all.count) of \(bounds.files) files are attached") }
        rows += try await read(attachments, all, path)
        return rows
    }

    private func source(_ path: String, _ number: Int) -> URL {
        URL(fileURLWithPath: "\(path)/\(number % Self.sources).png")
    }

    private func contents(_ number: Int) -> Data {
        var random = BenchRandom(seed: UInt64(number + 1))
        return Data((0..<bounds.bytes).map { _ in UInt8(truncatingIfNeeded: random.next() >> 20) })
    }

    // MARK: Adding

    private func added(
        _ attachments: HKAttachmentStore, _ prescription: HKVisionPrescription, _ path: String
    ) async throws -> [BenchResult] {
        var (add, copy) = (Stopwatch(), Stopwatch())
        let before = Int(Machine.residentBytes())
        var peak = before
        for number in 0..<bounds.files {
            let url = source(path, number)
            try copy.measure { try Self.copyDurably(url.path, to: "\(path)/copies/\(number)") }
            _ = try await add.measureAwaited {
                try await attachments.addAttachment(
                    to: prescription, name: "\(number)", contentType: .png, url: url, metadata: [:])
            }
            peak = max(peak, Int(Machine.residentBytes()))
        }
        var base = row("copy", copy, "read, write, sync, rename, sync of the directory")
        base.bytesPerSecond = Double(bounds.bytes) / copy.median
        var ours = row("add", add, "addAttachment; the memory is the growth of the process")
        ours.bytesPerSecond = Double(bounds.bytes) / add.median
        ours.residentBytes = peak - before
        ours.ratio = copy.median / max(add.median, 1e-12)
        ours.ratioTo = "copy"
        return [base, ours]
    }

    /// Copies a file as a careful program does: a crash leaves the whole copy or none.
    private static func copyDurably(_ source: String, to target: String) throws {
        let disk = RealDisk()
        let from = try disk.open(source, writable: false)
        defer { try? from.close() }
        let size = Int(try from.size())
        var buffer: [UInt8] = []
        let to = try disk.create(target + ".new")
        var position = 0
        while position < size {
            let count = try from.read(at: UInt64(position), count: 65_536, into: &buffer, offset: 0)
            try to.write(buffer, 0..<count, at: UInt64(position))
            position += count
        }
        try to.sync()
        try to.close()
        try disk.rename(target + ".new", to: target)
        try disk.syncDirectory((target as NSString).deletingLastPathComponent)
    }

    // MARK: Reading

    private func read(
        _ attachments: HKAttachmentStore, _ all: [HKAttachment], _ path: String
    ) async throws -> [BenchResult] {
        let wanted = contents(0)
        var (data, stream, plain) = (Stopwatch(), Stopwatch(), Stopwatch())
        let before = Int(Machine.residentBytes())
        var peak = before
        for run in 0..<max(1, bounds.runs) {
            for (number, attachment) in all.enumerated() {
                let found = try await data.measureAwaited { try await attachments.dataReader(for: attachment).data }
                guard found.count == bounds.bytes, number % Self.sources > 0 || run > 0 || found == wanted else {
                    throw BenchError("attachment \(number) has other bytes")
                }
                let count = try await stream.measureAwaited { try await Self.streamed(attachments, attachment) }
                guard count == bounds.bytes else { throw BenchError("\(count) bytes were streamed") }
                let copied = try plain.measure { try Self.read("\(path)/copies/\(number)") }
                guard copied == bounds.bytes else { throw BenchError("the copy has \(copied) bytes") }
            }
            peak = max(peak, Int(Machine.residentBytes()))
        }
        var base = row("read", plain, "the same files in one read call each, without checksums", set: "plain")
        base.bytesPerSecond = Double(bounds.bytes) / plain.median
        var rows = [base]
        for (watch, name, what) in [(data, "data", "dataReader(for:).data"), (stream, "stream", "streamData(for:)")] {
            var ours = row("read", watch, what + ", verified; in the system's cache", set: name)
            ours.bytesPerSecond = Double(bounds.bytes) / watch.median
            ours.residentBytes = peak - before
            ours.ratio = base.medianSeconds / max(watch.median, 1e-12)
            ours.ratioTo = "plain"
            rows.append(ours)
        }
        return rows
    }

    private static func streamed(_ attachments: HKAttachmentStore, _ attachment: HKAttachment) async throws -> Int {
        let pieces = AsyncThrowingStream<Int, any Error> { continuation in
            attachments.streamData(for: attachment) { piece, error, isDone in
                if let piece { continuation.yield(piece.count) }
                if isDone { continuation.finish(throwing: error) }
            }
        }
        return try await pieces.reduce(0, +)
    }

    /// Reads a file into fresh memory, and returns the number of its bytes.
    private static func read(_ path: String) throws -> Int {
        let file = try RealDisk().open(path, writable: false)
        defer { try? file.close() }
        var bytes: [UInt8] = []
        return try file.read(at: 0, count: Int(try file.size()), into: &bytes, offset: 0)
    }

    private func row(_ id: String, _ watch: Stopwatch, _ what: String, set: String? = nil) -> BenchResult {
        let set = set ?? "\(bounds.files) files of \(bounds.bytes) bytes"
        return BenchResult(id: id, set: set, mode: "attachments", watch: watch, samples: 1, hash: nil, what: what)
    }
}
