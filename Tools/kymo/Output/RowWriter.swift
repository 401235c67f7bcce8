// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem

/// Writes rows of named fields for other programs: a JSON array, JSON lines or CSV.
///
/// Every row gives the same fields in the same order, nil for those it does not have: JSON leaves them out, CSV leaves
/// the cell empty.
struct RowWriter {
    private let output: Output
    private let format: RowFormat
    private var json: JSONWriter
    private var csv: [UInt8] = []
    private var isFirstCell = true
    private static let chunk = 1 << 16

    /// - Parameter columns: The names of the fields, in their order.
    init(_ output: Output, _ format: RowFormat, columns: [String]) {
        self.output = output
        self.format = format
        json = JSONWriter(lines: format == .json ? 1 : 0)
        switch format {
        case .json: json.beginArray()
        case .jsonl: break
        case .csv:
            for column in columns { cell(column) }
            endCSVRow()
        }
    }

    mutating func beginRow() { if format != .csv { json.beginObject() } }

    mutating func endRow() throws(DiskError) {
        if format == .csv {
            endCSVRow()
        } else {
            json.endObject()
            if format == .jsonl { json.endLine() }
        }
        if json.bytes.count + csv.count >= Self.chunk { try flush() }
    }

    /// Writes the end and all that is left.
    mutating func finish() throws(DiskError) {
        if format == .json {
            json.endArray()
            json.endLine()
        }
        try flush()
    }

    private mutating func flush() throws(DiskError) {
        try output.write(format == .csv ? csv : json.take())
        csv.removeAll(keepingCapacity: true)
    }

    mutating func text(_ name: String, _ value: String?) {
        if format == .csv { cell(value ?? "") } else { json.field(name, value) }
    }

    mutating func integer(_ name: String, _ value: Int?) {
        if format == .csv { cell(value.map { String($0) } ?? "") } else { json.field(name, value) }
    }

    mutating func number(_ name: String, _ value: Double?) {
        if format == .csv { cell(value.map { NumberText.json($0) } ?? "") } else { json.field(name, value) }
    }

    mutating func instant(_ name: String, _ value: Int64?, _ zone: CivilZone) {
        guard format == .csv else { return json.field(name, value, zone) }
        separate()
        if let value { Civil.write(value, zone: zone, into: &csv) }
    }

    /// Several texts: an array in JSON, joined by semicolons in CSV.
    mutating func list(_ name: String, _ values: [String]) {
        if format == .csv { cell(values.joined(separator: "; ")) } else { json.field(name, values) }
    }

    /// Something with parts of its own, left out where there are none: JSON in a CSV cell too.
    mutating func nested(_ name: String, isThere: Bool, _ body: (inout JSONWriter) -> Void) {
        guard isThere else { return text(name, nil) }
        if format == .csv {
            var inner = JSONWriter(lines: 0)
            body(&inner)
            cell(String(decoding: inner.take(), as: UTF8.self))
        } else {
            json.key(name)
            body(&json)
        }
    }

    // CSV as RFC 4180 has it, with plain line feeds.

    private mutating func separate() {
        if !isFirstCell { csv.append(UInt8(ascii: ",")) }
        isFirstCell = false
    }

    private mutating func endCSVRow() {
        csv.append(UInt8(ascii: "\n"))
        isFirstCell = true
    }

    private mutating func cell(_ text: String) {
        separate()
        let isPlain = text.utf8.allSatisfy { $0 != 0x22 && $0 != 0x2C && $0 != 0x0A && $0 != 0x0D }
        if isPlain {
            csv.append(contentsOf: text.utf8)
            return
        }
        csv.append(0x22)
        for byte in text.utf8 {
            if byte == 0x22 { csv.append(byte) }
            csv.append(byte)
        }
        csv.append(0x22)
    }
}
