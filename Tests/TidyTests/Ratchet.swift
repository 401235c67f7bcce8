// SPDX-License-Identifier: Apache-2.0

/// Counts that may fall but not grow, committed in `Ratchet.txt`: long files, long functions, unsafe marks.
///
/// A line is `rule place count`. A place that is not listed has the rule's limit: 500 lines, 70 lines, no mark.
struct Ratchet: Equatable {
    enum Rule: String, CaseIterable {
        /// Lines of files longer than 500 lines.
        case lines
        /// Lines of functions longer than 70 lines; the place is `file:name`.
        case function
        /// `unsafe` marks on expressions in a room.
        case unsafe
        /// `@unchecked` conformances and `nonisolated(unsafe)` declarations in a room.
        case unchecked

        var limit: Int {
            switch self {
            case .lines: 500
            case .function: 70
            case .unsafe, .unchecked: 0
            }
        }
    }

    struct Key: Hashable, Comparable {
        let rule: Rule
        let place: String

        static func < (a: Key, b: Key) -> Bool { (a.rule.rawValue, a.place) < (b.rule.rawValue, b.place) }
    }

    /// Only counts past their rule's limit.
    private(set) var counts: [Key: Int] = [:]

    init() {}

    init(text: String) throws {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: " ")
            guard fields.count == 3, let rule = Rule(rawValue: String(fields[0])), let count = Int(fields[2]) else {
                throw BadLine(text: String(line))
            }
            counts[Key(rule: rule, place: String(fields[1]))] = count
        }
    }

    struct BadLine: Error { let text: String }

    /// Adds marks to a room's count.
    mutating func add(_ rule: Rule, _ place: String, _ count: Int) {
        if count > 0 { counts[Key(rule: rule, place: place), default: 0] += count }
    }

    /// Records the length of a file or function; of two functions with the same name, the longer one.
    mutating func note(_ rule: Rule, _ place: String, _ count: Int) {
        if count > rule.limit {
            counts[Key(rule: rule, place: place)] = max(count, counts[Key(rule: rule, place: place)] ?? 0)
        }
    }

    /// Measures the lengths of a file and, if it is in a room, its marks.
    mutating func measure(_ file: TextFile, _ tokens: [Token]) {
        note(.lines, file.path, file.lines.count - 1)
        guard ["swift", "c", "h"].contains(file.kind) else { return }
        for function in Functions.of(tokens, swift: file.kind == "swift") {
            note(.function, file.path + ":" + function.name, function.length)
        }
        guard file.kind == "swift", let room = House.room(of: file.path) else { return }
        for i in tokens.indices where tokens[i].kind == .word {
            let previous = i > 0 ? tokens[i - 1].text : ""
            switch tokens[i].text {
            case "unsafe" where previous == "(": add(.unchecked, room.folder, 1)
            case "unsafe" where previous != "@": add(.unsafe, room.folder, 1)
            case "unchecked" where previous == "@": add(.unchecked, room.folder, 1)
            default: break
            }
        }
    }

    /// Finds counts above the committed ones, and committed lines that are no longer needed.
    func check(against committed: Ratchet) -> [Violation] {
        var found: [Violation] = []
        for (key, count) in counts where count > committed.counts[key] ?? key.rule.limit {
            let before = committed.counts[key].map(String.init) ?? "at most \(key.rule.limit)"
            let file = key.place.split(separator: ":").first.map(String.init) ?? key.place
            found.append(
                Violation(path: file, line: 1, message: "\(key.rule) \(key.place): \(count), was \(before)"))
        }
        for key in committed.counts.keys where counts[key] == nil {
            found.append(
                Violation(
                    path: Ratchet.path, line: 1,
                    message:
                        "\(key.rule) \(key.place) is within its limit; set UPDATE_RATCHET=1 to remove the line"
                ))
        }
        return found.sorted()
    }

    static let path = "Tests/TidyTests/Ratchet.txt"

    var text: String {
        let head = """
            # Counts that may fall but not grow; rewritten by `UPDATE_RATCHET=1 swift test --filter TidyTests`.
            # rule place count; a place without a line has the limit: lines 500, function 70, unsafe 0, unchecked 0.

            """
        let lines = counts.sorted { $0.key < $1.key }
        return head + lines.map { "\($0.key.rule) \($0.key.place) \($0.value)\n" }.joined()
    }
}
