// SPDX-License-Identifier: Apache-2.0

import KymographHealth

/// The disk usage of one type, over the series of all its sources and units.
struct TypeUsage {
    /// The total usage of a column in one encoding.
    struct Column {
        var name: String
        var encoding: String
        var samples: Int
        var bytes: Int
    }

    var type: String
    var samples: Int
    var bytes: Int
    /// The columns in disk order.
    var columns: [Column]

    /// Returns the usage of each type, largest first.
    static func all(_ series: [SeriesUsage]) -> [TypeUsage] {
        var found: [String: TypeUsage] = [:]
        for one in series where one.samples > 0 {
            let part = RouteColumn(seriesType: one.series.name)
            let name = part == nil ? one.series.name : ListedType.workoutRoute.identifier
            var type = found[name] ?? TypeUsage(type: name, samples: 0, bytes: 0, columns: [])
            // Every location has a latitude.
            if part == nil || part == .latitude { type.samples += one.samples }
            type.bytes += one.bytes
            for column in one.columns { type.add(column, of: part) }
            found[name] = type
        }
        return found.values.sorted { ($0.bytes, $1.type) > ($1.bytes, $0.type) }
    }

    /// - Parameter part: the property of locations whose column this is; nil for samples.
    private mutating func add(_ use: ColumnUsage, of part: RouteColumn?) {
        let name = part.map { use.column == "value" ? "\($0)" : "\($0) \(use.column)" } ?? use.column
        if let at = columns.firstIndex(where: { $0.name == name && $0.encoding == use.encoding }) {
            columns[at].samples += use.samples
            columns[at].bytes += use.bytes
            return
        }
        let fresh = Column(name: name, encoding: use.encoding, samples: use.samples, bytes: use.bytes)
        // After the same column in other encodings.
        let at = columns.lastIndex { $0.name == name }.map { $0 + 1 } ?? columns.count
        columns.insert(fresh, at: at)
    }

    static func table(_ types: [TypeUsage], _ output: Output) throws {
        var table = Table([
            .init(title: "type", limit: 44), .init(title: "column"), .init(title: "encoding"),
            .init(title: "samples", alignment: .right), .init(title: "bytes", alignment: .right),
            .init(title: "bytes/sample", alignment: .right),
        ])
        func row(_ type: String, _ column: String, _ encoding: String, _ samples: Int, _ bytes: Int) -> [String] {
            let each = NumberText.fixed(Double(bytes) / Double(max(1, samples)), decimals: 3)
            return [type, column, encoding, NumberText.grouped(samples), NumberText.grouped(bytes), each]
        }
        for type in types {
            table.append(row(type.type, "", "", type.samples, type.bytes))
            for column in type.columns {
                table.append(row("", column.name, column.encoding, column.samples, column.bytes))
            }
        }
        try table.write(to: output)
    }

    static func write(_ types: [TypeUsage], _ json: inout JSONWriter) {
        json.beginArray()
        for type in types {
            json.beginObject()
            json.field("type", type.type)
            json.field("samples", type.samples)
            json.field("bytes", type.bytes)
            json.key("columns")
            json.beginArray()
            for column in type.columns {
                json.beginObject()
                json.field("column", column.name)
                json.field("encoding", column.encoding)
                json.field("samples", column.samples)
                json.field("bytes", column.bytes)
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
        json.endArray()
    }
}
