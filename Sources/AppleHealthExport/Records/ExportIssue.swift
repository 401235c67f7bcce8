// SPDX-License-Identifier: Apache-2.0

/// One thing in an export that was not as it should be, and what was done about it.
public struct ExportIssue: Sendable, Equatable, CustomStringConvertible {
    /// What was done.
    public enum Kind: Sendable, Equatable {
        /// Read all the same, after a change that `what` names.
        case repaired
        /// Left out.
        case skipped
        /// Left out because an import has no use for it: a file that repeats what the XML holds.
        case ignored
    }

    /// What was wrong. `Docs/Import.md` has the whole list with the treatment of each.
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

        /// What is done about an issue of this reason.
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

    /// What was wrong.
    public let reason: Reason
    /// The line of the XML, from 1; of a file with an electrocardiogram, which `what` names, its line; 0 where the
    /// issue is about a file of the archive as a whole.
    public let line: Int
    /// The byte of the XML or the electrocardiogram, from 0; for a file of the archive, the byte of the archive it
    /// starts at.
    public let offset: UInt64
    /// What was wrong and what was done, in words.
    public let what: String

    /// What was done about it.
    public var kind: Kind { reason.kind }

    /// One line for a person: where, what was done, what was wrong.
    public var description: String {
        let place = line > 0 ? "line \(line), byte \(offset)" : "byte \(offset) of the archive"
        return "\(place): \(kind): \(what)"
    }
}

/// The issues of one import: all of them counted, the first of each reason listed.
package struct IssueLog: Sendable, Equatable {
    /// How many of one reason are listed, so that a flood of one does not hide the others.
    package static let listedPerReason = 100

    /// The listed issues: those of the archive first, then those of the XML by their place.
    package private(set) var listed: [ExportIssue] = []
    /// How often each reason was met.
    package private(set) var counts: [ExportIssue.Reason: Int] = [:]

    /// How many things were repaired.
    package var repaired: Int { total(.repaired) }
    /// How many things were skipped.
    package var skipped: Int { total(.skipped) }
    /// How many files were ignored.
    package var ignored: Int { total(.ignored) }

    /// Counts one issue and tells whether there is room to list it.
    mutating func count(_ reason: ExportIssue.Reason, _ times: Int = 1) -> Bool {
        let before = counts[reason, default: 0]
        counts[reason] = before + times
        return before < Self.listedPerReason
    }

    /// Lists an issue for which `count` has said that there is room.
    mutating func list(_ reason: ExportIssue.Reason, line: Int, offset: UInt64, _ what: String) {
        listed.append(ExportIssue(reason: reason, line: line, offset: offset, what: what))
    }

    /// Counts and, while there is room, lists an issue of the archive.
    mutating func add(_ reason: ExportIssue.Reason, offset: UInt64, _ what: @autoclosure () -> String) {
        if count(reason) { list(reason, line: 0, offset: offset, what()) }
    }

    /// Sorts by place what was found window by window.
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

/// A file that is not read at all, or reading that had to end.
public enum ExportError: Error, Sendable, CustomStringConvertible {
    /// The file cannot be opened or read.
    case unreadable(path: String, what: String)
    /// The file is no export of Apple Health.
    case notAnExport(seen: String)
    /// The file could be an export, but is not read because of what it holds.
    case refused(what: String, line: Int, offset: UInt64)
    /// The archive cannot be understood.
    case damagedArchive(what: String, offset: UInt64)
    /// The consumer of the events threw.
    case consumer(any Error)

    /// What happened, where, and what to do.
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
