// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernels

/// The position of an anchored query: all changes before it are reported.
struct FeedPosition: Hashable, Sendable {
    /// A position in the order of the commits that added, or deleted, objects.
    struct Place: Hashable, Sendable {
        var commit: Int64
        /// The last reported object of that commit.
        var id: Int64

        static func after(_ commit: Int64) -> Place { Place(commit: commit, id: .max) }
    }

    /// The position in the samples; nil before the first page.
    var samples: ChangeAnchor?
    /// The number of reported deletions at the start of the next page.
    var deletions = 0
    /// Reported samples at the start of the next page, such as samples with the same start as the last one.
    var returned: [SampleIdentity] = []
    /// The position in the added objects.
    var added = Place(commit: -1, id: .max)
    /// The position in the deleted objects.
    var died = Place(commit: -1, id: .max)

    /// The positions of the types of a client with limits, by identifier; empty for all other positions.
    var types: [String: TypePosition] = [:]

    /// The position of a client with limits in the changes of one type.
    struct TypePosition: Hashable, Sendable {
        /// The number of the decision about the type. After another decision the type starts again.
        var decision: Int64
        var position: FeedPosition
    }

    /// Whether nothing is reported yet.
    var isStart: Bool { samples == nil && types.isEmpty }

    /// Whether the position has a position for each type.
    var isByType: Bool { !types.isEmpty }

    /// Version `q3` has the positions of types: `q3;type=decision=position;...;checksum`. Version `q2` ends with a
    /// checksum of the preceding text; `q1`, from earlier releases, has none.
    private static let version = "q2"
    private static let unchecked = "q1"
    private static let byType = "q3"

    /// The position as text without spaces.
    var text: String {
        if isByType {
            let parts = types.sorted { $0.key < $1.key }.map {
                "\($0.key)=\($0.value.decision)=\($0.value.position.text)"
            }
            let text = ([Self.byType] + parts).joined(separator: ";")
            return text + ";" + Self.checksum(of: text)
        }
        let text = parts
        return text + ":" + Self.checksum(of: text)
    }

    private static func checksum(of text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        return String(Kernel.crc32c(bytes, 0..<bytes.count), radix: 16)
    }

    private var parts: String {
        let places = [added, died].map { "\($0.commit).\($0.id)" }
        let returned = returned.map { "\($0.high).\($0.low)" }.joined(separator: ",")
        return ([Self.version, samples?.text ?? "", String(deletions)] + places + [returned]).joined(separator: ":")
    }

    init() {}

    /// Parses a position; nil for any other text.
    init?(text: String) {
        if text.hasPrefix(Self.byType + ";") {
            guard let types = Self.types(text) else { return nil }
            self.types = types
            return
        }
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
            returned.append(SampleIdentity(high: high, low: low))
        }
    }

    /// Parses the positions of types; nil for any other text.
    private static func types(_ text: String) -> [String: TypePosition]? {
        var types: [String: TypePosition] = [:]
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard let sum = parts.popLast(), sum == checksum(of: text.dropLast(sum.count + 1)) else { return nil }
        for part in parts.dropFirst() {
            let names = part.split(separator: "=", omittingEmptySubsequences: false)
            guard names.count == 3, let decision = Int64(names[1]), names[2].hasPrefix(version),
                let position = FeedPosition(text: String(names[2]))
            else { return nil }
            types[String(names[0])] = TypePosition(decision: decision, position: position)
        }
        return types.isEmpty ? nil : types
    }

    private static func pair(_ text: Substring) -> (Int64, Int64)? {
        let halves = text.split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count == 2, let first = Int64(halves[0]), let second = Int64(halves[1]) else { return nil }
        return (first, second)
    }
}
