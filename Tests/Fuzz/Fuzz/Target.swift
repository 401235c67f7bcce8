// SPDX-License-Identifier: Apache-2.0

// Fuzz: inputs made up by libFuzzer, one target for each kind of bytes that comes from outside.

/// One thing that is fuzzed.
struct Target: Sendable {
    let name: String
    /// Longer inputs are not made.
    let maximumLength: Int
    /// How many variants of an input are handled after it: the more, the cheaper one is.
    var variants = 0
    /// What holds for any input.
    let asserts: String
    /// Another target whose inputs serve this one too: a part of it, for long runs.
    var partOf: String?
    /// Inputs to begin with, made from nothing but this recipe and the golden files.
    let seeds: @Sendable (SeedFiles) -> [[UInt8]]
    /// Handles an input and its variants; whatever is wrong ends the process.
    let run: @Sendable (Trials) -> Void
}

/// What handles each input by itself.
func each(_ check: @escaping @Sendable ([UInt8]) -> Void) -> @Sendable (Trials) -> Void {
    { trials in while let bytes = trials.next() { check(bytes) } }
}

/// The same, with what is left to chance: `Trials.choice`.
func each(_ check: @escaping @Sendable ([UInt8], UInt64?) -> Void) -> @Sendable (Trials) -> Void {
    { trials in while let bytes = trials.next() { check(bytes, trials.isInput ? nil : trials.choice) } }
}

/// Ends the process with a message, which libFuzzer takes for a finding and keeps the input of.
func finding(_ what: String) -> Never { fatalError("FINDING: \(what)") }

/// Ends the process where something does not hold.
@inline(__always)
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { finding(what()) }
}

/// An input as a few numbers at its front and a rest; numbers behind the end are 0.
struct Input {
    let bytes: [UInt8]
    private(set) var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isEmpty: Bool { at >= bytes.count }
    var rest: [UInt8] { Array(bytes[min(at, bytes.count)...]) }

    mutating func byte() -> UInt8 {
        if at >= bytes.count { return 0 }
        at += 1
        return bytes[at - 1]
    }

    mutating func number(_ size: Int) -> UInt64 {
        (0..<size).reduce(0) { $0 | UInt64(byte()) << UInt64(8 * $1) }
    }

    /// From 0 to `most`, by two bytes.
    mutating func upTo(_ most: Int) -> Int { Int(number(2)) % (most + 1) }

    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, at + max(0, count))
        defer { at = end }
        return Array(bytes[at..<end])
    }
}
