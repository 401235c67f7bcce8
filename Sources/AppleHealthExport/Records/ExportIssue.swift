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
        /// Repaired: a control character, which became a space.
        case illegalCharacter
        /// Repaired: bytes that are not UTF-8, which became question marks.
        case illFormedUTF8
        /// Repaired: an unknown entity or a bare `&`, which stays.
        case unknownReference
        /// Repaired: a `<` in an attribute value, which stays.
        case unescapedMarkup
        /// Repaired: a repeated attribute, of which the first counts.
        case duplicateAttribute
        /// Repaired: an attribute name with spaces, which stays.
        case spacedName
        /// Repaired: a malformed document type, which is skipped.
        case malformedDTD
        /// Repaired: an element without an end tag, which ends before the next element.
        case unclosedElement
        /// Repaired: a fragment without the root element.
        case missingRoot
        /// Repaired: elements in a second root element.
        case secondRoot
        /// Repaired: elements after the root element.
        case contentAfterRoot
        /// Repaired: a record whose creation date cannot be read, and is left out.
        case unreadableCreationDate
        /// Repaired: a record or correlation without a required attribute, which is kept.
        case missingAttribute
        /// Repaired: a workout, audiogram or prescription with a part that cannot be read, and is left out.
        case unreadablePart
        /// Skipped: text between the elements.
        case strayText
        /// Skipped: an element with malformed tags.
        case malformedElement
        /// Skipped: an element in a place where it has no meaning.
        case unexpectedElement
        /// Skipped: an element or record beyond a limit.
        case limit
        /// Skipped: the element in which the file ends.
        case truncated
        /// Skipped: a record without a type.
        case missingType
        /// Skipped: a record whose dates cannot be read or stored.
        case unreadableDate
        /// Skipped: a record that ends before it starts.
        case endBeforeStart
        /// Skipped: a quantity whose value is not a finite number.
        case unreadableValue
        /// Skipped: a smaller export in the same archive or folder.
        case secondExport
        /// Skipped: a link, a special file, or a file whose name leads elsewhere.
        case unsafeName
        /// Skipped: an encrypted file of the archive.
        case encryptedFile
        /// Skipped: a file that the archive holds in an unknown compression.
        case unsupportedMethod
        /// Skipped: a damaged or unreadable file, or a second file with the same name.
        case damagedFile
        /// Skipped: a file beyond the size limits.
        case oversizedFile
        /// Skipped: an electrocardiogram's file that cannot be read; the file is kept as a document.
        case unreadableElectrocardiogram
        /// Skipped: a route's file that cannot be read; the file is kept as a document.
        case unreadableRoute
        /// Ignored: a file that an import does not use.
        case ignoredFile

        /// The treatment of issues with this reason.
        public var kind: Kind {
            switch self {
            case .illegalCharacter, .illFormedUTF8, .unknownReference, .unescapedMarkup, .duplicateAttribute,
                .spacedName, .malformedDTD, .unclosedElement, .missingRoot, .secondRoot, .contentAfterRoot,
                .unreadableCreationDate, .missingAttribute, .unreadablePart:
                .repaired
            case .ignoredFile: .ignored
            default: .skipped
            }
        }
    }

    /// The reason of the issue.
    public let reason: Reason
    /// The line of the XML, from 1; for the file of an electrocardiogram or a route, which `what` names, its line; for
    /// any other issue of a whole file 0.
    public let line: Int
    /// The byte offset in the XML or the electrocardiogram, from 0; for a file of an archive, the offset of that file
    /// in the archive; for a file of a folder, 0.
    public let offset: UInt64
    /// The irregularity and its treatment, as text.
    public let what: String
    /// Whether the issue is of a whole file of a folder.
    var isOfFolder = false

    /// The treatment.
    public var kind: Kind { reason.kind }

    /// The issue as one line: place, treatment, irregularity.
    public var description: String {
        let place =
            line > 0 ? "line \(line), byte \(offset)" : isOfFolder ? "in the folder" : "byte \(offset) of the archive"
        return "\(place): \(kind): \(what)"
    }
}

/// The issues of one import: all are counted, the first ones of each reason are listed.
package struct IssueLog: Sendable, Equatable {
    /// The maximum number of listed issues per reason, so that frequent issues do not hide others.
    package static let listedPerReason = 100

    /// The listed issues: issues of whole files first, then issues of the XML by their place.
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

    /// Counts an issue of a whole file, and lists it up to the limit.
    ///
    /// - Parameter offset: the offset of the file in its archive; nil for a file of a folder.
    mutating func add(_ reason: ExportIssue.Reason, offset: UInt64? = nil, _ what: @autoclosure () -> String) {
        guard count(reason) else { return }
        listed.append(
            ExportIssue(reason: reason, line: 0, offset: offset ?? 0, what: what(), isOfFolder: offset == nil))
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
