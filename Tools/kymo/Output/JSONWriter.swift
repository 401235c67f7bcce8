// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem

/// A streaming JSON writer: the memory for an output of any length is that of one row.
///
/// Numbers have the fewest digits that parse to the same bits. Fields without a value are omitted.
struct JSONWriter {
    /// The bytes written since the last `take`.
    private(set) var bytes: [UInt8] = []
    /// The number of nesting levels whose parts are on separate lines.
    private let lines: Int
    private var depth = 0
    private var isFirst = true
    private var isAfterKey = false

    init(lines: Int) { self.lines = lines }

    /// Returns the written bytes and clears the buffer.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    mutating func beginObject() { begin(UInt8(ascii: "{")) }
    mutating func endObject() { end(UInt8(ascii: "}")) }
    mutating func beginArray() { begin(UInt8(ascii: "[")) }
    mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Ends a line after a complete value.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        isFirst = true
    }

    mutating func key(_ name: String) {
        next()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        if depth <= lines { bytes.append(UInt8(ascii: " ")) }
        isAfterKey = true
    }

    mutating func string(_ text: String) {
        next()
        quote(text)
    }

    mutating func integer(_ value: some BinaryInteger) {
        next()
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func number(_ value: Double) {
        next()
        bytes.append(contentsOf: NumberText.json(value).utf8)
    }

    mutating func bool(_ value: Bool) {
        next()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes an instant as ISO 8601 with the zone's offset.
    mutating func instant(_ value: Int64, _ zone: CivilZone) {
        next()
        bytes.append(UInt8(ascii: "\""))
        Civil.write(value, zone: zone, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func begin(_ bracket: UInt8) {
        next()
        bytes.append(bracket)
        depth += 1
        isFirst = true
    }

    private mutating func end(_ bracket: UInt8) {
        depth -= 1
        if !isFirst, depth < lines { newLine() }
        bytes.append(bracket)
        isFirst = false
    }

    private mutating func next() {
        if isAfterKey {
            isAfterKey = false
            return
        }
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        if depth > 0, depth <= lines { newLine() }
        isFirst = false
    }

    private mutating func newLine() {
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<depth * 2 { bytes.append(UInt8(ascii: " ")) }
    }

    private mutating func quote(_ text: String) { TerminalText.appendJSON(text, to: &bytes) }
}

extension JSONWriter {
    mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    mutating func field(_ name: String, _ value: Int?) {
        guard let value else { return }
        key(name)
        integer(Int64(value))
    }

    mutating func field(_ name: String, _ value: Double?) {
        guard let value else { return }
        key(name)
        number(value)
    }

    mutating func field(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    mutating func field(_ name: String, _ value: [String]) {
        key(name)
        beginArray()
        for text in value { string(text) }
        endArray()
    }

    mutating func field(_ name: String, _ value: Int64?, _ zone: CivilZone) {
        guard let value else { return }
        key(name)
        instant(value, zone)
    }
}
