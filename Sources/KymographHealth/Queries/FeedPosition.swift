// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Foundation
import Kernels

/// Up to where a query was told what came and went.
struct FeedPosition: Hashable, Sendable {
    /// A place in the order in which objects were born, or died.
    struct Place: Hashable, Sendable {
        var commit: Int64
        /// The last object of that commit.
        var id: Int64

        static func after(_ commit: Int64) -> Place { Place(commit: commit, id: .max) }
    }

    /// Of the samples; nil before the first page.
    var samples: ChangeAnchor?
    /// How many of the deleted samples that the next page would begin with were told.
    var deletions = 0
    /// Samples that the next page would begin with and that were told: such as start together with the last one.
    var told: [SampleIdentity] = []
    /// Of the objects that came.
    var added = Place(commit: -1, id: .max)
    /// Of the objects that went.
    var died = Place(commit: -1, id: .max)

    /// Whether nothing was told yet.
    var isStart: Bool { samples == nil }

    /// `q2` has a checksum of everything before it; `q1`, of earlier versions, is read without one.
    private static let version = "q2"
    private static let unchecked = "q1"

    /// The position as one word.
    var text: String {
        let text = parts
        return text + ":" + Self.checksum(of: text)
    }

    private static func checksum(of text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        return String(Kernel.crc32c(bytes, 0..<bytes.count), radix: 16)
    }

    private var parts: String {
        let places = [added, died].map { "\($0.commit).\($0.id)" }
        let told = told.map { "\($0.high).\($0.low)" }.joined(separator: ",")
        return ([Self.version, samples?.text ?? "", String(deletions)] + places + [told]).joined(separator: ":")
    }

    init() {}

    /// A position from its text; nil if it is none.
    init?(text: String) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.first == Self.version[...], let sum = parts.popLast() {
            guard sum == Self.checksum(of: text.dropLast(sum.count + 1)) else { return nil }
        } else if parts.first != Self.unchecked[...] {
            return nil
        }
        guard parts.count == 6, let deletions = Int(parts[2]), deletions >= 0,
            let added = Self.pair(parts[3]), let died = Self.pair(parts[4])
        else { return nil }
        if !parts[1].isEmpty {
            guard let anchor = ChangeAnchor(text: String(parts[1])) else { return nil }
            samples = anchor
        }
        self.deletions = deletions
        self.added = Place(commit: added.0, id: added.1)
        self.died = Place(commit: died.0, id: died.1)
        for one in parts[5].split(separator: ",") {
            guard let (high, low) = Self.pair(one) else { return nil }
            told.append(SampleIdentity(high: high, low: low))
        }
    }

    private static func pair(_ text: Substring) -> (Int64, Int64)? {
        let halves = text.split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count == 2, let first = Int64(halves[0]), let second = Int64(halves[1]) else { return nil }
        return (first, second)
    }
}
