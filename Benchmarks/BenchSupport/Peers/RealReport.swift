// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// The sizes of real series in Kymograph and with general compressors on the same columns.
package struct RealReport: Codable, Sendable {
    /// The bytes of a column and, if it is long enough, samples per second.
    package struct Column: Codable, Sendable {
        package var bytes: Int
        package var encode: Double?
        package var decode: Double?
    }

    /// The times and values of one compressor.
    package struct Anchor: Codable, Sendable {
        package var times: Column
        package var values: Column
        package var bytes: Int { times.bytes + values.bytes }
    }

    /// One series.
    package struct Row: Codable, Sendable {
        package var name: String
        package var group: String
        package var source: String
        package var samples: Int
        package var times: Int
        package var values: Int
        /// The bytes of ends, identities, commits, headers, checksums and index.
        package var rest: Int
        /// The encodings of the values and the times with numbers of blocks, the most frequent first.
        package var valueEncodings: [String]
        package var timeEncodings: [String]
        /// The samples per second of durable loads and of reads into arrays, for series that are long enough.
        package var ingest: Double?
        package var read: Double?
        package var anchors: [String: Anchor]
    }

    package var machine: BenchHost
    package var run: BenchReport.Run?
    package var rows: [Row]
    /// The bytes of the store with all series.
    package var storeBytes: Int
    /// The reasons for unreadable recordings.
    package var missing: [String]

    /// The minimum number of samples for rates.
    private static let rated = 20_000

    package init(
        _ series: [RealSeries], _ store: RealStore, anchors path: String, missing: [String], run: BenchReport.Run
    ) throws {
        machine = BenchHost.current()
        self.run = run
        let bytes = try RealDisk().contents(of: path, limit: 1 << 28)
        let anchors = try JSONDecoder().decode([String: [String: Anchor]].self, from: Data(bytes))
        rows = series.map { one in
            let name = one.series.name
            let used = store.usage[name] ?? RealStore.Usage()
            let isRated = one.series.times.count >= Self.rated
            return Row(
                name: name, group: one.group, source: one.source, samples: one.series.times.count, times: used.times,
                values: used.values, rest: used.rest, valueEncodings: Self.names(used.encodings),
                timeEncodings: Self.names(used.timeEncodings), ingest: isRated ? store.ingest[name] : nil,
                read: isRated ? store.reading[name] : nil, anchors: anchors[name] ?? [:])
        }
        storeBytes = store.bytes
        self.missing = missing
    }

    private static func names(_ encodings: [String: Int]) -> [String] {
        encodings.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
    }

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// Returns the tables of sizes and rates as Markdown.
    package func markdown() -> String {
        var text =
            machine.text + (run?.text ?? "") + "\n\(rows.count) series, \(rows.reduce(0) { $0 + $1.samples }) samples, "
        text += "every bit verified; \(storeBytes) bytes with catalog and files' frames.\n\n"
        text +=
            "Bytes per sample. *Rest*: ends, identities, commits, headers, checksums, index. *Stored as*: the\n"
        text +=
            "encoding of most blocks. pcodec gets a column as one chunk or in chunks of 1,024 samples; zstd 3 and LZ4\n"
        text += "the plain columns. *Ratio*: Kymograph to pcodec 8, below 1 Kymograph is smaller.\n\n"
        let titles = [
            "series", "samples", "times", "values", "rest", "all", "values stored as", "pcodec 8 times",
            "pcodec 8 values", "pcodec 12 values", "in chunks, values", "zstd", "LZ4", "ratio values",
            "ratio times and values",
        ]
        text += "| " + titles.joined(separator: " | ") + " |\n"
        text += "|---|" + String(repeating: "---:|", count: 5) + "---|" + String(repeating: "---:|", count: 8) + "\n"
        for row in rows { text += row.sizes }
        text += total + "\n"
        text += "M samples/s, one thread. Kymograph: a series to durable files, and back into arrays, times\n"
        text += "and values together. pcodec 8: both columns one after the other, through its Python binding.\n\n"
        text += "| series | writes | pcodec encodes | reads | pcodec decodes |\n|---|---:|---:|---:|---:|\n"
        for row in rows where row.ingest != nil { text += row.rates }
        for problem in missing { text += "\nNot read: \(problem)\n" }
        return text
    }

    /// The row of all series together.
    private var total: String {
        func sum(_ part: (Row) -> Int) -> Int { rows.reduce(0) { $0 + part($1) } }
        var all = Row(
            name: "**all**", group: "", source: "", samples: sum(\.samples), times: sum(\.times), values: sum(\.values),
            rest: sum(\.rest), valueEncodings: [], timeEncodings: [], anchors: [:])
        for name in rows.first?.anchors.keys.sorted() ?? [] {
            all.anchors[name] = Anchor(
                times: Column(bytes: sum { $0.anchors[name]?.times.bytes ?? 0 }),
                values: Column(bytes: sum { $0.anchors[name]?.values.bytes ?? 0 }))
        }
        return all.sizes
    }
}

extension RealReport.Row {
    private func each(_ bytes: Int?) -> String {
        bytes.map { Self.fixed(Double($0) / Double(max(1, samples)), 3) } ?? ""
    }

    private static func fixed(_ x: Double, _ places: Int) -> String { String(format: "%.\(places)f", x) }

    /// The ratios of Kymograph to pcodec; nil if pcodec needs no bytes.
    package var ratios: (values: Double, both: Double)? {
        guard let pcodec = anchors["pcodec-8"], pcodec.values.bytes > 0 else { return nil }
        return (Double(values) / Double(pcodec.values.bytes), Double(times + values) / Double(pcodec.bytes))
    }

    fileprivate var sizes: String {
        let cells = [
            name, String(samples), each(times), each(values), each(rest), each(times + values + rest),
            valueEncodings.first.map { String($0.prefix(upTo: $0.lastIndex(of: " ") ?? $0.endIndex)) } ?? "",
            each(anchors["pcodec-8"]?.times.bytes), each(anchors["pcodec-8"]?.values.bytes),
            each(anchors["pcodec-12"]?.values.bytes), each(anchors["pcodec-8-blocks"]?.values.bytes),
            each(anchors["zstd-3"]?.bytes), each(anchors["lz4"]?.bytes),
            ratios.map { Self.fixed($0.values, 2) } ?? "", ratios.map { Self.fixed($0.both, 2) } ?? "",
        ]
        return "| " + cells.joined(separator: " | ") + " |\n"
    }

    fileprivate var rates: String {
        func millions(_ x: Double?) -> String { x.map { Self.fixed($0 / 1e6, 1) } ?? "" }
        func both(_ a: Double?, _ b: Double?) -> Double? {
            guard let a, let b else { return nil }
            return 1 / (1 / a + 1 / b)
        }
        let pcodec = anchors["pcodec-8"]
        let cells = [
            name, millions(ingest), millions(both(pcodec?.times.encode, pcodec?.values.encode)), millions(read),
            millions(both(pcodec?.times.decode, pcodec?.values.decode)),
        ]
        return "| " + cells.joined(separator: " | ") + " |\n"
    }
}
