// SPDX-License-Identifier: Apache-2.0

/// An irregularity in an export, and its treatment.
public struct ExportIssue: Sendable, Equatable, CustomStringConvertible {
    /// The treatment of an issue.
    public enum Kind: Sendable, Equatable {
        /// Read after a correction, which `what` describes.
        case repaired
        /// Left out.
        case skipped
        /// Left out because an import does not use it: a file that repeats data of the XML.
        case ignored
    }

    /// The reason of an issue. `Docs/Guide/Import.md` lists all reasons with their treatment.
    public enum Reason: String, Sendable, CaseIterable {
        // Repaired.
        case illegalCharacter, illFormedUTF8, unknownReference, unescapedMarkup, duplicateAttribute, spacedName
        case malformedDTD, unclosedElement, missingRoot, secondRoot, contentAfterRoot, unreadableCreationDate
        case missingAttribute
        // Skipped.
        case strayText, malformedElement, unexpectedElement, limit, truncated
        case missingType, unreadableDate, endBeforeStart, unreadableValue
        case secondExport, unsafeName, encryptedFile, unsupportedMethod, damagedFile, oversizedFile
        case unreadableElectrocardiogram
        // Ignored.
        case ignoredFile

        /// The treatment of issues with this reason.
        public var kind: Kind {
            switch self {
            case .illegalCharacter, .illFormedUTF8, .unknownReference, .unescapedMarkup, .duplicateAttribute,
                .spacedName, .malformedDTD, .unclosedElement, .missingRoot, .secondRoot, .contentAfterRoot,
                .unreadableCreationDate, .missingAttribute:
                .repaired
            case .ignoredFile: .ignored
            default: .skipped
            }
        }
    }

    /// The reason of the issue.
    public let reason: Reason
    /// The line of the XML, from 1; for an electrocardiogram's file, which `what` names, its line; 0 for an issue of a
    /// whole file in the archive.
    public let line: Int
    /// The byte offset in the XML or the electrocardiogram, from 0; for a file of the archive, the offset of that file
    /// in the archive.
    public let offset: UInt64
    /// The irregularity and its treatment, as text.
    public let what: String

    /// The treatment.
    public var kind: Kind { reason.kind }

    /// The issue as one line: place, treatment, irregularity.
    public var description: String {
        let place = line > 0 ? "line \(line), byte \(offset)" : "byte \(offset) of the archive"
        return "\(place): \(kind): \(what)"
    }
}

/// The issues of one import: all are counted, the first ones of each reason are listed.
package struct IssueLog: Sendable, Equatable {
    /// The maximum number of listed issues per reason, so that frequent issues do not hide others.
    package static let listedPerReason = 100

    /// The listed issues: issues of the archive first, then issues of the XML by their place.
    package private(set) var listed: [ExportIssue] = []
    /// The number of issues per reason.
    package private(set) var counts: [ExportIssue.Reason: Int] = [:]

    package var repaired: Int { total(.repaired) }
    package var skipped: Int { total(.skipped) }
    package var ignored: Int { total(.ignored) }

    /// Counts an issue; returns whether it may be listed.
    mutating func count(_ reason: ExportIssue.Reason, _ times: Int = 1) -> Bool {
        let before = counts[reason, default: 0]
        counts[reason] = before + times
        return before < Self.listedPerReason
    }

    /// Lists an issue.
    ///
    /// - Requires: `count` returned true for it.
    mutating func list(_ reason: ExportIssue.Reason, line: Int, offset: UInt64, _ what: String) {
        listed.append(ExportIssue(reason: reason, line: line, offset: offset, what: what))
    }

    /// Counts an issue of the archive, and lists it up to the limit.
    mutating func add(_ reason: ExportIssue.Reason, offset: UInt64, _ what: @autoclosure () -> String) {
        if count(reason) { list(reason, line: 0, offset: offset, what()) }
    }

    /// Sorts the issues by their place.
    mutating func sort() {
        let sorted = listed.enumerated().sorted { left, right in
            let (l, r) = (left.element, right.element)
            return (l.line > 0 ? 1 : 0, l.line > 0 ? l.offset : 0, left.offset)
                < (r.line > 0 ? 1 : 0, r.line > 0 ? r.offset : 0, right.offset)
        }
        listed = sorted.map(\.element)
    }

    private func total(_ kind: ExportIssue.Kind) -> Int {
        counts.reduce(0) { $0 + ($1.key.kind == kind ? $1.value : 0) }
    }
}

/// A file that is not read, or an error that ended the reading.
public enum ExportError: Error, Sendable, CustomStringConvertible {
    /// The file cannot be opened or read.
    case unreadable(path: String, what: String)
    /// The file is not an export of Apple Health.
    case notAnExport(seen: String)
    /// The file may be an export, but its content is refused.
    case refused(what: String, line: Int, offset: UInt64)
    /// The archive is damaged.
    case damagedArchive(what: String, offset: UInt64)
    /// The consumer of the events threw an error.
    case consumer(any Error)

    /// What failed, where, and what to do next.
    public var description: String {
        switch self {
        case .unreadable(let path, let what): "\(path) cannot be read: \(what)"
        case .notAnExport(let seen): "not an export of Apple Health: \(seen)"
        case .refused(let what, let line, let offset): "refused at line \(line), byte \(offset): \(what)"
        case .damagedArchive(let what, let offset): "damaged archive at byte \(offset): \(what); export again"
        case .consumer(let error): "\(error)"
        }
    }
}
