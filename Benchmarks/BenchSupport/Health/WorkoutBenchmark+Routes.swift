// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import FileSystem
import Foundation
import HealthModel
import KymographHealth
import WorkoutFiles

extension WorkoutBenchmark {
    /// Measures the stored bytes of a generated route and of the GPX files of a directory, beside compressed GPX.
    func routes(_ generated: [CLLocation]) async throws -> [BenchResult] {
        var rows: [BenchResult] = []
        let text = "\(work)/generated.gpx"
        try BenchFiles.write(Self.gpx(generated), to: text)
        defer { BenchFiles.removeTree(text) }
        rows += try await sizes("generated", generated, gpx: text)
        guard let directory = bounds.routes else { return rows }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        for name in names where name.hasSuffix(".gpx") {
            let path = "\(directory)/\(name)"
            rows += try await sizes(String(name.dropLast(4)), try Self.locations(ofFile: path), gpx: path)
        }
        return rows
    }

    /// Returns the rows of one route.
    private func sizes(_ name: String, _ locations: [CLLocation], gpx path: String) async throws -> [BenchResult] {
        func row(_ mode: String, _ bytes: Int, _ what: String) -> BenchResult {
            var row = BenchResult(id: "route-size", set: name, mode: mode, samples: locations.count, what: what)
            row.bytes = bytes
            row.bytesPerSample = Double(bytes) / Double(locations.count)
            return row
        }
        let stored = try await stored(locations)
        var rows = [
            row("store", stored.segment, "the segment with the columns of the route"),
            row("columns", stored.columns, "the columns in this segment"),
        ]
        let plain = try RealDisk().contents(of: path, limit: 1 << 28).count
        rows.append(row("GPX", plain, "the file"))
        if let gzip = ChildProcess.find("gzip") {
            let copy = "\(work)/copy.gpx"
            defer { for end in ["", ".gz"] { BenchFiles.removeTree(copy + end) } }
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try ChildProcess(gzip, ["-9", "-n", copy], work: work).require("gzip")
            let packed = try RealDisk().contents(of: copy + ".gz", limit: 1 << 28).count
            rows.append(row("GPX, gzip", packed, "the file, compressed by gzip -9"))
            for place in 0..<2 {
                rows[place].ratio = Double(packed) / Double(max(1, rows[place].bytes ?? 0))
                rows[place].ratioTo = "gzip"
            }
        }
        for (mode, perLocation, what) in try parquet(path) {
            rows.append(row(mode, Int((perLocation * Double(locations.count)).rounded()), what))
        }
        return rows
    }

    /// Returns the bytes of a location in Parquet files, with the scripts of the peers; empty if their Python or
    /// pyarrow is not installed.
    private func parquet(_ path: String) throws -> [(mode: String, bytes: Double, what: String)] {
        let python = PeerPython.defaultEnvironment + "/bin/python3"
        guard FileManager.default.isExecutableFile(atPath: python),
            let scripts = try? PeerPython(environment: nil, work: work).scripts
        else { return [] }
        let made = try ChildProcess(python, [scripts + "/route_parquet.py", path], work: work)
        if made.status == 3 { return [] }
        try made.require("route_parquet.py")
        // FILE: 4353 locations, zstd 70.2, chosen encodings 44.8
        let numbers = made.output.split(separator: ",").suffix(2).compactMap {
            $0.split(whereSeparator: \.isWhitespace).last.flatMap { Double($0) }
        }
        guard numbers.count == 2 else { throw BenchError("route_parquet.py printed no sizes: \(made.output)") }
        return [
            ("Parquet", numbers[0], "zstd"),
            ("Parquet, tuned", numbers[1], "zstd, encodings chosen by hand"),
        ]
    }

    /// Returns the bytes of the segments of a store with one route, and of the blocks in them. The object of the route
    /// in the catalog takes some hundred bytes more.
    private func stored(_ locations: [CLLocation]) async throws -> (segment: Int, columns: Int) {
        try await withStore("routes") { store in
            guard let last = locations.map(\.timestamp).max(), let first = locations.map(\.timestamp).min() else {
                throw BenchError("a route has no locations")
            }
            let builder = HKWorkoutBuilder(
                healthStore: store, configuration: Self.configuration(.running), device: nil)
            try await builder.beginCollection(at: first)
            try await builder.endCollection(at: last)
            guard let workout = try await builder.finishWorkout() else { throw BenchError("no workout was saved") }
            let route = HKWorkoutRouteBuilder(healthStore: store, device: nil)
            try await route.insertRouteData(locations)
            let made = try await route.finishRoute(with: workout, metadata: nil)
            let found = try await Self.locations(of: made, store)
            guard Self.isSame(found, locations) else { throw BenchError("the stored locations differ") }
            let engine = try store.store().engine
            _ = try engine.compact()
            let columns = try engine.usage().reduce(0) { $0 + $1.bytes }
            return (Int(try engine.info().segmentBytes), columns)
        }
    }

    /// Returns the positions of a GPX file.
    private static func locations(ofFile path: String) throws -> [CLLocation] {
        let points = try WorkoutFile(contentsOf: path).points
        return points.compactMap { point in
            guard let latitude = point.latitude, let longitude = point.longitude else { return nil }
            return CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
                altitude: point.altitude ?? 0, horizontalAccuracy: point.horizontalAccuracy ?? -1,
                verticalAccuracy: point.verticalAccuracy ?? -1, course: point.course ?? -1, speed: point.speed ?? -1,
                timestamp: point.date)
        }
    }

    /// Returns a GPX file in the form of Apple's exports, with all digits of the numbers.
    private static func gpx(_ locations: [CLLocation]) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="kymo-bench" xmlns="http://www.topografix.com/GPX/1/1">
              <trk>
                <name>Route</name>
                <trkseg>

            """
        let dates = Date.ISO8601FormatStyle()
        for one in locations {
            let place = "lon=\"\(one.coordinate.longitude)\" lat=\"\(one.coordinate.latitude)\""
            text += "      <trkpt \(place)><ele>\(one.altitude)</ele><time>\(one.timestamp.formatted(dates))</time>"
            text += "<extensions><speed>\(one.speed)</speed><course>\(one.course)</course>"
            text += "<hAcc>\(one.horizontalAccuracy)</hAcc><vAcc>\(one.verticalAccuracy)</vAcc></extensions></trkpt>\n"
        }
        return text + "    </trkseg>\n  </trk>\n</gpx>\n"
    }
}
