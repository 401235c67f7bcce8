// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem

/// A writer of rows with named fields for other programs: a JSON array, JSON lines or CSV.
///
/// - Requires: every row has the same fields in the same order. JSON omits nil fields, CSV leaves the cell empty.
struct RowWriter {
    private let output: Output
    private let format: RowFormat
    private var json: JSONWriter
    private var csv: [UInt8] = []
    private var isFirstCell = true
    private static let chunk = 1 << 16

    /// - Parameter columns: the names of the fields, in order.
    init(_ output: Output, _ format: RowFormat, columns: [String]) {
        self.output = output
        self.format = format
        json = JSONWriter(lines: format == .json ? 1 : 0)
        switch format {
        case .json: json.beginArray()
        case .jsonl: break
        case .csv, .csvSafe:
            for column in columns { cell(column) }
            endCSVRow()
        }
    }

    mutating func beginRow() { if !format.isCSV { json.beginObject() } }

    mutating func endRow() throws(DiskError) {
        if format.isCSV {
            endCSVRow()
        } else {
            json.endObject()
            if format == .jsonl { json.endLine() }
        }
        if json.bytes.count + csv.count >= Self.chunk { try flush() }
    }

    /// Writes the closing bracket and flushes.
    mutating func finish() throws(DiskError) {
        if format == .json {
            json.endArray()
            json.endLine()
        }
        try flush()
    }

    private mutating func flush() throws(DiskError) {
        try output.write(format.isCSV ? csv : json.take())
        csv.removeAll(keepingCapacity: true)
    }

    mutating func text(_ name: String, _ value: String?) {
        if format.isCSV { textCell(value ?? "") } else { json.field(name, value) }
    }

    mutating func integer(_ name: String, _ value: Int?) {
        if format.isCSV { cell(value.map { String($0) } ?? "") } else { json.field(name, value) }
    }

    mutating func number(_ name: String, _ value: Double?) {
        if format.isCSV { cell(value.map { NumberText.json($0) } ?? "") } else { json.field(name, value) }
    }

    mutating func instant(_ name: String, _ value: Int64?, _ zone: CivilZone) {
        guard format.isCSV else { return json.field(name, value, zone) }
        separate()
        if let value { Civil.write(value, zone: zone, into: &csv) }
    }

    /// Writes several texts: an array in JSON, joined by semicolons in CSV.
    mutating func list(_ name: String, _ values: [String]) {
        if format.isCSV { textCell(values.joined(separator: "; ")) } else { json.field(name, values) }
    }

    /// Writes a nested value, or an empty field if `isThere` is false; CSV holds it as JSON in a cell.
    mutating func nested(_ name: String, isThere: Bool, _ body: (inout JSONWriter) -> Void) {
        guard isThere else { return text(name, nil) }
        if format.isCSV {
            var inner = JSONWriter(lines: 0)
            body(&inner)
            textCell(String(decoding: inner.take(), as: UTF8.self))
        } else {
            json.key(name)
            body(&json)
        }
    }

    // CSV by RFC 4180, with plain line feeds.

    private mutating func separate() {
        if !isFirstCell { csv.append(UInt8(ascii: ",")) }
        isFirstCell = false
    }

    private mutating func endCSVRow() {
        csv.append(UInt8(ascii: "\n"))
        isFirstCell = true
    }

    /// Writes a text cell; `--csv-safe` escapes formulas.
    ///
    /// Spreadsheets run texts that begin with `=`, `+`, `-`, `@`, a tab or a line break, including the full-width
    /// forms. A leading apostrophe makes the cell a text. A text that begins with an apostrophe gets another one, so
    /// that removing one leading apostrophe always restores the stored text.
    private mutating func textCell(_ text: String) {
        let isFormula = format == .csvSafe && text.unicodeScalars.first.map(Self.formulaStarts.contains) ?? false
        cell(isFormula ? "'" + text : text)
    }

    private static let formulaStarts = Set<Unicode.Scalar>([
        "=", "+", "-", "@", "\t", "\r", "\n", "'", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ])

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
