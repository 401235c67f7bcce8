// SPDX-License-Identifier: Apache-2.0

import Kernels

/// A position in the changes of a store, for one peer: everything before it was sent.
///
/// The changes are sent window by window. A window is a range of commits; it begins where the last one ended, and ends
/// at the newest commit of the moment when it began. `Docs/Format/Sync.md` has the order of the changes in a window.
package struct SyncPosition: Hashable, Sendable {
    /// The parts of a window, in their order.
    package enum Part: Int, Sendable, CaseIterable {
        /// Characteristics, settings and decisions: all of them, if one has changed.
        case values
        /// Deleted objects.
        case deadObjects
        /// Deletions of objects that this store never had.
        case unknownDeletions
        /// Deleted samples.
        case deletions
        /// Samples.
        case samples
        /// Elements of imports.
        case elements
        /// Files of imports.
        case documents
        /// Objects, with the samples that belong to them.
        case objects
        /// Objects whose bodies were replaced: workouts with additions.
        case rewrites
        /// Attachments of objects.
        case attachments
    }

    /// The end of the last complete window; nil before the first.
    var begin: ChangeAnchor?
    /// The end of the window; nil between windows.
    var end: ChangeAnchor?
    /// The part that is being sent.
    var part = Part.values
    /// The last sent row of the part: its commit, where the part has commits, and its number.
    var commit: Int64 = 0
    var number: Int64 = 0
    /// The position in the samples.
    var samples: ChangeAnchor?
    /// The last document of all windows.
    var document: Int64 = 0
    /// The digest of the last values that were sent, and that of the selection; 0 for none.
    var values: Int64 = 0
    var selection: Int64 = 0

    init() {}

    /// Whether the position is inside a window.
    var isInside: Bool { end != nil }
    /// The last commit before the window.
    var first: Int64 { begin?.sequence ?? 0 }
    /// The last commit of the window.
    var last: Int64 { end?.sequence ?? 0 }

    /// Goes to the beginning of a part.
    mutating func enter(_ part: Part) {
        self.part = part
        (commit, number) = (0, 0)
        samples = nil
    }

    /// Ends the window.
    mutating func endWindow() {
        begin = end
        end = nil
        enter(.values)
    }

    private static let version = "s2"

    /// The position as text without spaces.
    package var text: String {
        let parts = [
            Self.version, begin?.text ?? "", end?.text ?? "", String(part.rawValue), String(commit), String(number),
            samples?.text ?? "", String(document), String(values), String(selection),
        ]
        let text = parts.joined(separator: ":")
        return text + ":" + Self.checksum(of: text)
    }

    private static func checksum(of text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        return String(Kernel.crc32c(bytes, 0..<bytes.count), radix: 16)
    }

    /// Parses a position; nil for any other text. The empty text is the beginning.
    package init?(text: String) {
        if text.isEmpty { return }
        guard text.utf8.count < 1_024 else { return nil }
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 11, parts[0] == Self.version[...], let sum = parts.popLast(),
            sum == Self.checksum(of: text.dropLast(sum.count + 1)),
            let part = Int(parts[3]).flatMap(Part.init(rawValue:)), let commit = Int64(parts[4]), commit >= 0,
            let number = Int64(parts[5]), number >= 0, let document = Int64(parts[7]), document >= 0,
            let values = Int64(parts[8]), let selection = Int64(parts[9])
        else { return nil }
        for (place, keep) in [(1, \SyncPosition.begin), (2, \.end), (6, \.samples)] where !parts[place].isEmpty {
            guard let anchor = ChangeAnchor(text: String(parts[place])) else { return nil }
            self[keyPath: keep] = anchor
        }
        (self.part, self.commit, self.number, self.document) = (part, commit, number, document)
        (self.values, self.selection) = (values, selection)
    }
}
