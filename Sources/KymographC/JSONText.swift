// SPDX-License-Identifier: Apache-2.0

/// A JSON object with numbers, texts and lists of texts, as text.
struct JSONText {
    private var members: [String] = []

    /// The object.
    var object: String { "{" + members.joined(separator: ", ") + "}" }

    mutating func add(_ key: String, _ number: Int64) { members.append("\(Self.quoted(key)): \(number)") }

    mutating func add(_ key: String, _ text: String) { members.append("\(Self.quoted(key)): \(Self.quoted(text))") }

    mutating func add(_ key: String, _ texts: [String]) {
        members.append("\(Self.quoted(key)): [" + texts.map(Self.quoted).joined(separator: ", ") + "]")
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
