// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// The cost limits of operations, committed in `Benchmarks/budgets`: instructions of each operation, and exact bytes of
/// small stores.
package struct Budgets: Sendable, Equatable {
    /// The instructions of one repetition, by operation.
    package struct Instructions: Codable, Sendable, Equatable {
        /// The level of the kernels, which determines the executed instructions.
        package var level: String
        package var instructions: [String: Int]

        package init(level: String, instructions: [String: Int]) {
            self.level = level
            self.instructions = instructions
        }
    }

    /// The bytes by small set and column.
    package struct Sizes: Codable, Sendable, Equatable {
        package var bytes: [String: Int]

        package init(bytes: [String: Int]) { self.bytes = bytes }
    }

    package var instructions: Instructions
    package var sizes: Sizes

    /// The tolerated fraction: more above the budget is a failure, more below it is a reason to lower the budget.
    package static let tolerance = 0.03

    /// The tolerated number of instructions: comparing and copying bytes costs more or less by alignment, which matters
    /// for the smallest operations.
    package static let slack = 250

    /// Returns the allowed difference between a count and its budget.
    package static func allowance(_ budget: Int) -> Double { max(Double(budget) * tolerance, Double(slack)) }

    private static let files = ["instructions.json", "sizes.json"]

    package init(instructions: Instructions, sizes: Sizes) {
        self.instructions = instructions
        self.sizes = sizes
    }

    /// Reads the two files in a directory.
    package init(directory: String) throws {
        func read<T: Decodable>(_ name: String) throws -> T {
            try BenchJSON.read("\(directory)/\(name)", "budget", hint: "Tools/check-budgets --update writes it")
        }
        instructions = try read(Self.files[0])
        sizes = try read(Self.files[1])
    }

    /// Writes both files.
    package func write(to directory: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
        }
        try BenchFiles.makeDirectory(directory)
        try BenchFiles.write(try text(instructions), to: "\(directory)/\(Self.files[0])")
        try BenchFiles.write(try text(sizes), to: "\(directory)/\(Self.files[1])")
    }
}

extension Budgets.Instructions {
    /// Parses the output of `Tools/check-budgets`: a line `level NAME...`, then `OPERATION TOTAL` for each operation.
    package init(counts text: String) throws {
        level = "unknown"
        instructions = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "level" {
                level = words.dropFirst().joined(separator: " ")
                continue
            }
            guard words.count == 2, let total = Int(words[1]), total > 0,
                let operation = CountedOperation.all.first(where: { $0.name == words[0] })
            else { throw BenchError("\"\(line)\" is not a count of an operation") }
            instructions[operation.name] = total / operation.repetitions
        }
    }
}

extension Budgets.Sizes {
    /// Measures the bytes of the small sets' stores by column. Random identities and the catalog are excluded, because
    /// their sizes vary.
    package static func measure(work: String) throws -> Budgets.Sizes {
        var bytes = [String: Int]()
        let columns: Set = ["block header and trailer", "start", "end", "value", "created", "provenance", "metadata"]
        for set in BenchSet.small() {
            let (store, _) = try IngestBenchmark(work: work, runs: 1).bulk(set)
            for part in try SizeBenchmark(store: store).parts {
                let column = part.name.split(separator: ":").first.map(String.init) ?? part.name
                if columns.contains(column) { bytes["\(set.name) \(column)", default: 0] += part.bytes }
            }
        }
        return Budgets.Sizes(bytes: bytes)
    }
}

/// The result of checking the budgets.
package struct BudgetReport: Sendable {
    /// The lines of the report, in order.
    package private(set) var lines: [String] = []
    package private(set) var failures = 0

    /// Compares the measurements with the budgets.
    ///
    /// - Parameter counts: nil if instructions could not be counted.
    package init(_ budgets: Budgets, counts: Budgets.Instructions?, sizes: Budgets.Sizes) {
        if let counts { compare(counts, budgets.instructions) }
        for (name, limit) in budgets.sizes.bytes.sorted(by: { $0.key < $1.key }) {
            guard let found = sizes.bytes[name] else {
                fail("size of \(name): missing; the budget is \(limit)")
                continue
            }
            if found > limit { fail("size of \(name): \(found) bytes, the budget is \(limit)") }
            if found < limit { lines.append("size of \(name): \(found) bytes, lower the budget of \(limit)") }
        }
        for name in sizes.bytes.keys.sorted() where budgets.sizes.bytes[name] == nil {
            fail("size of \(name): \(sizes.bytes[name] ?? 0) bytes, but no budget")
        }
    }

    private mutating func compare(_ counts: Budgets.Instructions, _ budget: Budgets.Instructions) {
        guard counts.level == budget.level else {
            lines.append("instructions not compared: counted at \(counts.level), the budget is for \(budget.level)")
            return
        }
        for operation in CountedOperation.all {
            let name = operation.name
            switch (counts.instructions[name], budget.instructions[name]) {
            case (let found?, let limit?):
                let ratio = Double(found) / Double(max(1, limit))
                let change = NumberWords.number((ratio - 1) * 100) + " %"
                let numbers = "\(name): \(found) instructions, the budget is \(limit)"
                let difference = Double(found) - Double(limit)
                if difference > Budgets.allowance(limit) {
                    fail("\(numbers), +\(change)")
                } else if -difference > Budgets.allowance(limit) {
                    lines.append("\(numbers), \(change): lower the budget")
                } else {
                    lines.append("\(numbers), \(ratio >= 1 ? "+" : "")\(change)")
                }
            case (let found?, nil): fail("\(name): \(found) instructions, but no budget")
            case (nil, _): fail("\(name): was not counted")
            }
        }
        for name in budget.instructions.keys.sorted() where !CountedOperation.all.contains(where: { $0.name == name }) {
            fail("\(name): has a budget, but the operation does not exist")
        }
    }

    private mutating func fail(_ line: String) {
        failures += 1
        lines.append("FAILED " + line)
    }
}
