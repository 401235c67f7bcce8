// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A JSON value whose objects keep their order, so that dumps of one file are identical.
indirect enum JSON {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    /// Returns the text, indented by two spaces per level or on one line.
    func text(indented: Bool) -> String {
        var out = ""
        write(into: &out, indent: indented ? 0 : nil)
        return out
    }

    private func write(into out: inout String, indent: Int?) {
        switch self {
        case .null: out += "null"
        case .bool(let value): out += value ? "true" : "false"
        case .integer(let value): out += String(value)
        case .unsigned(let value): out += String(value)
        // JSON has no infinity; the shortest text of a `Double` parses to the same bits.
        case .number(let value): out += value.isFinite ? "\(value)" : "\"\(value)\""
        case .string(let value): JSON.write(value, into: &out)
        case .array(let list):
            JSON.write(list.count, "[", "]", indent, &out) { index, out, indent in
                list[index].write(into: &out, indent: indent)
            }
        case .object(let list):
            JSON.write(list.count, "{", "}", indent, &out) { index, out, indent in
                JSON.write(list[index].0, into: &out)
                out += indent == nil ? ":" : ": "
                list[index].1.write(into: &out, indent: indent)
            }
        }
    }

    private static func write(
        _ count: Int, _ open: String, _ close: String, _ indent: Int?, _ out: inout String,
        _ element: (Int, inout String, Int?) -> Void
    ) {
        out += open
        let inner = indent.map { $0 + 2 }
        for index in 0..<count {
            if index > 0 { out += "," }
            if let inner { out += "\n" + String(repeating: " ", count: inner) }
            element(index, &out, inner)
        }
        if let indent, count > 0 { out += "\n" + String(repeating: " ", count: indent) }
        out += close
    }

    private static func write(_ text: String, into out: inout String) {
        var bytes: [UInt8] = []
        TerminalText.appendJSON(text, to: &bytes)
        out += String(decoding: bytes, as: UTF8.self)
    }
}

extension JSON {
    static func int(_ value: Int) -> JSON { .integer(Int64(value)) }

    static func optional(_ value: Int64?) -> JSON { value.map { .integer($0) } ?? .null }
}
