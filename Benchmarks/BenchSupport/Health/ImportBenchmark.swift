// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// Complete runs of `kymo import`: processor time, wall time, peak memory, bytes per record.
package struct ImportBenchmark {
    /// The path of the `kymo` program.
    package let kymo: String
    /// The directory for stores.
    package let work: String
    package let runs: Int
    /// Runs a program in a separate small process and returns its cost; throws if the program fails.
    let measure: (_ program: String, _ arguments: [String]) throws -> ProcessCost

    /// - Parameter kymo: the path of the program; nil for the program beside this one.
    package init(
        kymo: String?, work: String, runs: Int,
        measure: @escaping (_ program: String, _ arguments: [String]) throws -> ProcessCost
    ) throws {
        let beside = URL(fileURLWithPath: ChildProcess.ownPath).deletingLastPathComponent().path + "/kymo"
        self.kymo = kymo ?? beside
        self.work = work
        self.runs = runs
        self.measure = measure
        guard FileManager.default.isExecutableFile(atPath: self.kymo) else {
            throw BenchError("\(self.kymo) is not a program; build kymo, or give it with --kymo")
        }
    }

    /// Returns the rows of a new store from the XML, the same import again, and a new store from the archive.
    package func run(_ files: ExportFiles) throws -> [BenchResult] {
        var rows = [try new(files.xml, "export.xml", files), try again(files.xml, files)]
        if let zip = files.zip { rows.append(try new(zip, "export.zip", files)) }
        return rows
    }

    /// The store of the latest import.
    var store: String { work + "/health" }

    /// Imports into a new store, several times.
    private func new(_ path: String, _ name: String, _ files: ExportFiles) throws -> BenchResult {
        var costs = [ProcessCost]()
        for _ in 0..<max(1, runs) {
            BenchFiles.removeTree(store)
            costs.append(try once(path))
        }
        return try row(name, "new", costs, files, "kymo import into a new store")
    }

    /// Imports data that is already stored.
    private func again(_ path: String, _ files: ExportFiles) throws -> BenchResult {
        let costs = try (0..<max(1, runs)).map { _ in try once(path) }
        return try row("export.xml", "again", costs, files, "kymo import with nothing new")
    }

    private func once(_ path: String) throws -> ProcessCost {
        try measure(kymo, ["import", path, "--store", store, "--quiet", "--tz", "UTC"])
    }

    private func row(
        _ set: String, _ mode: String, _ costs: [ProcessCost], _ files: ExportFiles, _ what: String
    ) throws -> BenchResult {
        let (records, hash) = try check(files.manifest)
        let bytes = try BenchFiles.sizes(under: store).filter { !$0.name.hasSuffix("-shm") }.reduce(0) { $0 + $1.bytes }
        let watch = Stopwatch(seconds: costs.map(\.wallSeconds))
        var row = BenchResult(
            id: "import", set: set, mode: mode, watch: watch, samples: records, hash: hash, what: what)
        row.processorSeconds = Stopwatch(seconds: costs.map(\.processorSeconds)).median
        row.residentBytes = costs.map(\.peakResidentBytes).max()
        row.samplesPerSecond = Double(records) / watch.median
        row.bytes = bytes
        row.bytesPerSample = Double(bytes) / Double(max(1, records))
        return row
    }

    private struct TypeRow: Decodable {
        let type: String
        let samples: Int
    }

    /// Compares the number of samples of each type with the manifest; returns their sum and a checksum over all types.
    func check(_ manifest: ExportFiles.Manifest?) throws -> (records: Int, hash: AnswerHash) {
        let child = try ChildProcess(kymo, ["types", "--store", store, "--json", "--tz", "UTC"], work: work)
        try child.require("kymo types")
        let types: [TypeRow] = try BenchJSON.decode(
            Data(child.output.utf8), "\(kymo) types --json returned no list of types",
            hint: "give the program kymo with --kymo")
        var hash = AnswerHash()
        for type in types.sorted(by: { $0.type < $1.type }) {
            for byte in type.type.utf8 { hash.add(UInt64(byte)) }
            hash.add(Int64(type.samples))
        }
        if let manifest {
            for (type, count) in manifest.count.sorted(by: { $0.key < $1.key }) {
                let found = types.first { $0.type == type }?.samples ?? 0
                guard found == count else {
                    throw BenchError("\(type): \(found) samples in the store, the manifest says \(count)")
                }
            }
        }
        return (manifest?.records ?? types.reduce(0) { $0 + $1.samples }, hash)
    }
}
